//! Creates training data for the weights and classifiers from labelled sentences.

use std::collections::BTreeSet;

use hearsay_extract::{Extraction, Extractor, Language, Meaning, Mention, Sight, Stated};
use hearsay_model::{Predicate, Vocabulary};

use super::{
    labelled::{Example, Labelled, LabelledFact},
    matching::{either_way, is, same, same_value},
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
pub(crate) struct Part<'a> {
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
pub(crate) fn findings(labelled: &Labelled, meaning: Option<&dyn Meaning>, part: &Part) -> Vec<Finding> {
    let extractor = Extractor::new(part.language.clone(), Vocabulary::default());
    let vocabulary = Vocabulary::default();
    let mut findings = Vec::new();
    for example in labelled.examples.iter().filter(|example| part.scenes.contains(example.scene.as_str())) {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let before: Vec<&str> = example.before.iter().map(String::as_str).collect();
        let text = example.text(&before, meaning);
        let found = extractor.weighed(&scene.lexicon, &text);
        for (fact, marks) in found.extraction.facts.iter().zip(found.marks) {
            let Some(marks) = marks.filter(|_| !fact.denied) else { continue };
            let right =
                example.facts.iter().any(|label| !label.doubt && same(fact, label, &found.extraction, &vocabulary));
            findings.push(Finding { scene: example.scene.clone(), marks, right });
        }
    }
    findings
}

/// Returns the training examples of all classifiers:
///
/// - pairs of entities in one sentence, with their relation,
/// - pairs of an entity and words that may state an attribute of the entity, with this attribute,
/// - extracted facts that match a labelled fact, with their assertion status.
pub fn rows(labelled: &Labelled) -> Rows {
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let vocabulary = Vocabulary::default();
    let mut rows = Rows::default();
    for example in &labelled.examples {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let before: Vec<&str> = example.before.iter().map(String::as_str).collect();
        let mut found = extractor.weighed(&scene.lexicon, &example.text(&before, None));
        let seen = std::mem::take(&mut found.seen);
        let labels = Labels { example, found: &found.extraction, vocabulary: &vocabulary };
        for sight in seen {
            let (into, classes) = match (&sight.read, &sight.second) {
                (Some(predicate), _) => (&mut rows.meanings, labels.meaning(&sight, predicate).into_iter().collect()),
                (None, Stated::Value(value)) => (&mut rows.values, vec![labels.attribute(&sight.first, value)]),
                (None, Stated::Entity(second)) => (&mut rows.pairs, labels.relations(&sight.first, second)),
            };
            let row = |class| Row { scene: example.scene.clone(), features: sight.features.clone(), class };
            into.extend(classes.into_iter().map(row));
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
    fn is(&self, mention: &Mention, label: &str) -> bool {
        is(mention, label, self.found)
    }

    /// Returns the assertion status of an extracted fact, if it matches a labelled fact.
    fn meaning(&self, sight: &Sight, predicate: &Predicate) -> Option<String> {
        let same = |subject: &str, object: &str| {
            self.is(&sight.first, subject)
                && match &sight.second {
                    Stated::Entity(second) => self.is(second, object),
                    Stated::Value(value) => same_value(value, object),
                }
        };
        let either = either_way(self.vocabulary, predicate);
        let states = |label: &&LabelledFact| {
            let (subject, object) = (&label.subject, &label.object);
            label.predicate == *predicate && (same(subject, object) || either && same(object, subject))
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
    fn attribute(&self, bearer: &Mention, value: &str) -> String {
        let states = |label: &&LabelledFact| {
            !label.predicate.is_relation() && self.is(bearer, &label.subject) && same_value(value, &label.object)
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
            let forth = self.is(first, subject) && self.is(second, object);
            let back = self.is(first, object) && self.is(second, subject);
            if forth || back && either_way(self.vocabulary, name) {
                classes.insert(format!("{name}>"));
            } else if back {
                classes.insert(format!("{name}<"));
            }
        }
        if classes.is_empty() {
            classes.insert("-".to_owned());
        }
        classes.into_iter().collect()
    }
}
