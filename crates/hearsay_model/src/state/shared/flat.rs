//! A vector of small values that is stored in large chunks.

use std::sync::Arc;

/// A vector of small values that is stored in chunks of `N` values. Access to a short vector needs a single
/// indirection.
///
/// Cloning is O(1). The first write after a clone copies one chunk, and one pointer per chunk.
#[derive(Debug, Clone)]
pub(in crate::state) struct FlatVec<T, const N: usize> {
    /// The used part of the first chunk.
    first: Arc<[T]>,
    others: Arc<[Arc<[T; N]>]>,
}

impl<T, const N: usize> Default for FlatVec<T, N> {
    fn default() -> Self {
        Self { first: Arc::default(), others: Arc::default() }
    }
}

impl<T: Copy + Default, const N: usize> FlatVec<T, N> {
    /// Creates a vector of default values.
    pub(in crate::state) fn with_len(len: usize) -> Self {
        let others = len.div_ceil(N).saturating_sub(1);
        Self {
            first: std::iter::repeat_n(T::default(), len.min(N)).collect(),
            others: (0..others).map(|_| Arc::new([T::default(); N])).collect(),
        }
    }

    /// Returns the value at an index, or the default value beyond the end.
    #[inline]
    pub(in crate::state) fn get(&self, index: usize) -> T {
        match self.first.get(index) {
            Some(value) => *value,
            None => self.others.get((index / N).wrapping_sub(1)).map_or_else(T::default, |chunk| chunk[index % N]),
        }
    }

    /// Sets the value at an index. The vector grows if necessary.
    pub(in crate::state) fn set(&mut self, index: usize, value: T) {
        if index < N {
            if index >= self.first.len() {
                let more = (index + 1).next_power_of_two().min(N) - self.first.len();
                self.first = self.first.iter().copied().chain(std::iter::repeat_n(T::default(), more)).collect();
            }
            Arc::make_mut(&mut self.first)[index] = value;
            return;
        }
        let chunk = index / N - 1;
        if chunk >= self.others.len() {
            let more = (self.others.len()..=chunk).map(|_| Arc::new([T::default(); N]));
            self.others = self.others.iter().cloned().chain(more).collect();
        }
        Arc::make_mut(&mut Arc::make_mut(&mut self.others)[chunk])[index % N] = value;
    }
}
