//! The recall index: words and vectors of all facts and passages, and the links between them.

mod cached_texts;
mod text_vectors;

use std::collections::BTreeSet;

use hearsay_model::{
    Corpus, EntityId, Evidence, Fact, FactId, Key, Passage, PassageId, Predicate, SessionId, SettingKey, Vocabulary,
    attribute,
};
use nonmax::NonMaxU32;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    TermCache, VectorKey,
    document::{DocId, passage_text},
    passage_order::{OrderEntry, PassageOrder},
    term_cache::{CachedDoc, CachedDocs, Postings, context_hash},
    text_entry::{Doc, Head},
    titles::Titles,
    vectors::Vectors,
    words::stems,
};

pub use cached_texts::CachedTexts;

/// Entry for a fact, found by the fact's dense index in the state: the low bits of the fact's id, and its text number
/// in this index. The entry is small because a ranking reads one entry per fact, in random order.
#[derive(Debug, Clone, Copy)]
struct FactEntry {
    tag: u32,
    text_number: u32,
}

/// Marks a missing text number or vector number.
const NONE: u32 = u32::MAX;

impl FactEntry {
    const EMPTY: Self = Self { tag: 0, text_number: NONE };

    fn tag(id: FactId) -> u32 {
        id.as_u128() as u32
    }
}

/// The session or document that a passage belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Container {
    Session(SessionId),
    Document(EntityId),
}

/// Index with the words and vectors of all facts and passages. After each operation, call [`update`](Self::update) with
/// the keys of the records that the operation touched.
///
/// The index contains the facts of all knowers. A search reads only the entries in the view of one knower.
#[derive(Debug, Clone, Default)]
pub struct Index {
    terms: FxHashMap<String, u32>,
    /// For each term, the text numbers of the texts that contain it, with the number of occurrences.
    postings: Vec<Postings>,
    /// Text number of each fact and passage.
    text_numbers: FxHashMap<DocId, u32>,
    /// Entry of each fact by the fact's dense index in the state, including facts that recall does not find.
    fact_entries: Vec<FactEntry>,
    heads: Vec<Head>,
    docs: Vec<Doc>,
    entities: FxHashMap<EntityId, u32>,
    /// For each entity, the text numbers of the facts that have it as subject or object.
    facts_of: Vec<Vec<u32>>,
    /// For each passage, the text numbers of the facts for which it is evidence.
    facts_by_evidence: FxHashMap<PassageId, Vec<u32>>,
    containers: FxHashMap<Container, u32>,
    titles: Titles,
    passage_order: PassageOrder,
    vectors: Vectors,
    /// For each hash of a text, the number of its vector.
    vector_numbers: FxHashMap<VectorKey, u32>,
    /// Number of unused text numbers, which belonged to removed texts. Only postings and fact lists still contain them.
    unused_numbers: usize,
}

/// The index is compacted if more than this many text numbers are unused, and these are more than a third of all text
/// numbers.
const MAX_UNUSED_NUMBERS: usize = if cfg!(test) { 2 } else { 1_024 };

impl Index {
    /// Builds an index of all facts and passages, without vectors.
    pub fn new(corpus: Corpus) -> Self {
        Self::with_cache(corpus, TermCache::default())
    }

    /// Builds an index of all facts and passages, without vectors. The terms of cached texts are read from the cache,
    /// which saves time. The result equals an index that is built without a cache.
    pub fn with_cache(corpus: Corpus, cache: impl Into<CachedTexts>) -> Self {
        let CachedTexts { mut index, mut text_numbers, mut docs } = cache.into();
        for (fact_index, fact) in corpus.facts() {
            index.add_fact(corpus.vocabulary(), fact, fact_index, &mut docs);
        }
        let mut order_entries = Vec::with_capacity(text_numbers.len());
        for (id, passage) in corpus.passages() {
            let (at, _) = index.add_passage(id, passage, &mut docs);
            order_entries.push((id, at, index.docs[at as usize].line));
        }
        index.passage_order.add(&order_entries);
        for id in docs.into_unused() {
            if let Some(at) = text_numbers.remove(&id) {
                index.heads[at as usize] = Head::default();
                index.docs[at as usize] = Doc::default();
            }
        }
        text_numbers.extend(std::mem::take(&mut index.text_numbers));
        index.text_numbers = text_numbers;
        index.unused_numbers = index.docs.len() - index.text_numbers.len();
        index.compact_if_sparse();
        index
    }

