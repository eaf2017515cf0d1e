//! The terms of all texts in a form that is stored: an index that reads them splits and stems no text again.
//!
//! A cache: each text is looked up by its id, which its words determine, and a passage by the heading and date that
//! are searched with it. What is not there is counted anew, and what nobody asks for is left out of the next one.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use crate::DocId;

/// The id of a text as numbers, in the order of [`DocId`].
type DocKey = (u8, u128);

fn key(id: DocId) -> DocKey {
    match id {
        DocId::Fact(id) => (0, id.as_u128()),
        DocId::Passage(id) => (1, id.as_u128()),
    }
}

/// Tells apart with which heading and date the words of a passage were counted: its id does not depend on them.
pub(crate) fn context_mark(title: Option<&str>, date: &str) -> u64 {
    if title.is_none() && date.is_empty() {
        return 0;
    }
    let mut hasher = FxHasher::default();
    title.hash(&mut hasher);
    date.hash(&mut hasher);
    hasher.finish().max(1)
}

/// The terms of texts, each with how often it stands in the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TermCache {
    terms: Vec<String>,
    /// The texts, sorted, each with the mark of its context and where its counts end.
    docs: Vec<(DocKey, u64, usize)>,
    /// Terms by number, with their counts. Sorted within a text.
    counts: Vec<(u32, u32)>,
}

/// Terms that are taken text by text, in the order of their ids.
#[derive(Debug, Default)]
pub(crate) struct CachedTerms {
    cache: TermCache,
    next: usize,
    /// In how many texts each term stands.
    frequencies: Vec<usize>,
}

impl TermCache {
    /// Changes whenever the stored form does, or the way in which words are split and stemmed.
    pub const FORMAT: u32 = 1;

