//! Compares the graph tables with the state, record by record.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, Ordering},
};

use hearsay_model::State;
use surrealdb::types::{RecordId, RecordIdKey, Value};

use super::{
    build::{all_keys, rows_for_keys},
    row::{ProjectionRow, Table, record_ids},
};
use crate::engine::{
    Db,
    values::{as_u64, into_elements, object},
};

/// Number of records that are compared at a time.
const PAGE_RECORDS: usize = 512;

/// A record of the graph tables that differs from the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphDifference {
    /// Name of the table.
    pub table: &'static str,
    /// Id of the record within the table.
    pub id: String,
    /// Kind of difference.
    pub kind: DifferenceKind,
}

/// Kind of difference between the graph tables and the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The state contains the record, but the tables do not.
    Missing,
    /// The tables contain the record, but the state does not.
    Extra,
    /// The tables and the state contain the record, but with different contents.
    Changed,
}

/// A difference and the row that repairs it.
type RepairableDifference = (GraphDifference, ProjectionRow);

/// Compares all tables with the state. Returns each difference with the row that repairs it. Returns `None` if another
/// thread set `stop` to `true` before the comparison was complete.
pub(crate) async fn compare_tables(
    db: &Db,
    state: &State,
    stop: &AtomicBool,
) -> Result<Option<Vec<RepairableDifference>>, surrealdb::Error> {
    let mut differences = Vec::new();
    let mut expected: [BTreeSet<String>; Table::ALL.len()] = Default::default();
    for keys in all_keys(state, PAGE_RECORDS) {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let rows = rows_for_keys(state, &keys);
        for table in Table::ALL {
            let rows: Vec<&ProjectionRow> =
                rows.iter().filter(|row| row.table == table && !row.is_deletion()).collect();
            if rows.is_empty() {
                continue;
            }
            expected[table as usize].extend(rows.iter().map(|row| row.id.clone()));
            compare_rows(db, table, &rows, &mut differences).await?;
        }
    }
    for (table, expected) in Table::ALL.into_iter().zip(expected) {
        let count = db.value(&format!("RETURN count(SELECT VALUE id FROM {})", table.name()), object([])).await?;
        let missing = differences
            .iter()
            .filter(|(difference, row)| row.table == table && difference.kind == DifferenceKind::Missing);
        if as_u64(&count) != Some((expected.len() - missing.count()) as u64) {
            find_extra(db, table, &expected, &mut differences).await?;
        }
    }
    Ok(Some(differences))
}

/// Compares some records of one table with their expected contents.
async fn compare_rows(
    db: &Db,
    table: Table,
    rows: &[&ProjectionRow],
    differences: &mut Vec<RepairableDifference>,
) -> Result<(), surrealdb::Error> {
    let variables = object([("ids", record_ids(rows.iter().copied()))]);
    let found = db.value("SELECT * FROM $ids", variables).await?;
    let found = into_elements(found).into_iter();
    let mut found: BTreeMap<String, Value> = found.filter_map(|row| Some((record_id(&row)?, row))).collect();
    for row in rows {
        let mut content = row.content.clone().unwrap_or_default();
        content.insert("id", row.record());
        let stored = found.remove(&row.id).map(normalized_json);
        let kind = match stored {
            None => DifferenceKind::Missing,
            Some(stored) if stored != normalized_json(Value::Object(content)) => DifferenceKind::Changed,
            Some(_) => continue,
        };
        let difference = GraphDifference { table: table.name(), id: row.id.clone(), kind };
        differences.push((difference, (*row).clone()));
    }
    Ok(())
}

/// Finds the records of one table whose ids are not in `expected`.
async fn find_extra(
    db: &Db,
    table: Table,
    expected: &BTreeSet<String>,
    differences: &mut Vec<RepairableDifference>,
) -> Result<(), surrealdb::Error> {
    let found = db.value(&format!("SELECT id FROM {}", table.name()), object([])).await?;
    for row in into_elements(found) {
        if let Some(id) = record_id(&row).filter(|id| !expected.contains(id)) {
            let row = ProjectionRow { table, id: id.clone(), content: None };
            differences.push((GraphDifference { table: table.name(), id, kind: DifferenceKind::Extra }, row));
        }
    }
    Ok(())
}

fn record_id(row: &Value) -> Option<String> {
    let Value::Object(row) = row else { return None };
    match row.get("id") {
        Some(Value::RecordId(RecordId { key: RecordIdKey::String(id), .. })) => Some(id.to_string()),
        _ => None,
    }
}

/// Converts a value to JSON. Removes null fields, because the database does not store them.
fn normalized_json(value: Value) -> serde_json::Value {
    fn remove_nulls(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(fields) => {
                fields.retain(|_, value| !value.is_null());
                fields.values_mut().for_each(remove_nulls);
            }
            serde_json::Value::Array(values) => values.iter_mut().for_each(remove_nulls),
            _ => {}
        }
    }
    let mut json = value.into_json_value();
    remove_nulls(&mut json);
    json
}
