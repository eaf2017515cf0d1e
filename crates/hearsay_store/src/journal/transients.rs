//! Transient values in the database. Each batch of values appends a row. Occasionally, compaction replaces all rows
//! with fewer rows.
//!
//! Each commit with transient values appends one row to the table `transient`. The row contains the number of the batch
//! and the changes of the batch. Each change contains the position of the operation that was the newest when the change
//! was made. Later rows override earlier rows, so reading the rows in order gives the current values.
//!
//! If the rows contain far more data than the current values, the current values are written to new rows after the
//! existing rows. Then the existing rows are deleted, oldest first. If the program is killed in the meantime, the
//! remaining rows still give the same values.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{EntityId, GameTime, Position, Predicate, State, TransientChange, TransientLog, TransientUpdate};
use serde::{Deserialize, Serialize};
use surrealdb::types::{Bytes, Object, Value};

use crate::{
    StoreError,
    engine::{
        Db,
        values::{as_u64, int, into_elements, object, record, record_range},
    },
};

/// Approximate maximum size of the changes in a row that compaction writes, in bytes.
const MAX_ROW_BYTES: usize = 512 << 10;

/// Limits that trigger compaction. The rows are compacted if there are more than `COMPACTION_MIN_ROWS` rows or
/// `COMPACTION_MIN_BYTES` bytes, and if the rows are also `COMPACTION_MIN_RATIO` times as large as the current values.
/// When a campaign is opened, each row takes a tenth of a millisecond to read.
const COMPACTION_MIN_ROWS: u64 = 256;
const COMPACTION_MIN_BYTES: usize = 1 << 20;
const COMPACTION_MIN_RATIO: usize = 3;

/// Number of rows that are deleted at a time.
const DELETE_PAGE_ROWS: u64 = 64;

/// Updates of transient values, in the order in which they were made. Each update is paired with the position of the
/// operation that was the newest when the update was made.
pub type TransientUpdates = Vec<(Position, TransientUpdate)>;

/// One change in a row.
#[derive(Serialize, Deserialize)]
enum Entry {
    Value(Position, TransientChange),
    Clock(Position, GameTime),
    /// Removes the game clock from the transient values, because an operation in the journal has set the clock.
    NoClock,
}

/// Identifies the transient value that a change sets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum TransientKey {
    Clock,
    Value(EntityId, Predicate),
}

impl Entry {
    fn key(&self) -> TransientKey {
        match self {
            Self::Value(_, change) => TransientKey::Value(change.subject.clone(), change.predicate.clone()),
            Self::Clock(..) | Self::NoClock => TransientKey::Clock,
        }
    }

    /// Returns whether the change was made after the operation at a position.
    fn made_after(&self, position: Position) -> bool {
        match self {
            Self::Value(at, _) | Self::Clock(at, _) => *at > position,
            Self::NoClock => false,
        }
    }

    /// Returns whether the change removes the transient value.
    fn is_removal(&self) -> bool {
        matches!(self, Self::Value(_, TransientChange { value: None, .. }) | Self::NoClock)
    }
}

/// The numbers of the rows in the database, and the current values that the rows give.
#[derive(Debug, Default)]
pub(crate) struct Transients {
    /// For each current value, the encoded change that sets it.
    current: BTreeMap<TransientKey, Arc<[u8]>>,
    current_bytes: usize,
    /// Number of the oldest row.
    first_row: u64,
    /// Number of the next row to write.
    next_row: u64,
    row_bytes: usize,
    /// Number of the newest batch.
    batch: u64,
}

/// The transient changes of one commit.
#[derive(Debug, Default)]
pub(crate) struct TransientBatch {
    /// Encoded changes, as stored in the row.
    bytes: Vec<u8>,
    changes: Vec<(TransientKey, Option<Arc<[u8]>>)>,
}

impl TransientBatch {
    /// Encodes updates as a batch.
    ///
    /// # Errors
    /// Returns an error if an update cannot be encoded.
    pub(crate) fn encode(updates: TransientUpdates) -> Result<Self, postcard::Error> {
        let entries = updates.into_iter().flat_map(|(at, update)| {
            let clock = update.clock.map(|time| Entry::Clock(at, time));
            update.values.into_iter().map(move |change| Entry::Value(at, change)).chain(clock)
        });
        Self::from_entries(entries)
    }

