//! The meaning channel: the cosines of the candidates, and the weight of meaning relative to words.

use super::entities::EntityMatches;
use crate::{Index, candidates::Candidates, vectors::Probe};

/// Weight of meaning per unit of difference between the best cosine and the view's mean cosine.
const CLARITY_WEIGHT: f32 = 3.0;

/// Number of imaginary texts with cosine 0 that the mean includes. The imaginary texts keep the mean low when the view
/// has few texts.
const UNRELATED_TEXTS: f32 = 20.0;

/// Weight of a neighbouring line's cosine, relative to that of the line itself.
const NEIGHBOUR_WEIGHT: f32 = 0.5;

/// Maximum number of facts for which all cosines are computed in full at once. One character's view nearly always has
/// fewer facts.
const MAX_FULL_COSINES: usize = if cfg!(test) { 6 } else { 4_096 };

/// Estimate of a cosine, computed from the quantized bytes of a vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct CosineEstimate {
    /// Estimated cosine; NaN if there is no vector.
    cosine: f32,
    /// Maximum difference from the full cosine; 0 if this is the full cosine.
    error: f32,
}

impl CosineEstimate {
    const NONE: Self = Self { cosine: f32::NAN, error: 0.0 };

    pub(super) fn full(cosine: f32) -> Self {
        Self { cosine, error: 0.0 }
    }

    pub(super) fn is_estimate(self) -> bool {
        self.error > 0.0
    }

    fn cosine(self) -> Option<f32> {
        Some(self.cosine).filter(|cosine| !cosine.is_nan())
    }

    pub(super) fn upper_bound(self) -> Option<f32> {
        self.cosine().map(|cosine| cosine + self.error)
    }

    pub(super) fn lower_bound(self) -> Option<f32> {
        self.cosine().map(|cosine| cosine - self.error)
    }
}

/// Weight of meaning relative to words, for facts and for passages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clarity {
    pub(super) facts: f32,
    pub(super) passages: f32,
}

/// Scores of the meaning channel.
#[derive(Debug)]
pub(super) struct MeaningScores<'a> {
    probe: Option<Probe<'a>>,
    /// Cosine of each fact, in full or estimated.
    pub(super) fact_cosines: Vec<CosineEstimate>,
    /// Cosine of each passage, alone and smoothed over the neighbouring lines.
    pub(super) passage_cosines: Vec<(Option<f32>, Option<f32>)>,
    pub(super) clarity: Clarity,
}

impl<'a> MeaningScores<'a> {
    pub(super) fn new(
        candidates: &Candidates,
        index: &'a Index,
        vector: Option<&'a [f32]>,
        about: &[EntityMatches],
    ) -> Self {
        let probe = vector.and_then(|vector| index.vectors().probe(vector));
        let mut fact_cosines = vec![CosineEstimate::NONE; candidates.facts];
        let mut passage_cosines: Vec<Option<f32>> = vec![None; candidates.len() - candidates.facts];
        if let Some(probe) = &probe {
            // Iterates in the order of text numbers, because the vectors are stored in that order.
            for (text_number, at) in candidates.by_text_number().filter(|(_, at)| *at >= candidates.facts) {
                passage_cosines[at - candidates.facts] =
                    index.head_at(text_number).vector.map(|vector| probe.full(vector.get()));
            }
            if candidates.facts <= MAX_FULL_COSINES {
                for (at, estimate) in fact_cosines.iter_mut().enumerate() {
                    *estimate = candidates
                        .head(at)
                        .vector
                        .map_or(CosineEstimate::NONE, |vector| CosineEstimate::full(probe.full(vector.get())));
                }
            } else {
                for (text_number, at) in candidates.by_text_number().filter(|(_, at)| *at < candidates.facts) {
                    let Some(vector) = index.head_at(text_number).vector else { continue };
                    let (cosine, error) = probe.estimate(vector.get());
                    fact_cosines[at] = CosineEstimate { cosine, error };
                }
            }
        }
        for about in about.iter().filter(|_| probe.is_some()) {
            about.disregard_address(candidates, &mut passage_cosines);
        }
        let mut smooth = passage_cosines.clone();
        let passage_at = |position: usize| candidates.talk[position].candidate - candidates.facts;
        for position in 0..candidates.talk.len() {
            let Some(own) = passage_cosines[passage_at(position)] else { continue };
            let (mut sum, mut weight) = (own, 1.0);
            for neighbour in
                candidates.neighbours(position).filter_map(|neighbour| passage_cosines[passage_at(neighbour)])
            {
                sum += NEIGHBOUR_WEIGHT * neighbour;
                weight += NEIGHBOUR_WEIGHT;
            }
            smooth[passage_at(position)] = Some(sum / weight);
        }
        let best = smooth.iter().flatten().copied().fold(0.0, f32::max);
        let passages = clarity(best, mean(smooth.iter().flatten().copied()));
        let passage_cosines = passage_cosines.into_iter().zip(smooth).collect();
        let mut meaning = Self { probe, fact_cosines, passage_cosines, clarity: Clarity { facts: 0.0, passages } };
        // Estimates are sufficient for the mean over many facts. The best cosine is computed in full.
        let mean = mean(meaning.fact_cosines.iter().filter_map(|estimate| estimate.cosine()));
        meaning.clarity.facts = clarity(meaning.best(candidates), mean);
        meaning
    }

    /// Returns the best cosine of all facts, computed in full.
    fn best(&mut self, candidates: &Candidates) -> f32 {
        let lower_bound = self.fact_cosines.iter().filter_map(|estimate| estimate.lower_bound()).fold(0.0, f32::max);
        let may_be_best =
            |at: &usize| self.fact_cosines[*at].upper_bound().is_some_and(|upper_bound| upper_bound >= lower_bound);
        let possible_best: Vec<usize> = (0..self.fact_cosines.len()).filter(may_be_best).collect();
        possible_best.into_iter().filter_map(|at| self.full(candidates, at)).fold(0.0, f32::max)
    }

    /// Returns the full cosine of a fact, and stores it in place of the estimate. `None` if there is no vector.
    pub(super) fn full(&mut self, candidates: &Candidates, at: usize) -> Option<f32> {
        let estimate = &mut self.fact_cosines[at];
        if estimate.is_estimate()
            && let (Some(probe), Some(vector)) = (&self.probe, candidates.head(at).vector)
        {
            *estimate = CosineEstimate::full(probe.full(vector.get()));
        }
        estimate.cosine()
    }

    /// Returns the cosine of a candidate, alone and smoothed over the neighbouring lines. For a fact, both cosines can
    /// be estimates.
    pub(super) fn of_candidate(&self, at: usize) -> (Option<f32>, Option<f32>) {
        match at.checked_sub(self.fact_cosines.len()) {
            None => (self.fact_cosines[at].cosine(), self.fact_cosines[at].cosine()),
            Some(line) => self.passage_cosines[line],
        }
    }
}

/// Returns the weight of meaning, in proportion to the distance of the best cosine from the mean cosine.
fn clarity(best: f32, mean: f32) -> f32 {
    CLARITY_WEIGHT * (best - mean).max(0.0)
}

/// Returns the mean of the cosines and of [`UNRELATED_TEXTS`] zeros.
fn mean(cosines: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = cosines.fold((0.0, 0.0), |(sum, count), cosine| (sum + cosine, count + 1.0));
    sum / (count + UNRELATED_TEXTS)
}
