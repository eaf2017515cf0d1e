//! Recognition of session logs.

use hearsay_model::slug;

use super::{classification::states_kind, text_fields::value_targets};
use crate::{
    FolderEntry,
    import::{
        Certainty, DateRole, Note, SessionInfo,
        english::ENGLISH,
        lexicon::{self, Meaning, SessionField},
    },
};

/// Returns the session whose log the note is. Returns `None` if the note has no sign of a session log, or if it states
/// another kind. A note that describes its folder is no session log only because it is in a folder of sessions.
pub(super) fn find_session(entry: &FolderEntry, note: &Note, is_folder_description: bool) -> Option<SessionInfo> {
    let signs = &ENGLISH.words.sessions;
    let number = number_in_names(entry, note);
    let is_stated = is_stated_session(note);
    let has_other_kind = !is_stated && note.kind.as_ref().is_some_and(|guess| guess.certainty == Certainty::Explicit);
    let has_session_field =
        || note.fields.iter().any(|field| signs.fields.contains(&slug(&field.name).replace('-', "")));
    let is_in_session_folder = || signs.folders.contains(&entry.folders().next_back().map(slug).unwrap_or_default());
    let is_dated_file = || slug(entry.stem()).starts_with(|c: char| c.is_ascii_digit());
    let has_sign = is_stated
        || number.is_some()
        || has_session_field()
        || is_in_session_folder() && (!is_folder_description || is_dated_file());
    (has_sign && !has_other_kind).then(|| session_info(note, number))
}

/// Returns the number of the session in the name of the file, as in `Session 12`. If the file name has no number,
/// returns the number in the title of the note, which must begin with "session".
fn number_in_names(entry: &FolderEntry, note: &Note) -> Option<u32> {
    let number = |name: &str| {
        let mut words = name.split('-').skip_while(|word| !ENGLISH.words.sessions.number_words.contains(*word));
        words.nth(1).filter(|word| word.len() <= 4)?.parse::<u32>().ok()
    };
    let title = slug(&note.name);
    number(&slug(entry.stem())).or_else(|| number(&title).filter(|_| title.split('-').next() == Some("session")))
}

/// Returns whether a kind or tag says that the note is a session log.
fn is_stated_session(note: &Note) -> bool {
    let kinds = note.fields.iter().filter(|field| states_kind(field)).flat_map(|field| &field.values);
    let mut words = kinds.map(|field_value| slug(&field_value.value.to_string()));
    words.any(|words| words.split('-').any(|word| ENGLISH.words.sessions.kinds.contains(word)))
}

/// Returns the details of the session in the fields of the note.
fn session_info(note: &Note, number: Option<u32>) -> SessionInfo {
    let mut info = SessionInfo { number, ..SessionInfo::default() };
    for field in &note.fields {
        let Meaning::Session(part) = lexicon::meaning(&field.name) else { continue };
        let first = field.values.first().map(|field_value| field_value.value.to_string());
        match part {
            SessionField::Number => info.number = first.and_then(|text| text.trim().parse().ok()).or(info.number),
            SessionField::Date => info.date = first,
            SessionField::Start => info.start = first,
            SessionField::End => info.end = first,
            SessionField::Present => info.present.extend(field.values.iter().flat_map(value_targets)),
        }
    }
    if info.date.is_none() {
        let start_date = note.dates.iter().find(|start_date| start_date.role == DateRole::Start);
        info.date = start_date.map(|start_date| start_date.raw.clone());
    }
    info
}
