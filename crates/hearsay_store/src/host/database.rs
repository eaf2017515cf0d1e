//! The database of a campaign, opened for clients.

use std::{fmt, path::Path, sync::Arc, time::Duration};

use async_channel::Sender;
use hearsay_model::Position;
use surrealdb::types::Value;
use surrealdb_core::kvs::Datastore;
use surrealdb_engine_api::SessionId;
use surrealdb_engine_local::LocalEngine;
use tokio::runtime::{Handle, Runtime};
use uuid::Uuid;

use super::{
    owner::{OWNER, OwnerSession},
    session::HostedSession,
};
use crate::{
    Endpoint, Location, StoreError, StoreOptions,
    engine::{
        DatabaseLocation, Health, NetworkClients, RunningEngine, block_on, start_runtime,
        values::{as_u64, object},
    },
    files::{acknowledged::AcknowledgedFile, lock::Lock},
    journal::{JournalPosition, entries::as_digest},
    store::{LockedDirectory, OpenedDatabase, open},
};

/// The database of a campaign, opened for clients. Only one process at a time can open it, and nothing else uses the
/// campaign directory meanwhile.
pub struct HostedDatabase {
    place: String,
    engine: RunningEngine,
    clients: Arc<LocalEngine>,
    /// Tells the engine which sessions exist.
    lifecycle: Sender<SessionId>,
    owner: OwnerSession,
    /// Password of the user with all rights.
    password: String,
    acknowledged_file: AcknowledgedFile,
    close_timeout: Duration,
    handle: Handle,
    /// `None` only while this value is being dropped.
    runtime: Option<Runtime>,
    /// Released last.
    _lock: Lock,
}

impl fmt::Debug for HostedDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostedDatabase").field("place", &self.place).finish_non_exhaustive()
    }
}

impl HostedDatabase {
    /// Locks the directory of a campaign's database, checks the journal in the same way as [`Store::open`], and opens
    /// the database for clients. Creates the campaign if it does not exist. Blocks the calling thread.
    ///
    /// # Errors
    /// Returns the same errors as [`Store::open`].
    ///
    /// [`Store::open`]: crate::Store::open
    pub fn open(directory: &Path, options: &StoreOptions) -> Result<Self, StoreError> {
        let options = StoreOptions { share: true, ..options.clone() };
        let checked = open(Location::Directory(directory.into()), &options)?;
        let OpenedDatabase { runtime: checking, place, directory: locked, db, replayed } = checked;
        drop(replayed);
        let password = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
        let closed = block_on(&checking, async {
            let define = format!("DEFINE USER OVERWRITE `{OWNER}` ON DATABASE PASSWORD '{password}' ROLES OWNER");
            let defined = db.run(&define, object([])).await.map(drop).map_err(|error| error.to_string());
            db.close(options.close_timeout).await.and(defined)
        });
        drop(db);
        checking.shutdown_timeout(Duration::from_secs(1));
        let failed = |action, reason: String| StoreError::Database { place: place.clone(), action, reason };
        closed.map_err(|reason| failed("close after the check", reason))?;
        let Some(LockedDirectory { path, lock, acknowledged_file, .. }) = locked else {
            return Err(failed("lock its directory", "it is in memory".into()));
        };
        let runtime = start_runtime(&place, options.threads)?;
        let (notifications, received) = async_channel::unbounded();
        let settings = options.database_settings();
        let location = DatabaseLocation::Directory(path.join("db"));
        let started = block_on(&runtime, async {
            let health = Arc::<Health>::default();
            let engine =
                RunningEngine::start(location, &settings, &health, Some(NetworkClients { notifications })).await?;
            let (lifecycle, sessions) = async_channel::unbounded();
            let datastore = Arc::clone(&engine.datastore);
            let clients = surrealdb_engine_local::from_datastore(datastore, Some(received), sessions);
            let owner = OwnerSession::sign_in(Arc::clone(&clients), &lifecycle, &password).await?;
            delete_old_live_queries(&engine.datastore, &owner).await?;
            Ok::<_, String>((engine, clients, lifecycle, owner))
        });
        let (engine, clients, lifecycle, owner) = started.map_err(|reason| failed("open for clients", reason))?;
        Ok(Self {
            place,
            engine,
            clients,
            lifecycle,
            owner,
            password,
            acknowledged_file,
            close_timeout: options.close_timeout,
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
            _lock: lock,
        })
    }

