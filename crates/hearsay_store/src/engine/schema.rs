//! The database schema and its migrations.

use surrealdb::types::Value;

use super::{
    Db,
    values::{as_u64, int, object},
};
use crate::StoreError;

/// All migrations. The first one creates schema 4. A released migration never changes.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/0004_journal_and_graph.surql")];

/// Newest schema version that this program cannot read. Only development versions of the program wrote it.
const NEWEST_UNSUPPORTED: u64 = 3;

/// Schema version that this program writes.
pub(crate) const CURRENT_VERSION: u64 = NEWEST_UNSUPPORTED + MIGRATIONS.len() as u64;

/// Migrates the database to the newest schema, with one transaction per migration. Returns the schema version before
/// the migration, or 0 for a new database.
pub(crate) async fn migrate(db: &Db, place: &str) -> Result<u64, StoreError> {
    let failed = |action, reason: String| StoreError::Database { place: place.into(), action, reason };
    let found = check_version(db, place).await?;
    for (version, migration) in (NEWEST_UNSUPPORTED + 1..).zip(MIGRATIONS).filter(|(version, _)| *version > found) {
        let statements = format!("BEGIN; {migration}\n UPSERT schema:current SET version = $version; COMMIT;");
        let migrated = db.run(&statements, object([("version", int(version))])).await;
        migrated.map_err(|e| failed("migrate its schema", format!("migration {version}: {e}")))?;
        tracing::info!(version, "schema migrated");
    }
    Ok(found)
}

/// Migrates a database to which other programs may connect at the same time. Returns the schema version before the
/// migration, or 0 for a new database. With a login that may only read, a current schema is enough.
#[cfg(feature = "remote")]
pub(crate) async fn migrate_shared(db: &Db, place: &str) -> Result<u64, StoreError> {
    // If the table does not exist yet, the query fails.
    let version = db.value("SELECT VALUE version FROM ONLY schema:current", object([])).await;
    if version.ok().as_ref().and_then(as_u64) == Some(CURRENT_VERSION) {
        return Ok(CURRENT_VERSION);
    }
    let migrated = migrate(db, place).await;
    match &migrated {
        // Another program may have migrated the database at the same time.
        Err(StoreError::Database { .. }) if check_version(db, place).await? == CURRENT_VERSION => Ok(CURRENT_VERSION),
        _ => migrated,
    }
}

/// Returns the schema version of a database, or 0 for a new database.
///
/// # Errors
/// Returns an error if a newer program or a development version wrote the database.
pub(crate) async fn check_version(db: &Db, place: &str) -> Result<u64, StoreError> {
    let query =
        "DEFINE TABLE IF NOT EXISTS schema TYPE NORMAL SCHEMALESS; SELECT VALUE version FROM ONLY schema:current";
    let found = db.value(query, object([])).await.map_err(|error| StoreError::Database {
        place: place.into(),
        action: "read its schema",
        reason: error.to_string(),
    })?;
    let found = match &found {
        Value::None | Value::Null => 0,
        value => as_u64(value).ok_or_else(|| StoreError::damaged(place, "the schema version is not a number"))?,
    };
    match found {
        1..=NEWEST_UNSUPPORTED => {
            Err(StoreError::SchemaTooOld { place: place.into(), found, supported: NEWEST_UNSUPPORTED + 1 })
        }
        _ if found > CURRENT_VERSION => {
            Err(StoreError::SchemaTooNew { place: place.into(), found, supported: CURRENT_VERSION })
        }
        _ => Ok(found),
    }
}
