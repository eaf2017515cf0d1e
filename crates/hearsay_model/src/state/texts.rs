//! Text index: the passages of each session and document in the order of their lines, and the facts that cite a passage.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rustc_hash::FxHashMap;

use super::{State, rows::Few};
use crate::{EntityId, Evidence, Fact, Passage, PassageId, SessionId};

/// Line number and dense index of passages that were ever recorded. Session, document and line belong to the id of a
/// passage, so that none ever moves.
type Lines = BTreeSet<(u32, u32)>;

#[derive(Debug, Clone, Default)]
pub(super) struct TextIndex {
    /// Of each session.
    sessions: BTreeMap<SessionId, Lines>,
    /// Of no session.
    outside: Lines,
    documents: FxHashMap<EntityId, Lines>,
    /// Facts that ever cited a passage as evidence.
    cited: FxHashMap<PassageId, Few>,
}

impl TextIndex {
    pub(super) fn add_passage(&mut self, passage: &Passage, index: u32) {
        let lines = match &passage.session {
            Some(session) => self.sessions.entry(session.clone()).or_default(),
            None => &mut self.outside,
        };
        lines.insert((passage.line, index));
        if let Some(document) = &passage.document {
            self.documents.entry(document.clone()).or_default().insert((passage.line, index));
        }
    }

    pub(super) fn add_fact(&mut self, fact: &Fact, index: u32) {
        for id in cites(fact) {
            let facts = self.cited.entry(id).or_default();
            if !facts.contains(&index) {
                facts.push(index);
            }
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
        lines.into_iter().flatten().filter_map(|(_, index)| {
            let row = self.passages.at(*index);
            Some((row.id, row.record.value.as_ref()?))
        })
    }

    /// The passages of a session, or those of none, in the order of their lines.
    pub fn passages_in_session(
        &self,
        session: Option<&SessionId>,
    ) -> impl DoubleEndedIterator<Item = (PassageId, &Arc<Passage>)> {
        self.lines(match session {
            Some(session) => self.texts.sessions.get(session),
            None => Some(&self.texts.outside),
        })
    }

    /// The passages of a document, in the order of their lines.
    pub fn passages_in_document(
        &self,
        document: &EntityId,
    ) -> impl DoubleEndedIterator<Item = (PassageId, &Arc<Passage>)> {
        self.lines(self.texts.documents.get(document))
    }

    /// The facts that cite a passage as evidence, whatever their standing. In no order that means anything.
    pub fn facts_citing(&self, passage: PassageId) -> impl Iterator<Item = &Arc<Fact>> {
        let indices = self.texts.cited.get(&passage).into_iter().flatten();
        let facts = indices.filter_map(|index| self.fact_at(*index));
        facts.filter(move |fact| cites(fact).any(|id| id == passage))
    }
}
