//! The bound entities, and the entities that refer to a place or object that has no Bevy entity.

use std::collections::BTreeMap;

use bevy::{ecs::entity::EntityHashSet, platform::collections::HashMap, prelude::*};
use hearsay_model::{EntityId, Predicate, Value};

/// An entity that is being bound, with its values when binding started.
pub(crate) struct Binding {
    pub(crate) entity: Entity,
    pub(crate) name: Option<Name>,
    pub(crate) place: Option<EntityId>,
    pub(crate) attributes: BTreeMap<Predicate, Value>,
}

/// The bound entities, and the entities that refer to a place or object that has no Bevy entity.
#[derive(Resource, Default)]
pub(crate) struct Registry {
    pub(crate) bound: HashMap<EntityId, Entity>,
    /// Entities whose [`PlaceId`](crate::PlaceId) names a place that is not bound, by the id of the place.
    pub(crate) unbound_place_occupants: HashMap<EntityId, EntityHashSet>,
    /// Bevy entities of relations, by the id of the object.
    pub(crate) relations_by_object: HashMap<EntityId, EntityHashSet>,
    /// Entities that are being bound: the records of their ids have been requested.
    pub(crate) bindings: HashMap<EntityId, Binding>,
    /// The entity that is being despawned.
    pub(crate) despawning: Option<Entity>,
}

impl Registry {
    pub(crate) fn entity(&self, id: &EntityId) -> Option<Entity> {
        self.bound.get(id).copied()
    }

    /// Removes an entity from the list of entities at a place that is not bound.
    pub(crate) fn remove_from_unbound_place(&mut self, entity: Entity, place: &EntityId) {
        if let Some(occupants) = self.unbound_place_occupants.get_mut(place)
            && occupants.remove(&entity)
            && occupants.is_empty()
        {
            self.unbound_place_occupants.remove(place);
        }
    }

    /// Removes the binding of an id to an entity, unless the id is now bound to another entity.
    pub(crate) fn remove(&mut self, entity: Entity, id: &EntityId) {
        if self.bound.get(id) == Some(&entity) {
            self.bound.remove(id);
        }
    }
}
