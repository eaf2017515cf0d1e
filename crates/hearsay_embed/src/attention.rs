//! Self-attention within one text.

use pulp::{Simd, WithSimd};

use crate::{
    math::{LANES, softmax},
    matmul::{Matrix, Product},
    panels::Panels,
};

/// Width of the panels that contain keys and values, in numbers. One panel is computed at a time.
const PANEL: usize = 32;

/// Computation of the attention of one text. The text consists of `count` rows of `query_key_value`, from row `first`
/// on. Each of the first `queries` rows attends to all rows of the text.
pub(crate) struct Attention<'a> {
    pub(crate) query_key_value: &'a Panels,
    pub(crate) first: usize,
    /// Number of rows (tokens) of the text, at least 1.
    pub(crate) count: usize,
    /// Number of rows whose attention is computed.
    pub(crate) queries: usize,
    pub(crate) heads: usize,
    /// Number of components per head in a row.
    pub(crate) size: usize,
    pub(crate) scratch: &'a mut Scratch,
    /// Output: `heads` · `size` numbers for each of the first `queries` rows.
    pub(crate) out: &'a mut [f32],
}

impl WithSimd for Attention<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { query_key_value, first, count, queries, heads, size, scratch, out } = self;
        let (keys, values) = (count.next_multiple_of(PANEL), size.next_multiple_of(PANEL));
        let hidden = heads * size;
        scratch.resize(count, queries, size);
        let Scratch { query, key, keys: key_panels, values: value_panels, scores, context } = scratch;
        let scale = (size as f32).sqrt().recip();
        for head in 0..heads {
            for row in 0..count {
                let copy = |part, out: &mut [f32]| {
                    query_key_value.copy(first + row, part * hidden + head * size, out);
                };
                if row < queries {
                    copy(0, &mut query[row * size..][..size]);
                }
                copy(1, key);
                let panel = &mut key_panels[row / PANEL * size * PANEL..][..size * PANEL];
                for (number, column) in key.iter().zip(panel.as_chunks_mut::<PANEL>().0) {
                    column[row % PANEL] = *number;
                }
                for (index, panel) in value_panels.chunks_exact_mut(count * PANEL).enumerate() {
                    let width = PANEL.min(size - index * PANEL);
                    let out = &mut panel[row * PANEL..][..width];
                    query_key_value.copy(first + row, 2 * hidden + head * size + index * PANEL, out);
                }
            }
            matmul(simd, query, size, key_panels, size, scores, keys);
            for row in scores.chunks_exact_mut(keys) {
                // Pads to whole SIMD vectors, but not to a whole panel, because the values have no rows for the rest of
                // the panel.
                let row = &mut row[..count.next_multiple_of(LANES)];
                row[count..].fill(f32::NEG_INFINITY);
                softmax(row, scale);
            }
            matmul(simd, scores, keys, value_panels, count, context, values);
            for (out, context) in out.chunks_exact_mut(hidden).zip(context.chunks_exact(values)) {
                out[head * size..][..size].copy_from_slice(&context[..size]);
            }
        }
    }
}

/// Scratch buffers for one head of one text, reused between texts. Partial panels are padded. The padding is computed
/// too, but never affects other numbers.
#[derive(Default)]
pub(crate) struct Scratch {
    query: Vec<f32>,
    key: Vec<f32>,
    /// Keys of the head: for each panel of 32 rows of the text, `size` × 32 numbers.
    keys: Vec<f32>,
    /// Values of the head: for each panel of 32 components, `count` × 32 numbers.
    values: Vec<f32>,
    scores: Vec<f32>,
    context: Vec<f32>,
}

impl Scratch {
    fn resize(&mut self, count: usize, queries: usize, size: usize) {
        let (keys, values) = (count.next_multiple_of(PANEL), size.next_multiple_of(PANEL));
        self.query.resize(queries * size, 0.0);
        self.key.resize(size, 0.0);
        self.keys.resize(size * keys, 0.0);
        self.values.resize(count * values, 0.0);
        self.scores.resize(queries * keys, 0.0);
        self.context.resize(queries * values, 0.0);
    }
}

/// Computes `y` = `a` · `b`, where `b` is stored in panels of `b_rows` rows.
#[inline(always)]
fn matmul<S: Simd>(simd: S, a: &[f32], a_width: usize, b: &[f32], b_rows: usize, y: &mut [f32], y_width: usize) {
    let a = Matrix { numbers: a, width: a_width };
    for (index, panel) in b.chunks_exact(b_rows * PANEL).enumerate() {
        let weights = Matrix { numbers: panel, width: PANEL };
        Product { x: a, weights, next_panel: &[], y: &mut y[index * PANEL..], y_width }.compute(simd);
    }
}
