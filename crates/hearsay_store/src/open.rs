//! Opening a campaign: lock the directory, open the database, migrate its schema, and fold the journal.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map},
    fmt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use hearsay_model::{Key, Operation, Position, State, TransientUpdate};

use crate::{
    Store, StoreError,
    compact::Compacted,
    db::{Db, Place, Settings},
    directory::{name_damaged_file, preflight},
    graph, journal, kv,
    lock::Lock,
    mark::{Acknowledged, Mark},
    migrate,
    projection::Watermark,
    salvage::finish_repair,
    snapshot,
    store::Shared,
    transient::Transients,
    worker::Reloaded,
};

/// Location of a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A directory, created if it does not exist. Keep no other files in it.
    Directory(PathBuf),
    /// Memory. The campaign is lost when the store is dropped. Use it for tests, and for games that do not save their
    /// memory.
    Memory,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => path.display().fmt(f),
            Self::Memory => f.write_str("memory"),
        }
    }
}

impl<P: Into<PathBuf>> From<P> for Location {
    fn from(path: P) -> Self {
        Self::Directory(path.into())
    }
}

/// Progress of opening a campaign. Another thread can poll it.
#[derive(Debug, Clone, Default)]
pub struct OpenProgress(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    applied: AtomicU64,
    read: AtomicU64,
}

impl OpenProgress {
    /// Returns the number of changes read from the disk so far.
    pub fn read(&self) -> u64 {
        self.0.read.load(Ordering::Relaxed)
    }

    /// Returns the number of changes applied so far.
    pub fn applied(&self) -> u64 {
        self.0.applied.load(Ordering::Relaxed)
    }

    fn note_read(&self, changes: usize) {
        self.0.read.fetch_add(changes as u64, Ordering::Relaxed);
    }

    fn note_applied(&self, changes: usize) {
        self.0.applied.fetch_add(changes as u64, Ordering::Relaxed);
    }
}

/// Options of a store. The defaults suit a game.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Number of threads of the store. Default: 2. SurrealDB adds its own thread pool: 16 idle threads on a small
    /// machine. The environment variable `SURREAL_KVS_THREADPOOL_SIZE` (4 or more) limits that pool.
    pub threads: usize,
    /// Timeout of one statement. Default: 60 seconds.
    pub query_timeout: Duration,
    /// Timeout of opening. Default: 10 minutes.
    pub open_timeout: Duration,
    /// Maximum time that [`Store::close`] waits for queued work and for the database. Default: 60 seconds. Dropping a
    /// store waits for at most 5 seconds.
    pub close_timeout: Duration,
    /// Receives the progress of opening.
    pub progress: OpenProgress,
    /// Size in bytes of the memtable that the database fills before it writes a table file. Default: 16 MiB. Minimum:
    /// 256 KiB. After a crash, opening reads the contents of the memtable again, so this size limits the time to open.
    /// Larger writes are split.
    pub memtable_bytes: usize,
    /// Injected faults of commits and storage.
    #[cfg(feature = "testing")]
    pub faults: crate::testing::Faults,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            threads: 2,
            query_timeout: Duration::from_secs(60),
            open_timeout: Duration::from_secs(600),
            close_timeout: Duration::from_secs(60),
            progress: OpenProgress::default(),
            memtable_bytes: 16 << 20,
            #[cfg(feature = "testing")]
            faults: crate::testing::Faults::default(),
        }
    }
}

/// An open store with the state that its journal folds to.
#[derive(Debug)]
pub struct Opened {
    /// The open store.
    pub store: Store,
    /// State at [`OpenReport::position`].
    pub state: State,
    /// Report about the opening.
    pub report: OpenReport,
}

/// Report about opening a campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenReport {
    /// Position of the newest operation.
    pub position: Position,
    /// Position of the snapshot that was used, or `None` if no snapshot was used.
    pub snapshot: Option<Position>,
    /// Reason why an existing snapshot was not used.
    pub snapshot_ignored: Option<String>,
    /// Number of operations read from the journal after the snapshot.
    pub tail: u64,
    /// Number of deleted chunks that belonged to operations that were never committed.
    pub swept_chunks: usize,
    /// Number of outdated graph records that are being written in the background.
    pub catching_up: usize,
    /// Number of the newest batch of transient values.
    pub transient_batch: u64,
    /// Whether the graph tables are compared with the state in the background and repaired. This happens if the
    /// previous program did not close the campaign, if the tables were incomplete when it closed, or if no program has
    /// compared them yet.
    pub verifying: bool,
    /// Schema version found in the database; 0 for a new database.
    pub schema: u64,
    /// Duration of the opening.
    pub took: Duration,
}

/// Rows to write in the background after opening.
pub(crate) struct CatchUp {
    /// Keys of the outdated records, or `None` to rebuild all tables.
    pub(crate) keys: Option<Vec<Key>>,
}

