//! Cancellation of long operations from another thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// The error message after the caller cancelled reading.
pub(crate) const CANCELLED: &str = "reading was cancelled";

/// A flag that stops the reading of campaign files. Any thread can set the flag. The functions that read files check
/// the flag often, even while they read one large file.
///
/// ```
/// use hearsay_campaign::{CancelToken, Limits, read};
///
/// let cancel = CancelToken::default();
/// let limits = Limits { cancel: cancel.clone(), ..Limits::default() };
/// cancel.cancel();
/// let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/inn");
/// assert!(read(folder.as_ref(), &limits).unwrap_err().to_string().contains("cancelled"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Stops reading. A function that is reading then returns an error and discards all data that it has read.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether a caller has cancelled the reading.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for CancelToken {
    /// Creates a `CancelToken` that shares a flag with the caller. If the caller sets the flag to `true`, reading
    /// stops.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
