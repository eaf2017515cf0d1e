//! The background task of a store, which writes the graph tables and the snapshot.

use std::sync::{Arc, atomic::Ordering};

use hearsay_model::{Key, Position, State};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{
    callback::{Done, call},
    shared::Shared,
};
use crate::{
    StoreError,
    files::snapshot::{self, Placed},
    journal::{Compacted, JournalPosition, entries},
    projection::{self, ProjectionRow, Watermark},
};

/// Number of keys for which rows are created at a time.
const KEYS: usize = 2_000;

/// A job for the background task.
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
    /// Compares the graph tables with the state as of the opening, and repairs the tables.
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

impl Background {
    /// Reports to the caller that the store is closed.
    pub(crate) fn refuse(self) {
        match self {
            Self::Project { done, .. } | Self::Clear(done) | Self::Snapshot { done, .. } | Self::Settle(done) => {
                done(Err(StoreError::Closed));
            }
            Self::CatchUp { .. } | Self::Verify { .. } => {}
        }
    }
}

/// Runs the queued jobs in order.
pub(crate) async fn do_background_work(shared: Arc<Shared>, mut queue: UnboundedReceiver<Background>) {
    // Error text of a failed write, or `None` if no write failed. After a failed write, the tables are incomplete, so
    // their watermark must not advance.
    let mut incomplete = None::<String>;
    while let Some(job) = queue.recv().await {
        let shared = Arc::clone(&shared);
        let behind = incomplete.clone();
        // Runs in a separate task, so that a panic inside the database becomes an error.
        let finished = tokio::spawn(async move { background_one(&shared, job, behind).await }).await;
        match finished {
            Ok(Progress::Kept) => {}
            Ok(Progress::Complete) => incomplete = None,
            Ok(Progress::Incomplete(reason)) => incomplete = Some(reason),
            Err(crash) => {
                tracing::error!(%crash, "a background job of the store panicked");
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
            call(done, result);
            return progress;
        }
        Background::CatchUp { state, keys, complete } => {
            let anew = keys.is_none();
            let keys = keys.unwrap_or_else(|| projection::all_keys(&state));
            tracing::info!(place, records = keys.len(), anew, "updating the graph tables from the journal");
            if anew && let Err(error) = projection::clear(db).await {
                return Progress::Incomplete(error.to_string());
            }
            let mut chunks = keys.chunks(KEYS).peekable();
            while let Some(keys) = chunks.next() {
                if shared.closing.load(Ordering::Relaxed) {
                    return Progress::Incomplete("the campaign was closed before the tables were complete".into());
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
            // Skips incomplete tables, because the next opening of the campaign updates them.
            if incomplete.is_none()
                && let Err(error) = verify(shared, &state).await
            {
                return Progress::Incomplete(error.to_string());
            }
        }
        Background::Clear(done) => {
            let result = projection::clear(db).await;
            shared.projected.store(0, Ordering::Release);
            call(done, result.map_err(failed("clear the graph tables")));
            return Progress::Complete;
        }
        Background::Snapshot { position, compacted_to, operations, done } => {
            call(done, write_snapshot(shared, position, compacted_to, operations).await);
        }
        Background::Settle(done) => call(done, Ok(())),
    }
    Progress::Kept
}

/// Compares the graph tables with a state and rewrites the records that differ.
async fn verify(shared: &Shared, state: &State) -> Result<(), surrealdb::Error> {
    let Some(found) = projection::compare_tables(&shared.db, state, &shared.closing).await? else { return Ok(()) };
    if !found.is_empty() {
        let count = found.len();
        let rows = found.into_iter().map(|(_, row)| row).collect();
        projection::write(&shared.db, rows, None).await?;
        shared.repaired.store(count, Ordering::Relaxed);
        tracing::warn!(place = shared.place, records = count, "repaired records of the graph tables");
    }
    projection::set_verified(&shared.db).await
}

async fn project(
    shared: &Shared,
    rows: Vec<ProjectionRow>,
    complete: Option<Watermark>,
    incomplete: Option<String>,
) -> (Progress, Result<(), StoreError>) {
    let behind = |reason: &str| Err(StoreError::Projection { place: shared.place.clone(), reason: reason.into() });
    let count = rows.len();
    // After a failure, later rows are still written, because they are correct. Only the watermark is not written.
    let claimed = complete.filter(|_| incomplete.is_none());
    let written = projection::write(&shared.db, rows, claimed).await;
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
        action: "find the last operation of the snapshot",
        reason,
    };
    let compacted = Compacted::load(&shared.db, &shared.place).await?;
    let entry = match compacted.to.position == position {
        true => Some(compacted.to.digest),
        false => entries::digest_at(&shared.db, position).await.map_err(|error| failed(error.to_string()))?,
    };
    let digest = entry.ok_or_else(|| failed(format!("operation {position} is not in the journal")))?;
    let at = JournalPosition { position, digest };
    let write = move || snapshot::write(&directory, at, compacted_to, &operations);
    let written = tokio::task::spawn_blocking(write).await;
    written.unwrap_or_else(|crash| Err(failed(crash.to_string())))
}
