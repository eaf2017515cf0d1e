//! Moves the log of a directory into tables before the directory is opened for use.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use surrealdb_cnf::ConfigMap;
use surrealdb_kvs::err::Result;
use surrealdb_kvs_any::Backends;
use tokio_util::sync::CancellationToken;

use super::{lock_file::is_released, segments::Log};

/// Name of the engine setting for the size of a memtable.
pub(crate) const MEMTABLE_KEY: &str = "surrealkv_max_memtable_size";

/// Size in bytes of the largest memtable that the engine can address.
const LARGEST: u64 = u32::MAX as u64;

/// Maximum time to wait until a failed engine releases its lock.
const RELEASE: Duration = Duration::from_secs(2);

/// If the log is not empty, moves it into tables by opening and shutting down the database. Returns whether there was
/// anything to move.
pub(super) async fn empty_log(directory: &Path, path: &str, config: &ConfigMap) -> Result<bool> {
    let log = Log::of(directory);
    let Ok(segments) = log.segments() else { return Ok(false) };
    let largest = segments.iter().map(|segment| segment.size_bytes).max().unwrap_or(0);
    if largest == 0 {
        return Ok(false);
    }
    // An entry takes less than four times its log size in a memtable. The 64 MiB cover the reserve that the engine
    // requires for one batch. The operating system provides memory only for the part of a memtable that is used.
    let memtable = (largest * 4 + (64 << 20)).min(LARGEST);
    let config = config.clone().with_key_value(MEMTABLE_KEY, memtable.to_string());
    let started = std::time::Instant::now();
    let builder = Backends::community().new_transaction_builder(path, CancellationToken::new(), config).await?;
    let shut = builder.shutdown().await;
    drop(builder);
    let emptied = shut.and_then(|()| log.expect_empty());
    // If the engine could not write its tables, it releases its lock only when its last task ends.
    let waiting = Instant::now();
    while !is_released(directory) && (emptied.is_ok() || waiting.elapsed() < RELEASE) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    emptied?;
    tracing::info!(directory = %directory.display(), bytes = largest, took = ?started.elapsed(), "the log was replayed");
    Ok(true)
}
