//! Moves the log of a directory into tables before the directory is opened for use.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use surrealdb_cnf::ConfigMap;
use surrealdb_kvs::err::Result;
use surrealdb_kvs_any::Backends;
use tokio_util::sync::CancellationToken;

use super::{lock_file::is_released, segments::WriteAheadLog};

/// Name of the engine setting for the size of a memtable.
pub(crate) const MEMTABLE_KEY: &str = "surrealkv_max_memtable_size";

/// Size in bytes of the largest memtable that the engine can address.
const MAX_MEMTABLE_BYTES: u64 = u32::MAX as u64;

/// Maximum time to wait until a failed engine releases its lock.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(2);

/// If the log is not empty, moves it into tables by opening and shutting down the database. Returns whether there was
/// anything to move.
pub(super) async fn flush_log(directory: &Path, path: &str, config: &ConfigMap) -> Result<bool> {
    let log = WriteAheadLog::new(directory);
    let Ok(segments) = log.segments() else { return Ok(false) };
    let largest_segment_bytes = segments.iter().map(|segment| segment.size_bytes).max().unwrap_or(0);
    if largest_segment_bytes == 0 {
        return Ok(false);
    }
    // An entry takes less than four times its log size in a memtable. The 64 MiB cover the reserve that the engine
    // requires for one batch. The operating system provides memory only for the part of a memtable that is used.
    let memtable_bytes = (largest_segment_bytes * 4 + (64 << 20)).min(MAX_MEMTABLE_BYTES);
    let config = config.clone().with_key_value(MEMTABLE_KEY, memtable_bytes.to_string());
    let started = std::time::Instant::now();
    let builder = Backends::community().new_transaction_builder(path, CancellationToken::new(), config).await?;
    let shutdown = builder.shutdown().await;
    drop(builder);
    let flushed = shutdown.and_then(|()| log.check_empty());
    // If the engine could not write its tables, it releases its lock only when its last task ends.
    let wait_start = Instant::now();
    while !is_released(directory) && (flushed.is_ok() || wait_start.elapsed() < RELEASE_TIMEOUT) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    flushed?;
    tracing::info!(directory = %directory.display(), bytes = largest_segment_bytes, took = ?started.elapsed(), "the log was replayed");
    Ok(true)
}
