//! A handbook for the players. It contains facts that their characters know. Its chapters tell the story of each
//! session, list open threads, and describe the people, places and factions that the characters met or heard of.

mod builder;
mod changes;
mod claim;
mod content;
mod entries;
mod html;
mod kinds;
mod markdown;
mod names;
mod sessions;
mod shared;
mod timeline;
mod wording;

#[cfg(test)]
mod tests;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use hearsay_belief::View;
use hearsay_files::{Access, Durability};
use hearsay_model::{EntityId, GameTime, Knower, State};

use super::file_names::FileNames;
use builder::Builder;
pub use changes::HandbookChanges;
pub use content::Handbook;

/// The players for whom a handbook is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandbookReaders<'a> {
    /// All players. The handbook contains the facts and texts that all player characters know. Facts and texts that all
    /// of them conceal are left out.
    Party,
    /// The player of one character. The handbook contains everything that the character knows.
    Character(&'a EntityId),
}

/// Format of a handbook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandbookFormat {
    /// Markdown.
    Markdown,
    /// One HTML page with a table of contents. The page contains its style sheet and refers to no other file.
    Html,
}

impl HandbookFormat {
    fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }
}

/// The parameters of [`Handbook::new`].
#[derive(Debug, Clone, Copy)]
pub struct HandbookRequest<'a> {
    /// Title of the handbook.
    pub title: &'a str,
    /// The player characters.
    pub party: &'a [EntityId],
    /// The players who read the handbook.
    pub readers: HandbookReaders<'a>,
    /// Game time at which the knowledge of the characters is read; `None` for their knowledge at the end of all
    /// recorded time.
    pub as_of: Option<GameTime>,
}

impl Handbook {
    /// Creates a handbook. It contains only facts and texts that all of its readers know. It also lists the title and
    /// the attendance of each session.
    pub fn new(state: &State, request: &HandbookRequest) -> Self {
        let readers = match request.readers {
            HandbookReaders::Party => request.party,
            HandbookReaders::Character(id) => std::slice::from_ref(id),
        };
        let view = |id: &EntityId| View::new(state, &Knower::Entity(id.clone()), request.as_of);
        let views: Vec<View> = readers.iter().map(view).collect();
        Builder::new(state, &views, request).build()
    }

    /// Returns the handbook in a format.
    pub fn write(&self, format: HandbookFormat) -> String {
        match format {
            HandbookFormat::Markdown => markdown::to_markdown(self),
            HandbookFormat::Html => html::to_html(self),
        }
    }
}

/// Writes the handbook of the party and one handbook for each player character into a folder, and returns the paths of
/// the files. Existing handbooks are replaced. On Unix, only the owner of the files can read them.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub fn export_handbooks(
    state: &State,
    request: &HandbookRequest,
    folder: &Path,
    format: HandbookFormat,
) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let mut file_names = FileNames::default();
    let all = std::iter::once(HandbookReaders::Party).chain(request.party.iter().map(HandbookReaders::Character));
    all.map(|readers| {
        let name = match readers {
            HandbookReaders::Party => ("Handbook", ""),
            HandbookReaders::Character(id) => (state.open_name(id).unwrap_or(id.as_str()), id.as_str()),
        };
        let path = file_names.reserve(".", name.0, name.1);
        let path = folder.join(format!("{}.{}", path.trim_start_matches("./"), format.extension()));
        let text = Handbook::new(state, &HandbookRequest { readers, ..*request }).write(format);
        hearsay_files::replace(&path, text.as_bytes(), Access::Private, Durability::Synced)?;
        Ok(path)
    })
    .collect()
}
