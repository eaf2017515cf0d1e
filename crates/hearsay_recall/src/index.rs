//! The recall index: words and vectors of all facts and passages, and the links between them.

use std::collections::BTreeSet;

use hearsay_model::{
    Corpus, EntityId, Evidence, Fact, FactId, Key, Passage, PassageId, Predicate, SessionId, SettingKey, Vocabulary,
    attribute,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    TermCache, VectorKey, VectorSet,
    document::{DocId, passage_text},
    passage_order::{PassageOrder, Placed},
    term_cache::{CachedDocs, Postings, context_mark},
    titles::Titles,
    vectors::Vectors,
    words::stems,
};

/// Data that a ranking reads for every text. Stored contiguously in memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    /// Number of terms, repetitions included.
    pub(crate) length: u32,
    /// Number of the text's vector in [`Index::vectors`](Index).
    pub(crate) vector: Option<u32>,
    /// Speaker of a passage, as the number of an entity in the index.
    pub(crate) speaker: Option<u32>,
    /// Whether the predicate of a fact is minor, which means that the fact says little about its entity.
    pub(crate) thin: bool,
}

/// Data that a ranking reads only for the texts that it examines closely.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doc {
    /// Number of the session or document that contains a passage, and the line number of the passage in it.
    pub(crate) line: Option<(u32, u32)>,
    /// Entity numbers of the subject and object of a fact. Empty for a `lore` fact: only its words tell which entities
    /// it is about.
    pub(crate) ends: [Option<u32>; 2],
    /// Passages that are evidence for a fact, sorted.
    pub(crate) evidence: Box<[PassageId]>,
    /// Hash of the title and date of a passage. Their words are searched together with the words of the passage.
    mark: u64,
}

/// Entry for a fact, found by the fact's dense index in the state: the low bits of the fact's id, and its text number
/// in this index. The entry is small because a ranking reads one entry per fact, in random order.
#[derive(Debug, Clone, Copy)]
struct Row {
    tag: u32,
    place: u32,
}

/// Marks a missing text number or vector number.
const NONE: u32 = u32::MAX;

impl Row {
    const EMPTY: Self = Self { tag: 0, place: NONE };

    fn tag(id: FactId) -> u32 {
        id.as_u128() as u32
    }
}

/// The session or document that a passage belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Whole {
    Session(SessionId),
    Document(EntityId),
}

/// Words and vectors of facts and passages. After each operation, call [`update`](Self::update) with the keys that the
/// operation touched. The update takes time in proportion to the number of keys.
///
/// The index covers the knowledge of all knowers. A search reads only the entries that are in the asker's view.
///
/// Each text has a number, which is its index in `heads` and `docs`. In the code, variables for text numbers are called
/// `place` or `at`.
#[derive(Debug, Clone, Default)]
pub struct Index {
    terms: FxHashMap<String, u32>,
    /// For each term, the text numbers of the texts that contain it, with the number of occurrences.
    postings: Vec<Postings>,
    /// Text number of each fact and passage.
    places: FxHashMap<DocId, u32>,
    /// Entry of each fact by the fact's dense index in the state, including facts that recall does not find.
    rows: Vec<Row>,
    heads: Vec<Head>,
    docs: Vec<Doc>,
    entities: FxHashMap<EntityId, u32>,
    /// For each entity, the text numbers of the facts that have it as subject or object.
    facts_of: Vec<Vec<u32>>,
    /// For each passage, the text numbers of the facts for which it is evidence.
    borne_out: FxHashMap<PassageId, Vec<u32>>,
    wholes: FxHashMap<Whole, u32>,
    titles: Titles,
    order: PassageOrder,
    vectors: Vectors,
    /// For each hash of a text, the number of its vector.
    numbers: FxHashMap<VectorKey, u32>,
    /// Number of unused text numbers, which belonged to removed texts. Only postings and fact lists still contain them.
    gone: usize,
}

/// The index is compacted if more than this many text numbers are unused, and these are more than a third of all text
/// numbers.
const MOST_GONE: usize = if cfg!(test) { 2 } else { 1_024 };

