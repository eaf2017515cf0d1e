//! The entries of the journal. Each operation has one row. The JSON of a large operation is stored in chunks. Each row
//! contains a digest that depends on the previous row.

use std::{fmt::Display, sync::Arc};

use hearsay_model::{Operation, Position, SharedIds};
use surrealdb::types::{Array, Bytes, Object, RecordId, RecordIdKey, RecordIdKeyRange, Value};
use tokio::sync::mpsc;

use super::{
    Digest, JournalPosition,
    json::{send_json, short_json},
};
use crate::{
    StoreError,
    engine::{
        Db, explain,
        values::{as_u64, int, into_elements, object, record, record_range},
    },
    error::REPAIR_ADVICE,
};

/// Maximum number of bytes of JSON in one transaction.
pub(crate) const MAX_TRANSACTION_BYTES: usize = 2 << 20;

/// Maximum number of bytes of JSON in a chunk.
const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Initial and maximum number of rows that are read at a time. The longer the rows, the fewer are read at a time.
const PAGE_ROWS: (u64, u64) = (64, 512);

/// Approximate number of bytes of JSON that are read at a time.
const TARGET_PAGE_BYTES: u64 = 4 << 20;

/// Writes operations after the position `last`, either all of them or none. Returns the new end of the journal. If
/// `transient` contains a row of transient values, writes the row in the same transaction.
///
/// The chunks of large operations are written first, each in its own transaction. Then one transaction, which is the
/// actual commit, writes all entries.
pub(crate) async fn commit(
    db: &Db,
    place: &str,
    last: JournalPosition,
    operations: &[Arc<Operation>],
    transient: Option<Value>,
) -> Result<JournalPosition, StoreError> {
    let first = last.position.next();
    let mut end = last;
    let (mut rows, mut inline_bytes, mut has_chunks) = (Vec::with_capacity(operations.len()), 0, false);
    for operation in operations {
        let remaining_bytes = db.limit_bytes(MAX_TRANSACTION_BYTES) - inline_bytes;
        let json = short_json(operation, remaining_bytes).map_err(|error| not_saved(place, first, error))?;
        let row = match json {
            Some(json) => {
                inline_bytes += json.len();
                end = end.next(&json);
                inline_row(end, operation, json)
            }
            None => {
                if !has_chunks {
                    // Deletes chunks that a failed commit may have left.
                    sweep(db, first).await.map_err(|error| not_saved(place, first, error))?;
                    has_chunks = true;
                }
                let position = end.position.next();
                match write_chunks(db, position, 0, operation, end.next_hasher()).await {
                    Ok(chunks) => {
                        end = JournalPosition { position, digest: chunks.digest };
                        chunked_row(end, operation, &chunks)
                    }
                    Err(reason) => return Err(clean_up_failed_commit(db, place, first, reason).await),
                }
            }
        };
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
    match db.run_with_retries(statements, variables).await {
        Ok(_) => Ok(end),
        Err(error) if has_chunks => Err(clean_up_failed_commit(db, place, first, error.to_string()).await),
        Err(error) => Err(failed_commit_error(db, place, first, error.to_string()).await),
    }
}

/// Creates the row of an operation, with the JSON of the operation.
pub(crate) fn inline_row(at: JournalPosition, operation: &Operation, json: String) -> Object {
    let mut row = entry_row(at, operation, json.len());
    row.insert("chunks", int(0));
    row.insert("operation", Value::String(json));
    row
}

/// Creates the row of an operation whose JSON is stored in chunks.
pub(crate) fn chunked_row(at: JournalPosition, operation: &Operation, chunks: &WrittenChunks) -> Object {
    let mut row = entry_row(at, operation, chunks.bytes);
    row.insert("chunks", int(chunks.count));
    row
}

/// Creates the row of an operation, without the JSON of the operation.
fn entry_row(at: JournalPosition, operation: &Operation, bytes: usize) -> Object {
    let mut summary = operation.summary.clone();
    summary.truncate(summary.floor_char_boundary(200));
    object([
        ("id", int(at.position.0)),
        ("author", Value::String(operation.author.to_string())),
        ("recorded", int(operation.recorded.0)),
        ("summary", Value::String(summary)),
        ("bytes", int(bytes)),
        ("digest", digest_value(&at.digest)),
    ])
}

pub(crate) fn digest_value(digest: &Digest) -> Value {
    Value::Bytes(Bytes::from(digest.to_vec()))
}

/// The JSON of an operation that was written in chunks.
pub(crate) struct WrittenChunks {
    /// Number of chunks.
    pub(crate) count: u64,
    /// Length of the JSON in bytes.
    pub(crate) bytes: usize,
    /// Hash of the JSON, and of the data that was in the hasher before it.
    pub(crate) digest: Digest,
}

/// Writes the JSON of an operation in chunks with numbers from `first` on. Adds the JSON to `hasher`.
///
/// Another thread creates the JSON, at most two chunks ahead of the writing, so that the JSON is not in memory as a
/// whole.
///
/// # Errors
/// Returns the reason if the database cannot write, or if the operation cannot be represented as JSON.
pub(crate) async fn write_chunks(
    db: &Db,
    position: Position,
    first: u64,
    operation: &Arc<Operation>,
    mut hasher: blake3::Hasher,
) -> Result<WrittenChunks, String> {
    let (sender, mut chunks) = mpsc::channel(1);
    let (operation, max_bytes) = (Arc::clone(operation), db.limit_bytes(MAX_CHUNK_BYTES));
    let serializer = tokio::task::spawn_blocking(move || send_json(&operation, max_bytes, sender));
    let (mut count, mut bytes) = (0, 0);
    while let Some(chunk) = chunks.recv().await {
        hasher.update(chunk.as_bytes());
        bytes += chunk.len();
        let row = object([("id", chunk_record(position, first + count)), ("text", Value::String(chunk))]);
        let variables = object([("row", Value::Object(row))]);
        let written = db.run_with_retries("INSERT INTO journal_chunk $row RETURN NONE", variables).await;
        written.map_err(|error| error.to_string())?;
        count += 1;
    }
    // The chunks are complete only if the thread has ended without an error.
    let serialized = serializer.await.map_err(|crash| crash.to_string())?;
    serialized.map_err(|error| error.to_string())?;
    Ok(WrittenChunks { count, bytes, digest: *hasher.finalize().as_bytes() })
}

fn chunk_key(position: Position, number: u64) -> RecordIdKey {
    RecordIdKey::Array(Array::from(vec![int(position.0), int(number)]))
}

pub(crate) fn chunk_record(position: Position, number: u64) -> Value {
    record("journal_chunk", chunk_key(position, number))
}

pub(crate) fn not_saved(place: &str, first: Position, error: impl Display) -> StoreError {
    StoreError::NotSaved { place: place.into(), first, reason: explain(error.to_string()) }
}

/// Returns the error for a failed commit: [`StoreError::NotSaved`] or [`StoreError::Uncertain`]. Reads the journal to
/// find out whether the entries are stored despite the error.
async fn failed_commit_error(db: &Db, place: &str, first: Position, reason: String) -> StoreError {
    match digest_at(db, first).await {
        // After a storage failure, the result of this read proves nothing, because the data in memory may differ from
        // the files.
        Ok(None) if db.health().failure().is_none() => not_saved(place, first, reason),
        _ => StoreError::Uncertain { place: place.into(), first, reason: explain(reason) },
    }
}

/// Returns the same error as [`failed_commit_error`]. If the operations are not saved, also deletes their chunks. If
/// the deletion fails, the next opening of the campaign deletes the chunks.
async fn clean_up_failed_commit(db: &Db, place: &str, first: Position, reason: String) -> StoreError {
    let error = failed_commit_error(db, place, first, reason).await;
    if let StoreError::NotSaved { .. } = error
        && let Err(error) = sweep(db, first).await
    {
        tracing::warn!(%error, "chunks of an uncommitted operation are deleted at the next opening");
    }
    error
}

/// Deletes the chunks of the position `first` and of all later positions. Returns the number of deleted chunks.
pub(crate) async fn sweep(db: &Db, first: Position) -> Result<usize, surrealdb::Error> {
    let range = RecordIdKeyRange::from(RecordIdKey::Array(Array::from(vec![int(first.0)]))..);
    let range = Value::RecordId(RecordId::new("journal_chunk", range));
    let ids = db.value("SELECT VALUE id FROM $range", object([("range", range)])).await?;
    let ids = into_elements(ids);
    let count = ids.len();
    for id in ids {
        db.run_with_retries("DELETE $id RETURN NONE", object([("id", id)])).await?;
    }
    Ok(count)
}

/// Returns the digest of the entry at a position, or `None` if there is no entry.
pub(crate) async fn digest_at(db: &Db, position: Position) -> Result<Option<Digest>, surrealdb::Error> {
    let id = object([("id", record("journal", position.0 as i64))]);
    let found = db.value("SELECT VALUE digest FROM $id", id).await?;
    Ok(into_elements(found).first().and_then(as_digest))
}

pub(crate) fn as_digest(value: &Value) -> Option<Digest> {
    match value {
        Value::Bytes(bytes) => bytes.as_ref().try_into().ok(),
        _ => None,
    }
}

/// An operation as stored in the journal.
pub(crate) struct StoredEntry {
    pub(crate) position: Position,
    /// Digest that was written with the operation.
    pub(crate) digest: Option<Digest>,
    pub(crate) json: String,
    /// Numbers of the chunks that contain the JSON; empty if the row itself contains it.
    pub(crate) chunks: std::ops::Range<u64>,
    /// Id of the append that wrote the row, if several programs share the journal.
    #[cfg(feature = "remote")]
    pub(crate) append: Option<Value>,
}

impl StoredEntry {
    /// Decodes the operation. The ids in the operation share memory with equal ids in `ids`.
    ///
    /// # Errors
    /// Returns an error if another version of Hearsay wrote the operation.
    pub(crate) fn decode(&self, place: &str, ids: &mut SharedIds) -> Result<Operation, StoreError> {
        let decoded = ids.share(|| serde_json::from_str(&self.json));
        let mut operation: Operation = decoded.map_err(|error| StoreError::Damaged {
            place: place.into(),
            description: format!("operation {} cannot be read: {error}", self.position),
            advice: "use the version of Hearsay that wrote the operation, or restore the directory from a backup",
        })?;
        // Frees spare capacity, because the operation stays in memory as long as the state.
        operation.changes.shrink_to_fit();
        Ok(operation)
    }
}

/// Reads the stored operations in a range of positions, in order.
pub(crate) async fn read_page(
    db: &Db,
    place: &str,
    positions: std::ops::Range<u64>,
) -> Result<Vec<StoredEntry>, StoreError> {
    // The range needs an end. Without it, the engine reads all following rows, even if the query has a limit.
    let start = Position(positions.start);
    let range = object([("range", record_range("journal", positions))]);
    let rows = db.value("SELECT * FROM $range", range).await;
    let rows = rows.map_err(|error| unreadable_journal(place, start, &error))?;
    decode_rows(db, place, rows).await
}

/// Decodes rows of the journal. Reads the chunks of large operations.
pub(crate) async fn decode_rows(db: &Db, place: &str, rows: Value) -> Result<Vec<StoredEntry>, StoreError> {
    let mut page = Vec::new();
    for row in into_elements(rows) {
        let Value::Object(mut row) = row else {
            return Err(StoreError::damaged(place, "a row of the journal is not a record"));
        };
        let position = match row.get("id") {
            Some(Value::RecordId(RecordId { key: RecordIdKey::Number(n), .. })) => Position(*n as u64),
            _ => return Err(StoreError::damaged(place, "a row of the journal has no position")),
        };
        let (json, chunks) = read_json(db, place, position, &mut row).await?;
        page.push(StoredEntry {
            position,
            digest: row.get("digest").and_then(as_digest),
            json,
            chunks,
            #[cfg(feature = "remote")]
            append: row.remove("append"),
        });
    }
    Ok(page)
}

/// Reads the entries after `last` in order, and passes each operation to `visit`. Returns the end of the journal.
///
/// # Errors
/// Returns an error if an entry is missing or differs from the entry that was written.
pub(crate) async fn read(
    db: &Db,
    place: &str,
    mut last: JournalPosition,
    mut visit: impl FnMut(JournalPosition, Operation),
) -> Result<JournalPosition, StoreError> {
    let (mut size, mut ids) = (PAGE_ROWS.0, SharedIds::default());
    // Whether later rows were found before the next page was read.
    let mut has_more = false;
    loop {
        let start = last.position.0 + 1;
        let rows = read_page(db, place, start..start + size).await?;
        if has_more && rows.is_empty() {
            return Err(missing_operation(place, last.position.next()));
        }
        let (count, mut bytes) = (rows.len() as u64, 0);
        for row in rows {
            bytes += row.json.len() as u64;
            last = check_next(place, last, &row)?;
            visit(last, row.decode(place, &mut ids)?);
        }
        if count < size {
            let range = RecordIdKeyRange::from(RecordIdKey::from(last.position.0 as i64 + 1)..);
            let range = object([("range", Value::RecordId(RecordId::new("journal", range)))]);
            let following = db.value("SELECT VALUE id FROM $range LIMIT 1", range).await;
            let following = following.map_err(|error| unreadable_journal(place, last.position.next(), &error))?;
            has_more = !into_elements(following).is_empty();
            if !has_more {
                return Ok(last);
            }
            // An operation is missing, or another program has appended operations in the meantime.
            continue;
        }
        has_more = false;
        size = (size * TARGET_PAGE_BYTES / bytes.max(1)).clamp(1, PAGE_ROWS.1);
    }
}

/// Checks that a row directly follows the entry `last` and has the expected digest. Returns the position of the row.
pub(crate) fn check_next(place: &str, last: JournalPosition, row: &StoredEntry) -> Result<JournalPosition, StoreError> {
    let expected = last.next(&row.json);
    if row.position != expected.position {
        return Err(missing_operation(place, expected.position));
    }
    if row.digest != Some(expected.digest) {
        let description = format!("the content of operation {} was changed (the digest differs)", expected.position);
        return Err(StoreError::damaged(place, description));
    }
    Ok(expected)
}

pub(crate) fn missing_operation(place: &str, position: Position) -> StoreError {
    StoreError::damaged(
        place,
        format!("operation {position} is missing from the journal, although later operations exist"),
    )
}

pub(crate) fn unreadable_journal(place: &str, position: Position, error: &surrealdb::Error) -> StoreError {
    let description = format!("the journal cannot be read from operation {position} on: {error}");
    StoreError::Damaged { place: place.into(), description, advice: REPAIR_ADVICE }
}

/// Returns the JSON of an entry and the numbers of its chunks. If the JSON is stored in chunks, joins them.
pub(crate) async fn read_json(
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
        let found =
            db.value("SELECT VALUE text FROM $id", id).await.map_err(|e| unreadable_journal(place, position, &e))?;
        match into_elements(found).pop() {
            Some(Value::String(chunk)) => json.push_str(&chunk),
            _ => {
                let description = format!("chunk {number} of operation {position} is missing");
                return Err(StoreError::damaged(place, description));
            }
        }
    }
    if bytes != Some(json.len() as u64) {
        return Err(StoreError::damaged(place, format!("the text of operation {position} is incomplete")));
    }
    Ok((json, chunks))
}
