//! Replays the journal: computes the state from its operations and transient values.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map},
    path::Path,
    time::Duration,
};

use hearsay_model::{Key, Operation, Position, State, TransientUpdate};

use super::{options::OpenProgress, report::OpenReport};
use crate::{
    StoreError,
    engine::{Db, schema},
    files::snapshot::{self, Operations, Recorded, Snapshot},
    journal::{Compacted, Digest, JournalPosition, Transients, entries},
    projection::{self, Watermark},
};

/// The end of a journal, after which the next operation is appended.
pub(crate) struct JournalEnd {
    pub(crate) last: JournalPosition,
    pub(crate) compacted: Compacted,
    pub(crate) transients: Transients,
}

/// Outdated records of the graph tables. The store writes these records in the background after the opening.
pub(crate) enum CatchUp {
    /// The records with these keys are outdated.
    Records(Vec<Key>),
    /// The tables are empty or contain only current records, so all records are written.
    All,
    /// The tables may contain records that no longer exist, so they are cleared before all records are written.
    Rebuild,
}

/// The result of [`Store::reload`](crate::Store::reload).
#[derive(Debug)]
pub struct Reloaded {
    /// State that was computed from the operations in the journal.
    pub state: State,
    /// Keys of the outdated records in the graph tables, or `None` to rebuild all tables.
    pub outdated_keys: Option<Vec<Key>>,
    /// Number of the newest stored batch of transient values. The state contains the values of this batch.
    pub transient_batch: u64,
}

/// The result of replaying a journal.
pub(crate) struct Replayed {
    pub(crate) state: State,
    pub(crate) journal: JournalEnd,
    /// Journal position up to which the graph tables were complete.
    pub(crate) projected: Position,
    pub(crate) catch_up: Option<CatchUp>,
    pub(crate) report: OpenReport,
}

/// Replays the journal of an open database again, in the same way as at its opening.
pub(crate) async fn replay_again(
    db: &Db,
    place: &str,
    directory: Option<&Path>,
    acknowledged: JournalPosition,
) -> Result<(Reloaded, JournalEnd), StoreError> {
    let read = directory.map_or(Ok(None), snapshot::read);
    let replayed = replay(db, place, Some(acknowledged), read, OpenProgress::default()).await?;
    let Replayed { state, journal, catch_up, .. } = replayed;
    let outdated_keys = match catch_up {
        None => Some(Vec::new()),
        Some(CatchUp::Records(keys)) => Some(keys),
        Some(CatchUp::All | CatchUp::Rebuild) => None,
    };
    Ok((Reloaded { state, outdated_keys, transient_batch: journal.transients.batch() }, journal))
}

/// Replays a journal to which other programs may append at the same time. Returns the state after the last operation
/// that this function reads, with all transient values that were set before later operations.
#[cfg(feature = "remote")]
pub(crate) async fn replay_shared(
    db: &Db,
    place: &str,
    progress: OpenProgress,
) -> Result<(State, JournalEnd), StoreError> {
    let compacted = Compacted::load(db, place).await?;
    let mut operations = Vec::new();
    compacted.read(db, place, |position, operation| operations.push((position, operation))).await?;
    let last =
        entries::read(db, place, compacted.to, |at, operation| operations.push((at.position, operation))).await?;
    // The rows of transient values are read after the operations. A row that was written before an operation is
    // therefore complete when the operation is found.
    let (transients, log) = Transients::read_until(db, place, last.position).await?;
    let updates = log.into_updates();
    let shown = Watermark { position: last.position, batch: transients.batch() };
    let mut fold = Fold::new(shown, transients.batch(), &updates, compacted.to.position, progress);
    for (position, operation) in operations {
        fold.apply(position, operation);
    }
    fold.finish();
    if let Some((position, reason)) = fold.failed {
        return Err(StoreError::damaged(place, format!("operation {position} cannot be applied: {reason}")));
    }
    Ok((fold.state, JournalEnd { last, compacted, transients }))
}

