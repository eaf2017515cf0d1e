//! Transactions whose commits survive a rotation of the log. The [parent module](super) explains the problem.

use std::{
    any::{Any, TypeId},
    collections::BTreeSet,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use surrealdb_kvs::{
    Batch, Direction, GetMultiResult, Key, KeyRange, KeysResult, Metrics, ScanCursorKeys, ScanCursorVals, ScanResult,
    Transactable, TransactionBuilder, TransactionType, Val,
    api::BoxFut,
    err::{Error, Result},
    timestamp::{BoxTimeStamp, BoxTimeStampImpl},
};
use tokio::sync::RwLock;

#[cfg(feature = "testing")]
use super::fault_injection::FaultInjection;
use super::{
    forward::{forward_builder, forward_reads},
    health::Health,
    segments::WriteAheadLog,
};

/// Maximum number of bytes that an entry takes in a memtable, in addition to its key and value.
const ENTRY_OVERHEAD_BYTES: usize = 512;

/// Maximum duration of a commit. The engine delays commits while it has two memtables to write to tables. The engine
/// can miss the signal to write the memtables, and then no commit ends. The reason is that
/// `TaskManager::wake_up_memtable` gives no signal while the writing task still runs, even if this task has already
/// checked for full memtables for the last time.
const COMMIT_LIMIT: Duration = Duration::from_secs(120);

/// Keys that a transaction wrote or deleted.
type Keys = BTreeSet<Vec<u8>>;

/// The storage engine, wrapped so that its commits are durable.
pub(super) struct Durable {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Box<dyn TransactionBuilder>,
    log: WriteAheadLog,
    health: Arc<Health>,
    memtable_bytes: usize,
    /// Each commit takes a read lock. A task that rewrites batches takes the write lock, so that no commit runs at the
    /// same time.
    commit_gate: RwLock<()>,
    pending_rewrites: Mutex<PendingRewrites>,
    #[cfg(feature = "testing")]
    fault_injection: FaultInjection,
    /// Whether the storage engine is shutting down.
    closing: AtomicBool,
    /// Number of commits since the database was opened, including failed commits.
    commits: AtomicU64,
}

/// Interval between two checks by [`watch`].
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Time after a commit during which the engine possibly still writes tables.
const ACTIVE_PERIOD: Duration = Duration::from_secs(300);

/// Watches the storage until the database is dropped. Finds failures that no commit reports, such as a deleted
/// directory, or a failed engine task that writes or merges tables.
async fn watch(shared: Weak<Shared>) {
    let (mut last_count, mut last_change) = (u64::MAX, Instant::now());
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        let Some(shared) = shared.upgrade() else { return };
        if shared.closing.load(Ordering::Relaxed) || shared.health.failure().is_some() {
            continue;
        }
        if shared.newest_segment().is_err() {
            continue;
        }
        let count = shared.commits.load(Ordering::Relaxed);
        if count != last_count {
            (last_count, last_change) = (count, Instant::now());
        }
        if last_change.elapsed() < ACTIVE_PERIOD {
            shared.probe().await;
        }
    }
}

/// Batches that must be rewritten, because the log rotated during their commits.
#[derive(Default)]
struct PendingRewrites {
    batches: Vec<Keys>,
    /// Number of batches added so far. Batches are numbered from 1.
    added: u64,
    /// Number up to which all batches have been rewritten.
    rewritten: u64,
}

impl Durable {
    pub(super) fn new(
        engine: Box<dyn TransactionBuilder>,
        log: WriteAheadLog,
        health: Arc<Health>,
        memtable_bytes: usize,
        #[cfg(feature = "testing")] fault_injection: FaultInjection,
    ) -> Self {
        let shared = Shared {
            engine,
            log,
            health,
            memtable_bytes,
            commit_gate: RwLock::default(),
            pending_rewrites: Mutex::default(),
            #[cfg(feature = "testing")]
            fault_injection,
            closing: AtomicBool::new(false),
            commits: AtomicU64::new(0),
        };
        let shared = Arc::new(shared);
        tokio::spawn(watch(Arc::downgrade(&shared)));
        Self { shared }
    }
}

impl TransactionBuilder for Durable {
    forward_builder!(shared.engine);