impl Index {
    /// Builds an index of all facts and passages, without vectors.
    pub fn of(corpus: Corpus) -> Self {
        Self::with_cache(corpus, TermCache::default())
    }

    /// Builds an index of all facts and passages, without vectors. The terms of cached texts come from the cache. The
    /// result equals an index that is built without a cache.
    pub fn with_cache(corpus: Corpus, cache: TermCache) -> Self {
        // The texts of the cache get the first text numbers.
        let heads: Vec<Head> = cache.lengths().into_iter().map(|length| Head { length, ..Head::default() }).collect();
        let (terms, postings, mut cached) = cache.into_parts();
        let docs = vec![Doc::default(); heads.len()];
        let mut index = Self { terms, postings, heads, docs, ..Self::default() };
        index.places.reserve(index.docs.len());
        for (row, fact) in corpus.facts() {
            index.add_fact(corpus.vocabulary(), fact, row, &mut cached);
        }
        let mut added = Vec::new();
        for (id, passage) in corpus.passages() {
            index.add_passage(id, passage, &mut cached);
            added.extend(index.in_order(id));
        }
        index.order.add(&added);
        index.gone = index.docs.len() - index.places.len();
        index.compact_if_sparse();
        index
    }

    /// Applies the changes of an operation, given by the keys that it touched. Returns the texts that are new to the
    /// index and need a vector.
    pub fn update(&mut self, corpus: Corpus, touched: &[Key]) -> Vec<DocId> {
        let (mut new, mut uncached) = (Vec::new(), CachedDocs::default());
        let mut redefined = BTreeSet::new();
        // Removes the touched passages from the order, because they may belong to another document now.
        let passages = touched.iter().filter_map(|key| match key {
            Key::Passage(id) => Some(*id),
            _ => None,
        });
        let passages: FxHashSet<PassageId> = passages.collect();
        let before = passages.iter().filter_map(|id| self.place_of(DocId::Passage(*id))).collect();
        self.order.remove(&before);
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
                        let added = self.add_passage(*id, passage, &mut uncached);
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
        let added: Vec<_> = passages.into_iter().filter_map(|id| self.in_order(id)).collect();
        self.order.add(&added);
        self.compact_if_sparse();
        new
    }

    /// Removes the unused text numbers if there are more than [`MOST_GONE`].
    fn compact_if_sparse(&mut self) {
        if self.gone > MOST_GONE && self.gone > self.docs.len() / 3 {
            self.compact();
        }
    }

    /// Returns the entry of a passage for the passage order; `None` if the passage is not in the index.
    fn in_order(&self, id: PassageId) -> Option<Placed> {
        let at = self.place_of(DocId::Passage(id))?;
        Some((id, at, self.docs[at as usize].line))
    }

    /// Removes a text. Its postings stay until the next compaction; they are harmless, because no view contains the
    /// text.
    fn remove(&mut self, id: DocId) {
        let Some(at) = self.places.remove(&id) else { return };
        self.gone += 1;
        self.heads[at as usize] = Head::default();
        let doc = std::mem::take(&mut self.docs[at as usize]);
        for passage in doc.evidence {
            self.release_evidence(passage, at);
        }
    }

    fn release_evidence(&mut self, passage: PassageId, fact: u32) {
        if let Some(facts) = self.borne_out.get_mut(&passage) {
            facts.retain(|held| *held != fact);
            if facts.is_empty() {
                self.borne_out.remove(&passage);
            }
        }
    }

