//! An open database: runs statements, and closes the database.

use std::{sync::Arc, time::Duration};

use surrealdb::{
    IndexedResults,
    types::{Object, QueryError, Value},
};

use super::{
    embedded::Embedded,
    settings::{DatabaseLocation, Settings},
    surrealkv::Health,
};

/// Maximum number of retries of statements after a conflict.
const MAX_RETRIES: u32 = 12;

/// An open database.
pub(crate) struct Db {
    connection: Connection,
    health: Arc<Health>,
    memtable_bytes: usize,
}

/// Where the database of a [`Db`] runs.
enum Connection {
    /// In this process.
    Embedded(Embedded),
    /// In a server.
    #[cfg(feature = "remote")]
    Remote(super::remote::Remote),
}

type Error = surrealdb::Error;

impl Db {
    /// Opens a database in this process.
    pub(crate) async fn open(location: DatabaseLocation, settings: Settings) -> Result<Self, String> {
        let health = Arc::<Health>::default();
        let memtable_bytes = settings.memtable_bytes;
        let embedded = Embedded::open(location, &settings, &health).await?;
        Ok(Self { connection: Connection::Embedded(embedded), health, memtable_bytes })
    }

    /// Connects to a database in a server.
    #[cfg(feature = "remote")]
    pub(crate) fn remote(endpoint: crate::Endpoint, settings: &Settings) -> Self {
        let remote = super::remote::Remote::new(endpoint, settings.query_timeout);
        Self { connection: Connection::Remote(remote), health: Arc::default(), memtable_bytes: settings.memtable_bytes }
    }

    /// Returns the connection to the server, or `None` if the database runs in this process.
    #[cfg(feature = "remote")]
    pub(crate) fn as_remote(&self) -> Option<&super::remote::Remote> {
        match &self.connection {
            Connection::Remote(remote) => Some(remote),
            Connection::Embedded(_) => None,
        }
    }

    /// Returns a statement that must come first in each transaction on the graph tables, with its variable. If another
    /// program has the right to write the tables, the statement makes the transaction fail. Returns `None` if the
    /// database runs in this process, so that no other program uses it.
    pub(crate) fn table_guard(&self) -> Option<(&'static str, Value)> {
        match &self.connection {
            Connection::Embedded(_) => None,
            #[cfg(feature = "remote")]
            Connection::Remote(remote) => Some(remote.table_guard()),
        }
    }

    /// Returns the database if it runs in this process.
    fn embedded(&self) -> Result<&Embedded, Error> {
        match &self.connection {
            Connection::Embedded(embedded) => Ok(embedded),
            #[cfg(feature = "remote")]
            Connection::Remote(_) => Err(Error::internal("the database runs in a server".to_owned())),
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
        let embedded = self.embedded().map_err(|error| error.to_string())?;
        embedded.memory.insert_entries(entries).await.map_err(|error| error.to_string())
    }

    /// Returns the health of the storage.
    pub(crate) fn health(&self) -> &Health {
        &self.health
    }

    /// Runs statements. If several statements fail, returns the error that caused the other errors.
    pub(crate) async fn run(&self, statements: &str, variables: Object) -> Result<IndexedResults, Error> {
        let mut results = match &self.connection {
            Connection::Embedded(embedded) => embedded.surreal.query(statements).bind(Value::Object(variables)).await?,
            #[cfg(feature = "remote")]
            Connection::Remote(remote) => remote.query(statements, variables).await?,
        };
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
        let transaction = self.embedded()?.surreal.clone().begin().await?;
        let result = async {
            let mut results = transaction.query(statements).await?.check()?;
            let last = results.num_statements().saturating_sub(1);
            results.take(last)
        }
        .await;
        transaction.cancel().await?;
        result
    }

    /// Shuts the database down and waits until another process can open it. Ends the connection to a server.
    pub(crate) async fn close(&self, timeout: Duration) -> Result<(), String> {
        match &self.connection {
            Connection::Embedded(embedded) => embedded.close(timeout).await,
            #[cfg(feature = "remote")]
            Connection::Remote(remote) => {
                remote.disconnect().await;
                Ok(())
            }
        }
    }
}

/// Returns whether a transaction was rejected because of another transaction. The rejected transaction wrote nothing.
pub(crate) fn is_conflict(error: &Error) -> bool {
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
