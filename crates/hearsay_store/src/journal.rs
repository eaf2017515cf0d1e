//! The journal: operations as rows, large ones in chunks, each row bound to the one before by its digest.

use std::sync::Arc;

use hearsay_model::{Operation, Position, SharedIds};
use surrealdb::types::{Array, Bytes, Object, RecordId, RecordIdKey, RecordIdKeyRange, Value};

use crate::{
    StoreError,
    db::{Db, as_u64, int, object, record},
    error::RESTORE,
    kv::explain,
    mark::Acknowledged,
};

/// blake3 over the digest of the entry before and the operation's JSON: equal digests mean equal journals.
pub(crate) type Digest = [u8; 32];

/// The digest of the empty journal.
pub(crate) const EMPTY: Acknowledged = Acknowledged { position: Position(0), digest: [0; 32] };

/// Bytes of JSON that one transaction holds at most.
pub(crate) const TRANSACTION: usize = 2 << 20;

/// Bytes of JSON in a chunk.
const CHUNK: usize = 1 << 20;

/// Rows read at a time, at first and at most; fewer where they are long.
const PAGE: (u64, u64) = (64, 512);

/// Bytes of JSON that are read at a time, about.
const PAGE_BYTES: u64 = 4 << 20;

pub(crate) fn digest(before: &Digest, json: &str) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before);
    hasher.update(json.as_bytes());
    *hasher.finalize().as_bytes()
}

/// Writes operations after `last`, all or none of them, and returns what is now the last. A row of transient values, if
/// there is one, is written with them.
///
/// Chunks go first, each in a transaction of its own; one last transaction holds the entries, and is the commit.
pub(crate) async fn commit(
    db: &Db,
    place: &str,
    last: Acknowledged,
    operations: &[Arc<Operation>],
    transient: Option<Value>,
) -> Result<Acknowledged, StoreError> {
    let first = last.position.next();
    let mut now = last;
    let (mut rows, mut inline, mut chunked) = (Vec::with_capacity(operations.len()), 0, false);
    for operation in operations {
        let json = serde_json::to_string(&**operation).map_err(|error| StoreError::NotSaved {
            place: place.into(),
            first,
            reason: error.to_string(),
        })?;
        now = Acknowledged { position: now.position.next(), digest: digest(&now.digest, &json) };
        let mut row = row(now, operation, json.len());
        if inline + json.len() <= db.bounded(TRANSACTION) {
            inline += json.len();
            row.insert("chunks", int(0));
            row.insert("operation", Value::String(json));
        } else {
            if !chunked {
                // What an earlier attempt may have left.
                sweep(db, first).await.map_err(|error| not_saved(place, first, &error))?;
                chunked = true;
            }
            let count = write_chunks(db, now.position, 0, &json).await;
            let count = match count {
                Ok(count) => count,
                Err(error) => return Err(undone(db, place, first, error).await),
            };
            row.insert("chunks", int(count));
        }
        rows.push(Value::Object(row));
    }
    let mut variables = object([("rows", Value::Array(Array::from(rows)))]);
    let statements = match transient {
        None => "INSERT INTO journal $rows RETURN NONE",
        Some(row) => {
            variables.insert("transient", row);
            "BEGIN; INSERT INTO journal $rows RETURN NONE; INSERT INTO transient $transient RETURN NONE; COMMIT;"
        }
    };
    match db.run_again(statements, variables).await {
        Ok(_) => Ok(now),
        Err(error) if chunked => Err(undone(db, place, first, error).await),
        Err(error) => Err(uncertain(db, place, first, error).await),
    }
}

/// The row of an operation, but for its content.
pub(crate) fn row(at: Acknowledged, operation: &Operation, bytes: usize) -> Object {
    let mut summary = operation.summary.clone();
    summary.truncate(summary.floor_char_boundary(200));
    object([
        ("id", int(at.position.0)),
        ("author", Value::String(operation.author.to_string())),
        ("recorded", int(operation.recorded.0)),
        ("summary", Value::String(summary)),
        ("bytes", int(bytes)),
        ("digest", Value::Bytes(Bytes::from(at.digest.to_vec()))),
    ])
}

/// Writes the chunks of an operation, from a number on. Returns how many there are.
pub(crate) async fn write_chunks(db: &Db, position: Position, first: u64, json: &str) -> Result<u64, surrealdb::Error> {
    let (mut rest, mut number) = (json, first);
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(db.bounded(CHUNK)));
        let row = object([("id", chunk_record(position, number)), ("text", Value::String(chunk.to_owned()))]);
        db.run_again("INSERT INTO journal_chunk $row RETURN NONE", object([("row", Value::Object(row))])).await?;
        (rest, number) = (after, number + 1);
    }
    Ok(number - first)
}

