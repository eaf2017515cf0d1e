//! Reading of files into notes.

use super::{FileId, Notes, Text, tree::Tree};
use crate::{Entry, Folder};

impl Folder {
    /// Reads a file, and adds it to the list of files in the notes. A file that cannot be read is recorded as skipped,
    /// and the result is `None`.
    pub fn bytes(&self, entry: &Entry, notes: &mut Notes) -> Option<(FileId, Vec<u8>)> {
        match self.read(entry) {
            Ok(bytes) => Some((notes.file(&entry.path, &bytes), bytes)),
            Err(why) => {
                notes.skip(&*entry.path, why);
                None
            }
        }
    }

    /// Reads a file as text, and adds it to the list of files in the notes. Supports UTF-8 with or without a byte order
    /// mark, and UTF-16 with a byte order mark. A file that cannot be read is recorded as skipped, and the result is
    /// `None`.
    pub fn text(&self, entry: &Entry, notes: &mut Notes) -> Option<Text> {
        let (file, bytes) = self.bytes(entry, notes)?;
        match Text::decode(file, bytes) {
            Ok(text) => Some(text.until(&self.limits().cancel)),
            Err(why) => {
                notes.skip(&*entry.path, why);
                None
            }
        }
    }

    /// Parses a file according to the extension of its path.
    pub(super) fn tree(&self, text: &Text, path: &str) -> Result<Tree, String> {
        Tree::parse(text, path, self.limits(), self.aliases())
    }
}
