//! Removal of rows. After the removal, the state is the same as if the record had never been written. A new record can
//! reuse the dense index of the removed row.
//!
//! The cost is proportional to the number of current references to the record. Lists are searched from the end, because
//! most removed records are new.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    State,
    apply::sort_and_dedup,
    rows::{NameRow, Row, Table},
    validity::ValidityList,
};
use crate::{EntityId, Fact, Key, Knower, Passage, text};

impl State {
    /// Removes the fact at a dense index, as if it had never been recorded. Edges to it become inactive.
    ///
    /// Returns the keys of the records that may have changed, appeared or disappeared, sorted and unique.
    ///
    /// The operation that recorded the fact stays in the journal. Reverting or restoring this operation later does not
    /// bring the fact back.
    pub(super) fn forget_fact(&mut self, index: u32) -> Vec<Key> {
        let Some(row) = self.facts.row(index).filter(|row| row.record.is_recorded()) else { return Vec::new() };
        let id = row.id;
        // Collects the mentions and handles of all versions, because a repeated assertion may have changed them.
        let (mut entities, mut handles) = (BTreeSet::<EntityId>::new(), BTreeSet::new());
        let (mut name, mut endpoints) = (None, None);
        let list = self.fact_at(index).and_then(|fact| ValidityList::for_fact(fact));
        let assertions = row.record.writes.iter().filter_map(|write| self.change(write).fact());
        let mut versions = Vec::new();
        for fact in assertions.chain(&row.record.value) {
            versions.push(Arc::clone(fact));
            entities.extend(fact.entities().cloned());
            handles.extend(fact.handle().map(str::to_owned));
            if endpoints.is_none() {
                name = fact.object().text().filter(|_| fact.is_name()).map(text::normalize);
                endpoints = Some([Some(fact.subject()), fact.object().entity()].map(|id| self.entities.find(id?)));
            }
        }
        for id in &entities {
            if let Some(entity) = self.entities.find(id) {
                self.entities.at_mut(entity).facts.remove_last(|fact| fact == index);
            }
        }
        if let Some([Some(subject), Some(object)]) = endpoints {
            for entity in [subject, object] {
                let hops = &mut self.hops[entity as usize];
                if let Some(at) = hops.iter().rposition(|hop| hop.fact() == index) {
                    hops.remove(at);
                }
            }
        }
        versions.iter().for_each(|fact| self.texts.forget_fact(fact, index, &[]));
        if let (Some(fact), Some([Some(subject), object])) = (versions.first(), endpoints) {
            self.validity.update(index, fact.predicate(), (subject, object), (list, None));
        }
        handles.iter().for_each(|handle| self.handles.forget(handle, index));
        name.iter().for_each(|name| self.names.forget(name, index));
        self.in_effect.set(index as usize, false);
        self.shown.remove(index as usize);
        let row = self.facts.at_mut(index);
        row.record = Row::default();
        (row.transient, row.supported) = (false, false);
        let edges = row.known_by.iter().collect();
        let mut touched = vec![Key::Fact(id)];
        self.refresh_edges(&[], edges, &mut touched);
        self.release_fact(index);
        sort_and_dedup(&mut touched);
        touched
    }

    /// Removes the edge at a dense index, as if it had never been recorded. Dependent edges may become inactive.
    ///
    /// Returns the keys of the records that may have changed, appeared or disappeared, sorted and unique.
    pub(super) fn forget_knowledge(&mut self, index: u32) -> Vec<Key> {
        let Some(row) = self.knowledge.row(index).filter(|row| row.record.is_recorded()) else { return Vec::new() };
        let id = row.id;
        let recorded = row.record.writes.iter().find_map(|write| self.change(write).edge());
        let Some(edge) = recorded.or(row.record.value.as_ref()).cloned() else { return Vec::new() };
        let knower_edges = match &edge.knower {
            Knower::World => Some(&mut self.common),
            Knower::Entity(id) => self.entities.find(id).map(|entity| &mut self.entities.at_mut(entity).knows),
        };
        knower_edges.map(|edges| edges.remove_last(|other| other == index));
        let row = self.knowledge.at_mut(index);
        row.record = Row::default();
        (row.shown, row.transient) = (false, false);
        let (fact, dependents) = (row.fact.take(), row.dependents.iter().collect());
        if let Some(fact) = fact {
            self.facts.at_mut(fact).known_by.remove_last(|other| other == index);
            self.release_fact(fact);
        }
        for source in edge.sources.iter().flat_map(|source| source.edges()) {
            if let Some(source) = self.knowledge.find(&source) {
                self.knowledge.at_mut(source).dependents.remove_last(|other| other == index);
                self.release_knowledge(source);
            }
        }
        let mut touched = vec![Key::KnowledgeEdge(id)];
        self.refresh_edges(&[], dependents, &mut touched);
        self.release_knowledge(index);
        sort_and_dedup(&mut touched);
        touched
    }

