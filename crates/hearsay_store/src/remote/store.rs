//! The handle of an open campaign in a server.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use hearsay_model::{Operation, Position, State, TransientUpdate};
use tokio::{
    runtime::Runtime,
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    task::JoinHandle,
};

use super::{
    database::DatabaseJournal,
    event::{Events, RemoteConnection, RemoteEvent},
    follower::Follower,
    journal::{Changes, End},
    lease::{LeaseTask, TableJob},
    task::{AppendRequest, FollowTask, Wake, wake_on_notifications},
};
use crate::{
    Endpoint, OpenReport, StoreError, StoreOptions,
    engine::{
        Db, block_on,
        remote::{Remote, find_problem, is_connection_lost},
        schema, start_runtime,
    },
    projection::{ProjectionRow, Watermark},
    store::{DoneCallback, JournalEnd, replay_shared},
};

/// An open campaign in a server, with its state.
#[derive(Debug)]
pub struct RemoteOpened {
    /// The open campaign.
    pub store: RemoteStore,
    /// State after the newest operation that was read.
    pub state: State,
    /// Report on how the campaign was opened.
    pub report: OpenReport,
}

/// The tasks of a store, which start with [`RemoteStore::listen`].
struct Parts {
    follower: Follower<DatabaseJournal>,
    requests: UnboundedReceiver<AppendRequest>,
    jobs: UnboundedReceiver<TableJob>,
}

/// An open campaign in a SurrealDB server, which several programs use at the same time. See [`RemoteStore::listen`].
///
/// No function except [`RemoteStore::open`] and [`RemoteStore::close`] blocks the calling thread.
pub struct RemoteStore {
    place: String,
    db: Arc<Db>,
    requests: UnboundedSender<AppendRequest>,
    jobs: UnboundedSender<TableJob>,
    backlog: Arc<AtomicUsize>,
    connection: Arc<Mutex<RemoteConnection>>,
    runtime: Option<Runtime>,
    /// Until [`RemoteStore::listen`] is called.
    parts: Option<Parts>,
    tasks: Vec<JoinHandle<()>>,
}

impl fmt::Debug for RemoteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteStore").field("place", &self.place).finish_non_exhaustive()
    }
}

impl RemoteStore {
    /// Connects to a server, creates the schema if it is missing, and replays the journal. Blocks the calling thread.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached, refuses the login, or contains a campaign that this version
    /// cannot read.
    pub fn open(endpoint: &Endpoint, options: &StoreOptions) -> Result<RemoteOpened, StoreError> {
        let started = Instant::now();
        let place = endpoint.to_string();
        let runtime = start_runtime(&place, options.threads)?;
        let settings = options.database_settings();
        let db = Arc::new(Db::remote(endpoint.clone(), &settings));
        let replayed = {
            let (db, place, progress) = (Arc::clone(&db), place.clone(), options.progress.clone());
            let url = endpoint.url.clone();
            async move {
                if let Err(error) = db.value("RETURN 1", crate::engine::values::object([])).await {
                    return Err(login_error(&db, &place, &url, &error).await);
                }
                let schema = schema::migrate_shared(&db, &place).await?;
                let (state, end) = replay_shared(&db, &place, progress).await?;
                Ok::<_, StoreError>((schema, state, end))
            }
        };
        let timeout = options.open_timeout;
        let opened = block_on(&runtime, async move { tokio::time::timeout(timeout, tokio::spawn(replayed)).await });
        let (schema, state, JournalEnd { last, compacted, transients }) = match opened {
            Ok(Ok(opened)) => opened?,
            Ok(Err(crash)) => {
                return Err(StoreError::damaged(&place, format!("opening the campaign crashed: {crash}")));
            }
            Err(_) => return Err(StoreError::Timeout { place, action: "open", timeout }),
        };
        let report = OpenReport {
            position: last.position,
            snapshot: None,
            snapshot_ignored: None,
            replayed_operations: last.position.0 - compacted.to.position.0,
            swept_chunks: 0,
            catching_up: 0,
            transient_batch: transients.batch(),
            verifying: false,
            schema,
            took: started.elapsed(),
        };
        let end = End { last, next_row: transients.next_row(), batch: transients.batch() };
        let journal = DatabaseJournal::new(Arc::clone(&db), place.clone(), compacted, transients);
        let ((requests, request_queue), (jobs, job_queue)) = (unbounded_channel(), unbounded_channel());
        let follower = Follower::new(journal, end);
        let store = Self {
            place,
            db,
            requests,
            jobs,
            backlog: Arc::default(),
            connection: Arc::new(Mutex::new(RemoteConnection {
                connected: true,
                since: Instant::now(),
                reason: None,
                refused: false,
            })),
            runtime: Some(runtime),
            parts: Some(Parts { follower, requests: request_queue, jobs: job_queue }),
            tasks: Vec::new(),
        };
        Ok(RemoteOpened { store, state, report })
    }

