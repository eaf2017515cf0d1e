//! The two tasks of a store: one commits, and the other does background work.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
};

use hearsay_model::{Key, Operation, Position, State};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{
    RewrittenOperation, StoreError, check,
    compact::Compacted,
    graph, journal,
    mark::Acknowledged,
    open::{self, JournalEnd},
    projection::{self, ProjectionRow, Watermark},
    snapshot::{self, Placed},
    store::Shared,
    transient::{self, Batch, TransientUpdates, Transients},
};

/// Callback that receives the result of queued work.
pub(crate) type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Number of keys whose rows are created at a time.
const KEYS: usize = 2_000;

/// Work of the committing task.
pub(crate) enum Commit {
    Operations {
        first: Position,
        operations: Vec<Arc<Operation>>,
        transients: TransientUpdates,
        done: Done,
    },
    /// Compacts the journal as far as the state is compacted, and rewrites operations up to that position.
    Compact {
        state: Box<State>,
        operations: Vec<RewrittenOperation>,
        done: Done,
    },
    /// Writes the compacted part of a journal without operations.
    Begin {
        to: Position,
        operations: Vec<(Position, Arc<Operation>)>,
        done: Done,
    },
    /// Reads the journal again.
    Reload(Box<dyn FnOnce(Result<Reloaded, StoreError>) + Send>),
    /// Reports that all earlier work is done.
    Settle(Done),
}

/// The result of [`Store::reload`](crate::Store::reload), which reads the journal again.
#[derive(Debug)]
pub struct Reloaded {
    /// State that the journal folds to.
    pub state: State,
    /// Keys of the outdated records in the graph tables, or `None` to rebuild all tables.
    pub behind: Option<Vec<Key>>,
    /// Number of the newest batch of transient values in the state.
    pub transient_batch: u64,
}

/// Work of the background task.
pub(crate) enum Background {
    Project {
        rows: Vec<ProjectionRow>,
        complete: Option<Watermark>,
        done: Done,
    },
    CatchUp {
        state: Box<State>,
        keys: Option<Vec<Key>>,
        complete: Watermark,
    },
    /// Compares the graph tables with the state at opening, and repairs them.
    Verify {
        state: Box<State>,
    },
    Clear(Done),
    Snapshot {
        position: Position,
        compacted_to: Position,
        operations: Vec<Placed>,
        done: Done,
    },
    Settle(Done),
}

/// Calls a callback. A panic in the callback does not end the task.
fn tell<T>(done: impl FnOnce(Result<T, StoreError>), result: Result<T, StoreError>) {
    if catch_unwind(AssertUnwindSafe(|| done(result))).is_err() {
        tracing::error!("a function that was to hear of a commit panicked");
    }
}