    fn from_entries(entries: impl IntoIterator<Item = Entry>) -> Result<Self, postcard::Error> {
        let mut batch = Self::default();
        for entry in entries {
            let encoded = postcard::to_stdvec(&entry)?;
            batch.bytes.extend_from_slice(&encoded);
            batch.changes.push((entry.key(), (!entry.is_removal()).then(|| encoded.into())));
        }
        Ok(batch)
    }
}

impl Transients {
    /// Returns the number of the newest batch.
    pub(crate) fn batch(&self) -> u64 {
        self.batch
    }

    /// Returns the number of the next row to write.
    #[cfg(feature = "remote")]
    pub(crate) fn next_row(&self) -> u64 {
        self.next_row
    }

    /// If the rows contain far more data than the current values, and new rows with the current values fit into one
    /// transaction, returns these new rows and the numbers of the rows that they replace.
    #[cfg(feature = "remote")]
    pub(crate) fn replacement(&self, max_bytes: usize) -> Option<(Vec<Value>, std::ops::Range<u64>)> {
        // Without a row, programs that open the campaign would not know the number of the next row.
        if !self.is_wasteful() || self.current.is_empty() || self.current_bytes > max_bytes {
            return None;
        }
        let mut number = self.next_row;
        let rows = self.rows_of_current_values().into_iter().map(|content| {
            number += 1;
            transient_row(number - 1, self.batch, content)
        });
        Some((rows.collect(), self.first_row..self.next_row))
    }

    /// Notes that rows before the given row were deleted.
    #[cfg(feature = "remote")]
    pub(crate) fn forget_rows_before(&mut self, first: u64) {
        // The new rows are counted when they are read.
        (self.first_row, self.row_bytes) = (first, 0);
    }

    /// Returns the row of a batch, or `None` if the batch is empty.
    pub(crate) fn row(&self, batch: &TransientBatch) -> Option<Value> {
        (!batch.changes.is_empty()).then(|| transient_row(self.next_row, self.batch + 1, batch.bytes.clone()))
    }

    /// Clears stored values that are not in the state, because operations have replaced them. Without this step, these
    /// values would come back when compaction removes the operations. The current values do not change, so the batch
    /// number stays the same.
    ///
    /// # Errors
    /// Returns an error text if the changes cannot be encoded or written.
    pub(crate) async fn clear_stale(&mut self, db: &Db, state: &State) -> Result<(), String> {
        let clears = self.stale_changes(state).map_err(|error| error.to_string())?;
        if clears.changes.is_empty() {
            return Ok(());
        }
        let written = insert_transients(db, transient_row(self.next_row, self.batch, clears.bytes.clone())).await;
        written.map_err(|error| error.to_string())?;
        self.next_row += 1;
        self.row_bytes += clears.bytes.len();
        self.merge_changes(clears.changes);
        Ok(())
    }

    /// Returns changes that clear the stored values that are not in the state.
    fn stale_changes(&self, state: &State) -> Result<TransientBatch, postcard::Error> {
        let clears = self.current.keys().filter_map(|key| match key {
            TransientKey::Clock => (!state.has_transient_clock()).then_some(Entry::NoClock),
            TransientKey::Value(subject, predicate) => state.transient(subject, predicate).is_none().then(|| {
                let (subject, predicate) = (subject.clone(), predicate.clone());
                Entry::Value(state.position(), TransientChange { subject, predicate, value: None })
            }),
        });
        TransientBatch::from_entries(clears)
    }

    /// Applies a batch whose row was written.
    pub(crate) fn apply_batch(&mut self, batch: TransientBatch) {
        if batch.changes.is_empty() {
            return;
        }
        self.next_row += 1;
        self.batch += 1;
        self.row_bytes += batch.bytes.len();
        self.merge_changes(batch.changes);
    }

    fn merge_changes(&mut self, changes: Vec<(TransientKey, Option<Arc<[u8]>>)>) {
        for (key, value) in changes {
            let added_bytes = value.as_ref().map_or(0, |value| value.len());
            let old = match value {
                Some(value) => self.current.insert(key, value),
                None => self.current.remove(&key),
            };
            self.current_bytes = self.current_bytes + added_bytes - old.map_or(0, |old| old.len());
        }
    }

