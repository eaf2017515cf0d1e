//! Reads the intact rows of the database.

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
};

use hearsay_model::{Operation, Position, TransientLog};
use surrealdb::types::{Object, RecordId, RecordIdKey, Value};

use super::report::LostOperation;
use crate::{
    StoreError,
    engine::{
        DatabaseLocation, Db, Settings,
        raw_files::{self, FileScan},
        schema,
        values::{as_u64, into_elements, object, record_range},
    },
    files::snapshot,
    journal::{Compacted, Digest, JournalPosition, Transients, digest, entries},
};

/// Prefix of the key of a record in the storage engine. The prefix contains the numbers of the namespace and of the
/// database. The name of the table and the id of the record follow the prefix.
const RECORD_KEY_PREFIX: &[u8] = b"/*\0\0\0\0*\0\0\0\0*";

/// Tables to read: the tables that cannot be derived from other tables, and the table with the schema version.
const SALVAGED_TABLES: [&str; 5] = ["journal", "journal_chunk", "meta", "transient", "schema"];

/// Number of rows that are read at a time.
const PAGE_ROWS: u64 = 512;

/// The readable data of a directory.
pub(super) struct SalvagedRows {
    pub(super) scan: FileScan,
    pub(super) operations: BTreeMap<Position, Operation>,
    pub(super) lost: Vec<LostOperation>,
    /// Position of the end of the compacted part. [`CheckReport`](super::CheckReport) documents the fields
    /// `lost_compacted` and `changed_compacted`.
    pub(super) compacted_to: Position,
    pub(super) lost_compacted: u64,
    pub(super) changed_compacted: bool,
    /// Position of the newest operation that was ever saved, as far as the directory shows.
    pub(super) newest: Position,
    pub(super) only_in_snapshot: usize,
    pub(super) transients: TransientLog,
    pub(super) lost_transient_rows: usize,
}

/// A row of the journal that cannot be used.
struct UnreadableRow {
    summary: Option<String>,
    reason: String,
}

/// The operation in a row, or the reason why the row cannot be used.
type JournalRow = Result<Operation, UnreadableRow>;

/// Reads all intact rows.
pub(super) async fn read(
    directory: &Path,
    acknowledged: Option<JournalPosition>,
    settings: Settings,
) -> Result<SalvagedRows, StoreError> {
    let place = directory.display().to_string();
    let mut newest_entries = HashMap::<Vec<u8>, (u64, Option<Vec<u8>>)>::new();
    let scan = raw_files::read(&directory.join("db"), |entry| {
        if is_wanted(entry.key) {
            let newest = newest_entries.entry(entry.key.to_vec()).or_insert((0, None));
            if entry.sequence >= newest.0 {
                *newest = (entry.sequence, entry.value.map(<[u8]>::to_vec));
            }
        }
    });
    let scan = scan.map_err(|source| StoreError::File {
        action: "read",
        path: directory.join("db"),
        advice: "check the disk, or restore the directory from a backup",
        source,
    })?;
    let failed = |reason: String| StoreError::Database { place: place.clone(), action: "decode its rows", reason };
    let db = Db::open(DatabaseLocation::Memory, settings).await.map_err(failed)?;
    schema::migrate(&db, &place).await?;
    let entries = newest_entries.into_iter().filter_map(|(key, (_, value))| Some((key, value?)));
    db.insert_entries(entries).await.map_err(failed)?;
    schema::check_version(&db, &place).await?;
    // If the record `meta:compacted` is lost, every operation that compaction removed counts as lost.
    let compacted = Compacted::load(&db, &place).await.unwrap_or(Compacted::NONE);
    let mut counted_part = compacted.without_rows();
    let (mut rows, digests) =
        read_journal_rows(&db, &place, &mut counted_part).await.map_err(|error| failed(error.to_string()))?;
    let (transients, lost_transient_rows) = Transients::salvage(&db).await.map_err(|e| failed(e.to_string()))?;
    db.close(std::time::Duration::from_secs(10)).await.map_err(failed)?;

    let journal_count = rows.values().filter(|row| row.is_ok()).count();
    let snapshot = read_snapshot(directory, compacted.to.position);
    let snapshot_end = snapshot.and_then(|snapshot| take_from_snapshot(snapshot, &mut rows, &digests));
    let newest = [acknowledged.map(|at| at.position), rows.keys().next_back().copied(), snapshot_end];
    let newest = newest.into_iter().flatten().max().unwrap_or_default().max(compacted.to.position);
    let found_compacted = rows.range(..=compacted.to.position).count() as u64;
    let lost_compacted = compacted.row_count().saturating_sub(found_compacted);
    let changed_compacted = counted_part != compacted;
    let (mut operations, mut lost) = (BTreeMap::new(), Vec::new());
    for position in (1..=newest.0).map(Position) {
        match rows.remove(&position) {
            Some(Ok(operation)) => _ = operations.insert(position, operation),
            Some(Err(UnreadableRow { summary, reason })) => lost.push(LostOperation { position, summary, reason }),
            None if position <= compacted.to.position => {}
            None => lost.push(LostOperation { position, summary: None, reason: "no file has this operation".into() }),
        }
    }
    Ok(SalvagedRows {
        scan,
        only_in_snapshot: operations.len() - journal_count,
        operations,
        lost,
        compacted_to: compacted.to.position,
        lost_compacted,
        changed_compacted,
        newest,
        transients,
        lost_transient_rows,
    })
}

