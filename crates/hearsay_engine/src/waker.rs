//! A function that wakes the program after an answer or an event of the memory.

use std::{fmt, sync::Arc};

/// Function that the memory calls after it has answered a request or sent an event. An app that sleeps between events
/// can use this function to wake its main thread. The memory calls the function often and on its own threads, so the
/// function must return quickly.
#[derive(Clone)]
pub struct Waker(Arc<dyn Fn() + Send + Sync>);

impl Waker {
    /// Creates a waker that calls a function.
    pub fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(wake))
    }

    /// Calls the function.
    pub fn wake(&self) {
        (self.0)();
    }
}

impl fmt::Debug for Waker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Waker")
    }
}
