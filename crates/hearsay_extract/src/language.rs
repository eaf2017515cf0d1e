//! Languages as data: words, cues and patterns are read from TOML files and checked.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use hearsay_model::{Predicate, PredicateError};
use serde::Deserialize;
use thiserror::Error;

use crate::{classifier::Classifier, grammar::Grammar};

/// Error: invalid language file.
#[derive(Debug, Error)]
pub enum LanguageError {
    /// The file is not valid TOML, or it has an unknown key or a value of a wrong type.
    #[error("invalid language file: {0}")]
    InvalidToml(#[from] toml::de::Error),
    /// A table of the file contains a list with an unknown name.
    #[error("unknown list `{list}` in table `[{table}]`; the known lists are {known}")]
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
    #[error("invalid pattern `{pattern}` of {predicate}: {problem}")]
    InvalidPattern {
        /// The relation or attribute that the pattern states.
        predicate: Predicate,
        /// The pattern as it is written in the file.
        pattern: String,
        /// Problem with the pattern.
        problem: String,
    },
    /// An entry in the list of irregular verbs does not have three forms.
    #[error("the verb `{0}` must have three forms, such as `steal stole stolen`")]
    InvalidVerb(String),
    /// A number is infinite or not a number (NaN).
    #[error("`{name}` in table `[{table}]` is {value}; expected a finite number")]
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
    pub(crate) speech: Words,
    pub(crate) thought: Words,
    pub(crate) factive: Words,
    pub(crate) irreal: Words,
    pub(crate) real: Words,
}

/// Table of a language file with the words and patterns that state a relation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RelationWords {
    pub(crate) predicate: String,
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
    pub(crate) relation: Vec<RelationWords>,
    pub(crate) attribute: Vec<AttributeWords>,
    pub(crate) confidence: BTreeMap<String, f64>,
    pub(crate) doubt: BTreeMap<String, f64>,
}

/// Words, cues, patterns and classifiers with which an extractor reads a language. Cloning is cheap, because the data
/// is shared.
///
/// English is part of the crate. A campaign adds its own words with [`Language::with`], in the format of the files in
/// `data/english`:
///
/// ```
/// use hearsay_extract::Language;
///
/// let language = Language::english().with(r#"
///     [[relation]]
///     predicate = "SMUGGLES_FOR"
///     verbs = ["run crates for"]
///     nouns = ["crate-runner"]
/// "#)?;
/// # Ok::<(), hearsay_extract::LanguageError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Language {
    files: Arc<Vec<LanguageFile>>,
    pub(crate) grammar: Arc<Grammar>,
    /// Classifiers for the relation between two entities, and for the attribute that a value states about
    /// an entity.
    pub(crate) relation_classifier: Arc<Classifier>,
    pub(crate) attribute_classifier: Arc<Classifier>,
    /// Classifier that decides whether a fact is over or doubtful.
    pub(crate) assertion_classifier: Arc<Classifier>,
}

/// The language files of English: words, verbs, cues, weights, relations and attributes.
const ENGLISH_FILES: [&str; 6] = [
    include_str!("../data/english/words.toml"),
    include_str!("../data/english/verbs.toml"),
    include_str!("../data/english/cues.toml"),
    include_str!("../data/english/weights.toml"),
    include_str!("../data/english/relations.toml"),
    include_str!("../data/english/attributes.toml"),
];

/// The classifiers for English, trained on labelled sentences by `hearsay_eval extraction --learn`.
const RELATION_CLASSIFIER: &str = include_str!("../data/english/relations.tsv");
const ATTRIBUTE_CLASSIFIER: &str = include_str!("../data/english/attributes.tsv");
const ASSERTION_CLASSIFIER: &str = include_str!("../data/english/meanings.tsv");

