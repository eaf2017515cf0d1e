//! The background task of a store, which writes the graph tables and the snapshot.

use std::sync::{Arc, atomic::Ordering};

use hearsay_model::{Key, Position, State};
use tokio::sync::mpsc::UnboundedReceiver;

use super::{
    callback::{DoneCallback, invoke},
    replay::CatchUp,
    shared::Shared,
};
use crate::{
    StoreError,
    files::snapshot::{self, Placed},
    journal::{Compacted, JournalPosition, entries},
    projection::{self, ProjectionRow, Watermark},
};

/// Number of keys for which rows are created at a time.
const MAX_KEYS_PER_BATCH: usize = 2_000;

/// A job for the background task.
pub(crate) enum BackgroundJob {
    Project {
        rows: Vec<ProjectionRow>,
        watermark: Option<Watermark>,
        done: DoneCallback,
    },
    CatchUp {
        state: Box<State>,
        records: CatchUp,
        watermark: Watermark,
    },
    /// Compares the graph tables with the state as of the opening, and repairs the tables.
    Verify {
        state: Box<State>,
    },
    Clear(DoneCallback),
    Snapshot {
        position: Position,
        compacted_to: Position,
        operations: Vec<Placed>,
        done: DoneCallback,
    },
    Settle(DoneCallback),
}

impl BackgroundJob {
    /// Reports to the caller that the store is closed.
    pub(crate) fn reject_as_closed(self) {
        match self {
            Self::Project { done, .. } | Self::Clear(done) | Self::Snapshot { done, .. } | Self::Settle(done) => {
                done(Err(StoreError::Closed));
            }
            Self::CatchUp { .. } | Self::Verify { .. } => {}
        }
    }
}

/// Runs the queued jobs in order.
pub(crate) async fn run_background_jobs(shared: Arc<Shared>, mut queue: UnboundedReceiver<BackgroundJob>) {
    // Error text of a failed write, or `None` if no write failed. After a failed write, the tables are incomplete, so
    // their watermark must not advance.
    let mut failed_write = None::<String>;
    while let Some(job) = queue.recv().await {
        let shared = Arc::clone(&shared);
        let earlier_failure = failed_write.clone();
        // Runs in a separate task, so that a panic inside the database becomes an error.
        let effect = tokio::spawn(async move { run_job(&shared, job, earlier_failure).await }).await;
        match effect {
            Ok(TableEffect::Unchanged) => {}
            Ok(TableEffect::Complete) => failed_write = None,
            Ok(TableEffect::Incomplete(reason)) => failed_write = Some(reason),
            Err(crash) => {
                tracing::error!(%crash, "a background job of the store panicked");
                failed_write = Some(crash.to_string());
            }
        }
    }
}

/// Effect of a job on the graph tables.
enum TableEffect {
    /// The job did not change whether the tables are complete.
    Unchanged,
    /// The job deleted all rows, so an earlier failed write no longer matters.
    Complete,
    /// A write failed. Contains the error text.
    Incomplete(String),
}