    /// Returns the runtime on which sessions must run, because SurrealDB needs its large stacks.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Returns the reason why the storage failed, or `None` if it works. After a failure, all writes fail until the
    /// database is opened again.
    pub fn failure(&self) -> Option<&str> {
        self.engine.health.failure()
    }

    /// Returns the address of the database with a user who has all rights. `url` is the address at which this program
    /// accepts connections. Keep the password secret from other users of this machine.
    pub fn owner_endpoint(&self, url: impl Into<String>) -> Endpoint {
        Endpoint::hosted(url, OWNER, self.password.clone())
    }

    /// Creates the session of a new connection.
    pub fn session(self: &Arc<Self>) -> HostedSession {
        HostedSession::new(Arc::clone(&self.clients), self.lifecycle.clone(), self.owner.clone())
    }

    /// Runs a statement with all rights, and returns its value. Blocks the calling thread.
    pub(super) fn run_as_owner(&self, action: &'static str, statement: String) -> Result<Value, StoreError> {
        let Some(runtime) = &self.runtime else { return Err(StoreError::Closed) };
        let owner = self.owner.clone();
        let task = runtime.spawn(async move { owner.run(statement).await });
        let result = block_on(runtime, task).unwrap_or_else(|crash| Err(crash.to_string()));
        result.map_err(|reason| StoreError::Database { place: self.place.clone(), action, reason })
    }

    /// Shuts the database down, and waits until another process can open the directory. Close all sessions first.
    /// Blocks the calling thread.
    ///
    /// # Errors
    /// Returns an error if the database cannot shut down in time. Acknowledged data is safe.
    pub fn close(self: Arc<Self>) -> Result<(), StoreError> {
        let failed = |reason: String| StoreError::Database { place: self.place.clone(), action: "close", reason };
        let Some(runtime) = &self.runtime else { return Ok(()) };
        self.acknowledge_last();
        let timeout = self.close_timeout;
        let closed = block_on(runtime, async { tokio::time::timeout(timeout, self.engine.close(timeout)).await });
        closed.unwrap_or_else(|_| Err(format!("it did not shut down within {} s", timeout.as_secs()))).map_err(failed)
    }

    /// Writes the position of the newest operation to the file `acknowledged`.
    fn acknowledge_last(&self) {
        let newest = "SELECT record::id(id) AS position, digest FROM journal ORDER BY id DESC LIMIT 1";
        let Ok(Value::Array(rows)) = self.run_as_owner("find its last operation", newest.into()) else {
            return;
        };
        if let Some(Value::Object(row)) = rows.into_vec().pop()
            && let (Some(position), Some(digest)) =
                (row.get("position").and_then(as_u64), row.get("digest").and_then(as_digest))
        {
            self.acknowledged_file.write(JournalPosition { position: Position(position), digest });
        }
    }
}

impl Drop for HostedDatabase {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Deletes the live queries of an earlier process that was killed.
async fn delete_old_live_queries(datastore: &Datastore, owner: &OwnerSession) -> Result<(), String> {
    for table in ["journal", "meta", "transient"] {
        let found = owner.run(format!("INFO FOR TABLE {table}")).await;
        let Ok(Value::Object(mut found)) = found else { continue };
        let Some(Value::Object(lives)) = found.remove("lives") else { continue };
        let ids: Vec<Uuid> = lives.keys().filter_map(|id| id.parse().ok()).collect();
        if !ids.is_empty() {
            datastore.delete_queries(ids).await.map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}