    /// Removes the passage at a dense index, as if it had never been recorded.
    pub(super) fn forget_passage(&mut self, index: u32) -> Key {
        let row = self.passages.at(index);
        let (id, writes) = (row.id, row.record.writes.clone());
        let versions: Vec<Arc<Passage>> =
            writes.iter().filter_map(|write| self.change(write).passage()).map(Arc::clone).collect();
        for (at, passage) in versions.iter().enumerate() {
            self.unindex_passage(passage, index, &versions[at + 1..]);
        }
        if let Some(passage) = versions.first() {
            self.texts.forget_passage(passage, index);
        }
        self.passages.remove(index);
        Key::Passage(id)
    }

    /// Removes a version of a passage from the lists of its speaker, hearers and readers. Keeps the entry of each
    /// knower that also occurs in another version of the passage.
    pub(super) fn unindex_passage(&mut self, passage: &Passage, index: u32, others: &[Arc<Passage>]) {
        let remaining: BTreeSet<Knower> = others.iter().flat_map(|other| recipients(other)).collect();
        for knower in recipients(passage).difference(&remaining) {
            let passages = match knower {
                Knower::World => Some(&mut self.common_passages),
                Knower::Entity(id) => self.entities.find(id).map(|entity| &mut self.entities.at_mut(entity).hears),
            };
            passages.map(|passages| passages.remove_last(|other| other == index));
        }
    }

    /// Removes a version of a fact from the indices. Keeps the entries that another version of the fact also needs.
    pub(super) fn unindex_version(&mut self, fact: &Fact, index: u32, others: &[Arc<Fact>]) {
        let remaining: BTreeSet<&EntityId> = others.iter().flat_map(|other| other.entities()).collect();
        let removed: BTreeSet<&EntityId> = fact.entities().filter(|id| !remaining.contains(id)).collect();
        for id in removed {
            if let Some(entity) = self.entities.find(id) {
                self.entities.at_mut(entity).facts.remove_last(|other| other == index);
            }
        }
        if let Some(handle) = fact.handle().filter(|handle| others.iter().all(|other| other.handle() != Some(*handle)))
        {
            self.handles.forget(handle, index);
        }
        self.texts.forget_fact(fact, index, others);
    }

    /// Removes the row of a fact if the fact is not recorded and no edge refers to it.
    fn release_fact(&mut self, index: u32) {
        if self.facts.row(index).is_some_and(|row| !row.record.is_recorded() && row.known_by.is_empty()) {
            self.facts.remove(index);
        }
    }

    /// Removes the row of an edge if the edge is not recorded and no other edge refers to it.
    fn release_knowledge(&mut self, index: u32) {
        if self.knowledge.row(index).is_some_and(|row| !row.record.is_recorded() && row.dependents.is_empty()) {
            self.knowledge.remove(index);
        }
    }
}

/// Returns the knowers that said, heard or read a passage.
fn recipients(passage: &Passage) -> BTreeSet<Knower> {
    let speaker = passage.speaker.iter().cloned().map(Knower::Entity);
    passage.knowers().cloned().chain(speaker).collect()
}

impl Table<NameRow> {
    /// Removes a fact from the row of a name.
    fn forget(&mut self, name: &str, fact: u32) {
        if let Some(index) = self.find(name) {
            let facts = &mut self.at_mut(index).facts;
            facts.remove_last(|other| other == fact);
            if facts.is_empty() {
                self.remove(index);
            }
        }
    }
}