/// Replays the journal of an open database. If the snapshot can be used, reads only the rows after it.
///
/// `read` is the snapshot, or the reason why the snapshot cannot be read.
pub(crate) async fn replay(
    db: &Db,
    place: &str,
    acknowledged: Option<JournalPosition>,
    read: Result<Option<Snapshot>, String>,
    progress: OpenProgress,
) -> Result<Replayed, StoreError> {
    let unreadable = |error: surrealdb::Error| StoreError::damaged(place, error.to_string());
    let schema = schema::migrate(db, place).await?;
    let shown = projection::watermark(db).await.map_err(unreadable)?;
    let (transients, log) = Transients::read(db, place).await?;
    let updates = log.into_updates();
    // If the batch numbers differ, the tables may contain outdated transient values. The comparison in the background
    // repairs them.
    let shows_old_values = shown.batch != transients.batch();
    let must_compare = record_due_comparison(db, place, shows_old_values).await?;
    let compacted = Compacted::load(db, place).await?;
    let begin = |progress| Fold::new(shown, transients.batch(), &updates, compacted.to.position, progress);
    let mut fold = begin(progress);
    let snapshot = match read {
        Ok(Some(snapshot)) => expect_same_history(db, place, snapshot, compacted.to).await?.map(Some),
        read => read,
    };
    let used = snapshot.and_then(|snapshot| match snapshot {
        Some(Snapshot { at, operations, .. }) => fold.apply_snapshot(operations).map(|()| Some(at)),
        None => Ok(None),
    });
    let (used, ignored) = match used {
        Ok(used) => (used, None),
        Err(reason) => {
            tracing::warn!(place, reason, "the snapshot is not used");
            fold = begin(fold.progress);
            (None, Some(reason))
        }
    };
    let start = match used {
        Some(at) => at,
        None => {
            compacted.read(db, place, |position, operation| fold.apply(position, operation)).await?;
            compacted.to
        }
    };
    let mut digest_there = acknowledged.filter(|there| there.position == start.position).map(|_| start.digest);
    let last = entries::read(db, place, start, |at, operation| {
        if acknowledged.is_some_and(|there| there.position == at.position) {
            digest_there = Some(at.digest);
        }
        fold.apply(at.position, operation);
    })
    .await?;
    fold.finish();
    if let Some((position, reason)) = fold.failed {
        return Err(StoreError::damaged(place, format!("operation {position} cannot be applied: {reason}")));
    }
    check_acknowledged(place, acknowledged, last, digest_there)?;
    let swept_chunks = entries::sweep(db, last.position.next()).await.map_err(unreadable)?;
    // If the tables end before the end of the compacted part, they may contain records that compaction removed. In this
    // case, all tables are rebuilt.
    let is_cleared_partly = shown == Watermark::CLEARING;
    let catch_up = if is_cleared_partly || shown.position > last.position || shown.position < compacted.to.position {
        Some(CatchUp::Rebuild)
    } else if shown.position == Position(0) && last.position > Position(0) {
        Some(CatchUp::All)
    } else {
        let is_outdated = shown.position < last.position || shows_old_values;
        is_outdated.then(|| CatchUp::Records(fold.touched.into_iter().collect()))
    };
    let report = OpenReport {
        // If the journal is empty, the tables are empty too and need no comparison.
        verifying: must_compare && last.position > Position(0),
        position: last.position,
        snapshot: used.map(|at| at.position),
        snapshot_ignored: ignored,
        replayed_operations: last.position.0 - start.position.0,
        swept_chunks,
        catching_up: match &catch_up {
            None => 0,
            Some(CatchUp::Records(keys)) => keys.len(),
            Some(CatchUp::All | CatchUp::Rebuild) => fold.state.fact_count() + fold.state.entity_count(),
        },
        transient_batch: transients.batch(),
        schema,
        took: Duration::ZERO,
    };
    let journal = JournalEnd { last, compacted, transients };
    Ok(Replayed { state: fold.state, journal, projected: shown.position, catch_up, report })
}

/// Returns whether the graph tables must be compared with the state, and records this in the database.
///
/// The comparison runs in the background, and closing the campaign interrupts it. With this record, the next opening
/// repeats it. The record is written before the tables are updated from the journal, because updated tables do not show
/// any more that a comparison is due.
async fn record_due_comparison(db: &Db, place: &str, shows_old_values: bool) -> Result<bool, StoreError> {
    let is_verified = projection::is_verified(db).await;
    let is_verified = is_verified.map_err(|error| StoreError::damaged(place, error.to_string()))?;
    let is_due = db.health().recovered() || shows_old_values;
    // After a failure, the storage accepts no writes. The next opening then replays the log and makes the comparison.
    if is_due && is_verified && db.health().failure().is_none() {
        projection::set_verified(db, false).await.map_err(|error| StoreError::Database {
            place: place.into(),
            action: "record that its graph tables must be compared",
            reason: error.to_string(),
        })?;
    }
    Ok(is_due || !is_verified)
}

