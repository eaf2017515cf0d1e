//! Parsed files of a folder.

use super::value::Tree;
use crate::{
    Folder,
    import::{FileId, Notes},
};

/// A parsed file.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) path: String,
    pub(crate) file: FileId,
    pub(crate) tree: Tree,
}

impl Document {
    /// Returns the name of the file without its folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Returns the innermost folder of the file.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit('/').nth(1).unwrap_or_default()
    }
}

/// Parses all files with these extensions. A file that cannot be read is recorded as skipped.
pub(crate) fn load(folder: &Folder, notes: &mut Notes, extensions: &[&str]) -> Vec<Document> {
    let mut documents = Vec::new();
    for entry in folder.files().filter(|entry| entry.has_extension(extensions)) {
        let Some(text) = folder.text(entry, notes) else { continue };
        match folder.tree(&text, &entry.path) {
            Ok(tree) => documents.push(Document { path: entry.path.clone(), file: text.file, tree }),
            Err(reason) => notes.skip(&*entry.path, reason),
        }
    }
    documents
}
