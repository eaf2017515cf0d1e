//! Combination of the channels into one score for each candidate.

use std::sync::Arc;

use super::{entities::EntityShares, meaning::MeaningScores, query::Weights};
use crate::{candidates::Candidates, lexical::LexicalScores};

/// Factor by which the weight of meaning is higher for facts than for passages. The statement of a fact is a single
/// sentence with one meaning.
const FACT_CLARITY: f32 = 2.0;

/// Typical cosine of a text that answers the question in different words.
const TYPICAL_COSINE: f32 = 0.6;

/// Maximum length of a text that the encoder reads in full, in words without stop words. The vector of a longer text
/// covers only a part of it.
const MAX_ENCODED_WORDS: u32 = 160;

/// Weight of how many of the question's entities a text is about, relative to words and meaning: for facts
/// (`NAMED_FACT`) and for passages (`NAMED_PASSAGE`).
const NAMED_FACT: f32 = 0.3;
const NAMED_PASSAGE: f32 = 0.04;

/// Maximum number of facts from which activation spreads (`MAX_SEEDS`), and their minimum score as a share of the best
/// score (`MIN_SEED_SHARE`). A fact with a higher score contributes more.
const MAX_SEEDS: usize = 10;
const MIN_SEED_SHARE: f32 = 0.85;

/// Exponent that separates the best score from good scores. A text with half the best score gets a thousandth of the
/// best text's mass. With the same exponent, [`smooth_max`] is nearly equal to the greater of two scores.
pub(super) const SHARPNESS: i32 = 10;

/// Bonus for facts that the asker saw, read or was told, relative to common lore and the knowledge of groups and
/// places.
const OWN_BONUS: f32 = 0.5;

/// Bonus for secrets, because people ask about them.
const SECRET_BONUS: f32 = 0.75;

/// Penalty for facts with a minor predicate, because they say little about their entity.
const MINOR_PENALTY: f32 = 0.4;

/// Penalty for passages relative to facts, because a passage also contains unrelated information.
const PASSAGE_PENALTY: f32 = 0.3;

/// Greatest possible sum of 1 and the bonuses. The sum for a candidate, divided by this maximum, is its prior: the
/// weight that does not depend on the question.
const MAX_PRIOR: f32 = 1.0 + OWN_BONUS + SECRET_BONUS;

/// Share of the prior that a fact keeps if the asker has forgotten it. Retention determines the rest.
const FORGOTTEN_SHARE: f32 = 0.7;

/// Channel scores of the candidates, before and after spreading activation.
#[derive(Debug)]
pub(super) struct ChannelScores<'a> {
    pub(super) candidates: Arc<Candidates<'a>>,
    pub(super) words: LexicalScores,
    pub(super) meaning: MeaningScores<'a>,
    pub(super) named: EntityShares,
    /// For each candidate, whether it is in the query's scope; `None` if the query has no scope.
    pub(super) scope: Option<Vec<bool>>,
    pub(super) weights: Weights,
}

