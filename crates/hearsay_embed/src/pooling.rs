//! Pooling: combines the vectors of a text's tokens into one vector.

use serde::Serialize;

/// Method that combines the vectors of a text's tokens into one vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Mean over all tokens, including special tokens.
    #[default]
    Mean,
    /// Vector of the first token.
    Cls,
    /// Maximum of each component over all tokens.
    Max,
}

impl Pooling {
    /// Pools `hidden`, which contains one row of `dimension` numbers for each token.
    ///
    /// Returns the zero vector if there are no rows. Sums follow the order of the tokens.
    pub(crate) fn apply(self, hidden: &[f32], dimension: usize) -> Vec<f32> {
        let mut rows = hidden.chunks_exact(dimension);
        let Some(first) = rows.next() else {
            return vec![0.0; dimension];
        };
        let mut pooled = first.to_vec();
        match self {
            Self::Cls => {}
            Self::Mean => {
                let count = (rows.len() + 1) as f32;
                for row in rows {
                    for (sum, value) in pooled.iter_mut().zip(row) {
                        *sum += value;
                    }
                }
                for sum in &mut pooled {
                    *sum /= count;
                }
            }
            Self::Max => {
                for row in rows {
                    for (max, value) in pooled.iter_mut().zip(row) {
                        *max = max.max(*value);
                    }
                }
            }
        }
        pooled
    }
}

/// Scales a vector to the Euclidean norm 1. The zero vector is not changed, because a division by its length would give
/// NaN.
pub(crate) fn normalize(vector: &mut [f32]) {
    // In f64, the squares can neither overflow nor underflow.
    let squares: f64 = vector.iter().map(|v| f64::from(*v) * f64::from(*v)).sum();
    if squares > 0.0 {
        let scale = squares.sqrt();
        for value in vector {
            *value = (f64::from(*value) / scale) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HIDDEN: [f32; 6] = [1.0, -4.0, 3.0, 2.0, 5.0, -1.0];

    #[test]
    fn each_mode_pools_as_named() {
        assert_eq!(Pooling::Mean.apply(&HIDDEN, 2), [3.0, -1.0]);
        assert_eq!(Pooling::Cls.apply(&HIDDEN, 2), [1.0, -4.0]);
        assert_eq!(Pooling::Max.apply(&HIDDEN, 2), [5.0, 2.0]);
    }

    #[test]
    fn no_tokens_give_zeros() {
        for pooling in [Pooling::Mean, Pooling::Cls, Pooling::Max] {
            assert_eq!(pooling.apply(&[], 2), [0.0, 0.0]);
        }
    }

    #[test]
    fn normalizing_never_gives_nan() {
        for (input, expected) in [
            ([3.0, 4.0], [0.6, 0.8]),
            ([0.0, 0.0], [0.0, 0.0]),
            ([0.0, 1e-30], [0.0, 1.0]),
            ([-1e30, 0.0], [-1.0, 0.0]),
        ] {
            let mut vector = input;
            normalize(&mut vector);
            assert_eq!(vector, expected);
        }
    }
}
