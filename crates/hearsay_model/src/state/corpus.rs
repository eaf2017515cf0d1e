//! The facts and passages of a state, and the vocabulary of the facts.

use std::sync::Arc;

use super::State;
use crate::{Fact, FactId, Passage, PassageId, Vocabulary};

/// All facts and passages, as a search index reads them.
///
/// A corpus gives access to facts, passages and the vocabulary. It gives no access to entities, knowledge edges,
/// operations and other settings. An index built from it therefore cannot depend on who knows a fact.
#[derive(Debug, Clone, Copy)]
pub struct Corpus<'a>(&'a State);

impl State {
    /// Returns the facts and passages, and the vocabulary.
    pub fn corpus(&self) -> Corpus<'_> {
        Corpus(self)
    }
}

impl<'a> Corpus<'a> {
    /// Returns a fact with its dense index.
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

    /// Returns a passage.
    pub fn passage(&self, id: PassageId) -> Option<&'a Arc<Passage>> {
        self.0.passage(id)
    }

    /// Returns all passages, sorted by id.
    pub fn passages(&self) -> impl Iterator<Item = (PassageId, &'a Arc<Passage>)> + use<'a> {
        self.0.passages()
    }
}