    /// Compacts the rows if they contain far more data than the current values.
    pub(crate) async fn compact_if_wasteful(&mut self, db: &Db) -> Result<(), surrealdb::Error> {
        if self.is_wasteful() { self.compact(db).await } else { Ok(()) }
    }

    fn is_wasteful(&self) -> bool {
        let is_large = self.next_row - self.first_row > COMPACTION_MIN_ROWS || self.row_bytes > COMPACTION_MIN_BYTES;
        is_large && self.row_bytes > self.current_bytes * COMPACTION_MIN_RATIO
    }

    /// Returns the contents of rows that set the current values.
    fn rows_of_current_values(&self) -> Vec<Vec<u8>> {
        let mut rows = Vec::<Vec<u8>>::new();
        for value in self.current.values() {
            match rows.last_mut().filter(|row| row.len() < MAX_ROW_BYTES) {
                Some(row) => row.extend_from_slice(value),
                None => rows.push(value.to_vec()),
            }
        }
        rows
    }

    async fn compact(&mut self, db: &Db) -> Result<(), surrealdb::Error> {
        let first_new_row = self.next_row;
        let rows = self.rows_of_current_values();
        let bytes = rows.iter().map(Vec::len).sum();
        for content in rows {
            insert_transients(db, transient_row(self.next_row, self.batch, content)).await?;
            self.next_row += 1;
        }
        while self.first_row < first_new_row {
            let end = (self.first_row + DELETE_PAGE_ROWS).min(first_new_row);
            let range = object([("range", record_range("transient", self.first_row..end))]);
            db.run_with_retries("DELETE $range RETURN NONE", range).await?;
            self.first_row = end;
        }
        self.row_bytes = bytes;
        Ok(())
    }

    /// Reads all rows. Returns the current values, and the log of all changes.
    ///
    /// # Errors
    /// Returns an error if a row cannot be read.
    pub(crate) async fn read(db: &Db, place: &str) -> Result<(Self, TransientLog), StoreError> {
        Self::read_until(db, place, Position(u64::MAX)).await
    }

    /// Reads the rows up to the first row with a change that was made after the operation at `last`.
    ///
    /// # Errors
    /// Returns an error if a row cannot be read.
    pub(crate) async fn read_until(db: &Db, place: &str, last: Position) -> Result<(Self, TransientLog), StoreError> {
        let damaged = |what: String| StoreError::damaged(place, format!("the table of transient values: {what}"));
        let mut first_error = None;
        let read = Self::read_rows(db, last, |what| {
            first_error.get_or_insert(what);
        });
        let read = read.await.map_err(|error| damaged(error.to_string()))?;
        first_error.map_or(Ok(read), |what| Err(damaged(what)))
    }

    /// Reads all readable rows. Also returns the number of unreadable rows.
    pub(crate) async fn salvage(db: &Db) -> Result<(TransientLog, usize), surrealdb::Error> {
        let mut unreadable = 0;
        let (_, log) = Self::read_rows(db, Position(u64::MAX), |_| unreadable += 1).await?;
        Ok((log, unreadable))
    }

    /// Reads the rows up to the first row with a change after `last`. Calls `unreadable` with an error text for each row
    /// that cannot be read completely.
    async fn read_rows(
        db: &Db,
        last: Position,
        mut unreadable: impl FnMut(String),
    ) -> Result<(Self, TransientLog), surrealdb::Error> {
        let numbers = db.value("SELECT VALUE record::id(id) FROM transient", object([])).await?;
        let numbers: Vec<u64> = into_elements(numbers).iter().filter_map(as_u64).collect();
        let first_row = numbers.first().copied().unwrap_or_default();
        let (mut transients, mut log) =
            (Self { first_row, next_row: first_row, ..Self::default() }, TransientLog::default());
        for number in numbers {
            let id = object([("id", record("transient", number as i64))]);
            let Value::Object(row) = db.value("SELECT batch, changes FROM ONLY $id", id).await? else {
                unreadable(format!("row {number} is missing"));
                continue;
            };
            let mut row = match StoredRow::decode(number, &row) {
                Ok(row) => row,
                Err(what) => {
                    unreadable(what);
                    continue;
                }
            };
            if row.changes.iter().any(|(change, _)| change.made_after(last)) {
                break;
            }
            if let Some(what) = row.unreadable.take() {
                unreadable(what);
            }
            for (change, _) in &row.changes {
                match change {
                    Entry::Value(at, change) => log.push_value(*at, change.clone()),
                    Entry::Clock(at, time) => log.push_clock(*at, *time),
                    Entry::NoClock => log.clear_clock(),
                }
            }
            transients.apply_row(row);
        }
        Ok((transients, log))
    }

