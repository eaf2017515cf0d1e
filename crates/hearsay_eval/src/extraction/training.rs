//! Creates training data for the weights and classifiers from labelled sentences.

use std::collections::BTreeSet;

use hearsay_extract::{Extraction, Extractor, FactObject, Language, Mention, SentenceEncoder, TrainingExample};
use hearsay_model::{Predicate, Vocabulary};

use super::{
    labelled::{Example, Labelled, LabelledFact},
    matching::{facts_match, is_bidirectional, mention_matches, values_match},
};
use crate::learn::{Row, Rows};

/// An extracted fact with its *marks*: the pieces of evidence for and against the fact.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) scene: String,
    pub(crate) marks: Vec<&'static str>,
    pub(crate) right: bool,
}

/// A part of the scenes, and the language data for the extraction of their facts.
pub(crate) struct SceneSplit<'a> {
    pub(crate) scenes: BTreeSet<&'a str>,
    pub(crate) language: Language,
}

impl Labelled {
    /// Returns the names of the scenes, in order.
    pub(crate) fn scenes(&self) -> impl Iterator<Item = &str> {
        self.scenes.keys().map(String::as_str)
    }
}

/// Returns the extracted facts that have marks, which are all facts that the text neither denies nor marks as doubtful.
/// A [`Finding`] also says whether the fact matches a labelled fact that is not doubtful.
pub(crate) fn findings(labelled: &Labelled, encoder: Option<&dyn SentenceEncoder>, split: &SceneSplit) -> Vec<Finding> {
    let extractor = Extractor::new(split.language.clone(), Vocabulary::default());
    let vocabulary = Vocabulary::default();
    let mut findings = Vec::new();
    for example in labelled.examples.iter().filter(|example| split.scenes.contains(example.scene.as_str())) {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let before: Vec<&str> = example.before.iter().map(String::as_str).collect();
        let text = example.to_text(&before, encoder);
        let found = extractor.extract_for_training(&scene.lexicon, &text);
        for (fact, marks) in found.extraction.facts.iter().zip(found.weight_names) {
            let Some(marks) = marks.filter(|_| !fact.denied) else { continue };
            let is_correct = example
                .facts
                .iter()
                .any(|label| !label.doubt && facts_match(fact, label, &found.extraction, &extractor, &vocabulary));
            findings.push(Finding { scene: example.scene.clone(), marks, right: is_correct });
        }
    }
    findings
}

/// Returns the training examples of all classifiers:
///
/// - pairs of entities in one sentence, with their relation,
/// - pairs of an entity and words that may state an attribute of the entity, with this attribute,
/// - extracted facts that match a labelled fact, with their assertion status.
pub fn training_rows(labelled: &Labelled) -> Rows {
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let vocabulary = Vocabulary::default();
    let mut rows = Rows::default();
    for example in &labelled.examples {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let before: Vec<&str> = example.before.iter().map(String::as_str).collect();
        let mut extraction = extractor.extract_for_training(&scene.lexicon, &example.to_text(&before, None));
        let candidates = std::mem::take(&mut extraction.examples);
        let labels = Labels { example, found: &extraction.extraction, vocabulary: &vocabulary };
        for candidate in candidates {
            let (target, classes) = match (&candidate.read_predicate, &candidate.second) {
                (Some(predicate), _) => {
                    (&mut rows.meanings, labels.meaning(&candidate, predicate).into_iter().collect())
                }
                (None, FactObject::Value(value)) => (&mut rows.values, vec![labels.attribute(&candidate.first, value)]),
                (None, FactObject::Entity(second)) => (&mut rows.pairs, labels.relations(&candidate.first, second)),
            };
            let row = |class| Row { scene: example.scene.clone(), features: candidate.features.clone(), class };
            target.extend(classes.into_iter().map(row));
        }
    }
    rows
}

/// The labelled facts of an example.
struct Labels<'a> {
    example: &'a Example,
    found: &'a Extraction,
    vocabulary: &'a Vocabulary,
}

impl Labels<'_> {
    fn mention_matches(&self, mention: &Mention, label: &str) -> bool {
        mention_matches(mention, label, self.found)
    }

    /// Returns the assertion status of an extracted fact, if it matches a labelled fact.
    fn meaning(&self, candidate: &TrainingExample, predicate: &Predicate) -> Option<String> {
        let ends_match = |subject: &str, object: &str| {
            self.mention_matches(&candidate.first, subject)
                && match &candidate.second {
                    FactObject::Entity(second) => self.mention_matches(second, object),
                    FactObject::Value(value) => values_match(value, object),
                }
        };
        let is_bidirectional_relation = is_bidirectional(self.vocabulary, predicate);
        let states = |label: &&LabelledFact| {
            let (subject, object) = (&label.subject, &label.object);
            label.predicate == *predicate
                && (ends_match(subject, object) || is_bidirectional_relation && ends_match(object, subject))
        };
        let label = self.example.facts.iter().find(states)?;
        let class = match (label.doubt, label.over) {
            (true, _) => "doubt",
            (false, true) => "over",
            (false, false) => "-",
        };
        Some(class.to_owned())
    }

    /// Returns the attribute that words state about an entity.
    fn attribute(&self, entity: &Mention, value: &str) -> String {
        let states = |label: &&LabelledFact| {
            !label.predicate.is_relation()
                && self.mention_matches(entity, &label.subject)
                && values_match(value, &label.object)
        };
        self.example.facts.iter().find(states).map_or("-".to_owned(), |label| label.predicate.to_string())
    }

    /// Returns the relations between two entities.
    fn relations(&self, first: &Mention, second: &Mention) -> Vec<String> {
        let mut classes = BTreeSet::new();
        for label in self.example.facts.iter().filter(|label| label.predicate.is_relation()) {
            let (mut name, mut subject, mut object) = (&label.predicate, &label.subject, &label.object);
            if let Some(def) = self.vocabulary.inverse_of(name) {
                (name, subject, object) = (&def.name, object, subject);
            }
            let is_forward = self.mention_matches(first, subject) && self.mention_matches(second, object);
            let is_backward = self.mention_matches(first, object) && self.mention_matches(second, subject);
            if is_forward || is_backward && is_bidirectional(self.vocabulary, name) {
                classes.insert(format!("{name}>"));
            } else if is_backward {
                classes.insert(format!("{name}<"));
            }
        }
        if classes.is_empty() {
            classes.insert("-".to_owned());
        }
        classes.into_iter().collect()
    }
}
