//! The connection to another program that has the database open.

use std::{sync::Arc, time::Duration};

use surrealdb::types::Value;
use tokio::runtime::Runtime;

use crate::{
    Endpoint, StoreError, StoreOptions,
    engine::{Db, block_on, remote::is_connection_lost, start_runtime, values::object},
};

/// Maximum time to end the connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection with all rights.
pub(super) struct OwnerConnection {
    db: Arc<Db>,
    place: String,
    runtime: Runtime,
}

impl OwnerConnection {
    pub(super) fn new(endpoint: &Endpoint, options: &StoreOptions) -> Result<Self, StoreError> {
        let place = endpoint.to_string();
        let runtime = start_runtime(&place, 1)?;
        let db = Arc::new(Db::remote(endpoint.clone(), &options.database_settings()));
        Ok(Self { db, place, runtime })
    }

    pub(super) fn run(&self, action: &'static str, statement: String) -> Result<Value, StoreError> {
        let db = Arc::clone(&self.db);
        let task = self.runtime.spawn(async move { db.value(&statement, object([])).await });
        let place = self.place.clone();
        match block_on(&self.runtime, task) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) if is_connection_lost(&error) => {
                Err(StoreError::ServerUnreachable { endpoint: place, reason: error.to_string() })
            }
            Ok(Err(error)) => Err(StoreError::Database { place, action, reason: error.to_string() }),
            Err(crash) => Err(StoreError::Database { place, action, reason: crash.to_string() }),
        }
    }

    pub(super) fn close(self) {
        let db = Arc::clone(&self.db);
        let _ = block_on(&self.runtime, async move { db.close(CLOSE_TIMEOUT).await });
        self.runtime.shutdown_background();
    }
}
