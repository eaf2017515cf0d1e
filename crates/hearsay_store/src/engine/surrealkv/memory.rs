//! A database in memory, into which entries from files can be inserted.

use std::{
    any::{Any, TypeId},
    sync::{Arc, OnceLock},
};

use surrealdb_cnf::ConfigMap;
use surrealdb_core::kvs::{TransactionBuilderFactory, TransactionBuilderParts};
use surrealdb_kvs::{
    Key, Metrics, Transactable, TransactionBuilder, TransactionType, Val,
    api::BoxFut,
    err::{Error, Result},
};
use surrealdb_kvs_any::Backends;
use tokio_util::sync::CancellationToken;

use super::forward::forward_builder;

/// Maximum number of entries in one transaction.
const ENTRIES: usize = 1_000;

/// Factory that opens a database in memory, and inserts entries into it. Clones share the database.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<OnceLock<Shared>>);

#[derive(Clone)]
struct Shared {
    engine: Arc<dyn TransactionBuilder>,
}

impl Memory {
    /// Inserts entries into the database, which must be open.
    pub(crate) async fn fill(&self, entries: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<()> {
        let shared = self.0.get().ok_or_else(|| Error::Datastore("the database is not open".into()))?;
        let mut entries = entries.into_iter().peekable();
        while entries.peek().is_some() {
            let (transaction, _) = shared.engine.new_transaction(TransactionType::Write).await?;
            for (key, value) in entries.by_ref().take(ENTRIES) {
                transaction.set(Key::from(key.as_slice()), Val::from(value)).await?;
            }
            transaction.commit().await?;
        }
        Ok(())
    }
}

impl TransactionBuilderFactory for Memory {
    type RouterState = ();

    async fn new_transaction_builder(
        &self,
        path: &str,
        canceller: CancellationToken,
        config: ConfigMap,
    ) -> anyhow::Result<TransactionBuilderParts<()>> {
        let engine = Backends::community().new_transaction_builder(path, canceller, config).await?;
        let shared = self.0.get_or_init(|| Shared { engine: Arc::from(engine) });
        Ok(TransactionBuilderParts::without_router_state(Box::new(shared.clone())))
    }

    fn path_valid(&self, path: &str) -> anyhow::Result<String> {
        Ok(Backends::community().path_valid(path)?)
    }
}

impl TransactionBuilder for Shared {
    forward_builder!(engine);

    fn shutdown(&self) -> BoxFut<'_, Result<()>> {
        self.engine.shutdown()
    }

    fn new_transaction(&self, kind: TransactionType) -> BoxFut<'_, Result<(Box<dyn Transactable>, bool)>> {
        self.engine.new_transaction(kind)
    }
}
