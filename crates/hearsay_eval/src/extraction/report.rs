//! Measures the accuracy and calibration of the extractor on labelled sentences.

use std::{collections::BTreeMap, time::Instant};

use hearsay_extract::{ExtractedFact, Extractor, Language, Meaning, Text};
use hearsay_model::Vocabulary;
use serde::Serialize;

use super::{
    labelled::{Labelled, LabelledFact},
    listing::show,
    matching::same,
};

/// Minimum confidence at which a fact is accepted. A fact with a lower confidence, but at least `REVIEWED`, waits for
/// review.
const ACCEPTED: f64 = 0.7;
const REVIEWED: f64 = 0.3;

/// Accuracy and calibration of the extractor. `EXTRACTION.md` defines the terms *accepted*, *waiting for review* and
/// *doubtful*. All shares are from 0 to 1.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The number of sentences.
    pub n: usize,
    /// The share of the accepted facts that match a labelled fact that is not doubtful.
    pub precision: f64,
    /// The share of the labelled facts that match an accepted fact, not counting doubtful labelled facts.
    pub recall: f64,
    /// The share of all labelled facts that match an accepted fact or a fact that waits for review.
    pub review_recall: f64,
    /// The share of the facts waiting for review that match a labelled fact, doubtful or not.
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
    /// The extracted facts by confidence, in at most ten bins. Each bin covers a tenth of the range from 0 to 1; empty
    /// bins are left out.
    pub bins: Vec<Bin>,
    /// The counts for the sentences with each tag.
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
    /// The mean confidence of the facts in this bin.
    pub confidence: f64,
    /// The share of the facts in this bin that match a labelled fact that is not doubtful.
    pub right: f64,
}

/// Counts of the sentences with one tag.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Tally {
    /// The number of sentences.
    pub n: usize,
    /// Number of accepted facts.
    pub accepted: usize,
    /// Number of accepted facts that match a labelled fact that is not doubtful.
    pub right: usize,
    /// Number of labelled facts that are not doubtful.
    pub labelled: usize,
    /// Number of labelled facts that are not doubtful and match an accepted fact.
    pub found: usize,
}

/// A sentence with wrong or missed facts.
#[derive(Debug, Clone, Serialize)]
pub struct Miss {
    /// The id of the example.
    pub id: String,
    /// The text of the sentence.
    pub text: String,
    /// Wrong facts: accepted facts that match no labelled fact, or only a doubtful one, and facts waiting for review
    /// that match no labelled fact.
    pub wrong: Vec<String>,
    /// Missed labelled facts. A labelled fact is missed if no accepted fact matches it. A doubtful labelled fact is
    /// missed only if no fact waiting for review matches it either. Each line begins with the highest confidence of a
    /// matching extracted fact, or with 0.00 if no extracted fact matches.
    pub missed: Vec<String>,
}

/// Extracts facts from all sentences, and compares them with the labelled facts. Without `meaning`, the extractor uses
/// no sentence vectors.
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
