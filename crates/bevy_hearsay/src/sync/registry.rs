//! Which entities are bound to which ids, and what the memory is known to hold of them.

use std::collections::{BTreeMap, BTreeSet};

use bevy::{platform::collections::HashMap, prelude::*};
use hearsay_memory::Record;
use hearsay_model::{EntityId, Predicate, Value};

use super::Field;

/// What the memory holds of a bound entity, or has been told of it. Its presence means that the entity is bound.
#[derive(Component)]
pub(crate) struct Shadow {
    pub(crate) id: EntityId,
    pub(crate) name: Option<Name>,
    pub(crate) kind: Option<hearsay_model::Kind>,
    pub(crate) place: Option<EntityId>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
    pub(crate) relations: BTreeMap<(Predicate, EntityId), Option<i8>>,
    /// The batch in which a field that the game changed goes out, or went.
    pub(crate) sent: Vec<(Field, u64)>,
    /// Where its patch waits in the outbox, and in which batch.
    pub(crate) waits: Option<(u64, u32)>,
    /// Its place in the order in which entities are polled.
    pub(crate) polled_at: u32,
}

impl Shadow {
    pub(crate) fn of(record: &Record) -> Self {
        Self {
            id: record.id.clone(),
            name: record.name.clone().map(Name::new),
            kind: record.kind.clone(),
            place: record.place.clone(),
            attributes: record.attributes.clone(),
            relations: record.relations.clone(),
            sent: Vec::new(),
            waits: None,
            polled_at: 0,
        }
    }

    /// The shadow of what the memory does not hold yet.
    pub(crate) fn new(id: EntityId) -> Self {
        let (attributes, relations) = (BTreeMap::new(), BTreeMap::new());
        Self::of(&Record { id, kind: None, name: None, place: None, attributes, relations })
    }

    /// Notes that a field goes out in a batch.
    pub(crate) fn note_sent(&mut self, field: Field, batch: u64) {
        match self.sent.iter_mut().find(|(at, _)| *at == field) {
            Some((_, at)) => *at = batch,
            None => self.sent.push((field, batch)),
        }
    }
}

/// An entity on its way to be bound, with what it was when it asked.
pub(crate) struct Binding {
    pub(crate) entity: Entity,
    pub(crate) name: Option<Name>,
    pub(crate) place: Option<EntityId>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
}

/// Who is bound, and where everybody is.
#[derive(Resource, Default)]
pub(crate) struct Registry {
    pub(crate) bound: HashMap<EntityId, Entity>,
    /// Bound entities, in the order in which they are polled, and how far polling is.
    pub(crate) order: Vec<Entity>,
    pub(crate) cursor: usize,
    /// Those whose [`Whereabouts`](crate::Whereabouts) name a place.
    pub(crate) at: HashMap<EntityId, BTreeSet<Entity>>,
    /// Edges of relations whose object is an id.
    pub(crate) towards: HashMap<EntityId, BTreeSet<Entity>>,
    /// Entities that want to be bound.
    pub(crate) unbound: Vec<Entity>,
    /// Entities that are being bound: what the memory holds of their ids has been asked.
    pub(crate) binding: HashMap<EntityId, Binding>,
    /// The entity that is being despawned.
    pub(crate) leaving: Option<Entity>,
    /// Entities that may have changed since they were last compared.
    pub(crate) dirty: Vec<Entity>,
}

impl Registry {
    pub(crate) fn entity(&self, id: &EntityId) -> Option<Entity> {
        self.bound.get(id).copied()
    }

    pub(crate) fn add(&mut self, entity: Entity, shadow: &mut Shadow) {
        self.bound.insert(shadow.id.clone(), entity);
        shadow.polled_at = self.order.len() as u32;
        self.order.push(entity);
    }

    /// Takes an entity out; the one that is polled in its place now.
    pub(crate) fn remove(&mut self, entity: Entity, id: &EntityId, polled_at: u32) -> Option<Entity> {
        if self.bound.get(id) == Some(&entity) {
            self.bound.remove(id);
        }
        let at = polled_at as usize;
        if self.order.get(at) != Some(&entity) {
            return None;
        }
        self.order.swap_remove(at);
        self.order.get(at).copied()
    }
}
