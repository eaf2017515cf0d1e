//! The reader for folders of Markdown.

use super::{almanac, links::Names, page, source::is_page};
use crate::{
    Folder, Format, ReadOptions,
    import::{NoteReader, Notes, Score},
};

/// The reader for folders of Markdown.
pub(crate) struct Markdown;

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

    fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes) {
        let names = Names::gather(folder, options);
        almanac::read(folder, notes);
        for entry in folder.files().filter(|entry| is_page(entry)) {
            if let Some(text) = folder.text(entry, notes) {
                page::read(entry, &text, &names, options, notes);
            }
        }
    }
}
