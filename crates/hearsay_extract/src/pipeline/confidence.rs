//! Computes the confidence of facts, and limits the number of candidates.

use hearsay_model::Confidence;

use super::TextExtractor;
use crate::{
    facts::doubt::{MAX_DOUBTFUL_CONFIDENCE, MAX_INJECTION_CONFIDENCE},
    language::weights::Weight,
    pipeline::deduplicate::WeightedFact,
    sentence_reader::RawFact,
};

/// Candidates with a lower confidence than this are not worth a review.
const MIN_CANDIDATE_CONFIDENCE: f64 = 0.13;

/// Minimum confidence of candidates about a new name. This value is higher than [`MIN_CANDIDATE_CONFIDENCE`], because
/// the DM has to review both the new entity and the fact.
const MIN_NEW_NAME_CANDIDATE_CONFIDENCE: f64 = 0.15;

/// Maximum number of candidates from a text. For longer texts, the maximum increases by one for every
/// `SENTENCES_PER_CANDIDATE` sentences.
const BASE_MAX_CANDIDATES: usize = 8;
const SENTENCES_PER_CANDIDATE: usize = 6;

/// Maximum confidence of a fact that depends on a doubtful reference. The DM's decisions raise the log-odds of a fact by at
/// most 1. Even then, the confidence is below 0.7, and the fact waits for review.
const MAX_REFERENCE_CONFIDENCE: f64 = 0.46;

/// Returns whether a fact depends on a pronoun that may refer to somebody else: a fact that a character states, or a pronoun
/// for somebody whom only an earlier text mentions, if the text has perhaps left this topic. The words of a character become
/// a claim at once, so such a fact waits for review.
pub(super) fn has_doubtful_reference(weight_names: &[Weight]) -> bool {
    let is_spoken = weight_names.contains(&Weight::SPOKEN) && weight_names.contains(&Weight::DOUBTFUL_PRONOUN);
    is_spoken || weight_names.contains(&Weight::EARLIER_PRONOUN)
}

impl TextExtractor<'_> {
    /// Keeps only the most probable candidates, so that the DM can review a long text in one sitting.
    pub(super) fn limit_candidates(&self, facts: &mut Vec<WeightedFact>) {
        let grammar = self.extractor.grammar();
        let weight = |weighted: &WeightedFact| {
            let weight = || weighted.weight_names.iter().map(|name| grammar.weight(*name)).sum::<f64>();
            weighted.is_candidate().then(weight)
        };
        let max_candidates = BASE_MAX_CANDIDATES + self.sentences / SENTENCES_PER_CANDIDATE;
        let mut candidate_weights: Vec<f64> = facts.iter().filter_map(weight).collect();
        if candidate_weights.len() <= max_candidates {
            return;
        }
        candidate_weights.sort_by(|a, b| b.total_cmp(a));
        let min_weight = candidate_weights[max_candidates - 1];
        let mut remaining_ties =
            max_candidates - candidate_weights.iter().filter(|weight| **weight > min_weight).count();
        facts.retain(|weighted| {
            let Some(weight) = weight(weighted) else { return true };
            let is_kept = weight > min_weight || weight == min_weight && remaining_ties > 0;
            remaining_ties -= usize::from(weight == min_weight && is_kept);
            is_kept
        });
    }

    pub(super) fn is_in_injection(&self, raw_fact: &RawFact) -> bool {
        self.injection_spans.iter().any(|span| span.start <= raw_fact.span.start && raw_fact.span.start < span.end)
    }

    pub(super) fn confidence(&self, raw_fact: &RawFact, weight_names: &[Weight]) -> Confidence {
        let grammar = self.extractor.grammar();
        let sum = grammar.weight(Weight::BASE) + weight_names.iter().map(|name| grammar.weight(*name)).sum::<f64>();
        let mut probability = 1.0 / (1.0 + (-sum).exp());
        if weight_names.contains(&Weight::LOOSE) {
            let is_new_name = weight_names.iter().any(|name| matches!(*name, Weight::NEW_NAME | Weight::OPENING_NAME));
            if probability < if is_new_name { MIN_NEW_NAME_CANDIDATE_CONFIDENCE } else { MIN_CANDIDATE_CONFIDENCE } {
                return Confidence::new(probability).unwrap_or(Confidence::FULL);
            }
        }
        probability *= raw_fact.confidence_factor;
        if raw_fact.confidence_factor < 1.0 {
            probability = probability.min(MAX_DOUBTFUL_CONFIDENCE);
        }
        if has_doubtful_reference(weight_names) {
            probability = probability.min(MAX_REFERENCE_CONFIDENCE);
        }
        if self.is_in_injection(raw_fact) {
            probability = probability.min(MAX_INJECTION_CONFIDENCE);
        }
        Confidence::new(probability.clamp(0.0, 1.0)).unwrap_or(Confidence::FULL)
    }
}
