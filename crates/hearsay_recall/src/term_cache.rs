//! Cache of the search terms of all texts. With the cache, an index can be built without splitting and stemming the
//! texts again.
//!
//! The key of a text is its id, which is a hash of the text. For a passage, the title and the date must also match. The
//! index splits and stems texts that are not in the cache.

use std::hash::{Hash, Hasher};

use hearsay_model::{FactId, PassageId};
use rustc_hash::{FxHashMap, FxHasher};

use crate::{document::DocId, text_entry::Doc, vector_set::VectorKey};

/// Text numbers of the texts that contain a term, each with the number of occurrences. Sorted, each text once.
pub(crate) type Postings = Vec<(u32, u32)>;

/// Returns a hash of the title and date of a passage. Title and date are searched together with the passage, but the id
/// of the passage does not depend on them.
pub(crate) fn context_hash(title: Option<&str>, date: &str) -> u64 {
    if title.is_none() && date.is_empty() {
        return 0;
    }
    let mut hasher = FxHasher::default();
    title.hash(&mut hasher);
    date.hash(&mut hasher);
    hasher.finish().max(1)
}

/// A cached text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CachedDoc {
    id: DocId,
    /// Hash from [`context_hash`].
    context_hash: u64,
    /// Hash of the text, which is the key of its vector; `None` if the hash was never needed.
    vector_key: Option<VectorKey>,
}

impl CachedDoc {
    pub(crate) fn new(id: DocId, doc: &Doc) -> Self {
        Self { id, context_hash: doc.context_hash, vector_key: doc.vector_key }
    }
}

/// Cache of the terms of texts, with the number of occurrences of each term in each text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TermCache {
    terms: Vec<String>,
    /// Texts, sorted by id.
    docs: Vec<CachedDoc>,
    /// For each term, the indices in `docs` of the texts that contain it, with the number of occurrences. Each term has
    /// at least one text.
    postings: Vec<Postings>,
}

/// Texts of a cache, to be looked up in the order of their ids.
#[derive(Debug, Default)]
pub(crate) struct CachedDocs {
    docs: Vec<CachedDoc>,
    next: usize,
    /// Texts that were skipped.
    unused: Vec<DocId>,
}

impl TermCache {
    /// Version of the stored form. Change the version if the stored form, the splitting of words or the stemming
    /// changes.
    pub const FORMAT: u32 = 3;

    /// Creates a cache from the data of an index. `term_numbers` maps each term to its number. `docs` lists each text
    /// with its text number, in any order. All text numbers are below `text_number_count`.
    pub(crate) fn from_index(
        term_numbers: &FxHashMap<String, u32>,
        postings: &[Postings],
        mut docs: Vec<(CachedDoc, u32)>,
        text_number_count: usize,
    ) -> Self {
        docs.sort_unstable_by_key(|(doc, _)| doc.id);
        let mut doc_numbers = vec![u32::MAX; text_number_count];
        for (number, (_, text_number)) in docs.iter().enumerate() {
            doc_numbers[*text_number as usize] = number as u32;
        }
        let docs = docs.into_iter().map(|(doc, _)| doc).collect();
        let mut terms: Vec<(&str, u32)> = term_numbers.iter().map(|(term, number)| (term.as_str(), *number)).collect();
        terms.sort_unstable_by_key(|(_, number)| *number);
        let mut cache = Self { docs, ..Self::default() };
        // Keep only terms that some text contains.
        for (term, number) in terms {
            let to_doc = |&(text_number, count): &(u32, u32)| (doc_numbers[text_number as usize], count);
            let mut doc_postings: Vec<_> = postings[number as usize].iter().map(to_doc).collect();
            doc_postings.retain(|(doc, _)| *doc != u32::MAX);
            if !doc_postings.is_empty() {
                doc_postings.sort_unstable();
                cache.terms.push(term.to_owned());
                cache.postings.push(doc_postings);
            }
        }
        cache
    }

    /// Returns the number of cached texts.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Returns whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Returns the number of cached texts whose hash is cached too.
    pub fn hashed_text_count(&self) -> usize {
        self.docs.iter().filter(|doc| doc.vector_key.is_some()).count()
    }

    /// Returns the id of each text, and the key of its vector; `None` if the key is not cached.
    pub(crate) fn ids_and_vector_keys(&self) -> impl Iterator<Item = (DocId, Option<VectorKey>)> {
        self.docs.iter().map(|doc| (doc.id, doc.vector_key))
    }

