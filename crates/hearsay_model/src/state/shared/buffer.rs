//! A contiguous vector of small values.

use std::{ops::Deref, sync::Arc};

/// A contiguous vector behind a single pointer. Cloning is O(1); the first write after a clone copies the entire
/// vector.
#[derive(Debug, Clone)]
pub(in crate::state) struct Buffer<T> {
    /// The elements and spare capacity.
    items: Arc<[T]>,
    len: u32,
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Self { items: Arc::default(), len: 0 }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..self.len as usize]
    }
}

impl<T: Copy + Default> Buffer<T> {
    pub(in crate::state) fn push(&mut self, value: T) {
        let len = self.len as usize;
        if len == self.items.len() {
            let room = std::iter::repeat_n(T::default(), len.max(4));
            self.items = self.items.iter().copied().chain(room).collect();
        }
        Arc::make_mut(&mut self.items)[len] = value;
        self.len += 1;
    }

    /// Removes an element. The other elements keep their order.
    pub(in crate::state) fn remove(&mut self, at: usize) {
        let len = self.len as usize;
        Arc::make_mut(&mut self.items).copy_within(at + 1..len, at);
        self.len -= 1;
        if self.len == 0 {
            *self = Self::default();
        } else if len * 4 < self.items.len() {
            self.items = self.items[..len].into();
        }
    }
}

impl<T: Copy> FromIterator<T> for Buffer<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let items: Arc<[T]> = items.into_iter().collect();
        Self { len: items.len() as u32, items }
    }
}
