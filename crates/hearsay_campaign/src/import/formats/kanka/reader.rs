//! The reader for Kanka exports.

use super::{export::Export, note::convert_entity, words::KANKA_WORDS};
use crate::{
    Folder, FolderEntry, Format, ReadOptions,
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
        let is_module = |name: &str| KANKA_WORDS.modules.contains_key(name);
        let entries = folder.files().filter(|entry| entry.has_extension(&["json"]));
        let mut module_entries = entries.filter(|entry| entry.folders().next_back().is_some_and(is_module)).take(12);
        let is_entity = |entry: &FolderEntry| {
            let head = String::from_utf8_lossy(&folder.head(entry, 64 << 10)).into_owned();
            let has_field = |name: &str| head.contains(&format!("\"{name}\""));
            has_field("entity")
                && (has_field("entity_id") || has_field("is_private") || has_field("entry"))
                && !has_field("_id")
        };
        module_entries.any(is_entity).then_some(Score::CERTAIN)
    }

    fn read(&self, folder: &Folder, _: &ReadOptions, notes: &mut Notes) {
        let documents = tree::load(folder, notes, &["json"]);
        let mut export = Export::default();
        let mut skipped_count = 0;
        for document in &documents {
            if document.name() == "campaign.json" {
                read_campaign(&document.tree, notes);
                continue;
            }
            let module = document.folder();
            if module == "calendars" && export.add_calendar(&document.tree) {
                continue;
            }
            if KANKA_WORDS.others.contains(module) || module.is_empty() && document.tree.get("entity").is_null() {
                skipped_count += 1;
                continue;
            }
            export.add_entity(document, module, notes);
        }
        notes.calendar = export.choose_calendar();
        for entity in &export.entities {
            if let Some(note) = convert_entity(&export, entity) {
                notes.notes.push(note);
            }
        }
        if skipped_count > 0 {
            let message = format!("{skipped_count} files with abilities, settings and similar data are skipped");
            notes.warn(folder.name(), 0, message);
        }
    }
}

fn read_campaign(tree: &Tree, notes: &mut Notes) {
    if let Some(name) = tree.get("name").text() {
        notes.name = name.trim().to_owned();
    }
}
