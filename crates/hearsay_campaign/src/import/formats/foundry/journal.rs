//! Journals of Foundry. The entries and pages of a journal become entities, session logs or texts.

use hearsay_model::Kind;

use super::{
    campaign_builder, campaign_codex,
    document::{ConvertedNote, Doc, TOOL},
    journal_role::{JournalRole, calendar_note_data, is_separate_note, journal_role, page_key, session_number},
    library::{Access, Library, start_note},
    modules::is_module_page,
    text::{add_html, add_page_text, restrict_access},
};
use crate::import::{
    Certainty, DateRole, Note, NoteDate, Role, SessionInfo, Visibility, secret,
    tree::{Tree, TreeConverter},
};

/// Adds the dates of a Simple Calendar note, which counts months and days from 0.
fn add_dates(doc: &Doc, converter: TreeConverter, note: &mut Note) {
    for (key, role) in [("startDate", DateRole::Start), ("endDate", DateRole::End)] {
        let date = calendar_note_data(doc).get(key);
        let part = |name: &str, offset: i64| date.get(name).integer().and_then(|number| number.checked_add(offset));
        let (Some(year), Some(month), Some(day)) = (part("year", 0), part("month", 1), part("day", 1)) else {
            continue;
        };
        let raw = format!("{year}-{month}-{day}");
        if role == DateRole::End && note.dates.iter().any(|date| date.raw == raw) {
            continue;
        }
        let origin = converter.origin(date, &format!("flags.foundryvtt-simple-calendar.noteData.{key}"));
        let (readable, visibility) = (Some(raw.clone()), note.visibility.clone());
        note.dates.push(NoteDate { role, raw, readable, title: None, origin, visibility });
    }
}

/// Returns the notes that a journal contains.
pub(super) fn convert_journal(library: &Library, index: usize, converter: TreeConverter) -> Vec<ConvertedNote> {
    let Some(doc) = library.loaded.documents.get(index) else { return Vec::new() };
    let access = library.access(doc);
    let Some(mut journal_note) = start_note(doc, &access, converter) else { return Vec::new() };
    match journal_role(library, doc) {
        JournalRole::Codex => campaign_codex::convert_journal(library, doc, journal_note, &access, converter),
        JournalRole::Pages(kind) => {
            let mut converted = Vec::new();
            journal_note.role = Role::Text;
            for page in doc.tree.get("pages").items() {
                if is_separate_note(library, doc, page) {
                    converted.extend(convert_page(library, doc, page, kind.clone(), &access, converter));
                } else {
                    add_page_text(library, doc, page, &access, converter, &mut journal_note);
                }
            }
            converted.push((journal_note, None));
            converted
        }
        role => {
            match role {
                JournalRole::Entity(kind, folder) => {
                    journal_note.is_player = kind == Kind::Player;
                    journal_note.set_kind(kind, Certainty::Inferred, format!("folder {folder}"));
                }
                JournalRole::Session(index) => {
                    journal_note.role = Role::Session;
                    journal_note.session = Some(SessionInfo { number: index, ..SessionInfo::default() });
                }
                _ => journal_note.role = Role::Text,
            }
            add_dates(doc, converter, &mut journal_note);
            // Before version 10, an entry had no pages.
            let content = doc.tree.get("content");
            add_html(library, doc, content, "content", None, &access.content, &mut journal_note);
            for page in doc.tree.get("pages").items() {
                add_page_text(library, doc, page, &access, converter, &mut journal_note);
            }
            vec![(journal_note, None)]
        }
    }
}

/// Returns the note for a page that becomes a separate note.
fn convert_page(
    library: &Library,
    doc: &Doc,
    page: &Tree,
    kind: Option<Kind>,
    journal_access: &Access,
    converter: TreeConverter,
) -> Option<ConvertedNote> {
    let name = page.get("name").text()?.trim().to_owned();
    let access = restrict_access(&library.page_access(doc, page), journal_access);
    let is_secret_part = secret::is_secret(&name);
    let visibility =
        if is_secret_part { Visibility::SECRET.within(&access.existence) } else { access.existence.clone() };
    let mut note = Note {
        key: page_key(doc, page),
        tool: TOOL,
        origin: converter.origin(page.get("name"), "pages.name"),
        visibility,
        ..Note::default()
    };
    let number = session_number(&name);
    note.name = name;
    if let Some(number) = number.filter(|_| !is_module_page(page)) {
        note.role = Role::Session;
        note.session = Some(SessionInfo { number, ..SessionInfo::default() });
    } else if let Some(kind) = kind {
        note.is_player = kind == Kind::Player;
        note.set_kind(kind, Certainty::Inferred, "the name of the journal");
    }
    let actor = campaign_builder::fill_note(library, doc, page, &access, converter, &mut note);
    add_page_text(library, doc, page, journal_access, converter, &mut note);
    Some((note, actor))
}
