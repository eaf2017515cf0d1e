//! The Tokio threads of a database.

use tokio::runtime::{Builder, Handle, Runtime};

use crate::StoreError;

/// Starts the Tokio runtime of a database.
pub(crate) fn start_runtime(place: &str, threads: usize) -> Result<Runtime, StoreError> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads.max(1))
        .thread_name("hearsay-store")
        // SurrealDB needs a large stack, because it recurses deeply when it runs statements.
        .thread_stack_size(10 << 20)
        .max_blocking_threads(4)
        .enable_all()
        .build();
    runtime.map_err(|error| StoreError::Database {
        place: place.into(),
        action: "start its threads",
        reason: error.to_string(),
    })
}

/// Blocks until a future completes. If the current thread belongs to a Tokio runtime and must not block, the future
/// runs on a separate thread.
pub(crate) fn block_on<T: Send>(runtime: &Runtime, future: impl Future<Output = T> + Send) -> T {
    if Handle::try_current().is_err() {
        return runtime.block_on(future);
    }
    std::thread::scope(|scope| match scope.spawn(|| runtime.block_on(future)).join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Runs a test on the runtime of a database.
#[cfg(test)]
pub(crate) fn run_test(test: impl Future<Output = ()> + Send + 'static) {
    let runtime = start_runtime("here", 2).unwrap();
    runtime.block_on(runtime.spawn(test)).unwrap();
}
