//! The compacted part of the journal: the rows up to a position. Compaction has removed changes from some of these rows
//! and deleted others.
//!
//! After the compacted part, each row contains a digest that depends on the previous row. Within the compacted part,
//! these digests are not possible, because rows may be missing. The record `meta:compacted` therefore contains the
//! number of rows and the XOR of their checksums. Each transaction that rewrites or deletes rows also updates this
//! record. The journal therefore stays consistent even if the program is killed during the compaction. When the journal
//! is read, the record reveals damage.

use std::sync::Arc;

use hearsay_model::{Operation, Position, SharedIds};
use surrealdb::types::{Array, Bytes, Object, Value};

use super::{
    Digest, JournalPosition,
    entries::{self, StoredEntry, as_digest},
    json::short_json,
};
use crate::{
    StoreError,
    engine::{
        Db,
        values::{as_u64, int, object, record},
    },
};

/// Initial and maximum number of positions that are read at a time. The number grows while few rows are found, because
/// compaction may have deleted most of the rows.
const PAGE_POSITIONS: (u64, u64) = (256, 1 << 16);

/// Approximate number of bytes of JSON that are read at a time.
const TARGET_PAGE_BYTES: u64 = 4 << 20;

/// Maximum number of rows in one transaction.
const MAX_TRANSACTION_ROWS: usize = 64;

/// An operation that compaction rewrites or deletes. The first element is the position of the operation. The second
/// element is the operation with its remaining changes, or `None` if compaction deletes the operation.
pub type RewrittenOperation = (Position, Option<Arc<Operation>>);

/// The extent of the compacted part, with the number and combined checksum of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compacted {
    /// The last compacted position, with the digest of the original entry there. The digest of the next entry depends
    /// on it.
    pub(crate) to: JournalPosition,
    row_count: u64,
    /// XOR of the checksums of the rows.
    combined_checksum: Digest,
}

/// Returns the checksum of one operation: the BLAKE3 hash of its position and its JSON.
fn checksum(position: Position, json: &str) -> Digest {
    *hasher(position).update(json.as_bytes()).finalize().as_bytes()
}

/// Returns a hasher for the checksum of the operation at a position. The caller adds the JSON of the operation.
fn hasher(position: Position) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&position.0.to_le_bytes());
    hasher
}

impl Compacted {
    /// An empty compacted part.
    pub(crate) const NONE: Self = Self { to: JournalPosition::EMPTY, row_count: 0, combined_checksum: [0; 32] };

    /// Reads the extent of the compacted part from the database.
    pub(crate) async fn load(db: &Db, place: &str) -> Result<Self, StoreError> {
        let found = db.value("SELECT * FROM ONLY meta:compacted", object([])).await;
        let found = found.map_err(|error| StoreError::damaged(place, error.to_string()))?;
        let Value::Object(found) = found else { return Ok(Self::NONE) };
        let number = |name: &str| found.get(name).and_then(as_u64);
        let digest = |name: &str| found.get(name).and_then(as_digest);
        match (number("position"), digest("digest"), number("rows"), digest("sum")) {
            (Some(position), Some(digest), Some(row_count), Some(combined_checksum)) => {
                let to = JournalPosition { position: Position(position), digest };
                Ok(Self { to, row_count, combined_checksum })
            }
            _ => Err(StoreError::damaged(
                place,
                "the record `meta:compacted`, which says how far the journal is compacted, is incomplete",
            )),
        }
    }

    /// Creates the contents of the record `meta:compacted`.
    fn to_record(self) -> Object {
        let bytes = |digest: Digest| Value::Bytes(Bytes::from(digest.to_vec()));
        object([
            ("id", record("meta", "compacted".to_owned())),
            ("position", int(self.to.position.0)),
            ("digest", bytes(self.to.digest)),
            ("rows", int(self.row_count)),
            ("sum", bytes(self.combined_checksum)),
        ])
    }

    /// Returns the same extent with the row count and the combined checksum reset. The caller then
    /// [adds](Self::add_operation) the operations that it finds.
    pub(crate) fn without_rows(&self) -> Self {
        Self { to: self.to, ..Self::NONE }
    }

    /// Returns the number of rows.
    pub(crate) fn row_count(&self) -> u64 {
        self.row_count
    }

    /// Adds the row of an operation to the number of rows and to the combined checksum.
    pub(crate) fn add_operation(&mut self, position: Position, json: &str) {
        self.add_checksum(checksum(position, json));
    }

    fn add_checksum(&mut self, checksum: Digest) {
        self.row_count += 1;
        self.toggle_checksum(checksum);
    }

