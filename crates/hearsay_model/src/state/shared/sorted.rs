//! A sorted map that is stored in chunks.

use std::sync::Arc;

/// Maximum number of entries in one chunk.
const CHUNK: usize = 64;

type Chunk<K, V> = Arc<Vec<(K, V)>>;

/// A sorted map that is stored in chunks of at most 64 entries.
///
/// Cloning is O(1). The first write after a clone copies one chunk, and one pointer per chunk.
#[derive(Debug, Clone)]
pub(in crate::state) struct SortedMap<K, V> {
    /// The chunks in the order of their keys. No chunk is empty.
    chunks: Arc<Vec<Chunk<K, V>>>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self { chunks: Arc::default() }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Returns the chunk that contains a key or would contain it.
    fn chunk_of(&self, key: &K) -> usize {
        self.chunks.partition_point(|chunk| chunk.first().is_some_and(|(first, _)| first <= key)).saturating_sub(1)
    }

    /// Returns the index of the chunk that contains a key, and the index of the key within this chunk.
    fn find(&self, key: &K) -> Option<(usize, usize)> {
        let chunk = self.chunk_of(key);
        let place = self.chunks.get(chunk)?.binary_search_by(|(other, _)| other.cmp(key)).ok()?;
        Some((chunk, place))
    }

    pub(in crate::state) fn get(&self, key: &K) -> Option<&V> {
        self.find(key).map(|(chunk, place)| &self.chunks[chunk][place].1)
    }

    /// Returns all values, sorted by key.
    pub(in crate::state) fn values(&self) -> impl Iterator<Item = &V> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|(_, value)| value)
    }

    /// Returns all keys, in order.
    pub(in crate::state) fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.chunks.iter().flat_map(|chunk| chunk.iter()).map(|(key, _)| key)
    }

    /// Returns all keys that are not before `from`, in order.
    pub(in crate::state) fn keys_from<'a>(&'a self, from: &K) -> impl Iterator<Item = &'a K> + use<'a, K, V> {
        let chunk = self.chunk_of(from);
        let first = self.chunks.get(chunk).map_or(0, |chunk| chunk.partition_point(|(key, _)| key < from));
        let entries = self.chunks.get(chunk..).unwrap_or_default().iter().flat_map(|chunk| chunk.iter());
        entries.skip(first).map(|(key, _)| key)
    }

    /// Returns the values of all keys from `from` (included) to `to` (excluded), sorted by key.
    pub(in crate::state) fn range<'a>(&'a self, from: &K, to: K) -> impl Iterator<Item = &'a V> + use<'a, K, V> {
        let chunk = self.chunk_of(from);
        let first = self.chunks.get(chunk).map_or(0, |chunk| chunk.partition_point(|(key, _)| key < from));
        let entries = self.chunks.get(chunk..).unwrap_or_default().iter().flat_map(|chunk| chunk.iter());
        entries.skip(first).take_while(move |(key, _)| *key < to).map(|(_, value)| value)
    }
}

impl<K: Ord + Clone, V: Clone> SortedMap<K, V> {
    pub(in crate::state) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let (chunk, place) = self.find(key)?;
        Some(&mut Arc::make_mut(&mut Arc::make_mut(&mut self.chunks)[chunk])[place].1)
    }

    /// Removes a key and returns its value.
    pub(in crate::state) fn remove(&mut self, key: &K) -> Option<V> {
        let (at, place) = self.find(key)?;
        let chunks = Arc::make_mut(&mut self.chunks);
        let (_, value) = Arc::make_mut(&mut chunks[at]).remove(place);
        if chunks[at].is_empty() {
            chunks.remove(at);
        }
        Some(value)
    }

    /// Returns the value of a key. Inserts the default value if the key is missing.
    pub(in crate::state) fn get_or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let mut at = self.chunk_of(&key);
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.is_empty() {
            chunks.push(Arc::default());
        }
        let place = match chunks[at].binary_search_by(|(other, _)| other.cmp(&key)) {
            Ok(place) => place,
            Err(mut place) => {
                if chunks[at].len() == CHUNK {
                    // Keys often arrive in ascending order, so a full chunk is not split when the new key goes at its
                    // end.
                    let cut = if place == CHUNK { CHUNK } else { CHUNK / 2 };
                    let more = Arc::make_mut(&mut chunks[at]).split_off(cut);
                    chunks.insert(at + 1, Arc::new(more));
                    if place >= cut {
                        (at, place) = (at + 1, place - cut);
                    }
                }
                Arc::make_mut(&mut chunks[at]).insert(place, (key, V::default()));
                place
            }
        };
        &mut Arc::make_mut(&mut chunks[at])[place].1
    }
}
