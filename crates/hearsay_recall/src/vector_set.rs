//! Vectors with the hashes of their texts, and the stored form of these vectors.

use std::ops::Range;

use crate::vectors::Vectors;

/// Hash of a text. The hash is the key of the vector of the text.
pub type VectorKey = [u8; 16];

/// Vectors of texts, each with the hash of its text.
///
/// Each component of a vector has 16 bits.
#[derive(Debug, Clone, Default)]
pub struct VectorSet {
    pub(crate) keys: Vec<VectorKey>,
    pub(crate) vectors: Vectors,
}

impl VectorSet {
    /// Version of the stored form. Change the version when the stored form or the quantization changes.
    pub const FORMAT: u32 = 2;

    /// Adds a normalized vector (a vector with the Euclidean norm 1). Returns whether the vector was accepted. The
    /// first vector determines the dimension of the set. Vectors with another dimension, and vectors with infinite or
    /// NaN values, are rejected.
    pub fn push(&mut self, key: VectorKey, vector: &[f32]) -> bool {
        let is_new = self.vectors.push(vector).is_some();
        self.keys.extend(is_new.then_some(key));
        is_new
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Encodes the set in its stored form.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_range(0..self.len())
    }

    /// Encodes the set in parts of about `part_bytes` bytes. Each part can be decoded without the other parts.
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

    /// Adds the vectors of a stored form. Returns `false` and adds nothing if the bytes are not a valid stored form, or
    /// if their vectors have another dimension.
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

    /// Reserves capacity for vectors with this dimension. `stored_bytes` is the size of their stored form in bytes.
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
            assert_eq!(probed.unwrap().estimate(n + 5), probe.unwrap().estimate(n));
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
