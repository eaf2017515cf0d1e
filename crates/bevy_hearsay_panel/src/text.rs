//! Text for display: sentences with links, and shortened text.

use std::ops::Range;

use hearsay_model::{EntityId, Fact, State, text};
pub use hearsay_model::{text::shorten, words::count as format_count};
use serde::{Deserialize, Serialize};

use crate::names::NamedEntity;

/// A sentence in which names link to their entities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkedText {
    /// The text.
    pub text: String,
    /// The links, in order and without overlap.
    pub links: Vec<EntityLink>,
}

/// A link in a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntityLink {
    /// Byte range of the name in the text.
    pub span: Range<usize>,
    /// The entity that is shown when the user clicks the link.
    pub to: NamedEntity,
}

impl LinkedText {
    /// Creates a text without links.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), links: Vec::new() }
    }

    /// Creates the sentence of a fact, with links to its entities.
    pub fn from_fact(state: &State, fact: &Fact) -> Self {
        Self::with_links(state, fact.statement(), fact.entities())
    }

    /// Creates a text in which the names of the given entities become links.
    pub fn with_links<'a>(state: &State, words: &str, entities: impl IntoIterator<Item = &'a EntityId>) -> Self {
        let mut links: Vec<EntityLink> = Vec::new();
        let mut linked_ids: Vec<&EntityId> = Vec::new();
        for id in entities {
            if linked_ids.contains(&id) {
                continue;
            }
            linked_ids.push(id);
            let entity = NamedEntity::new(state, id);
            let mut names = state.names(id);
            names.sort_by_key(|name| std::cmp::Reverse(name.len()));
            for span in names.iter().filter_map(|name| find_words(words, name)) {
                if links.iter().all(|link| link.span.end <= span.start || span.end <= link.span.start) {
                    links.push(EntityLink { span, to: entity.clone() });
                    break;
                }
            }
        }
        links.sort_by_key(|link| link.span.start);
        Self { text: words.to_owned(), links }
    }

    /// Splits the text into pieces, in order. A piece with an entity is a link. A piece without an entity is text
    /// between links.
    pub fn pieces(&self) -> impl Iterator<Item = (&str, Option<&NamedEntity>)> {
        let mut at = 0;
        let mut pieces = Vec::with_capacity(self.links.len() * 2 + 1);
        for link in &self.links {
            if let Some(before) = self.text.get(at..link.span.start).filter(|text| !text.is_empty()) {
                pieces.push((before, None));
            }
            if let Some(name) = self.text.get(link.span.clone()) {
                pieces.push((name, Some(&link.to)));
                at = link.span.end;
            }
        }
        pieces.extend(self.text.get(at..).filter(|text| !text.is_empty()).map(|text| (text, None)));
        pieces.into_iter()
    }
}

/// Returns the byte range of the first occurrence of `words` as whole words in a text. Returns `None` if there is no
/// occurrence.
pub fn find_words(haystack: &str, words: &str) -> Option<Range<usize>> {
    if words.is_empty() {
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric();
    let has_word_boundaries = |range: &Range<usize>| {
        !haystack[..range.start].chars().next_back().is_some_and(is_word)
            && !haystack[range.end..].chars().next().is_some_and(is_word)
    };
    let exact = haystack.match_indices(words).map(|(at, _)| at..at + words.len()).find(has_word_boundaries);
    exact.or_else(|| {
        // Search again, ignoring case and with straight quotes. This works only if normalization keeps the length of
        // the text.
        let (normalized, normalized_words) = (text::normalize(haystack), text::normalize(words));
        if normalized.len() != haystack.len() || !haystack.is_ascii() {
            return None;
        }
        normalized
            .match_indices(&normalized_words)
            .map(|(at, _)| at..at + normalized_words.len())
            .find(has_word_boundaries)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_as_words() {
        assert_eq!(find_words("Art starts an Art", "Art"), Some(0..3));
        assert_eq!(find_words("He starts", "Art"), None);
        assert_eq!(find_words("the salt quay", "Salt Quay"), Some(4..13));
        assert_eq!(find_words("אבג דה", "דה"), Some(7..11));
    }
}
