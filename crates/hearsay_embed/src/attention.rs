//! Self-attention of one text.

use crate::math::softmax;
use crate::product::Panels;

/// How many numbers are computed side by side.
const LANES: usize = 16;
/// How many rows are computed together.
const ROWS: usize = 4;

/// Room for one head of one text, kept between texts. Rows and columns are filled up to whole
/// blocks; what the fillings hold is computed with, and never reaches a number outside of them.
#[derive(Default)]
pub(crate) struct Attention {
    query: Vec<f32>,
    /// Size × rows.
    keys: Vec<f32>,
    values: Vec<f32>,
    scores: Vec<f32>,
    context: Vec<f32>,
}

impl Attention {
    /// Each of `count` rows of `query_key_value`, from row `first` on, looks at all of them; `out`
    /// takes what it sees, `heads` · `size` numbers a row.
    #[inline(always)]
    pub(crate) fn apply(
        &mut self,
        query_key_value: &Panels,
        (first, count): (usize, usize),
        (heads, size): (usize, usize),
        out: &mut [f32],
    ) {
        let hidden = heads * size;
        let rows = count.next_multiple_of(ROWS);
        let (keys, values) = (count.next_multiple_of(LANES), size.next_multiple_of(LANES));
        self.query.resize(rows * size, 0.0);
        self.keys.resize(size * keys, 0.0);
        self.values.resize(count * values, 0.0);
        self.scores.resize(rows * keys, 0.0);
        self.context.resize(rows * values, 0.0);
        let scale = (size as f32).sqrt().recip();
        for head in 0..heads {
            for row in 0..count {
                let copy = |part, out: &mut [f32]| {
                    query_key_value.copy(first + row, part * hidden + head * size, out);
                };
                copy(0, &mut self.query[row * size..][..size]);
                copy(2, &mut self.values[row * values..][..size]);
                // The place of this row's context, which is computed last, takes its key meanwhile.
                let key = &mut self.context[..size];
                copy(1, key);
                for (key, column) in key.iter().zip(self.keys.chunks_exact_mut(keys)) {
                    column[row] = *key;
                }
            }
            product(&self.query, size, &self.keys, keys, &mut self.scores);
            for row in self.scores.chunks_exact_mut(keys).take(count) {
                row[count..].fill(f32::NEG_INFINITY);
                softmax(row, scale);
            }
            product(&self.scores, keys, &self.values, values, &mut self.context);
            for (out, context) in out.chunks_exact_mut(hidden).zip(self.context.chunks_exact(values)).take(count) {
                out[head * size..][..size].copy_from_slice(&context[..size]);
            }
        }
    }
}

/// `y` = `a` · `b`, where `a` has `depth` and `b` and `y` have `width` numbers a row, and only as
/// many of a row of `a` count as `b` has rows. Plain multiplications and additions, each sum from
/// first to last.
#[inline(always)]
fn product(a: &[f32], depth: usize, b: &[f32], width: usize, y: &mut [f32]) {
    for (a, y) in a.chunks_exact(ROWS * depth).zip(y.chunks_exact_mut(ROWS * width)) {
        let mut column = 0;
        while column + 2 * LANES <= width {
            tile::<2>(a, depth, b, width, column, y);
            column += 2 * LANES;
        }
        if column < width {
            tile::<1>(a, depth, b, width, column, y);
        }
    }
}

#[inline(always)]
fn tile<const N: usize>(a: &[f32], depth: usize, b: &[f32], width: usize, column: usize, y: &mut [f32]) {
    let mut sums = [[[0.0_f32; LANES]; N]; ROWS];
    let a: [&[f32]; ROWS] = std::array::from_fn(|row| &a[row * depth..][..depth]);
    for (i, b) in b.chunks_exact(width).enumerate().take(depth) {
        let b: &[[f32; LANES]; N] = match b[column..].as_chunks().0.first_chunk() {
            Some(b) => b,
            None => return,
        };
        for row in 0..ROWS {
            let factor = a[row][i];
            for n in 0..N {
                for lane in 0..LANES {
                    sums[row][n][lane] += factor * b[n][lane];
                }
            }
        }
    }
    for (y, sums) in y.chunks_exact_mut(width).zip(&sums) {
        y[column..][..N * LANES].copy_from_slice(sums.as_flattened());
    }
}
