//! Opens the database with settings, runs statements, and shuts the database down cleanly.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use surrealdb::{
    IndexedResults, Surreal,
    engine::local::Db as Local,
    opt::capabilities::Capabilities,
    types::{Object, QueryError, Value},
};
use surrealdb_cnf::ConfigMap;
use surrealdb_engine_local::Datastore;

use super::surrealkv::{DurableEngine, EngineFactory, Health, MEMTABLE_KEY, MemoryEngine, is_released};

/// Maximum number of retries of statements after a conflict.
const MAX_RETRIES: u32 = 12;

/// Size of the block cache, in bytes. A small cache is enough, because frequent reads are answered from the state in
/// memory. The engine's default is half of the machine's memory.
const BLOCK_CACHE_BYTES: usize = 32 << 20;

/// Location of a database.
#[derive(Debug, Clone)]
pub(crate) enum DatabaseLocation {
    Memory,
    /// The directory `<campaign>/db`.
    Directory(PathBuf),
}

/// Settings of a database.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) query_timeout: Duration,
    /// Timeout for reading the version of the database. The engine itself would retry for two minutes, in case a
    /// cluster is not ready yet. Without a cluster, this read fails only if the records are damaged.
    pub(crate) version_timeout: Duration,
    pub(crate) memtable_bytes: usize,
    #[cfg(feature = "testing")]
    pub(crate) faults: crate::faults::Faults,
}

impl Settings {
    /// Returns settings with a small memtable.
    #[cfg(test)]
    pub(crate) fn for_tests() -> Self {
        Self {
            query_timeout: Duration::from_secs(60),
            version_timeout: Duration::from_secs(30),
            memtable_bytes: 1 << 20,
            #[cfg(feature = "testing")]
            faults: crate::faults::Faults::default(),
        }
    }
}

/// An open database.
pub(crate) struct Db {
    surreal: Surreal<Local>,
    datastore: Arc<Datastore>,
    location: DatabaseLocation,
    health: Arc<Health>,
    memtable_bytes: usize,
    memory: MemoryEngine,
}

type Error = surrealdb::Error;

impl Db {
    pub(crate) async fn open(location: DatabaseLocation, settings: Settings) -> Result<Self, String> {
        let path = match &location {
            DatabaseLocation::Memory => "memory".to_owned(),
            DatabaseLocation::Directory(directory) => format!("surrealkv://{}?sync=every", directory.display()),
        };
        let config = ConfigMap::empty()
            .with_key_value(MEMTABLE_KEY, settings.memtable_bytes.to_string())
            .with_key_value("surrealkv_block_cache_capacity", BLOCK_CACHE_BYTES.to_string())
            // Values in blocks have checksums, but values in the separate value log do not.
            .with_key_value("surrealkv_enable_vlog", "false");
        let capabilities =
            Capabilities::new().with_scripting(false).with_guest_access(false).with_live_query_notifications(false);
        // Maintenance tasks are needed only for full-text indices, changefeeds and clusters, which this database does
        // not use. They would write to the disk every few seconds, even in an idle game.
        let builder = Datastore::builder()
            .with_config(config)
            .with_query_timeout(Some(settings.query_timeout))
            .with_capabilities(capabilities.with_all_net_targets_denied().into())
            .with_graph_fold_threshold(0)
            .without_maintenance_tasks();
        let to_text = |error: &dyn std::fmt::Display| error.to_string();
        let health = Arc::<Health>::default();
        let memory = MemoryEngine::default();
        let factory = match &location {
            DatabaseLocation::Memory => EngineFactory::Memory(memory.clone()),
            DatabaseLocation::Directory(directory) => EngineFactory::Durable(DurableEngine {
                directory: directory.clone(),
                health: Arc::clone(&health),
                memtable_bytes: settings.memtable_bytes,
                #[cfg(feature = "testing")]
                faults: settings.faults.clone(),
            }),
        };
        let datastore = builder.build_with_factory_path(&path, factory).await.map_err(|e| to_text(&e))?;
        let opened = async {
            // `Datastore::bootstrap` is not called: it would register this process as a node of a cluster. With this
            // write at each opening and another one at each shutdown, the engine would soon merge all tables again.
            let checked = tokio::time::timeout(settings.version_timeout, datastore.check_version()).await;
            checked.map_err(|_| "its internal records cannot be read".to_owned())?.map_err(|e| to_text(&e))?;
            let surreal =
                Surreal::unstable_from_datastore(Arc::clone(&datastore), None).await.map_err(|e| to_text(&e))?;
            surreal.use_ns("hearsay").use_db("campaign").await.map_err(|e| to_text(&e))?;
            Ok(surreal)
        }
        .await;
        match opened {
            Ok(surreal) => {
                Ok(Self { surreal, datastore, location, health, memtable_bytes: settings.memtable_bytes, memory })
            }
            Err(error) => {
                let _ = datastore.shutdown().await;
                Err(error)
            }
        }
    }

