//! Measures the accuracy and calibration of the extractor on labelled sentences.

use std::{collections::BTreeMap, time::Instant};

use hearsay_extract::{ExtractedFact, Extractor, Language, SentenceEncoder, Text};
use hearsay_model::Vocabulary;
use serde::Serialize;

use super::{
    labelled::{Labelled, LabelledFact},
    listing::format_fact,
    matching::facts_match,
};
use crate::calibration::{self, Bin};

/// Minimum confidence at which a fact is accepted. A fact with a lower confidence, but at least `MIN_REVIEWED`, waits
/// for review.
const MIN_ACCEPTED: f64 = 0.7;
const MIN_REVIEWED: f64 = 0.3;

/// Accuracy and calibration of the extractor. `EXTRACTION.md` defines the terms *accepted*, *waiting for review* and
/// *doubtful*. All shares are from 0 to 1.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The number of sentences.
    pub n: usize,
    /// The share of the accepted facts that match a labelled fact. Doubtful labelled facts do not count.
    pub precision: f64,
    /// The share of the labelled facts that match an accepted fact. Doubtful labelled facts do not count.
    pub recall: f64,
    /// The share of all labelled facts that match an accepted fact or a fact that waits for review.
    pub review_recall: f64,
    /// The share of the facts waiting for review that match a labelled fact. Doubtful labelled facts count too.
    pub review_precision: f64,
    /// The expected calibration error: the mean, over the bins, of the difference between the mean confidence of a bin
    /// and its share of correct facts. Each bin is weighted by its number of facts.
    pub ece: f64,
    /// The number of labelled facts, including doubtful ones.
    pub labelled: usize,
    /// The number of accepted facts.
    pub accepted: usize,
    /// The mean time to extract the facts of one text, in milliseconds, without computing sentence vectors.
    pub ms: f64,
    /// The extracted facts by confidence, in at most ten bins. A fact is right if it matches a labelled fact that is
    /// not doubtful.
    pub bins: Vec<Bin>,
    /// The counts for the sentences with each tag.
    pub tags: BTreeMap<String, Tally>,
    /// The sentences with wrong or missed facts.
    #[serde(skip)]
    pub misses: Vec<Miss>,
}

/// Counts of the sentences with one tag.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Tally {
    /// The number of sentences.
    pub n: usize,
    /// Number of accepted facts.
    pub accepted: usize,
    /// Number of accepted facts that match a labelled fact. Doubtful labelled facts do not count.
    pub right: usize,
    /// Number of labelled facts that are not doubtful.
    pub labelled: usize,
    /// Number of labelled facts that match an accepted fact. Doubtful labelled facts are not counted.
    pub found: usize,
}

/// A sentence with wrong or missed facts.
#[derive(Debug, Clone, Serialize)]
pub struct Miss {
    /// The id of the example.
    pub id: String,
    /// The text of the sentence.
    pub text: String,
    /// Wrong facts: accepted facts that match no labelled fact or only doubtful labelled facts, and facts waiting for
    /// review that match no labelled fact.
    pub wrong: Vec<String>,
    /// Missed labelled facts. A labelled fact is missed if no accepted fact matches it. A doubtful labelled fact is
    /// missed only if no fact waiting for review matches it either. Each line begins with the highest confidence of a
    /// matching extracted fact, or with 0.00 if no extracted fact matches.
    pub missed: Vec<String>,
}

/// Extracts facts from all sentences, and compares them with the labelled facts. Without `encoder`, the extractor uses
/// no sentence vectors.
pub fn measure(labelled: &Labelled, encoder: Option<&dyn SentenceEncoder>) -> Report {
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let vocabulary = Vocabulary::default();
    let mut tags: BTreeMap<String, Tally> = BTreeMap::new();
    let mut total = Tally::default();
    let (mut reviewed, mut label_count) = (0, 0);
    let (mut queued_count, mut queued_correct) = (0, 0);
    let mut predictions = Vec::new();
    let mut misses = Vec::new();
    let mut total_ms = 0.0;
    for example in &labelled.examples {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let before: Vec<&str> = example.before.iter().map(String::as_str).collect();
        let text = example.to_text(&before, encoder);
        let start = Instant::now();
        let without_vectors = extractor.extract(&scene.lexicon, &Text { encoder: None, ..text });
        total_ms += start.elapsed().as_secs_f64() * 1000.0;
        let extraction = if encoder.is_some() { extractor.extract(&scene.lexicon, &text) } else { without_vectors };
        let facts: Vec<&ExtractedFact> =
            extraction.facts.iter().filter(|fact| !fact.denied && fact.confidence.get() >= MIN_REVIEWED).collect();
        let matches =
            |fact: &ExtractedFact, label: &LabelledFact| facts_match(fact, label, &extraction, &extractor, &vocabulary);
        let mut tally = Tally { n: 1, ..Tally::default() };
        let mut miss =
            Miss { id: example.id.clone(), text: example.text.clone(), wrong: Vec::new(), missed: Vec::new() };
        for fact in &facts {
            let confidence = fact.confidence.get();
            let is_correct = example.facts.iter().any(|label| !label.doubt && matches(fact, label));
            predictions.push((confidence, is_correct));
            let labelled = example.facts.iter().any(|label| matches(fact, label));
            if confidence >= MIN_ACCEPTED {
                tally.accepted += 1;
                tally.right += usize::from(is_correct);
            } else {
                queued_count += 1;
                queued_correct += usize::from(labelled);
            }
            if !is_correct && (confidence >= MIN_ACCEPTED || !labelled) {
                miss.wrong.push(format_fact(fact, &extraction));
            }
        }
        for label in &example.facts {
            label_count += 1;
            let confidence =
                facts.iter().filter(|fact| matches(fact, label)).map(|fact| fact.confidence.get()).fold(0.0, f64::max);
            reviewed += usize::from(confidence >= MIN_REVIEWED);
            if !label.doubt {
                tally.labelled += 1;
                tally.found += usize::from(confidence >= MIN_ACCEPTED);
            }
            if confidence < if label.doubt { MIN_REVIEWED } else { MIN_ACCEPTED } {
                let json = serde_json::to_string(label).unwrap_or_default();
                miss.missed.push(format!("{confidence:.2} {json}"));
            }
        }
        if !miss.wrong.is_empty() || !miss.missed.is_empty() {
            misses.push(miss);
        }
        for tag in &example.tags {
            tags.entry(tag.clone()).or_default().add(&tally);
        }
        total.add(&tally);
    }
    let ratio = |part: usize, denominator: usize| if denominator == 0 { 1.0 } else { part as f64 / denominator as f64 };
    let bins = calibration::bins(predictions);
    Report {
        n: total.n,
        precision: ratio(total.right, total.accepted),
        recall: ratio(total.found, total.labelled),
        review_recall: ratio(reviewed, label_count),
        review_precision: ratio(queued_correct, queued_count),
        ece: calibration::expected_error(&bins),
        labelled: label_count,
        accepted: total.accepted,
        ms: total_ms / total.n.max(1) as f64,
        bins,
        tags,
        misses,
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.accepted += other.accepted;
        self.right += other.right;
        self.labelled += other.labelled;
        self.found += other.found;
    }
}
