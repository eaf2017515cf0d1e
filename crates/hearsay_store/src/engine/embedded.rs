//! A database in this process: opens it with settings, and shuts it down cleanly.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use surrealdb::{Surreal, engine::local::Db as Local, opt::capabilities::Capabilities};
use surrealdb_cnf::ConfigMap;
use surrealdb_engine_local::Datastore;

use super::{
    settings::{DatabaseLocation, Settings},
    surrealkv::{DurableEngine, EngineFactory, Health, MEMTABLE_KEY, MemoryEngine, is_released},
};
use crate::endpoint::Endpoint;

/// Size of the block cache, in bytes. A small cache is enough, because frequent reads are answered from the state in
/// memory. The engine's default is half of the machine's memory.
const BLOCK_CACHE_BYTES: usize = 32 << 20;

/// Clients that use a database through the network.
#[cfg(feature = "host")]
pub(crate) struct NetworkClients {
    /// Receives the notifications of live queries.
    pub(crate) notifications: async_channel::Sender<surrealdb::types::Notification>,
}

/// Without the feature `host`, no clients use a database through the network.
#[cfg(not(feature = "host"))]
pub(crate) enum NetworkClients {}

/// A running storage engine, and the database in it.
pub(crate) struct RunningEngine {
    pub(crate) datastore: Arc<Datastore>,
    pub(crate) location: DatabaseLocation,
    pub(crate) health: Arc<Health>,
    pub(crate) memory: MemoryEngine,
}

impl RunningEngine {
    /// Starts the storage engine. With `clients`, only users who have signed in can use the database.
    pub(crate) async fn start(
        location: DatabaseLocation,
        settings: &Settings,
        health: &Arc<Health>,
        clients: Option<NetworkClients>,
    ) -> Result<Self, String> {
        let path = match &location {
            DatabaseLocation::Memory => "memory".to_owned(),
            DatabaseLocation::Directory(directory) => format!("surrealkv://{}?sync=every", directory.display()),
        };
        let config = ConfigMap::empty()
            .with_key_value(MEMTABLE_KEY, settings.memtable_bytes.to_string())
            .with_key_value("surrealkv_block_cache_capacity", BLOCK_CACHE_BYTES.to_string())
            // Values in blocks have checksums, but values in the separate value log do not.
            .with_key_value("surrealkv_enable_vlog", "false");
        let capabilities = Capabilities::new()
            .with_scripting(false)
            .with_guest_access(false)
            .with_live_query_notifications(clients.is_some());
        // Maintenance tasks are needed only for full-text indices, changefeeds and clusters, which this database does
        // not use. They would write to the disk every few seconds, even in an idle game.
        let builder = Datastore::builder()
            .with_config(config)
            .with_query_timeout(Some(settings.query_timeout))
            .with_capabilities(capabilities.with_all_net_targets_denied().into())
            .with_graph_fold_threshold(0)
            .without_maintenance_tasks()
            .with_auth(clients.is_some());
        #[cfg(feature = "host")]
        let builder = match clients {
            Some(clients) => builder.with_notify(clients.notifications),
            None => builder,
        };
        let memory = MemoryEngine::default();
        let factory = match &location {
            DatabaseLocation::Memory => EngineFactory::Memory(memory.clone()),
            DatabaseLocation::Directory(directory) => EngineFactory::Durable(DurableEngine {
                directory: directory.clone(),
                health: Arc::clone(health),
                memtable_bytes: settings.memtable_bytes,
                #[cfg(feature = "testing")]
                faults: settings.faults.clone(),
            }),
        };
        let datastore = builder.build_with_factory_path(&path, factory).await.map_err(|error| error.to_string())?;
        let engine = Self { datastore, location, health: Arc::clone(health), memory };
        // `Datastore::bootstrap` is not called: it would register this process as a node of a cluster. With this
        // write at each opening and another one at each shutdown, the engine would soon merge all tables again.
        let checked = tokio::time::timeout(settings.version_timeout, engine.datastore.check_version()).await;
        let checked = match checked {
            Ok(checked) => checked.map(drop).map_err(|error| error.to_string()),
            Err(_) => Err("its internal records cannot be read".to_owned()),
        };
        if let Err(error) = checked {
            let _ = engine.datastore.shutdown().await;
            return Err(error);
        }
        Ok(engine)
    }

    /// Shuts the engine down and waits until another process can open the directory.
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

/// An open database that only this process uses.
pub(super) struct Embedded {
    pub(super) surreal: Surreal<Local>,
    engine: RunningEngine,
    pub(super) memory: MemoryEngine,
}

impl Embedded {
    pub(super) async fn open(
        location: DatabaseLocation,
        settings: &Settings,
        health: &Arc<Health>,
    ) -> Result<Self, String> {
        let engine = RunningEngine::start(location, settings, health, None).await?;
        let opened = async {
            let surreal = Surreal::unstable_from_datastore(Arc::clone(&engine.datastore), None).await?;
            surreal.use_ns(Endpoint::NAMESPACE).use_db(Endpoint::DATABASE).await?;
            Ok::<_, surrealdb::Error>(surreal)
        }
        .await;
        match opened {
            Ok(surreal) => Ok(Self { surreal, memory: engine.memory.clone(), engine }),
            Err(error) => {
                let _ = engine.datastore.shutdown().await;
                Err(error.to_string())
            }
        }
    }

    pub(super) async fn close(&self, timeout: Duration) -> Result<(), String> {
        self.engine.close(timeout).await
    }
}
