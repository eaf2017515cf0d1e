//! The handle of an open store.

use std::{
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use hearsay_model::{Key, Operation, Position, State};
use tokio::{
    runtime::{Handle, Runtime},
    sync::mpsc::{UnboundedSender, error::SendError, unbounded_channel},
    task::JoinHandle,
};

use super::{
    background::{BackgroundJob, run_background_jobs},
    callback::{DoneCallback, wait_for_callback},
    commits::{CommitJob, run_commit_jobs},
    open::{LockedDirectory, OpenedDatabase, open},
    options::{Location, StoreOptions},
    replay::{Reloaded, Replayed},
    report::OpenReport,
    shared::Shared,
};
use crate::{
    StoreError,
    engine::{block_on, is_disk_full},
    files::lock::Lock,
    journal::{RewrittenOperation, TransientUpdates},
    projection::{self, GraphDifference, ProjectionRow, Watermark},
};

/// The threads, queues and tasks of a store, which all end when the store is closed.
struct Running {
    runtime: Runtime,
    commits: UnboundedSender<CommitJob>,
    background: UnboundedSender<BackgroundJob>,
    tasks: [JoinHandle<()>; 2],
    lock: Option<Lock>,
}

/// Handle of an open campaign. Writes and reads the journal and the graph tables. See the [crate] documentation.
///
/// Opening, closing, and the functions named `…_blocking` block the calling thread. All other functions return
/// immediately. A thread of the store calls the `done` callbacks. A callback must be short and must not call a blocking
/// function of the store.
pub struct Store {
    shared: Arc<Shared>,
    running: Option<Running>,
    close_timeout: Duration,
}

/// An open store, with the state that was computed from the operations in its journal.
#[derive(Debug)]
pub struct Opened {
    /// The open store.
    pub store: Store,
    /// State after the newest operation, at the position [`OpenReport::position`].
    pub state: State,
    /// Report on how the campaign was opened.
    pub report: OpenReport,
}

/// Health of the storage of an open store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorageHealth {
    /// Reason why the storage failed. After a failure, the store writes no more data until the campaign is opened
    /// again. `None` if the storage works.
    pub failure: Option<String>,
    /// Whether the storage engine replayed its log when the campaign was opened. The engine replays the log if the
    /// previous program did not close the campaign.
    pub replayed_log: bool,
    /// Number of records in the graph tables that differed from the state after the opening and were repaired.
    pub repaired_records: usize,
    /// Number of times that the store wrote commits again. The store does so if the storage engine starts a new log
    /// file during a commit, because the commit could otherwise be lost in a crash.
    pub log_rewrites: u64,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("place", &self.shared.place).field("position", &self.position()).finish()
    }
}

/// Starts the tasks of a store for an open database.
fn start(database: OpenedDatabase, options: &StoreOptions) -> Opened {
    let OpenedDatabase { runtime, place, directory, db, replayed } = database;
    let Replayed { state, journal, projected, catch_up, report } = replayed;
    let last = journal.last;
    let (directory, lock, acknowledged_file) = match directory {
        Some(LockedDirectory { path, lock, acknowledged_file, .. }) => {
            (Some(path), Some(lock), Some(acknowledged_file))
        }
        None => (None, None, None),
    };
    let shared = Arc::new(Shared {
        db,
        place,
        directory,
        acknowledged_file,
        committed: AtomicU64::default(),
        projected: AtomicU64::new(projected.0),
        backlog: AtomicUsize::new(0),
        repaired: AtomicUsize::new(0),
        closing: AtomicBool::new(false),
        #[cfg(feature = "testing")]
        faults: options.faults.clone(),
    });
    shared.acknowledge(last);
    let (commits, commit_queue) = unbounded_channel();
    let (background, background_queue) = unbounded_channel();
    let tasks = [
        runtime.spawn(run_commit_jobs(Arc::clone(&shared), commit_queue, journal)),
        runtime.spawn(run_background_jobs(Arc::clone(&shared), background_queue)),
    ];
    if let Some(records) = catch_up {
        let watermark = Watermark { position: last.position, batch: report.transient_batch };
        let state = Box::new(state.clone());
        let _ = background.send(BackgroundJob::CatchUp { state, records, watermark });
    }
    if report.verifying {
        let _ = background.send(BackgroundJob::Verify { state: Box::new(state.clone()) });
    }
    let running = Running { runtime, commits, background, tasks, lock };
    let store = Store { shared, running: Some(running), close_timeout: options.close_timeout };
    Opened { store, state, report }
}