impl ChannelScores<'_> {
    /// Returns the candidate numbers of the passages.
    pub(super) fn passages(&self) -> std::ops::Range<usize> {
        self.candidates.facts..self.candidates.len()
    }

    /// Returns how well a text fits by words and meaning. The result increases with the cosine.
    #[inline]
    pub(super) fn fit(&self, at: usize, cosine: Option<f32>, clarity: f32) -> f32 {
        let (by_words, by_meaning) = (self.weights.words, self.weights.meaning * clarity);
        let words = self.words.mean_of(at);
        // If a text has no vector, its word score replaces the meaning score. The same applies to the part of a long
        // text that its vector does not cover.
        let by_words_alone = words * TYPICAL_COSINE;
        let meaning = cosine.map_or(by_words_alone, |cosine| {
            let length = self.candidates.head(at).length;
            if length <= MAX_ENCODED_WORDS {
                return cosine.max(0.0);
            }
            let encoded_share = MAX_ENCODED_WORDS as f32 / length as f32;
            cosine.max(0.0) * encoded_share + by_words_alone * (1.0 - encoded_share)
        });
        (by_words * words + by_meaning * meaning) / (by_words + by_meaning).max(f32::MIN_POSITIVE)
    }

    pub(super) fn passage_fit(&self, at: usize) -> f32 {
        self.fit(at, self.meaning.of_candidate(at).1, self.meaning.clarity.passages)
    }

    pub(super) fn passage_score(&self, at: usize, fit: f32, activation_score: f32) -> f32 {
        let fused = smooth_max(fit, activation_score);
        self.score(at, fused, NAMED_PASSAGE)
    }

    /// Computes the score of a fact from its full cosine.
    pub(super) fn fact_score(&mut self, at: usize) -> f32 {
        let cosine = self.meaning.full(&self.candidates, at);
        self.fact_score_by(at, cosine)
    }

    /// Returns a fact's score or an upper bound of it. The second value is `true` for an upper bound.
    #[inline]
    pub(super) fn fact_upper_bound(&self, at: usize) -> (f32, bool) {
        let estimate = self.meaning.fact_cosines[at];
        (self.fact_score_by(at, estimate.upper_bound()), estimate.is_estimate())
    }

    // Spreading activation does not count for facts, because related facts say little about the fact itself.
    #[inline]
    fn fact_score_by(&self, at: usize, cosine: Option<f32>) -> f32 {
        self.score(at, self.fit(at, cosine, FACT_CLARITY * self.meaning.clarity.facts), NAMED_FACT)
    }

    #[inline]
    fn score(&self, at: usize, fit: f32, about: f32) -> f32 {
        if self.scope.as_ref().is_some_and(|marks| !marks[at]) {
            return 0.0;
        }
        let graph = self.weights.graph;
        let fused = (fit + graph * about * self.named.share(at)) / (1.0 + graph * NAMED_FACT);
        if fused > 0.0 { (fused * self.prior(at)).min(1.0) } else { 0.0 }
    }

    /// Returns the prior of a candidate: the weight that does not depend on the question, as a share of the maximum.
    #[inline]
    pub(super) fn prior(&self, at: usize) -> f32 {
        let prior = if at < self.candidates.facts {
            let (summary, is_minor) = (self.candidates.summary(at), self.candidates.head(at).is_minor);
            let weigh = |is: bool, weight: f32| if is { weight } else { 0.0 };
            let bonuses = 1.0 + weigh(summary.own, OWN_BONUS) + weigh(summary.secret, SECRET_BONUS)
                - weigh(is_minor, MINOR_PENALTY);
            match self.candidates.retention(at) {
                Some(retention) => bonuses * (FORGOTTEN_SHARE + (1.0 - FORGOTTEN_SHARE) * retention),
                None => bonuses,
            }
        } else {
            1.0 + OWN_BONUS - PASSAGE_PENALTY
        };
        prior / MAX_PRIOR
    }

    /// Returns the facts from which activation spreads, best first, each with its fit. Also returns the fit of the best
    /// fact.
    pub(super) fn seeds(&mut self) -> (Vec<(usize, f32)>, f32) {
        // Meaning counts less here than in the fact score (no `FACT_CLARITY`), because facts that are only similar in
        // meaning lead to unrelated entities.
        let clarity = self.meaning.clarity.facts;
        let estimates = || self.meaning.fact_cosines.iter().enumerate();
        let lower_bound =
            estimates().map(|(at, estimate)| self.fit(at, estimate.lower_bound(), clarity)).fold(0.0, f32::max);
        let threshold = (lower_bound * MIN_SEED_SHARE).max(f32::MIN_POSITIVE);
        let possible_seeds: Vec<usize> = estimates()
            .filter(|(at, estimate)| self.fit(*at, estimate.upper_bound(), clarity) >= threshold)
            .map(|(at, _)| at)
            .collect();
        let mut seeds = Vec::with_capacity(possible_seeds.len());
        for at in possible_seeds {
            let cosine = self.meaning.full(&self.candidates, at);
            seeds.push((at, self.fit(at, cosine, clarity)));
        }
        seeds.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let best = seeds.first().map_or(0.0, |(_, fit)| *fit);
        let min_fit = (best * MIN_SEED_SHARE).max(f32::MIN_POSITIVE);
        seeds.retain(|(_, fit)| *fit >= min_fit);
        seeds.truncate(MAX_SEEDS);
        (seeds, best)
    }
}

/// Combines two scores; the result is close to the greater one.
pub(super) fn smooth_max(a: f32, b: f32) -> f32 {
    if b > 0.0 { (a.powi(SHARPNESS) + b.powi(SHARPNESS)).powf(1.0 / SHARPNESS as f32) } else { a }
}