    /// Returns the smaller of `bytes` and the largest number of bytes for which a transaction surely fits into a
    /// memtable.
    pub(crate) fn limit_bytes(&self, bytes: usize) -> usize {
        bytes.min(self.memtable_bytes / 8)
    }

    /// Inserts entries, which were read from files, into this database in memory.
    pub(crate) async fn insert_entries(
        &self,
        entries: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>,
    ) -> Result<(), String> {
        self.memory.insert_entries(entries).await.map_err(|error| error.to_string())
    }

    /// Returns the health of the storage.
    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    /// Runs statements. If several statements fail, returns the error that caused the other errors.
    pub(crate) async fn run(&self, statements: &str, variables: Object) -> Result<IndexedResults, Error> {
        let mut results = self.surreal.query(statements).bind(Value::Object(variables)).await?;
        let mut errors: Vec<(usize, Error)> = results.take_errors().into_iter().collect();
        // If one statement of a transaction fails, the other statements report that they were not executed. A conflict
        // is reported by the last statement, COMMIT.
        errors.sort_by_key(|(number, error)| (error_rank(error), *number));
        errors.into_iter().next().map_or(Ok(results), |(_, error)| Err(error))
    }

    /// Runs statements, and retries them while the engine reports a conflict with another transaction. A transaction
    /// that ends with a conflict writes nothing.
    pub(crate) async fn run_with_retries(&self, statements: &str, variables: Object) -> Result<IndexedResults, Error> {
        let mut attempt = 0;
        loop {
            match self.run(statements, variables.clone()).await {
                Err(error) if attempt < MAX_RETRIES && is_conflict(&error) => {
                    attempt += 1;
                    tokio::time::sleep(Duration::from_millis(1 << attempt.min(8))).await;
                }
                result => return result,
            }
        }
    }

    /// Runs statements and returns the value of the last statement.
    pub(crate) async fn value(&self, statements: &str, variables: Object) -> Result<Value, Error> {
        let mut results = self.run(statements, variables).await?;
        let last = results.num_statements().saturating_sub(1);
        results.take(last)
    }

