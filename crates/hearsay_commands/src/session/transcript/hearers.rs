//! Hearers whom a line names in brackets after its speaker or at its end, as in `Lotti (whispers to Ysolde): Not here.`,
//! and remarks in brackets.

use hearsay_campaign::split_hearers;
use hearsay_model::{
    EntityId, State, spelling,
    text::{self, SENTENCE_ENDS, split_final_brackets},
    words,
};
use hearsay_query::{
    QueryError,
    resolve::{resolve_character, resolve_complete_words},
};

use crate::presence::require_speaker;

/// The hearers in brackets after the name of a speaker.
pub(super) enum BracketedHearers {
    /// Characters with these names.
    Named(Vec<EntityId>),
    /// The speaker alone, as in `Lotti (to herself): Not here.`
    Speaker,
    /// No known character, as in `Lotti (to the whole room): Not here.`
    Nobody,
}

/// Finds the hearers whom a text in brackets names.
///
/// # Errors
/// Returns an error if the text contains an ambiguous name, or a name that probably is misspelled.
pub(super) fn bracketed_hearers(state: &State, hearers: &str) -> Result<BracketedHearers, QueryError> {
    let hearer_words = text::words(hearers);
    if hearer_words.first().is_some_and(|word| words::contains_word(&words::english().reflexives, word)) {
        return Ok(BracketedHearers::Speaker);
    }
    match resolve_hearers(state, hearers) {
        Ok(ids) => Ok(BracketedHearers::Named(ids)),
        Err(error) => {
            let is_capitalized = hearers.split_whitespace().any(|word| word.starts_with(char::is_uppercase));
            let is_common = hearer_words.iter().all(|word| spelling::is_common_word(word));
            let may_be_name = match &error {
                QueryError::Unknown { nearest, .. } => is_capitalized || (!is_common && !nearest.is_empty()),
                _ => true,
            };
            if may_be_name { Err(error) } else { Ok(BracketedHearers::Nobody) }
        }
    }
}

/// Splits brackets from the end of the words of a character. Returns the words, and the hearers whom the brackets name.
/// Brackets that name nobody are a remark: `I never saw it. (lying badly)` Returns `None` if there are no brackets, if
/// nothing else is said, if the brackets contain a sentence, or if they contain a name but name no hearers.
pub(super) fn split_remark<'a>(state: &State, said: &'a str) -> Option<(&'a str, Vec<EntityId>)> {
    let said = said.trim();
    let (words, remark) = split_final_brackets(said).filter(|(_, remark)| !remark.ends_with(SENTENCE_ENDS))?;
    let hearers = split_hearers(said).and_then(|(_, hearers)| resolve_hearers(state, hearers).ok());
    let can_hear = |id: &EntityId| require_speaker(state, id).is_ok();
    if let Some(hearers) = hearers.filter(|hearers| hearers.iter().all(can_hear)) {
        return Some((words, hearers));
    }
    let is_known_name = |word: &String| {
        !spelling::is_common_word(word)
            && !matches!(resolve_complete_words(state, word), Err(QueryError::Unknown { .. }))
    };
    (!text::words(remark).iter().any(is_known_name)).then(|| (words, Vec::new()))
}

/// Returns the characters that a text names. The text is a name or a list of names: `Ysolde, Tamsin and Odo`.
///
/// # Errors
/// Returns an error if no entity has one of the names, or if several entities have one of the names.
pub(super) fn resolve_hearers(state: &State, text: &str) -> Result<Vec<EntityId>, QueryError> {
    // A name such as `Hook and Sons` is not a list.
    let error = match resolve_character(state, text) {
        Ok(id) => return Ok(vec![id]),
        Err(error) => error,
    };
    let names = split_names(text);
    if names.len() < 2 {
        return Err(error);
    }
    names.iter().map(|name| resolve_character(state, name)).collect()
}

/// Splits a list of names at the commas and the conjunctions.
fn split_names(text: &str) -> Vec<String> {
    let conjunctions = &words::english().name_conjunctions;
    let mut names = Vec::new();
    for part in text.split(',') {
        let part: Vec<&str> = part.split_whitespace().collect();
        let parts = part.split(|word| words::contains_word(conjunctions, &word.to_lowercase()));
        names.extend(parts.filter(|name| !name.is_empty()).map(|name| name.join(" ")));
    }
    names
}
