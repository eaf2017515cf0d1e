//! The words and vectors of all that can be recalled, and how it hangs together.

use std::borrow::Cow;

use hearsay_model::{EntityId, Evidence, Fact, FactId, Key, Passage, PassageId, SessionId, State, attribute};
use rustc_hash::FxHashMap;

use crate::{links::Titles, vectors::Vectors, words::stems};

/// Something that can be recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocId {
    /// A fact, by its statement.
    Fact(FactId),
    /// A passage, by its text.
    Passage(PassageId),
}

/// The text of something that is there, as it is encoded.
pub fn text_of(state: &State, doc: DocId) -> Option<Cow<'_, str>> {
    match doc {
        DocId::Fact(id) => state.fact(id).map(|fact| fact.statement().into()),
        DocId::Passage(id) => state.passage(id).map(|passage| passage_text(passage)),
    }
}

/// The words of a passage, below what it is headed with.
fn passage_text(passage: &Passage) -> Cow<'_, str> {
    match &passage.title {
        Some(title) => format!("{title}\n{}", passage.text).into(),
        None => Cow::Borrowed(&passage.text),
    }
}

/// What a ranking asks of every text, side by side in memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    /// Number of terms.
    pub(crate) length: u32,
    /// The number of its vector.
    pub(crate) vector: Option<u32>,
    /// Whether it only says how something is called or ordered.
    pub(crate) thin: bool,
}

/// What a ranking asks of the few texts that it looks at more closely.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doc {
    /// Term and count of a passage, sorted by term: its words change with its date. Those of a fact never do.
    terms: Box<[(u32, u32)]>,
    /// The session or document that a passage is a part of, and its line there.
    pub(crate) line: Option<(u32, u32)>,
    /// Subject and object of a fact, unless it is a free sentence: whom that is about, only its words tell.
    pub(crate) ends: [Option<u32>; 2],
    /// The passages that bear a fact out. Sorted.
    pub(crate) evidence: Box<[PassageId]>,
}

/// Predicates that only say how things are called or ordered.
const THIN: [&str; 8] = ["alias", "age", "gender", "motto", "pronouns", "symbol", "PART_OF", "RESIDENT_OF"];

/// A fact by its dense index in the state: the end of its id, and where it stands here. Small, because a ranking looks at one
/// of each fact in no order of theirs.
#[derive(Debug, Clone, Copy)]
struct Row {
    tag: u32,
    place: u32,
}

/// No text.
const NONE: u32 = u32::MAX;

impl Row {
    const EMPTY: Self = Self { tag: 0, place: NONE };

    fn tag(id: FactId) -> u32 {
        id.as_u128() as u32
    }
}

/// What passages can be parts of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Whole {
    Session(SessionId),
    Document(EntityId),
}

/// Words and vectors of facts and passages, fed by what each operation touched, in time proportional to that.
///
/// It holds what was ever there, for everybody: a search reads only what the asker's view has.
#[derive(Debug, Clone, Default)]
pub struct Index {
    terms: FxHashMap<String, u32>,
    /// For each term the texts that have it, with how often. Sorted by text.
    postings: Vec<Vec<(u32, u32)>>,
    /// Where each text stands.
    places: FxHashMap<DocId, u32>,
    /// The same of facts, those too that are not recalled, by their dense index in the state.
    rows: Vec<Row>,
    heads: Vec<Head>,
    docs: Vec<Doc>,
    entities: FxHashMap<EntityId, u32>,
    /// For each entity the facts that have it as an end.
    facts_of: Vec<Vec<u32>>,
    /// For each passage the facts that it bears out.
    borne_out: FxHashMap<PassageId, Vec<u32>>,
    wholes: FxHashMap<Whole, u32>,
    titles: Titles,
    vectors: Vectors,
}

impl Index {
    /// An index of a whole state, without vectors.
    pub fn of(state: &State) -> Self {
        let mut index = Self::default();
        for (row, fact) in state.indexed_facts() {
            index.add_fact(fact, row);
        }
        for (_, passage) in state.passages() {
            index.add_passage(passage);
        }
        index
    }

    /// Takes over what an operation touched. Returns the texts that are new here, which want a vector.
    pub fn update(&mut self, state: &State, touched: &[Key]) -> Vec<DocId> {
        let mut new = Vec::new();
        for key in touched {
            match key {
                Key::Fact(id) => {
                    let fact = state.fact(*id).zip(state.fact_index(*id));
                    let added = fact.is_some_and(|(fact, row)| self.add_fact(fact, row));
                    new.extend(added.then_some(DocId::Fact(*id)));
                }
                Key::Passage(id) => {
                    let added = state.passage(*id).is_some_and(|passage| self.add_passage(passage));
                    new.extend(added.then_some(DocId::Passage(*id)));
                }
                _ => {}
            }
        }
        new
    }

    /// Whether a fact is recalled for its statement. What something is called, and what it is, come with its identity.
    pub fn holds(fact: &Fact) -> bool {
        ![attribute::NAME, attribute::KIND, attribute::TAG].contains(&fact.predicate().as_str())
    }

