//! Comparison of vectors.

/// Returns the dot product of two vectors. The dot product of normalised vectors is their cosine.
///
/// The order of the additions is fixed, so the same two vectors give exactly the same result in every build. If the
/// lengths differ, the extra components of the longer vector are ignored.
///
/// ```
/// use hearsay_embed::dot;
///
/// assert_eq!(dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
/// ```
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let len = a.len().min(b.len());
    let (a, a_rest) = a[..len].as_chunks::<8>();
    let (b, b_rest) = b[..len].as_chunks::<8>();
    // Uses eight independent sums. The compiler must not reorder a float sum, but can compute independent sums together
    // in a vector register.
    let mut lanes = [0.0_f32; 8];
    for (a, b) in a.iter().zip(b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    for (lane, (a, b)) in lanes.iter_mut().zip(a_rest.iter().zip(b_rest)) {
        *lane += a * b;
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_is_summed_whole() {
        for len in 0..40_usize {
            let a: Vec<f32> = (0..len).map(|i| i as f32).collect();
            let expected: usize = (0..len).map(|i| i * i).sum();
            assert_eq!(dot(&a, &a), expected as f32, "length {len}");
        }
    }

    #[test]
    fn surplus_counts_as_zero_and_order_of_arguments_does_not_matter() {
        assert_eq!(dot(&[2.0, 3.0], &[5.0]), 10.0);
        assert_eq!(dot(&[5.0], &[2.0, 3.0]), 10.0);
        assert_eq!(dot(&[], &[1.0]), 0.0);
    }
}
