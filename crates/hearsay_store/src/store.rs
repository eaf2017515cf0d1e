//! The handle of an open campaign.

use std::{
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use hearsay_model::{Operation, Position, State};
use tokio::{
    runtime::{Handle, Runtime},
    sync::mpsc::{UnboundedSender, unbounded_channel},
    task::JoinHandle,
};

use crate::{
    GraphDifference, Location, Opened, ProjectionRow, RewrittenOperation, StoreError, StoreOptions, check,
    db::Db,
    kv,
    lock::Lock,
    mark::Mark,
    open::{self, Files, JournalEnd, Ready},
    projection::{self, Watermark},
    transient::TransientUpdates,
    worker::{self, Background, Commit, Done, Reloaded},
};

/// Data shared by the store and its tasks.
pub(crate) struct Shared {
    pub(crate) db: Db,
    pub(crate) place: String,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) mark: Option<Mark>,
    pub(crate) committed: AtomicU64,
    pub(crate) projected: AtomicU64,
    /// Number of rows that wait to be written.
    pub(crate) backlog: AtomicUsize,
    /// Number of repaired records of the graph tables.
    pub(crate) repaired: AtomicUsize,
    /// Set when the store closes. Rows that still catch up are written at the next opening.
    pub(crate) closing: AtomicBool,
    #[cfg(feature = "testing")]
    pub(crate) faults: crate::testing::Faults,
}

/// The parts that are shut down when the store closes.
struct Running {
    runtime: Runtime,
    commits: UnboundedSender<Commit>,
    background: UnboundedSender<Background>,
    tasks: [JoinHandle<()>; 2],
    owner: Option<Lock>,
}

/// An open journal and graph of a campaign. See the [crate] documentation.
///
/// All functions return immediately, except opening, closing, and the functions named `…_blocking`. A thread of the
/// store calls each `done` function. Such a function must be short and must not call a blocking function of the store.
pub struct Store {
    shared: Arc<Shared>,
    running: Option<Running>,
    close_timeout: Duration,
}

/// Health of the storage of an open store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorageHealth {
    /// Reason why the store writes no more data until the campaign is opened again. `None` while the storage works.
    pub failure: Option<String>,
    /// Whether opening replayed a log because the previous program did not close the campaign.
    pub replayed_log: bool,
    /// Number of graph records that differed from the state after such a replay and were rewritten.
    pub repaired_records: usize,
    /// Number of times that writes were repeated because the log rotated during a commit.
    pub log_rewrites: u64,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("place", &self.shared.place).field("position", &self.position()).finish()
    }
}

