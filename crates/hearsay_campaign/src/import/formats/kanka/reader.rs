//! The reader for Kanka exports.

use super::{export::Export, note::note, words::WORDS};
use crate::{
    Entry, Folder, Format, ReadOptions,
    import::{
        NoteReader, Notes, Score,
        tree::{self, Tree},
    },
};

/// The reader for Kanka exports.
pub(crate) struct Kanka;

impl NoteReader for Kanka {
    fn format(&self) -> Format {
        Format::Kanka
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        let module = |name: &str| WORDS.modules.contains_key(name);
        let entries = folder.files().filter(|entry| entry.has_extension(&["json"]));
        let mut of_modules = entries.filter(|entry| entry.folders().next_back().is_some_and(module)).take(12);
        let is_entity = |entry: &Entry| {
            let head = String::from_utf8_lossy(&folder.head(entry, 64 << 10)).into_owned();
            let has = |name: &str| head.contains(&format!("\"{name}\""));
            has("entity") && (has("entity_id") || has("is_private") || has("entry")) && !has("_id")
        };
        of_modules.any(is_entity).then_some(Score::SURE)
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["json"]);
        let mut export = Export::default();
        let mut others = 0;
        for document in &documents {
            if document.name() == "campaign.json" {
                campaign(&document.tree, notes);
                continue;
            }
            let module = document.folder();
            if module == "calendars" && export.calendar(&document.tree) {
                continue;
            }
            if WORDS.others.contains(module) || module.is_empty() && document.tree.get("entity").is_null() {
                others += 1;
                continue;
            }
            export.entity(document, module, notes);
        }
        notes.calendar = export.choose_calendar();
        for held in &export.entities {
            if let Some(note) = note(&export, held) {
                notes.notes.push(note);
            }
        }
        if others > 0 {
            let what = format!("{others} files with abilities, settings and similar data are skipped");
            notes.warn(folder.name(), 0, what);
        }
    }
}

fn campaign(tree: &Tree, notes: &mut Notes) {
    if let Some(name) = tree.get("name").text() {
        notes.name = name.trim().to_owned();
    }
}
