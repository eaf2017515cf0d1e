//! Folders of Markdown, in three modes that may be mixed: an Obsidian vault, whose links name files or aliases; a site, whose
//! links name titles; and files that hold several entities, one per heading.
//!
//! Which side of a two-part link is the target is found by looking which side names notes. Everything else is decided note
//! by note, so that a folder may hold all three.

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

use super::{AliasOrder, Entry, Folder, Format, Notes, Options, Reader, Score};
use links::Names;

/// Reads folders of Markdown.
pub(crate) struct Markdown;

const EXTENSIONS: [&str; 2] = ["md", "markdown"];

impl Reader for Markdown {
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

/// Whether a file is a note. Templates of notes are none, nor is what a repository says of itself.
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

/// Which side of `[[a|b]]` and of `[[a:b]]` is the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Orders {
    bar: AliasOrder,
    /// Nothing, where a colon parts nothing.
    colon: Option<AliasOrder>,
}
