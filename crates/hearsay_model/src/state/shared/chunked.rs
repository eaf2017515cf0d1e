//! A vector in chunks.

use std::{
    ops::{Index, IndexMut},
    sync::Arc,
};

/// Number of chunks under one branch.
const FANOUT: usize = 128;

type Chunk<T, const N: usize> = Arc<[Option<T>; N]>;
type Branch<T, const N: usize> = Arc<[Option<Chunk<T, N>>; FANOUT]>;

/// A vector that is stored in chunks of `N` elements. An element can be removed in place; others keep their indices.
///
/// Cloning it is O(1). The first write after that copies one chunk, one branch of 128 pointers, and the root with one
/// pointer per 128 `N` elements.
#[derive(Debug, Clone)]
pub(in crate::state) struct ChunkedVec<T, const N: usize> {
    root: Arc<[Branch<T, N>]>,
    len: usize,
}

impl<T, const N: usize> Default for ChunkedVec<T, N> {
    fn default() -> Self {
        Self { root: Arc::default(), len: 0 }
    }
}

impl<T, const N: usize> ChunkedVec<T, N> {
    /// The number of indices in use, of removed elements too.
    #[inline]
    pub(in crate::state) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(in crate::state) fn get(&self, index: usize) -> Option<&T> {
        self.root.get(index / (N * FANOUT))?[index / N % FANOUT].as_ref()?[index % N].as_ref()
    }

    /// All elements with their indices.
    pub(in crate::state) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &T)> {
        (0..self.len).filter_map(|index| Some((index, self.get(index)?)))
    }
}

impl<T: Clone, const N: usize> ChunkedVec<T, N> {
    pub(in crate::state) fn push(&mut self, value: T) {
        let at = self.len;
        self.len += 1;
        *self.slot(at) = Some(value);
    }

    /// Removes the element at an index, which stays free until it is [set](Self::set).
    pub(in crate::state) fn remove(&mut self, index: usize) {
        *self.slot(index) = None;
    }

    pub(in crate::state) fn set(&mut self, index: usize, value: T) {
        *self.slot(index) = Some(value);
    }

    fn slot(&mut self, index: usize) -> &mut Option<T> {
        let branch = index / (N * FANOUT);
        if branch == self.root.len() {
            self.root = self.root.iter().cloned().chain([Arc::new([const { None }; FANOUT])]).collect();
        }
        let branch = Arc::make_mut(&mut Arc::make_mut(&mut self.root)[branch]);
        let chunk = branch[index / N % FANOUT].get_or_insert_with(|| Arc::new([const { None }; N]));
        &mut Arc::make_mut(chunk)[index % N]
    }
}

#[cold]
#[expect(clippy::panic, reason = "indexing a vector does the same")]
fn out_of_range(index: usize, len: usize) -> ! {
    panic!("no element at index {index} of {len}")
}

impl<T, const N: usize> Index<usize> for ChunkedVec<T, N> {
    type Output = T;

    #[inline]
    fn index(&self, index: usize) -> &T {
        match self.get(index) {
            Some(value) => value,
            None => out_of_range(index, self.len),
        }
    }
}

impl<T: Clone, const N: usize> IndexMut<usize> for ChunkedVec<T, N> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        let len = self.len;
        match self.slot(index) {
            Some(value) => value,
            None => out_of_range(index, len),
        }
    }
}
