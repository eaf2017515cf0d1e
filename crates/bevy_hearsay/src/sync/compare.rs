//! Compares entities with the memory's values, and puts the differences into the outbox.

use bevy::{ecs::query::QueryData, prelude::*};
use hearsay_model::{Predicate, Value};

use super::{
    outbox::Outbox,
    relationships::RelationshipUpdates,
    shadow::{Field, Shadow},
    synced_types::SyncedTypes,
};
use crate::components::{Attributes, EntityKind, PlaceId};

/// The components of an entity that are compared.
pub(crate) type Compared = (
    &'static mut Shadow,
    Option<&'static EntityKind>,
    Option<&'static Name>,
    Option<&'static PlaceId>,
    Option<&'static Attributes>,
);

pub(super) fn compare_place(
    entity: Entity,
    shadow: &mut Shadow,
    place_id: Option<&PlaceId>,
    outbox: &mut Outbox,
    updates: &mut RelationshipUpdates,
) {
    let place = place_id.map(|at| &at.0);
    if shadow.place.as_ref() != place {
        updates.record_move(entity, shadow.place.take(), place.cloned());
        shadow.place = place.cloned();
        outbox.patch(shadow).place = place.cloned().into();
        shadow.record_sent(Field::Place, outbox.next_batch);
    }
}

pub(super) fn compare_name(shadow: &mut Shadow, name: &Name, outbox: &mut Outbox) {
    if shadow.name.as_ref() != Some(name) {
        shadow.name = Some(name.clone());
        outbox.patch(shadow).name = Some(name.as_str().to_owned());
        shadow.record_sent(Field::Name, outbox.next_batch);
    }
}

/// Compares one entity with its shadow.
pub(crate) fn compare(
    entity: Entity,
    (shadow, kind, name, place_id, attributes): &mut <Compared as QueryData>::Item<'_, '_>,
    outbox: &mut Outbox,
    synced_types: &SyncedTypes,
    updates: &mut RelationshipUpdates,
) {
    compare_place(entity, shadow, *place_id, outbox, updates);
    if let Some(name) = name {
        compare_name(shadow, name, outbox);
    }
    if let Some(kind) = kind.filter(|kind| shadow.kind.as_ref() != Some(&kind.0)) {
        shadow.kind = Some(kind.0.clone());
        outbox.patch(shadow).kind = Some(kind.0.clone());
        shadow.record_sent(Field::Kind, outbox.next_batch);
    }
    let no_attributes = Attributes::default();
    let attributes = attributes.unwrap_or(&no_attributes);
    let is_plain = |name: &Predicate| !synced_types.contains(name);
    let set =
        attributes.0.iter().filter(|(name, value)| is_plain(name) && shadow.attributes.get(*name) != Some(*value));
    let removed = shadow.attributes.keys().filter(|name| is_plain(name) && !attributes.0.contains_key(*name));
    let changed: Vec<_> = set
        .map(|(name, value)| (name.clone(), Some(value.clone())))
        .chain(removed.map(|name| (name.clone(), None)))
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
    shadow.record_sent(Field::Attribute(name), outbox.next_batch);
}
