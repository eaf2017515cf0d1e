//! Transient values on the disk: rows that are appended with each batch and replaced by one row now and then.
//!
//! Each commit with transient values appends one row to the table `transient`: the number of the batch and its changes,
//! each with the position of the newest operation when it was set. Later rows go before earlier ones, so the rows read
//! in order give the values that hold. When the rows hold far more than that, the values are written once more behind
//! them, and the earlier rows are deleted, the oldest first: whenever the program is killed in between, what is there
//! gives the same values.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{EntityId, GameTime, Position, Predicate, State, TransientChange, TransientLog, TransientUpdate};
use serde::{Deserialize, Serialize};
use surrealdb::types::{Array, Bytes, RecordId, RecordIdKey, RecordIdKeyRange, Value};

use crate::{
    StoreError,
    db::{Db, as_u64, int, object, record},
};

/// Bytes of changes in a row, about.
const ROW_BYTES: usize = 512 << 10;

/// Rows, or bytes of them, from which on they are compacted if they hold this many times what is needed. A row takes a
/// tenth of a millisecond to read at opening.
const COMPACT_ROWS: u64 = 256;
const COMPACT_BYTES: usize = 1 << 20;
const COMPACT_RATIO: usize = 3;

/// Rows that are read or deleted at a time.
const PAGE: u64 = 64;

/// Several updates, each with the position of the newest operation when it is set.
pub type TransientUpdates = Vec<(Position, TransientUpdate)>;

/// One change in a row.
#[derive(Serialize, Deserialize)]
enum Entry {
    Value(Position, TransientChange),
    Clock(Position, GameTime),
    /// The journal says what the clock shows.
    NoClock,
}

/// What a change is of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    Clock,
    Value(EntityId, Predicate),
}

impl Entry {
    fn of(&self) -> Of {
        match self {
            Self::Value(_, change) => Of::Value(change.subject.clone(), change.predicate.clone()),
            Self::Clock(..) | Self::NoClock => Of::Clock,
        }
    }

    /// Whether there is no value any more.
    fn is_cleared(&self) -> bool {
        matches!(self, Self::Value(_, TransientChange { value: None, .. }) | Self::NoClock)
    }
}

/// The rows that are in the database, and what they amount to.
#[derive(Debug, Default)]
pub(crate) struct Transients {
    /// The encoded value of each subject and predicate.
    live: BTreeMap<Of, Arc<[u8]>>,
    live_bytes: usize,
    /// The number of the oldest row, and of the next.
    first: u64,
    next: u64,
    row_bytes: usize,
    /// The number of the newest batch.
    batch: u64,
}

/// What one commit writes.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The content of its row.
    bytes: Vec<u8>,
    changes: Vec<(Of, Option<Arc<[u8]>>)>,
}

impl Batch {
    /// Encodes updates.
    ///
    /// # Errors
    /// When an update cannot be encoded.
    pub(crate) fn encode(updates: TransientUpdates) -> Result<Self, postcard::Error> {
        let entries = updates.into_iter().flat_map(|(at, update)| {
            let clock = update.clock.map(|time| Entry::Clock(at, time));
            update.values.into_iter().map(move |change| Entry::Value(at, change)).chain(clock)
        });
        Self::of(entries)
    }

    fn of(entries: impl IntoIterator<Item = Entry>) -> Result<Self, postcard::Error> {
        let mut batch = Self::default();
        for entry in entries {
            let encoded = postcard::to_stdvec(&entry)?;
            batch.bytes.extend_from_slice(&encoded);
            batch.changes.push((entry.of(), (!entry.is_cleared()).then(|| encoded.into())));
        }
        Ok(batch)
    }
}

impl Transients {
    /// The number of the newest batch.
    pub(crate) fn batch(&self) -> u64 {
        self.batch
    }

    /// The row of a batch, if it changes anything.
    pub(crate) fn row(&self, batch: &Batch) -> Option<Value> {
        (!batch.changes.is_empty()).then(|| row(self.next, self.batch + 1, batch.bytes.clone()))
    }

    /// Clears the stored values that a state does not have: operations have taken their place, which compaction may remove.
    /// Nothing that is shown changes, so it is no batch of its own.
    ///
    /// # Errors
    /// When they cannot be encoded or written. The text says why.
    pub(crate) async fn clear_stale(&mut self, db: &Db, state: &State) -> Result<(), String> {
        let clears = self.stale(state).map_err(|error| error.to_string())?;
        if clears.changes.is_empty() {
            return Ok(());
        }
        let written = insert(db, row(self.next, self.batch, clears.bytes.clone())).await;
        written.map_err(|error| error.to_string())?;
        self.next += 1;
        self.row_bytes += clears.bytes.len();
        self.merge(clears.changes);
        Ok(())
    }

    /// What clears the stored values that a state does not have.
    fn stale(&self, state: &State) -> Result<Batch, postcard::Error> {
        let clears = self.live.keys().filter_map(|of| match of {
            Of::Clock => (!state.has_transient_clock()).then_some(Entry::NoClock),
            Of::Value(subject, predicate) => state.transient(subject, predicate).is_none().then(|| {
                let (subject, predicate) = (subject.clone(), predicate.clone());
                Entry::Value(state.position(), TransientChange { subject, predicate, value: None })
            }),
        });
        Batch::of(clears)
    }

    /// Takes over a batch whose row was written.
    pub(crate) fn note(&mut self, batch: Batch) {
        if batch.changes.is_empty() {
            return;
        }
        self.next += 1;
        self.batch += 1;
        self.row_bytes += batch.bytes.len();
        self.merge(batch.changes);
    }

