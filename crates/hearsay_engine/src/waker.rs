//! A function that wakes the program when the memory has something for it.

use std::{fmt, sync::Arc};

/// Function that the memory calls after it answered a request or sent an event. An app that sleeps while nothing
/// happens wakes its main thread with it. The memory calls the function on its own threads, often, and must not wait
/// for it.
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
