//! References to entities by pronouns, in the words in which facts were found.

use std::collections::BTreeSet;

use hearsay_extract::is_anaphor;
use hearsay_model::{EntityId, Evidence, Fact, State, spelling, text};

/// Returns whether all words in which a fact was found refer to an entity with a pronoun, as in "she dies", and none of
/// them names the entity. The entity is then less certain than the rest of the fact.
pub fn refers_by_pronoun(state: &State, fact: &Fact, id: &EntityId) -> bool {
    let names = state.names(id).into_iter().flat_map(text::words).filter(|word| !spelling::is_stop_word(word));
    let names: BTreeSet<String> = names.collect();
    let quotes = fact.provenance().evidence.iter().filter_map(|evidence| match evidence {
        Evidence::Passage { quote, .. } => Some(text::words(quote)),
        Evidence::File { .. } | Evidence::Excerpt(_) => None,
    });
    let quotes: Vec<Vec<String>> = quotes.collect();
    let is_by_pronoun = |words: &Vec<String>| {
        words.iter().any(|word| is_anaphor(word)) && !words.iter().any(|word| names.contains(word))
    };
    !quotes.is_empty() && quotes.iter().all(is_by_pronoun)
}
