//! A list of small values. Nearly all of these lists are short.

use std::{slice, sync::Arc};

use super::Buffer;

/// Maximum number of elements in one chunk.
const CHUNK: usize = 512;

/// A list that stores up to `N` elements inline. A longer list is stored in chunks.
///
/// Cloning is O(1). The first write after a clone copies one chunk of at most 512 elements, and one pointer per chunk.
#[derive(Debug, Clone)]
pub(in crate::state) struct List<T, const N: usize>(Parts<T, N>);

/// Iterator over a list. The implementation does not use `Flatten`, which takes twice the time in performance-critical
/// loops.
#[derive(Debug, Clone)]
pub(in crate::state) struct Iter<'a, T> {
    front: slice::Iter<'a, T>,
    chunks: slice::Iter<'a, Buffer<T>>,
    back: slice::Iter<'a, T>,
}

impl<T> Default for Iter<'_, T> {
    fn default() -> Self {
        Self { front: [].iter(), chunks: [].iter(), back: [].iter() }
    }
}

impl<T: Copy> Iterator for Iter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(value) = self.front.next() {
                return Some(*value);
            }
            match self.chunks.next() {
                Some(chunk) => self.front = chunk.iter(),
                None => return self.back.next().copied(),
            }
        }
    }
}

impl<T: Copy> DoubleEndedIterator for Iter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        loop {
            if let Some(value) = self.back.next_back() {
                return Some(*value);
            }
            match self.chunks.next_back() {
                Some(chunk) => self.back = chunk.iter(),
                None => return self.front.next_back().copied(),
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Parts<T, const N: usize> {
    Few {
        len: u8,
        items: [T; N],
    },
    One(Buffer<T>),
    /// The chunks of a longer list. No chunk is empty.
    Many(Arc<Vec<Buffer<T>>>),
}

impl<T: Copy + Default, const N: usize> Default for List<T, N> {
    fn default() -> Self {
        Self(Parts::Few { len: 0, items: [T::default(); N] })
    }
}

impl<T: Copy + Default + PartialEq, const N: usize> List<T, N> {
    /// Returns the elements as a first slice and the remaining chunks.
    #[inline]
    fn slices(&self) -> (&[T], &[Buffer<T>]) {
        match &self.0 {
            Parts::Few { len, items } => (&items[..usize::from(*len)], &[]),
            Parts::One(chunk) => (chunk, &[]),
            Parts::Many(chunks) => (&[], chunks),
        }
    }

    #[inline]
    pub(in crate::state) fn iter(&self) -> Iter<'_, T> {
        let (first, others) = self.slices();
        Iter { front: first.iter(), chunks: others.iter(), back: [].iter() }
    }

    pub(in crate::state) fn is_empty(&self) -> bool {
        let (first, others) = self.slices();
        first.is_empty() && others.is_empty()
    }

    pub(in crate::state) fn last(&self) -> Option<T> {
        let (first, others) = self.slices();
        others.last().map_or(first, |chunk| chunk).last().copied()
    }

    /// Returns whether the list contains a value. The search starts at the end.
    pub(in crate::state) fn contains(&self, value: T) -> bool {
        self.iter().rev().any(|other| other == value)
    }

    pub(in crate::state) fn push(&mut self, value: T) {
        match &mut self.0 {
            Parts::Few { len, items } if usize::from(*len) < N => {
                items[usize::from(*len)] = value;
                *len += 1;
            }
            Parts::Few { items, .. } => {
                let mut chunk: Buffer<T> = items.iter().copied().collect();
                chunk.push(value);
                self.0 = Parts::One(chunk);
            }
            Parts::One(chunk) if chunk.len() < CHUNK => chunk.push(value),
            Parts::One(chunk) => {
                let chunks = vec![std::mem::take(chunk), Buffer::from_iter([value])];
                self.0 = Parts::Many(Arc::new(chunks));
            }
            Parts::Many(chunks) => {
                let chunks = Arc::make_mut(chunks);
                match chunks.last_mut().filter(|chunk| chunk.len() < CHUNK) {
                    Some(chunk) => chunk.push(value),
                    None => chunks.push(Buffer::from_iter([value])),
                }
            }
        }
    }

    /// Removes and returns the last element.
    pub(in crate::state) fn pop(&mut self) -> Option<T> {
        let last = self.last()?;
        self.remove_last(|value| value == last);
        Some(last)
    }

    /// Removes the last element for which `fits` returns `true`, and returns whether there was one. The other elements
    /// keep their order.
    ///
    /// The search starts at the end, so the cost grows with the number of elements after the removed element.
    pub(in crate::state) fn remove_last(&mut self, fits: impl Fn(T) -> bool) -> bool {
        let find = |chunk: &[T]| chunk.iter().rposition(|value| fits(*value));
        match &mut self.0 {
            Parts::Few { len, items } => {
                let Some(at) = find(&items[..usize::from(*len)]) else { return false };
                items.copy_within(at + 1..usize::from(*len), at);
                *len -= 1;
            }
            Parts::One(chunk) => {
                let Some(at) = find(chunk) else { return false };
                chunk.remove(at);
                if chunk.len() <= N / 2 {
                    let mut few = Self::default();
                    chunk.iter().for_each(|value| few.push(*value));
                    *self = few;
                }
            }
            Parts::Many(chunks) => {
                let place = chunks.iter().enumerate().rev().find_map(|(n, chunk)| Some((n, find(chunk)?)));
                let Some((n, at)) = place else { return false };
                let chunks = Arc::make_mut(chunks);
                chunks[n].remove(at);
                // Join small chunks, so that the number of chunks stays proportional to the number of elements.
                let before = n.checked_sub(1).filter(|before| chunks[*before].len() + chunks[n].len() <= CHUNK / 2);
                if chunks[n].is_empty() {
                    chunks.remove(n);
                } else if let Some(before) = before {
                    let chunk = chunks.remove(n);
                    chunks[before] = chunks[before].iter().chain(chunk.iter()).copied().collect();
                }
                if let [chunk] = chunks.as_mut_slice() {
                    self.0 = Parts::One(std::mem::take(chunk));
                }
            }
        }
        true
    }
}
