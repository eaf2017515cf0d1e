//! Progress of an import.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use serde::Serialize;

/// Stage of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportStage {
    /// The request was sent, but the worker thread has not started the import yet.
    #[default]
    Sent,
    /// The files are being read.
    Reading,
    /// The import waits until earlier writes are done.
    Waiting,
    /// The files are being compared with the state.
    Comparing,
    /// The differences are being committed. The import can no longer be cancelled.
    Writing,
    /// The request for the import was answered, with a result or an error.
    Done,
}

impl ImportStage {
    const ALL: [Self; 6] = [Self::Sent, Self::Reading, Self::Waiting, Self::Comparing, Self::Writing, Self::Done];

    /// Returns whether [`Ticket::cancel`](crate::Ticket::cancel) cancels the import at this stage.
    pub fn can_be_cancelled(self) -> bool {
        self < Self::Writing
    }
}

/// Handle through which any thread can read the progress of an import.
#[derive(Debug, Clone, Default)]
pub struct ImportProgress(Arc<AtomicU8>);

impl ImportProgress {
    /// Returns the current stage.
    pub fn stage(&self) -> ImportStage {
        let stage = ImportStage::ALL.get(usize::from(self.0.load(Ordering::Relaxed)));
        stage.copied().unwrap_or(ImportStage::Done)
    }

    pub(crate) fn set(&self, stage: ImportStage) {
        self.0.store(stage as u8, Ordering::Relaxed);
    }
}