/// Commits in the order of the queue, until the queue is closed and empty.
pub(crate) async fn commit(
    shared: Arc<Shared>,
    mut queue: UnboundedReceiver<Commit>,
    mut last: Acknowledged,
    mut compacted: Compacted,
    mut transients: Transients,
) {
    // Set after a failed commit whose operations may or may not be stored.
    let mut uncertain = None::<String>;
    while let Some(job) = queue.recv().await {
        let (first, operations, updates, done) = match job {
            Commit::Operations { first, operations, transients, done } => (first, operations, transients, done),
            Commit::Settle(done) => {
                tell(done, Ok(()));
                continue;
            }
            Commit::Compact { state, operations, done } => {
                let result = match &uncertain {
                    Some(reason) => {
                        let (place, first) = (shared.place.clone(), state.compacted_to());
                        Err(StoreError::Uncertain { place, first, reason: reason.clone() })
                    }
                    None => compact(&shared, &state, &operations, last, &mut compacted, &mut transients).await,
                };
                tell(done, result);
                continue;
            }
            Commit::Begin { to, operations, done } => {
                let result = match last.position {
                    Position(0) => Compacted::write(&shared.db, &shared.place, to, &operations).await,
                    given => Err(StoreError::OutOfOrder { expected: Position(0), given }),
                };
                let result = result.map(|now| {
                    (compacted, last) = (now, now.to);
                    if let Some(mark) = &shared.mark {
                        mark.write(last);
                    }
                    shared.committed.store(last.position.0, Ordering::Release);
                });
                tell(done, result);
                continue;
            }
            Commit::Reload(done) => {
                let reloaded = reload(&shared, last).await.map(|(reloaded, journal)| {
                    let JournalEnd { last: now, compacted: found, transients: read } = journal;
                    (transients, compacted) = (read, found);
                    uncertain = None;
                    last = now;
                    if let Some(mark) = &shared.mark {
                        mark.write(now);
                    }
                    shared.committed.store(now.position.0, Ordering::Release);
                    reloaded
                });
                tell(done, reloaded);
                continue;
            }
        };
        let writes = (operations, updates);
        let result = commit_one(&shared, first, writes, last, &mut transients, uncertain.as_deref()).await;
        let result = match result {
            Ok(now) => {
                last = now;
                if let Some(mark) = &shared.mark {
                    mark.write(now);
                }
                shared.committed.store(now.position.0, Ordering::Release);
                Ok(())
            }
            Err(error) => {
                if let StoreError::Uncertain { reason, .. } = &error {
                    uncertain = Some(reason.clone());
                }
                Err(error)
            }
        };
        tell(done, result);
    }
}

/// Compacts the journal as far as the state is compacted. First clears the stored transient values that the state does
/// not have, because compaction may remove the operations that replaced them.
async fn compact(
    shared: &Shared,
    state: &State,
    operations: &[RewrittenOperation],
    last: Acknowledged,
    compacted: &mut Compacted,
    transients: &mut Transients,
) -> Result<(), StoreError> {
    let (db, place) = (&shared.db, &shared.place);
    transients.clear_stale(db, state).await.map_err(|reason| StoreError::NotSaved {
        place: place.clone(),
        first: state.compacted_to(),
        reason,
    })?;
    *compacted = compacted.advance(db, place, state.compacted_to().min(last.position), operations).await?;
    Ok(())
}

/// Folds the journal again. Fails if an acknowledged operation is missing.
async fn reload(shared: &Arc<Shared>, last: Acknowledged) -> Result<(Reloaded, JournalEnd), StoreError> {
    #[cfg(feature = "testing")]
    if shared.faults.refuses_reload() {
        return Err(StoreError::Injected(last.position));
    }
    // A separate task turns a panic inside the database into an error.
    let task = {
        let shared = Arc::clone(shared);
        async move { open::fold_again(&shared.db, &shared.place, shared.directory.as_deref(), last).await }
    };
    let crashed =
        |crash| StoreError::damaged(&shared.place, format!("the database stopped while it was read: {crash}"));
    tokio::spawn(task).await.unwrap_or_else(|crash| Err(crashed(crash)))
}

async fn commit_one(
    shared: &Arc<Shared>,
    first: Position,
    (operations, updates): (Vec<Arc<Operation>>, TransientUpdates),
    last: Acknowledged,
    transients: &mut Transients,
    uncertain: Option<&str>,
) -> Result<Acknowledged, StoreError> {
    let in_doubt = |reason: String| StoreError::Uncertain { place: shared.place.clone(), first, reason };
    if let Some(reason) = uncertain {
        return Err(in_doubt(reason.to_owned()));
    }
    if let Some(reason) = shared.db.health().failure() {
        return Err(StoreError::Stopped { place: shared.place.clone(), reason: reason.to_owned() });
    }
    if first != last.position.next() {
        return Err(StoreError::OutOfOrder { expected: last.position.next(), given: first });
    }
    if operations.is_empty() && updates.is_empty() {
        return Ok(last);
    }
    #[cfg(feature = "testing")]
    {
        shared.faults.wait_while_held().await;
        shared.faults.check(first)?;
        if let Some(written) = shared.faults.take_doubt() {
            if written {
                write(shared, first, operations, updates, last, transients).await?;
            }
            return Err(in_doubt("a test asked for it".into()));
        }
    }
    // A separate task turns a panic inside the database into an error.
    let task = {
        let (shared, mut transients) = (Arc::clone(shared), std::mem::take(transients));
        async move {
            let result = write(&shared, first, operations, updates, last, &mut transients).await;
            (result, transients)
        }
    };
    match tokio::spawn(task).await {
        Ok((result, now)) => {
            *transients = now;
            result
        }
        Err(crash) => Err(in_doubt(crash.to_string())),
    }
}

