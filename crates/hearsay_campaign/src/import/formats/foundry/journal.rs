//! Journals of Foundry. Their entries and pages become entities, session logs or texts.

use hearsay_model::Kind;

use super::{
    builder, codex,
    document::{Doc, TOOL, Written},
    form::{Form, form, noted, page_key, session, stands_alone},
    library::{Access, Library, begin},
    modules::is_kept,
    text::{page_text, within, write},
};
use crate::import::{
    DateOf, Dated, Note, Role, SessionHead, Sure, Visibility, secret,
    tree::{Pen, Tree},
};

/// Adds the dates of a Simple Calendar note, which counts months and days from 0.
fn dates(doc: &Doc, pen: Pen, note: &mut Note) {
    for (key, what) in [("startDate", DateOf::Start), ("endDate", DateOf::End)] {
        let date = noted(doc).get(key);
        let part = |name: &str, more: i64| date.get(name).integer().and_then(|number| number.checked_add(more));
        let (Some(year), Some(month), Some(day)) = (part("year", 0), part("month", 1), part("day", 1)) else {
            continue;
        };
        let raw = format!("{year}-{month}-{day}");
        if what == DateOf::End && note.dates.iter().any(|held| held.raw == raw) {
            continue;
        }
        let origin = pen.origin(date, &format!("flags.foundryvtt-simple-calendar.noteData.{key}"));
        let (readable, visibility) = (Some(raw.clone()), note.visibility.clone());
        note.dates.push(Dated { what, raw, readable, title: None, origin, visibility });
    }
}

/// Returns the notes that a journal contains.
pub(super) fn notes(library: &Library, number: usize, pen: Pen) -> Vec<Written> {
    let Some(doc) = library.docs.docs.get(number) else { return Vec::new() };
    let access = library.access(doc);
    let Some(mut whole) = begin(doc, &access, pen) else { return Vec::new() };
    match form(library, doc) {
        Form::Codex => codex::notes(library, doc, whole, &access, pen),
        Form::Pages(kind) => {
            let mut written = Vec::new();
            whole.role = Role::Text;
            for page in doc.tree.get("pages").items() {
                if stands_alone(library, doc, page) {
                    written.extend(alone(library, doc, page, kind.clone(), &access, pen));
                } else {
                    page_text(library, doc, page, &access, pen, &mut whole);
                }
            }
            written.push((whole, None));
            written
        }
        form => {
            match form {
                Form::Entity(kind, folder) => {
                    whole.player = kind == Kind::Player;
                    whole.guess(kind, Sure::Guessed, format!("folder {folder}"));
                }
                Form::Session(number) => {
                    whole.role = Role::Session;
                    whole.session = Some(SessionHead { number, ..SessionHead::default() });
                }
                _ => whole.role = Role::Text,
            }
            dates(doc, pen, &mut whole);
            // Before version 10, an entry had no pages.
            let content = doc.tree.get("content");
            write(library, doc, content, "content", None, &access.inner, pen, &mut whole);
            for page in doc.tree.get("pages").items() {
                page_text(library, doc, page, &access, pen, &mut whole);
            }
            vec![(whole, None)]
        }
    }
}

/// Returns the note for a page that becomes a separate note.
fn alone(library: &Library, doc: &Doc, page: &Tree, kind: Option<Kind>, outer: &Access, pen: Pen) -> Option<Written> {
    let name = page.get("name").text()?.trim().to_owned();
    let access = within(&library.page_access(doc, page), outer);
    let hides = secret::is_secret(&name);
    let visibility = if hides { Visibility::SECRET.within(&access.seen) } else { access.seen.clone() };
    let mut note = Note {
        key: page_key(doc, page),
        tool: TOOL,
        origin: pen.origin(page.get("name"), "pages.name"),
        visibility,
        ..Note::default()
    };
    let number = session(&name);
    note.name = name;
    if let Some(number) = number.filter(|_| !is_kept(page)) {
        note.role = Role::Session;
        note.session = Some(SessionHead { number, ..SessionHead::default() });
    } else if let Some(kind) = kind {
        note.player = kind == Kind::Player;
        note.guess(kind, Sure::Guessed, "the name of the journal");
    }
    let actor = builder::fill(library, doc, page, &access, pen, &mut note);
    page_text(library, doc, page, outer, pen, &mut note);
    Some((note, actor))
}
