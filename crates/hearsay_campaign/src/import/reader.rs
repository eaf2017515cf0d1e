//! The interface that every reader implements.

use super::Notes;
use crate::{Folder, Format, ReadOptions};

/// Certainty of a reader that the files have its format, from 1 to 100. The reader with the highest score reads the
/// files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(pub u8);

impl Score {
    /// Score for files with marks that only this format has.
    pub const CERTAIN: Self = Self(90);
    /// Score if most of the files seem to have this format.
    pub const LIKELY: Self = Self(60);
    /// Score if the reader can read the files, but another reader may be more suitable.
    pub const POSSIBLE: Self = Self(20);
}

/// A reader for the files of one format.
pub trait NoteReader: Sync {
    /// Returns the format that this reader reads.
    fn format(&self) -> Format;

    /// Returns a score if it is possible that the files have this format, or else `None`. Checks the names of files
    /// first, then the content of a few files.
    fn detect(&self, folder: &Folder) -> Option<Score>;

    /// Reads all readable files into `notes`. A file that cannot be read is recorded as skipped, and reading continues.
    fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes);
}
