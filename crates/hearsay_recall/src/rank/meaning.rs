//! The meaning channel: cosines of the candidates, and the weight of meaning against words.

use super::entities::EntityMatches;
use crate::{Index, candidates::Candidates, vectors::Probe};

/// Weight of meaning per unit of difference between the best cosine and the view's mean cosine.
const CLARITY: f32 = 3.0;

/// Number of imaginary texts with cosine 0 that the mean includes. They keep the mean low when the view has few texts.
const UNRELATED: f32 = 20.0;

/// Weight of a neighbouring line's cosine, relative to that of the line itself.
const NEIGHBOUR: f32 = 0.5;

/// Maximum number of facts for which all cosines are computed in full at once. One character's view nearly always has
/// fewer facts.
const FEW: usize = if cfg!(test) { 6 } else { 4_096 };

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

    pub(super) fn is_rough(self) -> bool {
        self.error > 0.0
    }

    fn cosine(self) -> Option<f32> {
        Some(self.cosine).filter(|cosine| !cosine.is_nan())
    }

    pub(super) fn at_most(self) -> Option<f32> {
        self.cosine().map(|cosine| cosine + self.error)
    }

    pub(super) fn at_least(self) -> Option<f32> {
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
    pub(super) looks: Vec<CosineEstimate>,
    /// Cosine of each passage, alone and smoothed over the neighbouring lines.
    pub(super) lines: Vec<(Option<f32>, Option<f32>)>,
    pub(super) clarity: Clarity,
}

impl<'a> MeaningScores<'a> {
    pub(super) fn of(
        candidates: &Candidates,
        index: &'a Index,
        vector: Option<&'a [f32]>,
        about: &[EntityMatches],
    ) -> Self {
        let probe = vector.and_then(|vector| index.vectors().probe(vector));
        let mut looks = vec![CosineEstimate::NONE; candidates.facts];
        let mut lines: Vec<Option<f32>> = vec![None; candidates.len() - candidates.facts];
        if let Some(probe) = &probe {
            // Iterates in the order of text numbers, because the vectors are stored in that order.
            for (place, at) in candidates.in_place().filter(|(_, at)| *at >= candidates.facts) {
                lines[at - candidates.facts] = index.head_at(place).vector.map(|vector| probe.full(vector));
            }
            if candidates.facts <= FEW {
                for (at, look) in looks.iter_mut().enumerate() {
                    *look = candidates
                        .head(at)
                        .vector
                        .map_or(CosineEstimate::NONE, |vector| CosineEstimate::full(probe.full(vector)));
                }
            } else {
                for (place, at) in candidates.in_place().filter(|(_, at)| *at < candidates.facts) {
                    let Some(vector) = index.head_at(place).vector else { continue };
                    let (cosine, error) = probe.look(vector);
                    looks[at] = CosineEstimate { cosine, error };
                }
            }
        }
        for about in about.iter().filter(|_| probe.is_some()) {
            about.disregard_address(candidates, &mut lines);
        }
        let mut smooth = lines.clone();
        let of = |place: usize| candidates.talk[place].candidate - candidates.facts;
        for place in 0..candidates.talk.len() {
            let Some(own) = lines[of(place)] else { continue };
            let (mut sum, mut weight) = (own, 1.0);
            for beside in candidates.neighbours(place).filter_map(|beside| lines[of(beside)]) {
                sum += NEIGHBOUR * beside;
                weight += NEIGHBOUR;
            }
            smooth[of(place)] = Some(sum / weight);
        }
        let best = smooth.iter().flatten().copied().fold(0.0, f32::max);
        let passages = clarity(best, mean(smooth.iter().flatten().copied()));
        let lines = lines.into_iter().zip(smooth).collect();
        let mut meaning = Self { probe, looks, lines, clarity: Clarity { facts: 0.0, passages } };
        // Estimates are sufficient for the mean over many facts. The best cosine is computed in full.
        let mean = mean(meaning.looks.iter().filter_map(|look| look.cosine()));
        meaning.clarity.facts = clarity(meaning.best(candidates), mean);
        meaning
    }

    /// Returns the best cosine of all facts, computed in full.
    fn best(&mut self, candidates: &Candidates) -> f32 {
        let surely = self.looks.iter().filter_map(|look| look.at_least()).fold(0.0, f32::max);
        let near = |at: &usize| self.looks[*at].at_most().is_some_and(|most| most >= surely);
        let near: Vec<usize> = (0..self.looks.len()).filter(near).collect();
        near.into_iter().filter_map(|at| self.full(candidates, at)).fold(0.0, f32::max)
    }

    /// Returns the full cosine of a fact, and stores it in place of the estimate. `None` if there is no vector.
    pub(super) fn full(&mut self, candidates: &Candidates, at: usize) -> Option<f32> {
        let look = &mut self.looks[at];
        if look.is_rough()
            && let (Some(probe), Some(vector)) = (&self.probe, candidates.head(at).vector)
        {
            *look = CosineEstimate::full(probe.full(vector));
        }
        look.cosine()
    }

    /// Returns the cosine of a candidate, alone and smoothed over the neighbouring lines. For a fact, both values may
    /// be estimates.
    pub(super) fn of_candidate(&self, at: usize) -> (Option<f32>, Option<f32>) {
        match at.checked_sub(self.looks.len()) {
            None => (self.looks[at].cosine(), self.looks[at].cosine()),
            Some(line) => self.lines[line],
        }
    }
}

/// Returns the weight of meaning, in proportion to the distance of the best cosine from the mean cosine.
fn clarity(best: f32, mean: f32) -> f32 {
    CLARITY * (best - mean).max(0.0)
}

/// Returns the mean of the cosines and of [`UNRELATED`] zeros.
fn mean(cosines: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = cosines.fold((0.0, 0.0), |(sum, count), cosine| (sum + cosine, count + 1.0));
    sum / (count + UNRELATED)
}
