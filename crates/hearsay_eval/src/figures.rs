//! Computes figures for the quality of a ranking, with bootstrap confidence intervals.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::Random;

/// Number of bootstrap samples.
const BOOTSTRAP_SAMPLES: usize = 2_000;

/// Seed of the bootstrap samples.
const SEED: u64 = 1;

/// The five scores of the results of one question, each from 0 to 1: whether the first result is correct, recall among
/// the first 2, 5 and 10 results, and NDCG (normalized discounted cumulative gain) of the first 5 results.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scores([f64; 5]);

/// The names of the scores, in the order of [`Scores`].
pub const NAMES: [&str; 5] = ["hit1", "r2", "r5", "r10", "ndcg5"];

impl Scores {
    /// Computes the scores of a ranking. `found` contains the groups (sessions or documents) that the search found,
    /// best first; `relevant` contains the correct groups.
    pub fn from_ranking(found: &[&str], relevant: &[String]) -> Self {
        let relevant: BTreeSet<&str> = relevant.iter().map(String::as_str).collect();
        let hits: Vec<bool> = found.iter().take(10).map(|group| relevant.contains(group)).collect();
        let recall =
            |count: usize| hits.iter().take(count).filter(|hit| **hit).count() as f64 / relevant.len().max(1) as f64;
        let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
        let dcg: f64 = hits.iter().take(5).enumerate().filter(|(_, hit)| **hit).map(|(rank, _)| discount(rank)).sum();
        let ideal_dcg: f64 = (0..relevant.len().min(5)).map(discount).sum();
        let first_hit = hits.first().is_some_and(|hit| *hit);
        Self([f64::from(u8::from(first_hit)), recall(2), recall(5), recall(10), dcg / ideal_dcg.max(f64::MIN_POSITIVE)])
    }
}

/// Means of the scores over all questions, from 0 to 1. The fields whose names end in `_low` and `_high` are the bounds
/// of the bootstrap interval of the mean (95 %). The other fields have the names of the scores, which [`Scores`]
/// explains.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[allow(missing_docs, reason = "each field is a mean, or a bound of its interval")]
pub struct Figures {
    pub hit1: f64,
    pub hit1_low: f64,
    pub hit1_high: f64,
    pub r2: f64,
    pub r2_low: f64,
    pub r2_high: f64,
    pub r5: f64,
    pub r5_low: f64,
    pub r5_high: f64,
    pub r10: f64,
    pub r10_low: f64,
    pub r10_high: f64,
    pub ndcg5: f64,
    pub ndcg5_low: f64,
    pub ndcg5_high: f64,
}

impl Figures {
    /// Computes the figures from the scores of all questions.
    pub fn from_scores(scores: &[Scores]) -> Self {
        let [hit1, r2, r5, r10, ndcg5] = intervals(scores);
        Self {
            hit1: hit1.mean,
            hit1_low: hit1.low,
            hit1_high: hit1.high,
            r2: r2.mean,
            r2_low: r2.low,
            r2_high: r2.high,
            r5: r5.mean,
            r5_low: r5.low,
            r5_high: r5.high,
            r10: r10.mean,
            r10_low: r10.low,
            r10_high: r10.high,
            ndcg5: ndcg5.mean,
            ndcg5_low: ndcg5.low,
            ndcg5_high: ndcg5.high,
        }
    }

    /// Returns the means, in the order of [`NAMES`].
    pub fn means(&self) -> [f64; 5] {
        [self.hit1, self.r2, self.r5, self.r10, self.ndcg5]
    }
}

/// A mean with its 95 % bootstrap interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Interval {
    /// The mean over all questions.
    pub mean: f64,
    /// The lower bound of the interval: the 2.5th percentile of the bootstrap samples.
    pub low: f64,
    /// The upper bound of the interval: the 97.5th percentile of the bootstrap samples.
    pub high: f64,
}

/// Returns, for each score, the mean of `scores` minus the mean of `baseline`, with its interval. Both slices must
/// contain the same questions in the same order, because the intervals are computed from the differences per question.
pub fn differences(scores: &[Scores], baseline: &[Scores]) -> [Interval; 5] {
    let difference = |(a, b): (&Scores, &Scores)| Scores(std::array::from_fn(|at| a.0[at] - b.0[at]));
    intervals(&scores.iter().zip(baseline).map(difference).collect::<Vec<_>>())
}

fn intervals(scores: &[Scores]) -> [Interval; 5] {
    let mean = |sample: &mut dyn Iterator<Item = &Scores>| {
        let mut sums = [0.0; 5];
        for score in sample {
            (0..5).for_each(|at| sums[at] += score.0[at]);
        }
        sums.map(|sum| sum / scores.len().max(1) as f64)
    };
    let mut random = Random::new(SEED, scores.len() as u64);
    let sample = |_| mean(&mut (0..scores.len()).filter_map(|_| random.choose(scores)));
    let samples: Vec<[f64; 5]> = (0..BOOTSTRAP_SAMPLES).map(sample).collect();
    let means = mean(&mut scores.iter());
    std::array::from_fn(|at| {
        let mut sampled: Vec<f64> = samples.iter().map(|sample| sample[at]).collect();
        sampled.sort_by(f64::total_cmp);
        Interval {
            mean: means[at],
            low: sampled[BOOTSTRAP_SAMPLES / 40],
            high: sampled[BOOTSTRAP_SAMPLES - 1 - BOOTSTRAP_SAMPLES / 40],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_count_what_is_relevant() {
        let check = |found: &[&str], relevant: &[&str], expected: [f64; 5]| {
            let relevant: Vec<String> = relevant.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(Scores::from_ranking(found, &relevant).0, expected, "{found:?}");
        };
        check(&["a", "b"], &["a"], [1.0; 5]);
        check(&["b", "c", "a"], &["a"], [0.0, 0.0, 1.0, 1.0, 0.5]);
        check(&["a", "x", "y", "z", "w", "b"], &["a", "b"], [1.0, 0.5, 0.5, 1.0, 1.0 / (1.0 + 1.0 / 3_f64.log2())]);
        check(&[], &["a"], [0.0; 5]);
    }

    #[test]
    fn intervals_hold_the_mean_and_are_the_same_each_time() {
        let scores: Vec<Scores> = (0..100).map(|n| Scores([f64::from(u8::from(n % 4 == 0)); 5])).collect();
        let [hit1, ..] = intervals(&scores);
        assert_eq!(hit1.mean, 0.25);
        assert!(hit1.low > 0.1 && hit1.low < 0.25 && hit1.high > 0.25 && hit1.high < 0.4, "{hit1:?}");
        assert_eq!(intervals(&scores)[0], hit1);
        assert_eq!(differences(&scores, &scores)[0], Interval::default());
    }
}
