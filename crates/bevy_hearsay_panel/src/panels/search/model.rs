//! What the search shows.

use hearsay_model::{EntityId, FactId, PassageId, Standing, text};
use serde::{Deserialize, Serialize};

use crate::{names::Named, panels::fact::HolderLine};

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchModel {
    /// What was searched for, as it was typed.
    pub asked: String,
    /// What was found, group by group: who knows, entities, facts, passages.
    pub groups: Vec<SearchGroup>,
    /// The names most like what was searched for, when nothing was found.
    pub hints: Vec<Named>,
    /// Whether meaning took part; else it was found by words and graph alone.
    pub meaning: bool,
}

/// Results of one sort.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchGroup {
    /// The heading.
    pub title: String,
    /// The results, the best first.
    pub rows: Vec<SearchRow>,
}

/// A result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchRow {
    /// What it leads to.
    pub target: Target,
    /// The name, the statement or the words.
    pub text: String,
    /// Why it was found, in a few words.
    pub why: String,
    /// Who or what it is about: an entity itself, a fact's subject, who says a passage.
    pub named: Option<Named>,
    /// What the world says of a fact.
    pub standing: Option<Standing>,
    /// Whether it is a secret.
    pub secret: bool,
    /// Whether players may see it.
    pub safe: bool,
    /// Of a question who knows a fact: the answer.
    pub knowers: Option<Knowers>,
}

/// Who knows a fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Knowers {
    /// What the table knows of it, in a few words.
    pub table: Option<String>,
    /// Whether it is common lore.
    pub everybody: bool,
    /// Who knows it by itself: groups first.
    pub held_by: Vec<HolderLine>,
    /// How many more there are.
    pub more: usize,
}

/// What a result leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// An entity.
    Entity(EntityId),
    /// A fact.
    Fact(FactId),
    /// A passage; and the entity whose page has it.
    Passage(PassageId, Option<EntityId>),
}

impl SearchModel {
    /// All results in the order in which they are shown.
    pub fn rows(&self) -> impl Iterator<Item = &SearchRow> {
        self.groups.iter().flat_map(|group| &group.rows)
    }
}

/// What somebody wants to know who knows it, where the text asks that: `who knows about the ledger?`
pub fn who_knows(asked: &str) -> Option<String> {
    let plain = text::normal(asked);
    let rest = ["who knows", "who knew", "who has heard", "who heard"]
        .into_iter()
        .find_map(|start| plain.strip_prefix(start))?;
    // Otherwise it is a name such as `Who Knowsley`.
    if !(rest.is_empty() || rest.starts_with([' ', '?', '\u{2026}', '.'])) {
        return None;
    }
    let rest = rest.trim_matches(|c: char| c.is_whitespace() || "?\u{2026}.!".contains(c));
    let rest = ["about ", "of ", "that ", "what ", "where ", "who "]
        .into_iter()
        .find_map(|word| rest.strip_prefix(word))
        .unwrap_or(rest);
    Some(rest.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_who_knows_is_told_from_a_name() {
        let check = |asked: &str, expected: Option<&str>| assert_eq!(who_knows(asked).as_deref(), expected, "{asked}");
        check("Who knows about the ledger?", Some("the ledger"));
        check("who knows the watch password", Some("the watch password"));
        check("who knows\u{2026}", Some(""));
        check("Who knew that Odo was at the quay?", Some("odo was at the quay"));
        check("Who Knowsley", None);
        check("the ledger", None);
    }
}
