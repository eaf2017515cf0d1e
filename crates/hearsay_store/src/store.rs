//! The store: what callers hold.

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
    GraphDifference, Location, Opened, RewrittenOperation, Row, StoreError, StoreOptions, check,
    db::Db,
    kv,
    mark::Mark,
    open::{self, Files, JournalEnd, Ready},
    owner::Owner,
    projection::{self, Watermark},
    transient::TransientUpdates,
    worker::{self, Background, Commit, Done, Reloaded},
};

/// What the tasks and the store share.
pub(crate) struct Shared {
    pub(crate) db: Db,
    pub(crate) place: String,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) mark: Option<Mark>,
    pub(crate) committed: AtomicU64,
    pub(crate) projected: AtomicU64,
    /// Rows that wait to be written.
    pub(crate) backlog: AtomicUsize,
    /// Records of the graph tables that were repaired.
    pub(crate) repaired: AtomicUsize,
    /// Set when the store closes: catching up waits for the next opening.
    pub(crate) closing: AtomicBool,
    #[cfg(feature = "testing")]
    pub(crate) faults: crate::testing::Faults,
}

/// What must be taken apart at the end.
struct Running {
    runtime: Runtime,
    commits: UnboundedSender<Commit>,
    background: UnboundedSender<Background>,
    tasks: [JoinHandle<()>; 2],
    owner: Option<Owner>,
}

/// A campaign's journal and graph, open. See the [crate] documentation.
///
/// Everything but opening, closing and the functions named `…_blocking` returns at once; functions that are given as
/// `done` are called from a thread of the store, must be short, and must not call a blocking function of the store.
pub struct Store {
    shared: Arc<Shared>,
    running: Option<Running>,
    close_timeout: Duration,
}

/// How the storage beneath an open store fares.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StorageHealth {
    /// Why nothing is written any more until the campaign is opened again; nothing, while all is well.
    pub failure: Option<String>,
    /// Whether opening had to replay a log, because the program before did not close the campaign.
    pub replayed_log: bool,
    /// Records of the graph tables that differed from the state after such an opening, and were written again.
    pub repaired_records: usize,
    /// How many times writes were repeated, because the log rotated during a commit.
    pub log_rewrites: u64,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("place", &self.shared.place).field("position", &self.position()).finish()
    }
}