async fn run_job(shared: &Shared, job: BackgroundJob, earlier_failure: Option<String>) -> TableEffect {
    let (db, place) = (&shared.db, &shared.place);
    let failed = |action: &'static str| {
        move |error: surrealdb::Error| StoreError::Database { place: place.clone(), action, reason: error.to_string() }
    };
    match job {
        BackgroundJob::Project { rows, watermark, done } => {
            let (effect, result) = project(shared, rows, watermark, earlier_failure).await;
            invoke(done, result);
            return effect;
        }
        BackgroundJob::CatchUp { state, records, watermark } => {
            let all = || projection::all_keys(&state, MAX_KEYS_PER_BATCH);
            let (is_rebuild, pages): (bool, Box<dyn Iterator<Item = Vec<Key>> + Send>) = match &records {
                CatchUp::Records(keys) => (false, Box::new(keys.chunks(MAX_KEYS_PER_BATCH).map(<[Key]>::to_vec))),
                CatchUp::All => (false, Box::new(all())),
                CatchUp::Rebuild => (true, Box::new(all())),
            };
            tracing::info!(place, anew = is_rebuild, "updating the graph tables from the journal");
            if is_rebuild && let Err(error) = projection::clear(db).await {
                return TableEffect::Incomplete(error.to_string());
            }
            for keys in pages {
                if shared.closing.load(Ordering::Relaxed) {
                    return TableEffect::Incomplete("the campaign was closed before the tables were complete".into());
                }
                let rows =
                    if is_rebuild { projection::rows_for_keys(&state, &keys) } else { projection::rows(&state, &keys) };
                shared.backlog.fetch_add(rows.len(), Ordering::Relaxed);
                let (effect, _) = project(shared, rows, None, None).await;
                if let TableEffect::Incomplete(_) = effect {
                    return effect;
                }
            }
            return project(shared, Vec::new(), Some(watermark), None).await.0;
        }
        BackgroundJob::Verify { state } => {
            // Skips incomplete tables, because the next opening of the campaign updates them.
            if earlier_failure.is_none()
                && let Err(error) = verify(shared, &state).await
            {
                return TableEffect::Incomplete(error.to_string());
            }
        }
        BackgroundJob::Clear(done) => {
            let result = projection::clear(db).await;
            shared.projected.store(0, Ordering::Release);
            invoke(done, result.map_err(failed("clear the graph tables")));
            return TableEffect::Complete;
        }
        BackgroundJob::Snapshot { position, compacted_to, operations, done } => {
            invoke(done, write_snapshot(shared, position, compacted_to, operations).await);
        }
        BackgroundJob::Settle(done) => invoke(done, Ok(())),
    }
    TableEffect::Unchanged
}

/// Compares the graph tables with a state and rewrites the records that differ.
async fn verify(shared: &Shared, state: &State) -> Result<(), surrealdb::Error> {
    let Some(differences) = projection::compare_tables(&shared.db, state, &shared.closing).await? else {
        return Ok(());
    };
    if !differences.is_empty() {
        let count = differences.len();
        let rows = differences.into_iter().map(|(_, row)| row).collect();
        projection::write(&shared.db, rows, None).await?;
        shared.repaired.store(count, Ordering::Relaxed);
        tracing::warn!(place = shared.place, records = count, "repaired records of the graph tables");
    }
    projection::set_verified(&shared.db, true).await
}

async fn project(
    shared: &Shared,
    rows: Vec<ProjectionRow>,
    watermark: Option<Watermark>,
    earlier_failure: Option<String>,
) -> (TableEffect, Result<(), StoreError>) {
    let projection_error =
        |reason: &str| Err(StoreError::Projection { place: shared.place.clone(), reason: reason.into() });
    let count = rows.len();
    // After a failure, later rows are still written, because they are correct. Only the watermark is not written.
    let reached_watermark = watermark.filter(|_| earlier_failure.is_none());
    let written = projection::write(&shared.db, rows, reached_watermark).await;
    shared.backlog.fetch_sub(count, Ordering::Relaxed);
    match (written, earlier_failure) {
        (Err(error), _) => {
            let reason = error.to_string();
            tracing::warn!(reason, "the graph tables are behind the journal");
            let result = projection_error(&reason);
            (TableEffect::Incomplete(reason), result)
        }
        (Ok(()), Some(reason)) => {
            let result = projection_error(&reason);
            (TableEffect::Unchanged, result)
        }
        (Ok(()), None) => {
            if let Some(watermark) = watermark {
                shared.projected.store(watermark.position.0, Ordering::Release);
            }
            (TableEffect::Unchanged, Ok(()))
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
    let digest = if compacted.to.position == position {
        Some(compacted.to.digest)
    } else {
        entries::digest_at(&shared.db, position).await.map_err(|error| failed(error.to_string()))?
    };
    let digest = digest.ok_or_else(|| failed(format!("operation {position} is not in the journal")))?;
    let at = JournalPosition { position, digest };
    let write = move || snapshot::write(&directory, at, compacted_to, &operations);
    let written = tokio::task::spawn_blocking(write).await;
    written.unwrap_or_else(|crash| Err(failed(crash.to_string())))
}
