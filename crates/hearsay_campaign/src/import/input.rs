//! Reads files, and lists them in the notes of an import.

use super::{FileId, Notes, SourceText, tree::Tree};
use crate::{Folder, FolderEntry};

impl Folder {
    /// Reads a file, and adds it to the list of files in the notes. A file that cannot be read is recorded as skipped,
    /// and the result is `None`.
    pub fn bytes(&self, entry: &FolderEntry, notes: &mut Notes) -> Option<(FileId, Vec<u8>)> {
        match self.read(entry) {
            Ok(bytes) => Some((notes.add_file(&entry.path, &bytes), bytes)),
            Err(reason) => {
                notes.skip(&*entry.path, reason);
                None
            }
        }
    }

    /// Reads a file as text, and adds it to the list of files in the notes. Supports UTF-8 with or without a byte order
    /// mark, and UTF-16 with a byte order mark. A file that cannot be read is recorded as skipped, and the result is
    /// `None`.
    pub fn text(&self, entry: &FolderEntry, notes: &mut Notes) -> Option<SourceText> {
        let (file, bytes) = self.bytes(entry, notes)?;
        match SourceText::decode(file, bytes) {
            Ok(text) => Some(text.with_cancel(&self.limits().cancel)),
            Err(reason) => {
                notes.skip(&*entry.path, reason);
                None
            }
        }
    }

    /// Parses a file according to the extension of its path.
    pub(super) fn tree(&self, text: &SourceText, path: &str) -> Result<Tree, String> {
        Tree::parse(text, path, self.limits(), self.aliases())
    }
}