/// Waits for a future, on a thread of its own where this one belongs to a runtime and may not wait.
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
    /// Opens a campaign, and makes it when it is not there. Waits; takes about a second for a large campaign with a
    /// snapshot, several without one.
    ///
    /// # Errors
    /// When another process has the directory open, the directory cannot be written to, a newer version of Hearsay
    /// wrote the database, or the database is damaged. Nothing that was acknowledged is ever silently missing.
    pub fn open(location: impl Into<Location>, options: StoreOptions) -> Result<Opened, StoreError> {
        open::open(location.into(), &options)
    }

    /// The position of the newest operation that is durable.
    pub fn position(&self) -> Position {
        Position(self.shared.committed.load(Ordering::Acquire))
    }

    /// The position up to which the graph tables show the journal.
    pub fn projected(&self) -> Position {
        Position(self.shared.projected.load(Ordering::Acquire))
    }

    /// How many rows wait to be written to the graph tables. A caller that imports much waits while this is large.
    pub fn backlog(&self) -> usize {
        self.shared.backlog.load(Ordering::Relaxed)
    }

    /// How the storage fares.
    pub fn health(&self) -> StorageHealth {
        let health = self.shared.db.health();
        StorageHealth {
            failure: health.failure().map(str::to_owned),
            replayed_log: health.recovered(),
            repaired_records: self.shared.repaired.load(Ordering::Relaxed),
            log_rewrites: health.rewrites(),
        }
    }

    /// Compares the graph tables with a state, record by record. The state must be at [`Store::projected`]: settle
    /// first, and write nothing meanwhile. Waits.
    ///
    /// # Errors
    /// When the tables cannot be read.
    pub fn graph_differences_blocking(&self, state: &State) -> Result<Vec<GraphDifference>, StoreError> {
        let Some(running) = &self.running else { return Err(StoreError::Closed) };
        let (shared, state) = (Arc::clone(&self.shared), state.clone());
        let task = running.runtime.spawn(async move { check::graph(&shared.db, &state, &shared.closing).await });
        let found = block_on(&running.runtime, task).map_err(|crash| StoreError::Query(crash.to_string()))?;
        let found = found.map_err(|error| StoreError::Query(error.to_string()))?;
        Ok(found.ok_or(StoreError::Closed)?.into_iter().map(|(difference, _)| difference).collect())
    }

    /// The campaign's directory; nothing, when it is in memory.
    pub fn directory(&self) -> Option<&std::path::Path> {
        self.shared.directory.as_deref()
    }

    /// Commits operations at the positions from `first` on: all of them or none, in one transaction, after all
    /// commits before. `done` hears of it once they are on the disk.
    ///
    /// Operations are not checked: check them with [`State::check`], and apply them once `done` was called. Small
    /// operations share the cost of one commit; a few dozen at a time make good use of it. A failed commit leaves
    /// [`Store::position`] as it was, and those queued behind it fail as [`StoreError::OutOfOrder`].
    pub fn commit(
        &self,
        first: Position,
        operations: Vec<Arc<Operation>>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.commit_with_transients(first, operations, Vec::new(), done);
    }

    /// Commits operations together with transient values, each update with the position of the newest operation when it
    /// is set. There may be no operation. All of it is one transaction: keep updates below a few thousand values.
    ///
    /// As [`Store::commit`]; apply the updates with [`State::set_transients`] once `done` was called.
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
            // A store without its tasks is being dropped, and nobody can call it.
            _ => {}
        }
    }

    /// Commits operations, and waits until they are on the disk.
    ///
    /// # Errors
    /// As [`Store::commit`].
    pub fn commit_blocking(&self, first: Position, operations: Vec<Arc<Operation>>) -> Result<(), StoreError> {
        wait(|done| self.commit(first, operations, done))
    }

    /// Compacts the journal as a state is compacted: the operations given, all of them up to
    /// [`State::compacted_to`], are rewritten or deleted, all or none. Afterwards operations up to there are no longer
    /// bound to each other, and are [folded](State::apply_compacted) without being checked.
    ///
    /// Give what [`State::compact`] returned, and the state after it, while no commit is under way.
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

    /// Begins a journal with the compacted part of another one, and waits until it is on the disk. There must be no
    /// operation yet. The state must be opened again before it is used.
    ///
    /// # Errors
    /// When there are operations already, or the database cannot write.
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

    /// Folds the journal anew in the background, after all commits before, and takes commits again after one that ended
    /// with [`StoreError::Uncertain`]. Whether that commit is there, the position of the state tells.
    ///
    /// `done` gets an error when the journal cannot be read, or an operation that was acknowledged is missing.
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

    /// Writes rows to the graph tables in the background, in the order of calls. `complete` is what the tables show
    /// once these [rows](projection::rows()) are written; [`Store::projected`] says so then.
    pub fn project(
        &self,
        rows: Vec<Row>,
        complete: impl Into<Watermark>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.project_part(rows, Some(complete.into()), Box::new(done));
    }

    fn project_part(&self, rows: Vec<Row>, complete: Option<Watermark>, done: Done) {
        self.shared.backlog.fetch_add(rows.len(), Ordering::Relaxed);
        self.background(Background::Project { rows, complete, done });
    }

    /// Deletes the graph tables and writes them from the state. Waits; `progress` hears how many of how many records
    /// are written. Until it is through, queries see some of them.
    ///
    /// # Errors
    /// When the database cannot write.
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

    /// Writes a snapshot of the journal up to the state's position in the background, so that opening is quick. In
    /// memory there is nothing to write.
    pub fn write_snapshot(&self, state: &State, done: impl FnOnce(Result<(), StoreError>) + Send + 'static) {
        let operations = state.journal().map(|(at, entry)| (at, Arc::clone(&entry.operation))).collect();
        let (position, compacted_to) = (state.position(), state.compacted_to());
        self.background(Background::Snapshot { position, compacted_to, operations, done: Box::new(done) });
    }

    /// Waits until everything that was queued is done.
    ///
    /// # Errors
    /// When the store stopped.
    pub fn settle_blocking(&self) -> Result<(), StoreError> {
        wait(|done| {
            if let Some(running) = &self.running {
                let _ = running.commits.send(Commit::Settle(Box::new(done)));
            }
        })?;
        wait(|done| self.background(Background::Settle(Box::new(done))))
    }

    /// Runs SurrealQL and waits for the result of the last statement. It runs in a transaction that is cancelled, so
    /// nothing that it writes stays. For tests and for looking around, not for hot paths.
    ///
    /// # Errors
    /// When a statement fails.
    pub fn query_blocking(&self, surrealql: &str) -> Result<serde_json::Value, StoreError> {
        let Some(running) = &self.running else { return Err(StoreError::Closed) };
        let shared = Arc::clone(&self.shared);
        let statements = surrealql.to_owned();
        let task = running.runtime.spawn(async move { shared.db.look(&statements).await });
        let value = block_on(&running.runtime, task).map_err(|crash| StoreError::Query(crash.to_string()))?;
        value.map(surrealdb::types::Value::into_json_value).map_err(|error| StoreError::Query(error.to_string()))
    }

    /// Does what is queued, shuts the database down, and waits until another process could open the directory. Graph
    /// tables that were still catching up from before go on at the next opening.
    ///
    /// # Errors
    /// When that takes longer than [`StoreOptions::close_timeout`], or the database cannot shut down. What was
    /// acknowledged is safe all the same.
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

/// Starts something, and waits until it is done.
pub(crate) fn wait(start: impl FnOnce(Box<dyn FnOnce(Result<(), StoreError>) + Send>)) -> Result<(), StoreError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    start(Box::new(move |result| {
        let _ = sender.send(result);
    }));
    receiver.recv().unwrap_or(Err(StoreError::Closed))
}