    /// Updates the index after an operation that changed the records with the keys `touched`. Returns the new texts in
    /// the index, which need a vector.
    pub fn update(&mut self, corpus: Corpus, touched: &[Key]) -> Vec<DocId> {
        let (mut new, mut uncached) = (Vec::new(), CachedDocs::default());
        let mut redefined = BTreeSet::new();
        // Removes the touched passages from the order, because they may belong to another document now.
        let passages = touched.iter().filter_map(|key| match key {
            Key::Passage(id) => Some(*id),
            _ => None,
        });
        let passages: FxHashSet<PassageId> = passages.collect();
        let removed = passages.iter().filter_map(|id| self.text_number(DocId::Passage(*id))).collect();
        self.passage_order.remove(&removed);
        for key in touched {
            match key {
                Key::Fact(id) => match corpus.fact(*id) {
                    Some((row, fact)) => {
                        let added = self.add_fact(corpus.vocabulary(), fact, row, &mut uncached);
                        new.extend(added.then_some(DocId::Fact(*id)));
                    }
                    None => self.remove(DocId::Fact(*id)),
                },
                Key::Passage(id) => match corpus.passage(*id) {
                    Some(passage) => {
                        let (_, added) = self.add_passage(*id, passage, &mut uncached);
                        new.extend(added.then_some(DocId::Passage(*id)));
                    }
                    None => self.remove(DocId::Passage(*id)),
                },
                Key::Setting(SettingKey::Predicate(name) | SettingKey::Attribute(name)) => {
                    redefined.insert(name);
                }
                _ => {}
            }
        }
        self.reclassify(corpus, &redefined);
        let order_entries: Vec<_> = passages.into_iter().filter_map(|id| self.order_entry(id)).collect();
        self.passage_order.add(&order_entries);
        self.compact_if_sparse();
        new
    }

    /// Removes the unused text numbers if there are more than [`MAX_UNUSED_NUMBERS`].
    fn compact_if_sparse(&mut self) {
        if self.unused_numbers > MAX_UNUSED_NUMBERS && self.unused_numbers > self.docs.len() / 3 {
            self.compact();
        }
    }

    /// Returns the entry of a passage for the passage order; `None` if the passage is not in the index.
    fn order_entry(&self, id: PassageId) -> Option<OrderEntry> {
        let at = self.text_number(DocId::Passage(id))?;
        Some((id, at, self.docs[at as usize].line))
    }

    /// Removes a text. The postings of the text stay until the next compaction. These postings are harmless, because no
    /// view contains the text.
    fn remove(&mut self, id: DocId) {
        let Some(at) = self.text_numbers.remove(&id) else { return };
        self.unused_numbers += 1;
        self.heads[at as usize] = Head::default();
        let doc = std::mem::take(&mut self.docs[at as usize]);
        for passage in doc.evidence {
            self.release_evidence(passage, at);
        }
    }

    fn release_evidence(&mut self, passage: PassageId, fact: u32) {
        if let Some(facts) = self.facts_by_evidence.get_mut(&passage) {
            facts.retain(|existing| *existing != fact);
            if facts.is_empty() {
                self.facts_by_evidence.remove(&passage);
            }
        }
    }

