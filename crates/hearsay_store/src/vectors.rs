//! Vectors: a cache beside the journal, keyed by model and by the hash of the text (32 hexadecimal digits).

use surrealdb::types::{Array, Bytes, Object, RecordId, RecordIdKey, RecordIdKeyRange, Value};

use crate::db::{Db, int, object};

/// Bytes of vectors in one transaction.
const BYTES: usize = 1 << 20;

/// Rows read at a time.
const PAGE: u64 = 2_000;

/// The hash of a text, and the vector of the text.
pub type Vector = ([u8; 16], Vec<f32>);

fn key(model: &str, hash: [u8; 16]) -> RecordIdKey {
    let hash = format!("{:032x}", u128::from_be_bytes(hash));
    RecordIdKey::Array(Array::from(vec![Value::String(model.to_owned()), Value::String(hash)]))
}

pub(crate) async fn put(db: &Db, model: &str, vectors: Vec<Vector>) -> Result<(), surrealdb::Error> {
    let mut rest = vectors.into_iter().peekable();
    while rest.peek().is_some() {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while bytes < BYTES
            && let Some((hash, vector)) = rest.next()
        {
            let little: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            bytes += little.len() + 64;
            let id = Value::RecordId(RecordId::new("vector", key(model, hash)));
            rows.push(Value::Object(object([("id", id), ("v", Value::Bytes(Bytes::from(little)))])));
        }
        let rows = object([("rows", Value::Array(Array::from(rows)))]);
        db.run_again("INSERT INTO vector $rows ON DUPLICATE KEY UPDATE v = $input.v RETURN NONE", rows).await?;
    }
    Ok(())
}

/// Reads the vectors of a model after a hash, a page of them in the order of their hashes. An empty page is the end.
pub(crate) async fn page(db: &Db, model: &str, after: Option<[u8; 16]>) -> Result<Vec<Vector>, surrealdb::Error> {
    use std::ops::Bound::{Excluded, Included};
    let model_key = |rest: Vec<Value>| {
        let mut parts = vec![Value::String(model.to_owned())];
        parts.extend(rest);
        RecordIdKey::Array(Array::from(parts))
    };
    let start = after.map_or_else(|| Included(model_key(vec![])), |hash| Excluded(key(model, hash)));
    // Arrays sort after strings, so this lies after every hash of the model.
    let end = Excluded(model_key(vec![Value::Array(Array::from(Vec::<Value>::new()))]));
    let range = RecordIdKeyRange::from((start, end));
    let range = Value::RecordId(RecordId::new("vector", range));
    let page = object([("range", range), ("page", int(PAGE))]);
    let rows = db.value("SELECT * FROM $range LIMIT $page", page).await?;
    let rows = rows.into_array().map(Array::into_vec).unwrap_or_default();
    Ok(rows.into_iter().filter_map(read).collect())
}

/// A row that is not what was written is left out: its vector is computed again.
fn read(row: Value) -> Option<Vector> {
    let Value::Object(row) = row else { return None };
    let hash = match row.get("id")? {
        Value::RecordId(RecordId { key: RecordIdKey::Array(parts), .. }) => match parts.get(1)? {
            Value::String(hash) => u128::from_str_radix(hash, 16).ok()?.to_be_bytes(),
            _ => return None,
        },
        _ => return None,
    };
    let Value::Bytes(bytes) = row.get("v")? else { return None };
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| (hash, numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()))
}

/// Deletes the vectors of all models but one.
pub(crate) async fn clear(db: &Db, except: Option<&str>) -> Result<(), surrealdb::Error> {
    let keep = except.map_or(Value::None, |model| Value::String(model.to_owned()));
    let statements = "LET $ids = SELECT VALUE id FROM vector WHERE $keep = NONE OR id[0] != $keep LIMIT 1000;
        DELETE $ids RETURN NONE; RETURN array::len($ids)";
    let variables: Object = object([("keep", keep)]);
    while crate::db::as_u64(&db.value(statements, variables.clone()).await?).unwrap_or(0) > 0 {}
    Ok(())
}