fn chunk_key(position: Position, number: u64) -> RecordIdKey {
    RecordIdKey::Array(Array::from(vec![int(position.0), int(number)]))
}

pub(crate) fn chunk_record(position: Position, number: u64) -> Value {
    record("journal_chunk", chunk_key(position, number))
}

pub(crate) fn not_saved(place: &str, first: Position, error: &surrealdb::Error) -> StoreError {
    StoreError::NotSaved { place: place.into(), first, reason: explain(error.to_string()) }
}

/// A commit failed. Whether its entries are there all the same, the journal says.
async fn uncertain(db: &Db, place: &str, first: Position, error: surrealdb::Error) -> StoreError {
    match entry(db, first).await {
        // After a failure of the storage, what is read from memory says nothing about the files.
        Ok(None) if db.health().failure().is_none() => not_saved(place, first, &error),
        _ => StoreError::Uncertain { place: place.into(), first, reason: explain(error.to_string()) },
    }
}

/// As [`uncertain`], and takes the chunks away. Those that stay are swept before the next commit.
async fn undone(db: &Db, place: &str, first: Position, error: surrealdb::Error) -> StoreError {
    let error = uncertain(db, place, first, error).await;
    if let StoreError::NotSaved { .. } = error
        && let Err(error) = sweep(db, first).await
    {
        tracing::warn!(%error, "chunks of an operation that was not saved stay until the next opening");
    }
    error
}

/// Deletes the chunks of a position and of all after it. Returns how many there were.
pub(crate) async fn sweep(db: &Db, first: Position) -> Result<usize, surrealdb::Error> {
    let range = RecordIdKeyRange::from(RecordIdKey::Array(Array::from(vec![int(first.0)]))..);
    let range = Value::RecordId(RecordId::new("journal_chunk", range));
    let ids = db.value("SELECT VALUE id FROM $range", object([("range", range)])).await?;
    let ids = ids.into_array().map(Array::into_vec).unwrap_or_default();
    let count = ids.len();
    for id in ids {
        db.run_again("DELETE $id RETURN NONE", object([("id", id)])).await?;
    }
    Ok(count)
}

/// The digest of the entry at a position; nothing, when there is no entry.
pub(crate) async fn entry(db: &Db, position: Position) -> Result<Option<Digest>, surrealdb::Error> {
    let id = object([("id", record("journal", position.0 as i64))]);
    let found = db.value("SELECT VALUE digest FROM $id", id).await?;
    let found = found.into_array().map(Array::into_vec).unwrap_or_default();
    Ok(found.first().and_then(as_digest))
}

pub(crate) fn as_digest(value: &Value) -> Option<Digest> {
    match value {
        Value::Bytes(bytes) => bytes.as_ref().try_into().ok(),
        _ => None,
    }
}

/// An operation as it stands in the journal.
pub(crate) struct Stored {
    pub(crate) position: Position,
    /// The digest that was written with it.
    pub(crate) digest: Option<Digest>,
    pub(crate) json: String,
    /// Numbers of the chunks that hold it.
    pub(crate) chunks: std::ops::Range<u64>,
}

impl Stored {
    /// The operation; its ids are shared with those that were read before.
    ///
    /// # Errors
    /// When another version of Hearsay wrote it.
    pub(crate) fn operation(&self, place: &str, ids: &mut SharedIds) -> Result<Operation, StoreError> {
        let read = ids.share(|| serde_json::from_str(&self.json));
        let mut operation: Operation = read.map_err(|error| StoreError::Damaged {
            place: place.into(),
            what: format!("operation {} cannot be read: {error}", self.position),
            advice: "use the version of Hearsay that wrote it, or restore the directory from a backup",
        })?;
        // It is kept as long as the state.
        operation.changes.shrink_to_fit();
        Ok(operation)
    }
}

