//! Hearers whom a line names in brackets after its speaker, as in `Lotti (whispers to Ysolde): Not here.`

use hearsay_model::{EntityId, State, words};
use hearsay_query::{QueryError, resolve::resolve_character};

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
