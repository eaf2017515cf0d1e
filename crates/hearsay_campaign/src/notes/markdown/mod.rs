//! Folders of Markdown, in three styles that may be mixed: an Obsidian vault, whose links name files or aliases; a
//! site, whose links name titles; and files with several entities, one per heading.
//!
//! The target of a two-part link is the side that names notes more often. All other decisions are made note by note, so
//! a folder may mix the styles.

mod almanac;
mod front;
mod group;
mod identity;
mod labels;
mod links;
mod page;
#[cfg(test)]
mod relation_tests;
#[cfg(test)]
mod secret_tests;
mod signs;
#[cfg(test)]
mod tests;

pub(super) use labels::relate;

use super::{AliasOrder, Entry, Folder, Format, NoteReader, Notes, Options, Score};
use links::Names;

/// Reads folders of Markdown.
pub(crate) struct Markdown;

const EXTENSIONS: [&str; 2] = ["md", "markdown"];

impl NoteReader for Markdown {
    fn format(&self) -> Format {
        Format::Markdown
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let all = folder.files().len();
        let pages = folder.files().filter(|entry| is_page(entry)).count();
        match pages {
            0 => None,
            _ if folder.hidden(".obsidian/app.json").is_some() => Some(Score(80)),
            _ if pages * 2 > all => Some(Score::LIKELY),
            _ => Some(Score::POSSIBLE),
        }
    }

    fn read(&self, folder: &Folder, options: &Options, notes: &mut Notes) {
        let names = Names::gather(folder, options);
        almanac::read(folder, notes);
        for entry in folder.files().filter(|entry| is_page(entry)) {
            if let Some(text) = folder.text(entry, notes) {
                page::read(entry, &text, &names, options, notes);
            }
        }
    }
}

/// Whether a file is a note. Templates, and the documentation of a repository, are not notes.
fn is_page(entry: &Entry) -> bool {
    const ABOUT: [&str; 6] = ["license", "licence", "changelog", "contributing", "code_of_conduct", "credits"];
    let template = entry.folders().any(|folder| {
        let folder = folder.to_lowercase();
        folder == "templates" || folder == "_templates" || folder.ends_with(" templates")
    });
    let stem = entry.stem().to_lowercase();
    let about = ABOUT.contains(&stem.as_str()) || stem.ends_with("-template");
    entry.has_extension(&EXTENSIONS) && !template && !about
}

/// The target side of `[[a|b]]` and of `[[a:b]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Orders {
    bar: AliasOrder,
    /// `None` if a colon does not separate two sides.
    colon: Option<AliasOrder>,
}
