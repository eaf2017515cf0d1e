//! Compares extracted statements with labelled statements.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_extract::ModelStatement;
use hearsay_model::{Factuality, text};

use super::labels::LabelledStatement;
use crate::extraction::SceneEntity;

/// Minimum overlap of a statement with a labelled statement for the two to be compared.
pub(crate) const MIN_OVERLAP: f64 = 0.5;

/// The names of the characters and other entities, by which entities are compared.
pub(crate) struct Cast {
    ids: BTreeMap<String, String>,
}

/// Words that do not identify an entity, such as titles. They are ignored when names are compared.
const TITLES: [&str; 11] =
    ["lord", "lady", "sir", "king", "queen", "sovereign", "captain", "master", "keeper", "the", "earthbreaker"];

fn normalized(name: &str) -> String {
    let name = name.trim().replace('\u{2019}', "'").to_lowercase();
    let name = name.strip_suffix("'s").unwrap_or(&name);
    name.strip_prefix("the ").filter(|_| name != "the party").unwrap_or(name).to_owned()
}

impl Cast {
    pub(crate) fn from_entities(entities: &[SceneEntity]) -> Self {
        let mut ids = BTreeMap::new();
        for entity in entities {
            let id = if entity.kind == "party" { "@party" } else { entity.id.as_str() };
            ids.extend(entity.names.iter().map(|name| (normalized(name), id.to_owned())));
        }
        ids.extend(["the party", "party", "@party"].map(|name| (name.to_owned(), "@party".to_owned())));
        Self { ids }
    }

    /// Returns whether two names refer to the same entity.
    pub(crate) fn is_same_entity(&self, one: &str, other: &str) -> bool {
        let key = |name: &str| {
            let name = normalized(name);
            self.ids.get(&name).cloned().unwrap_or(name)
        };
        let (one, other) = (key(one), key(other));
        if one == other {
            return true;
        }
        if one == "@party" || other == "@party" {
            return false;
        }
        let distinctive_words = |name: &str| -> BTreeSet<String> {
            let words =
                name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !TITLES.contains(word));
            words.map(str::to_owned).collect()
        };
        let (one, other) = (distinctive_words(&one), distinctive_words(&other));
        !one.is_empty() && !other.is_empty() && (one.is_subset(&other) || other.is_subset(&one))
    }

    /// Returns whether a sentence names an entity of the cast. Returns `None` if no entity of the cast has the name.
    pub(crate) fn is_named_in(&self, sentence: &str, name: &str) -> Option<bool> {
        let id = self.ids.get(&normalized(name))?;
        let sentence = text::words(sentence);
        let mut names = self.ids.iter().filter(|(_, other)| *other == id).map(|(name, _)| text::words(name));
        Some(names.any(|name| !name.is_empty() && text::contains_name(&sentence, &name)))
    }

    /// Returns why a statement differs from the label that overlaps with it; `None` if they agree.
    pub(super) fn difference(&self, statement: &ModelStatement, label: &LabelledStatement) -> Option<&'static str> {
        let is_doubtful = |status: char| matches!(status, 'h' | 'p');
        if is_doubtful(label.status) != matches!(statement.factuality, Factuality::Hedged | Factuality::Planned) {
            return Some("status");
        }
        let span = statement.fact.span;
        if let Some(subject) = &label.subject {
            // A statement that begins before the labelled words may contain its subject.
            match &statement.added_subject {
                Some(lead) if !self.is_same_entity(lead, subject) => return Some("subject"),
                None if span.start >= label.span.0 => return Some("subject is missing"),
                _ => {}
            }
        } else if statement.added_subject.is_some() && span.start <= label.span.0 {
            return Some("a second subject");
        }
        for ((start, end), name) in &label.references {
            let is_inside = span.start <= *start && *end <= span.end;
            let resolved = statement.resolved_references.iter().find(|(at, _)| at.start < *end && *start < at.end);
            match resolved {
                Some((_, resolved)) if is_inside && !self.is_same_entity(resolved, name) => return Some("reference"),
                None if is_inside && (name == "@party" || self.ids.contains_key(&normalized(name))) => {
                    return Some("reference is missing");
                }
                _ => {}
            }
        }
        None
    }
}

/// Returns how much two ranges overlap: the length of their common part, divided by the length from the first start to
/// the last end. 0 to 1.
pub(crate) fn overlap(one: (usize, usize), other: (usize, usize)) -> f64 {
    let common = one.1.min(other.1).saturating_sub(one.0.max(other.0));
    common as f64 / (one.1.max(other.1) - one.0.min(other.0)).max(1) as f64
}
