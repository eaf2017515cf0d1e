//! The journal in a SurrealDB server.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hearsay_model::{Operation, Position, TransientUpdate};
use surrealdb::types::{Array, Object, RecordId, RecordIdKey, Value};
use uuid::Uuid;

use super::journal::{Append, AppendFailure, Changes, End, Found, ReadFailure, SharedJournal};
use crate::{
    StoreError,
    engine::{
        Db, is_conflict,
        remote::{Remote, is_connection_lost},
        values::{int, into_elements, object, record, record_range, uuid},
    },
    journal::{Compacted, JournalPosition, StoredRow, TransientBatch, Transients, entries, short_json},
};

/// Maximum number of rows of each table that are read at a time.
const PAGE_ROWS: u64 = 64;

/// End of the range of all possible numbers of rows.
const END_OF_ROWS: u64 = i64::MAX as u64;

/// The text that the append statement throws if the journal has grown.
const GROWN: &str = "hearsay: the journal has grown";

/// The text that the append statement throws if the server ignored its rows. Statements of a login that may only read do
/// not fail, but have no effect.
const READ_ONLY: &str = "hearsay: this login may only read the campaign";

/// The journal in a server.
pub(super) struct DatabaseJournal {
    db: Arc<Db>,
    place: String,
    compacted: Compacted,
    transients: Mutex<Transients>,
    /// The JSON of a large operation that was written in chunks for an append that is not certain yet.
    chunked: tokio::sync::Mutex<Option<ChunkedJson>>,
}

/// JSON that was written in chunks.
struct ChunkedJson {
    append: Uuid,
    position: Position,
    first: u64,
    written: entries::WrittenChunks,
}

/// The row of an operation that is to be appended.
struct OperationRow {
    at: JournalPosition,
    row: Object,
}

impl DatabaseJournal {
    pub(super) fn new(db: Arc<Db>, place: String, compacted: Compacted, transients: Transients) -> Self {
        Self { db, place, compacted, transients: Mutex::new(transients), chunked: tokio::sync::Mutex::default() }
    }

    fn transients(&self) -> std::sync::MutexGuard<'_, Transients> {
        self.transients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the record that contains the digest of the newest operation, or `None` if there is no operation.
    fn head(&self, last: JournalPosition) -> Option<Value> {
        match last.position {
            Position(0) => None,
            position if position == self.compacted.to.position => Some(record("meta", "compacted".to_owned())),
            position => Some(record("journal", position.0 as i64)),
        }
    }

    /// Creates the row of an operation. Writes the JSON of a large operation in chunks first.
    async fn operation_row(
        &self,
        after: End,
        append: Uuid,
        operation: &Arc<Operation>,
    ) -> Result<OperationRow, AppendFailure> {
        let json = short_json(operation, self.db.limit_bytes(entries::MAX_TRANSACTION_BYTES));
        let json = json.map_err(|error| AppendFailure::Rejected(error.to_string()))?;
        let (at, mut row) = match json {
            Some(json) => {
                let at = after.last.next(&json);
                (at, entries::inline_row(at, operation, json))
            }
            None => {
                let position = after.last.position.next();
                let mut chunked = self.chunked.lock().await;
                let is_written =
                    chunked.as_ref().is_some_and(|json| (json.append, json.position) == (append, position));
                if !is_written {
                    *chunked = Some(self.write_chunks(after, append, operation).await?);
                }
                let Some(json) = &*chunked else { return Err(AppendFailure::Unknown("the chunks are gone".into())) };
                let at = JournalPosition { position, digest: json.written.digest };
                let mut row = entries::chunked_row(at, operation, &json.written);
                row.insert("first_chunk", int(json.first));
                (at, row)
            }
        };
        row.insert("append", uuid(append));
        // For people who read the table. Any client can write any name.
        if let Some(user) = self.db.as_remote().and_then(Remote::user) {
            row.insert("login", Value::String(user.to_owned()));
        }
        Ok(OperationRow { at, row })
    }

    /// Writes the JSON of an operation in chunks, with numbers that no other program uses.
    async fn write_chunks(
        &self,
        after: End,
        append: Uuid,
        operation: &Arc<Operation>,
    ) -> Result<ChunkedJson, AppendFailure> {
        let position = after.last.position.next();
        // 43 random bits, above 20 bits for the number of the chunk.
        let first = (Uuid::new_v4().as_u128() as u64 >> 21) << 20;
        let written = entries::write_chunks(&self.db, position, first, operation, after.last.next_hasher()).await;
        let written = written.map_err(AppendFailure::Unknown)?;
        Ok(ChunkedJson { append, position, first, written })
    }

    /// Deletes the chunks of an append that was not stored. If this fails, the chunks take up space, but are otherwise
    /// harmless.
    async fn delete_chunks(&self) {
        let Some(ChunkedJson { position, first, written, .. }) = self.chunked.lock().await.take() else { return };
        for number in first..first + written.count {
            let id = object([("id", entries::chunk_record(position, number))]);
            if let Err(error) = self.db.run("DELETE $id RETURN NONE", id).await {
                tracing::debug!(%error, "a chunk of an operation that was not stored remains in the database");
                return;
            }
        }
    }

