//! An engine that fails on demand.

use std::{
    any::{Any, TypeId},
    fs::OpenOptions,
    path::{Path, PathBuf},
    sync::Arc,
};

use surrealdb_kvs::{
    Batch, Direction, GetMultiResult, Key, KeyRange, KeysResult, Metrics, ScanCursorKeys, ScanCursorVals, ScanResult,
    Transactable, TransactionBuilder, TransactionType, Val,
    api::BoxFut,
    err::{Error, Result},
    timestamp::{BoxTimeStamp, BoxTimeStampImpl},
};

use super::{
    forward::{forward_builder, forward_reads},
    segments::Log,
};
use crate::testing::{Faults, StorageFault};

/// Puts failures between this layer and the engine.
pub(super) fn wrap(
    engine: Box<dyn TransactionBuilder>,
    directory: &Path,
    faults: Faults,
) -> Box<dyn TransactionBuilder> {
    Box::new(Faulty { engine, directory: directory.into(), faults })
}

struct Faulty {
    engine: Box<dyn TransactionBuilder>,
    directory: PathBuf,
    faults: Faults,
}

impl TransactionBuilder for Faulty {
    forward_builder!(engine);

    fn shutdown(&self) -> BoxFut<'_, Result<()>> {
        self.engine.shutdown()
    }

    fn new_transaction(&self, kind: TransactionType) -> BoxFut<'_, Result<(Box<dyn Transactable>, bool)>> {
        Box::pin(async move {
            let (inner, local) = self.engine.new_transaction(kind).await?;
            let (directory, faults) = (self.directory.clone(), self.faults.clone());
            Ok((Box::new(FaultyTransaction { inner, directory, faults }) as Box<dyn Transactable>, local))
        })
    }
}

struct FaultyTransaction {
    inner: Box<dyn Transactable>,
    directory: PathBuf,
    faults: Faults,
}

impl FaultyTransaction {
    /// Cuts the end off the newest segment.
    fn shorten(&self, missing_bytes: u64) -> std::io::Result<()> {
        let newest = Log::of(&self.directory).newest()?;
        let path = self.directory.join("wal").join(format!("{newest:020}.wal"));
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(file.metadata()?.len().saturating_sub(missing_bytes))
    }
}

impl Transactable for FaultyTransaction {
    forward_reads!(inner);

    fn commit(&self) -> BoxFut<'_, Result<()>> {
        Box::pin(async move {
            if let Some(reason) = self.faults.background_failure() {
                self.inner.cancel().await?;
                return Err(Error::Transaction(reason));
            }
            let fault = if self.inner.writeable() { self.faults.next_storage_fault() } else { None };
            match fault {
                None => self.inner.commit().await,
                Some(StorageFault::Refused) => {
                    self.inner.cancel().await?;
                    Err(Error::Transaction("No space left on device (a test asked for it)".into()))
                }
                Some(StorageFault::Short { missing_bytes }) => {
                    self.inner.commit().await?;
                    self.shorten(missing_bytes).map_err(|error| Error::Transaction(error.to_string()))?;
                    Err(Error::Transaction("failed to write the whole buffer (a test asked for it)".into()))
                }
                Some(StorageFault::NotSynced) => {
                    self.inner.commit().await?;
                    Err(Error::Transaction("Input/output error while syncing (a test asked for it)".into()))
                }
            }
        })
    }

    fn set<'a>(&'a self, key: Key<'a>, value: Val) -> BoxFut<'a, Result<()>> {
        self.inner.set(key, value)
    }

    fn put<'a>(&'a self, key: Key<'a>, value: Val) -> BoxFut<'a, Result<()>> {
        self.inner.put(key, value)
    }

    fn putc<'a>(&'a self, key: Key<'a>, value: Val, expected: Option<Val>) -> BoxFut<'a, Result<()>> {
        self.inner.putc(key, value, expected)
    }

    fn replace<'a>(&'a self, key: Key<'a>, value: Val) -> BoxFut<'a, Result<()>> {
        self.inner.replace(key, value)
    }

    fn del<'a>(&'a self, key: Key<'a>) -> BoxFut<'a, Result<()>> {
        self.inner.del(key)
    }

    fn delc<'a>(&'a self, key: Key<'a>, expected: Option<&'a [u8]>) -> BoxFut<'a, Result<()>> {
        self.inner.delc(key, expected)
    }

    fn clr<'a>(&'a self, key: Key<'a>) -> BoxFut<'a, Result<()>> {
        self.inner.clr(key)
    }

    fn clrc<'a>(&'a self, key: Key<'a>, expected: Option<&'a [u8]>) -> BoxFut<'a, Result<()>> {
        self.inner.clrc(key, expected)
    }
}
