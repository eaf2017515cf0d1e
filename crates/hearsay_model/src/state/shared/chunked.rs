//! A vector that is stored in chunks.

use std::{
    ops::{Index, IndexMut},
    sync::Arc,
};

/// Number of chunks under one branch.
const FANOUT: usize = 512;

type Chunk<T, const N: usize> = Arc<[Option<T>; N]>;
type Branch<T, const N: usize> = Arc<[Option<Chunk<T, N>>]>;

/// A vector that is stored in chunks of `N` elements. If an element is removed, the other elements keep their indices.
///
/// Cloning is O(1). The first write after a clone copies one chunk, one branch of at most 512 pointers to chunks, and
/// the list of branches. Each branch covers 512 × `N` elements.
#[derive(Debug, Clone)]
pub(in crate::state) struct ChunkedVec<T, const N: usize> {
    /// The first branch. It is stored inline to save an indirection, because most vectors have no other branch.
    first: Branch<T, N>,
    others: Arc<[Branch<T, N>]>,
    len: usize,
}

impl<T, const N: usize> Default for ChunkedVec<T, N> {
    fn default() -> Self {
        Self { first: Arc::default(), others: Arc::default(), len: 0 }
    }
}

impl<T, const N: usize> ChunkedVec<T, N> {
    /// Returns the number of indices in use, including those of removed elements.
    #[inline]
    pub(in crate::state) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(in crate::state) fn get(&self, index: usize) -> Option<&T> {
        let chunk = match self.first.get(index / N) {
            Some(chunk) => chunk,
            None => self.far_chunk(index)?,
        };
        chunk.as_ref()?[index % N].as_ref()
    }

    /// Returns the chunk of an index outside the first branch.
    #[inline(never)]
    fn far_chunk(&self, index: usize) -> Option<&Option<Chunk<T, N>>> {
        self.others.get((index / (N * FANOUT)).wrapping_sub(1))?.get(index / N % FANOUT)
    }

    /// Returns all elements with their indices.
    pub(in crate::state) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &T)> {
        (0..self.len).filter_map(|index| Some((index, self.get(index)?)))
    }
}

impl<T: Clone, const N: usize> ChunkedVec<T, N> {
    pub(in crate::state) fn push(&mut self, value: T) {
        self.set(self.len, value);
    }

    /// Removes the element at an index. The index has no element until it is [set](Self::set) again. A chunk without
    /// elements uses no memory.
    pub(in crate::state) fn remove(&mut self, index: usize) {
        if self.get(index).is_none() {
            return;
        }
        let chunk = self.chunk(index);
        if let Some(elements) = chunk {
            let elements = Arc::make_mut(elements);
            elements[index % N] = None;
            if elements.iter().all(Option::is_none) {
                *chunk = None;
            }
        }
    }

    /// Extends the vector to a length. New indices have no element.
    pub(in crate::state) fn extend_to(&mut self, len: usize) {
        self.len = self.len.max(len);
    }

    /// Sets the element at an index. The vector grows if necessary. Indices that were never set have no element.
    pub(in crate::state) fn set(&mut self, index: usize, value: T) {
        self.len = self.len.max(index + 1);
        *self.slot(index) = Some(value);
    }

    fn slot(&mut self, index: usize) -> &mut Option<T> {
        let chunk = self.chunk(index).get_or_insert_with(|| Arc::new([const { None }; N]));
        &mut Arc::make_mut(chunk)[index % N]
    }

    /// Returns the chunk of an index. The vector grows if necessary.
    fn chunk(&mut self, index: usize) -> &mut Option<Chunk<T, N>> {
        let (branch, chunk) = (index / (N * FANOUT), index / N % FANOUT);
        if branch > self.others.len() {
            let more = std::iter::repeat_n(Arc::default(), branch - self.others.len());
            self.others = self.others.iter().cloned().chain(more).collect();
        }
        let branch = match branch.checked_sub(1) {
            None => &mut self.first,
            Some(other) => &mut Arc::make_mut(&mut self.others)[other],
        };
        if chunk >= branch.len() {
            let more = (chunk + 1).next_power_of_two() - branch.len();
            *branch = branch.iter().cloned().chain(std::iter::repeat_n(None, more)).collect();
        }
        &mut Arc::make_mut(branch)[chunk]
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
