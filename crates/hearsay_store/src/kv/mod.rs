//! Layer between SurrealDB and SurrealKV 0.21 that makes every acknowledged commit durable.
//!
//! This folder works around bugs of SurrealKV 0.21, which SurrealDB 3.3 requires. SurrealKV 1.0 (SurrealDB 4) fixes
//! them. After an upgrade, delete this folder and call `build_with_path` in `db.rs` again.
//!
//! # How the engine loses a commit
//!
//! A commit appends its batch to the active segment of the write-ahead log, syncs it, and then inserts the batch into
//! the active memtable. If the batch does not fit, the insertion *rotates*: it creates segment `n + 1`, replaces the
//! memtable by an empty one with the number `n + 1`, and inserts the batch there. The batch is now only in segment `n`,
//! but its memtable counts as covered by segment `n + 1`. When the old memtable is flushed to a table, the manifest
//! skips segment `n`, and the engine deletes the segment. If the program dies before the new memtable is flushed, the
//! batch is lost although its commit was synced and acknowledged.
//!
//! Commits run concurrently. Up to seven batches can be in segment `n` and reach the new memtable. The engine refuses
//! no batch and reports no error in any of these cases.
//!
//! # How [`durable`] prevents it
//!
//! The engine creates the file of segment `n + 1` before it replaces the memtable. A batch is therefore safe if the
//! newest segment is the same before and after its commit. Otherwise the transaction waits until no other commit is in
//! progress. It then writes the current values of all keys of the affected batches again, in a separate transaction. It
//! deletes a deleted key again. Only then is the commit acknowledged.
//!
//! One repetition is enough, even if it causes a rotation itself. Let `m` be the number of the memtable with the first
//! copy. The repetition begins after the first commit has returned, so the second copy is logged in a segment `s >= m`.
//! The engine flushes memtables in the order of their numbers, and drops segment `s` only after it has flushed the
//! memtables up to `s`. At that time the first copy is in a table.
//!
//! Writing *current* values is correct because no other commit runs meanwhile. A current value belongs either to an
//! affected batch or to a safe batch. In the first case, all keys of that batch are repeated too. Batches that share
//! keys are repeated in one transaction, so a crash leaves each batch complete or absent.
//!
//! # How [`recovery`] prevents it
//!
//! If a directory was not closed, the engine replays its log on opening. Nodes of a memtable have random sizes, so a
//! segment that filled one memtable can need two on replay. The engine then flushes the first, marks the whole segment
//! as flushed, and appends to that same segment. A second crash loses the second memtable and all appended data. A torn
//! record at the end of a segment also hides the data appended after it.
//!
//! A directory with a log is therefore first opened with memtables that are large enough for every segment, and shut
//! down again. This moves the whole log into tables. The real opening then starts with an empty log.
//!
//! # Errors
//!
//! After a failed write or sync, the engine's buffers and the file may disagree. Data that is appended later can be
//! unreadable after a restart. [`Health`] stores the first such failure. From then on, every commit fails until the
//! directory is opened again.

mod durable;
#[cfg(feature = "testing")]
mod faulty;
pub(crate) mod files;
mod fill;
mod forward;
mod health;
mod recovery;
pub(crate) mod segments;

use std::{path::PathBuf, sync::Arc};

use surrealdb_cnf::ConfigMap;
use surrealdb_core::kvs::{TransactionBuilderFactory, TransactionBuilderParts};
use surrealdb_kvs_any::Backends;
use tokio_util::sync::CancellationToken;

pub(crate) use fill::Memory;
pub(crate) use health::{Health, explain, is_full};

/// Opens SurrealKV in a directory and wraps it in this layer.
pub(crate) struct Composer {
    /// Directory of the database.
    pub(crate) directory: PathBuf,
    pub(crate) health: Arc<Health>,
    pub(crate) memtable_bytes: usize,
    #[cfg(feature = "testing")]
    pub(crate) faults: crate::testing::Faults,
}

impl TransactionBuilderFactory for Composer {
    type RouterState = ();

    async fn new_transaction_builder(
        &self,
        path: &str,
        canceller: CancellationToken,
        config: ConfigMap,
    ) -> anyhow::Result<TransactionBuilderParts<()>> {
        if recovery::empty_log(&self.directory, path, &config).await? {
            self.health.set_recovered();
        }
        let inner = Backends::community().new_transaction_builder(path, canceller, config).await?;
        let (log, health) = (segments::Log::of(&self.directory), Arc::clone(&self.health));
        let durable = durable::Durable::new(
            inner,
            log,
            health,
            self.memtable_bytes,
            #[cfg(feature = "testing")]
            faulty::Faulty { directory: self.directory.clone(), faults: self.faults.clone() },
        );
        Ok(TransactionBuilderParts::without_router_state(Box::new(durable)))
    }

    fn path_valid(&self, path: &str) -> anyhow::Result<String> {
        Ok(Backends::community().path_valid(path)?)
    }
}