static ENGLISH: LazyLock<Language> = LazyLock::new(|| {
    // The files are compiled into the program, and a test checks them. Therefore the defaults are never used.
    let files: Vec<LanguageFile> = ENGLISH_FILES.iter().map(|file| toml::from_str(file).unwrap_or_default()).collect();
    let grammar = Grammar::from_files(&files).unwrap_or_default();
    let read_classifier = |text: &str| Arc::new(Classifier::parse(text).unwrap_or_default());
    let (relation_classifier, attribute_classifier, assertion_classifier) = (
        read_classifier(RELATION_CLASSIFIER),
        read_classifier(ATTRIBUTE_CLASSIFIER),
        read_classifier(ASSERTION_CLASSIFIER),
    );
    Language {
        files: files.into(),
        grammar: grammar.into(),
        relation_classifier,
        attribute_classifier,
        assertion_classifier,
    }
});

impl Language {
    /// Returns English, read from the files in `data/english` of this crate.
    pub fn english() -> Self {
        ENGLISH.clone()
    }

    /// Creates a language from the text of one TOML file, without English words and without classifiers.
    ///
    /// # Errors
    /// Returns an error if the text is not a valid language file. The error says what is invalid, and where.
    pub fn new(toml: &str) -> Result<Self, LanguageError> {
        Self::from_files(vec![toml::from_str(toml)?])
    }

    /// Returns a copy of this language extended by the text of a TOML file. Words, cues and patterns are added; numbers
    /// are replaced.
    ///
    /// # Errors
    /// Returns an error if the text is not a valid language file. The error says what is invalid, and where.
    pub fn with(&self, toml: &str) -> Result<Self, LanguageError> {
        let added = toml::from_str(toml)?;
        let language = Self::from_files(self.files.iter().cloned().chain([added]).collect())?;
        Ok(Self { files: language.files, grammar: language.grammar, ..self.clone() })
    }

    /// Returns a copy of this language with other classifiers.
    ///
    /// `relation_classifier` finds the relation between two entities of a sentence. Its classes are `-` for no
    /// relation, and relations with a direction: `OWES>` if the first entity owes the second, `OWES<` if the second
    /// owes the first.
    ///
    /// `attribute_classifier` finds the attribute that some words state about an entity. Its classes are `-` and the
    /// names of attributes.
    ///
    /// `assertion_classifier` decides whether a fact is over or doubtful. Its classes are `-`, `over` and `doubt`.
    pub fn with_classifiers(
        &self,
        relation_classifier: Classifier,
        attribute_classifier: Classifier,
        assertion_classifier: Classifier,
    ) -> Self {
        let (relation_classifier, attribute_classifier, assertion_classifier) =
            (relation_classifier.into(), attribute_classifier.into(), assertion_classifier.into());
        Self { relation_classifier, attribute_classifier, assertion_classifier, ..self.clone() }
    }

    fn from_files(files: Vec<LanguageFile>) -> Result<Self, LanguageError> {
        let grammar = Grammar::from_files(&files)?;
        let empty = Arc::<Classifier>::default();
        let (relation_classifier, attribute_classifier, assertion_classifier) = (empty.clone(), empty.clone(), empty);
        Ok(Self {
            files: files.into(),
            grammar: grammar.into(),
            relation_classifier,
            attribute_classifier,
            assertion_classifier,
        })
    }
}

impl Default for Language {
    fn default() -> Self {
        Self::english()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_whole() {
        let files = ENGLISH_FILES.iter().map(|file| toml::from_str(file).unwrap()).collect();
        Language::from_files(files).unwrap();
        for (file, class) in
            [(RELATION_CLASSIFIER, "OWES>"), (ATTRIBUTE_CLASSIFIER, "occupation"), (ASSERTION_CLASSIFIER, "over")]
        {
            assert!(Classifier::parse(file).unwrap().classes().iter().any(|known| known == class));
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let check = |toml: &str, expected: &str| {
            let error = Language::english().with(toml).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("[words]\nadverb = \"slowly\"", "`adverb` in table `[words]`");
        check("[cues]\nhedges = [\"methinks\"]", "`hedges` in table `[cues]`");
        check("[[relation]]\npredicate = \"Works\"\n", "`Works`");
        check("[[relation]]\npredicate = \"OWNS\"\nverbs = [\"own : dogs\"]", "`own : dogs`");
        check("[verbs]\nirregular = [\"go went\"]", "`go went`");
        check("[confidence]\nbase = inf", "`base` in table `[confidence]`");
    }
}
