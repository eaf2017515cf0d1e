//! Updates the components of an entity from a newer record.

use bevy::prelude::*;
use hearsay_model::{EntityId, Predicate, Value};
use hearsay_query::records::Record;

use super::{
    inbox::Inbox,
    outbox::Outbox,
    relationships::{Moves, follow, spawn_relation, unrelate},
    shadow::{Field, Shadow},
    synced_types::RememberedTypes,
};
use crate::components::{Attributes, ChangedEntities, PlaceId, Relation, Remembered};

/// Updates an entity from a record, except for fields that the game changed after the record was requested.
pub(super) fn merge(world: &mut World, entity: Entity, record: &Record, acknowledged: u64) {
    let batch = world.resource::<Outbox>().batch;
    let Some(mut slot) = world.get_mut::<Shadow>(entity) else { return };
    // Take the shadow out of the entity so that its fields can be compared with the components. The shadow is put back
    // before any component is inserted.
    let mut shadow = std::mem::replace(&mut *slot, Shadow::new(record.id.clone()));
    let target = world.entity(entity);
    let types = world.resource::<RememberedTypes>().clone();
    let mut newer = NewerFields { acknowledged, batch, later: None, unseen: false };
    let mut changes = Changes::default();
    changes.take_fields(target, record, &mut shadow, &mut newer);
    changes.take_attributes(target, record, &mut shadow, &mut newer, &types);
    changes.take_relations(record, &mut shadow, &mut newer);
    shadow.forget_sent(acknowledged);
    if let Some(mut slot) = world.get_mut::<Shadow>(entity) {
        *slot = shadow;
    }
    changes.show(world, entity, &types);
    if let Some(later) = newer.later {
        world.resource_mut::<Inbox>().miss(record.id.clone(), later);
    }
    if newer.unseen {
        world.resource_mut::<ChangedEntities>().dirty.push(entity);
    }
}

/// Finds the fields that the game changed after the record was requested.
struct NewerFields {
    acknowledged: u64,
    /// Number of the next batch to be sent.
    batch: u64,
    /// Number of the last batch that contains one of these fields.
    later: Option<u64>,
    /// Whether any change by the game has not been collected yet.
    unseen: bool,
}

impl NewerFields {
    /// Returns whether the game's value of a field is newer than the record. `is_shown` tells whether the component
    /// equals the shadow. If not, the game has changed the component and the change has not been collected yet.
    fn holds(&mut self, shadow: &Shadow, field: &Field, is_shown: bool) -> bool {
        self.unseen |= !is_shown;
        let newer = if is_shown { shadow.sent_since(field, self.acknowledged) } else { Some(self.batch) };
        self.later = self.later.max(newer);
        newer.is_some()
    }
}

/// The changes that make the components of an entity equal to a record.
#[derive(Default)]
struct Changes {
    name: Option<Name>,
    kind: Option<Remembered>,
    place: Option<Option<EntityId>>,
    attributes: Option<Attributes>,
    /// Values of the game's own components.
    synced: Vec<(Predicate, Option<Value>)>,
    related: Vec<((Predicate, EntityId), Option<i8>)>,
    unrelated: Vec<(Predicate, EntityId)>,
    moves: Moves,
}

impl Changes {
    /// Collects changes of name, kind and place, and updates the shadow.
    fn take_fields(&mut self, target: EntityRef, record: &Record, shadow: &mut Shadow, newer: &mut NewerFields) {
        if record.name.as_deref() != shadow.name.as_ref().map(Name::as_str)
            && let Some(new) = &record.name
            && !newer.holds(shadow, &Field::Name, target.get::<Name>() == shadow.name.as_ref())
        {
            self.name = Some(Name::new(new.clone()));
            shadow.name = self.name.clone();
        }
        if record.kind != shadow.kind
            && let Some(new) = &record.kind
            && !newer.holds(
                shadow,
                &Field::Kind,
                target.get::<Remembered>().map(|shown| &shown.0) == shadow.kind.as_ref(),
            )
        {
            self.kind = Some(Remembered(new.clone()));
            shadow.kind = record.kind.clone();
        }
        if record.place != shadow.place
            && !newer.holds(shadow, &Field::Place, target.get::<PlaceId>().map(|at| &at.0) == shadow.place.as_ref())
        {
            self.moves.note(target.id(), shadow.place.take(), record.place.clone());
            shadow.place = record.place.clone();
            self.place = Some(record.place.clone());
        }
    }

    /// Collects changes of attributes, and updates the shadow.
    fn take_attributes(
        &mut self,
        target: EntityRef,
        record: &Record,
        shadow: &mut Shadow,
        newer: &mut NewerFields,
        types: &RememberedTypes,
    ) {
        let shown = target.get::<Attributes>();
        let names: Vec<_> = record.attributes.keys().chain(shadow.attributes.keys()).cloned().collect();
        for name in names {
            let (new, old) = (record.attributes.get(&name), shadow.attributes.get(&name));
            if new == old {
                continue;
            }
            let is_synced = types.holds(&name);
            let is_shown = match is_synced {
                true => types.shows(target, &name, old),
                false => shown.and_then(|shown| shown.0.get(&name)) == old,
            };
            if newer.holds(shadow, &Field::Attribute(name.clone()), is_shown) {
                continue;
            }
            if is_synced {
                self.synced.push((name.clone(), new.cloned()));
            } else {
                let values = &mut self.attributes.get_or_insert_with(|| shown.cloned().unwrap_or_default()).0;
                match new {
                    Some(value) => _ = values.insert(name.clone(), value.clone()),
                    None => _ = values.remove(&name),
                }
            }
            match new {
                Some(value) => _ = shadow.attributes.insert(name, value.clone()),
                None => _ = shadow.attributes.remove(&name),
            }
        }
    }

    /// Collects changes of relations, and updates the shadow.
    fn take_relations(&mut self, record: &Record, shadow: &mut Shadow, newer: &mut NewerFields) {
        let keys: Vec<_> = record.relations.keys().chain(shadow.relations.keys()).cloned().collect();
        for key in keys {
            let (new, old) = (record.relations.get(&key), shadow.relations.get(&key));
            if new == old || newer.holds(shadow, &Field::Relation(key.0.clone(), key.1.clone()), true) {
                continue;
            }
            if old.is_some() {
                self.unrelated.push(key.clone());
            }
            match new {
                Some(attitude) => {
                    self.related.push((key.clone(), *attitude));
                    shadow.relations.insert(key, *attitude);
                }
                None => _ = shadow.relations.remove(&key),
            }
        }
    }

    /// Writes the changes to the components.
    fn show(self, world: &mut World, entity: Entity, types: &RememberedTypes) {
        let mut target = world.entity_mut(entity);
        if let Some(name) = self.name {
            target.insert(name);
        }
        if let Some(kind) = self.kind {
            target.insert(kind);
        }
        match self.place {
            Some(Some(place)) => _ = target.insert(PlaceId(place)),
            Some(None) => _ = target.remove::<PlaceId>(),
            None => {}
        }
        if let Some(attributes) = self.attributes {
            target.insert(attributes);
        }
        for (name, value) in self.synced {
            types.write(world, entity, &name, value.as_ref());
        }
        for key in &self.unrelated {
            unrelate(world, entity, key);
        }
        for ((predicate, object), attitude) in self.related {
            spawn_relation(world, entity, Relation { predicate, object, attitude });
        }
        follow(world, self.moves);
    }
}