/// An open database with its state.
pub(crate) struct Ready {
    pub(crate) db: Db,
    pub(crate) state: State,
    pub(crate) journal: JournalEnd,
    pub(crate) projected: Position,
    pub(crate) catch_up: Option<CatchUp>,
    /// Whether to compare the graph tables with the state.
    pub(crate) verify: bool,
    pub(crate) report: OpenReport,
}

/// The end of a journal, where the next operation is appended.
pub(crate) struct JournalEnd {
    pub(crate) last: Acknowledged,
    pub(crate) compacted: Compacted,
    pub(crate) transients: Transients,
}

/// Files next to the database.
pub(crate) struct Files {
    pub(crate) directory: PathBuf,
    pub(crate) owner: Lock,
    pub(crate) mark: Mark,
    pub(crate) acknowledged: Option<Acknowledged>,
}

pub(crate) fn open(location: Location, options: &StoreOptions) -> Result<Opened, StoreError> {
    let started = Instant::now();
    let place = location.to_string();
    let files = match &location {
        Location::Directory(path) => Some(take(path)?),
        Location::Memory => None,
    };
    let runtime = runtime(&place, options.threads)?;
    let task = prepare(
        place.clone(),
        files.as_ref().map(|files| files.directory.clone()),
        files.as_ref().and_then(|files| files.acknowledged),
        Settings {
            query_timeout: options.query_timeout,
            patience: options.open_timeout / 20,
            memtable_bytes: options.memtable_bytes,
            #[cfg(feature = "testing")]
            faults: options.faults.clone(),
        },
        options.progress.clone(),
        started,
    );
    let timeout = options.open_timeout;
    // A separate task turns a panic inside the database into an error.
    let ready =
        crate::store::block_on(&runtime, async move { tokio::time::timeout(timeout, tokio::spawn(task)).await });
    let ready = match ready {
        Ok(Ok(ready)) => ready,
        Ok(Err(crash)) => Err(StoreError::damaged(&place, format!("the database stopped while opening: {crash}"))),
        Err(_) => Err(StoreError::TooSlow { place: place.clone(), action: "open", waited: timeout }),
    };
    match ready {
        Ok(ready) => Ok(Shared::start(runtime, place, files, ready, options)),
        Err(error) => {
            runtime.shutdown_timeout(Duration::from_secs(5));
            Err(error)
        }
    }
}

/// Starts the threads of a database.
pub(crate) fn runtime(place: &str, threads: usize) -> Result<tokio::runtime::Runtime, StoreError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads.max(1))
        .thread_name("hearsay-store")
        // SurrealDB recurses deeply when it runs statements.
        .thread_stack_size(10 << 20)
        .max_blocking_threads(4)
        .enable_all()
        .build();
    runtime.map_err(|error| StoreError::Database {
        place: place.into(),
        action: "start its threads",
        reason: error.to_string(),
    })
}

/// Deletes the directory of a campaign that is not needed, for example an unfinished one. Does nothing if the directory
/// does not exist.
///
/// # Errors
/// Returns an error if another process has the directory open, or the directory cannot be deleted.
pub fn discard(directory: &Path) -> Result<(), StoreError> {
    if !directory.exists() {
        return Ok(());
    }
    let owner = Lock::take(directory)?;
    // Windows cannot delete an open file, so the lock is released first. No other process knows this directory, so none
    // can lock it in between.
    drop(owner);
    std::fs::remove_dir_all(directory).map_err(|source| StoreError::File {
        action: "delete",
        path: directory.into(),
        advice: "delete it by hand",
        source,
    })
}

/// Creates the directory, locks it, and reads the acknowledged mark.
fn take(path: &Path) -> Result<Files, StoreError> {
    // The engine receives the path as part of a URL.
    let refused = |reason| StoreError::Path { path: path.into(), reason };
    let text = path.to_str().ok_or_else(|| refused("its path is not valid Unicode"))?;
    if text.contains('?') {
        return Err(refused("its path has a question mark"));
    }
    std::fs::create_dir_all(path).map_err(|source| StoreError::File {
        action: "make",
        path: path.into(),
        advice: "choose a directory that this user may write to",
        source,
    })?;
    let owner = Lock::take(path)?;
    if finish_repair(path)? {
        tracing::warn!(directory = %path.display(), "a repair that was stopped is finished");
    }
    let (mark, acknowledged) = Mark::open(path)?;
    Ok(Files { directory: path.into(), owner, mark, acknowledged })
}

