//! The facts and passages of a state, and the vocabulary of the facts.

use std::sync::Arc;

use super::State;
use crate::{Fact, FactId, Passage, PassageId, Vocabulary};

/// The part of a state that a search index reads: the facts, the passages and the vocabulary.
///
/// A corpus gives no access to entities, knowledge edges, operations and settings other than the vocabulary. Therefore,
/// an index that is built from a corpus cannot depend on the knowers of a fact.
#[derive(Debug, Clone, Copy)]
pub struct Corpus<'a>(&'a State);

impl State {
    /// Returns the part of the state that a search index reads: the facts, the passages and the vocabulary.
    pub fn corpus(&self) -> Corpus<'_> {
        Corpus(self)
    }
}

impl<'a> Corpus<'a> {
    /// Returns a fact with its [dense index](State::fact_index); `None` if the fact does not exist.
    pub fn fact(&self, id: FactId) -> Option<(u32, &'a Arc<Fact>)> {
        Some((self.0.fact_index(id)?, self.0.fact(id)?))
    }

    /// Returns all facts, sorted by id, each with its dense index.
    pub fn facts(&self) -> impl Iterator<Item = (u32, &'a Arc<Fact>)> + use<'a> {
        self.0.indexed_facts()
    }

    /// Returns the vocabulary of the facts.
    pub fn vocabulary(&self) -> &'a Vocabulary {
        self.0.vocabulary()
    }

    /// Returns a passage; `None` if it does not exist.
    pub fn passage(&self, id: PassageId) -> Option<&'a Arc<Passage>> {
        self.0.passage(id)
    }

    /// Returns all passages, sorted by id.
    pub fn passages(&self) -> impl Iterator<Item = (PassageId, &'a Arc<Passage>)> + use<'a> {
        self.0.passages()
    }
}
