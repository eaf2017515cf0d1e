//! Creates and reads values of SurrealDB.

use std::ops::Range;

use surrealdb::types::{Array, Number, Object, RecordId, RecordIdKey, RecordIdKeyRange, Value};

/// Creates an object: the variables of a statement or the fields of a row.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Object {
    let mut object = Object::new();
    for (name, value) in fields {
        object.insert(name, value);
    }
    object
}

/// Creates a reference to a record.
pub(crate) fn record(table: &str, key: impl Into<RecordIdKey>) -> Value {
    Value::RecordId(RecordId::new(table, key))
}

/// Creates a reference to all records of a table whose numbers are in a range.
pub(crate) fn record_range(table: &str, numbers: Range<u64>) -> Value {
    let keys = RecordIdKey::from(numbers.start as i64)..RecordIdKey::from(numbers.end as i64);
    Value::RecordId(RecordId::new(table, RecordIdKeyRange::from(keys)))
}

/// Creates an integer value.
pub(crate) fn int(number: impl TryInto<i64>) -> Value {
    // The fallback is never used, because positions and sizes are far below 2^63.
    Value::Number(Number::Int(number.try_into().unwrap_or(i64::MAX)))
}

/// Creates a value that contains a UUID.
#[cfg(feature = "remote")]
pub(crate) fn uuid(id: uuid::Uuid) -> Value {
    Value::Uuid(id.into())
}

/// Returns the integer of a value, or `None` if the value is not a non-negative integer.
pub(crate) fn as_u64(value: &Value) -> Option<u64> {
    match value {
        Value::Number(Number::Int(number)) => u64::try_from(*number).ok(),
        _ => None,
    }
}

/// Returns the elements of an array, or an empty list if the value is not an array.
pub(crate) fn into_elements(value: Value) -> Vec<Value> {
    value.into_array().map(Array::into_vec).unwrap_or_default()
}
