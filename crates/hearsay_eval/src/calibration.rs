//! Calibration of confidence: compares the confidence of facts with the share of these facts that are right.

use serde::Serialize;

/// Number of bins of a reliability diagram.
const BIN_COUNT: usize = 10;

/// A bin of a reliability diagram: the facts whose confidence is in one tenth of the range from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bin {
    /// The number of facts in this bin.
    pub n: usize,
    /// The mean confidence of the facts in this bin.
    pub confidence: f64,
    /// The share of the facts in this bin that are right.
    pub right: f64,
}

/// Returns the bins of a reliability diagram, without empty bins. `facts` contains the confidence of each fact, and
/// whether the fact is right.
pub fn bins(facts: impl IntoIterator<Item = (f64, bool)>) -> Vec<Bin> {
    let mut sums = [(0_usize, 0.0_f64, 0_usize); BIN_COUNT];
    for (confidence, is_right) in facts {
        let (count, sum, right) = &mut sums[((confidence * BIN_COUNT as f64) as usize).min(BIN_COUNT - 1)];
        *count += 1;
        *sum += confidence;
        *right += usize::from(is_right);
    }
    let bin =
        |(n, sum, right): (usize, f64, usize)| Bin { n, confidence: sum / n as f64, right: right as f64 / n as f64 };
    sums.into_iter().filter(|(n, ..)| *n > 0).map(bin).collect()
}

/// Returns the expected calibration error: the mean, over the bins, of the difference between the mean confidence and
/// the share of right facts. Each bin is weighted by its number of facts. The error is 0 if there are no facts.
pub fn expected_error(bins: &[Bin]) -> f64 {
    let count: usize = bins.iter().map(|bin| bin.n).sum();
    let sum: f64 = bins.iter().map(|bin| bin.n as f64 * (bin.confidence - bin.right).abs()).sum();
    sum / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_the_weighted_distance_from_the_diagonal() {
        let found = bins([(0.25, false), (0.25, true), (0.75, true), (1.0, true)]);
        let expected = [(2, 0.25, 0.5), (1, 0.75, 1.0), (1, 1.0, 1.0)];
        assert_eq!(found, expected.map(|(n, confidence, right)| Bin { n, confidence, right }));
        assert_eq!(expected_error(&found), 0.1875);
        assert_eq!((bins([]), expected_error(&[])), (Vec::new(), 0.0));
    }
}
