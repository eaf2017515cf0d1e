//! The interface of the readers.

use super::Notes;
use crate::{Folder, Format, ReadOptions};

/// How certain a reader is that the files have its format, from 1 to 100. The reader with the highest score is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(pub u8);

impl Score {
    /// The files have unique marks of the format.
    pub const SURE: Self = Self(90);
    /// Most of the files look like the format.
    pub const LIKELY: Self = Self(60);
    /// The reader can read the files. It is used if no other reader matches better.
    pub const POSSIBLE: Self = Self(20);
}

/// Reader for one format.
pub trait NoteReader: Sync {
    /// Returns the format.
    fn format(&self) -> Format;

    /// Returns a score if the files may have this format. Checks names first, then the content of a few files.
    fn detect(&self, folder: &Folder) -> Option<Score>;

    /// Reads all readable files. An unreadable file is recorded as skipped, and reading continues.
    fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes);
}
