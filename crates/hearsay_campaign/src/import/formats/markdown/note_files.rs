//! Decides which files are notes, and where their front matter ends.

use std::ops::Range;

use super::words::MARKDOWN_WORDS;
use crate::FolderEntry;

/// The extensions of notes.
pub(super) const EXTENSIONS: [&str; 2] = ["md", "markdown"];

/// Returns whether a file is a note. Templates, and the documentation of a repository, are not notes.
pub(super) fn is_page(entry: &FolderEntry) -> bool {
    let is_template = entry.folders().any(|folder| {
        let folder = folder.to_lowercase();
        folder == "templates" || folder == "_templates" || folder.ends_with(" templates")
    });
    let stem = entry.stem().to_lowercase();
    let is_documentation = MARKDOWN_WORDS.repository.contains(&stem) || stem.ends_with("-template");
    entry.has_extension(&EXTENSIONS) && !is_template && !is_documentation
}

/// Returns the range of the front matter, and the start of the body.
pub(super) fn split_front_matter(text: &str) -> Option<(Range<usize>, usize)> {
    let rest = text.strip_prefix("---")?;
    let rest = rest.trim_start_matches([' ', '\t', '\r']).strip_prefix('\n')?;
    let start = text.len() - rest.len();
    let mut at = start;
    for line in rest.split_inclusive('\n') {
        if ["---", "..."].contains(&line.trim_end()) {
            return Some((start..at, at + line.len()));
        }
        at += line.len();
    }
    None
}
