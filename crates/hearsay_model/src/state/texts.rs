//! Index of texts: the passages of each session and document, sorted by line number, and the facts that cite each
//! passage.

use std::{fmt, sync::Arc};

use super::{
    State,
    rows::{EntityRow, Indices, PassageRow, Table},
    shared::{Iter, SortedMap},
};
use crate::{Author, EntityId, Evidence, Fact, GameTime, Knower, Passage, PassageId, Position, SessionId};

/// Line numbers and dense indices of recorded passages, sorted by line number. An entry never changes, because session,
/// document and line number are part of a passage's id.
type PassageLines = SortedMap<(u32, u32), ()>;

#[derive(Debug, Clone, Default)]
pub(super) struct TextIndex {
    /// Passages by session.
    by_session: SortedMap<SessionId, PassageLines>,
    /// Passages without a session.
    without_session: PassageLines,
    by_document: SortedMap<EntityId, PassageLines>,
    /// All facts that ever cited a passage as evidence, by passage.
    facts_by_passage: SortedMap<PassageId, Indices>,
}

impl TextIndex {
    pub(super) fn add_passage(&mut self, passage: &Passage, index: u32) {
        let lines = match &passage.session {
            Some(session) => self.by_session.get_or_default(session.clone()),
            None => &mut self.without_session,
        };
        lines.get_or_default((passage.line, index));
        if let Some(document) = &passage.document {
            self.by_document.get_or_default(document.clone()).get_or_default((passage.line, index));
        }
    }

    pub(super) fn add_fact(&mut self, fact: &Fact, index: u32) {
        for id in cited_passages(fact) {
            let facts = self.facts_by_passage.get_or_default(id);
            if !facts.contains(index) {
                facts.push(index);
            }
        }
    }

    /// Removes a version of a fact from the lists of the passages that it cites. Keeps the entry in the list of each
    /// passage that another version of the fact also cites.
    pub(super) fn forget_fact(&mut self, fact: &Fact, index: u32, others: &[Arc<Fact>]) {
        for id in cited_passages(fact) {
            if !others.iter().any(|other| cited_passages(other).any(|cited| cited == id))
                && let Some(facts) = self.facts_by_passage.get_mut(&id)
            {
                facts.remove_last(|other| other == index);
                if facts.is_empty() {
                    self.facts_by_passage.remove(&id);
                }
            }
        }
    }

    pub(super) fn forget_passage(&mut self, passage: &Passage, index: u32) {
        let lines = match &passage.session {
            Some(session) => self.by_session.get_mut(session),
            None => Some(&mut self.without_session),
        };
        let document_lines = passage.document.as_ref().and_then(|document| self.by_document.get_mut(document));
        for lines in lines.into_iter().chain(document_lines) {
            lines.remove(&(passage.line, index));
        }
    }
}

fn cited_passages(fact: &Fact) -> impl Iterator<Item = PassageId> + use<'_> {
    fact.provenance().evidence.iter().filter_map(|evidence| match evidence {
        Evidence::Passage { passage, .. } => Some(*passage),
        Evidence::File { .. } | Evidence::Excerpt(_) => None,
    })
}

/// The passages of a state, and who received each passage. Later changes of the state do not affect the snapshot.
///
/// A snapshot shares its memory with the state, so the time to create or clone a snapshot does not depend on the number
/// of passages.
#[derive(Clone)]
pub struct PassageSnapshot {
    entities: Table<EntityRow>,
    passages: Table<PassageRow>,
    common_passages: Indices,
}

/// The debug output contains no passages, because the debug output of a view must not contain passages that the knower
/// did not receive.
impl fmt::Debug for PassageSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PassageSnapshot").finish_non_exhaustive()
    }
}

impl PassageSnapshot {
    /// Returns a passage; `None` if it does not exist.
    pub fn passage(&self, id: PassageId) -> Option<&Arc<Passage>> {
        self.passages.get(&id)?.record.value.as_ref()
    }

    /// Returns the same passages as [`State::passages_of`], each with the time from [`Passage::received_at`].
    pub fn received_by<'a>(
        &'a self,
        knower: &'a Knower,
    ) -> impl Iterator<Item = (PassageId, &'a Arc<Passage>, Option<GameTime>)> + use<'a> {
        received_by(&self.entities, &self.passages, &self.common_passages, knower)
    }
}