async fn prepare(
    place: String,
    directory: Option<PathBuf>,
    acknowledged: Option<Acknowledged>,
    settings: Settings,
    progress: OpenProgress,
    started: Instant,
) -> Result<Ready, StoreError> {
    // The snapshot is decoded while the database opens.
    let reading = directory.clone().map(|directory| std::thread::spawn(move || snapshot::read(&directory)));
    let place_of_db = match &directory {
        Some(directory) => Place::Directory(directory.join("db")),
        None => Place::Memory,
    };
    if let Place::Directory(directory) = &place_of_db {
        preflight(&place, directory)?;
    }
    let named = |error| match &place_of_db {
        Place::Directory(directory) => name_damaged_file(directory, error),
        Place::Memory => error,
    };
    let db = Db::open(place_of_db.clone(), settings).await.map_err(|reason| {
        match kv::is_full(&kv::explain(reason.clone())) {
            true => StoreError::Full { place: place.clone(), action: "opened" },
            false => named(StoreError::damaged(&place, format!("the database does not open: {reason}"))),
        }
    })?;
    let read = reading.map_or(Ok(None), |thread| thread.join().unwrap_or_else(|_| Err("reading it stopped".into())));
    match fold(&db, &place, acknowledged, read, progress).await {
        Ok((state, journal, projected, catch_up, mut report)) => {
            report.took = started.elapsed();
            let verify = report.verifying;
            Ok(Ready { db, state, journal, projected, catch_up, verify, report })
        }
        Err(error) => {
            // A closed database can be opened again, for example by a newer version.
            let _ = db.close(Duration::from_secs(10)).await;
            Err(named(error))
        }
    }
}

/// Folds the journal of an open database again, as at opening.
pub(crate) async fn fold_again(
    db: &Db,
    place: &str,
    directory: Option<&Path>,
    acknowledged: Acknowledged,
) -> Result<(Reloaded, JournalEnd), StoreError> {
    let read = directory.map_or(Ok(None), snapshot::read);
    let progress = OpenProgress::default();
    let (state, journal, _, catch_up, _) = fold(db, place, Some(acknowledged), read, progress).await?;
    let behind = catch_up.map_or(Some(Vec::new()), |work| work.keys);
    Ok((Reloaded { state, behind, transient_batch: journal.transients.batch() }, journal))
}

type Folded = (State, JournalEnd, Position, Option<CatchUp>, OpenReport);

async fn fold(
    db: &Db,
    place: &str,
    acknowledged: Option<Acknowledged>,
    read: Result<Option<snapshot::Snapshot>, String>,
    progress: OpenProgress,
) -> Result<Folded, StoreError> {
    let unreadable = |error: surrealdb::Error| StoreError::damaged(place, error.to_string());
    let schema = migrate::migrate(db, place).await?;
    let shown = graph::watermark(db).await.map_err(unreadable)?;
    let projected = shown.position;
    let (transients, log) = Transients::read(db, place).await?;
    let updates = log.into_updates();
    // With a different batch number, the tables may show replaced transient values. The comparison finds them.
    let shows_old_values = shown.batch != transients.batch();
    let compacted = Compacted::load(db, place).await?;
    let begin = |progress| Fold::new(shown, transients.batch(), &updates, compacted.to.position, progress);
    let mut fold = begin(progress);
    let (mut used, mut ignored) = (None, None);
    let mut last = journal::EMPTY;
    match read {
        Ok(None) => {}
        Ok(Some(snapshot)) => {
            let entry = match snapshot.at.position == compacted.to.position {
                true => Some(compacted.to.digest),
                false => journal::entry(db, snapshot.at.position).await.map_err(unreadable)?,
            };
            if snapshot.compacted_to != compacted.to.position {
                ignored = Some("the journal was compacted since".to_owned());
            } else if entry == Some(snapshot.at.digest) {
                for operation in snapshot.operations {
                    match operation {
                        Ok((position, operation)) => fold.apply(position, operation, true),
                        Err(reason) => {
                            ignored = Some(reason);
                            break;
                        }
                    }
                }
                if ignored.is_some() {
                    fold = begin(fold.progress);
                } else {
                    last = snapshot.at;
                    used = Some(last.position);
                }
            } else if entry.is_none() {
                ignored = Some(format!("it is ahead of the journal, at position {}", snapshot.at.position));
            } else {
                ignored = Some("the journal has another operation at its position".to_owned());
            }
        }
        Err(reason) => ignored = Some(reason),
    }
    if let Some(reason) = &ignored {
        tracing::warn!(place, reason, "the snapshot is not used");
    }
    if used.is_none() {
        compacted.read(db, place, |position, operation| fold.apply(position, operation, false)).await?;
        last = compacted.to;
    }
    let before = last.position;
    let mut at_mark = acknowledged.filter(|mark| mark.position == before).map(|_| last.digest);
    let last = journal::read(db, place, last, |at, operation| {
        if acknowledged.is_some_and(|mark| mark.position == at.position) {
            at_mark = Some(at.digest);
        }
        fold.apply(at.position, operation, false);
    })
    .await?;
    fold.finish();
    if let Some((position, reason)) = fold.failed {
        return Err(StoreError::damaged(place, format!("operation {position} cannot be applied: {reason}")));
    }
    compare(place, acknowledged, last, at_mark)?;
    let swept_chunks = journal::sweep(db, last.position.next()).await.map_err(unreadable)?;
    // Tables at an earlier position than the end of the compacted part may show records that compaction removed.
    // They are rebuilt.
    let catch_up = if projected > last.position || projected < compacted.to.position {
        Some(CatchUp { keys: None })
    } else {
        let keys: Vec<Key> = fold.touched.into_iter().collect();
        (projected < last.position || shows_old_values).then_some(CatchUp { keys: Some(keys) })
    };
    // An empty journal needs no comparison: this program writes all of its records.
    let verified = graph::verified(db).await.map_err(unreadable)? || last.position == Position(0);
    let report = OpenReport {
        verifying: db.health().recovered() || !verified || shows_old_values,
        position: last.position,
        snapshot: used,
        snapshot_ignored: ignored,
        tail: last.position.0 - before.0,
        swept_chunks,
        catching_up: catch_up.as_ref().map_or(0, |work| match &work.keys {
            Some(keys) => keys.len(),
            None => fold.state.fact_count() + fold.state.entity_count(),
        }),
        transient_batch: transients.batch(),
        schema,
        took: Duration::ZERO,
    };
    Ok((fold.state, JournalEnd { last, compacted, transients }, projected, catch_up, report))
}