/// The operations that are there of some positions, in order.
pub(crate) async fn page(db: &Db, place: &str, positions: std::ops::Range<u64>) -> Result<Vec<Stored>, StoreError> {
    // Ranges with both ends: with an open one, the engine reads all that follows, whatever the limit.
    let range =
        RecordIdKeyRange::from(RecordIdKey::from(positions.start as i64)..RecordIdKey::from(positions.end as i64));
    let range = object([("range", Value::RecordId(RecordId::new("journal", range)))]);
    let rows = db.value("SELECT * FROM $range", range).await;
    let rows = rows.map_err(|error| unreadable(place, Position(positions.start), &error))?;
    let mut page = Vec::new();
    for row in rows.into_array().map(Array::into_vec).unwrap_or_default() {
        let Value::Object(mut row) = row else {
            return Err(StoreError::damaged(place, "a row of the journal is not a record"));
        };
        let position = match row.get("id") {
            Some(Value::RecordId(RecordId { key: RecordIdKey::Number(n), .. })) => Position(*n as u64),
            _ => return Err(StoreError::damaged(place, "a row of the journal has no position")),
        };
        let (json, chunks) = text(db, place, position, &mut row).await?;
        page.push(Stored { position, digest: row.get("digest").and_then(as_digest), json, chunks });
    }
    Ok(page)
}

/// Reads the entries after `last` in order and hands each over; checks that none is missing and each is as written.
/// Returns the last there is.
pub(crate) async fn read(
    db: &Db,
    place: &str,
    mut last: Acknowledged,
    mut each: impl FnMut(Acknowledged, Operation),
) -> Result<Acknowledged, StoreError> {
    let (mut size, mut ids) = (PAGE.0, SharedIds::default());
    loop {
        let start = last.position.0 + 1;
        let rows = page(db, place, start..start + size).await?;
        let (count, mut bytes) = (rows.len() as u64, 0);
        for row in rows {
            bytes += row.json.len() as u64;
            last = follow(place, last, &row)?;
            each(last, row.operation(place, &mut ids)?);
        }
        if count < size {
            let range = RecordIdKeyRange::from(RecordIdKey::from(last.position.0 as i64 + 1)..);
            let range = object([("range", Value::RecordId(RecordId::new("journal", range)))]);
            let beyond = db.value("SELECT VALUE id FROM $range LIMIT 1", range).await;
            let beyond = beyond.map_err(|error| unreadable(place, last.position.next(), &error))?;
            let beyond = beyond.into_array().is_ok_and(|rows| !rows.is_empty());
            return if beyond { Err(missing(place, last.position.next())) } else { Ok(last) };
        }
        size = (size * PAGE_BYTES / bytes.max(1)).clamp(1, PAGE.1);
    }
}

/// Checks that a row is the one that was written after an operation.
pub(crate) fn follow(place: &str, last: Acknowledged, row: &Stored) -> Result<Acknowledged, StoreError> {
    let position = last.position.next();
    if row.position != position {
        return Err(missing(place, position));
    }
    let now = Acknowledged { position, digest: digest(&last.digest, &row.json) };
    if row.digest != Some(now.digest) {
        let what = format!("operation {position} is not as it was written (its digest differs)");
        return Err(StoreError::damaged(place, what));
    }
    Ok(now)
}

pub(crate) fn missing(place: &str, position: Position) -> StoreError {
    StoreError::damaged(place, format!("operation {position} is missing from the journal, and later ones are there"))
}

pub(crate) fn unreadable(place: &str, position: Position, error: &surrealdb::Error) -> StoreError {
    let what = format!("the journal cannot be read from operation {position} on: {error}");
    StoreError::Damaged { place: place.into(), what, advice: RESTORE }
}

/// The JSON of an entry, put together from its chunks where it has some, and their numbers.
pub(crate) async fn text(
    db: &Db,
    place: &str,
    position: Position,
    row: &mut Object,
) -> Result<(String, std::ops::Range<u64>), StoreError> {
    let count = row.get("chunks").and_then(as_u64);
    let first = row.get("first_chunk").and_then(as_u64).unwrap_or_default();
    let chunks = first..first + count.unwrap_or_default();
    let bytes = row.get("bytes").and_then(as_u64);
    let mut json = match (count, row.remove("operation")) {
        (Some(0), Some(Value::String(json))) => return Ok((json, chunks)),
        (Some(1..), None | Some(Value::None)) => String::new(),
        _ => return Err(StoreError::damaged(place, format!("operation {position} has no content"))),
    };
    for number in chunks.clone() {
        let id = object([("id", chunk_record(position, number))]);
        let found = db.value("SELECT VALUE text FROM $id", id).await.map_err(|e| unreadable(place, position, &e))?;
        match found.into_array().map(Array::into_vec).unwrap_or_default().pop() {
            Some(Value::String(chunk)) => json.push_str(&chunk),
            _ => {
                let what = format!("chunk {number} of operation {position} is missing");
                return Err(StoreError::damaged(place, what));
            }
        }
    }
    if bytes != Some(json.len() as u64) {
        return Err(StoreError::damaged(place, format!("operation {position} has lost a part")));
    }
    Ok((json, chunks))
}