    /// Removes the unused text numbers and the unused vectors.
    fn compact(&mut self) {
        let mut in_use = vec![false; self.docs.len()];
        self.text_numbers.values().for_each(|at| in_use[*at as usize] = true);
        let mut next = 0;
        let new_numbers: Vec<u32> = in_use
            .iter()
            .map(|in_use| {
                let new_number = if *in_use { next } else { NONE };
                next += u32::from(*in_use);
                new_number
            })
            .collect();
        let renumber = |at: u32| new_numbers[at as usize];
        let mut at = 0;
        self.heads.retain(|_| (in_use[at], at += 1).0);
        at = 0;
        self.docs.retain(|_| (in_use[at], at += 1).0);
        for postings in self.postings.iter_mut() {
            postings.retain_mut(|(text_number, _)| {
                *text_number = renumber(*text_number);
                *text_number != NONE
            });
            postings.shrink_to_fit();
        }
        let remap = |text_numbers: &mut Vec<u32>| {
            text_numbers.retain_mut(|text_number| {
                *text_number = renumber(*text_number);
                *text_number != NONE
            });
        };
        self.facts_of.iter_mut().chain(self.facts_by_evidence.values_mut()).for_each(remap);
        self.titles.remap(remap);
        self.passage_order.remap(renumber);
        self.text_numbers.values_mut().for_each(|text_number| *text_number = renumber(*text_number));
        for entry in self.fact_entries.iter_mut().filter(|entry| entry.text_number != NONE) {
            entry.text_number = renumber(entry.text_number);
        }
        self.unused_numbers = 0;
        self.drop_unused_vectors();
    }

    /// Returns whether the index includes a fact. The index excludes facts that state a name, a kind or a tag.
    pub fn is_indexed(fact: &Fact) -> bool {
        ![attribute::NAME, attribute::KIND, attribute::TAG].contains(&fact.predicate().as_str())
    }

    /// Recomputes [`Head::is_minor`] for the facts whose predicates are in `redefined`.
    fn reclassify(&mut self, corpus: Corpus, redefined: &BTreeSet<&Predicate>) {
        if redefined.is_empty() {
            return;
        }
        for (_, fact) in corpus.facts().filter(|(_, fact)| redefined.contains(fact.predicate())) {
            if let Some(at) = self.text_number(DocId::Fact(fact.id())) {
                self.heads[at as usize].is_minor = corpus.vocabulary().behavior(fact.predicate()).minor;
            }
        }
    }

    /// Adds or updates a fact. Returns whether the fact is new. Only the evidence of an indexed fact can change; its
    /// text, subject and object never change.
    fn add_fact(&mut self, vocabulary: &Vocabulary, fact: &Fact, fact_index: u32, cached: &mut CachedDocs) -> bool {
        let fact_index = fact_index as usize;
        if self.fact_entries.len() <= fact_index {
            self.fact_entries.resize(fact_index + 1, FactEntry::EMPTY);
        }
        // Overwrites the entry, because the state may have reused the dense index of a removed fact.
        self.fact_entries[fact_index] = FactEntry { tag: FactEntry::tag(fact.id()), text_number: NONE };
        if !Self::is_indexed(fact) {
            return false;
        }
        let id = DocId::Fact(fact.id());
        let existing = self.text_number(id);
        let at = existing.unwrap_or_else(|| self.assign_text_number(id, 0, cached, || fact.statement().into()));
        let is_new = existing.is_none();
        self.fact_entries[fact_index].text_number = at;
        if is_new {
            self.heads[at as usize].is_minor = vocabulary.behavior(fact.predicate()).minor;
            if *fact.predicate() != *attribute::LORE {
                let ends = [Some(fact.subject()), fact.object().entity()].map(|id| id.map(|id| self.entity_or_new(id)));
                self.docs[at as usize].ends = ends;
                for (position, end) in ends.iter().enumerate() {
                    if let Some(end) = end.filter(|end| !ends[..position].contains(&Some(*end))) {
                        self.facts_of[end as usize].push(at);
                    }
                }
            }
        }
        let passage = |evidence: &Evidence| match evidence {
            Evidence::Passage { passage, .. } => Some(*passage),
            Evidence::File { .. } | Evidence::Excerpt(_) => None,
        };
        let mut evidence: Vec<PassageId> = fact.provenance().evidence.iter().filter_map(passage).collect();
        evidence.sort_unstable();
        evidence.dedup();
        let previous = std::mem::replace(&mut self.docs[at as usize].evidence, evidence.as_slice().into());
        if *previous != *evidence {
            for id in previous {
                self.release_evidence(id, at);
            }
            for id in evidence {
                self.facts_by_evidence.entry(id).or_default().push(at);
            }
        }
        is_new
    }