/// Returns the passages that a knower received, each with the time from [`Passage::received_at`].
fn received_by<'a>(
    entities: &'a Table<EntityRow>,
    passages: &'a Table<PassageRow>,
    common_passages: &'a Indices,
    knower: &'a Knower,
) -> impl Iterator<Item = (PassageId, &'a Arc<Passage>, Option<GameTime>)> + use<'a> {
    let indices = match knower {
        Knower::World => Some(common_passages),
        Knower::Entity(id) => entities.get(id).map(|row| &row.hears),
    };
    let rows = indices.map_or_else(Iter::default, Indices::iter).map(move |index| passages.at(index));
    let recorded = rows.filter_map(|row| Some((row.id, row.record.value.as_ref()?)));
    // A repeated assertion may have removed hearers, so check each passage again.
    recorded.filter_map(move |(id, passage)| Some((id, passage, passage.received_at(knower)?)))
}

impl State {
    /// Returns a snapshot of the passages.
    pub fn passage_snapshot(&self) -> PassageSnapshot {
        PassageSnapshot {
            entities: self.entities.clone(),
            passages: self.passages.clone(),
            common_passages: self.common_passages.clone(),
        }
    }

    /// Returns a passage; `None` if it does not exist.
    pub fn passage(&self, id: PassageId) -> Option<&Arc<Passage>> {
        self.passages.get(&id)?.record.value.as_ref()
    }

    /// Returns the passages that a knower said, heard or read, each with its id, in arbitrary order. Out-of-character
    /// lines are not included. Passages that only a group of the knower heard or read are not included.
    pub fn passages_of<'a>(
        &'a self,
        knower: &'a Knower,
    ) -> impl Iterator<Item = (PassageId, &'a Arc<Passage>)> + use<'a> {
        let received = received_by(&self.entities, &self.passages, &self.common_passages, knower);
        received.map(|(id, passage, _)| (id, passage))
    }

    /// Returns all passages with their ids, sorted by id.
    pub fn passages(&self) -> impl Iterator<Item = (PassageId, &Arc<Passage>)> {
        let visible = self.passages.rows().filter_map(|(_, row)| Some((row.id, row.record.value.as_ref()?)));
        let mut passages: Vec<_> = visible.collect();
        passages.sort_unstable_by_key(|(id, _)| *id);
        passages.into_iter()
    }

    fn passages_at_lines<'a>(
        &'a self,
        lines: Option<&'a PassageLines>,
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
        self.passages_at_lines(match session {
            Some(session) => self.texts.by_session.get(session),
            None => Some(&self.texts.without_session),
        })
    }

    /// Returns the passages of a document, sorted by line number.
    pub fn passages_in_document(
        &self,
        document: &EntityId,
    ) -> impl DoubleEndedIterator<Item = (PassageId, &Arc<Passage>)> {
        self.passages_at_lines(self.texts.by_document.get(document))
    }

    /// Returns the author of the last live operation that added or changed a passage.
    pub fn passage_author(&self, id: PassageId) -> Option<&Author> {
        let writes = &self.passages.get(&id)?.record.writes;
        let mut entries = writes.iter().rev().map(|write| &self.journal[write.operation as usize]);
        entries.find(|entry| entry.live).map(|entry| &entry.operation.author)
    }

    /// Returns the facts, with any status, that cite a passage as evidence. The order is arbitrary.
    pub fn facts_citing(&self, passage: PassageId) -> impl Iterator<Item = &Arc<Fact>> {
        let indices = self.texts.facts_by_passage.get(&passage).into_iter().flat_map(Indices::iter);
        let facts = indices.filter_map(|index| self.fact_at(index));
        facts.filter(move |fact| cited_passages(fact).any(|id| id == passage))
    }

    /// Returns the positions of the live operations that recorded the facts which the extractor found in a passage.
    /// Sorted.
    pub fn extractions_from(&self, passage: PassageId) -> Vec<Position> {
        let facts = self.texts.facts_by_passage.get(&passage).into_iter().flat_map(Indices::iter);
        let writes = facts.flat_map(|index| self.facts.at(index).record.writes.iter());
        let mut operations: Vec<u32> = writes.map(|write| write.operation).collect();
        operations.sort_unstable();
        operations.dedup();
        operations.retain(|index| {
            let entry = &self.journal[*index as usize];
            entry.live && entry.operation.extracted_from() == Some(passage)
        });
        operations.into_iter().map(|index| Position(u64::from(index) + 1)).collect()
    }
}
