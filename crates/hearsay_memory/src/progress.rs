//! How far an import has come.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

use serde::Serialize;

/// What an import is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportStage {
    /// It waits for the worker.
    #[default]
    Sent,
    /// Its files are read.
    Reading,
    /// It was read, and waits until earlier writes are done.
    Waiting,
    /// What the files say is compared with what is on record.
    Comparing,
    /// What is new is written to the disk. From now on it is not cancelled.
    Writing,
    /// It is answered.
    Done,
}

impl ImportStage {
    const ALL: [Self; 6] = [Self::Sent, Self::Reading, Self::Waiting, Self::Comparing, Self::Writing, Self::Done];

    /// Whether dropping the ticket still ends it.
    pub fn can_be_cancelled(self) -> bool {
        self < Self::Writing
    }
}

/// Watches an import: a handle that any thread can look at.
#[derive(Debug, Clone, Default)]
pub struct ImportProgress(Arc<AtomicU8>);

impl ImportProgress {
    /// What it is doing now.
    pub fn stage(&self) -> ImportStage {
        let stage = ImportStage::ALL.get(usize::from(self.0.load(Ordering::Relaxed)));
        stage.copied().unwrap_or(ImportStage::Done)
    }

    pub(crate) fn set(&self, stage: ImportStage) {
        self.0.store(stage as u8, Ordering::Relaxed);
    }
}
