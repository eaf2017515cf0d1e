//! Foundry VTT: exported documents, worlds, `packs/_source`, NeDB; with the flags of campaign modules.
//!
//! All documents are read before notes are created, because they refer to one another: to folders, to users, and by
//! `@UUID` across modules. The `ownership` of a document decides about its visibility:
//!
//! - 2 and 3: players see the document. The campaign's audience rules decide.
//! - 1: players see its existence and its public text. All other content is secret.
//! - 0: the document is secret. Characters of users with level 2 or more know it.
//! - −1: a page has the ownership of its journal.
//! - No ownership, as in a single exported document: the audience rules decide. Only the actor itself knows the text
//!   for its owner.

mod actor;
mod builder;
mod codex;
mod journal;
mod library;
mod links;
mod load;
#[cfg(test)]
mod tests;

use super::{Folder, Format, Note, NoteReader, Notes, Options, Score, Visibility, tree::Pen};
use library::Library;

/// Reader for Foundry VTT data.
pub(crate) struct Foundry;

const TOOL: &str = "foundry";

impl NoteReader for Foundry {
    fn format(&self) -> Format {
        Format::Foundry
    }

    fn detect(&self, folder: &Folder) -> Option<Score> {
        load::detect(folder)
    }

    fn read(&self, folder: &Folder, options: &Options, notes: &mut Notes) {
        let mut library = Library::new(load::load(folder, options, notes));
        if let Some(name) = library.docs.world.take() {
            notes.name = name;
        }
        notes.calendar = library.docs.calendar.take();
        let mut written = Vec::new();
        for (number, doc) in library.docs.docs.iter().enumerate() {
            let pen = Pen { file: doc.file };
            match doc.what {
                load::What::Actor => written.extend(actor::note(&library, number, pen).map(|note| (note, None))),
                load::What::Item => written.extend(actor::item(&library, number, pen).map(|note| (note, None))),
                load::What::Journal => written.extend(journal::notes(&library, number, pen)),
            }
        }
        merge(written, notes);
        let closed = library.docs.docs.iter().filter(|doc| doc.is_in_pack() && doc.is_closed()).count();
        if closed > 0 && !options.open_folders {
            let what = format!(
                "{closed} documents of compendiums have `ownership.default: 0`, which Foundry writes unless told \
                 otherwise; they are kept secret. If players may read the compendiums, import with open folders"
            );
            let path = notes.files.first().map(|file| file.path.to_string()).unwrap_or_default();
            notes.warn(path, 0, what);
        }
    }
}

/// A note, with the key of another document that is the same person.
type Written = (Note, Option<String>);

/// Joins the notes of one person: the page of a module, and the actor that it names.
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

/// Joins a page into an actor. Each part stays as secret as its own document.
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
        actor.aliases.push(super::Alias { name: hidden, origin: page.origin.clone(), visibility });
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

/// Applies the visibility of a note to each of its parts.
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
