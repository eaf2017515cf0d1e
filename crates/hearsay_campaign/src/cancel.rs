//! Cancellation of long work from another thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The error message for input that was only partly read, because the caller cancelled.
pub(crate) const CANCELLED: &str = "reading was cancelled";

/// A flag that asks readers to stop. Any thread may set it. Readers check the flag within a file, not only between
/// files.
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
    /// Asks readers to stop. Reading then ends with an error, and its result so far is dropped.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for Cancel {
    /// Creates a `Cancel` from a flag. Setting the flag to `true` asks readers to stop.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
