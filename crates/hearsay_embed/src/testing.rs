//! Functions for the tests of this crate.

use crate::panels::Panels;

/// Returns pseudorandom numbers between -1 and 1.
pub(crate) fn noise(count: usize, seed: u32) -> Vec<f32> {
    (0..count as u32)
        .map(|i| {
            let mut x = (i + 1).wrapping_mul(0x9e37_79b9) ^ seed;
            x = (x ^ (x >> 16)).wrapping_mul(0x85eb_ca6b);
            x = (x ^ (x >> 13)).wrapping_mul(0xc2b2_ae35);
            (x ^ (x >> 16)) as f32 / 2_147_483_648.0 - 1.0
        })
        .collect()
}

/// Returns the first `outputs` numbers of each row of a matrix product.
pub(crate) fn rows_of(product: &Panels, rows: usize, outputs: usize) -> Vec<Vec<f32>> {
    (0..rows)
        .map(|row| {
            let mut out = vec![0.0; outputs];
            product.copy(row, 0, &mut out);
            out
        })
        .collect()
}
