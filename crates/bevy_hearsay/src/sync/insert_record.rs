//! Writes a record to the components of an entity that is being bound.

use bevy::prelude::*;
use hearsay_query::records::Record;

use super::{
    registry::Registry,
    relationships::{RelationshipUpdates, spawn_relation, update_relationships},
    shadow::Shadow,
    synced_types::SyncedTypes,
};
use crate::components::{Attributes, PlaceId, Relation};

/// Gives an entity its shadow and every component for which the record has a value.
pub(super) fn insert_record(world: &mut World, entity: Entity, shadow: Shadow, record: &Record) {
    world.resource_mut::<Registry>().bound.insert(shadow.id.clone(), entity);
    let attributes = plain_attributes(world, record);
    let mut target = world.entity_mut(entity);
    // Insert the shadow first. The components that are inserted next then equal the shadow and are not mistaken for
    // changes by the game.
    target.insert((shadow, attributes));
    if let Some(name) = &record.name {
        target.insert(Name::new(name.clone()));
    }
    if let Some(place) = &record.place {
        target.insert(PlaceId(place.clone()));
    }
    let synced_types = world.resource::<SyncedTypes>().clone();
    synced_types.insert_components(world, entity, &record.attributes);
    for ((predicate, object), attitude) in &record.relations {
        let relation = Relation { predicate: predicate.clone(), object: object.clone(), attitude: *attitude };
        spawn_relation(world, entity, relation);
    }
    let mut updates = RelationshipUpdates::default();
    updates.record_move(entity, None, record.place.clone());
    updates.record_bound(record.id.clone(), entity);
    update_relationships(world, updates);
}

fn plain_attributes(world: &World, record: &Record) -> Attributes {
    let synced_types = world.resource::<SyncedTypes>();
    let plain = record.attributes.iter().filter(|(name, _)| !synced_types.contains(name));
    Attributes(plain.map(|(name, value)| (name.clone(), value.clone())).collect())
}
