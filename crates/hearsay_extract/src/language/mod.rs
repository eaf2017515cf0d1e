//! Reads the words, cues and patterns of a language from TOML files, and checks them.

use std::sync::{Arc, LazyLock};

use hearsay_model::{Vocabulary, attribute};

use crate::language::{
    classifier::Classifier,
    conjugation::Inflections,
    grammar::Grammar,
    language_file::{LanguageError, LanguageFile, VocabularyRelation},
};

/// Words, cues, patterns and classifiers with which an extractor reads texts in one language. Clones are cheap, because
/// they share their data.
///
/// The crate contains the data for English. [`Extractor::new`](crate::Extractor::new) adds the nouns and verbs of the
/// vocabulary. A campaign can add other words and patterns with [`Language::with`]. The text for `with` has the format
/// of the files in `data/english`, except `lists.toml`:
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
    /// Relations of the vocabulary whose words are part of the grammar.
    vocabulary_relations: Arc<Vec<VocabularyRelation>>,
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
    include_str!("../../data/english/words.toml"),
    include_str!("../../data/english/verbs.toml"),
    include_str!("../../data/english/cues.toml"),
    include_str!("../../data/english/weights.toml"),
    include_str!("../../data/english/relations.toml"),
    include_str!("../../data/english/attributes.toml"),
];

/// The classifiers for English, trained on labelled sentences by `hearsay_eval patterns --learn`.
const RELATION_CLASSIFIER: &str = include_str!("../../data/english/relations.tsv");
const ATTRIBUTE_CLASSIFIER: &str = include_str!("../../data/english/attributes.tsv");
const ASSERTION_CLASSIFIER: &str = include_str!("../../data/english/meanings.tsv");

static ENGLISH: LazyLock<Language> = LazyLock::new(|| {
    // The files are compiled into the program, and a test checks them. Therefore the defaults are never used.
    let files: Vec<LanguageFile> = ENGLISH_FILES.iter().map(|file| toml::from_str(file).unwrap_or_default()).collect();
    let vocabulary_relations = VocabularyRelation::list(&Vocabulary::default());
    let grammar = Grammar::from_files(&files, &vocabulary_relations).unwrap_or_default();
    let read_classifier = |text: &str| Arc::new(Classifier::parse(text).unwrap_or_default());
    let (relation_classifier, attribute_classifier, assertion_classifier) = (
        read_classifier(RELATION_CLASSIFIER),
        read_classifier(ATTRIBUTE_CLASSIFIER),
        read_classifier(ASSERTION_CLASSIFIER),
    );
    Language {
        files: files.into(),
        vocabulary_relations: vocabulary_relations.into(),
        grammar: grammar.into(),
        relation_classifier,
        attribute_classifier,
        assertion_classifier,
    }
});

impl Language {
    /// Returns the language English. The data comes from the files in `data/english` of this crate, and from the
    /// built-in vocabulary.
    pub fn english() -> Self {
        ENGLISH.clone()
    }

    /// Returns whether a word in lowercase can be the verb of a subject, such as "comes" or "came". The base form, such as
    /// "come", can be the verb only of a plural subject.
    pub fn is_finite_verb(&self, word: &str, is_plural: bool) -> bool {
        let finite = Inflections::THIRD.or(Inflections::PAST);
        let finite = if is_plural { finite.or(Inflections::BASE) } else { finite };
        self.grammar.verb_forms.get(word).is_some_and(|forms| forms.iter().any(|(_, form)| form.has(finite)))
    }

    /// Returns whether a noun in lowercase is an occupation, such as "monk".
    pub fn is_occupation(&self, noun: &str) -> bool {
        let is_occupation =
            |(target, _): &(usize, bool)| self.grammar.targets[*target].predicate == *attribute::OCCUPATION;
        self.grammar.attribute_nouns.get(noun).is_some_and(|targets| targets.iter().any(is_occupation))
    }

    /// Creates a language from the text of one TOML file, without English words and without classifiers.
    ///
    /// # Errors
    /// Returns an error if the text is not a valid language file. The error says what is invalid, and where.
    pub fn new(toml: &str) -> Result<Self, LanguageError> {
        Self::from_files(vec![toml::from_str(toml)?], Arc::default())
    }

    /// Returns a copy of this language, extended by the text of a TOML file. The words, cues and patterns of the text
    /// are added to those of this language. Numbers in the text, such as weights, replace the numbers of this language.
    ///
    /// # Errors
    /// Returns an error if the text is not a valid language file. The error says what is invalid, and where.
    pub fn with(&self, toml: &str) -> Result<Self, LanguageError> {
        let added = toml::from_str(toml)?;
        let files = self.files.iter().cloned().chain([added]).collect();
        let language = Self::from_files(files, Arc::clone(&self.vocabulary_relations))?;
        Ok(Self { files: language.files, grammar: language.grammar, ..self.clone() })
    }