    /// Applies a row that another program wrote. Returns the values that the row changes. The rows of a compaction repeat
    /// known values, which operations may have replaced since, so they must not be set again.
    #[cfg(feature = "remote")]
    pub(crate) fn apply_new_row(&mut self, row: StoredRow) -> TransientUpdate {
        (self.next_row, self.batch) = (row.number + 1, row.batch);
        self.row_bytes += row.bytes;
        let mut update = TransientUpdate::default();
        for (change, encoded) in row.changes {
            let (key, value) = (change.key(), (!change.is_removal()).then_some(encoded));
            if self.current.get(&key) == value.as_ref() {
                continue;
            }
            self.merge_changes(vec![(key, value)]);
            match change {
                Entry::Value(_, change) => update.values.push(change),
                Entry::Clock(_, time) => update.clock = Some(time),
                Entry::NoClock => {}
            }
        }
        update
    }

    /// Applies a row of the database that directly follows the known rows, or a later row.
    pub(crate) fn apply_row(&mut self, row: StoredRow) {
        (self.next_row, self.batch) = (row.number + 1, row.batch);
        self.row_bytes += row.bytes;
        let changes = row.changes.into_iter();
        self.merge_changes(
            changes.map(|(change, encoded)| (change.key(), (!change.is_removal()).then_some(encoded))).collect(),
        );
    }
}

/// A row of the table `transient`.
pub(crate) struct StoredRow {
    number: u64,
    batch: u64,
    bytes: usize,
    /// The changes with their encoded form.
    changes: Vec<(Entry, Arc<[u8]>)>,
    /// Error text if the row contains more changes that cannot be read.
    unreadable: Option<String>,
}

#[cfg(feature = "remote")]
impl StoredRow {
    /// Returns the error text if the row cannot be read completely.
    pub(crate) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// Returns the position of the newest operation when the changes of the row were made.
    pub(crate) fn position(&self) -> Position {
        let positions = self.changes.iter().filter_map(|(change, _)| match change {
            Entry::Value(at, _) | Entry::Clock(at, _) => Some(*at),
            Entry::NoClock => None,
        });
        positions.max().unwrap_or(Position(0))
    }
}

impl StoredRow {
    /// Decodes a row.
    ///
    /// # Errors
    /// Returns an error text if the row has no content.
    pub(crate) fn decode(number: u64, row: &Object) -> Result<Self, String> {
        let (Some(batch), Some(Value::Bytes(bytes))) = (row.get("batch").and_then(as_u64), row.get("changes")) else {
            return Err(format!("row {number} has no content"));
        };
        let mut decoded = Self { number, batch, bytes: bytes.len(), changes: Vec::new(), unreadable: None };
        let mut remaining: &[u8] = bytes;
        while !remaining.is_empty() {
            match postcard::take_from_bytes::<Entry>(remaining) {
                Ok((change, rest)) => {
                    decoded.changes.push((change, remaining[..remaining.len() - rest.len()].into()));
                    remaining = rest;
                }
                Err(error) => {
                    decoded.unreadable = Some(format!("row {number} cannot be read: {error}"));
                    break;
                }
            }
        }
        Ok(decoded)
    }
}

/// Writes a row to the table `transient`.
pub(crate) async fn insert_transients(db: &Db, row: Value) -> Result<(), surrealdb::Error> {
    db.run("INSERT INTO transient $row RETURN NONE", object([("row", row)])).await.map(drop)
}

fn transient_row(number: u64, batch: u64, changes: Vec<u8>) -> Value {
    let changes = Value::Bytes(Bytes::from(changes));
    Value::Object(object([("id", record("transient", number as i64)), ("batch", int(batch)), ("changes", changes)]))
}
