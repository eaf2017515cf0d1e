//! The words and vectors of all that can be recalled.

use std::borrow::Cow;

use hearsay_model::{Fact, FactId, Key, Passage, PassageId, State, attribute};
use rustc_hash::FxHashMap;

use crate::words::stems;

/// Something that can be recalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DocId {
    /// A fact, by its statement.
    Fact(FactId),
    /// A passage, by its text.
    Passage(PassageId),
}

/// The text of something that is there, as it is searched and encoded.
pub fn text_of(state: &State, doc: DocId) -> Option<Cow<'_, str>> {
    match doc {
        DocId::Fact(id) => state.fact(id).map(|fact| fact.statement().into()),
        DocId::Passage(id) => state.passage(id).map(|passage| passage_text(passage)),
    }
}

/// The words of a passage, below what it is headed with.
pub(crate) fn passage_text(passage: &Passage) -> Cow<'_, str> {
    match &passage.title {
        Some(title) => format!("{title}\n{}", passage.text).into(),
        None => Cow::Borrowed(&passage.text),
    }
}

/// A text as it is searched.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doc {
    /// Term and count, sorted by term.
    pub(crate) terms: Vec<(u32, u32)>,
    /// Number of terms.
    pub(crate) length: u32,
    /// Where its vector begins.
    vector: Option<u32>,
}

impl Doc {
    /// How often the text has a term.
    pub(crate) fn count(&self, term: u32) -> Option<f32> {
        let at = self.terms.binary_search_by_key(&term, |(of, _)| *of).ok()?;
        Some(self.terms[at].1 as f32)
    }
}

/// Words and vectors of facts and passages, fed by what each operation touched, in time proportional to that.
///
/// It holds what was ever there, for everybody: a search reads only what the asker's view has.
#[derive(Debug, Clone, Default)]
pub struct Index {
    terms: FxHashMap<String, u32>,
    docs: FxHashMap<DocId, Doc>,
    dimension: usize,
    vectors: Vec<f32>,
}

impl Index {
    /// An index of a whole state, without vectors.
    pub fn of(state: &State) -> Self {
        let mut index = Self::default();
        for fact in state.facts() {
            index.add_fact(fact);
        }
        for (id, passage) in state.passages() {
            index.add(DocId::Passage(id), &passage_text(passage));
        }
        index
    }

    /// Takes over what an operation touched. Returns the texts that are new here, which want a vector.
    pub fn update(&mut self, state: &State, touched: &[Key]) -> Vec<DocId> {
        let mut new = Vec::new();
        for key in touched {
            match key {
                Key::Fact(id) => {
                    let added = state.fact(*id).is_some_and(|fact| self.add_fact(fact));
                    new.extend(added.then_some(DocId::Fact(*id)));
                }
                Key::Passage(id) => {
                    let doc = DocId::Passage(*id);
                    let added = state.passage(*id).is_some_and(|passage| self.add(doc, &passage_text(passage)));
                    new.extend(added.then_some(doc));
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

    fn add_fact(&mut self, fact: &Fact) -> bool {
        Self::holds(fact) && self.add(DocId::Fact(fact.id()), fact.statement())
    }

    /// Whether the text is new. The text of an id never changes.
    fn add(&mut self, id: DocId, text: &str) -> bool {
        if self.docs.contains_key(&id) {
            return false;
        }
        let mut found: Vec<u32> = Vec::new();
        for stem in stems(text) {
            let next = self.terms.len() as u32;
            found.push(*self.terms.entry(stem).or_insert(next));
        }
        found.sort_unstable();
        let counts = found.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect();
        self.docs.insert(id, Doc { terms: counts, length: found.len() as u32, vector: None });
        true
    }

    /// Gives a text its vector, of length 1. The first vector sets the dimension; one of another is ignored.
    pub fn set_vector(&mut self, id: DocId, vector: &[f32]) {
        if self.dimension == 0 {
            self.dimension = vector.len();
        }
        let Some(doc) = self.docs.get_mut(&id).filter(|_| vector.len() == self.dimension && !vector.is_empty()) else {
            return;
        };
        if doc.vector.is_none() {
            doc.vector = Some((self.vectors.len() / self.dimension) as u32);
            self.vectors.extend_from_slice(vector);
        }
    }

    /// A text's vector.
    pub fn vector(&self, id: DocId) -> Option<&[f32]> {
        let start = self.docs.get(&id)?.vector? as usize * self.dimension;
        self.vectors.get(start..start + self.dimension)
    }

    /// Forgets all vectors: another model makes new ones.
    pub fn clear_vectors(&mut self) {
        self.dimension = 0;
        self.vectors.clear();
        for doc in self.docs.values_mut() {
            doc.vector = None;
        }
    }

    /// Whether a text has its vector.
    pub fn has_vector(&self, id: DocId) -> bool {
        self.docs.get(&id).is_some_and(|doc| doc.vector.is_some())
    }

    /// Whether a text was ever there.
    pub fn holds_doc(&self, id: DocId) -> bool {
        self.docs.contains_key(&id)
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.docs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    pub(crate) fn doc(&self, id: DocId) -> Option<&Doc> {
        self.docs.get(&id)
    }

    pub(crate) fn term(&self, stem: &str) -> Option<u32> {
        self.terms.get(stem).copied()
    }

    /// Cosine of a query vector and a text's, both of length 1. Summed in a fixed order, eight lanes wide.
    pub(crate) fn similarity(&self, doc: &Doc, query: &[f32]) -> Option<f32> {
        let start = doc.vector? as usize * self.dimension;
        let vector = self.vectors.get(start..start + self.dimension).filter(|_| query.len() == self.dimension)?;
        let mut lanes = [0.0_f32; 8];
        let (a, b) = (vector.chunks_exact(8), query.chunks_exact(8));
        let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in a.zip(b) {
            for lane in 0..8 {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        Some(lanes.iter().sum::<f32>() + rest)
    }
}
