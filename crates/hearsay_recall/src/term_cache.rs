//! Stored terms of all texts. With them, an index can be built without splitting and stemming the texts again.
//!
//! The cache finds each text by its id, which is derived from its words. For a passage, title and date must match too,
//! because they are searched with the passage. The index splits and stems texts that are not in the cache. Texts that
//! are no longer used are left out of the next cache.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::document::DocId;

/// Text numbers of the texts that contain a term, each with the number of occurrences. Sorted, each text once.
pub(crate) type Postings = Vec<(u32, u32)>;

/// Id of a text as two numbers that sort like [`DocId`].
type DocKey = (u8, u128);

fn key(id: DocId) -> DocKey {
    match id {
        DocId::Fact(id) => (0, id.as_u128()),
        DocId::Passage(id) => (1, id.as_u128()),
    }
}

/// Returns a hash of the title and date of a passage. Both are searched together with the passage, but the id of the
/// passage does not depend on them.
pub(crate) fn context_mark(title: Option<&str>, date: &str) -> u64 {
    if title.is_none() && date.is_empty() {
        return 0;
    }
    let mut hasher = FxHasher::default();
    title.hash(&mut hasher);
    date.hash(&mut hasher);
    hasher.finish().max(1)
}

/// Terms of texts, with the number of occurrences in each text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TermCache {
    terms: Vec<String>,
    /// Texts, sorted by id, each with the hash from [`context_mark`].
    docs: Vec<(DocKey, u64)>,
    /// For each term, the indices in `docs` of the texts that contain it, with the number of occurrences. Each term has
    /// at least one text.
    postings: Vec<Postings>,
}

/// Texts of a cache, to be looked up in the order of their ids.
#[derive(Debug, Default)]
pub(crate) struct CachedDocs {
    docs: Vec<(DocKey, u64)>,
    next: usize,
}

impl TermCache {
    /// Version of the stored form. Change it when the stored form changes, or when words are split or stemmed
    /// differently.
    pub const FORMAT: u32 = 2;

    /// Creates a cache from the data of an index. `numbers` maps each term to its number. `docs` lists each text with
    /// its context hash and its text number, sorted by id. All text numbers are below `places`.
    pub(crate) fn of(
        numbers: &FxHashMap<String, u32>,
        postings: &[Postings],
        docs: &[(DocId, u64, u32)],
        places: usize,
    ) -> Self {
        let mut renumbered = vec![u32::MAX; places];
        for (number, (.., place)) in docs.iter().enumerate() {
            renumbered[*place as usize] = number as u32;
        }
        let docs = docs.iter().map(|(id, mark, _)| (key(*id), *mark)).collect();
        let mut names: Vec<(&str, u32)> = numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        let mut cache = Self { docs, ..Self::default() };
        // Keep only terms that some text contains.
        for (name, number) in names {
            let of_doc = |&(place, count): &(u32, u32)| (renumbered[place as usize], count);
            let mut kept: Vec<_> = postings[number as usize].iter().map(of_doc).collect();
            kept.retain(|(doc, _)| *doc != u32::MAX);
            if !kept.is_empty() {
                kept.sort_unstable();
                cache.terms.push(name.to_owned());
                cache.postings.push(kept);
            }
        }
        cache
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Returns whether the cache is empty.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
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
        (numbers, self.postings, CachedDocs { docs: self.docs, next: 0 })
    }

    /// Encodes the cache in its stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut stored = Vec::with_capacity(self.docs.len() * 48);
        put(&mut stored, self.docs.len() as u64);
        for ((kind, id), mark) in &self.docs {
            stored.push(*kind);
            stored.extend_from_slice(&id.to_le_bytes());
            stored.extend_from_slice(&mark.to_le_bytes());
        }
        put(&mut stored, self.terms.len() as u64);
        for (term, postings) in self.terms.iter().zip(&self.postings) {
            put(&mut stored, term.len() as u64);
            stored.extend_from_slice(term.as_bytes());
            put(&mut stored, postings.len() as u64);
            let mut before = 0;
            for (doc, count) in postings {
                put(&mut stored, u64::from(doc - before));
                put(&mut stored, u64::from(*count));
                before = *doc;
            }
        }
        stored
    }

    /// Decodes a stored form. Returns `None` if the bytes are not valid.
    pub fn decode(mut stored: &[u8]) -> Option<Self> {
        let from = &mut stored;
        let mut cache = Self::default();
        for _ in 0..take(from)? {
            let kind = bytes(from, 1)?[0];
            let id = u128::from_le_bytes(bytes(from, 16)?.try_into().ok()?);
            let mark = u64::from_le_bytes(bytes(from, 8)?.try_into().ok()?);
            if cache.docs.last().is_some_and(|(before, _)| *before >= (kind, id)) {
                return None;
            }
            cache.docs.push(((kind, id), mark));
        }
        for _ in 0..take(from)? {
            let length = usize::try_from(take(from)?).ok()?;
            cache.terms.push(std::str::from_utf8(bytes(from, length)?).ok()?.to_owned());
            let count = usize::try_from(take(from)?).ok()?;
            // Each posting takes at least two bytes. The check prevents a large allocation for damaged data.
            let mut postings = Vec::with_capacity(Some(count).filter(|count| *count <= from.len() / 2)?);
            let mut doc = 0_u64;
            for number in 0..count {
                let further = take(from)?;
                // Postings must be sorted and distinct.
                if number > 0 && further == 0 {
                    return None;
                }
                doc = doc.checked_add(further).filter(|doc| *doc < cache.docs.len() as u64)?;
                postings.push((doc as u32, u32::try_from(take(from)?).ok()?));
            }
            cache.postings.push(postings);
        }
        let mut terms: Vec<&str> = cache.terms.iter().map(String::as_str).collect();
        terms.sort_unstable();
        (from.is_empty() && terms.windows(2).all(|pair| pair[0] != pair[1])).then_some(cache)
    }
}

impl CachedDocs {
    /// Returns the index of a text in the cache; `None` if the cache does not contain the text with this mark. Texts
    /// must be requested in the order of their ids, because the search only moves forward.
    pub(crate) fn take(&mut self, id: DocId, mark: u64) -> Option<u32> {
        let id = key(id);
        while self.docs.get(self.next).is_some_and(|(held, _)| *held < id) {
            self.next += 1;
        }
        (self.docs.get(self.next) == Some(&(id, mark))).then_some(self.next as u32)
    }
}

/// Writes a number in groups of seven bits per byte, lowest group first.
fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn bytes<'a>(from: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (bytes, rest) = from.split_at_checked(count)?;
    *from = rest;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use hearsay_model::{Author, Change, Date, Operation, Passage, State};

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
        let cache = Index::of(state().corpus()).terms();
        let stored = cache.encode();
        assert_eq!(cache.len(), 3);
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
                Index::with_cache(state().corpus(), cache);
            }
        }
    }

    #[test]
    fn terms_are_taken_and_not_counted_again() {
        let state = state();
        let mut cache = Index::of(state.corpus()).terms();
        cache.terms = cache.terms.iter().map(|term| format!("x{term}")).collect();
        let index = Index::with_cache(state.corpus(), cache);
        assert!(index.term("xledger").is_some() && index.term("ledger").is_none());
    }
}