impl Store {
    /// Opens a campaign. Creates the campaign if it does not exist. Blocks the calling thread.
    ///
    /// With a snapshot, opening a large campaign takes about one second. Without a snapshot, opening takes several
    /// seconds.
    ///
    /// # Errors
    /// Returns an error if another process has the directory open, the directory is not writable, a newer version of
    /// Hearsay wrote the database, or the database is damaged. If acknowledged data is missing, opening always returns
    /// an error.
    pub fn open(location: impl Into<Location>, options: StoreOptions) -> Result<Opened, StoreError> {
        Ok(start(open(location.into(), &options)?, &options))
    }

    /// Returns the position of the newest durable operation.
    pub fn position(&self) -> Position {
        Position(self.shared.committed.load(Ordering::Acquire))
    }

    /// Returns the journal position up to which the graph tables are complete.
    pub fn projected(&self) -> Position {
        Position(self.shared.projected.load(Ordering::Acquire))
    }

    /// Returns the number of rows that wait to be written to the graph tables. During a large import, pause while this
    /// number is large.
    pub fn backlog(&self) -> usize {
        self.shared.backlog.load(Ordering::Relaxed)
    }

    /// Returns the health of the storage.
    pub fn health(&self) -> StorageHealth {
        let health = self.shared.db.health();
        StorageHealth {
            failure: health.failure().map(str::to_owned),
            replayed_log: health.recovered(),
            repaired_records: self.shared.repaired.load(Ordering::Relaxed),
            log_rewrites: health.rewrites(),
        }
    }

    /// Calls `callback` with the reason when the storage fails. If the storage has already failed, calls `callback`
    /// immediately. If the store is closed before a failure, drops `callback`.
    pub fn on_failure(&self, callback: impl FnOnce(String) + Send + 'static) {
        let Some(running) = &self.running else { return };
        let shared = Arc::clone(&self.shared);
        running.runtime.spawn(async move { callback(shared.db.health().wait_for_failure().await.to_owned()) });
    }

    /// Compares the graph tables with a state, record by record. Blocks the calling thread.
    ///
    /// The position of the state must equal the result of [`Store::projected`]. Call [`Store::settle_blocking`] before
    /// this function, and write no data during the comparison.
    ///
    /// # Errors
    /// Returns an error if the tables cannot be read.
    pub fn graph_differences_blocking(&self, state: &State) -> Result<Vec<GraphDifference>, StoreError> {
        let (shared, state) = (Arc::clone(&self.shared), state.clone());
        let differences =
            self.run_blocking(async move { projection::compare_tables(&shared.db, &state, &shared.closing).await })?;
        Ok(differences.ok_or(StoreError::Closed)?.into_iter().map(|(difference, _)| difference).collect())
    }

    /// Returns the directory of the campaign, or `None` for a campaign in memory.
    pub fn directory(&self) -> Option<&Path> {
        self.shared.directory.as_deref()
    }

    /// Commits operations. The first operation gets the position `first`. Commits are stored in the order of the calls.
    /// Either all operations of a commit are stored, or none. Calls `done` with `Ok` after the operations are on the
    /// disk, or with an error if the commit failed.
    ///
    /// This function does not check the operations. Check the operations with [`State::check`] before the call, and
    /// apply the operations to the state after `done` was called. Each call has a fixed cost for the write to the disk,
    /// so commit a few dozen small operations in one call. If a commit fails, [`Store::position`] does not change, and
    /// later commits in the queue fail with [`StoreError::OutOfOrder`].
    pub fn commit(
        &self,
        first: Position,
        operations: Vec<Arc<Operation>>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.commit_with_transients(first, operations, Vec::new(), done);
    }

    /// Commits operations together with transient values. A transient value is a current value whose past values are
    /// not stored. Each update is paired with the position of the operation that was the newest when the update was
    /// made.
    ///
    /// `operations` can be empty. All updates are stored in one transaction, so commit at most a few thousand values at
    /// a time. See [`Store::commit`] for the guarantees. Apply the updates with [`State::set_transients`] after `done`
    /// was called.
    pub fn commit_with_transients(
        &self,
        first: Position,
        operations: Vec<Arc<Operation>>,
        transients: TransientUpdates,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.queue_commit(CommitJob::Operations { first, operations, transients, done: Box::new(done) });
    }