    /// Returns a copy of this language whose grammar contains the nouns and verbs of a vocabulary.
    pub(crate) fn with_vocabulary(&self, vocabulary: &Vocabulary) -> Self {
        let vocabulary_relations = VocabularyRelation::list(vocabulary);
        if *self.vocabulary_relations == vocabulary_relations {
            return self.clone();
        }
        // The files were read before, and every word of a vocabulary is a valid pattern. Therefore the grammar is
        // always replaced.
        match Grammar::from_files(&self.files, &vocabulary_relations) {
            Ok(grammar) => {
                let (vocabulary_relations, grammar) = (vocabulary_relations.into(), grammar.into());
                Self { vocabulary_relations, grammar, ..self.clone() }
            }
            Err(_) => self.clone(),
        }
    }

    /// Returns a copy of this language with other classifiers.
    ///
    /// `relation_classifier` finds the relation between two entities of a sentence. The class `-` means that there is
    /// no relation. The other classes are relations with a direction. For example, the class is `OWES>` if the first
    /// entity owes something to the second, and `OWES<` if the second entity owes something to the first.
    ///
    /// `attribute_classifier` finds the attribute that some words state about an entity. The class `-` means that the
    /// words state no attribute. The other classes are the names of attributes.
    ///
    /// `assertion_classifier` decides whether a fact is no longer true (class `over`) or doubtful (class `doubt`). The
    /// class `-` is for all other facts.
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

    fn from_files(
        files: Vec<LanguageFile>,
        vocabulary_relations: Arc<Vec<VocabularyRelation>>,
    ) -> Result<Self, LanguageError> {
        let grammar = Grammar::from_files(&files, &vocabulary_relations)?;
        let empty = Arc::<Classifier>::default();
        let (relation_classifier, attribute_classifier, assertion_classifier) = (empty.clone(), empty.clone(), empty);
        Ok(Self {
            files: files.into(),
            vocabulary_relations,
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

pub(crate) mod classifier;
pub(crate) mod conjugation;
pub(crate) mod function_words;
pub(crate) mod grammar;
pub(crate) mod kind_set;
pub(crate) mod language_file;
pub(crate) mod named_flags;
pub(crate) mod predicate_properties;
pub(crate) mod triggers;
pub(crate) mod weights;
pub(crate) mod word_lists;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::predicate_properties::PredicateProperties, text::tokenizer::normalized_tokens};

    #[test]
    fn english_is_whole() {
        let files = ENGLISH_FILES.iter().map(|file| toml::from_str(file).unwrap()).collect();
        Language::from_files(files, VocabularyRelation::list(&Vocabulary::default()).into()).unwrap();
        let grammar = Language::english().grammar;
        for (name, property) in PredicateProperties::LISTS {
            assert!(grammar.targets.iter().any(|target| target.has(*property)), "nothing has the property {name}");
        }
        for (file, class) in
            [(RELATION_CLASSIFIER, "OWES>"), (ATTRIBUTE_CLASSIFIER, "occupation"), (ASSERTION_CLASSIFIER, "over")]
        {
            assert!(Classifier::parse(file).unwrap().classes().iter().any(|known| known == class));
        }
    }

    #[test]
    fn the_words_of_the_vocabulary_are_patterns() {
        let grammar = Language::english().grammar;
        for relation in VocabularyRelation::list(&Vocabulary::default()) {
            let is_of_relation = |target: usize| grammar.targets[target].predicate == relation.predicate;
            for noun in relation.words.nouns.iter().chain(&relation.words.inverse_nouns) {
                let words = normalized_tokens(noun);
                let patterns = grammar.noun_patterns.get(words.last().unwrap());
                assert!(patterns.into_iter().flatten().any(|(_, pattern)| is_of_relation(pattern.target)), "{noun}");
            }
            for verb in relation.words.verbs.iter().chain(&relation.words.inverse_verbs) {
                let words = verb.strip_prefix("be ").unwrap_or(verb);
                let mut patterns = grammar.verb_patterns.values().chain(grammar.phrase_patterns.values()).flatten();
                assert!(patterns.any(|pattern| pattern.words == words && is_of_relation(pattern.target)), "{verb}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let check = |toml: &str, expected: &str| {
            let error = Language::english().with(toml).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(
            "[words]\nadverb = \"slowly\"",
            "the table `[words]` of the language file contains the unknown list `adverb`",
        );
        check(
            "[cues]\nhedges = [\"methinks\"]",
            "the table `[cues]` of the language file contains the unknown list `hedges`",
        );
        check("[[relation]]\npredicate = \"Works\"\n", "`Works`");
        check("[[relation]]\npredicate = \"OWNS\"\nverbs = [\"own : dogs\"]", "`own : dogs`");
        check("[[relation]]\npredicate = \"OWNS\"\nlabel = \"HOLDS\"", "`label = \"HOLDS\"`");
        check(
            "[properties]\nlasting = \"OWNS\"",
            "the table `[properties]` of the language file contains the unknown list `lasting`",
        );
        check(
            "[triggers]\nhoping = \"hope\"",
            "the table `[triggers]` of the language file contains the unknown list `hoping`",
        );
        check("[verbs]\nirregular = [\"go went\"]", "`go went`");
        check("[confidence]\nbase = inf", "`base` in the table `[confidence]`");
    }
}