    /// Starts to follow the journal. Threads of the store call `deliver` with each event. Changes arrive in the order of
    /// the journal, beginning with the first change after the state that [`RemoteStore::open`] returned.
    ///
    /// `deliver` must be short and must not call a function of the store. A second call has no effect.
    pub fn listen(&mut self, deliver: impl FnMut(RemoteEvent) + Send + 'static) {
        let (Some(Parts { follower, requests, jobs }), Some(runtime)) = (self.parts.take(), &self.runtime) else {
            return;
        };
        let events = Events::new(Box::new(deliver));
        let (wake, has_lease) = (Arc::<Wake>::default(), Arc::<AtomicBool>::default());
        let follow = FollowTask {
            db: Arc::clone(&self.db),
            follower,
            events: events.clone(),
            connection: Arc::clone(&self.connection),
            has_lease: Arc::clone(&has_lease),
            wake: Arc::clone(&wake),
        };
        let lease = LeaseTask {
            db: Arc::clone(&self.db),
            place: self.place.clone(),
            events,
            is_held: has_lease,
            backlog: Arc::clone(&self.backlog),
        };
        self.tasks = vec![runtime.spawn(follow.run(requests)), runtime.spawn(lease.run(jobs))];
        // These tasks end with the runtime.
        let db = Arc::clone(&self.db);
        runtime.spawn(async move {
            if let Some(remote) = db.as_remote() {
                remote.watch().await;
            }
        });
        runtime.spawn(wake_on_notifications(Arc::clone(&self.db), wake));
    }

    /// Appends an operation, transient values, or both. The operation must get the position `first`, which is the
    /// position after the last operation that the caller has applied.
    ///
    /// The answer is [`RemoteEvent::Appended`]. Until then, do not append anything else. If the connection is lost, the
    /// answer arrives after the connection works again: the store then finds out whether the changes were stored, and
    /// appends them again if they were not. Nothing is stored twice.
    pub fn append(&self, first: Position, operation: Option<Arc<Operation>>, transients: TransientUpdate) {
        let changes = Changes { operation, transients };
        // The queue is closed only after `RemoteEvent::Lost`.
        let _ = self.requests.send(AppendRequest { first, changes });
    }

    /// Writes rows to the graph tables in the background, in the order of the calls. `watermark` states up to which
    /// operation the tables are complete after this write. Call this function only while
    /// [this program may](RemoteEvent::MayProject) write the tables. Calls `done` with the result.
    pub fn project(
        &self,
        rows: Vec<ProjectionRow>,
        watermark: impl Into<Watermark>,
        done: impl FnOnce(Result<(), StoreError>) + Send + 'static,
    ) {
        self.backlog.fetch_add(rows.len(), Ordering::Relaxed);
        self.send_job(TableJob::Write { rows, watermark: watermark.into(), done: Box::new(done) });
    }

    /// Deletes all rows of the graph tables in the background. See [`RemoteStore::project`].
    pub fn clear_tables(&self, done: impl FnOnce(Result<(), StoreError>) + Send + 'static) {
        self.send_job(TableJob::Clear(Box::new(done)));
    }

    fn send_job(&self, job: TableJob) {
        if let Err(error) = self.jobs.send(job) {
            let done: DoneCallback = match error.0 {
                TableJob::Write { done, .. } | TableJob::Clear(done) => done,
            };
            done(Err(StoreError::Closed));
        }
    }

    /// Returns the number of rows that wait to be written to the graph tables.
    pub fn backlog(&self) -> usize {
        self.backlog.load(Ordering::Relaxed)
    }

    /// Returns the state of the connection.
    pub fn connection(&self) -> RemoteConnection {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the connection. Waits at most for the given time for a running append and for rows of the graph tables.
    pub fn close(mut self, timeout: Duration) {
        self.shut_down(timeout);
    }

    fn shut_down(&mut self, timeout: Duration) {
        let Some(runtime) = self.runtime.take() else { return };
        // Closes the queues, which ends the tasks.
        (self.requests, self.jobs) = (unbounded_channel().0, unbounded_channel().0);
        let tasks = std::mem::take(&mut self.tasks);
        let db = Arc::clone(&self.db);
        let ended = block_on(&runtime, async move {
            let ended = async {
                for task in tasks {
                    let _ = task.await;
                }
                let _ = db.close(Duration::from_secs(1)).await;
            };
            tokio::time::timeout(timeout, ended).await
        });
        if ended.is_err() {
            tracing::warn!(place = self.place, "the connection to the server was ended before all work was done");
        }
        runtime.shutdown_background();
    }
}

impl Drop for RemoteStore {
    fn drop(&mut self) {
        self.shut_down(Duration::from_millis(500));
    }
}

/// Returns the error for a failed first statement.
async fn login_error(db: &Db, place: &str, url: &str, error: &surrealdb::Error) -> StoreError {
    let endpoint = place.to_owned();
    if let Some(reason) = db.as_remote().and_then(Remote::refusal) {
        return StoreError::LoginRefused { endpoint, reason };
    }
    let reason = error.to_string();
    if !is_connection_lost(error) {
        return StoreError::LoginRefused { endpoint, reason };
    }
    let reason = find_problem(url)
        .await
        .unwrap_or_else(|| format!("{reason}; check the address and the port, and whether the server runs"));
    StoreError::ServerUnreachable { endpoint, reason }
}
