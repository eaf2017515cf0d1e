//! Rows of the state, and the tables that hold them under dense indices.

use std::{hash::Hash, sync::Arc};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Entity, EntityId, Fact, FactId, Knowledge, KnowledgeId, Passage, PassageId};

/// A change in the journal: which operation, which of its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Write {
    pub(super) operation: u32,
    pub(super) change: u32,
}

/// Dense indices, nearly always few.
pub(super) type Few = SmallVec<[u32; 4]>;

/// A record: what was written to it, in order, and what it is by the writes that are live.
#[derive(Debug, Clone)]
pub(super) struct Row<V> {
    /// Nearly always one.
    pub(super) writes: SmallVec<[Write; 1]>,
    pub(super) value: Option<Arc<V>>,
}

impl<V> Default for Row<V> {
    fn default() -> Self {
        Self { writes: SmallVec::new(), value: None }
    }
}

#[derive(Debug, Clone)]
pub(super) struct EntityRow {
    pub(super) id: EntityId,
    pub(super) record: Row<Entity>,
    /// Facts that ever had it as subject, object or mention, shown or not.
    pub(super) facts: Vec<u32>,
    /// Edges of knowledge that it ever had, shown or not.
    pub(super) knows: Vec<u32>,
    /// Passages that it ever said or heard, shown or not.
    pub(super) hears: Vec<u32>,
}

impl EntityRow {
    pub(super) fn new(id: &EntityId) -> Self {
        Self { id: id.clone(), record: Row::default(), facts: Vec::new(), knows: Vec::new(), hears: Vec::new() }
    }
}

/// A relation as a walk sees it from one of its ends, in numbers alone.
#[derive(Debug, Clone, Copy)]
pub struct Hop {
    fact: u32,
    other: u32,
    /// The predicate's number, twice, and one more where the end is the subject.
    way: u32,
    /// The beginning of the fact's id, by which nearly always two are told apart.
    pub(super) key: u32,
}

impl Hop {
    pub(super) fn new(fact: u32, id: FactId, other: u32, predicate: u32, forward: bool) -> Self {
        Self { fact, other, way: predicate << 1 | u32::from(forward), key: (id.as_u128() >> 96) as u32 }
    }

    /// The relation, by its dense index.
    #[inline]
    pub fn fact(&self) -> u32 {
        self.fact
    }

    /// The entity at the other end, by its dense index.
    #[inline]
    pub fn other(&self) -> u32 {
        self.other
    }

    /// The predicate, by its dense index.
    #[inline]
    pub fn predicate(&self) -> u32 {
        self.way >> 1
    }

    /// Whether the entity that was asked about is the subject.
    #[inline]
    pub fn is_forward(&self) -> bool {
        self.way & 1 == 1
    }
}

/// What a walk asks of an entity, side by side in memory.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) id: EntityId,
    /// Relations that ever led from or to it, shown or not.
    pub(super) hops: Vec<Hop>,
}

/// The entities in the order of their ids.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// By dense index, the place in the order.
    pub(super) ranks: Vec<u32>,
    /// By place in the order, the dense index.
    pub(super) indices: Vec<u32>,
}

#[derive(Debug, Clone)]
pub(super) struct FactRow {
    pub(super) id: FactId,
    pub(super) record: Row<Fact>,
    /// Whether the record has a value, and its subject and object exist.
    pub(super) shown: bool,
    /// Whether anything was ever written that supports it: then all its writes count, not only those since it was last
    /// asserted.
    pub(super) supported: bool,
    /// Edges that ever led to it, shown or not.
    pub(super) known_by: Few,
}

#[derive(Debug, Clone)]
pub(super) struct KnowledgeRow {
    pub(super) id: KnowledgeId,
    pub(super) record: Row<Knowledge>,
    /// The dense index of its fact; none, while only other edges speak of it.
    pub(super) fact: Option<u32>,
    /// Whether the record has a value, its fact is shown and part of the world, its knower exists, and what it rests on
    /// stands.
    pub(super) shown: bool,
    /// Edges that ever rested on it, shown or not.
    pub(super) bears: Few,
}

#[derive(Debug, Clone)]
pub(super) struct PassageRow {
    pub(super) id: PassageId,
    pub(super) record: Row<Passage>,
}

/// Rows under dense indices, found by key. Rows are never removed.
#[derive(Debug, Clone)]
pub(super) struct Table<K, R> {
    pub(super) rows: Vec<R>,
    index: FxHashMap<K, u32>,
}

impl<K, R> Default for Table<K, R> {
    fn default() -> Self {
        Self { rows: Vec::new(), index: FxHashMap::default() }
    }
}

impl<K: Eq + Hash + Clone, R> Table<K, R> {
    pub(super) fn find(&self, key: &K) -> Option<u32> {
        self.index.get(key).copied()
    }

    pub(super) fn get(&self, key: &K) -> Option<&R> {
        self.find(key).map(|index| self.at(index))
    }

    pub(super) fn at(&self, index: u32) -> &R {
        &self.rows[index as usize]
    }

    pub(super) fn at_mut(&mut self, index: u32) -> &mut R {
        &mut self.rows[index as usize]
    }

    /// The index of the row under a key, made when it is not there, and whether it was made.
    pub(super) fn find_or_add(&mut self, key: &K, make: impl FnOnce() -> R) -> (u32, bool) {
        if let Some(index) = self.find(key) {
            return (index, false);
        }
        let index = self.rows.len() as u32;
        self.rows.push(make());
        self.index.insert(key.clone(), index);
        (index, true)
    }

    /// Makes room for so many more.
    pub(super) fn reserve(&mut self, more: usize) {
        self.rows.reserve(more);
        self.index.reserve(more);
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = (&K, u32)> {
        self.index.iter().map(|(key, index)| (key, *index))
    }
}
