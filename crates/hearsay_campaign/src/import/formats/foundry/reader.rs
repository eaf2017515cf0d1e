//! The reader for Foundry VTT data.

use super::{
    actor,
    document::{ConvertedNote, DocumentType, TOOL},
    journal,
    library::Library,
    load,
};
use crate::{
    Folder, Format, ReadOptions,
    import::{Alias, Note, NoteReader, Notes, Score, Visibility, tree::TreeConverter},
};

/// The reader for Foundry VTT data.
pub(crate) struct Foundry;

impl NoteReader for Foundry {
    fn format(&self) -> Format {
        Format::Foundry
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        load::detect(folder)
    }

    fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes) {
        let mut library = Library::new(load::load_documents(folder, options, notes));
        if let Some(name) = library.loaded.world.take() {
            notes.name = name;
        }
        notes.calendar = library.loaded.calendar.take();
        let mut converted = Vec::new();
        for (index, doc) in library.loaded.documents.iter().enumerate() {
            let converter = TreeConverter { file: doc.file };
            match doc.document_type {
                DocumentType::Actor => {
                    converted.extend(actor::convert_actor(&library, index, converter).map(|note| (note, None)))
                }
                DocumentType::Item => {
                    converted.extend(actor::convert_item(&library, index, converter).map(|note| (note, None)))
                }
                DocumentType::Journal => converted.extend(journal::convert_journal(&library, index, converter)),
            }
        }
        merge_actor_pages(converted, notes);
        let closed_count = library.loaded.documents.iter().filter(|doc| doc.is_in_pack() && doc.is_closed()).count();
        if closed_count > 0 && !options.open_folders {
            let message = format!(
                "{closed_count} compendium documents have `ownership.default: 0`, the default of Foundry; they are imported as secret. If players are allowed to read the compendiums, import them with `--open-folders` (in a program, with the option `open_folders`)"
            );
            let path = notes.files.first().map(|file| file.path.to_string()).unwrap_or_default();
            notes.warn(path, 0, message);
        }
    }
}

/// Joins two notes about one person: the page of a module, and the actor that this page names.
fn merge_actor_pages(converted: Vec<ConvertedNote>, notes: &mut Notes) {
    let mut index_by_key = std::collections::HashMap::new();
    let mut merged: Vec<Note> = Vec::with_capacity(converted.len());
    let (pages, unlinked): (Vec<_>, Vec<_>) = converted.into_iter().partition(|(_, actor)| actor.is_some());
    for (note, _) in unlinked {
        index_by_key.insert(note.key.clone(), merged.len());
        merged.push(note);
    }
    for (page, actor) in pages {
        let actor = actor.and_then(|actor| index_by_key.get(&actor)).copied();
        match actor.and_then(|at| merged.get_mut(at)) {
            Some(actor) => merge_page_into_actor(actor, page),
            None => merged.push(page),
        }
    }
    notes.notes.extend(merged);
}

/// Adds the content of a page to the note of an actor. Each part stays as secret as the document that it comes from.
fn merge_page_into_actor(actor: &mut Note, mut page: Note) {
    restrict_parts(actor);
    restrict_parts(&mut page);
    actor.ids.push(hearsay_model::ExternalId { system: TOOL.to_owned(), id: page.key });
    actor.ids.append(&mut page.ids);
    let page_name = page.name.strip_suffix(" - Journal").unwrap_or(&page.name).trim().to_owned();
    if !page_name.is_empty() && page_name != actor.name {
        // The name of the secret document becomes a secret alias.
        let (open, hidden) = match (actor.visibility.is_secret(), page.visibility.is_secret()) {
            (true, false) => (page_name, std::mem::take(&mut actor.name)),
            _ => (std::mem::take(&mut actor.name), page_name),
        };
        let is_any_secret = actor.visibility.is_secret() || page.visibility.is_secret();
        let visibility = if is_any_secret { Visibility::SECRET } else { Visibility::Unmarked };
        actor.name = open;
        actor.aliases.push(Alias { name: hidden, origin: page.origin.clone(), visibility });
    }
    if actor.visibility.is_secret() && !page.visibility.is_secret() {
        actor.visibility = page.visibility;
        actor.origin = page.origin;
    }
    actor.is_player |= page.is_player;
    if let Some(guess) = page.kind.filter(|_| !actor.is_player) {
        actor.set_kind(guess.kind, guess.certainty, guess.evidence);
    }
    actor.aliases.append(&mut page.aliases);
    actor.fields.append(&mut page.fields);
    actor.links.append(&mut page.links);
    actor.texts.append(&mut page.texts);
    actor.dates.append(&mut page.dates);
    actor.states.append(&mut page.states);
}

/// Makes each part of a note at least as secret as the note.
fn restrict_parts(note: &mut Note) {
    let outer = note.visibility.clone();
    let parts = (note.fields.iter_mut().map(|part| &mut part.visibility))
        .chain(note.aliases.iter_mut().map(|part| &mut part.visibility))
        .chain(note.links.iter_mut().map(|part| &mut part.visibility))
        .chain(note.texts.iter_mut().map(|part| &mut part.visibility))
        .chain(note.dates.iter_mut().map(|part| &mut part.visibility))
        .chain(note.states.iter_mut().map(|part| &mut part.visibility));
    for visibility in parts {
        *visibility = visibility.within(&outer);
    }
}