    /// Replaces the rows of transient values by fewer rows, if they contain far more data than the current values. Does
    /// nothing if another program appends at the same time.
    pub(super) async fn compact_transients(&self, end: End) {
        let max_bytes = self.db.limit_bytes(entries::MAX_TRANSACTION_BYTES);
        let Some((rows, replaced)) = self.transients().replacement(max_bytes) else { return };
        if replaced.end != end.next_row {
            return;
        }
        let id = Uuid::new_v4();
        let rows = rows.into_iter().map(|row| with_append_id(row, id)).collect::<Vec<_>>();
        let mut statements = Statements::new(self, end);
        statements.push("INSERT INTO transient $rows RETURN NONE", "rows", Value::Array(Array::from(rows)));
        statements.push("DELETE $replaced RETURN NONE", "replaced", record_range("transient", replaced.clone()));
        let (text, variables) = statements.finish(id);
        match self.db.run(&text, variables).await {
            Ok(_) => self.transients().forget_rows_before(replaced.end),
            Err(error) => tracing::debug!(%error, "the table of transient values was not compacted"),
        }
    }
}

/// The statements of a transaction that has no effect if the journal has grown.
struct Statements {
    text: String,
    variables: Object,
}

impl Statements {
    fn new(journal: &DatabaseJournal, after: End) -> Self {
        let mut variables = object([
            ("next", record("journal", after.last.position.0 as i64 + 1)),
            ("next_row", record("transient", after.next_row as i64)),
            ("later_rows", record_range("transient", after.next_row..END_OF_ROWS)),
        ]);
        let mut text = String::from("BEGIN; UPSERT meta:append SET id_of_append = $append RETURN NONE; IF ");
        if let Some(head) = journal.head(after.last) {
            text.push_str("(SELECT VALUE digest FROM ONLY $head) != $digest OR ");
            variables.insert("head", head);
            variables.insert("digest", entries::digest_value(&after.last.digest));
        }
        // A compaction may have deleted the next row, together with other rows that this program has not read yet.
        text.push_str("record::exists($next) OR (SELECT VALUE id FROM $later_rows LIMIT 1) != [] { THROW '");
        text.push_str(GROWN);
        text.push_str("' };");
        Self { text, variables }
    }

    fn push(&mut self, statement: &str, variable: &str, value: Value) {
        self.text.push_str(statement);
        self.text.push(';');
        self.variables.insert(variable, value);
    }

    /// Makes the transaction fail if a row is missing.
    fn expect_row(&mut self, variable: &str) {
        self.text.push_str(&format!(" IF !record::exists({variable}) {{ THROW '{READ_ONLY}' }};"));
    }

    fn finish(mut self, append: Uuid) -> (String, Object) {
        self.text.push_str("COMMIT;");
        self.variables.insert("append", uuid(append));
        (self.text, self.variables)
    }
}

fn with_append_id(row: Value, id: Uuid) -> Value {
    match row {
        Value::Object(mut row) => {
            row.insert("append", uuid(id));
            Value::Object(row)
        }
        other => other,
    }
}

fn as_id(value: Option<&Value>) -> Option<Uuid> {
    match value {
        Some(Value::Uuid(id)) => Some(id.into_inner()),
        _ => None,
    }
}

fn append_failure(error: surrealdb::Error) -> AppendFailure {
    if is_conflict(&error) || error.is_already_exists() || (error.is_thrown() && error.to_string().contains(GROWN)) {
        AppendFailure::Conflict
    } else if is_connection_lost(&error) {
        AppendFailure::Unknown(error.to_string())
    } else if error.is_not_allowed() || (error.is_thrown() && error.to_string().contains(READ_ONLY)) {
        AppendFailure::Rejected("this login may only read the campaign".into())
    } else {
        AppendFailure::Rejected(error.to_string())
    }
}

fn read_failure(error: surrealdb::Error) -> ReadFailure {
    ReadFailure::Disconnected(error.to_string())
}

fn damaged(error: StoreError) -> ReadFailure {
    ReadFailure::Damaged(error.to_string())
}