    fn remove_checksum(&mut self, checksum: Digest) {
        self.row_count = self.row_count.saturating_sub(1);
        self.toggle_checksum(checksum);
    }

    fn toggle_checksum(&mut self, checksum: Digest) {
        self.combined_checksum.iter_mut().zip(checksum).for_each(|(combined, byte)| *combined ^= byte);
    }

    /// Reads the compacted operations in order, and passes each operation to `visit`.
    ///
    /// # Errors
    /// Returns an error if rows are missing or differ from the rows that were written.
    pub(crate) async fn read(
        &self,
        db: &Db,
        place: &str,
        mut visit: impl FnMut(Position, Operation),
    ) -> Result<(), StoreError> {
        let (mut found, mut ids) = (self.without_rows(), SharedIds::default());
        let (mut start, mut size) = (1, PAGE_POSITIONS.0);
        while start <= self.to.position.0 {
            let end = (start + size).min(self.to.position.0 + 1);
            let mut bytes = 0;
            for row in entries::read_page(db, place, start..end).await? {
                bytes += row.json.len() as u64;
                found.add_operation(row.position, &row.json);
                visit(row.position, row.decode(place, &mut ids)?);
            }
            (start, size) = (end, (size * TARGET_PAGE_BYTES / bytes.max(1)).clamp(1, PAGE_POSITIONS.1).min(size * 4));
        }
        if found != *self {
            let what = format!(
                "the compacted part of the journal (up to operation {}) has {} operations instead of {}, or some of them were changed",
                self.to.position, found.row_count, self.row_count
            );
            return Err(StoreError::damaged(place, what));
        }
        Ok(())
    }

    /// Extends the compacted part up to the position `to`, and rewrites or deletes the given operations in it. All
    /// changes take effect together, in one transaction. Returns the new extent of the compacted part.
    ///
    /// # Errors
    /// Returns an error if the database cannot write, or if rows are missing.
    pub(crate) async fn advance(
        mut self,
        db: &Db,
        place: &str,
        to: Position,
        rewritten: &[RewrittenOperation],
    ) -> Result<Self, StoreError> {
        while self.to.position < to {
            let start = self.to.position.0 + 1;
            let rows = entries::read_page(db, place, start..(start + PAGE_POSITIONS.0).min(to.0 + 1)).await?;
            if rows.is_empty() {
                return Err(entries::missing_operation(place, self.to.position.next()));
            }
            for row in rows {
                self.to = entries::check_next(place, self.to, &row)?;
                self.add_operation(row.position, &row.json);
            }
        }
        let (mut deleted_ids, mut rows, mut old_chunks, mut inline_bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (position, operation) in rewritten {
            let found = entries::read_page(db, place, position.0..position.0 + 1).await?.pop();
            let Some(StoredEntry { json, chunks, .. }) = found else {
                return Err(StoreError::damaged(place, format!("operation {position} is missing from the journal")));
            };
            self.remove_checksum(checksum(*position, &json));
            match operation {
                Some(operation) => {
                    rows.push(
                        self.prepare_row(db, place, (*position, operation), chunks.end, &mut inline_bytes).await?,
                    );
                }
                None => deleted_ids.push(record("journal", position.0 as i64)),
            }
            old_chunks.extend(chunks.map(|number| entries::chunk_record(*position, number)));
        }
        self.commit(db, place, deleted_ids, rows).await?;
        // If the program is killed here, the old chunks take up space, but are otherwise harmless.
        for chunk in old_chunks {
            let deleted = db.run_with_retries("DELETE $id RETURN NONE", object([("id", chunk)])).await;
            deleted.map_err(|error| entries::not_saved(place, to, &error))?;
        }
        Ok(self)
    }

    /// Writes the compacted part of another journal to an empty journal.
    ///
    /// # Errors
    /// Returns an error if the database cannot write.
    pub(crate) async fn write(
        db: &Db,
        place: &str,
        to: Position,
        operations: &[(Position, Arc<Operation>)],
    ) -> Result<Self, StoreError> {
        let to = JournalPosition { position: to, digest: JournalPosition::EMPTY.digest };
        let mut compacted = Self { to, ..Self::NONE };
        let (mut rows, mut inline_bytes) = (Vec::new(), 0);
        for (position, operation) in operations {
            rows.push(compacted.prepare_row(db, place, (*position, operation), 0, &mut inline_bytes).await?);
            if rows.len() >= MAX_TRANSACTION_ROWS || inline_bytes >= db.limit_bytes(entries::MAX_TRANSACTION_BYTES) / 2
            {
                compacted.commit(db, place, Vec::new(), std::mem::take(&mut rows)).await?;
                inline_bytes = 0;
            }
        }
        compacted.commit(db, place, Vec::new(), rows).await?;
        Ok(compacted)
    }

    /// Creates the row of an operation and counts the row. If the JSON does not fit into the transaction, writes it in
    /// chunks with numbers from `first_chunk` on.
    async fn prepare_row(
        &mut self,
        db: &Db,
        place: &str,
        (position, operation): (Position, &Arc<Operation>),
        first_chunk: u64,
        inline_bytes: &mut usize,
    ) -> Result<Value, StoreError> {
        let remaining_bytes = db.limit_bytes(entries::MAX_TRANSACTION_BYTES) - *inline_bytes;
        let json = short_json(operation, remaining_bytes);
        let (digest, mut row) = match json.map_err(|error| entries::not_saved(place, position, error))? {
            Some(json) => {
                *inline_bytes += json.len();
                let digest = checksum(position, &json);
                (digest, entries::inline_row(JournalPosition { position, digest }, operation, json))
            }
            None => {
                let chunks = entries::write_chunks(db, position, first_chunk, operation, hasher(position)).await;
                let chunks = chunks.map_err(|reason| entries::not_saved(place, position, reason))?;
                let mut row =
                    entries::chunked_row(JournalPosition { position, digest: chunks.digest }, operation, &chunks);
                row.insert("first_chunk", int(first_chunk));
                (chunks.digest, row)
            }
        };
        self.add_checksum(digest);
        row.insert("id", record("journal", position.0 as i64));
        Ok(Value::Object(row))
    }

    /// Deletes and writes rows and updates the record `meta:compacted`, in one transaction.
    async fn commit(&self, db: &Db, place: &str, deleted_ids: Vec<Value>, rows: Vec<Value>) -> Result<(), StoreError> {
        let statements = "BEGIN; DELETE $gone RETURN NONE; \
            FOR $row IN $rows { UPSERT $row.id CONTENT $row RETURN NONE }; \
            UPSERT meta:compacted CONTENT $compacted RETURN NONE; COMMIT;";
        let variables = object([
            ("gone", Value::Array(Array::from(deleted_ids))),
            ("rows", Value::Array(Array::from(rows))),
            ("compacted", Value::Object(self.to_record())),
        ]);
        let done = db.run_with_retries(statements, variables).await;
        done.map(drop).map_err(|error| entries::not_saved(place, self.to.position, &error))
    }
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Entity, EntityId};

