//! The data that the search panel displays.

use hearsay_model::{EntityId, FactId, FactStatus, PassageId, text};
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, panels::fact::KnowerLine};

/// The results of a search.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchModel {
    /// The search text, as typed.
    pub query: String,
    /// The results by group: knowers, entities, facts, passages.
    pub groups: Vec<SearchGroup>,
    /// Names that are most similar to the search text, if there are no results.
    pub hints: Vec<NamedEntity>,
    /// Whether the search compared texts by meaning. If `false`, the search used only keywords and the graph.
    pub meaning: bool,
}

/// Results of one type, such as entities or facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchGroup {
    /// Heading of the group.
    pub title: String,
    /// The results of this type, best result first.
    pub rows: Vec<SearchRow>,
}

/// A result of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchRow {
    /// Entity, fact or passage that a click on the result shows.
    pub target: SearchTarget,
    /// Name of the entity, statement of the fact, or text of the passage.
    pub text: String,
    /// Reason why the search found the result, in a few words.
    pub match_reason: String,
    /// Entity of the result: the entity itself, the subject of a fact, or the speaker of a passage. `None` if there is
    /// no such entity.
    pub entity: Option<NamedEntity>,
    /// Status of the fact; `None` if the result is not a fact.
    pub status: Option<FactStatus>,
    /// Whether the result is a secret.
    pub secret: bool,
    /// The knowers of the fact; `None` if the search did not ask for knowers.
    pub knowers: Option<Knowers>,
}

/// The knowers of a fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Knowers {
    /// Text that says which player characters know the fact, and since when; `None` if no player character knows the
    /// fact.
    pub party_knowledge: Option<String>,
    /// Whether everyone knows the fact.
    pub known_to_everybody: bool,
    /// Knowers with a knowledge edge to the fact, groups first.
    pub lines: Vec<KnowerLine>,
    /// Number of knowers that are not listed.
    pub more: usize,
}

/// The entity, fact or passage that a click on a result shows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SearchTarget {
    /// An entity.
    Entity(EntityId),
    /// A fact.
    Fact(FactId),
    /// A passage, and the entity whose page shows the passage.
    Passage(PassageId, Option<EntityId>),
}

impl SearchModel {
    /// Returns all results in display order.
    pub fn rows(&self) -> impl Iterator<Item = &SearchRow> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

/// Returns the topic of a question about knowers, such as `the ledger` for `who knows about the ledger?`. Returns
/// `None` for any other text.
pub fn who_knows(query: &str) -> Option<String> {
    let normalized = text::normalize(query);
    let words = hearsay_model::words::english();
    let topic = words.knower_questions.iter().find_map(|start| normalized.strip_prefix(start.as_str()))?;
    // Any other text can be a name, such as `Who Knowsley`.
    if !(topic.is_empty() || topic.starts_with([' ', '?', '\u{2026}', '.'])) {
        return None;
    }
    let topic = topic.trim_matches(|c: char| c.is_whitespace() || "?\u{2026}.!".contains(c));
    let strip_opener = |word: &String| topic.strip_prefix(word.as_str())?.strip_prefix(' ');
    let topic = words.subject_openers.iter().find_map(strip_opener).unwrap_or(topic);
    Some(topic.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_who_knows_is_told_from_a_name() {
        let check = |query: &str, expected: Option<&str>| assert_eq!(who_knows(query).as_deref(), expected, "{query}");
        check("Who knows about the ledger?", Some("the ledger"));
        check("who knows the watch password", Some("the watch password"));
        check("who knows\u{2026}", Some(""));
        check("Who knew that Odo was at the quay?", Some("odo was at the quay"));
        check("Who Knowsley", None);
        check("the ledger", None);
    }
}