    /// Commits operations and blocks until they are on the disk.
    ///
    /// # Errors
    /// See [`Store::commit`].
    pub fn commit_blocking(&self, first: Position, operations: Vec<Arc<Operation>>) -> Result<(), StoreError> {
        wait_for_callback(|done| self.commit(first, operations, done))
    }

    /// Compacts the journal in the same way as [`State::compact`] compacted the state.
    ///
    /// Rewrites or deletes the given operations. If this function fails, it changes none of the operations. The
    /// positions of the operations must be at or before [`State::compacted_to`]. When the journal is replayed, the
    /// store [applies](State::apply_compacted) these operations without checking them against the state.
    ///
    /// Pass the operations that [`State::compact`] returned, and the state after that call. Do not call this function
    /// while a commit is in progress.
    pub fn compact(
        &self,
        state: &State,
        operations: Vec<RewrittenOperation>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.queue_commit(CommitJob::Compact { state: Box::new(state.clone()), operations, done: Box::new(done) });
    }

    /// Writes the compacted part of another journal as the beginning of this journal. Blocks until the data is on the
    /// disk.
    ///
    /// `to` is the last position of the compacted part. This journal must be empty. After the call, open the campaign
    /// again to get the resulting state.
    ///
    /// # Errors
    /// Returns an error if this journal already contains operations, or if the database cannot write.
    pub fn begin_compacted_blocking(
        &self,
        to: Position,
        operations: Vec<(Position, Arc<Operation>)>,
    ) -> Result<(), StoreError> {
        wait_for_callback(|done| self.queue_commit(CommitJob::WriteCompacted { to, operations, done }))
    }

    /// Replays the journal again in the background, after all queued commits. Use this function after a commit failed
    /// with [`StoreError::Uncertain`]: if the reload succeeds, the store accepts commits again. The position of the new
    /// state shows whether the uncertain commit is stored.
    ///
    /// Calls `done` with an error if the journal cannot be read, or if an acknowledged operation is missing.
    pub fn reload(&self, done: impl FnOnce(Result<Reloaded, StoreError>) + Send + 'static) {
        self.queue_commit(CommitJob::Reload(Box::new(done)));
    }

    fn queue_commit(&self, job: CommitJob) {
        // `running` is `None` only while the store is being closed, and then no caller has a reference to the store.
        if let Some(Err(SendError(job))) = self.running.as_ref().map(|running| running.commits.send(job)) {
            job.reject_as_closed();
        }
    }

    fn queue_background(&self, job: BackgroundJob) {
        if let Some(Err(SendError(job))) = self.running.as_ref().map(|running| running.background.send(job)) {
            job.reject_as_closed();
        }
    }

    /// Writes [rows](projection::rows()) to the graph tables in the background, in the order of the calls.
    ///
    /// `watermark` states up to which operation the tables are complete after this write. After the write,
    /// [`Store::projected`] returns the position of this watermark.
    pub fn project(
        &self,
        rows: Vec<ProjectionRow>,
        watermark: impl Into<Watermark>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.project_rows(rows, Some(watermark.into()), Box::new(done));
    }

    fn project_rows(&self, rows: Vec<ProjectionRow>, watermark: Option<Watermark>, done: DoneCallback) {
        self.shared.backlog.fetch_add(rows.len(), Ordering::Relaxed);
        self.queue_background(BackgroundJob::Project { rows, watermark, done });
    }

