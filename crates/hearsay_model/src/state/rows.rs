//! Rows of the state, and tables of rows. You can look up a row by its key or by its dense index (a small number).

use std::{borrow::Borrow, hash::Hash, sync::Arc};

use super::shared::{ChunkedVec, HashIndex, List};
use crate::{Entity, EntityId, Fact, FactId, KnowledgeEdge, KnowledgeId, Passage, PassageId, Predicate};

/// Location of a change in the journal: the index of the operation, and the index of the change within the operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Write {
    pub(super) operation: u32,
    pub(super) change: u32,
}

/// List of dense indices. Nearly all of these lists are short.
pub(super) type Indices = List<u32, 5>;

/// List of writes. Nearly all of these lists have one element.
pub(super) type Writes = List<Write, 2>;

/// A record: its writes in order, and the value that results from the writes whose operation was not reverted.
#[derive(Debug, Clone)]
pub(super) struct Row<V> {
    pub(super) writes: Writes,
    pub(super) value: Option<Arc<V>>,
}

impl<V> Default for Row<V> {
    fn default() -> Self {
        Self { writes: Writes::default(), value: None }
    }
}

impl<V> Row<V> {
    /// Returns whether the record has a write or a value.
    pub(super) fn is_recorded(&self) -> bool {
        self.value.is_some() || !self.writes.is_empty()
    }
}

#[derive(Debug, Clone)]
pub(super) struct EntityRow {
    pub(super) id: EntityId,
    pub(super) record: Row<Entity>,
    /// All facts in which the entity ever was the subject, the object or a mention, including hidden facts.
    pub(super) facts: Indices,
    /// All knowledge edges that the entity ever had, including hidden edges.
    pub(super) knows: Indices,
    /// All passages that the entity ever said, heard or read, including hidden passages.
    pub(super) hears: Indices,
}

impl EntityRow {
    pub(super) fn new(id: &EntityId) -> Self {
        let (facts, knows, hears) = Default::default();
        Self { id: id.clone(), record: Row::default(), facts, knows, hears }
    }
}

/// Relation seen from one of its entities, stored as numbers: the dense indices of the fact, the predicate and the
/// other entity. Each relation has two hops, one from each of its entities. Graph searches follow hops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hop {
    fact: u32,
    other: u32,
    /// The dense index of the predicate times two, plus one if the hop leads from the subject to the object.
    predicate_and_direction: u32,
    /// The first 32 bits of the fact id. These bits nearly always differ between two facts.
    pub(super) key: u32,
}

impl Hop {
    pub(super) fn new(fact: u32, id: FactId, other: u32, predicate: u32, forward: bool) -> Self {
        Self {
            fact,
            other,
            predicate_and_direction: predicate << 1 | u32::from(forward),
            key: (id.as_u128() >> 96) as u32,
        }
    }

    /// Returns the dense index of the fact that states the relation.
    #[inline]
    pub fn fact(&self) -> u32 {
        self.fact
    }

    /// Returns the dense index of the entity at the other end of the relation.
    #[inline]
    pub fn other(&self) -> u32 {
        self.other
    }

    /// Returns the dense index of the predicate.
    #[inline]
    pub fn predicate(&self) -> u32 {
        self.predicate_and_direction >> 1
    }

    /// Returns whether the hop leads from the subject of the relation to its object. If `false`, the hop leads from the
    /// object to the subject.
    #[inline]
    pub fn is_forward(&self) -> bool {
        self.predicate_and_direction & 1 == 1
    }
}

/// The entities in the order of their ids.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// Rank of each entity, by its dense index.
    pub(super) ranks: Vec<u32>,
    /// Dense index of each entity, by its rank.
    pub(super) indices: Vec<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct FactRow {
    pub(super) id: FactId,
    pub(super) record: Row<Fact>,
    /// Whether the fact is a transient value, which is not in the journal.
    pub(super) transient: bool,
    /// Whether any of the writes is a [`Change::Support`](crate::Change::Support). If so, the value results from all
    /// writes. Otherwise, the value results from the writes since the last assertion.
    pub(super) supported: bool,
    /// All edges that ever led to the fact, including hidden edges.
    pub(super) known_by: Indices,
}

