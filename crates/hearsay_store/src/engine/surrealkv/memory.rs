//! A database in memory, into which entries from files can be inserted.

use std::{
    any::{Any, TypeId},
    sync::{Arc, OnceLock},
};

use surrealdb_kvs::{
    Key, Metrics, Transactable, TransactionBuilder, TransactionType, Val,
    api::BoxFut,
    err::{Error, Result},
};

use super::forward::forward_builder;

/// Maximum number of entries in one transaction.
const MAX_TRANSACTION_ENTRIES: usize = 1_000;

/// A database in memory, into which entries can be inserted after it is opened. Clones share the database.
#[derive(Clone, Default)]
pub(crate) struct MemoryEngine(Arc<OnceLock<Shared>>);

#[derive(Clone)]
struct Shared {
    engine: Arc<dyn TransactionBuilder>,
}

impl MemoryEngine {
    /// Stores the opened engine, so that entries can be inserted. Returns a builder that uses the engine.
    pub(super) fn share(&self, engine: Box<dyn TransactionBuilder>) -> Box<dyn TransactionBuilder> {
        let shared = self.0.get_or_init(|| Shared { engine: Arc::from(engine) });
        Box::new(shared.clone())
    }

    /// Inserts entries into the database, which must be open.
    pub(crate) async fn insert_entries(&self, entries: impl IntoIterator<Item = (Vec<u8>, Vec<u8>)>) -> Result<()> {
        let shared = self.0.get().ok_or_else(|| Error::Datastore("the database is not open".into()))?;
        let mut entries = entries.into_iter().peekable();
        while entries.peek().is_some() {
            let (transaction, _) = shared.engine.new_transaction(TransactionType::Write).await?;
            for (key, value) in entries.by_ref().take(MAX_TRANSACTION_ENTRIES) {
                transaction.set(Key::from(key.as_slice()), Val::from(value)).await?;
            }
            transaction.commit().await?;
        }
        Ok(())
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