    /// Adds or updates a passage. Returns its text number, and whether the passage is new. The title and date of an
    /// indexed passage can change; its text never changes.
    fn add_passage(&mut self, id: PassageId, passage: &Passage, cached: &mut CachedDocs) -> (u32, bool) {
        let id = DocId::Passage(id);
        let date = passage.time.as_ref().map_or("", |date| date.raw.as_str());
        let context_hash = context_hash(passage.title.as_deref(), date);
        let previous = self.text_number(id);
        let unchanged = previous.filter(|at| self.docs[*at as usize].context_hash == context_hash);
        let at = unchanged.unwrap_or_else(|| {
            self.assign_text_number(id, context_hash, cached, || format!("{}\n{date}", passage_text(passage)))
        });
        if unchanged.is_none() {
            self.docs[at as usize].context_hash = context_hash;
            passage.title.iter().for_each(|title| self.titles.add(at, title));
            // A new title or date changes the searched words. The passage therefore gets a new text number, and the old
            // number becomes unused.
            if let Some(previous) = previous {
                self.heads[at as usize].vector = std::mem::take(&mut self.heads[previous as usize]).vector;
                self.docs[at as usize].vector_key = std::mem::take(&mut self.docs[previous as usize]).vector_key;
                self.unused_numbers += 1;
            }
        }
        let speaker = passage.speaker.as_ref().and_then(|id| NonMaxU32::new(self.entity_or_new(id)));
        self.heads[at as usize].speaker = speaker;
        let session = passage.session.clone().map(Container::Session);
        let container = session.or_else(|| passage.document.clone().map(Container::Document));
        self.docs[at as usize].line = container.map(|container| {
            let next = self.containers.len() as u32;
            (*self.containers.entry(container).or_insert(next), passage.line)
        });
        (at, previous.is_none())
    }

    /// Assigns a text number to a text and returns it. The number comes from the cache if the cache contains the text
    /// with the same context hash. If the cache does not contain the text, the number is new and the terms of the text
    /// are added.
    fn assign_text_number(
        &mut self,
        id: DocId,
        context_hash: u64,
        cached: &mut CachedDocs,
        text: impl FnOnce() -> String,
    ) -> u32 {
        if let Some(at) = cached.position(id, context_hash) {
            return at;
        }
        self.heads.push(Head::default());
        self.docs.push(Doc::default());
        let at = self.docs.len() as u32 - 1;
        let counts = self.term_counts(&text());
        self.add_postings(at, &counts);
        self.text_numbers.insert(id, at);
        at
    }

    fn entity_or_new(&mut self, id: &EntityId) -> u32 {
        if let Some(entity) = self.entities.get(id) {
            return *entity;
        }
        let next = self.facts_of.len() as u32;
        self.entities.insert(id.clone(), next);
        self.facts_of.push(Vec::new());
        next
    }

    /// Returns the terms of a text, sorted, each with its number of occurrences.
    fn term_counts(&mut self, text: &str) -> Vec<(u32, u32)> {
        let mut found: Vec<u32> = Vec::new();
        for stem in stems(text) {
            let next = self.terms.len() as u32;
            found.push(*self.terms.entry(stem).or_insert(next));
        }
        self.postings.resize_with(self.terms.len(), Vec::new);
        found.sort_unstable();
        found.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
    }