    /// Removes the unused text numbers and the unused vectors.
    fn compact(&mut self) {
        let mut held = vec![false; self.docs.len()];
        self.places.values().for_each(|at| held[*at as usize] = true);
        let mut next = 0;
        let moved: Vec<u32> = held
            .iter()
            .map(|held| {
                let to = if *held { next } else { NONE };
                next += u32::from(*held);
                to
            })
            .collect();
        let to = |at: u32| moved[at as usize];
        let mut at = 0;
        self.heads.retain(|_| (held[at], at += 1).0);
        at = 0;
        self.docs.retain(|_| (held[at], at += 1).0);
        for places in self.postings.iter_mut() {
            places.retain_mut(|(place, _)| {
                *place = to(*place);
                *place != NONE
            });
            places.shrink_to_fit();
        }
        let remap = |places: &mut Vec<u32>| {
            places.retain_mut(|place| {
                *place = to(*place);
                *place != NONE
            });
        };
        self.facts_of.iter_mut().chain(self.borne_out.values_mut()).for_each(remap);
        self.titles.remap(remap);
        self.order.remap(to);
        self.places.values_mut().for_each(|place| *place = to(*place));
        for row in self.rows.iter_mut().filter(|row| row.place != NONE) {
            row.place = to(row.place);
        }
        self.gone = 0;
        self.drop_unused_vectors();
    }

    /// Removes the vectors that no text uses.
    fn drop_unused_vectors(&mut self) {
        let mut used = vec![NONE; self.vectors.len()];
        self.heads.iter().filter_map(|head| head.vector).for_each(|number| used[number as usize] = 0);
        used.iter_mut().filter(|number| **number != NONE).zip(0..).for_each(|(number, next)| *number = next);
        self.vectors.retain(|number| used[number as usize] != NONE);
        self.heads.iter_mut().for_each(|head| head.vector = head.vector.map(|number| used[number as usize]));
        self.numbers.retain(|_, number| {
            *number = used[*number as usize];
            *number != NONE
        });
    }

    /// Returns whether the index includes a fact. Facts that state a name, a kind or a tag are excluded, because these
    /// belong to an entity's identity.
    pub fn holds(fact: &Fact) -> bool {
        ![attribute::NAME, attribute::KIND, attribute::TAG].contains(&fact.predicate().as_str())
    }

    /// Recomputes [`Head::thin`] for the facts whose predicates are in `redefined`.
    fn reclassify(&mut self, corpus: Corpus, redefined: &BTreeSet<&Predicate>) {
        if redefined.is_empty() {
            return;
        }
        for (_, fact) in corpus.facts().filter(|(_, fact)| redefined.contains(fact.predicate())) {
            if let Some(at) = self.place_of(DocId::Fact(fact.id())) {
                self.heads[at as usize].thin = corpus.vocabulary().behavior(fact.predicate()).minor;
            }
        }
    }

