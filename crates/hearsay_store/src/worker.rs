//! The two tasks of a store: one commits, one does what can wait.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
};

use hearsay_model::{Key, Operation, Position, State};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::{
    StoreError, Vector, check, graph, journal,
    mark::Acknowledged,
    projection::{self, Row},
    snapshot,
    store::Shared,
    vectors,
};

/// Called with the outcome of something that was queued.
pub(crate) type Done = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Keys whose rows are made at a time.
const KEYS: usize = 2_000;

/// Work of the committing task.
pub(crate) enum Commit {
    Operations {
        first: Position,
        operations: Vec<Arc<Operation>>,
        done: Done,
    },
    /// Says when everything before it is done.
    Settle(Done),
}

/// Takes the vectors of a page; says whether it wants more.
pub(crate) type Page = Box<dyn FnMut(Vec<Vector>) -> bool + Send>;

/// Work that can wait.
pub(crate) enum Background {
    Project {
        rows: Vec<Row>,
        position: Option<Position>,
        done: Done,
    },
    CatchUp {
        state: Box<State>,
        keys: Option<Vec<Key>>,
    },
    /// Compares the graph tables with the state at opening, and repairs them.
    Verify {
        state: Box<State>,
    },
    Clear(Done),
    PutVectors {
        model: String,
        vectors: Vec<Vector>,
        done: Done,
    },
    LoadVectors {
        model: String,
        page: Page,
        done: Done,
    },
    ClearVectors {
        except: Option<String>,
        done: Done,
    },
    Snapshot {
        position: Position,
        operations: Vec<Arc<Operation>>,
        done: Done,
    },
    Settle(Done),
}

/// A panic in a caller's function must not end the task.
fn tell(done: Done, result: Result<(), StoreError>) {
    if catch_unwind(AssertUnwindSafe(|| done(result))).is_err() {
        tracing::error!("a function that was to hear of a commit panicked");
    }
}

/// Commits in the order of the queue, until the queue is closed and empty.
pub(crate) async fn commit(shared: Arc<Shared>, mut queue: UnboundedReceiver<Commit>, mut last: Acknowledged) {
    // Set once a commit failed in a way that leaves open whether it is there.
    let mut uncertain = None::<String>;
    while let Some(job) = queue.recv().await {
        let (first, operations, done) = match job {
            Commit::Operations { first, operations, done } => (first, operations, done),
            Commit::Settle(done) => {
                tell(done, Ok(()));
                continue;
            }
        };
        let result = commit_one(&shared, first, operations, last, uncertain.as_deref()).await;
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

async fn commit_one(
    shared: &Arc<Shared>,
    first: Position,
    operations: Vec<Arc<Operation>>,
    last: Acknowledged,
    uncertain: Option<&str>,
) -> Result<Acknowledged, StoreError> {
    let in_doubt = |reason: String| StoreError::Uncertain { place: shared.place.clone(), first, reason };
    if let Some(reason) = uncertain {
        return Err(in_doubt(reason.to_owned()));
    }
    if first != last.position.next() {
        return Err(StoreError::OutOfOrder { expected: last.position.next(), given: first });
    }
    if operations.is_empty() {
        return Ok(last);
    }
    #[cfg(feature = "testing")]
    shared.faults.check(first)?;
    // In a task of its own, so that a panic within the database becomes an error.
    let task = {
        let shared = Arc::clone(shared);
        async move { journal::commit(&shared.db, &shared.place, last, &operations).await }
    };
    tokio::spawn(task).await.unwrap_or_else(|crash| Err(in_doubt(crash.to_string())))
}

/// Does the rest, in the order of the queue.
pub(crate) async fn background(shared: Arc<Shared>, mut queue: UnboundedReceiver<Background>) {
    // Once rows could not be written, the tables are incomplete, and must not claim a later position.
    let mut incomplete = None::<String>;
    while let Some(job) = queue.recv().await {
        let shared = Arc::clone(&shared);
        let behind = incomplete.clone();
        // In a task of its own, so that a panic within the database becomes an error.
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

/// What became of the graph tables.
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
        Background::Project { rows, position, done } => {
            let (progress, result) = project(shared, rows, position, incomplete).await;
            tell(done, result);
            return progress;
        }
        Background::CatchUp { state, keys } => {
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
                let position = chunks.peek().is_none().then(|| state.position());
                shared.backlog.fetch_add(rows.len(), Ordering::Relaxed);
                let (progress, _) = project(shared, rows, position, None).await;
                if let Progress::Incomplete(_) = progress {
                    return progress;
                }
            }
            if keys.is_empty() {
                return project(shared, Vec::new(), Some(state.position()), None).await.0;
            }
        }
        Background::Verify { state } => {
            // Tables that are incomplete are written anew at the next opening.
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
        Background::PutVectors { model, vectors, done } => {
            let result = vectors::put(db, &model, &vectors).await;
            tell(done, result.map_err(failed("keep vectors")));
        }
        Background::LoadVectors { model, mut page, done } => {
            let result = vectors::load(db, &model, &mut *page).await;
            tell(done, result.map_err(failed("load vectors")));
        }
        Background::ClearVectors { except, done } => {
            let result = vectors::clear(db, except.as_deref()).await;
            tell(done, result.map_err(failed("delete vectors")));
        }
        Background::Snapshot { position, operations, done } => {
            tell(done, write_snapshot(shared, position, operations).await);
        }
        Background::Settle(done) => tell(done, Ok(())),
    }
    Progress::Kept
}

/// Compares the graph tables with a state, and writes what differs.
async fn verify(shared: &Shared, state: &State) -> Result<(), surrealdb::Error> {
    let Some(found) = check::graph(&shared.db, state, &shared.closing).await? else { return Ok(()) };
    if !found.is_empty() {
        let count = found.len();
        let rows = found.into_iter().map(|(_, row)| row).collect();
        graph::write(&shared.db, rows, Some(state.position())).await?;
        shared.repaired.store(count, Ordering::Relaxed);
        tracing::warn!(place = shared.place, records = count, "records of the graph tables were lost and are repaired");
    }
    graph::set_verified(&shared.db).await
}

async fn project(
    shared: &Shared,
    rows: Vec<Row>,
    position: Option<Position>,
    incomplete: Option<String>,
) -> (Progress, Result<(), StoreError>) {
    let behind = |reason: &str| Err(StoreError::Projection { place: shared.place.clone(), reason: reason.into() });
    let count = rows.len();
    // Later rows are written all the same: they are right, the tables are just not complete.
    let claimed = position.filter(|_| incomplete.is_none());
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
            if let Some(position) = position {
                shared.projected.store(position.0, Ordering::Release);
            }
            (Progress::Kept, Ok(()))
        }
    }
}

async fn write_snapshot(
    shared: &Shared,
    position: Position,
    operations: Vec<Arc<Operation>>,
) -> Result<(), StoreError> {
    let Some(directory) = shared.directory.clone().filter(|_| position > Position(0)) else { return Ok(()) };
    let failed = |reason: String| StoreError::Database {
        place: shared.place.clone(),
        action: "find the operation that the snapshot ends with",
        reason,
    };
    let entry = journal::entry(&shared.db, position).await.map_err(|error| failed(error.to_string()))?;
    let digest = entry.ok_or_else(|| failed(format!("operation {position} is not in the journal")))?;
    let at = Acknowledged { position, digest };
    let written = tokio::task::spawn_blocking(move || snapshot::write(&directory, at, &operations)).await;
    written.unwrap_or_else(|crash| Err(failed(crash.to_string())))
}