    /// Whether the fact is new. What bears it out may have changed, its text and ends never do.
    fn add_fact(&mut self, fact: &Fact, row: u32) -> bool {
        let row = row as usize;
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Row::EMPTY);
        }
        // The dense index of a fact that is there no more may be another fact's now.
        self.rows[row] = Row { tag: Row::tag(fact.id()), place: NONE };
        if !Self::holds(fact) {
            return false;
        }
        let (at, new) = self.place(DocId::Fact(fact.id()));
        self.rows[row].place = at;
        if new {
            let counts = self.counts(fact.statement());
            self.post(at, &counts);
            self.heads[at as usize].thin = THIN.contains(&fact.predicate().as_str());
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
                self.borne_out.entry(id).or_default().retain(|fact| *fact != at);
            }
            for id in evidence {
                self.borne_out.entry(id).or_default().push(at);
            }
        }
        new
    }

    /// Whether the passage is new. Its date may have changed, its text never does.
    fn add_passage(&mut self, passage: &Passage) -> bool {
        let (at, new) = self.place(DocId::Passage(passage.id()));
        let date = passage.time.as_ref().map_or("", |date| date.raw.as_str());
        if let Some(title) = passage.title.as_ref().filter(|_| new) {
            self.titles.add(at, title);
        }
        let counts = self.counts(&format!("{}\n{date}", passage_text(passage)));
        if *self.docs[at as usize].terms != *counts {
            let before = std::mem::replace(&mut self.docs[at as usize].terms, counts.as_slice().into());
            for (term, _) in before {
                self.postings[term as usize].retain(|(doc, _)| *doc != at);
            }
            self.post(at, &counts);
        }
        let session = passage.session.clone().map(Whole::Session);
        if let Some(whole) = session.or_else(|| passage.document.clone().map(Whole::Document)) {
            let next = self.wholes.len() as u32;
            let whole = *self.wholes.entry(whole).or_insert(next);
            self.docs[at as usize].line = Some((whole, passage.line));
        }
        new
    }

    /// The place of a text, and whether it is new.
    fn place(&mut self, id: DocId) -> (u32, bool) {
        let next = self.docs.len() as u32;
        let at = *self.places.entry(id).or_insert(next);
        if at == next {
            self.heads.push(Head::default());
            self.docs.push(Doc::default());
        }
        (at, at == next)
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

    /// The terms of a text with how often each stands in it. Sorted.
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

    /// Enters the terms of a text, none of which is entered for it.
    fn post(&mut self, at: u32, counts: &[(u32, u32)]) {
        self.heads[at as usize].length = counts.iter().map(|(_, count)| count).sum();
        for &(term, count) in counts {
            let postings = &mut self.postings[term as usize];
            // Nearly always at the end.
            let place = postings.partition_point(|(doc, _)| *doc < at);
            postings.insert(place, (at, count));
        }
    }

    /// Gives a text its vector, of length 1. The first vector sets the dimension; one of another is ignored.
    pub fn set_vector(&mut self, id: DocId, vector: &[f32]) {
        let Some(head) = self.places.get(&id).map(|at| &mut self.heads[*at as usize]) else { return };
        if head.vector.is_none() {
            head.vector = self.vectors.push(vector);
        }
    }

    /// A text's vector.
    pub fn vector(&self, id: DocId) -> Option<&[f32]> {
        self.vectors.get(self.head_at(self.place_of(id)?).vector?)
    }

    /// Forgets all vectors: another model makes new ones.
    pub fn clear_vectors(&mut self) {
        self.vectors = Vectors::default();
        self.heads.iter_mut().for_each(|head| head.vector = None);
    }

    /// Whether a text has its vector.
    pub fn has_vector(&self, id: DocId) -> bool {
        self.place_of(id).is_some_and(|at| self.head_at(at).vector.is_some())
    }

    /// Whether a text was ever there.
    pub fn holds_doc(&self, id: DocId) -> bool {
        self.places.contains_key(&id)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Where a text stands among all. The order says nothing that an asker may learn.
    pub(crate) fn place_of(&self, id: DocId) -> Option<u32> {
        self.places.get(&id).copied()
    }

    /// Where a fact stands, by its dense index in the state. One of another history may have another fact there, so the end
    /// of the id is looked at too.
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

    /// Whether the text at a place has a term.
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

    /// The places of the texts that have a term, with how often.
    pub(crate) fn postings(&self, term: u32) -> &[(u32, u32)] {
        &self.postings[term as usize]
    }

    /// What passages are headed with.
    pub(crate) fn titles(&self) -> &Titles {
        &self.titles
    }

    pub(crate) fn entity(&self, id: &EntityId) -> Option<u32> {
        self.entities.get(id).copied()
    }

    /// The places of the facts that have an entity as an end.
    pub(crate) fn facts_of(&self, entity: u32) -> &[u32] {
        &self.facts_of[entity as usize]
    }

    /// The places of the facts that a passage bears out.
    pub(crate) fn borne_out(&self, id: PassageId) -> &[u32] {
        self.borne_out.get(&id).map_or(&[], Vec::as_slice)
    }
}
