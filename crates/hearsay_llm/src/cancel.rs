//! Cancellation of calls to a language model.

use tokio::sync::watch;

/// Handle that cancels calls. Clones share their state. If you cancel one clone, the calls of all clones are cancelled.
#[derive(Debug, Clone)]
pub struct CancelHandle(watch::Sender<bool>);

impl Default for CancelHandle {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl CancelHandle {
    /// Creates a handle that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the calls. The calls end at their next await point, and their results so far are discarded.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether the handle was cancelled.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn cancelled(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as `self`, so the wait ends only when the handle is cancelled.
        let _ = receiver.wait_for(|is_cancelled| *is_cancelled).await;
    }
}
