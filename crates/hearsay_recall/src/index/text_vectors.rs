//! The vectors of the texts in the index.

use nonmax::NonMaxU32;
use rustc_hash::FxHashMap;

use super::{Index, NONE};
use crate::{DocId, VectorKey, VectorSet, vectors::Vectors};

impl Index {
    /// Sets the vector of a text. The vector must have the Euclidean norm 1. The first vector determines the dimension
    /// of the index. Vectors with another dimension are ignored. If a text already has a vector, the text keeps this
    /// vector.
    pub fn set_vector(&mut self, id: DocId, vector: &[f32]) {
        let Some(head) = self.text_numbers.get(&id).map(|at| &mut self.heads[*at as usize]) else { return };
        if head.vector.is_none() {
            head.vector = self.vectors.push(vector).and_then(NonMaxU32::new);
        }
    }

    /// Adds a vector with the hash of its text as key. Equal texts share the vector.
    pub fn add_vector(&mut self, key: VectorKey, vector: &[f32]) {
        if !self.vector_numbers.contains_key(&key)
            && let Some(number) = self.vectors.push(vector)
        {
            self.vector_numbers.insert(key, number);
        }
    }

    /// Adds a set of stored vectors. The key of each vector is the hash of its text.
    pub fn add_vectors(&mut self, set: VectorSet) {
        if self.vectors.len() > 0 {
            for (key, number) in set.keys.iter().zip(0..) {
                if !self.vector_numbers.contains_key(key)
                    && let Some(number) = self.vectors.push_from(&set.vectors, number)
                {
                    self.vector_numbers.insert(*key, number);
                }
            }
            return;
        }
        self.vectors = set.vectors;
        self.vector_numbers = set.keys.into_iter().zip(0..).collect();
    }

    /// Assigns the vector with this key to a text. The key is the hash of the text. Returns whether the text now has a
    /// vector. Also stores the key, for [`assign_vectors_by_known_keys`](Self::assign_vectors_by_known_keys).
    pub fn assign_vector(&mut self, id: DocId, key: VectorKey) -> bool {
        let Some(at) = self.text_number(id) else { return false };
        self.docs[at as usize].vector_key = Some(key);
        let head = &mut self.heads[at as usize];
        head.vector = head.vector.or_else(|| vector_number(&self.vector_numbers, key));
        head.vector.is_some()
    }

    /// Assigns a vector to each wanted text whose key is known from an earlier call of
    /// [`assign_vector`](Self::assign_vector) or from the cache. This takes less time than computing the keys again.
    pub fn assign_vectors_by_known_keys(&mut self, is_wanted: impl Fn(DocId) -> bool) {
        for (id, at) in &self.text_numbers {
            let (head, key) = (&mut self.heads[*at as usize], self.docs[*at as usize].vector_key);
            if let (None, Some(key)) = (head.vector, key)
                && is_wanted(*id)
            {
                head.vector = vector_number(&self.vector_numbers, key);
            }
        }
    }

    /// Returns the texts without a vector, sorted by id.
    pub fn texts_without_vector(&self) -> Vec<DocId> {
        let without_vector = self.text_numbers.iter().filter(|(_, at)| self.heads[**at as usize].vector.is_none());
        let mut texts: Vec<DocId> = without_vector.map(|(id, _)| *id).collect();
        texts.sort_unstable();
        texts
    }

    /// Returns the number of texts whose hash is known.
    pub fn hashed_text_count(&self) -> usize {
        self.docs.iter().filter(|doc| doc.vector_key.is_some()).count()
    }

    /// Returns the vectors that texts use, with the hashes of their texts. Omits the vectors of removed texts.
    pub fn vectors_in_use(&self) -> VectorSet {
        let mut keys = vec![None; self.vectors.len()];
        self.vector_numbers.iter().for_each(|(key, number)| keys[*number as usize] = Some(*key));
        let mut used = vec![false; self.vectors.len()];
        self.heads.iter().filter_map(|head| head.vector).for_each(|number| used[number.get() as usize] = true);
        let mut set = VectorSet { keys: Vec::new(), vectors: self.vectors.clone() };
        set.vectors.retain(|number| used[number as usize] && keys[number as usize].is_some());
        set.keys = keys.into_iter().zip(used).filter_map(|(key, used)| key.filter(|_| used)).collect();
        set
    }

    /// Returns the number of distinct vectors that texts use. Vectors without a key are not counted.
    pub fn vector_count(&self) -> usize {
        let mut used = vec![false; self.vectors.len()];
        self.heads.iter().filter_map(|head| head.vector).for_each(|number| used[number.get() as usize] = true);
        self.vector_numbers.values().filter(|number| used[**number as usize]).count()
    }

    /// Returns the vector of a text. Returns `None` if the index does not contain the text or the text has no vector.
    pub fn vector(&self, id: DocId) -> Option<Vec<f32>> {
        self.vectors.get(self.head_at(self.text_number(id)?).vector?.get())
    }

    /// Removes all vectors. Use this method, for example, before a change of the sentence encoder.
    pub fn clear_vectors(&mut self) {
        self.vectors = Vectors::default();
        self.vector_numbers = FxHashMap::default();
        self.heads.iter_mut().for_each(|head| head.vector = None);
    }

    /// Returns whether a text has a vector.
    pub fn has_vector(&self, id: DocId) -> bool {
        self.text_number(id).is_some_and(|at| self.head_at(at).vector.is_some())
    }

    /// Removes the vectors that no text uses.
    pub(super) fn drop_unused_vectors(&mut self) {
        let mut used = vec![NONE; self.vectors.len()];
        self.heads.iter().filter_map(|head| head.vector).for_each(|number| used[number.get() as usize] = 0);
        used.iter_mut().filter(|number| **number != NONE).zip(0..).for_each(|(number, next)| *number = next);
        self.vectors.retain(|number| used[number as usize] != NONE);
        let renumbered = |number: NonMaxU32| NonMaxU32::new(used[number.get() as usize]);
        self.heads.iter_mut().for_each(|head| head.vector = head.vector.and_then(renumbered));
        self.vector_numbers.retain(|_, number| {
            *number = used[*number as usize];
            *number != NONE
        });
    }
}

/// Returns the number of the vector with a key.
fn vector_number(numbers: &FxHashMap<VectorKey, u32>, key: VectorKey) -> Option<NonMaxU32> {
    numbers.get(&key).and_then(|number| NonMaxU32::new(*number))
}