    /// Adds or updates a fact. Returns whether the fact is new. Only the evidence of an indexed fact can change; its
    /// text, subject and object never change.
    fn add_fact(&mut self, vocabulary: &Vocabulary, fact: &Fact, row: u32, cached: &mut CachedDocs) -> bool {
        let row = row as usize;
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Row::EMPTY);
        }
        // Overwrites the entry, because the state may have reused the dense index of a removed fact.
        self.rows[row] = Row { tag: Row::tag(fact.id()), place: NONE };
        if !Self::holds(fact) {
            return false;
        }
        let id = DocId::Fact(fact.id());
        let held = self.place_of(id);
        let at = held.unwrap_or_else(|| self.place(id, 0, cached, || fact.statement().into()));
        let new = held.is_none();
        self.rows[row].place = at;
        if new {
            self.heads[at as usize].thin = vocabulary.behavior(fact.predicate()).minor;
            if *fact.predicate() != *attribute::LORE {
                let ends = [Some(fact.subject()), fact.object().entity()].map(|id| id.map(|id| self.entity_or_new(id)));
                self.docs[at as usize].ends = ends;
                for (place, end) in ends.iter().enumerate() {
                    if let Some(end) = end.filter(|end| !ends[..place].contains(&Some(*end))) {
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
        let before = std::mem::replace(&mut self.docs[at as usize].evidence, evidence.as_slice().into());
        if *before != *evidence {
            for id in before {
                self.release_evidence(id, at);
            }
            for id in evidence {
                self.borne_out.entry(id).or_default().push(at);
            }
        }
        new
    }

    /// Adds or updates a passage. Returns whether the passage is new. The title and date of an indexed passage may
    /// change; its text never changes.
    fn add_passage(&mut self, id: PassageId, passage: &Passage, cached: &mut CachedDocs) -> bool {
        let id = DocId::Passage(id);
        let date = passage.time.as_ref().map_or("", |date| date.raw.as_str());
        let mark = context_mark(passage.title.as_deref(), date);
        let before = self.place_of(id);
        let held = before.filter(|at| self.docs[*at as usize].mark == mark);
        let at = held.unwrap_or_else(|| self.place(id, mark, cached, || format!("{}\n{date}", passage_text(passage))));
        if held.is_none() {
            self.docs[at as usize].mark = mark;
            passage.title.iter().for_each(|title| self.titles.add(at, title));
            // A new title or date changes the searched words. The passage therefore gets a new text number, and the old
            // number becomes unused.
            if let Some(before) = before {
                self.heads[at as usize].vector = std::mem::take(&mut self.heads[before as usize]).vector;
                self.docs[before as usize] = Doc::default();
                self.gone += 1;
            }
        }
        let speaker = passage.speaker.as_ref().map(|id| self.entity_or_new(id));
        self.heads[at as usize].speaker = speaker;
        let session = passage.session.clone().map(Whole::Session);
        let whole = session.or_else(|| passage.document.clone().map(Whole::Document));
        self.docs[at as usize].line = whole.map(|whole| {
            let next = self.wholes.len() as u32;
            (*self.wholes.entry(whole).or_insert(next), passage.line)
        });
        before.is_none()
    }

    /// Assigns a text number to a text and returns it. The number comes from the cache if the cache contains the text
    /// with the same mark. Otherwise, the number is new and the terms of the text are added.
    fn place(&mut self, id: DocId, mark: u64, cached: &mut CachedDocs, words: impl FnOnce() -> String) -> u32 {
        let at = cached.take(id, mark).unwrap_or_else(|| {
            self.heads.push(Head::default());
            self.docs.push(Doc::default());
            let at = self.docs.len() as u32 - 1;
            let counts = self.counts(&words());
            self.post(at, &counts);
            at
        });
        self.places.insert(id, at);
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
    fn counts(&mut self, text: &str) -> Vec<(u32, u32)> {
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
    fn post(&mut self, at: u32, counts: &[(u32, u32)]) {
        self.heads[at as usize].length = counts.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count));
        for &(term, count) in counts {
            self.postings[term as usize].push((at, count));
        }
    }

    /// Sets the vector of a text. The vector must have length 1. The first vector sets the dimension; vectors of
    /// another dimension are ignored. A text that already has a vector keeps it.
    pub fn set_vector(&mut self, id: DocId, vector: &[f32]) {
        let Some(head) = self.places.get(&id).map(|at| &mut self.heads[*at as usize]) else { return };
        if head.vector.is_none() {
            head.vector = self.vectors.push(vector);
        }
    }

    /// Adds a vector under the hash of its text. All texts with this hash can share the vector.
    pub fn add_vector(&mut self, key: VectorKey, vector: &[f32]) {
        if !self.numbers.contains_key(&key)
            && let Some(number) = self.vectors.push(vector)
        {
            self.numbers.insert(key, number);
        }
    }

    /// Adds a set of stored vectors, each under the hash of its text.
    pub fn add_vectors(&mut self, set: VectorSet) {
        if self.vectors.len() > 0 {
            for (key, number) in set.keys.iter().zip(0..) {
                if !self.numbers.contains_key(key)
                    && let Some(number) = self.vectors.push_from(&set.vectors, number)
                {
                    self.numbers.insert(*key, number);
                }
            }
            return;
        }
        self.vectors = set.vectors;
        self.numbers = set.keys.into_iter().zip(0..).collect();
    }

    /// Gives a text the vector that was added under `key`. Returns whether the text has a vector afterwards.
    pub fn assign_vector(&mut self, id: DocId, key: VectorKey) -> bool {
        let Some(head) = self.places.get(&id).map(|at| &mut self.heads[*at as usize]) else { return false };
        if head.vector.is_none() {
            head.vector = self.numbers.get(&key).copied();
        }
        head.vector.is_some()
    }

    /// Returns the vectors that texts use, with the hashes of their texts. Vectors of removed texts are left out.
    pub fn vectors_in_use(&self) -> VectorSet {
        let mut keys = vec![None; self.vectors.len()];
        self.numbers.iter().for_each(|(key, number)| keys[*number as usize] = Some(*key));
        let mut used = vec![false; self.vectors.len()];
        self.heads.iter().filter_map(|head| head.vector).for_each(|number| used[number as usize] = true);
        let mut set = VectorSet { keys: Vec::new(), vectors: self.vectors.clone() };
        set.vectors.retain(|number| used[number as usize] && keys[number as usize].is_some());
        set.keys = keys.into_iter().zip(used).filter_map(|(key, used)| key.filter(|_| used)).collect();
        set
    }

    /// Returns the number of distinct vectors that texts use. Counts only vectors that were added with the hash of a
    /// text.
    pub fn vector_count(&self) -> usize {
        let mut used = vec![false; self.vectors.len()];
        self.heads.iter().filter_map(|head| head.vector).for_each(|number| used[number as usize] = true);
        self.numbers.values().filter(|number| used[**number as usize]).count()
    }

    /// Returns the vector of a text. Returns `None` if the index does not contain the text or the text has no vector.
    pub fn vector(&self, id: DocId) -> Option<Vec<f32>> {
        self.vectors.get(self.head_at(self.place_of(id)?).vector?)
    }

    /// Removes all vectors, for example because another model replaces them.
    pub fn clear_vectors(&mut self) {
        self.vectors = Vectors::default();
        self.numbers = FxHashMap::default();
        self.heads.iter_mut().for_each(|head| head.vector = None);
    }

    /// Returns the terms of all texts, for storage. [`with_cache`](Self::with_cache) reads them back instead of
    /// splitting the texts again.
    pub fn terms(&self) -> TermCache {
        let mut cached: Vec<(DocId, u64, u32)> =
            self.places.iter().map(|(id, at)| (*id, self.docs[*at as usize].mark, *at)).collect();
        cached.sort_unstable();
        TermCache::of(&self.terms, &self.postings, &cached, self.docs.len())
    }

    /// Returns whether a text has a vector.
    pub fn has_vector(&self, id: DocId) -> bool {
        self.place_of(id).is_some_and(|at| self.head_at(at).vector.is_some())
    }

    /// Returns whether the index contains a document.
    pub fn holds_doc(&self, id: DocId) -> bool {
        self.places.contains_key(&id)
    }

    /// Returns the number of texts.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether the index contains no text.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the number of assigned text numbers, including unused numbers.
    pub(crate) fn places(&self) -> usize {
        self.docs.len()
    }

    /// Returns the text number of a fact or passage. Text numbers are in no meaningful order.
    pub(crate) fn place_of(&self, id: DocId) -> Option<u32> {
        self.places.get(&id).copied()
    }

    /// Returns the text number of a fact. `row` is the dense index of the fact in the state of the view. That state may
    /// have a different history from the state of this index, so `row` may belong to another fact here. The low bits of
    /// the id are therefore compared too.
    pub(crate) fn place_of_fact(&self, id: FactId, row: u32) -> Option<u32> {
        match self.rows.get(row as usize) {
            Some(row) if row.tag == Row::tag(id) => Some(row.place).filter(|place| *place != NONE),
            _ => self.place_of(DocId::Fact(id)),
        }
    }

    pub(crate) fn doc_at(&self, place: u32) -> &Doc {
        &self.docs[place as usize]
    }

    pub(crate) fn head_at(&self, place: u32) -> Head {
        self.heads[place as usize]
    }

    /// Returns whether the text with a text number contains a term.
    pub(crate) fn has(&self, place: u32, term: u32) -> bool {
        self.postings(term).binary_search_by_key(&place, |(of, _)| *of).is_ok()
    }

    pub(crate) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    #[cfg(test)]
    pub(crate) fn trust_no_look(&mut self) {
        self.vectors.trust_no_look();
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
        &self.order
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
    pub(crate) fn borne_out(&self, id: PassageId) -> &[u32] {
        self.borne_out.get(&id).map_or(&[], Vec::as_slice)
    }
}