    fn shutdown(&self) -> BoxFut<'_, Result<()>> {
        Box::pin(async move {
            self.shared.closing.store(true, Ordering::Relaxed);
            self.shared.engine.shutdown().await?;
            self.shared.log.check_empty()
        })
    }

    fn new_transaction(&self, kind: TransactionType) -> BoxFut<'_, Result<(Box<dyn Transactable>, bool)>> {
        Box::pin(async move {
            let (inner, local) = self.shared.engine.new_transaction(kind).await?;
            if matches!(kind, TransactionType::Read) {
                return Ok((inner, local));
            }
            let shared = Arc::clone(&self.shared);
            let transaction = Transaction { inner, shared, written: Mutex::default(), bytes: AtomicUsize::new(0) };
            Ok((Box::new(transaction) as Box<dyn Transactable>, local))
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether the engine refused a commit before it wrote any data.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::TransactionConflict(_)
            | Error::TransactionFinished
            | Error::TransactionReadonly
            | Error::TransactionConditionNotMet
            | Error::TransactionKeyAlreadyExists
            | Error::TransactionKeyTooLarge
            | Error::TransactionTooLarge
            | Error::Shutdown
            | Error::ReadAndDeleteOnly
    )
}

impl Shared {
    fn newest_segment(&self) -> Result<u64> {
        self.log.newest().map_err(|error| {
            let reason = format!("the files of the database cannot be read: {error}");
            self.health.fail(reason.clone());
            Error::Datastore(reason)
        })
    }

    /// Checks whether the engine still accepts commits. Writes no data.
    async fn probe(&self) {
        let probe = async {
            #[cfg(feature = "testing")]
            self.fault_injection.check_background()?;
            let (transaction, _) = self.engine.new_transaction(TransactionType::Write).await?;
            // The transaction must lock a key, because the engine does not check for failures when it commits an empty
            // transaction.
            if let Err(error) = transaction.getu(Key::from(&b"!v"[..])).await {
                let _ = transaction.cancel().await;
                return Err(error);
            }
            transaction.commit().await
        };
        let result = probe.await;
        if !self.closing.load(Ordering::Relaxed) {
            let _ = self.record_failure(result);
        }
    }

    /// Commits a transaction. If the log rotates during the commit, rewrites the batch.
    async fn commit(&self, inner: &dyn Transactable, written: Keys) -> Result<()> {
        self.health.check()?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        let number = {
            let _commit_guard = self.commit_gate.read().await;
            let segment_before = self.newest_segment()?;
            self.record_failure(self.commit_inner(inner).await)?;
            if self.newest_segment()? == segment_before || written.is_empty() {
                return Ok(());
            }
            let mut pending_rewrites = lock(&self.pending_rewrites);
            pending_rewrites.batches.push(written);
            pending_rewrites.added += 1;
            pending_rewrites.added
        };
        let rewritten = self.rewrite_pending(number).await;
        rewritten.map_err(|error| Error::CommitOutcomeUnknown(error.to_string()))
    }

    /// Commits a transaction of the engine, within a time limit. In tests, a fault may be injected.
    async fn commit_inner(&self, inner: &dyn Transactable) -> Result<()> {
        #[cfg(feature = "testing")]
        let committed = self.fault_injection.commit(inner);
        #[cfg(not(feature = "testing"))]
        let committed = inner.commit();
        tokio::time::timeout(COMMIT_LIMIT, committed).await.unwrap_or_else(|_| {
            let limit = COMMIT_LIMIT.as_secs();
            Err(Error::Datastore(format!("the storage engine did not end a commit within {limit} s")))
        })
    }

    /// Returns the result of a commit. Stores an error in the [`Health`], unless the engine refused the commit before
    /// it wrote any data.
    fn record_failure(&self, result: Result<()>) -> Result<()> {
        let Err(error) = result else { return Ok(()) };
        if is_refusal(&error) {
            return Err(error);
        }
        let reason = error.to_string();
        self.health.fail(reason.clone());
        Err(Error::CommitOutcomeUnknown(reason))
    }

    /// Rewrites all waiting batches. Does nothing if another call has already rewritten the batch with this number.
    async fn rewrite_pending(&self, number: u64) -> Result<()> {
        let _rewrite_guard = self.commit_gate.write().await;
        let (batches, last) = {
            let pending_rewrites = lock(&self.pending_rewrites);
            if pending_rewrites.rewritten >= number {
                return Ok(());
            }
            (pending_rewrites.batches.clone(), pending_rewrites.added)
        };
        for keys in merge_overlapping(batches) {
            let written = self.rewrite(&keys).await;
            if let Err(error) = &written {
                self.health.fail(format!("a batch could not be rewritten after a rotation of the log: {error}"));
            }
            written?;
        }
        let mut pending_rewrites = lock(&self.pending_rewrites);
        pending_rewrites.batches.clear();
        pending_rewrites.rewritten = last;
        drop(pending_rewrites);
        self.health.count_rewrite();
        Ok(())
    }

    /// Writes the current values of the given keys in one transaction.
    async fn rewrite(&self, keys: &Keys) -> Result<()> {
        let (transaction, _) = self.engine.new_transaction(TransactionType::Write).await?;
        let writes = async {
            for key in keys {
                let key = || Key::from(key.as_slice());
                match transaction.get(key(), None).await? {
                    Some(value) => transaction.set(key(), value).await?,
                    None => transaction.del(key()).await?,
                }
            }
            Ok(())
        };
        if let Err(error) = writes.await {
            let _ = transaction.cancel().await;
            return Err(error);
        }
        self.commit_inner(&*transaction).await
    }
}

