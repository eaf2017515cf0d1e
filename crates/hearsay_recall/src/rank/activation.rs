//! Spreading of activation from the best facts and passages, and conversion of the activation to the scale of the other
//! scores.

use super::{
    entities::degree,
    scores::{ChannelScores, SHARPNESS},
};
use crate::{
    Index,
    pagerank::{Activation, Start, pagerank},
};

/// Share of the activation mass that starts at passages.
const FROM_PASSAGES: f64 = 0.3;

/// Converter from activation mass to a score. The result is the score at which a text would itself be a starting point
/// with this mass.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scale {
    /// Best passage score before spreading activation.
    best: f32,
    /// Sum of all sharpened passage scores, at least 1. A sharpened score is `(score ÷ best)^SHARPNESS`.
    sum: f64,
    /// Best score among passages and facts before spreading activation.
    max: f32,
}

impl Scale {
    fn new(passages: &[f32], facts: f32) -> Self {
        let best = passages.iter().copied().fold(0.0, f32::max);
        let sum = passages.iter().map(|score| sharpened(*score, best)).sum::<f64>().max(1.0);
        Self { best, sum, max: best.max(facts) }
    }

    pub(super) fn score(&self, mass: f64) -> f32 {
        if mass == 0.0 {
            return 0.0;
        }
        let by_itself = mass * self.sum / FROM_PASSAGES;
        self.max * (by_itself.powf(1.0 / f64::from(SHARPNESS)) as f32).min(1.0)
    }
}

/// Returns a sharpened score: `(score ÷ best)^SHARPNESS`.
fn sharpened(score: f32, best: f32) -> f64 {
    if best > 0.0 { f64::from(score / best).powi(SHARPNESS) } else { 0.0 }
}

/// Spreads activation from the subjects and objects of the best facts, and from the best passages.
pub(super) fn spread_activation(scores: &mut ChannelScores, index: &Index, passages: &[f32]) -> (Activation, Scale) {
    let (seeds, best) = scores.seeds();
    let candidates = &scores.candidates;
    let scale = Scale::new(passages, best);
    // For each entity, the sum and the number of its facts' scores. A list instead of a map, because it is short and
    // keeps the order of the facts.
    let mut entity_scores: Vec<(u32, f64, f64)> = Vec::new();
    for (fact, fit) in seeds {
        let score = f64::from(fit / best).powi(3);
        for end in candidates.doc(fact).ends.into_iter().flatten() {
            match entity_scores.iter_mut().find(|(entity, ..)| *entity == end) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + score, *count + 1.0),
                None => entity_scores.push((end, score, 1.0)),
            }
        }
    }
    let mut entities: Vec<(u32, f64)> =
        entity_scores.into_iter().map(|(entity, sum, count)| (entity, sum / count)).collect();
    for (entity, score) in &mut entities {
        *score /= degree(candidates, index, *entity).max(1) as f64;
    }
    let total: f64 = entities.iter().map(|(_, score)| score).sum();
    entities.iter_mut().for_each(|(_, score)| *score *= (1.0 - FROM_PASSAGES) / total);
    let by_itself = |(at, score): (usize, &f32)| {
        let share = FROM_PASSAGES * sharpened(*score, scale.best) / scale.sum;
        (share > 1e-5).then_some((candidates.facts + at, share))
    };
    let passages = passages.iter().enumerate().filter_map(by_itself).collect();
    (pagerank(candidates, index, &Start { entities, passages }), scale)
}
