//! Storage for the input of a matrix product, and for its result, in panels of 64 outputs.

use rayon::prelude::*;

/// Number of outputs in a panel.
pub(crate) const PANEL: usize = 64;

/// Rows of numbers, one after the other. `numbers` may be longer than the rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) numbers: &'a [f32],
    /// Number of rows.
    pub(crate) count: usize,
}

/// Result of a matrix product. Each panel has 64 numbers for each row.
#[derive(Default)]
pub(crate) struct Panels {
    rows: usize,
    /// Number of panels.
    panels: usize,
    /// The buffer has the largest size that was needed so far. Only its beginning is in use.
    values: Vec<f32>,
}

/// Grows a scratch buffer to at least `count` numbers. Does not clear the old contents, because the callers overwrite
/// them.
pub(crate) fn grow(numbers: &mut Vec<f32>, count: usize) {
    if numbers.len() < count {
        numbers.resize(count, 0.0);
    }
}

impl Panels {
    /// Prepares the buffer for a result with `rows` rows and `panels` panels.
    pub(crate) fn reset(&mut self, rows: usize, panels: usize) {
        (self.rows, self.panels) = (rows, panels);
        grow(&mut self.values, panels * rows * PANEL);
    }

    /// Calls a function with the index and the numbers of each panel. If `parallel` is set, the threads of the current
    /// pool share the panels.
    pub(crate) fn for_each_panel(&mut self, parallel: bool, compute: impl Fn((usize, &mut [f32])) + Send + Sync) {
        let size = self.rows * PANEL;
        if size == 0 {
            return;
        }
        let panels = &mut self.values[..self.panels * size];
        if parallel {
            panels.par_chunks_exact_mut(size).enumerate().for_each(compute);
        } else {
            panels.chunks_exact_mut(size).enumerate().for_each(compute);
        }
    }

    /// Returns a row in pieces of 64 numbers, one for each panel.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = &[f32; PANEL]> {
        self.values.as_chunks().0.iter().skip(row).step_by(self.rows.max(1))
    }

    /// Copies columns `from` to `from + out.len()` of a row.
    pub(crate) fn copy(&self, row: usize, from: usize, mut out: &mut [f32]) {
        let mut column = from;
        while !out.is_empty() {
            let count = out.len().min(PANEL - column % PANEL);
            let start = (column / PANEL * self.rows + row) * PANEL + column % PANEL;
            let (piece, rest) = out.split_at_mut(count);
            piece.copy_from_slice(&self.values[start..start + count]);
            out = rest;
            column += count;
        }
    }
}