/// Merges the sets that share a key. The returned sets have no key in common.
fn merge_overlapping(batches: Vec<Keys>) -> Vec<Keys> {
    let mut merged: Vec<Keys> = Vec::with_capacity(batches.len());
    for mut batch in batches {
        let (overlapping, disjoint): (Vec<Keys>, _) =
            mem::take(&mut merged).into_iter().partition(|other| !other.is_disjoint(&batch));
        batch.extend(overlapping.into_iter().flatten());
        merged = disjoint;
        merged.push(batch);
    }
    merged
}

/// A write transaction.
struct Transaction {
    inner: Box<dyn Transactable>,
    shared: Arc<Shared>,
    /// Keys that were written or deleted. Extra keys are harmless.
    written: Mutex<Keys>,
    /// Upper bound of the bytes that the writes take in a memtable. A key that is written twice counts twice, as in the
    /// engine.
    bytes: AtomicUsize,
}

impl Transaction {
    fn record_write(&self, key: &Key<'_>, value_bytes: usize) {
        self.bytes.fetch_add(key.len() + value_bytes + ENTRY_OVERHEAD_BYTES, Ordering::Relaxed);
        let mut written = lock(&self.written);
        if !written.contains(key.as_slice()) {
            written.insert(key.as_slice().to_vec());
        }
    }
}

impl Transactable for Transaction {
    forward_reads!(inner);

    fn commit(&self) -> BoxFut<'_, Result<()>> {
        let written = mem::take(&mut *lock(&self.written));
        let bytes = self.bytes.load(Ordering::Relaxed);
        Box::pin(async move {
            // Without this check, the engine would write the batch to its log before it finds that no memtable is large
            // enough.
            if bytes + 2 * ENTRY_OVERHEAD_BYTES > self.shared.memtable_bytes {
                self.inner.cancel().await?;
                return Err(Error::TransactionTooLarge);
            }
            self.shared.commit(&*self.inner, written).await
        })
    }

    fn set<'a>(&'a self, key: Key<'a>, value: Val) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, value.len());
        self.inner.set(key, value)
    }

    fn put<'a>(&'a self, key: Key<'a>, value: Val) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, value.len());
        self.inner.put(key, value)
    }

    fn putc<'a>(&'a self, key: Key<'a>, value: Val, expected: Option<Val>) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, value.len());
        self.inner.putc(key, value, expected)
    }

    fn replace<'a>(&'a self, key: Key<'a>, value: Val) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, value.len());
        self.inner.replace(key, value)
    }

    fn del<'a>(&'a self, key: Key<'a>) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, 0);
        self.inner.del(key)
    }

    fn delc<'a>(&'a self, key: Key<'a>, expected: Option<&'a [u8]>) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, 0);
        self.inner.delc(key, expected)
    }

    fn clr<'a>(&'a self, key: Key<'a>) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, 0);
        self.inner.clr(key)
    }

    fn clrc<'a>(&'a self, key: Key<'a>, expected: Option<&'a [u8]>) -> BoxFut<'a, Result<()>> {
        self.record_write(&key, 0);
        self.inner.clrc(key, expected)
    }

    // `delr` and `clrr` keep their provided implementations, which call `del` and `clr` of this transaction.
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_that_share_a_key_are_united_and_others_kept_apart(
            batches in prop::collection::vec(prop::collection::btree_set(prop::collection::vec(0_u8..12, 1..2), 1..5), 0..8)
        ) {
            let merged = merge_overlapping(batches.clone());
            for (index, set) in merged.iter().enumerate() {
                prop_assert!(merged[index + 1..].iter().all(|other| set.is_disjoint(other)));
            }
            for batch in &batches {
                prop_assert_eq!(merged.iter().filter(|set| batch.is_subset(set)).count(), 1);
            }
            let all: Keys = batches.iter().flatten().cloned().collect();
            prop_assert_eq!(merged.iter().map(BTreeSet::len).sum::<usize>(), all.len());
            // Each merged set is connected: its batches cannot be split into two groups that have no key in common.
            for set in &merged {
                let members: Vec<_> = batches.iter().filter(|batch| batch.is_subset(set)).collect();
                let mut reached: Keys = members[0].clone();
                for _ in 0..members.len() {
                    for member in &members {
                        if !reached.is_disjoint(member) {
                            reached.extend(member.iter().cloned());
                        }
                    }
                }
                prop_assert_eq!(&reached, set);
            }
        }
    }
}
