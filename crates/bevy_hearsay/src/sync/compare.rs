//! Compares entities with the memory's values, and puts the differences into the outbox.

use bevy::{ecs::query::QueryData, prelude::*};
use hearsay_model::{EntityId, Predicate, Value};

use super::{
    outbox::Outbox,
    relationships::Moves,
    shadow::{Field, Shadow},
    synced_types::RememberedTypes,
};
use crate::components::{Attributes, PlaceId, Remembered};

/// The components of an entity that are compared.
pub(crate) type Compared = (
    &'static mut Shadow,
    Option<&'static Remembered>,
    Option<&'static Name>,
    Option<&'static PlaceId>,
    Option<&'static Attributes>,
);

pub(super) fn compare_place(
    entity: Entity,
    shadow: &mut Shadow,
    whereabouts: Option<&PlaceId>,
    outbox: &mut Outbox,
    moves: &mut Moves,
) {
    let place = whereabouts.map(|at| &at.0);
    if shadow.place.as_ref() != place {
        moves.note(entity, shadow.place.take(), place.cloned());
        shadow.place = place.cloned();
        outbox.patch(shadow).place = Some(place.cloned());
        shadow.note_sent(Field::Place, outbox.batch);
    }
}

pub(super) fn compare_name(shadow: &mut Shadow, name: &Name, outbox: &mut Outbox) {
    if shadow.name.as_ref() != Some(name) {
        shadow.name = Some(name.clone());
        outbox.patch(shadow).name = Some(name.as_str().to_owned());
        shadow.note_sent(Field::Name, outbox.batch);
    }
}

/// Compares one entity with its shadow.
pub(crate) fn compare(
    entity: Entity,
    (shadow, kind, name, whereabouts, attributes): &mut <Compared as QueryData>::Item<'_, '_>,
    outbox: &mut Outbox,
    remembered: &RememberedTypes,
    moves: &mut Moves,
) {
    compare_place(entity, shadow, *whereabouts, outbox, moves);
    if let Some(name) = name {
        compare_name(shadow, name, outbox);
    }
    if let Some(kind) = kind.filter(|kind| shadow.kind.as_ref() != Some(&kind.0)) {
        shadow.kind = Some(kind.0.clone());
        outbox.patch(shadow).kind = Some(kind.0.clone());
        shadow.note_sent(Field::Kind, outbox.batch);
    }
    let none = Attributes::default();
    let attributes = attributes.unwrap_or(&none);
    let synced = |name: &Predicate| !remembered.holds(name);
    let set = attributes.0.iter().filter(|(name, value)| synced(name) && shadow.attributes.get(*name) != Some(*value));
    let gone = shadow.attributes.keys().filter(|name| synced(name) && !attributes.0.contains_key(*name));
    let changed: Vec<_> = set
        .map(|(name, value)| (name.clone(), Some(value.clone())))
        .chain(gone.map(|name| (name.clone(), None)))
        .collect();
    for (name, value) in changed {
        set_attribute(shadow, outbox, name, value);
    }
}

/// Puts the new value of an attribute, or its removal, into the outbox.
pub(crate) fn set_attribute(shadow: &mut Shadow, outbox: &mut Outbox, name: Predicate, value: Option<Value>) {
    match &value {
        Some(value) => _ = shadow.attributes.insert(name.clone(), value.clone()),
        None => _ = shadow.attributes.remove(&name),
    }
    outbox.patch(shadow).attributes.insert(name.clone(), value);
    shadow.note_sent(Field::Attribute(name), outbox.batch);
}

/// Puts the start (`holds` is true) or the end of a relation into the outbox.
pub(crate) fn relates(shadow: &mut Shadow, outbox: &mut Outbox, key: (Predicate, EntityId), holds: bool) {
    outbox.patch(shadow).relations.insert(key.clone(), holds);
    shadow.note_sent(Field::Relation(key.0, key.1), outbox.batch);
}