    /// The terms of the texts of an index, which has so many places. `docs` is sorted.
    pub(crate) fn of(
        numbers: &FxHashMap<String, u32>,
        postings: &[Vec<(u32, u32)>],
        docs: &[(DocId, u64, u32)],
        places: usize,
    ) -> Self {
        // Where the counts of each place begin, in the order of the texts.
        let mut lengths = vec![0; places];
        postings.iter().flatten().for_each(|(place, _)| lengths[*place as usize] += 1);
        let (mut starts, mut end) = (vec![usize::MAX; places], 0);
        let mut cached = Vec::with_capacity(docs.len());
        for &(id, mark, place) in docs {
            starts[place as usize] = end;
            end += lengths[place as usize];
            cached.push((key(id), mark, end));
        }
        // Only terms that are in use are kept, under new numbers.
        let mut names: Vec<(&str, u32)> = numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        names.sort_unstable_by_key(|(_, number)| *number);
        let (mut terms, mut counts) = (Vec::new(), vec![(0, 0); end]);
        for (name, number) in names {
            let mut is_used = false;
            for &(place, count) in &postings[number as usize] {
                let start = &mut starts[place as usize];
                if *start != usize::MAX {
                    counts[*start] = (terms.len() as u32, count);
                    *start += 1;
                    is_used = true;
                }
            }
            if is_used {
                terms.push(name.to_owned());
            }
        }
        Self { terms, docs: cached, counts }
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// The terms, ready to be taken; `numbers` becomes their numbers.
    pub(crate) fn into_terms(mut self, numbers: &mut FxHashMap<String, u32>) -> CachedTerms {
        let mut frequencies = vec![0; self.terms.len()];
        self.counts.iter().for_each(|(term, _)| frequencies[*term as usize] += 1);
        *numbers = std::mem::take(&mut self.terms).into_iter().zip(0..).collect();
        CachedTerms { cache: self, next: 0, frequencies }
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut stored = Vec::with_capacity(self.docs.len() * 24 + self.counts.len() * 4);
        put(&mut stored, self.terms.len() as u64);
        for term in &self.terms {
            put(&mut stored, term.len() as u64);
            stored.extend_from_slice(term.as_bytes());
        }
        put(&mut stored, self.docs.len() as u64);
        let mut start = 0;
        for ((kind, id), mark, end) in &self.docs {
            stored.push(*kind);
            stored.extend_from_slice(&id.to_le_bytes());
            stored.extend_from_slice(&mark.to_le_bytes());
            put(&mut stored, (end - start) as u64);
            let mut before = 0;
            for (term, count) in &self.counts[start..*end] {
                put(&mut stored, u64::from(term - before));
                put(&mut stored, u64::from(*count));
                before = *term;
            }
            start = *end;
        }
        stored
    }

    /// The terms of a stored form; nothing, where it is none.
    pub fn decode(mut stored: &[u8]) -> Option<Self> {
        let from = &mut stored;
        let mut cache = Self::default();
        for _ in 0..take(from)? {
            let length = usize::try_from(take(from)?).ok()?;
            cache.terms.push(std::str::from_utf8(bytes(from, length)?).ok()?.to_owned());
        }
        for _ in 0..take(from)? {
            let kind = bytes(from, 1)?[0];
            let id = u128::from_le_bytes(bytes(from, 16)?.try_into().ok()?);
            let mark = u64::from_le_bytes(bytes(from, 8)?.try_into().ok()?);
            let (count, mut term) = (take(from)?, 0_u64);
            for number in 0..count {
                let further = take(from)?;
                // Sorted, each once.
                if number > 0 && further == 0 {
                    return None;
                }
                term = term.checked_add(further).filter(|term| *term < cache.terms.len() as u64)?;
                cache.counts.push((term as u32, u32::try_from(take(from)?).ok()?));
            }
            if cache.docs.last().is_some_and(|(before, ..)| *before >= (kind, id)) {
                return None;
            }
            cache.docs.push(((kind, id), mark, cache.counts.len()));
        }
        let mut terms: Vec<&str> = cache.terms.iter().map(String::as_str).collect();
        terms.sort_unstable();
        (from.is_empty() && terms.windows(2).all(|pair| pair[0] != pair[1])).then_some(cache)
    }
}

impl CachedTerms {
    /// The terms of a text, if they are there. Texts that are asked for in the order of their ids are found at once; one that
    /// was passed by is not there.
    pub(crate) fn take(&mut self, id: DocId, mark: u64) -> Option<&[(u32, u32)]> {
        let (docs, id) = (&self.cache.docs, key(id));
        while docs.get(self.next).is_some_and(|(held, ..)| *held < id) {
            self.next += 1;
        }
        let (held, held_mark, end) = docs.get(self.next)?;
        let start = self.next.checked_sub(1).map_or(0, |before| docs[before].2);
        (*held == id && *held_mark == mark).then(|| &self.cache.counts[start..*end])
    }

    /// For each term an empty list with room for the texts that it stands in.
    pub(crate) fn empty_postings(&self) -> Vec<Vec<(u32, u32)>> {
        self.frequencies.iter().map(|frequency| Vec::with_capacity(*frequency)).collect()
    }
}

/// Writes a number, seven bits a byte, the lowest first.
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
        let cache = Index::of(&state()).terms();
        let stored = cache.encode();
        assert_eq!(cache.len(), 3);
        assert_eq!(TermCache::decode(&stored).as_ref(), Some(&cache));
        for length in 0..stored.len() {
            assert_eq!(TermCache::decode(&stored[..length]), None, "{length} bytes");
        }
        assert_eq!(TermCache::decode(&[&stored[..], &[0]].concat()), None);
        // Whatever the bytes are, they are read or refused.
        for at in 0..stored.len() {
            let mut bad = stored.clone();
            bad[at] ^= 0x55;
            if let Some(cache) = TermCache::decode(&bad) {
                Index::with_cache(&state(), cache);
            }
        }
    }

    #[test]
    fn terms_are_taken_and_not_counted_again() {
        let state = state();
        let mut cache = Index::of(&state).terms();
        cache.terms = cache.terms.iter().map(|term| format!("x{term}")).collect();
        let index = Index::with_cache(&state, cache);
        assert!(index.term("xledger").is_some() && index.term("ledger").is_none());
    }
}
