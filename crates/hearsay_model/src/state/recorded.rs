//! The operations that recorded facts, edges and passages.

use std::sync::Arc;

use super::{
    State,
    rows::{FactRow, Write},
};
use crate::{Author, Change, EntityId, Evidence, Fact, KnowledgeId, Operation, PassageId, text};

impl State {
    /// Returns all facts, with any status, in the order in which they were last asserted.
    pub fn facts_by_assertion(&self) -> Vec<&Arc<Fact>> {
        let rows = self.facts.rows();
        let mut facts: Vec<_> =
            rows.filter_map(|(index, row)| Some((self.newest_assertion(row), row.id, self.fact_at(index)?))).collect();
        facts.sort_unstable_by_key(|(assertion, id, _)| (*assertion, *id));
        facts.into_iter().map(|(_, _, fact)| fact).collect()
    }

    /// Returns the last write that asserted a fact and that was not reverted. Later changes of the status and later
    /// confirmations are ignored.
    pub(super) fn newest_assertion(&self, row: &FactRow) -> Option<Write> {
        if row.transient {
            // A transient value counts as the newest value. It would have been dropped if an operation had asserted a
            // newer value.
            return Some(Write { operation: u32::MAX, change: 0 });
        }
        let asserts = |write: &Write| {
            let entry = &self.journal[write.operation as usize];
            entry.live && matches!(entry.operation.changes[write.change as usize], Change::AssertFact(_))
        };
        row.record.writes.iter().rev().find(asserts)
    }

    /// Returns the facts about an entity that were rejected before the operation that recorded them was reverted. For
    /// example, the extractor reverts the facts of a text when a person changes the text. The rejection is still the
    /// last decision on these facts.
    pub fn withdrawn_rejections<'a>(&'a self, id: &EntityId) -> impl Iterator<Item = &'a Arc<Fact>> + use<'a> {
        self.entities.get(id).into_iter().flat_map(|entity| {
            let rows = entity.facts.iter().map(|index| self.facts.at(index));
            let withdrawn = rows.filter(|row| row.record.value.is_none() && self.is_rejected(row));
            withdrawn.filter_map(|row| self.asserted(row.id))
        })
    }

    /// Returns a fact with the decisions that a person made on it before the operation that recorded it was reverted.
    /// For example, the extractor reverts the facts of a text when a person changes the text. The decisions still apply
    /// if the fact quotes the same words of a text as before.
    ///
    /// Returns `None` if nobody confirmed the fact, if the fact quotes other words, or if the fact is recorded.
    pub fn with_withdrawn_decisions(&self, fact: &Fact) -> Option<Arc<Fact>> {
        let row = self.facts.get(&fact.id()).filter(|row| row.record.value.is_none())?;
        let mut versions = row.record.writes.iter().filter_map(|write| self.change(write).fact());
        if !versions.any(|version| quotes_same_words(version, fact)) {
            return None;
        }
        let is_live = |write: &Write| self.journal[write.operation as usize].live;
        let decisions: Vec<&Change> =
            row.record.writes.iter().filter(is_live).map(|write| self.change(write)).collect();
        let is_confirmed = decisions.iter().any(|decision| matches!(decision, Change::Confirm(_)));
        if !is_confirmed || !decisions.iter().all(|decision| decision.is_decision()) {
            return None;
        }
        let mut decided = fact.clone();
        decisions.into_iter().for_each(|decision| decision.decide(&mut decided));
        Some(Arc::new(decided))
    }

    /// Returns whether the last decision on a fact rejected the fact.
    fn is_rejected(&self, row: &FactRow) -> bool {
        let change = |write: Write| {
            let entry = &self.journal[write.operation as usize];
            entry.live.then(|| &entry.operation.changes[write.change as usize])
        };
        let is_decision = |change: &&Change| matches!(change, Change::SetStatus { .. } | Change::RetractFact(_));
        let last = row.record.writes.iter().rev().filter_map(change).find(is_decision);
        last.is_some_and(Change::is_rejection)
    }

    /// Returns the author of the last live operation that added or removed an edge.
    pub fn edge_author(&self, id: KnowledgeId) -> Option<&Author> {
        let writes = &self.knowledge.get(&id)?.record.writes;
        let mut entries = writes.iter().rev().map(|write| &self.journal[write.operation as usize]);
        entries.find(|entry| entry.live).map(|entry| &entry.operation.author)
    }

    /// Returns the live operations that recorded an edge, in order.
    pub fn operations_recording(&self, edge: KnowledgeId) -> impl Iterator<Item = &Operation> {
        let writes = self.knowledge.get(&edge).into_iter().flat_map(|row| row.record.writes.iter());
        writes.filter_map(move |write| {
            let entry = &self.journal[write.operation as usize];
            let is_learned = matches!(entry.operation.changes[write.change as usize], Change::Learn(_));
            (entry.live && is_learned).then_some(&*entry.operation)
        })
    }

    /// Returns whether an edge comes from a passage: `true` if one live operation recorded both the edge and the
    /// passage.
    pub fn is_recorded_with(&self, edge: KnowledgeId, passage: PassageId) -> bool {
        let (Some(edge), Some(passage)) = (self.knowledge.get(&edge), self.passages.get(&passage)) else {
            return false;
        };
        let has_passage = |operation: u32| passage.record.writes.iter().any(|write| write.operation == operation);
        let mut operations = edge.record.writes.iter().map(|write| write.operation);
        operations.any(|operation| self.journal[operation as usize].live && has_passage(operation))
    }
}

/// Returns whether two facts have evidence with the same words of a text.
fn quotes_same_words(a: &Fact, b: &Fact) -> bool {
    let quotes = |fact: &Fact| -> Vec<String> {
        let quotes = fact.provenance().evidence.iter().filter_map(|evidence| match evidence {
            Evidence::Passage { quote, .. } => Some(text::normalize(quote)),
            Evidence::File { .. } | Evidence::Excerpt(_) => None,
        });
        quotes.collect()
    };
    let words = quotes(a);
    quotes(b).iter().any(|quote| words.contains(quote))
}
