//! Writes the graph tables in transactions of limited size.

use std::fmt::Write;

use hearsay_model::Position;
use surrealdb::types::{Array, Object, Value};

use super::row::{ProjectionRow, Table, Watermark, record_ids};
use crate::engine::{
    Db,
    values::{as_u64, int, into_elements, object},
};

/// Maximum number of rows in one transaction.
const MAX_TRANSACTION_ROWS: usize = 256;

/// Approximate maximum number of bytes in one transaction.
const MAX_TRANSACTION_BYTES: usize = 1 << 20;

/// Approximate number of bytes that the keys of one row take in the storage engine. An edge has five keys in the
/// storage engine.
const KEY_BYTES_PER_ROW: usize = 4 << 10;

/// Writes rows. If `watermark` is given, writes it together with the last rows.
pub(crate) async fn write(
    db: &Db,
    mut rows: Vec<ProjectionRow>,
    watermark: Option<Watermark>,
) -> Result<(), surrealdb::Error> {
    // Deletions come first; edges are deleted before the records that they connect. Then the other rows are written,
    // edges last.
    rows.sort_by_key(|row| match row.content {
        None => (0, -(row.table as i8)),
        Some(_) => (1, row.table as i8),
    });
    let (max_rows, max_bytes) = limits(db);
    let mut remaining = rows.into_iter().peekable();
    loop {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while let Some(row) = remaining.peek() {
            let approximate_bytes = row.approximate_bytes();
            if batch.len() >= max_rows || (bytes + approximate_bytes > max_bytes && !batch.is_empty()) {
                break;
            }
            bytes += approximate_bytes;
            batch.extend(remaining.next());
        }
        let is_last = remaining.peek().is_none();
        write_batch(db, batch, watermark.filter(|_| is_last)).await?;
        if is_last {
            return Ok(());
        }
    }
}

/// Returns the maximum number of rows and of bytes in one transaction.
fn limits(db: &Db) -> (usize, usize) {
    let bytes = db.limit_bytes(MAX_TRANSACTION_BYTES);
    ((bytes / KEY_BYTES_PER_ROW).clamp(1, MAX_TRANSACTION_ROWS), bytes)
}

/// Returns the beginning of a transaction on the tables, with its variables.
fn begin(db: &Db) -> (String, Object) {
    let mut variables = object([]);
    let guard = db.table_guard().map_or("", |(guard, lease_holder)| {
        variables.insert("lease_holder", lease_holder);
        guard
    });
    (format!("BEGIN; {guard}"), variables)
}

async fn write_batch(db: &Db, batch: Vec<ProjectionRow>, watermark: Option<Watermark>) -> Result<(), surrealdb::Error> {
    if batch.is_empty() && watermark.is_none() {
        return Ok(());
    }
    let (mut statements, mut variables) = begin(db);
    for table in Table::ALL.into_iter().rev() {
        let deleted_ids = record_ids(batch.iter().filter(|row| row.table == table && row.is_deletion()));
        if matches!(&deleted_ids, Value::Array(ids) if !ids.is_empty()) {
            let _ = write!(statements, " DELETE $gone_{0} RETURN NONE;", table.name());
            variables.insert(format!("gone_{}", table.name()), deleted_ids);
        }
    }
    let mut rows_by_table: [Vec<Value>; Table::ALL.len()] = Default::default();
    let mut fields_by_table: [Vec<String>; Table::ALL.len()] = Default::default();
    for mut row in batch {
        let id = row.record();
        if let Some(mut content) = row.content.take() {
            // All rows of a table have the same fields. The fields `in` and `out` are left out, because no update
            // changes the ends of an edge.
            let table_fields = &mut fields_by_table[row.table as usize];
            if table_fields.is_empty() {
                table_fields.extend(content.keys().filter(|field| !["in", "out"].contains(&field.as_str())).cloned());
            }
            content.insert("id", id);
            rows_by_table[row.table as usize].push(Value::Object(content));
        }
    }
    for ((table, rows), fields) in Table::ALL.into_iter().zip(rows_by_table).zip(fields_by_table) {
        if !rows.is_empty() {
            push_upsert(&mut statements, table, &fields);
            variables.insert(format!("rows_{}", table.name()), Value::Array(Array::from(rows)));
        }
    }
    if let Some(watermark) = watermark {
        statements.push_str(" UPSERT meta:projections SET position = $position, batch = $batch;");
        variables.insert("position", int(watermark.position.0));
        variables.insert("batch", int(watermark.batch));
    }
    statements.push_str(" COMMIT;");
    db.run_with_retries(&statements, variables).await.map(drop)
}

fn push_upsert(statements: &mut String, table: Table, fields: &[String]) {
    let (relation, name) = (if table.is_relation() { " RELATION" } else { "" }, table.name());
    // The prefix `rows_` is needed because SurrealDB reserves the name `$session`.
    let _ = write!(statements, " INSERT{relation} INTO {name} $rows_{name} ON DUPLICATE KEY UPDATE ");
    for (index, field) in fields.iter().enumerate() {
        let _ = write!(statements, "{}{field} = $input.{field}", if index == 0 { "" } else { ", " });
    }
    statements.push_str(" RETURN NONE;");
}

/// Number of ids that [`clear`] reads at a time. Each of these queries also reads the deleted records that the storage
/// engine has not removed from its files yet, so a small number would make [`clear`] slow.
const CLEARED_IDS: usize = 50_000;

/// Reads the watermark of the tables.
pub(crate) async fn watermark(db: &Db) -> Result<Watermark, surrealdb::Error> {
    let found = db.value("SELECT position, batch FROM ONLY meta:projections", object([])).await?;
    let Value::Object(found) = found else { return Ok(Watermark::default()) };
    let number = |name| found.get(name).and_then(as_u64).unwrap_or(0);
    Ok(Watermark { position: Position(number("position")), batch: number("batch") })
}

/// Returns whether the tables were compared with the state, and no comparison is due since then.
pub(crate) async fn is_verified(db: &Db) -> Result<bool, surrealdb::Error> {
    let found = db.value("SELECT VALUE verified FROM ONLY meta:projections", object([])).await?;
    Ok(matches!(found, Value::Bool(true)))
}

/// Records in the database that the tables were compared with the state, or that a comparison is due.
pub(crate) async fn set_verified(db: &Db, is_verified: bool) -> Result<(), surrealdb::Error> {
    let variables = object([("verified", Value::Bool(is_verified))]);
    db.run_with_retries("UPSERT meta:projections SET verified = $verified", variables).await.map(drop)
}

/// Deletes all rows. First marks the tables as being cleared. If the program is killed before all rows are deleted, the
/// tables are therefore cleared and rebuilt later.
pub(crate) async fn clear(db: &Db) -> Result<(), surrealdb::Error> {
    write(db, Vec::new(), Some(Watermark::CLEARING)).await?;
    for table in Table::ALL.into_iter().rev() {
        let ids = format!("SELECT VALUE id FROM {} LIMIT {CLEARED_IDS}", table.name());
        loop {
            let ids = into_elements(db.value(&ids, object([])).await?);
            if ids.is_empty() {
                break;
            }
            for ids in ids.chunks(limits(db).0) {
                let (mut statements, mut variables) = begin(db);
                statements.push_str(" DELETE $ids RETURN NONE; COMMIT;");
                variables.insert("ids", Value::Array(Array::from(ids.to_vec())));
                db.run_with_retries(&statements, variables).await?;
            }
        }
    }
    write(db, Vec::new(), Some(Watermark::default())).await
}
