//! Layer between SurrealDB and SurrealKV 0.21 that makes every acknowledged commit durable.
//!
//! This module works around bugs of SurrealKV 0.21, which SurrealDB 3.3 requires. SurrealKV 1.0 (SurrealDB 4) fixes the
//! bugs. After an upgrade to SurrealDB 4, delete this module and call `build_with_path` in `engine/db.rs` instead.
//!
//! # How the engine can lose a commit
//!
//! A commit appends its batch to the active segment `n` of the write-ahead log and syncs the segment. Then the commit
//! inserts the batch into the active memtable. If the batch does not fit, the log *rotates*: the engine creates segment
//! `n + 1`, replaces the memtable with an empty memtable `n + 1`, and inserts the batch there. The batch is now logged
//! in segment `n`, but the engine assumes that segment `n + 1` covers everything in memtable `n + 1`. When the old
//! memtable is flushed to a table, the manifest no longer needs segment `n`, and the engine deletes the segment. If the
//! program dies before the new memtable is flushed, the batch is lost, although its commit was synced and acknowledged.
//!
//! Commits run concurrently. Up to seven batches can be logged in segment `n` and inserted into the new memtable. The
//! engine reports no error in any of these cases.
//!
//! # How [`durable`] prevents this loss
//!
//! The engine creates the file of segment `n + 1` before it replaces the memtable. A batch is therefore safe if the
//! newest segment is the same before and after its commit. Otherwise, the layer waits until no other commit is in
//! progress. Then the layer *rewrites* the affected batches: in a separate transaction, the layer writes the current
//! values of all their keys again, and deletes deleted keys again. The commit is acknowledged only after this rewrite.
//!
//! One rewrite is enough, even if the rewrite itself causes a rotation. Let `m` be the number of the memtable that
//! contains the first copy of the batch. The rewrite begins after the first commit has returned, so the second copy is
//! logged in a segment `s >= m`. The engine flushes memtables in the order of their numbers, and deletes segment `s`
//! only after it has flushed all memtables up to number `s`. At that time, the first copy is in a table.
//!
//! The rewrite can write the *current* values, because no other commit runs at the same time. A current value comes
//! from an affected batch or from a safe batch. If the value comes from an affected batch, all keys of that batch are
//! rewritten too. Batches that share keys are rewritten in one transaction, so after a crash each batch is either
//! complete or absent.
//!
//! # How [`recovery`] prevents another loss
//!
//! If a database was not closed, the engine replays its log when it opens the directory. The nodes of a memtable have
//! random sizes, so a segment that filled one memtable can need two memtables on replay. In that case, the engine
//! flushes the first memtable, marks the whole segment as flushed, and appends new data to the same segment. A second
//! crash then loses the second memtable and all appended data. An incomplete record at the end of a segment also hides
//! the data that is appended after it.
//!
//! A directory with a log is therefore opened twice. The first time, the memtables are large enough for every segment.
//! The database is shut down at once, which moves the whole log into tables. The second time, the log is empty.
//!
//! # Errors
//!
//! After a failed write or sync, the engine's buffers and the file may differ. Data that is appended after the failure
//! can be unreadable after a restart. [`Health`] stores the first of these failures. From then on, every commit fails
//! until the directory is opened again.

mod durable;
#[cfg(feature = "testing")]
mod fault_injection;
mod forward;
mod health;
mod lock_file;
mod memory;
mod recovery;
mod segments;

use std::{path::PathBuf, sync::Arc};

use surrealdb_cnf::ConfigMap;
use surrealdb_core::kvs::{TransactionBuilderFactory, TransactionBuilderParts};
use surrealdb_kvs::TransactionBuilder;
use surrealdb_kvs_any::Backends;
use tokio_util::sync::CancellationToken;

pub(crate) use health::{Health, explain, is_disk_full};
pub(crate) use lock_file::is_released;
pub(crate) use memory::MemoryEngine;
pub(crate) use recovery::MEMTABLE_KEY;

/// A storage engine that keeps its data in a directory, and whose commits are durable.
pub(crate) struct DurableEngine {
    /// Directory of the database.
    pub(crate) directory: PathBuf,
    pub(crate) health: Arc<Health>,
    pub(crate) memtable_bytes: usize,
    #[cfg(feature = "testing")]
    pub(crate) faults: crate::faults::Faults,
}

impl DurableEngine {
    /// Wraps the opened engine in this layer.
    fn wrap(&self, engine: Box<dyn TransactionBuilder>) -> Box<dyn TransactionBuilder> {
        let (log, health) = (segments::WriteAheadLog::new(&self.directory), Arc::clone(&self.health));
        let durable = durable::Durable::new(
            engine,
            log,
            health,
            self.memtable_bytes,
            #[cfg(feature = "testing")]
            fault_injection::FaultInjection { directory: self.directory.clone(), faults: self.faults.clone() },
        );
        Box::new(durable)
    }
}

/// Factory that opens a storage engine and wraps it.
pub(crate) enum EngineFactory {
    /// Opens a database in memory.
    Memory(MemoryEngine),
    /// Opens SurrealKV in a directory.
    Durable(DurableEngine),
}

impl TransactionBuilderFactory for EngineFactory {
    type RouterState = ();

    async fn new_transaction_builder(
        &self,
        path: &str,
        canceller: CancellationToken,
        config: ConfigMap,
    ) -> anyhow::Result<TransactionBuilderParts<()>> {
        if let Self::Durable(engine) = self
            && recovery::flush_log(&engine.directory, path, &config).await?
        {
            engine.health.set_recovered();
        }
        let opened = Backends::community().new_transaction_builder(path, canceller, config).await?;
        let builder = match self {
            Self::Memory(engine) => engine.share(opened),
            Self::Durable(engine) => engine.wrap(opened),
        };
        Ok(TransactionBuilderParts::without_router_state(builder))
    }

    fn path_valid(&self, path: &str) -> anyhow::Result<String> {
        Ok(Backends::community().path_valid(path)?)
    }
}
