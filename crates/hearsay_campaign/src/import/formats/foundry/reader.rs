//! The reader for Foundry VTT data.

use super::{
    actor,
    document::{TOOL, What, Written},
    journal,
    library::Library,
    load,
};
use crate::{
    Folder, Format, ReadOptions,
    import::{Alias, Note, NoteReader, Notes, Score, Visibility, tree::Pen},
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
        let mut library = Library::new(load::load(folder, options, notes));
        if let Some(name) = library.docs.world.take() {
            notes.name = name;
        }
        notes.calendar = library.docs.calendar.take();
        let mut written = Vec::new();
        for (number, doc) in library.docs.docs.iter().enumerate() {
            let pen = Pen { file: doc.file };
            match doc.what {
                What::Actor => written.extend(actor::note(&library, number, pen).map(|note| (note, None))),
                What::Item => written.extend(actor::item(&library, number, pen).map(|note| (note, None))),
                What::Journal => written.extend(journal::notes(&library, number, pen)),
            }
        }
        merge(written, notes);
        let closed = library.docs.docs.iter().filter(|doc| doc.is_in_pack() && doc.is_closed()).count();
        if closed > 0 && !options.open_folders {
            let what = format!(
                "{closed} compendium documents have `ownership.default: 0`, the default of Foundry; they are imported as secret. If players may read the compendiums, set `ReadOptions::open_folders`"
            );
            let path = notes.files.first().map(|file| file.path.to_string()).unwrap_or_default();
            notes.warn(path, 0, what);
        }
    }
}

/// Joins two notes about one person: the page of a module, and the actor that this page names.
fn merge(written: Vec<Written>, notes: &mut Notes) {
    let mut place = std::collections::HashMap::new();
    let mut merged: Vec<Note> = Vec::with_capacity(written.len());
    let (pages, plain): (Vec<_>, Vec<_>) = written.into_iter().partition(|(_, actor)| actor.is_some());
    for (note, _) in plain {
        place.insert(note.key.clone(), merged.len());
        merged.push(note);
    }
    for (page, actor) in pages {
        let actor = actor.and_then(|actor| place.get(&actor)).copied();
        match actor.and_then(|at| merged.get_mut(at)) {
            Some(actor) => join(actor, page),
            None => merged.push(page),
        }
    }
    notes.notes.extend(merged);
}

/// Adds the content of a page to the note of an actor. Each part stays as secret as the document that it comes from.
fn join(actor: &mut Note, mut page: Note) {
    seal(actor);
    seal(&mut page);
    actor.ids.push(hearsay_model::ExternalId { system: TOOL.to_owned(), id: page.key });
    actor.ids.append(&mut page.ids);
    let other = page.name.strip_suffix(" - Journal").unwrap_or(&page.name).trim().to_owned();
    if !other.is_empty() && other != actor.name {
        // The name of the secret document becomes a secret alias.
        let (open, hidden) = match (actor.visibility.is_secret(), page.visibility.is_secret()) {
            (true, false) => (other, std::mem::take(&mut actor.name)),
            _ => (std::mem::take(&mut actor.name), other),
        };
        let secret = actor.visibility.is_secret() || page.visibility.is_secret();
        let visibility = if secret { Visibility::SECRET } else { Visibility::Unmarked };
        actor.name = open;
        actor.aliases.push(Alias { name: hidden, origin: page.origin.clone(), visibility });
    }
    if actor.visibility.is_secret() && !page.visibility.is_secret() {
        actor.visibility = page.visibility;
        actor.origin = page.origin;
    }
    actor.player |= page.player;
    if let Some(guess) = page.kind.filter(|_| !actor.player) {
        actor.guess(guess.kind, guess.sure, guess.from);
    }
    actor.aliases.append(&mut page.aliases);
    actor.fields.append(&mut page.fields);
    actor.links.append(&mut page.links);
    actor.texts.append(&mut page.texts);
    actor.dates.append(&mut page.dates);
    actor.states.append(&mut page.states);
}

/// Makes each part of a note at least as secret as the note.
fn seal(note: &mut Note) {
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
