//! Consistency checks between the indices of a state and its rows.

use std::collections::{BTreeMap, BTreeSet};

use super::{State, rows::Indices};
use crate::{EntityId, Knower, text};

type IndexLists<K> = BTreeMap<K, Vec<u32>>;

fn insert_sorted<K: Ord>(lists: &mut IndexLists<K>, key: K, index: u32) {
    let list = lists.entry(key).or_default();
    list.push(index);
    list.sort_unstable();
}

fn sorted(indices: &Indices) -> Vec<u32> {
    let mut indices: Vec<u32> = indices.iter().collect();
    indices.sort_unstable();
    indices
}

fn non_empty_lists<K: Ord>(lists: impl Iterator<Item = (K, Vec<u32>)>) -> IndexLists<K> {
    lists.filter(|(_, list)| !list.is_empty()).collect()
}

impl State {
    /// Panics if an index lacks a row that belongs in it, or contains a row that does not.
    pub(super) fn assert_consistent(&self) {
        let (mut facts, mut names, mut handles) =
            <(IndexLists<EntityId>, IndexLists<String>, IndexLists<String>)>::default();
        let mut hops: BTreeMap<u32, Vec<(u32, u32, bool)>> = BTreeMap::new();
        for (index, row) in self.facts.rows() {
            assert_eq!(self.facts.find(&row.id), Some(index));
            assert!(row.record.is_recorded() || !row.known_by.is_empty(), "nothing keeps the row of {:?}", row.id);
            let asserted = row.record.writes.iter().filter_map(|write| self.change(write).fact());
            let versions: Vec<_> = asserted.chain(row.record.value.as_ref().filter(|_| row.transient)).collect();
            let entity_ids: BTreeSet<_> = versions.iter().flat_map(|fact| fact.entities()).collect();
            entity_ids.into_iter().for_each(|id| insert_sorted(&mut facts, id.clone(), index));
            let handle_names: BTreeSet<_> = versions.iter().filter_map(|fact| fact.handle()).collect();
            handle_names.into_iter().for_each(|handle| insert_sorted(&mut handles, handle.to_owned(), index));
            let Some(first) = versions.first() else { continue };
            if let Some(name) = first.object().text().filter(|_| first.is_name()) {
                insert_sorted(&mut names, text::normalize(name), index);
            }
            if let Some(object) = first.object().entity() {
                let [subject, object] = [first.subject(), object].map(|id| self.entities.find(id).unwrap());
                hops.entry(subject).or_default().push((index, object, true));
                if subject != object {
                    hops.entry(object).or_default().push((index, subject, false));
                }
            }
        }
        let entities = || self.entities.rows().map(|(_, row)| row);
        assert_eq!(facts, non_empty_lists(entities().map(|row| (row.id.clone(), sorted(&row.facts)))));
        assert_eq!(names, self.names.rows().map(|(_, row)| (row.name.clone(), sorted(&row.facts))).collect());
        assert_eq!(handles, self.handles.rows().map(|(_, row)| (row.name.clone(), sorted(&row.facts))).collect());
        assert_eq!(self.hops.len(), self.entities.index_count());
        for (index, entity_hops) in self.hops.iter() {
            let mut actual: Vec<_> =
                entity_hops.iter().map(|hop| (hop.fact(), hop.other(), hop.is_forward())).collect();
            actual.sort_unstable();
            assert_eq!(actual, hops.remove(&(index as u32)).unwrap_or_default());
        }
        for index in 0..self.facts.index_count() as u32 + 8 {
            assert_eq!(
                self.is_in_effect_at(index),
                self.fact_at(index).is_some_and(|fact| fact.is_in_effect()),
                "{index}"
            );
        }

        let (mut edges_by_knower, mut edges_by_fact, mut dependents) =
            (IndexLists::new(), IndexLists::new(), IndexLists::new());
        for (index, row) in self.knowledge.rows() {
            assert_eq!(self.knowledge.find(&row.id), Some(index));
            assert!(row.record.is_recorded() || !row.dependents.is_empty(), "nothing keeps the row of {:?}", row.id);
            assert_eq!(row.fact.is_some(), row.record.is_recorded());
            let learned = row.record.writes.iter().next().and_then(|write| self.change(write).edge());
            let Some(edge) = learned.or(row.record.value.as_ref().filter(|_| row.transient)) else { continue };
            insert_sorted(&mut edges_by_knower, edge.knower.clone(), index);
            insert_sorted(&mut edges_by_fact, edge.fact, index);
            edge.sources
                .iter()
                .flat_map(|source| source.edges())
                .for_each(|id| insert_sorted(&mut dependents, id, index));
        }
        let known_edges = entities().map(|row| (Knower::Entity(row.id.clone()), sorted(&row.knows)));
        assert_eq!(edges_by_knower, non_empty_lists(known_edges.chain([(Knower::World, sorted(&self.common))])));
        assert_eq!(edges_by_fact, non_empty_lists(self.facts.rows().map(|(_, row)| (row.id, sorted(&row.known_by)))));
        assert_eq!(
            dependents,
            non_empty_lists(self.knowledge.rows().map(|(_, row)| (row.id, sorted(&row.dependents))))
        );
        for table in [self.facts.free_indices(), self.knowledge.free_indices()] {
            assert!(table.windows(2).all(|pair| pair[0] != pair[1]), "an index is free twice: {table:?}");
        }
    }
}
