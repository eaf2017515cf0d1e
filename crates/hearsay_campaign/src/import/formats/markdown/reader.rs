//! The reader for folders of Markdown.

use super::{calendarium, links::NoteNames, note_files::is_page, page};
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
        let file_count = folder.files().len();
        let page_count = folder.files().filter(|entry| is_page(entry)).count();
        match page_count {
            0 => None,
            _ if folder.hidden_file(".obsidian/app.json").is_some() => Some(Score(80)),
            _ if page_count * 2 > file_count => Some(Score::LIKELY),
            _ => Some(Score::POSSIBLE),
        }
    }

    fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes) {
        let names = NoteNames::collect(folder, options);
        calendarium::read_calendar(folder, notes);
        for entry in folder.files().filter(|entry| is_page(entry)) {
            if let Some(text) = folder.text(entry, notes) {
                page::read_page(entry, &text, &names, options, notes);
            }
        }
    }
}
