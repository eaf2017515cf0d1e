//! Updates the components of an entity from a newer record.

use bevy::prelude::*;
use hearsay_model::{EntityId, Predicate, Value};
use hearsay_query::records::Record;

use super::{
    inbox::Inbox,
    outbox::Outbox,
    relationships::{RelationshipUpdates, despawn_relation, spawn_relation, update_relationships},
    shadow::{Field, Shadow},
    synced_types::SyncedTypes,
};
use crate::components::{Attributes, ChangedEntities, EntityKind, PlaceId, Relation};

/// Updates an entity from a record, except for fields that the game changed after the record was requested.
pub(super) fn merge(world: &mut World, entity: Entity, record: &Record, acknowledged: u64) {
    let next_batch = world.resource::<Outbox>().next_batch;
    let Some(mut stored_shadow) = world.get_mut::<Shadow>(entity) else { return };
    // Take the shadow out of the entity so that its fields can be compared with the components. The shadow is put back
    // before any component is inserted.
    let mut shadow = std::mem::replace(&mut *stored_shadow, Shadow::new(record.id.clone()));
    let target = world.entity(entity);
    let synced_types = world.resource::<SyncedTypes>().clone();
    let mut newer_fields = NewerFields { acknowledged, next_batch, last_batch: None, has_uncollected_changes: false };
    let mut changes = Changes::default();
    changes.collect_fields(target, record, &mut shadow, &mut newer_fields);
    changes.collect_attributes(target, record, &mut shadow, &mut newer_fields, &synced_types);
    changes.collect_relations(record, &mut shadow, &mut newer_fields);
    shadow.forget_acknowledged(acknowledged);
    if let Some(mut stored_shadow) = world.get_mut::<Shadow>(entity) {
        *stored_shadow = shadow;
    }
    changes.write_components(world, entity, &synced_types);
    if let Some(last_batch) = newer_fields.last_batch {
        world.resource_mut::<Inbox>().schedule_reread(record.id.clone(), last_batch);
    }
    if newer_fields.has_uncollected_changes {
        world.resource_mut::<ChangedEntities>().dirty.push(entity);
    }
}

/// Finds the fields that the game changed after the record was requested.
struct NewerFields {
    acknowledged: u64,
    /// Number of the next batch to be sent.
    next_batch: u64,
    /// Number of the last batch that contains one of these fields.
    last_batch: Option<u64>,
    /// Whether any change by the game has not been collected yet.
    has_uncollected_changes: bool,
}

impl NewerFields {
    /// Returns whether the game's value of a field is newer than the record. `is_collected` tells whether the component
    /// equals the shadow. If the two differ, the game has changed the component, and this change has not been collected
    /// yet.
    fn is_newer(&mut self, shadow: &Shadow, field: &Field, is_collected: bool) -> bool {
        self.has_uncollected_changes |= !is_collected;
        let batch = if is_collected { shadow.sent_since(field, self.acknowledged) } else { Some(self.next_batch) };
        self.last_batch = self.last_batch.max(batch);
        batch.is_some()
    }
}

/// The changes that make the components of an entity equal to a record.
#[derive(Default)]
struct Changes {
    name: Option<Name>,
    kind: Option<EntityKind>,
    place: Option<Option<EntityId>>,
    attributes: Option<Attributes>,
    /// Values of the game's own components.
    synced: Vec<(Predicate, Option<Value>)>,
    added_relations: Vec<((Predicate, EntityId), Option<i8>)>,
    removed_relations: Vec<(Predicate, EntityId)>,
    updates: RelationshipUpdates,
}

impl Changes {
    /// Collects changes of name, kind and place, and updates the shadow.
    fn collect_fields(
        &mut self,
        target: EntityRef,
        record: &Record,
        shadow: &mut Shadow,
        newer_fields: &mut NewerFields,
    ) {
        if record.name.as_deref() != shadow.name.as_ref().map(Name::as_str)
            && let Some(new) = &record.name
            && !newer_fields.is_newer(shadow, &Field::Name, target.get::<Name>() == shadow.name.as_ref())
        {
            self.name = Some(Name::new(new.clone()));
            shadow.name = self.name.clone();
        }
        if record.kind != shadow.kind
            && let Some(new) = &record.kind
            && !newer_fields.is_newer(
                shadow,
                &Field::Kind,
                target.get::<EntityKind>().map(|current| &current.0) == shadow.kind.as_ref(),
            )
        {
            self.kind = Some(EntityKind(new.clone()));
            shadow.kind = record.kind.clone();
        }
        if record.place != shadow.place
            && !newer_fields.is_newer(
                shadow,
                &Field::Place,
                target.get::<PlaceId>().map(|at| &at.0) == shadow.place.as_ref(),
            )
        {
            self.updates.record_move(target.id(), shadow.place.take(), record.place.clone());
            shadow.place = record.place.clone();
            self.place = Some(record.place.clone());
        }
    }

    /// Collects changes of attributes, and updates the shadow.
    fn collect_attributes(
        &mut self,
        target: EntityRef,
        record: &Record,
        shadow: &mut Shadow,
        newer_fields: &mut NewerFields,
        synced_types: &SyncedTypes,
    ) {
        let current = target.get::<Attributes>();
        let names: Vec<_> = record.attributes.keys().chain(shadow.attributes.keys()).cloned().collect();
        for name in names {
            let (new, old) = (record.attributes.get(&name), shadow.attributes.get(&name));
            if new == old {
                continue;
            }
            let is_synced = synced_types.contains(&name);
            let is_collected = match is_synced {
                true => synced_types.is_up_to_date(target, &name, old),
                false => current.and_then(|current| current.0.get(&name)) == old,
            };
            if newer_fields.is_newer(shadow, &Field::Attribute(name.clone()), is_collected) {
                continue;
            }
            if is_synced {
                self.synced.push((name.clone(), new.cloned()));
            } else {
                let values = &mut self.attributes.get_or_insert_with(|| current.cloned().unwrap_or_default()).0;
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
    fn collect_relations(&mut self, record: &Record, shadow: &mut Shadow, newer_fields: &mut NewerFields) {
        let keys: Vec<_> = record.relations.keys().chain(shadow.relations.keys()).cloned().collect();
        for key in keys {
            let (new, old) = (record.relations.get(&key), shadow.relations.get(&key));
            if new == old || newer_fields.is_newer(shadow, &Field::Relation(key.0.clone(), key.1.clone()), true) {
                continue;
            }
            if old.is_some() {
                self.removed_relations.push(key.clone());
            }
            match new {
                Some(attitude) => {
                    self.added_relations.push((key.clone(), *attitude));
                    shadow.relations.insert(key, *attitude);
                }
                None => _ = shadow.relations.remove(&key),
            }
        }
    }

    /// Writes the changes to the components.
    fn write_components(self, world: &mut World, entity: Entity, synced_types: &SyncedTypes) {
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
            synced_types.write_component(world, entity, &name, value.as_ref());
        }
        for key in &self.removed_relations {
            despawn_relation(world, entity, key);
        }
        for ((predicate, object), attitude) in self.added_relations {
            spawn_relation(world, entity, Relation { predicate, object, attitude });
        }
        update_relationships(world, self.updates);
    }
}
