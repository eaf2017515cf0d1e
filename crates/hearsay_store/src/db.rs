//! The database itself: opening it with settings, running statements, shutting it down in order.

use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use surrealdb::{
    IndexedResults, Surreal,
    engine::local::Db as Local,
    opt::capabilities::Capabilities,
    types::{Object, RecordId, RecordIdKey, Value},
};
use surrealdb_cnf::ConfigMap;
use surrealdb_engine_local::Datastore;

/// Bytes that a memtable takes. What was not yet flushed is read again at opening, so this bounds the time to open a
/// directory whose program was killed. The engine's own default is a gigabyte on a machine with 32.
const MEMTABLE: usize = 64 << 20;

/// Bytes of blocks kept in memory. Hot reads come from the state, not from here; the engine's default is half the
/// machine's memory.
const BLOCK_CACHE: usize = 32 << 20;

/// Where the database lives.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    Memory,
    /// `<campaign>/db`.
    Directory(PathBuf),
}

pub(crate) struct Db {
    surreal: Surreal<Local>,
    datastore: Arc<Datastore>,
    place: Place,
}

type Error = surrealdb::Error;

impl Db {
    /// `patience` bounds the reading of what the engine keeps for itself. It tries again for two minutes, as if it
    /// waited for a cluster, where here only damage can be the reason.
    pub(crate) async fn open(place: Place, query_timeout: Duration, patience: Duration) -> Result<Self, String> {
        let path = match &place {
            Place::Memory => "memory".to_owned(),
            Place::Directory(directory) => format!("surrealkv://{}?sync=every", directory.display()),
        };
        let config = ConfigMap::empty()
            .with_key_value("surrealkv_max_memtable_size", MEMTABLE.to_string())
            .with_key_value("surrealkv_block_cache_capacity", BLOCK_CACHE.to_string())
            // Values in blocks have checksums; values in the separate log have none.
            .with_key_value("surrealkv_enable_vlog", "false");
        let capabilities =
            Capabilities::new().with_scripting(false).with_guest_access(false).with_live_query_notifications(false);
        // No maintenance tasks: they serve full-text indices, changefeeds and clusters, of which there are none here,
        // and write to the disk every few seconds in an idle game.
        let builder = Datastore::builder()
            .with_config(config)
            .with_query_timeout(Some(query_timeout))
            .with_capabilities(capabilities.with_all_net_targets_denied().into())
            .with_graph_fold_threshold(0)
            .without_maintenance_tasks();
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let datastore = builder.build_with_path(&path).await.map_err(|e| text(&e))?;
        let opened = async {
            let begun = async {
                datastore.check_version().await.map_err(|e| text(&e))?;
                datastore.bootstrap().await.map_err(|e| text(&e))
            };
            let begun = tokio::time::timeout(patience, begun).await;
            begun.map_err(|_| "its first records cannot be read".to_owned())??;
            let surreal = Surreal::unstable_from_datastore(Arc::clone(&datastore), None).await.map_err(|e| text(&e))?;
            surreal.use_ns("hearsay").use_db("campaign").await.map_err(|e| text(&e))?;
            Ok(surreal)
        }
        .await;
        match opened {
            Ok(surreal) => Ok(Self { surreal, datastore, place }),
            Err(error) => {
                let _ = datastore.shutdown().await;
                Err(error)
            }
        }
    }

    /// Runs statements; an error in any of them is an error.
    pub(crate) async fn run(&self, statements: &str, variables: Object) -> Result<IndexedResults, Error> {
        self.surreal.query(statements).bind(Value::Object(variables)).await?.check()
    }

    /// Runs statements again as long as the engine reports a conflict with another transaction.
    pub(crate) async fn run_again(&self, statements: &str, variables: Object) -> Result<IndexedResults, Error> {
        let mut attempt = 0;
        loop {
            match self.run(statements, variables.clone()).await {
                // Conflicts have no type of their own.
                Err(error) if attempt < 8 && error.to_string().to_lowercase().contains("conflict") => {
                    attempt += 1;
                    tokio::time::sleep(Duration::from_millis(1 << attempt)).await;
                }
                result => return result,
            }
        }
    }

    /// The value of the last of some statements.
    pub(crate) async fn value(&self, statements: &str, variables: Object) -> Result<Value, Error> {
        let mut results = self.run(statements, variables).await?;
        let last = results.num_statements().saturating_sub(1);
        results.take(last)
    }

    /// The value of the last of some statements, which change nothing: they run in a transaction that is cancelled.
    pub(crate) async fn look(&self, statements: &str) -> Result<Value, Error> {
        let transaction = self.surreal.clone().begin().await?;
        let result = async {
            let mut results = transaction.query(statements).await?.check()?;
            let last = results.num_statements().saturating_sub(1);
            results.take(last)
        }
        .await;
        transaction.cancel().await?;
        result
    }

    /// Shuts the database down, and waits until another process could open it.
    pub(crate) async fn close(&self, patience: Duration) -> Result<(), String> {
        let deadline = Instant::now() + patience;
        let shut = tokio::time::timeout(patience, self.datastore.shutdown()).await;
        match shut {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err(format!("it did not shut down within {} s", patience.as_secs())),
        }
        let Place::Directory(directory) = &self.place else { return Ok(()) };
        while !is_released(directory) {
            if Instant::now() > deadline {
                return Err(format!("its lock was not released within {} s", patience.as_secs()));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }
}

/// Whether SurrealKV's lock on a directory is free.
fn is_released(directory: &Path) -> bool {
    match OpenOptions::new().write(true).open(directory.join("LOCK")) {
        Ok(file) => file.try_lock().is_ok(),
        Err(_) => true,
    }
}

/// Variables of a statement, or fields of a row.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Object {
    let mut object = Object::new();
    for (name, value) in fields {
        object.insert(name, value);
    }
    object
}

/// A reference to a record.
pub(crate) fn record(table: &str, key: impl Into<RecordIdKey>) -> Value {
    Value::RecordId(RecordId::new(table, key))
}

/// A whole number.
pub(crate) fn int(number: impl TryInto<i64>) -> Value {
    // Positions and sizes are far below 2^63.
    Value::Number(surrealdb::types::Number::Int(number.try_into().unwrap_or(i64::MAX)))
}

/// The whole number of a value.
pub(crate) fn as_u64(value: &Value) -> Option<u64> {
    match value {
        Value::Number(surrealdb::types::Number::Int(number)) => u64::try_from(*number).ok(),
        _ => None,
    }
}