    /// Returns the number of terms of each text, repetitions included.
    pub(crate) fn lengths(&self) -> Vec<u32> {
        let mut lengths = vec![0_u32; self.docs.len()];
        for (doc, count) in self.postings.iter().flatten() {
            let length = &mut lengths[*doc as usize];
            *length = length.saturating_add(*count);
        }
        lengths
    }

    /// Splits the cache into the number of each term, the postings by term number, and the texts.
    pub(crate) fn into_parts(self) -> (FxHashMap<String, u32>, Vec<Postings>, CachedDocs) {
        let numbers = self.terms.into_iter().zip(0..).collect();
        (numbers, self.postings, CachedDocs { docs: self.docs, ..CachedDocs::default() })
    }

    /// Encodes the cache in its stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut stored = Vec::with_capacity(self.docs.len() * 64);
        write_varint(&mut stored, self.docs.len() as u64);
        for CachedDoc { id, context_hash, vector_key } in &self.docs {
            let (kind, id) = match id {
                DocId::Fact(id) => (0_u8, id.as_u128()),
                DocId::Passage(id) => (1, id.as_u128()),
            };
            // The lowest bit says whether there is a key of a vector.
            stored.push(kind << 1 | u8::from(vector_key.is_some()));
            stored.extend_from_slice(&id.to_le_bytes());
            stored.extend_from_slice(&context_hash.to_le_bytes());
            stored.extend_from_slice(vector_key.as_ref().map_or(&[], |key| &key[..]));
        }
        write_varint(&mut stored, self.terms.len() as u64);
        for (term, postings) in self.terms.iter().zip(&self.postings) {
            write_varint(&mut stored, term.len() as u64);
            stored.extend_from_slice(term.as_bytes());
            write_varint(&mut stored, postings.len() as u64);
            let mut previous = 0;
            for (doc, count) in postings {
                write_varint(&mut stored, u64::from(doc - previous));
                write_varint(&mut stored, u64::from(*count));
                previous = *doc;
            }
        }
        stored
    }

    /// Decodes a stored form. Returns `None` if the bytes are not valid.
    pub fn decode(mut stored: &[u8]) -> Option<Self> {
        let input = &mut stored;
        let mut cache = Self::default();
        let count = read_varint(input)?;
        // Each text takes at least 25 bytes. The limit prevents a large allocation for damaged data.
        cache.docs.reserve_exact((count as usize).min(input.len() / 25));
        for _ in 0..count {
            let flags = read_bytes(input, 1)?[0];
            let number = u128::from_le_bytes(read_bytes(input, 16)?.try_into().ok()?);
            let id = match flags >> 1 {
                0 => DocId::Fact(FactId::from_u128(number)),
                1 => DocId::Passage(PassageId::from_u128(number)),
                _ => return None,
            };
            let context_hash = u64::from_le_bytes(read_bytes(input, 8)?.try_into().ok()?);
            let vector_key = match flags & 1 {
                0 => None,
                _ => Some(read_bytes(input, 16)?.try_into().ok()?),
            };
            if cache.docs.last().is_some_and(|previous| previous.id >= id) {
                return None;
            }
            cache.docs.push(CachedDoc { id, context_hash, vector_key });
        }
        for _ in 0..read_varint(input)? {
            let length = usize::try_from(read_varint(input)?).ok()?;
            cache.terms.push(std::str::from_utf8(read_bytes(input, length)?).ok()?.to_owned());
            let count = usize::try_from(read_varint(input)?).ok()?;
            // Each posting takes at least two bytes. The check prevents a large allocation for damaged data.
            let mut postings = Vec::with_capacity(Some(count).filter(|count| *count <= input.len() / 2)?);
            let mut doc = 0_u64;
            for number in 0..count {
                let delta = read_varint(input)?;
                // Postings must be sorted and distinct.
                if number > 0 && delta == 0 {
                    return None;
                }
                doc = doc.checked_add(delta).filter(|doc| *doc < cache.docs.len() as u64)?;
                postings.push((doc as u32, u32::try_from(read_varint(input)?).ok()?));
            }
            cache.postings.push(postings);
        }
        let mut terms: Vec<&str> = cache.terms.iter().map(String::as_str).collect();
        terms.sort_unstable();
        (input.is_empty() && terms.windows(2).all(|pair| pair[0] != pair[1])).then_some(cache)
    }
}