/// Checks whether a snapshot belongs to the journal of a database. Returns the snapshot if it does, or the reason if it
/// does not.
async fn expect_same_history(
    db: &Db,
    place: &str,
    snapshot: Snapshot,
    compacted_to: JournalPosition,
) -> Result<Result<Snapshot, String>, StoreError> {
    let at = snapshot.at;
    let entry = if at.position == compacted_to.position {
        Some(compacted_to.digest)
    } else {
        let entry = entries::digest_at(db, at.position).await;
        entry.map_err(|error| StoreError::damaged(place, error.to_string()))?
    };
    Ok(if snapshot.compacted_to != compacted_to.position {
        Err("the journal was compacted after the snapshot was written".into())
    } else if entry == Some(at.digest) {
        Ok(snapshot)
    } else if entry.is_none() {
        Err(format!("the snapshot is ahead of the journal, at position {}", at.position))
    } else {
        Err("the journal has a different operation at the position of the snapshot".into())
    })
}

/// Returns an error if the journal does not contain the acknowledged operation.
fn check_acknowledged(
    place: &str,
    acknowledged: Option<JournalPosition>,
    last: JournalPosition,
    digest_there: Option<Digest>,
) -> Result<(), StoreError> {
    let Some(acknowledged) = acknowledged else { return Ok(()) };
    let advice = "restore the directory from a backup, or run `hearsay db repair` to keep the remaining operations; if you replaced `db` with an older copy on purpose, delete the file `acknowledged` beside it";
    let damaged = |description| Err(StoreError::Damaged { place: place.into(), description, advice });
    if last.position < acknowledged.position {
        return damaged(format!(
            "the journal ends at operation {}, but operation {} was saved",
            last.position, acknowledged.position
        ));
    }
    if digest_there.is_some_and(|digest| digest != acknowledged.digest) {
        return damaged(format!("operation {} differs from the operation that was saved", acknowledged.position));
    }
    Ok(())
}

/// The state while the journal is folded, and the keys of outdated records in the graph tables.
struct Fold<'a> {
    state: State,
    /// Operations up to this position are applied without a check.
    compacted_to: Position,
    /// Transient updates that are not applied yet, in the order of their positions.
    transients: btree_map::Iter<'a, Position, TransientUpdate>,
    projected: Position,
    /// Whether the graph tables already contain the newest transient values.
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

    /// Applies the transient updates that were made before a position.
    fn set_transients(&mut self, before: Position) {
        while let Some((_, update)) = self.transients.clone().next().filter(|(position, _)| **position < before) {
            self.transients.next();
            let touched = self.state.set_transients(update);
            if !self.transients_projected {
                self.touched.extend(touched);
            }
        }
    }

    /// Applies an operation of the journal.
    fn apply(&mut self, position: Position, operation: Operation) {
        if self.failed.is_some() {
            return;
        }
        let changes = self.begin(position, &operation);
        let touched = if position <= self.compacted_to {
            Ok(self.state.apply_compacted(position, operation))
        } else {
            self.state.advance_compaction(self.compacted_to);
            self.state.apply(operation).map(|applied| applied.touched)
        };
        match touched {
            Ok(touched) => self.finish_operation(position, changes, touched),
            Err(error) => self.failed = Some((position, error.to_string())),
        }
    }

    /// Applies an operation of a snapshot without checking it, because it was checked before it was written to the
    /// journal.
    fn apply_recorded(&mut self, Recorded { position, operation, keys }: Recorded) {
        let changes = self.begin(position, &operation);
        let touched = if position <= self.compacted_to {
            self.state.apply_compacted_keyed(position, operation, keys)
        } else {
            self.state.advance_compaction(self.compacted_to);
            self.state.apply_recorded_keyed(operation, keys)
        };
        self.finish_operation(position, changes, touched);
    }

    /// Prepares the state for an operation. Returns the number of changes of the operation.
    fn begin(&mut self, position: Position, operation: &Operation) -> usize {
        self.set_transients(position);
        let changes = operation.changes.len();
        self.progress.note_read(changes);
        changes
    }

    fn finish_operation(&mut self, position: Position, changes: usize, touched: Vec<Key>) {
        self.progress.note_applied(changes);
        // If the graph tables are empty, all records are written, so the keys are not needed.
        if position > self.projected && self.projected > Position(0) {
            self.touched.extend(touched);
        }
    }

    /// Applies the operations of a snapshot.
    ///
    /// # Errors
    /// Returns the reason why the snapshot cannot be used. It is possible that some operations of the snapshot are
    /// already applied.
    fn apply_snapshot(&mut self, operations: Operations) -> Result<(), String> {
        for operation in operations {
            self.apply_recorded(operation?);
        }
        Ok(())
    }

    /// Applies the remaining transient updates after the last operation.
    fn finish(&mut self) {
        self.state.advance_compaction(self.compacted_to);
        self.set_transients(Position(u64::MAX));
    }
}