#[derive(Debug, Clone)]
pub(super) struct KnowledgeRow {
    pub(super) id: KnowledgeId,
    pub(super) record: Row<KnowledgeEdge>,
    /// The dense index of the edge's fact; `None` while the edge is not recorded and only other edges refer to it.
    pub(super) fact: Option<u32>,
    /// Whether the edge is active. An edge is active if it has a value, its knower exists, its justifications are
    /// active, and its fact is visible and neither proposed nor rejected.
    pub(super) shown: bool,
    /// Whether the edge's fact is a transient value.
    pub(super) transient: bool,
    /// All edges that ever depended on this edge, including hidden edges.
    pub(super) dependents: Indices,
}

#[derive(Debug, Clone)]
pub(super) struct PassageRow {
    pub(super) id: PassageId,
    pub(super) record: Row<Passage>,
}

/// A name or handle, and the facts that have it.
#[derive(Debug, Clone)]
pub(super) struct NameRow {
    pub(super) name: String,
    pub(super) facts: Indices,
}

impl NameRow {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), facts: Indices::default() }
    }
}

/// A row that is looked up by key.
pub(super) trait Keyed {
    type Key: Eq + Hash;
    fn key(&self) -> &Self::Key;
}

impl Keyed for EntityRow {
    type Key = EntityId;
    #[inline]
    fn key(&self) -> &EntityId {
        &self.id
    }
}

impl Keyed for FactRow {
    type Key = FactId;
    #[inline]
    fn key(&self) -> &FactId {
        &self.id
    }
}

impl Keyed for KnowledgeRow {
    type Key = KnowledgeId;
    #[inline]
    fn key(&self) -> &KnowledgeId {
        &self.id
    }
}

impl Keyed for PassageRow {
    type Key = PassageId;
    #[inline]
    fn key(&self) -> &PassageId {
        &self.id
    }
}

impl Keyed for NameRow {
    type Key = String;
    #[inline]
    fn key(&self) -> &String {
        &self.name
    }
}

impl Keyed for Predicate {
    type Key = Self;
    #[inline]
    fn key(&self) -> &Self {
        self
    }
}

/// Table of rows. Each row is found by its key or by its dense index. The index of a removed row is reused.
#[derive(Debug, Clone)]
pub(super) struct Table<R> {
    rows: ChunkedVec<R, 32>,
    index: HashIndex,
    /// Indices of removed rows.
    free: Indices,
}

impl<R> Default for Table<R> {
    fn default() -> Self {
        Self { rows: ChunkedVec::default(), index: HashIndex::default(), free: Indices::default() }
    }
}

impl<R: Keyed + Clone> Table<R> {
    #[inline]
    pub(super) fn find<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<u32>
    where
        R::Key: Borrow<Q>,
    {
        self.index.find(key, |index| self.at(index).key().borrow() == key)
    }

    #[inline]
    pub(super) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&R>
    where
        R::Key: Borrow<Q>,
    {
        self.find(key).map(|index| self.at(index))
    }

    #[inline]
    pub(super) fn at(&self, index: u32) -> &R {
        &self.rows[index as usize]
    }

    pub(super) fn at_mut(&mut self, index: u32) -> &mut R {
        &mut self.rows[index as usize]
    }

    /// Returns the row at an index; `None` if there is no row.
    #[inline]
    pub(super) fn row(&self, index: u32) -> Option<&R> {
        self.rows.get(index as usize)
    }

    /// Returns all rows with their indices.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &R)> {
        self.rows.iter().map(|(index, row)| (index as u32, row))
    }

    /// Returns the number of indices in use, including those of removed rows.
    #[inline]
    pub(super) fn index_count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the free indices, sorted. New rows get these indices first.
    #[cfg(test)]
    pub(super) fn free_indices(&self) -> Vec<u32> {
        let mut free: Vec<u32> = self.free.iter().collect();
        free.sort_unstable();
        free
    }

    /// Returns the index of the row with a key, and whether the row was added by this call.
    pub(super) fn find_or_add<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, make: impl FnOnce() -> R) -> (u32, bool)
    where
        R::Key: Borrow<Q>,
    {
        if let Some(index) = self.find(key) {
            return (index, false);
        }
        let index = match self.free.pop() {
            Some(index) => {
                self.rows.set(index as usize, make());
                index
            }
            None => {
                self.rows.push(make());
                self.rows.len() as u32 - 1
            }
        };
        self.index.insert(key, index);
        (index, true)
    }

    /// Removes the row at an index.
    pub(super) fn remove(&mut self, index: u32) {
        if let Some(row) = self.rows.get(index as usize) {
            self.index.remove(row.key(), index);
            self.rows.remove(index as usize);
            self.free.push(index);
        }
    }
}
