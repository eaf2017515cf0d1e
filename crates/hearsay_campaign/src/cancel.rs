//! Cancellation of long work from another thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A request to stop reading, which another thread may make. Readers check it within a file, not only between files.
///
/// ```
/// use hearsay_campaign::{Cancel, Limits, read};
///
/// let cancel = Cancel::default();
/// let limits = Limits { cancel: cancel.clone(), ..Limits::default() };
/// cancel.cancel();
/// let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/inn");
/// assert!(read(folder.as_ref(), &limits).unwrap_err().to_string().contains("cancelled"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Requests the stop. Reading ends with an error, and its result so far is dropped.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for Cancel {
    /// Creates a request that setting the flag makes.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
