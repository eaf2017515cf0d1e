//! Journals: entries and pages become entities, session logs, or texts.

use hearsay_model::Kind;

use super::{
    TOOL, Written, builder, codex,
    library::{Access, Library},
    links,
    load::Doc,
};
use crate::{
    notes::{
        DateOf, Dated, Note, Role, SessionHead, Sure, Visibility, lexicon, secret,
        tree::{Markup, Pen, Tree, Writing},
    },
    text::Style,
};

/// The type of a journal.
enum Form {
    /// An entity of Campaign Codex.
    Codex,
    /// An entity whose pages are its parts.
    Entity(Kind, String),
    /// A journal whose pages are entities, of this kind unless they state another.
    Pages(Option<Kind>),
    /// A session log, with its number.
    Session(Option<u32>),
    /// A text.
    Text,
}

fn form(library: &Library, doc: &Doc) -> Form {
    let name = doc.tree.get("name").word().unwrap_or_default();
    let pages = doc.tree.get("pages").items();
    if codex::kind(doc).is_some() {
        return Form::Codex;
    }
    if pages.iter().any(|page| builder::is_kept(page)) {
        return Form::Pages(None);
    }
    if !noted(doc).is_null() {
        return Form::Entity(Kind::Event, "Simple Calendar".to_owned());
    }
    if let Some(number) = session(&name) {
        return Form::Session(number);
    }
    if pages.len() > 1
        && let Some(kind) = category(&name)
    {
        return Form::Pages(Some(kind));
    }
    if pages.iter().any(|page| page.get("name").text().is_some_and(|name| session(name).is_some())) {
        return Form::Pages(None);
    }
    let logs = |folder: &String| {
        let words = hearsay_model::text::words(folder);
        words.iter().any(|word| ["session", "sessions", "recaps"].contains(&word.as_str()))
    };
    if library.folder_names(doc).first().is_some_and(logs) {
        let number = hearsay_model::text::words(&name).iter().find_map(|word| word.parse().ok());
        return Form::Session(number);
    }
    match library.folder_kind(doc) {
        Some((kind, folder)) => Form::Entity(kind, folder),
        None => Form::Text,
    }
}

/// Returns the data of Simple Calendar in a journal that is a calendar note.
fn noted(doc: &Doc) -> &Tree {
    doc.tree.get("flags").get("foundryvtt-simple-calendar").get("noteData")
}

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

/// Returns the session number, if the name is that of a session log.
fn session(name: &str) -> Option<Option<u32>> {
    let words = hearsay_model::text::words(name);
    let at = words.iter().position(|word| word == "session")?;
    let number = words.get(at + 1).and_then(|word| word.parse().ok());
    let log = words.iter().any(|word| ["log", "recap", "summary"].contains(&word.as_str()));
    (number.is_some() || log).then_some(number)
}

/// Returns the kind of the pages for the name of their journal: `NPCs`, `Factions of the coast`.
fn category(name: &str) -> Option<Kind> {
    let words = hearsay_model::text::words(name);
    let plural = |word: &&String| (word.ends_with('s') && !word.ends_with("ss")) || word.as_str() == "people";
    let at = words.iter().position(|word| ["of", "in", "from"].contains(&word.as_str())).unwrap_or(words.len());
    words.get(..at)?.last().filter(plural).and_then(|word| lexicon::kind(word))
}

/// Whether a page is a note of its own.
pub(super) fn stands_alone(library: &Library, doc: &Doc, page: &Tree) -> bool {
    match form(library, doc) {
        Form::Pages(Some(_)) => true,
        Form::Pages(None) => {
            builder::is_kept(page) || page.get("name").text().is_some_and(|name| session(name).is_some())
        }
        _ => false,
    }
}

/// Returns the key of the only page of a journal, if that page is the note.
pub(super) fn only_page(library: &Library, doc: &Doc) -> Option<String> {
    let pages = doc.tree.get("pages").items();
    let [page] = pages[..] else { return None };
    stands_alone(library, doc, page).then(|| page_key(doc, page))
}

fn page_key(doc: &Doc, page: &Tree) -> String {
    let id = page.get("_id").word().or_else(|| page.get("name").word()).unwrap_or_default();
    format!("{}.JournalEntryPage.{id}", doc.key)
}

/// Returns the notes of a journal.
pub(super) fn notes(library: &Library, number: usize, pen: Pen) -> Vec<Written> {
    let Some(doc) = library.docs.docs.get(number) else { return Vec::new() };
    let Some(name) = doc.tree.get("name").text().map(|name| name.trim().to_owned()) else { return Vec::new() };
    let access = library.access(doc);
    let mut whole = Note {
        key: doc.key.clone(),
        tool: TOOL,
        name,
        origin: pen.origin(doc.tree.get("name"), "name"),
        visibility: access.seen.clone(),
        ..Note::default()
    };
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
            super::actor::write(library, doc, content, "content", None, &access.inner, pen, &mut whole);
            for page in doc.tree.get("pages").items() {
                page_text(library, doc, page, &access, pen, &mut whole);
            }
            vec![(whole, None)]
        }
    }
}

/// Returns the note of a page that is a note of its own.
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
    if let Some(number) = number.filter(|_| !builder::is_kept(page)) {
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

fn within(inner: &Access, outer: &Access) -> Access {
    Access { seen: inner.seen.within(&outer.seen), inner: inner.inner.within(&outer.inner), said: true }
}

/// Adds the text of a page.
pub(super) fn page_text(library: &Library, doc: &Doc, page: &Tree, outer: &Access, pen: Pen, note: &mut Note) {
    let access = within(&library.page_access(doc, page), outer);
    let name = page.get("name").word().unwrap_or_default();
    let alone = doc.tree.get("pages").items().len() <= 1 || name == note.name;
    let heading = Some(name.as_str()).filter(|_| !alone);
    let hides = secret::is_secret(&name);
    let visibility = if hides { Visibility::SECRET.within(&access.inner) } else { access.inner };
    let text = page.get("text");
    let markdown = text.get("format").integer() == Some(2) && text.get("markdown").text().is_some();
    let (tree, markup) = match markdown {
        true => (text.get("markdown"), Markup::Markdown),
        false => (text.get("content"), Markup::Html),
    };
    let inline = |text: &str| links::inline(library, doc, text);
    let style = Style { inline: &inline, address: &|_| None };
    let writing = Writing { field: "pages.text", heading, markup, visibility: &visibility, style };
    let first = note.texts.len();
    pen.blocks(tree, &writing, &mut note.texts);
    let mut at = 0;
    note.texts.retain(|block| {
        at += 1;
        at <= first || !is_template(&block.text.text)
    });
}

/// Whether the text is the unfilled template of a module.
fn is_template(text: &str) -> bool {
    let text = text.trim_end_matches(['.', '\u{2026}', ' ']);
    ["Location overview", "Shop overview", "NPC details", "Region overview", "Group overview", "Overview"]
        .contains(&text)
}
