//! Moves what is left in the log of a directory into tables, before the directory is opened for use.

use std::{path::Path, time::Duration};

use surrealdb_cnf::ConfigMap;
use surrealdb_kvs::err::{Error, Result};
use surrealdb_kvs_any::Backends;
use tokio_util::sync::CancellationToken;

use super::segments::{Log, Segment};
use crate::db::{MEMTABLE_KEY, is_released};

/// The largest memtable that the engine can address.
const LARGEST: u64 = u32::MAX as u64;

/// Opens and shuts down a database that was not closed. Returns whether that was necessary.
pub(super) async fn empty_log(directory: &Path, path: &str, config: &ConfigMap) -> Result<bool> {
    let log = Log::of(directory);
    let Ok(segments) = log.segments() else { return Ok(false) };
    let largest = segments.iter().map(|segment| segment.size_bytes).max().unwrap_or(0);
    if largest == 0 {
        return Ok(false);
    }
    // An entry takes less than four times as much room in a memtable as in the log, but for the reserve that the
    // engine demands for one batch. The memory is only touched as far as it is used.
    let memtable = (largest * 4 + (64 << 20)).min(LARGEST);
    let config = config.clone().with_key_value(MEMTABLE_KEY, memtable.to_string());
    let started = std::time::Instant::now();
    let builder = Backends::community().new_transaction_builder(path, CancellationToken::new(), config).await?;
    builder.shutdown().await?;
    drop(builder);
    while !is_released(directory) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // The engine logs an error of its shutdown and returns none.
    let left = |segments: Vec<Segment>| segments.iter().map(|segment| segment.size_bytes).max().unwrap_or(0);
    let left = log.segments().map(left).map_err(|error| Error::Datastore(error.to_string()))?;
    if left > 0 {
        let what = "its log could not be moved into tables; check that the disk has room, and try again";
        return Err(Error::Datastore(what.into()));
    }
    tracing::info!(directory = %directory.display(), bytes = largest, took = ?started.elapsed(), "the log was replayed");
    Ok(true)
}