fn is_wanted(key: &[u8]) -> bool {
    let Some(rest) = key.strip_prefix(RECORD_KEY_PREFIX) else { return false };
    SALVAGED_TABLES.iter().any(|table| rest.strip_prefix(table.as_bytes()).is_some_and(|rest| rest.starts_with(b"\0*")))
}

/// Reads all rows of the journal. Returns the operations and the digests by position. Adds the rows of the compacted
/// part to `counted_part`.
async fn read_journal_rows(
    db: &Db,
    place: &str,
    counted_part: &mut Compacted,
) -> Result<(BTreeMap<Position, JournalRow>, BTreeMap<Position, Digest>), surrealdb::Error> {
    let numbers = db.value("SELECT VALUE record::id(id) FROM journal", object([])).await?;
    let numbers: Vec<u64> = into_elements(numbers).iter().filter_map(as_u64).collect();
    let (mut rows, mut digests) = (BTreeMap::new(), BTreeMap::new());
    digests.insert(counted_part.to.position, counted_part.to.digest);
    let mut next = 0;
    while let Some(start) = numbers.iter().copied().find(|number| *number >= next) {
        next = start + PAGE_ROWS;
        let range = object([("range", record_range("journal", start..next))]);
        let page = db.value("SELECT * FROM $range", range).await?;
        for row in into_elements(page) {
            let Value::Object(mut row) = row else { continue };
            let Some(Value::RecordId(RecordId { key: RecordIdKey::Number(number), .. })) = row.get("id") else {
                continue;
            };
            let position = Position(u64::try_from(*number).unwrap_or_default());
            if position > counted_part.to.position {
                digests.extend(row.get("digest").and_then(entries::as_digest).map(|digest| (position, digest)));
            }
            let decoded = decode_row(db, place, position, &mut row, &digests, counted_part).await;
            rows.insert(position, decoded);
        }
    }
    Ok((rows, digests))
}

/// Returns the operation of a row. If the digest of the previous row is known, checks the digest of this row against
/// it. Adds a row of the compacted part to `counted_part`.
async fn decode_row(
    db: &Db,
    place: &str,
    position: Position,
    row: &mut Object,
    digests: &BTreeMap<Position, Digest>,
    counted_part: &mut Compacted,
) -> JournalRow {
    let summary = match row.get("summary") {
        Some(Value::String(summary)) => Some(summary.clone()),
        _ => None,
    };
    let unreadable = |reason: String| UnreadableRow { summary, reason };
    let json = match entries::read_json(db, place, position, row).await {
        Ok((json, _)) => json,
        Err(StoreError::Damaged { description, .. }) => return Err(unreadable(description)),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    if position <= counted_part.to.position {
        counted_part.add_operation(position, &json);
    }
    let previous_digest =
        digests.get(&Position(position.0.saturating_sub(1))).filter(|_| position > counted_part.to.position);
    if previous_digest.is_some_and(|previous| digests.get(&position) != Some(&digest(previous, &json))) {
        return Err(unreadable("its content was changed (the digest differs)".into()));
    }
    serde_json::from_str(&json).map_err(|error| unreadable(format!("it cannot be read: {error}")))
}

/// The position of a snapshot, and its operations.
type Snapshot = (JournalPosition, BTreeMap<Position, Operation>);

/// Reads the snapshot. If the journal was compacted after the snapshot was written, returns only the operations after
/// the compacted part.
fn read_snapshot(directory: &Path, compacted_to: Position) -> Option<Snapshot> {
    let snapshot = snapshot::read(directory).ok()??;
    let first = if snapshot.compacted_to == compacted_to { Position(0) } else { compacted_to.next() };
    let operations: Result<Vec<_>, String> = snapshot.operations.collect();
    let operations = operations.ok()?.into_iter().map(|recorded| (recorded.position, recorded.operation));
    let operations = operations.filter(|(position, _)| *position >= first);
    Some((snapshot.at, operations.collect()))
}

/// Adds operations that are missing in the journal from the snapshot. Does nothing if the snapshot contradicts the
/// journal. Returns the position of the snapshot if it was used.
fn take_from_snapshot(
    (at, operations): Snapshot,
    rows: &mut BTreeMap<Position, JournalRow>,
    digests: &BTreeMap<Position, Digest>,
) -> Option<Position> {
    if digests.get(&at.position).is_some_and(|digest| *digest != at.digest) {
        return None;
    }
    let is_consistent = operations.iter().all(|(position, operation)| match rows.get(position) {
        Some(Ok(found)) => found == operation,
        _ => true,
    });
    if !is_consistent {
        return None;
    }
    for (position, operation) in operations {
        match rows.get(&position) {
            Some(Ok(_)) => {}
            _ => _ = rows.insert(position, Ok(operation)),
        }
    }
    Some(at.position)
}
