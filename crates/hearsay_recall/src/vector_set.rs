//! Vectors under the hashes of their texts, in a form that is stored and read without computing anything.

use std::ops::Range;

use crate::vectors::Vectors;

/// The hash of a text, under which its vector is kept.
pub type VectorKey = [u8; 16];

/// Vectors of texts, each under the hash of its text.
///
/// The stored form holds the byte form that a ranking looks at first beside the numbers, so that reading it is copying.
#[derive(Debug, Clone, Default)]
pub struct VectorSet {
    pub(crate) keys: Vec<VectorKey>,
    pub(crate) vectors: Vectors,
}

impl VectorSet {
    /// Changes whenever the stored form does, or the way in which the byte form is computed.
    pub const FORMAT: u32 = 1;

    /// Adds a vector of length 1. Returns whether it has a place: the first sets the dimension of all.
    pub fn push(&mut self, key: VectorKey, vector: &[f32]) -> bool {
        let is_new = self.vectors.push(vector).is_some();
        self.keys.extend(is_new.then_some(key));
        is_new
    }

    /// The number of vectors.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_range(0..self.len())
    }

    /// The stored form in parts of about so many bytes, each of which can be read by itself.
    pub fn encode_parts(&self, part_bytes: usize) -> impl Iterator<Item = Vec<u8>> {
        let count = (part_bytes / (self.vectors.stored_bytes() + size_of::<VectorKey>())).max(1);
        (0..self.len()).step_by(count).map(move |start| self.encode_range(start..self.len().min(start + count)))
    }

    fn encode_range(&self, range: Range<usize>) -> Vec<u8> {
        let mut stored = Vec::with_capacity(8 + range.len() * (self.vectors.stored_bytes() + size_of::<VectorKey>()));
        self.vectors.encode(range.clone(), &mut stored);
        stored.extend(self.keys[range].iter().flatten());
        stored
    }

    /// Adds the vectors of a stored form. Returns whether it was one, of the dimension of the others; nothing is added
    /// otherwise.
    pub fn decode(&mut self, stored: &[u8]) -> bool {
        let number = |at: usize| stored.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
        let Some(keys) = number(0).and_then(|count| (count as usize).checked_mul(16)) else { return false };
        let Some(end) = stored.len().checked_sub(keys) else { return false };
        if self.vectors.decode(&stored[..end]).is_none() {
            return false;
        }
        self.keys.extend_from_slice(stored[end..].as_chunks::<16>().0);
        true
    }

    /// Makes room for vectors of a dimension in so many bytes of stored form.
    pub fn reserve(&mut self, dimension: usize, stored_bytes: usize) {
        self.vectors.reserve(dimension, stored_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_read_as_it_was_or_not_at_all() {
        let mut set = VectorSet::default();
        for n in 0..5_u8 {
            assert!(set.push([n; 16], &[f32::from(n) - 2.0, 0.25, f32::MIN_POSITIVE]));
        }
        assert!(!set.push([9; 16], &[1.0]), "of another dimension");
        assert!(!set.push([9; 16], &[f32::NAN, 0.0, 0.0]));
        let stored = set.encode();
        let mut read = VectorSet::default();
        assert!(read.decode(&stored) && read.decode(&stored));
        assert_eq!(read.len(), 10);
        assert_eq!(read.keys[5..], set.keys);
        for n in 0..5 {
            assert_eq!(read.vectors.get(n), set.vectors.get(n));
            assert_eq!(read.vectors.get(n + 5), set.vectors.get(n));
            let (probed, probe) = (read.vectors.probe(&[0.6, 0.8, 0.0]), set.vectors.probe(&[0.6, 0.8, 0.0]));
            assert_eq!(probed.unwrap().look(n + 5), probe.unwrap().look(n));
        }
        let mut parts = VectorSet::default();
        assert!(set.encode_parts(1).all(|part| parts.decode(&part)));
        assert_eq!(parts.encode(), stored);
        for length in 0..stored.len() {
            let mut read = VectorSet::default();
            assert!(!read.decode(&stored[..length]), "{length} bytes");
            assert!(read.is_empty());
        }
        let mut other = VectorSet::default();
        assert!(other.push([7; 16], &[1.0, 0.0]));
        assert!(!other.decode(&stored), "of another dimension");
        assert_eq!(other.len(), 1);
    }
}
