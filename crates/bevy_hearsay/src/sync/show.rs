//! Writes a record to the components of an entity that is being bound.

use bevy::prelude::*;
use hearsay_query::records::Record;

use super::{
    registry::Registry,
    relationships::{Moves, follow, spawn_relation},
    shadow::Shadow,
    synced_types::RememberedTypes,
};
use crate::components::{Attributes, PlaceId, Relation};

/// Gives an entity its shadow and every component for which the record has a value.
pub(super) fn show(world: &mut World, entity: Entity, shadow: Shadow, record: &Record) {
    world.resource_mut::<Registry>().bound.insert(shadow.id.clone(), entity);
    let attributes = shown_attributes(world, record);
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
    let types = world.resource::<RememberedTypes>().clone();
    types.show(world, entity, &record.attributes);
    for ((predicate, object), attitude) in &record.relations {
        let relation = Relation { predicate: predicate.clone(), object: object.clone(), attitude: *attitude };
        spawn_relation(world, entity, relation);
    }
    let mut moves = Moves::default();
    moves.note(entity, None, record.place.clone());
    moves.arrive(record.id.clone(), entity);
    follow(world, moves);
}

fn shown_attributes(world: &World, record: &Record) -> Attributes {
    let remembered = world.resource::<RememberedTypes>();
    let shown = record.attributes.iter().filter(|(name, _)| !remembered.holds(name));
    Attributes(shown.map(|(name, value)| (name.clone(), value.clone())).collect())
}
