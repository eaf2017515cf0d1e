//! Contents of a language file in TOML, relations of the vocabulary, and the error if a file is invalid.

use std::collections::BTreeMap;

use hearsay_model::{Predicate, PredicateError, RelationWords, Vocabulary};
use serde::Deserialize;
use thiserror::Error;

/// Error: invalid language file.
#[derive(Debug, Error)]
pub enum LanguageError {
    /// The file is not valid TOML, or it has an unknown key or a value of a wrong type.
    #[error("the language file is not valid TOML, or has an unknown key: {0}")]
    InvalidToml(#[from] toml::de::Error),
    /// A table of the file contains a list with an unknown name.
    #[error(
        "the table `[{table}]` of the language file contains the unknown list `{list}`; the known lists are {known}"
    )]
    UnknownList {
        /// The table of the file.
        table: &'static str,
        /// The unknown name of the list.
        list: String,
        /// The names of the lists that this table can contain.
        known: String,
    },
    /// The name of a relation or attribute is not a valid predicate.
    #[error(transparent)]
    InvalidPredicate(#[from] PredicateError),
    /// A pattern of a relation or attribute has invalid syntax.
    #[error("the pattern `{pattern}` of the predicate {predicate} is invalid: {problem}")]
    InvalidPattern {
        /// The relation or attribute that the pattern states.
        predicate: Predicate,
        /// The pattern as it is written in the file.
        pattern: String,
        /// Problem with the pattern.
        problem: String,
    },
    /// The `label` of a relation is not the predicate of an earlier `[[relation]]` table.
    #[error(
        "the relation {predicate} has `label = \"{label}\"`, but no earlier `[[relation]]` table has the predicate {label}; define {label} first"
    )]
    UnknownLabel {
        /// The relation.
        predicate: Predicate,
        /// The unknown label.
        label: String,
    },
    /// An entry in the list of irregular verbs does not have three forms.
    #[error("the irregular verb `{entry}` must have three forms, such as `steal stole stolen`", entry = .0)]
    InvalidVerb(String),
    /// A number is infinite or not a number (NaN).
    #[error("the number `{name}` in the table `[{table}]` is {value}; expected a finite number")]
    InvalidNumber {
        /// The table of the file.
        table: &'static str,
        /// The name of the number in the table.
        name: String,
        /// The invalid value.
        value: f64,
    },
}

/// List of words: one string with words that are separated by spaces, or a TOML array with one entry per word or
/// phrase.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Words {
    Spaced(String),
    List(Vec<String>),
}

impl Default for Words {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl Words {
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Spaced(words) => Box::new(words.split_whitespace()),
            Self::List(words) => Box::new(words.iter().map(|word| word.trim())),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Verbs {
    pub(crate) irregular: Vec<String>,
    pub(crate) others: Words,
    pub(crate) copulas: Words,
    pub(crate) seeming: Words,
    pub(crate) describing: Words,
    pub(crate) speech: Words,
    pub(crate) thought: Words,
    pub(crate) factive: Words,
    pub(crate) irreal: Words,
    pub(crate) real: Words,
}

/// Table of a language file with the words and patterns that state a relation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelationTable {
    pub(crate) predicate: String,
    /// Predicate that stands for the relation in the labelled sentences (the training data). `None` if the labelled
    /// sentences use the predicate of the relation itself.
    #[serde(default)]
    pub(crate) label: Option<String>,
    #[serde(default)]
    pub(crate) subject: Words,
    #[serde(default)]
    pub(crate) object: Words,
    #[serde(default)]
    pub(crate) over: bool,
    #[serde(default)]
    pub(crate) denied: bool,
    #[serde(default)]
    pub(crate) mutual: bool,
    #[serde(default)]
    pub(crate) verbs: Vec<String>,
    #[serde(default)]
    pub(crate) back: Vec<String>,
    #[serde(default)]
    pub(crate) nouns: Vec<String>,
    #[serde(default)]
    pub(crate) nouns_back: Vec<String>,
    #[serde(default)]
    pub(crate) phrases: Vec<String>,
    #[serde(default)]
    pub(crate) phrases_back: Vec<String>,
    /// Nouns with a preposition that relate their owner to an entity: "debt to" in "Odo's debt to Bram".
    #[serde(default)]
    pub(crate) ties: Vec<String>,
    /// Nouns that relate two entities by "between": "feud" in "a feud between the houses".
    #[serde(default)]
    pub(crate) between: Vec<String>,
    #[serde(default)]
    pub(crate) together: Vec<String>,
    /// Verbs that place an entity somewhere, such as "stand". The field `places` has the prepositions that follow these
    /// verbs.
    #[serde(default)]
    pub(crate) stances: Words,
    #[serde(default)]
    pub(crate) places: Words,
    #[serde(default)]
    pub(crate) together_verbs: Vec<String>,
}

/// Relation of the vocabulary whose nouns and verbs are patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VocabularyRelation {
    pub(crate) predicate: Predicate,
    pub(crate) is_symmetric: bool,
    pub(crate) words: RelationWords,
}

impl VocabularyRelation {
    /// Returns the relations of a vocabulary that have nouns or verbs, sorted by name.
    pub(crate) fn list(vocabulary: &Vocabulary) -> Vec<Self> {
        let with_words = vocabulary.predicates().filter_map(|def| {
            let words = vocabulary.words(&def.name).filter(|words| words.has_sentence_words())?;
            Some(Self { predicate: def.name.clone(), is_symmetric: def.symmetric, words: words.clone() })
        });
        with_words.collect()
    }
}

/// Table of a language file with the words and patterns that state an attribute.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttributeWords {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) subject: Words,
    #[serde(default)]
    pub(crate) nouns: Words,
    #[serde(default)]
    pub(crate) ends: Words,
    #[serde(default)]
    pub(crate) ends_adjective: Words,
    #[serde(default)]
    pub(crate) adjectives: Words,
    #[serde(default)]
    pub(crate) phrases: Vec<String>,
    #[serde(default)]
    pub(crate) verbs: Vec<String>,
    #[serde(default)]
    pub(crate) labels: Words,
    #[serde(default)]
    pub(crate) has: Words,
}

/// Contents of a language file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LanguageFile {
    pub(crate) words: BTreeMap<String, Words>,
    pub(crate) verbs: Verbs,
    pub(crate) cues: BTreeMap<String, Vec<String>>,
    /// Relations and attributes with each property.
    pub(crate) properties: BTreeMap<String, Words>,
    pub(crate) triggers: BTreeMap<String, Words>,
    pub(crate) relation: Vec<RelationTable>,
    pub(crate) attribute: Vec<AttributeWords>,
    pub(crate) confidence: BTreeMap<String, f64>,
    pub(crate) doubt: BTreeMap<String, f64>,
}
