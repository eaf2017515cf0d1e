//! A vector of small values in large chunks.

use std::sync::Arc;

/// A vector of plain values that is stored in chunks of `N`, two pointers away.
///
/// Cloning it is O(1). The first write after that copies one chunk, and one pointer per chunk.
#[derive(Debug, Clone)]
pub(in crate::state) struct FlatVec<T, const N: usize> {
    chunks: Arc<[Arc<[T; N]>]>,
}

impl<T, const N: usize> Default for FlatVec<T, N> {
    fn default() -> Self {
        Self { chunks: Arc::default() }
    }
}

impl<T: Copy + Default, const N: usize> FlatVec<T, N> {
    /// A vector of default values.
    pub(in crate::state) fn with_len(len: usize) -> Self {
        Self { chunks: (0..len.div_ceil(N)).map(|_| Arc::new([T::default(); N])).collect() }
    }

    /// The value at an index; the default value behind the end.
    #[inline]
    pub(in crate::state) fn get(&self, index: usize) -> T {
        self.chunks.get(index / N).map_or_else(T::default, |chunk| chunk[index % N])
    }

    /// Sets the value at an index. The vector grows as necessary.
    pub(in crate::state) fn set(&mut self, index: usize, value: T) {
        if index / N >= self.chunks.len() {
            let more = self.chunks.len()..=index / N;
            let more = more.map(|_| Arc::new([T::default(); N]));
            self.chunks = self.chunks.iter().cloned().chain(more).collect();
        }
        Arc::make_mut(&mut Arc::make_mut(&mut self.chunks)[index / N])[index % N] = value;
    }
}