/// Blocks until a future completes. Uses a separate thread if this thread belongs to a runtime and must not block.
pub(crate) fn block_on<T: Send>(runtime: &Runtime, future: impl Future<Output = T> + Send) -> T {
    if Handle::try_current().is_err() {
        return runtime.block_on(future);
    }
    std::thread::scope(|scope| match scope.spawn(|| runtime.block_on(future)).join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

impl Shared {
    pub(crate) fn start(
        runtime: Runtime,
        place: String,
        files: Option<Files>,
        ready: Ready,
        options: &StoreOptions,
    ) -> Opened {
        let Ready { db, state, journal, projected, catch_up, verify, report } = ready;
        let JournalEnd { last, compacted, transients } = journal;
        let (directory, owner, mark) = match files {
            Some(Files { directory, owner, mark, .. }) => (Some(directory), Some(owner), Some(mark)),
            None => (None, None, None),
        };
        if let Some(mark) = &mark {
            mark.write(last);
        }
        let shared = Arc::new(Self {
            db,
            place,
            directory,
            mark,
            committed: AtomicU64::new(last.position.0),
            projected: AtomicU64::new(projected.0),
            backlog: AtomicUsize::new(0),
            repaired: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
            #[cfg(feature = "testing")]
            faults: options.faults.clone(),
        });
        let (commits, commit_queue) = unbounded_channel();
        let (background, background_queue) = unbounded_channel();
        let tasks = [
            runtime.spawn(worker::commit(Arc::clone(&shared), commit_queue, last, compacted, transients)),
            runtime.spawn(worker::background(Arc::clone(&shared), background_queue)),
        ];
        if let Some(open::CatchUp { keys }) = catch_up {
            let complete = Watermark { position: last.position, batch: report.transient_batch };
            let state = Box::new(state.clone());
            let _ = background.send(Background::CatchUp { state, keys, complete });
        }
        if verify {
            let _ = background.send(Background::Verify { state: Box::new(state.clone()) });
        }
        let running = Running { runtime, commits, background, tasks, owner };
        let store = Store { shared, running: Some(running), close_timeout: options.close_timeout };
        Opened { store, state, report }
    }
}

impl Store {
    /// Opens a campaign, and creates it if it does not exist. Blocks the calling thread.
    ///
    /// Opening a large campaign takes about a second with a snapshot, and several seconds without one.
    ///
    /// # Errors
    /// Returns an error if another process has the directory open, the directory is not writable, a newer version of
    /// Hearsay wrote the database, or the database is damaged. Acknowledged data is never missing without an error.
    pub fn open(location: impl Into<Location>, options: StoreOptions) -> Result<Opened, StoreError> {
        open::open(location.into(), &options)
    }

    /// Returns the position of the newest durable operation.
    pub fn position(&self) -> Position {
        Position(self.shared.committed.load(Ordering::Acquire))
    }

    /// Returns the journal position that the graph tables show.
    pub fn projected(&self) -> Position {
        Position(self.shared.projected.load(Ordering::Acquire))
    }

    /// Returns the number of rows that wait to be written to the graph tables. During a large import, wait while this
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

    /// Compares the graph tables with a state, record by record. Blocks the calling thread.
    ///
    /// The state must be at [`Store::projected`]. Call [`Store::settle_blocking`] first, and write nothing during the
    /// comparison.
    ///
    /// # Errors
    /// Returns an error if the tables cannot be read.
    pub fn graph_differences_blocking(&self, state: &State) -> Result<Vec<GraphDifference>, StoreError> {
        let Some(running) = &self.running else { return Err(StoreError::Closed) };
        let (shared, state) = (Arc::clone(&self.shared), state.clone());
        let task = running.runtime.spawn(async move { check::graph(&shared.db, &state, &shared.closing).await });
        let found = block_on(&running.runtime, task).map_err(|crash| StoreError::Query(crash.to_string()))?;
        let found = found.map_err(|error| StoreError::Query(error.to_string()))?;
        Ok(found.ok_or(StoreError::Closed)?.into_iter().map(|(difference, _)| difference).collect())
    }

    /// Returns the directory of the campaign, or `None` for a campaign in memory.
    pub fn directory(&self) -> Option<&std::path::Path> {
        self.shared.directory.as_deref()
    }

    /// Commits operations at the positions from `first` on, after all earlier commits. All operations are stored in one
    /// transaction, or none is. Calls `done` after they are on the disk.
    ///
    /// This function does not check operations. Check them with [`State::check`] before, and apply them after `done`
    /// was called. Operations in one call share the cost of a commit, so commit a few dozen small operations at a time.
    /// A failed commit leaves [`Store::position`] unchanged, and the commits queued behind it fail with
    /// [`StoreError::OutOfOrder`].
    pub fn commit(
        &self,
        first: Position,
        operations: Vec<Arc<Operation>>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.commit_with_transients(first, operations, Vec::new(), done);
    }

    /// Commits operations together with transient values. Each update carries the position of the newest operation at
    /// the time when it is set.
    ///
    /// `operations` may be empty. The commit is one transaction, so keep updates below a few thousand values. See
    /// [`Store::commit`] for the guarantees. Apply the updates with [`State::set_transients`] after `done` was called.
    pub fn commit_with_transients(
        &self,
        first: Position,
        operations: Vec<Arc<Operation>>,
        transients: TransientUpdates,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let sent = self.running.as_ref().map(|running| {
            running.commits.send(Commit::Operations { first, operations, transients, done: Box::new(done) })
        });
        match sent {
            Some(Ok(())) => {}
            Some(Err(tokio::sync::mpsc::error::SendError(Commit::Operations { done, .. }))) => {
                done(Err(StoreError::Closed));
            }
            // A store without tasks is being dropped, so no caller can reach this arm.
            _ => {}
        }
    }

    /// Commits operations and blocks until they are on the disk.
    ///
    /// # Errors
    /// See [`Store::commit`].
    pub fn commit_blocking(&self, first: Position, operations: Vec<Arc<Operation>>) -> Result<(), StoreError> {
        wait(|done| self.commit(first, operations, done))
    }

    /// Compacts the journal to match a compacted state.
    ///
    /// Rewrites or deletes all given operations, or none of them. Their positions are at or before
    /// [`State::compacted_to`]. Afterwards, operations up to that position are no longer linked by digests, and are
    /// [applied](State::apply_compacted) without a check.
    ///
    /// Pass the operations that [`State::compact`] returned, and the state after that call. No commit may be in
    /// progress.
    pub fn compact(
        &self,
        state: &State,
        operations: Vec<RewrittenOperation>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        let (state, done) = (Box::new(state.clone()), Box::new(done));
        let job = Commit::Compact { state, operations, done };
        let sent = self.running.as_ref().map(|running| running.commits.send(job));
        if let Some(Err(tokio::sync::mpsc::error::SendError(Commit::Compact { done, .. }))) = sent {
            done(Err(StoreError::Closed));
        }
    }

    /// Starts a journal with the compacted part of another journal, and blocks until it is on the disk.
    ///
    /// The journal must be empty. Open the campaign again before you use the state.
    ///
    /// # Errors
    /// Returns an error if the journal contains operations, or the database cannot write.
    pub fn begin_compacted_blocking(
        &self,
        to: Position,
        operations: Vec<(Position, Arc<Operation>)>,
    ) -> Result<(), StoreError> {
        wait(|done| {
            if let Some(running) = &self.running {
                let _ = running.commits.send(Commit::Begin { to, operations, done });
            }
        })
    }

    /// Folds the journal again in the background, after all earlier commits. Afterwards the store accepts commits again
    /// if one had ended with [`StoreError::Uncertain`]. The position of the new state shows whether that commit is
    /// stored.
    ///
    /// `done` receives an error if the journal cannot be read or an acknowledged operation is missing.
    pub fn reload(&self, done: impl FnOnce(Result<Reloaded, StoreError>) + Send + 'static) {
        let sent = self.running.as_ref().map(|running| running.commits.send(Commit::Reload(Box::new(done))));
        if let Some(Err(tokio::sync::mpsc::error::SendError(Commit::Reload(done)))) = sent {
            done(Err(StoreError::Closed));
        }
    }

    fn background(&self, job: Background) {
        if let Some(running) = &self.running
            && let Err(tokio::sync::mpsc::error::SendError(job)) = running.background.send(job)
        {
            match job {
                Background::Project { done, .. }
                | Background::Clear(done)
                | Background::Snapshot { done, .. }
                | Background::Settle(done) => done(Err(StoreError::Closed)),
                Background::CatchUp { .. } | Background::Verify { .. } => {}
            }
        }
    }

    /// Writes rows to the graph tables in the background, in the order of the calls.
    ///
    /// `complete` is the watermark of the tables after these [rows](projection::rows()) are written.
    /// [`Store::projected`] returns its position from then on.
    pub fn project(
        &self,
        rows: Vec<ProjectionRow>,
        complete: impl Into<Watermark>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.project_part(rows, Some(complete.into()), Box::new(done));
    }

    fn project_part(&self, rows: Vec<ProjectionRow>, complete: Option<Watermark>, done: Done) {
        self.shared.backlog.fetch_add(rows.len(), Ordering::Relaxed);
        self.background(Background::Project { rows, complete, done });
    }

    /// Deletes the graph tables and writes them again from the state. Blocks the calling thread.
    ///
    /// `progress` receives the number of written records and the total number. Until the function returns, queries see
    /// only part of the records.
    ///
    /// # Errors
    /// Returns an error if the database cannot write.
    pub fn rebuild_projections_blocking(
        &self,
        state: &State,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<(), StoreError> {
        wait(|done| self.background(Background::Clear(Box::new(done))))?;
        let keys = projection::all_keys(state);
        let mut written = 0;
        for part in keys.chunks(2_000) {
            wait(|done| self.project_part(projection::own_rows(state, part), None, Box::new(done)))?;
            written += part.len();
            progress(written, keys.len());
        }
        wait(|done| self.project_part(Vec::new(), Some(state.position().into()), Box::new(done)))
    }

    /// Writes a snapshot of the journal up to the position of the state in the background. A snapshot makes opening
    /// faster. Does nothing for a campaign in memory.
    pub fn write_snapshot(&self, state: &State, done: impl FnOnce(Result<(), StoreError>) + Send + 'static) {
        let operations = state.journal().map(|(at, entry)| (at, Arc::clone(&entry.operation))).collect();
        let (position, compacted_to) = (state.position(), state.compacted_to());
        self.background(Background::Snapshot { position, compacted_to, operations, done: Box::new(done) });
    }

    /// Blocks until all queued work is done.
    ///
    /// # Errors
    /// Returns an error if the store stopped.
    pub fn settle_blocking(&self) -> Result<(), StoreError> {
        wait(|done| {
            if let Some(running) = &self.running {
                let _ = running.commits.send(Commit::Settle(Box::new(done)));
            }
        })?;
        wait(|done| self.background(Background::Settle(Box::new(done))))
    }

    /// Runs SurrealQL and returns the result of the last statement. Blocks the calling thread.
    ///
    /// The statements run in a transaction that is cancelled, so their writes are discarded. Use this function for
    /// tests and inspection, not in performance-critical code.
    ///
    /// # Errors
    /// Returns an error if a statement fails.
    pub fn query_blocking(&self, surrealql: &str) -> Result<serde_json::Value, StoreError> {
        let Some(running) = &self.running else { return Err(StoreError::Closed) };
        let shared = Arc::clone(&self.shared);
        let statements = surrealql.to_owned();
        let task = running.runtime.spawn(async move { shared.db.look(&statements).await });
        let value = block_on(&running.runtime, task).map_err(|crash| StoreError::Query(crash.to_string()))?;
        value.map(surrealdb::types::Value::into_json_value).map_err(|error| StoreError::Query(error.to_string()))
    }

    /// Finishes queued work, shuts the database down, and blocks until another process can open the directory. Graph
    /// tables that still catch up from an earlier session continue at the next opening.
    ///
    /// # Errors
    /// Returns an error if closing takes longer than [`StoreOptions::close_timeout`], or the database cannot shut down.
    /// Acknowledged data is safe in both cases.
    pub fn close(mut self) -> Result<(), StoreError> {
        self.finish(self.close_timeout)
    }

    fn finish(&mut self, patience: Duration) -> Result<(), StoreError> {
        let Some(Running { runtime, commits, background, tasks, owner }) = self.running.take() else { return Ok(()) };
        let (started, place) = (Instant::now(), self.shared.place.clone());
        self.shared.closing.store(true, Ordering::Relaxed);
        drop((commits, background));
        let [commit, background] = tasks;
        let tasks = async {
            let _ = commit.await;
            let _ = background.await;
        };
        let slow = || StoreError::TooSlow { place: place.clone(), action: "close", waited: patience };
        let drained = block_on(&runtime, async { tokio::time::timeout(patience, tasks).await });
        let result = match drained {
            Ok(()) => {
                let db = Arc::clone(&self.shared);
                let left = patience.saturating_sub(started.elapsed()).max(Duration::from_secs(1));
                let closed = runtime.spawn(async move { db.db.close(left).await });
                let closed = block_on(&runtime, closed).unwrap_or_else(|crash| Err(crash.to_string()));
                closed.map_err(|reason| match kv::is_full(&kv::explain(reason.clone())) {
                    true => StoreError::Full { place: place.clone(), action: "closed" },
                    false => StoreError::Database { place: place.clone(), action: "close", reason },
                })
            }
            Err(_) => Err(slow()),
        };
        if Handle::try_current().is_ok() {
            runtime.shutdown_background();
        } else {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
        drop(owner);
        result
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Err(error) = self.finish(self.close_timeout.min(Duration::from_secs(5))) {
            tracing::warn!(%error, "the campaign was dropped without closing well");
        }
    }
}

/// Calls `start` and blocks until the function passed to it is called.
pub(crate) fn wait(start: impl FnOnce(Box<dyn FnOnce(Result<(), StoreError>) + Send>)) -> Result<(), StoreError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    start(Box::new(move |result| {
        let _ = sender.send(result);
    }));
    receiver.recv().unwrap_or(Err(StoreError::Closed))
}
