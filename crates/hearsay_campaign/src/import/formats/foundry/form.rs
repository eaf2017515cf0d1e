//! Decides which journals and pages are entities, session logs, or texts.

use hearsay_model::Kind;

use super::{
    document::Doc,
    library::Library,
    modules::{codex_kind, is_kept},
};
use crate::import::{lexicon, tree::Tree};

/// The role of a journal.
pub(super) enum Form {
    /// An entity of Campaign Codex.
    Codex,
    /// An entity whose pages are its parts. The values are the kind, and the folder or module that implies the kind.
    Entity(Kind, String),
    /// A journal whose pages are separate entities. The entities have this kind unless their page states another kind.
    Pages(Option<Kind>),
    /// A session log. The value is the number of the session.
    Session(Option<u32>),
    /// A text that describes no entity.
    Text,
}

pub(super) fn form(library: &Library, doc: &Doc) -> Form {
    let name = doc.tree.get("name").word().unwrap_or_default();
    let pages = doc.tree.get("pages").items();
    if codex_kind(doc).is_some() {
        return Form::Codex;
    }
    if pages.iter().any(|page| is_kept(page)) {
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
pub(super) fn noted(doc: &Doc) -> &Tree {
    doc.tree.get("flags").get("foundryvtt-simple-calendar").get("noteData")
}

/// Returns `None` if the name is not that of a session log. Otherwise returns the session number, if the name has one.
pub(super) fn session(name: &str) -> Option<Option<u32>> {
    let words = hearsay_model::text::words(name);
    let at = words.iter().position(|word| word == "session")?;
    let number = words.get(at + 1).and_then(|word| word.parse().ok());
    let log = words.iter().any(|word| ["log", "recap", "summary"].contains(&word.as_str()));
    (number.is_some() || log).then_some(number)
}

/// Returns the kind that the name of a journal implies for its pages: `NPCs`, `Factions of the coast`.
pub(super) fn category(name: &str) -> Option<Kind> {
    let words = hearsay_model::text::words(name);
    let plural = |word: &&String| (word.ends_with('s') && !word.ends_with("ss")) || word.as_str() == "people";
    let at = words.iter().position(|word| ["of", "in", "from"].contains(&word.as_str())).unwrap_or(words.len());
    words.get(..at)?.last().filter(plural).and_then(|word| lexicon::kind(word))
}

/// Returns whether a page becomes a separate note.
pub(super) fn stands_alone(library: &Library, doc: &Doc, page: &Tree) -> bool {
    match form(library, doc) {
        Form::Pages(Some(_)) => true,
        Form::Pages(None) => is_kept(page) || page.get("name").text().is_some_and(|name| session(name).is_some()),
        _ => false,
    }
}

/// Returns the key of the only page of a journal, if that page becomes a separate note.
pub(super) fn only_page(library: &Library, doc: &Doc) -> Option<String> {
    let pages = doc.tree.get("pages").items();
    let [page] = pages[..] else { return None };
    stands_alone(library, doc, page).then(|| page_key(doc, page))
}

pub(super) fn page_key(doc: &Doc, page: &Tree) -> String {
    let id = page.get("_id").word().or_else(|| page.get("name").word()).unwrap_or_default();
    format!("{}.JournalEntryPage.{id}", doc.key)
}