    /// Deletes all rows of the graph tables and creates them again from the state. Blocks the calling thread.
    ///
    /// Calls `progress` with the number of written records and the total number of records. Until this function
    /// returns, queries find only a part of the records.
    ///
    /// # Errors
    /// Returns an error if the database cannot write.
    pub fn rebuild_projections_blocking(
        &self,
        state: &State,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<(), StoreError> {
        wait_for_callback(|done| self.queue_background(BackgroundJob::Clear(done)))?;
        let pages: Vec<Vec<Key>> = projection::all_keys(state, 2_000).collect();
        let (mut written, total) = (0, pages.iter().map(Vec::len).sum());
        for keys in pages {
            wait_for_callback(|done| self.project_rows(projection::rows_for_keys(state, &keys), None, done))?;
            written += keys.len();
            progress(written, total);
        }
        wait_for_callback(|done| self.project_rows(Vec::new(), Some(state.position().into()), done))
    }

    /// Writes a snapshot of the journal up to the position of the state, in the background. With a snapshot, the
    /// campaign opens faster. Does nothing for a campaign in memory.
    pub fn write_snapshot(&self, state: &State, done: impl FnOnce(Result<(), StoreError>) + Send + 'static) {
        let operations = state.journal().map(|(at, entry)| (at, Arc::clone(&entry.operation))).collect();
        let (position, compacted_to) = (state.position(), state.compacted_to());
        self.queue_background(BackgroundJob::Snapshot { position, compacted_to, operations, done: Box::new(done) });
    }

    /// Blocks until all commits and all background work that were queued before this call are done.
    ///
    /// # Errors
    /// Returns an error if the store is closed.
    pub fn settle_blocking(&self) -> Result<(), StoreError> {
        wait_for_callback(|done| self.queue_commit(CommitJob::Settle(done)))?;
        wait_for_callback(|done| self.queue_background(BackgroundJob::Settle(done)))
    }

    /// Runs statements in SurrealQL and returns the result of the last statement. Blocks the calling thread.
    ///
    /// The statements cannot change the database, because their transaction is cancelled at the end. Use this function
    /// only for tests and inspection, because it is slow.
    ///
    /// # Errors
    /// Returns an error if a statement fails.
    pub fn query_blocking(&self, surrealql: &str) -> Result<serde_json::Value, StoreError> {
        let (shared, statements) = (Arc::clone(&self.shared), surrealql.to_owned());
        let value = self.run_blocking(async move { shared.db.query_and_cancel(&statements).await })?;
        Ok(value.into_json_value())
    }

    /// Runs a future on the threads of the store, and blocks until it completes.
    fn run_blocking<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T, surrealdb::Error>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(running) = &self.running else { return Err(StoreError::Closed) };
        let result = block_on(&running.runtime, running.runtime.spawn(task));
        let result = result.map_err(|crash| StoreError::Query(crash.to_string()))?;
        result.map_err(|error| StoreError::Query(error.to_string()))
    }

    /// Finishes the queued work, shuts the database down, and blocks until another process can open the directory. Does
    /// not wait for the rewriting of graph tables that were outdated at the opening. The next opening of the campaign
    /// continues this work.
    ///
    /// # Errors
    /// Returns an error if closing takes longer than [`StoreOptions::close_timeout`], or if the database cannot shut
    /// down. Acknowledged data is safe in both cases.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.shut_down(self.close_timeout)
    }

    fn shut_down(&mut self, timeout: Duration) -> Result<(), StoreError> {
        let Some(Running { runtime, commits, background, tasks, lock }) = self.running.take() else { return Ok(()) };
        let (started, place) = (Instant::now(), self.shared.place.clone());
        self.shared.closing.store(true, Ordering::Relaxed);
        drop((commits, background));
        let [commit_task, background_task] = tasks;
        let tasks = async {
            let _ = commit_task.await;
            let _ = background_task.await;
        };
        let timeout_error = || StoreError::Timeout { place: place.clone(), action: "close", timeout };
        let finished = block_on(&runtime, async { tokio::time::timeout(timeout, tasks).await });
        let result = match finished {
            Ok(()) => {
                let shared = Arc::clone(&self.shared);
                let remaining = timeout.saturating_sub(started.elapsed()).max(Duration::from_secs(1));
                let closing = runtime.spawn(async move { shared.db.close(remaining).await });
                // `close` has a time limit, but an engine that blocks its thread never reaches the end of it.
                let limit = remaining + Duration::from_secs(1);
                let closed = block_on(&runtime, async { tokio::time::timeout(limit, closing).await });
                match closed.map(|closed| closed.unwrap_or_else(|crash| Err(crash.to_string()))) {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(reason)) if is_disk_full(&reason) => {
                        Err(StoreError::DiskFull { place: place.clone(), action: "closed" })
                    }
                    Ok(Err(reason)) => Err(StoreError::Database { place: place.clone(), action: "close", reason }),
                    Err(_) => Err(timeout_error()),
                }
            }
            Err(_) => Err(timeout_error()),
        };
        if Handle::try_current().is_ok() {
            runtime.shutdown_background();
        } else {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
        drop(lock);
        result
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.shut_down(self.close_timeout.min(Duration::from_secs(5))) {
            tracing::warn!(%error, "a store was dropped before it was closed, and closing it failed");
        }
    }
}