impl CachedDocs {
    /// Returns the index of a text in the cache; `None` if the cache does not contain the text with the same context
    /// hash. Each text must be requested once, in the order of the ids, because the search only moves forward.
    pub(crate) fn position(&mut self, id: DocId, context_hash: u64) -> Option<u32> {
        while let Some(cached) = self.docs.get(self.next).filter(|cached| cached.id <= id) {
            self.next += 1;
            if cached.id == id && cached.context_hash == context_hash {
                return Some(self.next as u32 - 1);
            }
            self.unused.push(cached.id);
        }
        None
    }

    /// Returns the texts whose index was never returned.
    pub(crate) fn into_unused(self) -> impl Iterator<Item = DocId> {
        let rest = self.docs.into_iter().skip(self.next).map(|cached| cached.id);
        self.unused.into_iter().chain(rest)
    }
}

/// Writes a number in groups of seven bits per byte, lowest group first.
fn write_varint(output: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        output.push(number as u8 | 0x80);
        number >>= 7;
    }
    output.push(number as u8);
}

fn read_varint(input: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = input.split_first()?;
        *input = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn read_bytes<'a>(input: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (bytes, rest) = input.split_at_checked(count)?;
    *input = rest;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Date, Operation, Passage, Position, State};

    use super::*;
    use crate::Index;

    fn state() -> State {
        let date = |raw: &str| Some(Date { raw: raw.into(), time: None });
        let passages = [
            Passage::new("The ledger lies in the old chapel."),
            Passage { time: date("4 Rainmoon"), ..Passage::new("A lantern burned, and a lantern fell.") },
            Passage { title: Some("The Grey Lady".into()), ..Passage::new("銀の匙 and nothing else.") },
        ];
        let changes = passages.into_iter().map(|passage| Change::AddPassage(passage.into())).collect();
        State::fold([Operation::new(Author::Dm, "say", changes)]).unwrap()
    }

    #[test]
    fn what_is_stored_is_read_as_it_was_or_not_at_all() {
        let state = state();
        let mut index = Index::new(state.corpus());
        let (id, _) = state.passages().next().unwrap();
        index.assign_vector(DocId::Passage(id), [7; 16]);
        let cache = index.term_cache();
        let stored = cache.encode();
        assert_eq!((cache.len(), cache.hashed_text_count()), (3, 1));
        // A new index finds the vector of the text by the cached key.
        let mut again = Index::with_cache(state.corpus(), cache.clone());
        again.add_vector([7; 16], &[1.0, 0.0]);
        again.assign_vectors_by_known_keys(|_| true);
        assert!(again.has_vector(DocId::Passage(id)) && again.texts_without_vector().len() == 2);
        assert_eq!(TermCache::decode(&stored).as_ref(), Some(&cache));
        for length in 0..stored.len() {
            assert_eq!(TermCache::decode(&stored[..length]), None, "{length} bytes");
        }
        assert_eq!(TermCache::decode(&[&stored[..], &[0]].concat()), None);
        // Damaged bytes are either decoded or rejected.
        for at in 0..stored.len() {
            let mut bad = stored.clone();
            bad[at] ^= 0x55;
            if let Some(cache) = TermCache::decode(&bad) {
                Index::with_cache(state.corpus(), cache);
            }
        }
    }

    #[test]
    fn texts_that_the_state_lacks_are_dropped() {
        let mut state = state();
        let mut index = Index::new(state.corpus());
        let ids: Vec<DocId> = state.passages().map(|(id, _)| DocId::Passage(id)).collect();
        ids.iter().for_each(|id| _ = index.assign_vector(*id, [7; 16]));
        let cache = index.term_cache();
        state.apply(Operation::new(Author::Dm, "undo", vec![Change::Revert(Position(1))])).unwrap();
        let mut index = Index::with_cache(state.corpus(), cache.clone());
        assert!(index.is_empty() && ids.iter().all(|id| !index.contains(*id)));
        assert_eq!((index.hashed_text_count(), index.term_cache().len()), (0, 0));
        // Texts that return later are counted again.
        let touched =
            state.apply(Operation::new(Author::Dm, "redo", vec![Change::Revert(Position(2))])).unwrap().touched;
        assert_eq!(index.update(state.corpus(), &touched).len(), 3);
        assert_eq!((index.len(), index.hashed_text_count()), (3, 0));
    }

    #[test]
    fn terms_are_taken_and_not_counted_again() {
        let state = state();
        let mut cache = Index::new(state.corpus()).term_cache();
        cache.terms = cache.terms.iter().map(|term| format!("x{term}")).collect();
        let index = Index::with_cache(state.corpus(), cache);
        assert!(index.term("xledger").is_some() && index.term("ledger").is_none());
    }
}