    fn merge(&mut self, changes: Vec<(Of, Option<Arc<[u8]>>)>) {
        for (of, value) in changes {
            let added = value.as_ref().map_or(0, |value| value.len());
            let old = match value {
                Some(value) => self.live.insert(of, value),
                None => self.live.remove(&of),
            };
            self.live_bytes = self.live_bytes + added - old.map_or(0, |old| old.len());
        }
    }

    /// Writes the values once more behind the rows, and deletes the rows, when they hold far more than the values.
    pub(crate) async fn compact_if_wasteful(&mut self, db: &Db) -> Result<(), surrealdb::Error> {
        let is_large = self.next - self.first > COMPACT_ROWS || self.row_bytes > COMPACT_BYTES;
        match is_large && self.row_bytes > self.live_bytes * COMPACT_RATIO {
            true => self.compact(db).await,
            false => Ok(()),
        }
    }

    async fn compact(&mut self, db: &Db) -> Result<(), surrealdb::Error> {
        let first_kept = self.next;
        let mut rows = Vec::<Vec<u8>>::new();
        for value in self.live.values() {
            match rows.last_mut().filter(|row| row.len() < ROW_BYTES) {
                Some(row) => row.extend_from_slice(value),
                None => rows.push(value.to_vec()),
            }
        }
        let bytes = rows.iter().map(Vec::len).sum();
        for content in rows {
            insert(db, row(self.next, self.batch, content)).await?;
            self.next += 1;
        }
        while self.first < first_kept {
            let end = (self.first + PAGE).min(first_kept);
            let range = object([("range", range(self.first, end))]);
            db.run_again("DELETE $range RETURN NONE", range).await?;
            self.first = end;
        }
        self.row_bytes = bytes;
        Ok(())
    }

    /// Reads the rows.
    ///
    /// # Errors
    /// When a row cannot be read.
    pub(crate) async fn read(db: &Db, place: &str) -> Result<(Self, TransientLog), StoreError> {
        let damaged = |what: String| StoreError::damaged(place, format!("the transient values: {what}"));
        let mut first_error = None;
        let read = Self::read_rows(db, |what| {
            first_error.get_or_insert(what);
        });
        let read = read.await.map_err(|error| damaged(error.to_string()))?;
        first_error.map_or(Ok(read), |what| Err(damaged(what)))
    }

    /// Reads the rows that can be read, and counts the others.
    pub(crate) async fn salvage(db: &Db) -> Result<(TransientLog, usize), surrealdb::Error> {
        let mut unreadable = 0;
        let (_, log) = Self::read_rows(db, |_| unreadable += 1).await?;
        Ok((log, unreadable))
    }

    /// Reads the rows; `unreadable` hears of each that cannot be read to its end.
    async fn read_rows(db: &Db, mut unreadable: impl FnMut(String)) -> Result<(Self, TransientLog), surrealdb::Error> {
        let numbers = db.value("SELECT VALUE record::id(id) FROM transient", object([])).await?;
        let numbers: Vec<u64> =
            numbers.into_array().map(Array::into_vec).unwrap_or_default().iter().filter_map(as_u64).collect();
        let first = numbers.first().copied().unwrap_or_default();
        let (mut transients, mut log) = (Self { first, next: first, ..Self::default() }, TransientLog::default());
        for number in numbers {
            let id = object([("id", record("transient", number as i64))]);
            let Value::Object(row) = db.value("SELECT batch, changes FROM ONLY $id", id).await? else {
                unreadable(format!("row {number} is missing"));
                continue;
            };
            let (Some(batch), Some(Value::Bytes(bytes))) = (row.get("batch").and_then(as_u64), row.get("changes"))
            else {
                unreadable(format!("row {number} has no content"));
                continue;
            };
            let mut rest: &[u8] = bytes;
            let mut changes = Vec::new();
            while !rest.is_empty() {
                let (entry, after) = match postcard::take_from_bytes::<Entry>(rest) {
                    Ok(read) => read,
                    Err(error) => {
                        unreadable(format!("row {number} cannot be read: {error}"));
                        break;
                    }
                };
                let encoded = &rest[..rest.len() - after.len()];
                changes.push((entry.of(), (!entry.is_cleared()).then(|| encoded.into())));
                match entry {
                    Entry::Value(at, change) => log.push_value(at, change),
                    Entry::Clock(at, time) => log.push_clock(at, time),
                    Entry::NoClock => log.clear_clock(),
                }
                rest = after;
            }
            (transients.next, transients.batch) = (number + 1, batch);
            transients.row_bytes += bytes.len();
            transients.merge(changes);
        }
        Ok((transients, log))
    }
}

pub(crate) async fn insert(db: &Db, row: Value) -> Result<(), surrealdb::Error> {
    db.run("INSERT INTO transient $row RETURN NONE", object([("row", row)])).await.map(drop)
}

fn row(number: u64, batch: u64, changes: Vec<u8>) -> Value {
    let changes = Value::Bytes(Bytes::from(changes));
    Value::Object(object([("id", record("transient", number as i64)), ("batch", int(batch)), ("changes", changes)]))
}

/// The rows from a number up to another.
fn range(first: u64, end: u64) -> Value {
    let range = RecordIdKeyRange::from(RecordIdKey::from(first as i64)..RecordIdKey::from(end as i64));
    Value::RecordId(RecordId::new("transient", range))
}