/// Writes operations and transient values.
async fn write(
    shared: &Shared,
    first: Position,
    operations: Vec<Arc<Operation>>,
    updates: TransientUpdates,
    last: Acknowledged,
    transients: &mut Transients,
) -> Result<Acknowledged, StoreError> {
    let (db, place) = (&shared.db, &shared.place);
    let not_saved = |reason: String| StoreError::NotSaved { place: place.clone(), first, reason };
    let batch = Batch::encode(updates).map_err(|error| not_saved(error.to_string()))?;
    let now = match (operations.is_empty(), transients.row(&batch)) {
        (true, Some(row)) => {
            transient::insert(db, row).await.map_err(|error| not_saved(error.to_string()))?;
            last
        }
        (_, row) => journal::commit(db, place, last, &operations, row).await?,
    };
    transients.note(batch);
    if let Err(error) = transients.compact_if_wasteful(db).await {
        tracing::warn!(%error, "the transient values take more room than they need");
    }
    Ok(now)
}

/// Does background work in the order of the queue.
pub(crate) async fn background(shared: Arc<Shared>, mut queue: UnboundedReceiver<Background>) {
    // After a failed write, the tables are incomplete and must not claim a later position.
    let mut incomplete = None::<String>;
    while let Some(job) = queue.recv().await {
        let shared = Arc::clone(&shared);
        let behind = incomplete.clone();
        // A separate task turns a panic inside the database into an error.
        let finished = tokio::spawn(async move { background_one(&shared, job, behind).await }).await;
        match finished {
            Ok(Progress::Kept) => {}
            Ok(Progress::Complete) => incomplete = None,
            Ok(Progress::Incomplete(reason)) => incomplete = Some(reason),
            Err(crash) => {
                tracing::error!(%crash, "background work of the store stopped");
                incomplete = Some(crash.to_string());
            }
        }
    }
}

/// Effect of a job on the graph tables.
enum Progress {
    Kept,
    Complete,
    Incomplete(String),
}

async fn background_one(shared: &Shared, job: Background, incomplete: Option<String>) -> Progress {
    let (db, place) = (&shared.db, &shared.place);
    let failed = |action: &'static str| {
        move |error: surrealdb::Error| StoreError::Database { place: place.clone(), action, reason: error.to_string() }
    };
    match job {
        Background::Project { rows, complete, done } => {
            let (progress, result) = project(shared, rows, complete, incomplete).await;
            tell(done, result);
            return progress;
        }
        Background::CatchUp { state, keys, complete } => {
            let anew = keys.is_none();
            let keys = keys.unwrap_or_else(|| projection::all_keys(&state));
            tracing::info!(place, records = keys.len(), anew, "the graph tables catch up with the journal");
            if anew && let Err(error) = graph::clear(db).await {
                return Progress::Incomplete(error.to_string());
            }
            let mut chunks = keys.chunks(KEYS).peekable();
            while let Some(keys) = chunks.next() {
                if shared.closing.load(Ordering::Relaxed) {
                    return Progress::Incomplete("the campaign was closed before they caught up".into());
                }
                let rows = if anew { projection::own_rows(&state, keys) } else { projection::rows(&state, keys) };
                let complete = chunks.peek().is_none().then_some(complete);
                shared.backlog.fetch_add(rows.len(), Ordering::Relaxed);
                let (progress, _) = project(shared, rows, complete, None).await;
                if let Progress::Incomplete(_) = progress {
                    return progress;
                }
            }
            if keys.is_empty() {
                return project(shared, Vec::new(), Some(complete), None).await.0;
            }
        }
        Background::Verify { state } => {
            // The next opening rebuilds incomplete tables.
            if incomplete.is_none()
                && let Err(error) = verify(shared, &state).await
            {
                return Progress::Incomplete(error.to_string());
            }
        }
        Background::Clear(done) => {
            let result = graph::clear(db).await;
            shared.projected.store(0, Ordering::Release);
            tell(done, result.map_err(failed("clear the graph tables")));
            return Progress::Complete;
        }
        Background::Snapshot { position, compacted_to, operations, done } => {
            tell(done, write_snapshot(shared, position, compacted_to, operations).await);
        }
        Background::Settle(done) => tell(done, Ok(())),
    }
    Progress::Kept
}

