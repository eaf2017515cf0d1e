//! The schema, and how an older one becomes the newest.

use surrealdb::types::Value;

use crate::{
    StoreError,
    db::{Db, as_u64, int, object},
};

/// Every migration, the first makes schema 1. Those that were released never change.
const MIGRATIONS: &[&str] = &[
    include_str!("../migrations/0001_journal_and_graph.surql"),
    include_str!("../migrations/0002_transient_values.surql"),
];

/// The schema that this program writes.
pub(crate) const NEWEST: u64 = MIGRATIONS.len() as u64;

/// Brings the database to the newest schema, each step in a transaction. Returns the schema that was found; 0 for a
/// new database.
pub(crate) async fn migrate(db: &Db, place: &str) -> Result<u64, StoreError> {
    let failed = |action, reason: String| StoreError::Database { place: place.into(), action, reason };
    let found = check_version(db, place).await?;
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(found as usize) {
        let version = index as u64 + 1;
        let step = format!("BEGIN; {migration}\n UPSERT schema:current SET version = $version; COMMIT;");
        let done = db.run(&step, object([("version", int(version))])).await;
        done.map_err(|e| failed("take its new schema", format!("migration {version}: {e}")))?;
        tracing::info!(version, "schema migrated");
    }
    Ok(found)
}

/// The schema of a database; 0 for a new one.
///
/// # Errors
/// When a newer program wrote it.
pub(crate) async fn check_version(db: &Db, place: &str) -> Result<u64, StoreError> {
    let read =
        "DEFINE TABLE IF NOT EXISTS schema TYPE NORMAL SCHEMALESS; SELECT VALUE version FROM ONLY schema:current";
    let found = db.value(read, object([])).await.map_err(|error| StoreError::Database {
        place: place.into(),
        action: "read its schema",
        reason: error.to_string(),
    })?;
    let found = match &found {
        Value::None | Value::Null => 0,
        value => as_u64(value).ok_or_else(|| StoreError::damaged(place, "the schema version is not a number"))?,
    };
    match found > NEWEST {
        true => Err(StoreError::TooNew { place: place.into(), found, supported: NEWEST }),
        false => Ok(found),
    }
}