    use super::*;
    use crate::engine::{DatabaseLocation, Settings, run_test, schema};

    fn operation(n: u64) -> Arc<Operation> {
        let entity = Entity::new(EntityId::new(format!("e{n}")).unwrap());
        Arc::new(Operation::new(Author::Game, "add", vec![Change::AddEntity(entity)]))
    }

    async fn read(db: &Db) -> Result<Vec<u64>, String> {
        let compacted = Compacted::load(db, "here").await.map_err(|error| error.to_string())?;
        let mut found = Vec::new();
        let read = compacted.read(db, "here", |position, _| found.push(position.0)).await;
        read.map(|()| found).map_err(|error| error.to_string())
    }

    #[test]
    fn a_row_that_is_lost_or_changed_is_found_out() {
        run_test(async {
            let db = Db::open(DatabaseLocation::Memory, Settings::for_tests()).await.unwrap();
            schema::migrate(&db, "here").await.unwrap();
            let operations: Vec<_> = (1..=9).map(operation).collect();
            let last = entries::commit(&db, "here", JournalPosition::EMPTY, &operations, None).await.unwrap();
            let rewritten = [(Position(2), None), (Position(4), Some(operation(40)))];
            let compacted = Compacted::NONE.advance(&db, "here", Position(6), &rewritten).await.unwrap();
            assert_eq!(Compacted::load(&db, "here").await.unwrap(), compacted);
            assert_eq!(read(&db).await.unwrap(), [1, 3, 4, 5, 6]);
            let end = entries::read(&db, "here", compacted.to, |_, _| {}).await.unwrap();
            assert_eq!(end, last);
            db.run("UPDATE journal:5 SET operation = string::replace(operation, 'e5', 'e6')", object([]))
                .await
                .unwrap();
            assert!(read(&db).await.unwrap_err().contains("some of them were changed"));
            db.run("UPDATE journal:5 SET operation = string::replace(operation, 'e6', 'e5')", object([]))
                .await
                .unwrap();
            assert_eq!(read(&db).await.unwrap().len(), 5);
            db.run("DELETE journal:1", object([])).await.unwrap();
            assert!(read(&db).await.unwrap_err().contains("has 4 operations instead of 5"));
        });
    }
}
