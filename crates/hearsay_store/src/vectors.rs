//! Vectors: a cache beside the journal, keyed by model and by the hash of the text.
//!
//! One row per vector takes long to read: a row costs a tenth of a millisecond. So a row holds a block of them, and
//! what was put one by one is packed into larger blocks while it is read. Blocks are never changed; where two hold a
//! vector for the same text, they hold the same, because a vector depends on its text alone.

use surrealdb::types::{Array, Bytes, RecordId, RecordIdKey, RecordIdKeyRange, Uuid, Value};

use crate::db::{Db, as_u64, int, object};

/// Bytes of a block, about.
const BLOCK: usize = 512 << 10;

/// Blocks smaller than this are packed together.
const SMALL: usize = BLOCK / 4;

/// Blocks read at a time.
const PAGE: usize = 8;

/// Bytes before each vector: the hash and the number of floats.
const HEAD: usize = 16 + 4;

/// The hash of a text, and the vector of the text.
pub type Vector = ([u8; 16], Vec<f32>);

fn block_id(model: &str) -> Value {
    let parts = vec![Value::String(model.to_owned()), Value::Uuid(Uuid::new_v7())];
    Value::RecordId(RecordId::new("vector", RecordIdKey::Array(Array::from(parts))))
}

fn encode(vectors: &[Vector], block: &mut Vec<u8>) {
    for (hash, vector) in vectors {
        block.extend_from_slice(hash);
        block.extend_from_slice(&(vector.len() as u32).to_le_bytes());
        block.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
    }
}

/// The vectors of a block. What is cut short is left out: it is computed again.
fn decode(mut block: &[u8], vectors: &mut Vec<Vector>) {
    while let Some((head, rest)) = block.split_at_checked(HEAD) {
        let (Ok(hash), Ok(length)) = (head[..16].try_into(), head[16..].try_into().map(u32::from_le_bytes)) else {
            return;
        };
        let Some((numbers, rest)) = rest.split_at_checked(length as usize * 4) else { return };
        let numbers = numbers.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number));
        vectors.push((hash, numbers.collect()));
        block = rest;
    }
}

/// Writes a block, and deletes those that it replaces.
async fn write(db: &Db, model: &str, block: Vec<u8>, replaced: Vec<Value>) -> Result<(), surrealdb::Error> {
    let count = block.len();
    let row = object([("id", block_id(model)), ("bytes", int(count)), ("block", Value::Bytes(Bytes::from(block)))]);
    let variables = object([("row", Value::Object(row)), ("replaced", Value::Array(Array::from(replaced)))]);
    let statements = "BEGIN; INSERT INTO vector $row RETURN NONE; DELETE $replaced RETURN NONE; COMMIT;";
    db.run_again(statements, variables).await.map(drop)
}

pub(crate) async fn put(db: &Db, model: &str, vectors: &[Vector]) -> Result<(), surrealdb::Error> {
    let mut rest = vectors;
    while let Some((first, _)) = rest.split_first() {
        let count = (BLOCK / (HEAD + first.1.len() * 4)).clamp(1, rest.len());
        let (now, after) = rest.split_at(count);
        let mut block = Vec::new();
        encode(now, &mut block);
        write(db, model, block, Vec::new()).await?;
        rest = after;
    }
    Ok(())
}

/// Hands over all vectors of a model, until `page` has enough; packs small blocks.
pub(crate) async fn load(
    db: &Db,
    model: &str,
    page: &mut (dyn FnMut(Vec<Vector>) -> bool + Send),
) -> Result<(), surrealdb::Error> {
    // Ids first: they are few, and the blocks are then read by id, some at a time.
    let part = |rest: Vec<Value>| {
        let mut parts = vec![Value::String(model.to_owned())];
        parts.extend(rest);
        RecordIdKey::Array(Array::from(parts))
    };
    // Arrays sort after every block of the model.
    let range = RecordIdKeyRange::from(part(vec![])..part(vec![Value::Array(Array::new())]));
    let range = object([("range", Value::RecordId(RecordId::new("vector", range)))]);
    let ids = db.value("SELECT VALUE id FROM $range", range).await?;
    let ids = ids.into_array().map(Array::into_vec).unwrap_or_default();
    let (mut packed, mut replaced) = (Vec::new(), Vec::new());
    for ids in ids.chunks(PAGE) {
        let variables = object([("ids", Value::Array(Array::from(ids.to_vec())))]);
        let rows = db.value("SELECT id, block FROM $ids", variables).await?;
        let mut vectors = Vec::new();
        for row in rows.into_array().map(Array::into_vec).unwrap_or_default() {
            let Value::Object(mut row) = row else { continue };
            let (Some(id), Some(Value::Bytes(block))) = (row.remove("id"), row.get("block")) else { continue };
            decode(block, &mut vectors);
            if block.len() < SMALL {
                packed.extend_from_slice(block);
                replaced.push(id);
            }
        }
        if packed.len() >= BLOCK {
            write(db, model, std::mem::take(&mut packed), std::mem::take(&mut replaced)).await?;
        }
        if !page(vectors) {
            return Ok(());
        }
    }
    if replaced.len() >= PAGE {
        write(db, model, packed, replaced).await?;
    }
    Ok(())
}

/// Deletes the vectors of all models but one.
pub(crate) async fn clear(db: &Db, except: Option<&str>) -> Result<(), surrealdb::Error> {
    let keep = except.map_or(Value::None, |model| Value::String(model.to_owned()));
    let statements =
        "LET $ids = SELECT VALUE id FROM vector WHERE $keep = NONE OR record::id(id)[0] != $keep LIMIT 100;
        DELETE $ids RETURN NONE; RETURN array::len($ids)";
    let variables = object([("keep", keep)]);
    while as_u64(&db.value(statements, variables.clone()).await?).unwrap_or(0) > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_is_cut_short_loses_its_end_only() {
        let vectors: Vec<Vector> = (0..3).map(|n| ([n; 16], vec![f32::from(n) + 0.5; 3])).collect();
        let mut block = Vec::new();
        encode(&vectors, &mut block);
        for length in 0..=block.len() {
            let mut read = Vec::new();
            decode(&block[..length], &mut read);
            assert_eq!(read, vectors[..length / (HEAD + 12)]);
        }
    }
}
