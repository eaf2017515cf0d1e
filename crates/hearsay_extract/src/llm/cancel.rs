//! Stopping what is under way.

use tokio::sync::watch;

/// A handle to stop calls. Copies belong together: stopping one stops what any of them was given to.
#[derive(Debug, Clone)]
pub struct Cancel(watch::Sender<bool>);

impl Default for Cancel {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Cancel {
    /// A handle that is not stopped.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops at the next moment at which something is waited for. What was found until then is thrown away.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether it is stopped.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn cancelled(&self) {
        let mut receiver = self.0.subscribe();
        // The sender lives as long as `self`, so this ends only when it is stopped.
        let _ = receiver.wait_for(|stopped| *stopped).await;
    }
}
