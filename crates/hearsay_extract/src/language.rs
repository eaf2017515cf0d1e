//! A language as data: its words, cues and patterns, read from a file and checked.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use hearsay_model::{Predicate, PredicateError};
use serde::Deserialize;
use thiserror::Error;

use crate::{classifier::Classifier, grammar::Grammar};

/// What is wrong with the file of a language.
#[derive(Debug, Error)]
pub enum LanguageError {
    /// It is not TOML of the shape that is wanted.
    #[error("the language is not read: {0}")]
    Shape(#[from] toml::de::Error),
    /// It names a list that there is not.
    #[error("`{list}` in `[{table}]` is no list that is known; known are: {known}")]
    List {
        /// The table of the file.
        table: &'static str,
        /// The list that it names.
        list: String,
        /// The lists that it may name.
        known: String,
    },
    /// A relation or attribute is not named as predicates are.
    #[error(transparent)]
    Predicate(#[from] PredicateError),
    /// A pattern cannot be read.
    #[error("the pattern `{pattern}` of {predicate}: {problem}")]
    Pattern {
        /// The relation or attribute.
        predicate: Predicate,
        /// The pattern as it is written.
        pattern: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An irregular verb does not have its three forms.
    #[error("the verb `{0}` needs three forms: `steal stole stolen`")]
    Verb(String),
    /// A number is not one.
    #[error("`{name}` of `[{table}]` is {value}; a number is wanted that is not infinite")]
    Number {
        /// The table of the file.
        table: &'static str,
        /// The name of the number.
        name: String,
        /// The number.
        value: f64,
    },
}

/// Lists of words: separated by spaces, or one by one.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Words {
    Spaced(String),
    Each(Vec<String>),
}

impl Default for Words {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl Words {
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Spaced(words) => Box::new(words.split_whitespace()),
            Self::Each(words) => Box::new(words.iter().map(|word| word.trim())),
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

/// How words state a relation.
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
    /// "debt to": Odo's debt to Bram.
    #[serde(default)]
    pub(crate) ties: Vec<String>,
    /// "feud": a feud between two.
    #[serde(default)]
    pub(crate) between: Vec<String>,
    #[serde(default)]
    pub(crate) together: Vec<String>,
    /// Verbs of being somewhere, and the prepositions behind them.
    #[serde(default)]
    pub(crate) stances: Words,
    #[serde(default)]
    pub(crate) places: Words,
    #[serde(default)]
    pub(crate) together_verbs: Vec<String>,
}

/// How words state an attribute.
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

/// The file of a language.
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

/// How a language says things: cheap to copy.
///
/// English comes with the crate. A campaign adds words of its own with [`Language::with`], in the shape of
/// those in `data/english`:
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
    /// What two have to do with each other, and what words say of somebody.
    pub(crate) relations: Arc<Classifier>,
    pub(crate) attributes: Arc<Classifier>,
    /// Whether what is said is over, or doubtful.
    pub(crate) meanings: Arc<Classifier>,
}

/// English: words, verbs, cues, weights, relations and attributes.
const FILES: [&str; 6] = [
    include_str!("../data/english/words.toml"),
    include_str!("../data/english/verbs.toml"),
    include_str!("../data/english/cues.toml"),
    include_str!("../data/english/weights.toml"),
    include_str!("../data/english/relations.toml"),
    include_str!("../data/english/attributes.toml"),
];

/// Learned by `hearsay_eval extraction --learn` from labelled sentences.
const RELATIONS: &str = include_str!("../data/english/relations.tsv");
const ATTRIBUTES: &str = include_str!("../data/english/attributes.tsv");
const MEANINGS: &str = include_str!("../data/english/meanings.tsv");

static ENGLISH: LazyLock<Language> = LazyLock::new(|| {
    // The files are part of the program, and a test reads them: they cannot be malformed here.
    let files: Vec<LanguageFile> = FILES.iter().map(|file| toml::from_str(file).unwrap_or_default()).collect();
    let grammar = Grammar::of(&files).unwrap_or_default();
    let learned = |text: &str| Arc::new(Classifier::read(text).unwrap_or_default());
    let (relations, attributes, meanings) = (learned(RELATIONS), learned(ATTRIBUTES), learned(MEANINGS));
    Language { files: files.into(), grammar: grammar.into(), relations, attributes, meanings }
});

impl Language {
    /// English, the files in `data/english` of this crate.
    pub fn english() -> Self {
        ENGLISH.clone()
    }

    /// A language of its own, without classifiers.
    ///
    /// # Errors
    /// When the file cannot be read; the error says what and where.
    pub fn new(toml: &str) -> Result<Self, LanguageError> {
        Self::of(vec![toml::from_str(toml)?])
    }

    /// This language and what a file adds to it: words, cues and patterns are added, numbers replaced.
    ///
    /// # Errors
    /// When the file cannot be read; the error says what and where.
    pub fn with(&self, toml: &str) -> Result<Self, LanguageError> {
        let added = toml::from_str(toml)?;
        let language = Self::of(self.files.iter().cloned().chain([added]).collect())?;
        Ok(Self { files: language.files, grammar: language.grammar, ..self.clone() })
    }

    /// This language with other classifiers: of what two have to do with each other, of what words say of somebody, and of how that
    /// is meant.
    ///
    /// The classes of the first are `-` for nothing, and relations: `OWES>` where the first of the two owes the second, `OWES<`
    /// where the second owes the first. Those of the second are `-` and attributes, those of the third `-`, `over` and `doubt`.
    pub fn with_classifiers(&self, relations: Classifier, attributes: Classifier, meanings: Classifier) -> Self {
        let (relations, attributes, meanings) = (relations.into(), attributes.into(), meanings.into());
        Self { relations, attributes, meanings, ..self.clone() }
    }

    fn of(files: Vec<LanguageFile>) -> Result<Self, LanguageError> {
        let grammar = Grammar::of(&files)?;
        let none = Arc::<Classifier>::default();
        let (relations, attributes, meanings) = (none.clone(), none.clone(), none);
        Ok(Self { files: files.into(), grammar: grammar.into(), relations, attributes, meanings })
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
        let files = FILES.iter().map(|file| toml::from_str(file).unwrap()).collect();
        Language::of(files).unwrap();
        for (file, class) in [(RELATIONS, "OWES>"), (ATTRIBUTES, "occupation"), (MEANINGS, "over")] {
            assert!(Classifier::read(file).unwrap().classes().iter().any(|known| known == class));
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let check = |toml: &str, expected: &str| {
            let error = Language::english().with(toml).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("[words]\nadverb = \"slowly\"", "`adverb` in `[words]`");
        check("[cues]\nhedges = [\"methinks\"]", "`hedges` in `[cues]`");
        check("[[relation]]\npredicate = \"Works\"\n", "`Works`");
        check("[[relation]]\npredicate = \"OWNS\"\nverbs = [\"own : dogs\"]", "`own : dogs`");
        check("[verbs]\nirregular = [\"go went\"]", "`go went`");
        check("[confidence]\nbase = inf", "`base` of `[confidence]`");
    }
}