/// Compares the journal with the acknowledged mark.
fn compare(
    place: &str,
    acknowledged: Option<Acknowledged>,
    last: Acknowledged,
    at_mark: Option<journal::Digest>,
) -> Result<(), StoreError> {
    let Some(mark) = acknowledged else { return Ok(()) };
    let advice = "restore the directory from a backup, or accept what is there: `hearsay db repair` counts what is missing; if an older `db` was put in place on purpose, delete the file `acknowledged` beside it";
    let damaged = |what| Err(StoreError::Damaged { place: place.into(), what, advice });
    if last.position < mark.position {
        return damaged(format!(
            "the journal ends at operation {}, but operation {} was saved",
            last.position, mark.position
        ));
    }
    if at_mark.is_some_and(|digest| digest != mark.digest) {
        return damaged(format!("operation {} is not the one that was saved", mark.position));
    }
    Ok(())
}

/// The state during folding, and the keys of outdated records in the graph tables.
struct Fold<'a> {
    state: State,
    /// Operations up to this position are applied without a check.
    compacted_to: Position,
    /// Transient updates that are not applied yet, by position.
    transients: btree_map::Iter<'a, Position, TransientUpdate>,
    projected: Position,
    /// Whether the tables show the transient values.
    transients_projected: bool,
    touched: BTreeSet<Key>,
    failed: Option<(Position, String)>,
    progress: OpenProgress,
}

impl<'a> Fold<'a> {
    fn new(
        projected: Watermark,
        batch: u64,
        transients: &'a BTreeMap<Position, TransientUpdate>,
        compacted_to: Position,
        progress: OpenProgress,
    ) -> Self {
        Self {
            state: State::default(),
            compacted_to,
            transients: transients.iter(),
            projected: projected.position,
            transients_projected: projected.batch == batch,
            touched: BTreeSet::new(),
            failed: None,
            progress,
        }
    }

    /// Applies the transient updates that were set before a position.
    fn set_transients(&mut self, before: Position) {
        while let Some((_, update)) = self.transients.clone().next().filter(|(position, _)| **position < before) {
            self.transients.next();
            let touched = self.state.set_transients(update);
            if !self.transients_projected {
                self.touched.extend(touched);
            }
        }
    }

    /// Applies an operation. An operation from a snapshot is not checked again, because it was checked when it was
    /// recorded.
    fn apply(&mut self, position: Position, operation: Operation, of_snapshot: bool) {
        if self.failed.is_some() {
            return;
        }
        self.set_transients(position);
        let changes = operation.changes.len();
        self.progress.note_read(changes);
        let touched = if position <= self.compacted_to {
            Ok(self.state.apply_compacted(position, operation))
        } else {
            self.state.advance_compaction(self.compacted_to);
            let applied = match of_snapshot {
                true => Ok(self.state.apply_recorded(operation)),
                false => self.state.apply(operation),
            };
            applied.map(|applied| applied.touched)
        };
        self.progress.note_applied(changes);
        match touched {
            Ok(touched) if position > self.projected => self.touched.extend(touched),
            Ok(_) => {}
            Err(error) => self.failed = Some((position, error.to_string())),
        }
    }

    fn finish(&mut self) {
        self.state.advance_compaction(self.compacted_to);
        self.set_transients(Position(u64::MAX));
    }
}