impl SharedJournal for DatabaseJournal {
    async fn append(&self, after: End, append: &Append) -> Result<End, AppendFailure> {
        let mut end = after;
        let mut statements = Statements::new(self, after);
        if let Some(operation) = &append.changes.operation {
            let OperationRow { at, row } = self.operation_row(after, append.id, operation).await?;
            statements.push("INSERT INTO journal $row RETURN NONE", "row", Value::Object(row));
            statements.expect_row("$next");
            end.last = at;
        }
        let updates = if append.changes.transients.is_empty() {
            Vec::new()
        } else {
            vec![(end.last.position, append.changes.transients.clone())]
        };
        let batch = TransientBatch::encode(updates).map_err(|error| AppendFailure::Rejected(error.to_string()))?;
        let row = self.transients().row(&batch);
        if let Some(row) = row {
            let row = with_append_id(row, append.id);
            statements.push("INSERT INTO transient $transient RETURN NONE", "transient", row);
            statements.expect_row("$next_row");
            end.next_row += 1;
            end.batch += 1;
        }
        let (text, variables) = statements.finish(append.id);
        match self.db.run(&text, variables).await.map_err(append_failure) {
            Ok(_) => {
                self.transients().apply_batch(batch);
                self.chunked.lock().await.take();
                Ok(end)
            }
            Err(failure) => {
                if !matches!(failure, AppendFailure::Unknown(_)) {
                    self.delete_chunks().await;
                }
                Err(failure)
            }
        }
    }

    async fn rows_after(&self, end: End) -> Result<Vec<Found>, ReadFailure> {
        let (next, row) = (end.last.position.0 + 1, end.next_row);
        let mut variables = object([
            ("journal", record_range("journal", next..next + PAGE_ROWS)),
            // After a compaction, the numbers of the rows are not contiguous.
            ("transient", record_range("transient", row..END_OF_ROWS)),
        ]);
        let head = match self.head(end.last) {
            Some(head) => {
                variables.insert("head", head);
                "(SELECT VALUE digest FROM ONLY $head)"
            }
            None => "NONE",
        };
        // One statement is one transaction, so all rows are from the same time.
        let query = format!(
            "RETURN {{ head: {head}, journal: (SELECT * FROM $journal), \
                transient: (SELECT * FROM $transient LIMIT {PAGE_ROWS}) }}"
        );
        let Value::Object(mut found) = self.db.value(&query, variables).await.map_err(read_failure)? else {
            return Err(ReadFailure::Disconnected("the server sent an unexpected answer".into()));
        };
        if end.last.position > Position(0) && found.get("head").and_then(entries::as_digest) != Some(end.last.digest) {
            let reason = format!("operation {} on the server is not the one that was read before", end.last.position);
            return Err(ReadFailure::Damaged(reason));
        }
        let operations = found.remove("journal").unwrap_or_default();
        let operations = entries::decode_rows(&self.db, &self.place, operations).await.map_err(damaged)?;
        let transients = into_elements(found.remove("transient").unwrap_or_default());
        self.in_order(end, operations, transients)
    }

    async fn wait(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

impl DatabaseJournal {
    /// Brings rows of both tables into the order in which they were appended.
    fn in_order(
        &self,
        mut end: End,
        operations: Vec<entries::StoredEntry>,
        transients: Vec<Value>,
    ) -> Result<Vec<Found>, ReadFailure> {
        let mut ids = hearsay_model::SharedIds::default();
        // If the page of transient values is full, further rows may belong before the remaining operations.
        let is_full_page = transients.len() as u64 == PAGE_ROWS;
        let rows = transients.iter().map(decode_transients).collect::<Result<Vec<_>, _>>()?;
        let (mut operations, mut rows) = (operations.into_iter(), rows.into_iter().peekable());
        let mut found = Vec::new();
        loop {
            while let Some(row) = rows.next_if(|row| row.at <= end.last.position) {
                let transients = self.transients().apply_new_row(row.stored);
                (end.next_row, end.batch) = (row.number + 1, self.transients().batch());
                found.push(Found { id: row.id, changes: Changes { operation: None, transients }, end });
            }
            if is_full_page && rows.peek().is_none() {
                return Ok(found);
            }
            let Some(operation) = operations.next() else { return Ok(found) };
            end.last = entries::check_next(&self.place, end.last, &operation).map_err(damaged)?;
            let id = as_id(operation.append.as_ref());
            let operation = Arc::new(operation.decode(&self.place, &mut ids).map_err(damaged)?);
            let changes = Changes { operation: Some(operation), transients: TransientUpdate::default() };
            found.push(Found { id, changes, end });
        }
    }
}

/// A row of transient values.
struct TransientRow {
    number: u64,
    stored: StoredRow,
    /// Position of the newest operation when the values were set.
    at: Position,
    /// Id of the append.
    id: Option<Uuid>,
}

fn decode_transients(row: &Value) -> Result<TransientRow, ReadFailure> {
    let damaged = |what: String| ReadFailure::Damaged(format!("the table of transient values: {what}"));
    let Value::Object(row) = row else { return Err(damaged("a row is not a record".into())) };
    let number = match row.get("id") {
        Some(Value::RecordId(RecordId { key: RecordIdKey::Number(number), .. })) => *number as u64,
        _ => return Err(damaged("a row has no number".into())),
    };
    let stored = StoredRow::decode(number, row).map_err(damaged)?;
    if let Some(what) = stored.unreadable() {
        return Err(damaged(what.to_owned()));
    }
    Ok(TransientRow { number, at: stored.position(), stored, id: as_id(row.get("append")) })
}
