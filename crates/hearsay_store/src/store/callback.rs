//! Callbacks for the results of queued work.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
};

use crate::StoreError;

/// A callback for the result of queued work.
pub(crate) type DoneCallback = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// Calls a callback. Catches a panic in the callback, so that the calling task continues.
pub(crate) fn invoke<T>(callback: impl FnOnce(Result<T, StoreError>), result: Result<T, StoreError>) {
    if catch_unwind(AssertUnwindSafe(|| callback(result))).is_err() {
        tracing::error!("a callback for commits panicked");
    }
}

/// Calls `start` with a callback, and blocks until the callback is called. Returns the result that is passed to the
/// callback.
pub(crate) fn wait_for_callback(start: impl FnOnce(DoneCallback)) -> Result<(), StoreError> {
    let (sender, receiver) = mpsc::sync_channel(1);
    start(Box::new(move |result| {
        let _ = sender.send(result);
    }));
    receiver.recv().unwrap_or(Err(StoreError::Closed))
}
