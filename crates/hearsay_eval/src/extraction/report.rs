//! Accuracy and calibration of the extractor on labelled sentences.

use std::{collections::BTreeMap, time::Instant};

use hearsay_extract::{ExtractedFact, Extractor, Language, Meaning, Text};
use hearsay_model::Vocabulary;
use serde::Serialize;

use super::{
    labelled::{Labelled, LabelledFact},
    listing::show,
    matching::same,
};

/// Minimum confidence at which a fact is accepted. A fact with a confidence from `REVIEWED` to below this value waits
/// for review.
const ACCEPTED: f64 = 0.7;
const REVIEWED: f64 = 0.3;

/// The result of the measurement.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The number of sentences.
    pub n: usize,
    /// The share of accepted facts that match a labelled fact without doubt.
    pub precision: f64,
    /// The share of the labelled facts without doubt that were extracted and accepted.
    pub recall: f64,
    /// The share of all labelled facts that were extracted, and are accepted or wait for review.
    pub review_recall: f64,
    /// The share of the facts waiting for review that match a labelled fact, with or without doubt.
    pub review_precision: f64,
    /// The expected calibration error: the mean difference between confidence and accuracy, over the bins.
    pub ece: f64,
    /// The number of labelled facts.
    pub labelled: usize,
    /// The number of accepted facts.
    pub accepted: usize,
    /// The time per text in milliseconds, without computing sentence vectors.
    pub ms: f64,
    /// The calibration in ten bins. Each bin covers a tenth of the range of confidence.
    pub bins: Vec<Bin>,
    /// The counts for each tag.
    pub tags: BTreeMap<String, Tally>,
    /// The sentences with wrong or missed facts.
    #[serde(skip)]
    pub misses: Vec<Miss>,
}

/// The facts whose confidence is in one tenth of the range from 0 to 1.
#[derive(Debug, Clone, Serialize)]
pub struct Bin {
    /// The number of facts.
    pub n: usize,
    /// The mean confidence.
    pub confidence: f64,
    /// The share of right facts.
    pub right: f64,
}

/// Counts of the sentences with one tag.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Tally {
    /// The number of sentences.
    pub n: usize,
    /// Number of accepted facts.
    pub accepted: usize,
    /// Number of accepted facts that are right.
    pub right: usize,
    /// Number of labelled facts without doubt.
    pub labelled: usize,
    /// Number of labelled facts without doubt that were extracted and accepted.
    pub found: usize,
}

/// A sentence with wrong or missed facts.
#[derive(Debug, Clone, Serialize)]
pub struct Miss {
    /// The id of the example.
    pub id: String,
    /// The text.
    pub text: String,
    /// Accepted facts that match no labelled fact without doubt, and facts waiting for review that match no labelled
    /// fact.
    pub wrong: Vec<String>,
    /// Labelled facts without doubt that were not accepted, and labelled facts with doubt that were not extracted. Each
    /// begins with the confidence of the extracted fact, or with 0.00 if no fact was extracted.
    pub missed: Vec<String>,
}

/// Extracts facts from all sentences, and compares them with the labelled facts.
pub fn measure(labelled: &Labelled, meaning: Option<&dyn Meaning>) -> Report {
    let extractor = Extractor::new(Language::english(), Vocabulary::default());
    let vocabulary = Vocabulary::default();
    let mut tags: BTreeMap<String, Tally> = BTreeMap::new();
    let mut all = Tally::default();
    let (mut reviewed, mut every) = (0, 0);
    let (mut waiting, mut worth) = (0, 0);
    let mut bins = [(0usize, 0.0f64, 0usize); 10];
    let mut misses = Vec::new();
    let mut took = 0.0;
    for example in &labelled.examples {
        let Some(scene) = labelled.scenes.get(&example.scene) else { continue };
        let before: Vec<&str> = example.before.iter().map(String::as_str).collect();
        let text = example.text(&before, meaning);
        let start = Instant::now();
        let plain = extractor.extract(&scene.lexicon, &Text { meaning: None, ..text });
        took += start.elapsed().as_secs_f64() * 1000.0;
        let found = if meaning.is_some() { extractor.extract(&scene.lexicon, &text) } else { plain };
        let facts: Vec<&ExtractedFact> =
            found.facts.iter().filter(|fact| !fact.denied && fact.confidence.get() >= REVIEWED).collect();
        let matches = |fact: &ExtractedFact, label: &LabelledFact| same(fact, label, &found, &vocabulary);
        let mut tally = Tally { n: 1, ..Tally::default() };
        let mut miss =
            Miss { id: example.id.clone(), text: example.text.clone(), wrong: Vec::new(), missed: Vec::new() };
        for fact in &facts {
            let sure = fact.confidence.get();
            let right = example.facts.iter().any(|label| !label.doubt && matches(fact, label));
            let bin = &mut bins[((sure * 10.0) as usize).min(9)];
            *bin = (bin.0 + 1, bin.1 + sure, bin.2 + usize::from(right));
            let labelled = example.facts.iter().any(|label| matches(fact, label));
            if sure >= ACCEPTED {
                tally.accepted += 1;
                tally.right += usize::from(right);
            } else {
                waiting += 1;
                worth += usize::from(labelled);
            }
            if !right && (sure >= ACCEPTED || !labelled) {
                miss.wrong.push(show(fact, &found));
            }
        }
        for label in &example.facts {
            every += 1;
            let sure =
                facts.iter().filter(|fact| matches(fact, label)).map(|fact| fact.confidence.get()).fold(0.0, f64::max);
            reviewed += usize::from(sure >= REVIEWED);
            if !label.doubt {
                tally.labelled += 1;
                tally.found += usize::from(sure >= ACCEPTED);
            }
            if sure < if label.doubt { REVIEWED } else { ACCEPTED } {
                let json = serde_json::to_string(label).unwrap_or_default();
                miss.missed.push(format!("{sure:.2} {json}"));
            }
        }
        if !miss.wrong.is_empty() || !miss.missed.is_empty() {
            misses.push(miss);
        }
        for tag in &example.tags {
            tags.entry(tag.clone()).or_default().add(&tally);
        }
        all.add(&tally);
    }
    let share = |part: usize, whole: usize| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
    let predicted: usize = bins.iter().map(|bin| bin.0).sum();
    let ece = bins
        .iter()
        .filter(|bin| bin.0 > 0)
        .map(|(_, sum, right)| (sum - *right as f64).abs() / predicted.max(1) as f64)
        .sum();
    Report {
        n: all.n,
        precision: share(all.right, all.accepted),
        recall: share(all.found, all.labelled),
        review_recall: share(reviewed, every),
        review_precision: share(worth, waiting),
        ece,
        labelled: every,
        accepted: all.accepted,
        ms: took / all.n.max(1) as f64,
        bins: bins
            .iter()
            .filter(|bin| bin.0 > 0)
            .map(|(n, sum, right)| Bin { n: *n, confidence: sum / *n as f64, right: *right as f64 / *n as f64 })
            .collect(),
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
