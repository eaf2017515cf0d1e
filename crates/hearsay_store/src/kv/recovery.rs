//! Moves what is left in the log of a directory into tables, before the directory is opened for use.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use surrealdb_cnf::ConfigMap;
use surrealdb_kvs::err::Result;
use surrealdb_kvs_any::Backends;
use tokio_util::sync::CancellationToken;

use super::segments::Log;
use crate::db::{MEMTABLE_KEY, is_released};

/// The largest memtable that the engine can address.
const LARGEST: u64 = u32::MAX as u64;

/// How long an engine that failed may take to release its lock.
const RELEASE: Duration = Duration::from_secs(2);

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
    let shut = builder.shutdown().await;
    drop(builder);
    let emptied = shut.and_then(|()| log.expect_empty());
    // An engine that could not write its tables releases its lock when its last task ends.
    let waiting = Instant::now();
    while !is_released(directory) && (emptied.is_ok() || waiting.elapsed() < RELEASE) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    emptied?;
    tracing::info!(directory = %directory.display(), bytes = largest, took = ?started.elapsed(), "the log was replayed");
    Ok(true)
}