/// Compares the graph tables with a state and rewrites the records that differ.
async fn verify(shared: &Shared, state: &State) -> Result<(), surrealdb::Error> {
    let Some(found) = check::graph(&shared.db, state, &shared.closing).await? else { return Ok(()) };
    if !found.is_empty() {
        let count = found.len();
        let rows = found.into_iter().map(|(_, row)| row).collect();
        graph::write(&shared.db, rows, None).await?;
        shared.repaired.store(count, Ordering::Relaxed);
        tracing::warn!(place = shared.place, records = count, "records of the graph tables were lost and are repaired");
    }
    graph::set_verified(&shared.db).await
}

async fn project(
    shared: &Shared,
    rows: Vec<ProjectionRow>,
    complete: Option<Watermark>,
    incomplete: Option<String>,
) -> (Progress, Result<(), StoreError>) {
    let behind = |reason: &str| Err(StoreError::Projection { place: shared.place.clone(), reason: reason.into() });
    let count = rows.len();
    // Later rows are written even after a failure: they are correct, although the tables are incomplete.
    let claimed = complete.filter(|_| incomplete.is_none());
    let written = graph::write(&shared.db, rows, claimed).await;
    shared.backlog.fetch_sub(count, Ordering::Relaxed);
    match (written, incomplete) {
        (Err(error), _) => {
            let reason = error.to_string();
            tracing::warn!(reason, "the graph tables are behind the journal");
            let result = behind(&reason);
            (Progress::Incomplete(reason), result)
        }
        (Ok(()), Some(reason)) => {
            let result = behind(&reason);
            (Progress::Kept, result)
        }
        (Ok(()), None) => {
            if let Some(complete) = complete {
                shared.projected.store(complete.position.0, Ordering::Release);
            }
            (Progress::Kept, Ok(()))
        }
    }
}

async fn write_snapshot(
    shared: &Shared,
    position: Position,
    compacted_to: Position,
    operations: Vec<Placed>,
) -> Result<(), StoreError> {
    let Some(directory) = shared.directory.clone().filter(|_| position > Position(0)) else { return Ok(()) };
    let failed = |reason: String| StoreError::Database {
        place: shared.place.clone(),
        action: "find the operation that the snapshot ends with",
        reason,
    };
    let compacted = Compacted::load(&shared.db, &shared.place).await?;
    let entry = match compacted.to.position == position {
        true => Some(compacted.to.digest),
        false => journal::entry(&shared.db, position).await.map_err(|error| failed(error.to_string()))?,
    };
    let digest = entry.ok_or_else(|| failed(format!("operation {position} is not in the journal")))?;
    let at = Acknowledged { position, digest };
    let write = move || snapshot::write(&directory, at, compacted_to, &operations);
    let written = tokio::task::spawn_blocking(write).await;
    written.unwrap_or_else(|crash| Err(failed(crash.to_string())))
}
