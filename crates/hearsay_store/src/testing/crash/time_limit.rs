//! A time limit for steps that could block for ever.

use std::{sync::mpsc, thread, time::Duration};

/// Time limit of a step. A step takes a few seconds.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Runs a step on a thread of its own. Returns `None` if the step panics, or gives no result within the time limit. The
/// thread then goes on, because a thread cannot be ended from outside.
pub(super) fn with_time_limit<T: Send + 'static>(step: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(step()));
    receiver.recv_timeout(TIME_LIMIT).ok()
}