    /// Adds the terms of a text to the postings. `at` must be the highest text number.
    fn add_postings(&mut self, at: u32, counts: &[(u32, u32)]) {
        self.heads[at as usize].length = counts.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
        for &(term, count) in counts {
            self.postings[term as usize].push((at, count));
        }
    }

    /// Returns the terms of all texts, for storage. [`with_cache`](Self::with_cache) builds an index from them faster
    /// than from the texts.
    pub fn term_cache(&self) -> TermCache {
        let cached = self.text_numbers.iter().map(|(id, at)| (CachedDoc::new(*id, &self.docs[*at as usize]), *at));
        TermCache::from_index(&self.terms, &self.postings, cached.collect(), self.docs.len())
    }

    /// Returns whether the index contains a document.
    pub fn contains(&self, id: DocId) -> bool {
        self.text_numbers.contains_key(&id)
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.text_numbers.len()
    }

    /// Returns whether the index contains no text.
    pub fn is_empty(&self) -> bool {
        self.text_numbers.is_empty()
    }

    /// Returns the number of assigned text numbers, including unused numbers.
    pub(crate) fn text_number_count(&self) -> usize {
        self.docs.len()
    }

    /// Returns the text number of a fact or passage. Text numbers are in no meaningful order.
    pub(crate) fn text_number(&self, id: DocId) -> Option<u32> {
        self.text_numbers.get(&id).copied()
    }

    /// Returns the text number of a fact. `fact_index` is the dense index of the fact in the state of the view. That
    /// state may have a different history from the state of this index, so `fact_index` may belong to another fact
    /// here. The low bits of the id are therefore compared too.
    pub(crate) fn fact_text_number(&self, id: FactId, fact_index: u32) -> Option<u32> {
        match self.fact_entries.get(fact_index as usize) {
            Some(entry) if entry.tag == FactEntry::tag(id) => Some(entry.text_number).filter(|at| *at != NONE),
            _ => self.text_number(DocId::Fact(id)),
        }
    }

    pub(crate) fn doc_at(&self, text_number: u32) -> &Doc {
        &self.docs[text_number as usize]
    }

    pub(crate) fn head_at(&self, text_number: u32) -> Head {
        self.heads[text_number as usize]
    }

    /// Returns whether the text with a text number contains a term.
    pub(crate) fn has(&self, text_number: u32, term: u32) -> bool {
        self.postings(term).binary_search_by_key(&text_number, |(number, _)| *number).is_ok()
    }

    pub(crate) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    #[cfg(test)]
    pub(crate) fn compute_all_cosines_in_full(&mut self) {
        self.vectors.compute_all_cosines_in_full();
    }

    pub(crate) fn term(&self, stem: &str) -> Option<u32> {
        self.terms.get(stem).copied()
    }

    /// Returns the text numbers of the texts that contain a term, each with the number of occurrences.
    pub(crate) fn postings(&self, term: u32) -> &[(u32, u32)] {
        &self.postings[term as usize]
    }

    /// Returns the order of the passages.
    pub(crate) fn order(&self) -> &PassageOrder {
        &self.passage_order
    }

    /// Returns the titles of the passages.
    pub(crate) fn titles(&self) -> &Titles {
        &self.titles
    }

    pub(crate) fn entity(&self, id: &EntityId) -> Option<u32> {
        self.entities.get(id).copied()
    }

    /// Returns the text numbers of the facts that have an entity as subject or object.
    pub(crate) fn facts_of(&self, entity: u32) -> &[u32] {
        &self.facts_of[entity as usize]
    }

    /// Returns the text numbers of the facts for which a passage is evidence.
    pub(crate) fn facts_with_evidence(&self, id: PassageId) -> &[u32] {
        self.facts_by_evidence.get(&id).map_or(&[], Vec::as_slice)
    }
}
