//! Stopping what takes long from another thread.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A request to stop reading, which another thread may make. It is noticed within a file, not only between files.
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
    /// Asks to stop. What was read so far is dropped, and reading ends with an error.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for Cancel {
    /// A request that is made by setting the flag.
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}