    /// Runs statements in a transaction that is then cancelled, so that they change nothing. Returns the value of the
    /// last statement.
    pub(crate) async fn query_and_cancel(&self, statements: &str) -> Result<Value, Error> {
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

    /// Shuts the database down and waits until another process can open it.
    pub(crate) async fn close(&self, timeout: Duration) -> Result<(), String> {
        let deadline = Instant::now() + timeout;
        let shutdown = tokio::time::timeout(timeout, self.datastore.shutdown()).await;
        match shutdown {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err(format!("it did not shut down within {} s", timeout.as_secs())),
        }
        let DatabaseLocation::Directory(directory) = &self.location else { return Ok(()) };
        while !is_released(directory) {
            // After a failure, the engine does not release its lock before it is dropped.
            if let Some(reason) = self.health.failure() {
                return Err(reason.to_owned());
            }
            if Instant::now() > deadline {
                return Err(format!("its lock was not released within {} s", timeout.as_secs()));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }
}

fn is_conflict(error: &Error) -> bool {
    matches!(error.query_details(), Some(QueryError::TransactionConflict))
}

/// Returns a sort key that puts causes before their consequences.
fn error_rank(error: &Error) -> u8 {
    match error.query_details() {
        Some(QueryError::TransactionConflict) => 0,
        Some(QueryError::NotExecuted | QueryError::Cancelled) => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::engine::{
        run_test,
        values::{as_u64, object},
    };

    async fn open(path: &Path) -> Db {
        Db::open(DatabaseLocation::Directory(path.join("db")), Settings::for_tests()).await.unwrap()
    }

    #[test]
    fn transactions_that_conflict_are_tried_again_until_all_are_there() {
        run_test(async {
            let directory = tempfile::tempdir().unwrap();
            let db = Arc::new(open(directory.path()).await);
            db.run("DEFINE TABLE counter SCHEMALESS; CREATE counter:one SET n = 0", object([])).await.unwrap();
            let conflicts = Arc::new(std::sync::atomic::AtomicU32::new(0));
            // The transactions of the writers overlap while they sleep.
            let statements =
                "BEGIN; UPDATE counter:one SET n += 1 RETURN NONE; SLEEP 2ms; CREATE counter RETURN NONE; COMMIT;";
            let writers: Vec<_> = (0..8)
                .map(|_| {
                    let (db, conflicts) = (Arc::clone(&db), Arc::clone(&conflicts));
                    tokio::spawn(async move {
                        for _ in 0..10 {
                            // `run_with_retries` retries only if `run` reports a conflict.
                            match db.run(statements, object([])).await {
                                Ok(_) => continue,
                                Err(error) => assert!(is_conflict(&error), "{error}"),
                            }
                            conflicts.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            db.run_with_retries(statements, object([])).await.unwrap();
                        }
                    })
                })
                .collect();
            for writer in writers {
                writer.await.unwrap();
            }
            let count = db.value("SELECT VALUE n FROM ONLY counter:one", object([])).await.unwrap();
            assert_eq!(as_u64(&count), Some(80));
            let rows = db.value("RETURN count(SELECT VALUE id FROM counter)", object([])).await.unwrap();
            assert_eq!(as_u64(&rows), Some(81));
            assert!(conflicts.load(std::sync::atomic::Ordering::Relaxed) > 0, "no two writers conflicted");
            db.close(Duration::from_secs(10)).await.unwrap();
        });
    }

    #[test]
    fn the_statement_that_failed_is_reported_and_not_those_that_were_undone_with_it() {
        run_test(async {
            let directory = tempfile::tempdir().unwrap();
            let db = open(directory.path()).await;
            let statements = "BEGIN; CREATE thing:one; CREATE thing:one; CREATE thing:two; COMMIT;";
            let error = db.run(statements, object([])).await.unwrap_err();
            assert!(error.to_string().contains("already exists"), "{error}");
            assert!(!is_conflict(&error));
            db.close(Duration::from_secs(10)).await.unwrap();
        });
    }

    #[test]
    fn a_transaction_that_no_memtable_can_take_is_refused_and_harms_nothing() {
        run_test(async {
            let directory = tempfile::tempdir().unwrap();
            let db = open(directory.path()).await;
            let large = object([("text", Value::String("x".repeat(2 << 20)))]);
            let error = db.run("CREATE thing:one SET text = $text", large).await.unwrap_err();
            assert!(error.to_string().contains("too large"), "{error}");
            assert_eq!(db.health().failure(), None);
            db.run("CREATE thing:one SET text = 'small'", object([])).await.unwrap();
            db.close(Duration::from_secs(10)).await.unwrap();
        });
    }
}
