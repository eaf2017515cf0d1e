//! Decides which journals and pages are entities, session logs, or texts.

use hearsay_model::Kind;

use super::{
    document::Doc,
    library::Library,
    modules::{codex_kind, is_module_page},
};
use crate::import::{lexicon, tree::Tree};

/// The role of a journal.
pub(super) enum JournalRole {
    /// A journal about one entity, written by the module Campaign Codex.
    Codex,
    /// A journal about one entity. The values are the kind of the entity, and the folder or module that implies the
    /// kind.
    Entity(Kind, String),
    /// A journal whose pages are separate entities. The entities have this kind unless their page states another kind.
    Pages(Option<Kind>),
    /// A session log. The value is the number of the session.
    Session(Option<u32>),
    /// A text that describes no entity.
    Text,
}

pub(super) fn journal_role(library: &Library, doc: &Doc) -> JournalRole {
    let name = doc.tree.get("name").to_text().unwrap_or_default();
    let pages = doc.tree.get("pages").items();
    if codex_kind(doc).is_some() {
        return JournalRole::Codex;
    }
    if pages.iter().any(|page| is_module_page(page)) {
        return JournalRole::Pages(None);
    }
    if !calendar_note_data(doc).is_null() {
        return JournalRole::Entity(Kind::Event, "Simple Calendar".to_owned());
    }
    if let Some(number) = session_number(&name) {
        return JournalRole::Session(number);
    }
    if pages.len() > 1
        && let Some(kind) = category_kind(&name)
    {
        return JournalRole::Pages(Some(kind));
    }
    if pages.iter().any(|page| page.get("name").text().is_some_and(|name| session_number(name).is_some())) {
        return JournalRole::Pages(None);
    }
    let is_log_folder = |folder: &String| {
        let words = hearsay_model::text::words(folder);
        words.iter().any(|word| ["session", "sessions", "recaps"].contains(&word.as_str()))
    };
    if library.folder_names(doc).first().is_some_and(is_log_folder) {
        let number = hearsay_model::text::words(&name).iter().find_map(|word| word.parse().ok());
        return JournalRole::Session(number);
    }
    match library.folder_kind(doc) {
        Some((kind, folder)) => JournalRole::Entity(kind, folder),
        None => JournalRole::Text,
    }
}

/// Returns the data of Simple Calendar in a journal that is a calendar note.
pub(super) fn calendar_note_data(doc: &Doc) -> &Tree {
    doc.tree.get("flags").get("foundryvtt-simple-calendar").get("noteData")
}

/// Returns `None` if the name is not that of a session log. For a session log, returns the session number, if the name
/// contains a number.
pub(super) fn session_number(name: &str) -> Option<Option<u32>> {
    let words = hearsay_model::text::words(name);
    let at = words.iter().position(|word| word == "session")?;
    let number = words.get(at + 1).and_then(|word| word.parse().ok());
    let is_log = words.iter().any(|word| ["log", "recap", "summary"].contains(&word.as_str()));
    (number.is_some() || is_log).then_some(number)
}

/// Returns the kind that the name of a journal implies for its pages. Examples of such names are `NPCs` and `Factions
/// of the coast`.
pub(super) fn category_kind(name: &str) -> Option<Kind> {
    let words = hearsay_model::text::words(name);
    let is_plural = |word: &&String| (word.ends_with('s') && !word.ends_with("ss")) || word.as_str() == "people";
    let at = words.iter().position(|word| ["of", "in", "from"].contains(&word.as_str())).unwrap_or(words.len());
    words.get(..at)?.last().filter(is_plural).and_then(|word| lexicon::kind(word))
}

/// Returns whether a page becomes a separate note.
pub(super) fn is_separate_note(library: &Library, doc: &Doc, page: &Tree) -> bool {
    match journal_role(library, doc) {
        JournalRole::Pages(Some(_)) => true,
        JournalRole::Pages(None) => {
            is_module_page(page) || page.get("name").text().is_some_and(|name| session_number(name).is_some())
        }
        _ => false,
    }
}

/// Returns the key of the only page of a journal, if that page becomes a separate note.
pub(super) fn single_page_key(library: &Library, doc: &Doc) -> Option<String> {
    let pages = doc.tree.get("pages").items();
    let [page] = pages[..] else { return None };
    is_separate_note(library, doc, page).then(|| page_key(doc, page))
}

pub(super) fn page_key(doc: &Doc, page: &Tree) -> String {
    let id = page.get("_id").to_text().or_else(|| page.get("name").to_text()).unwrap_or_default();
    format!("{}.JournalEntryPage.{id}", doc.key)
}
