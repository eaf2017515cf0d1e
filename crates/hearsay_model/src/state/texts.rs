//! Index of texts: the passages of each session and document, sorted by line number, and the facts that cite each
//! passage.

use std::sync::Arc;

use super::{State, rows::Indices, shared::SortedMap};
use crate::{EntityId, Evidence, Fact, Passage, PassageId, SessionId};

/// Line numbers and dense indices of recorded passages, sorted by line number. An entry never changes, because session,
/// document and line number are part of a passage's id.
type Lines = SortedMap<(u32, u32), ()>;

#[derive(Debug, Clone, Default)]
pub(super) struct TextIndex {
    /// Passages by session.
    sessions: SortedMap<SessionId, Lines>,
    /// Passages without a session.
    outside: Lines,
    documents: SortedMap<EntityId, Lines>,
    /// All facts that ever cited a passage as evidence, by passage.
    cited: SortedMap<PassageId, Indices>,
}

impl TextIndex {
    pub(super) fn add_passage(&mut self, passage: &Passage, index: u32) {
        let lines = match &passage.session {
            Some(session) => self.sessions.get_or_default(session.clone()),
            None => &mut self.outside,
        };
        lines.get_or_default((passage.line, index));
        if let Some(document) = &passage.document {
            self.documents.get_or_default(document.clone()).get_or_default((passage.line, index));
        }
    }

    pub(super) fn add_fact(&mut self, fact: &Fact, index: u32) {
        for id in cites(fact) {
            let facts = self.cited.get_or_default(id);
            if !facts.contains(index) {
                facts.push(index);
            }
        }
    }

    /// Removes a version of a fact from the lists of the passages that it cites. Keeps the entry in the list of each
    /// passage that another version of the fact also cites.
    pub(super) fn forget_fact(&mut self, fact: &Fact, index: u32, others: &[Arc<Fact>]) {
        for id in cites(fact) {
            if !others.iter().any(|other| cites(other).any(|cited| cited == id))
                && let Some(facts) = self.cited.get_mut(&id)
            {
                facts.remove_last(|other| other == index);
                if facts.is_empty() {
                    self.cited.remove(&id);
                }
            }
        }
    }

    pub(super) fn forget_passage(&mut self, passage: &Passage, index: u32) {
        let lines = match &passage.session {
            Some(session) => self.sessions.get_mut(session),
            None => Some(&mut self.outside),
        };
        let of_document = passage.document.as_ref().and_then(|document| self.documents.get_mut(document));
        for lines in lines.into_iter().chain(of_document) {
            lines.remove(&(passage.line, index));
        }
    }
}

fn cites(fact: &Fact) -> impl Iterator<Item = PassageId> + use<'_> {
    fact.provenance().evidence.iter().filter_map(|evidence| match evidence {
        Evidence::Passage { passage, .. } => Some(*passage),
        Evidence::File { .. } | Evidence::Excerpt(_) => None,
    })
}

impl State {
    fn lines<'a>(
        &'a self,
        lines: Option<&'a Lines>,
    ) -> impl DoubleEndedIterator<Item = (PassageId, &'a Arc<Passage>)> + use<'a> {
        lines.into_iter().flat_map(SortedMap::keys).filter_map(|(_, index)| {
            let row = self.passages.at(*index);
            Some((row.id, row.record.value.as_ref()?))
        })
    }

    /// Returns the passages of a session, sorted by line number. If the session is `None`, returns the passages without
    /// a session.
    pub fn passages_in_session(
        &self,
        session: Option<&SessionId>,
    ) -> impl DoubleEndedIterator<Item = (PassageId, &Arc<Passage>)> {
        self.lines(match session {
            Some(session) => self.texts.sessions.get(session),
            None => Some(&self.texts.outside),
        })
    }

    /// Returns the passages of a document, sorted by line number.
    pub fn passages_in_document(
        &self,
        document: &EntityId,
    ) -> impl DoubleEndedIterator<Item = (PassageId, &Arc<Passage>)> {
        self.lines(self.texts.documents.get(document))
    }

    /// Returns the facts, with any status, that cite a passage as evidence. The order is arbitrary.
    pub fn facts_citing(&self, passage: PassageId) -> impl Iterator<Item = &Arc<Fact>> {
        let indices = self.texts.cited.get(&passage).into_iter().flat_map(Indices::iter);
        let facts = indices.filter_map(|index| self.fact_at(index));
        facts.filter(move |fact| cites(fact).any(|id| id == passage))
    }
}
