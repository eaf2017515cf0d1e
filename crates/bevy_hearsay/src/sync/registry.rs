//! The bound entities, and the values that the memory is known to hold for them.

use std::collections::BTreeMap;

use bevy::{ecs::entity::EntityHashSet, platform::collections::HashMap, prelude::*};
use hearsay_memory::Record;
use hearsay_model::{EntityId, Predicate, Value};

use super::Field;

/// The values that the memory holds for a bound entity, or has been sent. Its presence means that the entity is bound.
// The fields that a move reads and writes come first, next to each other.
#[derive(Component)]
#[repr(C)]
pub(crate) struct Shadow {
    pub(crate) id: EntityId,
    pub(crate) place: Option<EntityId>,
    /// The last batch that sends the place. The place has its own field because it changes far more often than others.
    pub(crate) place_sent: u64,
    /// The batch and index of the entity's patch that waits in the outbox.
    pub(crate) waits: (u64, usize),
    pub(crate) name: Option<Name>,
    pub(crate) kind: Option<hearsay_model::Kind>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
    pub(crate) relations: BTreeMap<(Predicate, EntityId), Option<i8>>,
    /// The batch that adds the entity to the memory, if this game adds it. An earlier record does not contain the
    /// entity.
    pub(crate) created: u64,
    /// The last batch that sends each other field that the game changed.
    pub(crate) sent: Vec<(Field, u64)>,
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
            waits: (0, 0),
            place_sent: 0,
            created: 0,
        }
    }

    /// Makes the shadow of an entity that the memory does not hold yet.
    pub(crate) fn new(id: EntityId) -> Self {
        let (attributes, relations) = (BTreeMap::new(), BTreeMap::new());
        Self::of(&Record { id, kind: None, name: None, place: None, attributes, relations })
    }

    /// Notes that a batch sends a field.
    pub(crate) fn note_sent(&mut self, field: Field, batch: u64) {
        if field == Field::Place {
            self.place_sent = batch;
            return;
        }
        match self.sent.iter_mut().find(|(at, _)| *at == field) {
            Some((_, at)) => *at = batch,
            None => self.sent.push((field, batch)),
        }
    }

    /// Returns the last batch that sends a field, unless this batch is acknowledged.
    pub(crate) fn sent_since(&self, field: &Field, acknowledged: u64) -> Option<u64> {
        let sent = match field {
            Field::Place => Some(self.place_sent),
            _ => self.sent.iter().find(|(at, _)| at == field).map(|(_, sent)| *sent),
        };
        sent.filter(|sent| *sent > acknowledged)
    }

    /// Returns the last batch that sends any field of the entity, or 0 if there is none.
    pub(crate) fn last_sent(&self) -> u64 {
        let others = self.sent.iter().map(|(_, batch)| *batch).max().unwrap_or_default();
        others.max(self.place_sent).max(self.waits.0)
    }

    /// Removes acknowledged batches.
    pub(crate) fn forget_sent(&mut self, acknowledged: u64) {
        self.sent.retain(|(_, sent)| *sent > acknowledged);
    }
}

/// An entity that is being bound, with its values when binding started.
pub(crate) struct Binding {
    pub(crate) entity: Entity,
    pub(crate) name: Option<Name>,
    pub(crate) place: Option<EntityId>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
}

/// The bound entities, and the entities that wait for others to be loaded.
#[derive(Resource, Default)]
pub(crate) struct Registry {
    pub(crate) bound: HashMap<EntityId, Entity>,
    /// Entities whose [`PlaceId`](crate::PlaceId) names a place that is not loaded.
    pub(crate) at: HashMap<EntityId, EntityHashSet>,
    /// Edges of relations, by the id of their object.
    pub(crate) towards: HashMap<EntityId, EntityHashSet>,
    /// Entities that wait for binding to start.
    pub(crate) unbound: Vec<Entity>,
    /// Entities that are being bound: the records of their ids have been requested.
    pub(crate) binding: HashMap<EntityId, Binding>,
    /// The entity that is being despawned.
    pub(crate) leaving: Option<Entity>,
    /// Entities that may have moved since the last comparison.
    pub(crate) moved: Vec<Entity>,
    /// Entities that may have changed in another field.
    pub(crate) dirty: Vec<Entity>,
}

impl Registry {
    /// Returns whether a change was not compared yet.
    pub(crate) fn has_stirred(&self) -> bool {
        !self.moved.is_empty() || !self.dirty.is_empty() || !self.unbound.is_empty()
    }

    pub(crate) fn entity(&self, id: &EntityId) -> Option<Entity> {
        self.bound.get(id).copied()
    }

    /// Removes an entity from a place that is not loaded.
    pub(crate) fn away(&mut self, entity: Entity, place: &EntityId) {
        if let Some(there) = self.at.get_mut(place)
            && there.remove(&entity)
            && there.is_empty()
        {
            self.at.remove(place);
        }
    }

    /// Removes an entity, unless another entity has taken its id.
    pub(crate) fn remove(&mut self, entity: Entity, id: &EntityId) {
        if self.bound.get(id) == Some(&entity) {
            self.bound.remove(id);
        }
    }
}
