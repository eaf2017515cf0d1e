//! Bevy relationships between entities, derived from places and relations.

use bevy::{ecs::relationship::RelationshipHookMode, prelude::*};
use hearsay_commands::patches::RelationUpdate;
use hearsay_model::{EntityId, Predicate};

use super::{
    outbox::Outbox,
    registry::Registry,
    shadow::{Field, Shadow},
};
use crate::{
    components::{LocatedIn, Occupants, RelatesTo, Relation, RelationOf, Relations},
    schedule::wake,
};

/// Spawns the Bevy entity of a relation.
pub(crate) fn spawn_relation(world: &mut World, entity: Entity, relation: Relation) {
    let object = relation.object.clone();
    let object_entity = world.resource::<Registry>().entity(&object);
    let relation_entity = match object_entity.filter(|object_entity| *object_entity != entity) {
        Some(object_entity) => world.spawn((relation, RelationOf(entity), RelatesTo(object_entity))).id(),
        None => world.spawn((relation, RelationOf(entity))).id(),
    };
    world.resource_mut::<Registry>().relations_by_object.entry(object).or_default().insert(relation_entity);
}

/// Returns the Bevy entity of a relation, if it exists.
pub(crate) fn find_relation_entity(world: &World, subject: Entity, key: &(Predicate, EntityId)) -> Option<Entity> {
    let matches_key = |relation_entity: &Entity| {
        world
            .get::<Relation>(*relation_entity)
            .is_some_and(|relation| relation.predicate == key.0 && relation.object == key.1)
    };
    world.get::<Relations>(subject)?.iter().find(matches_key)
}

/// Despawns the Bevy entity of a relation.
pub(crate) fn despawn_relation(world: &mut World, entity: Entity, key: &(Predicate, EntityId)) {
    let Some(relation_entity) = find_relation_entity(world, entity, key) else { return };
    if let Some(relation_entities) = world.resource_mut::<Registry>().relations_by_object.get_mut(&key.1) {
        relation_entities.remove(&relation_entity);
    }
    world.despawn(relation_entity);
}

/// Puts a new relation or its new attitude into the outbox.
pub(crate) fn record_relation(
    shadow: &mut Shadow,
    outbox: &mut Outbox,
    key: (Predicate, EntityId),
    attitude: Option<i8>,
) {
    shadow.relations.insert(key.clone(), attitude);
    outbox.patch(shadow).relations.insert(key.clone(), RelationUpdate::Set { attitude });
    shadow.record_sent(Field::Relation(key.0, key.1), outbox.next_batch);
}

/// Puts the end of a relation into the outbox. Does nothing if the memory does not have the relation.
pub(crate) fn record_relation_end(shadow: &mut Shadow, outbox: &mut Outbox, key: (Predicate, EntityId)) {
    if shadow.relations.remove(&key).is_some() {
        outbox.patch(shadow).relations.insert(key.clone(), RelationUpdate::End);
        shadow.record_sent(Field::Relation(key.0, key.1), outbox.next_batch);
    }
}

/// Sets the attitude of a relation. Spawns the relation if it does not exist.
pub(crate) fn set_attitude(world: &mut World, subject: Entity, key: (Predicate, EntityId), attitude: i8) {
    let (predicate, object) = key.clone();
    let relation = Relation { predicate, object, attitude: Some(attitude) };
    match find_relation_entity(world, subject, &key) {
        // The observer of new relations records the relation with its attitude.
        None => spawn_relation(world, subject, relation),
        Some(relation_entity) => {
            world.entity_mut(relation_entity).insert(relation);
            wake(world);
            record_changed_relation(world, subject, key, Some(attitude));
        }
    }
}

/// Puts a relation of a bound entity into the outbox, unless the memory already has it with this attitude.
pub(super) fn record_changed_relation(
    world: &mut World,
    subject: Entity,
    key: (Predicate, EntityId),
    attitude: Option<i8>,
) {
    world.resource_scope(|world, mut outbox: Mut<Outbox>| {
        if let Some(mut shadow) = world.get_mut::<Shadow>(subject)
            && shadow.relations.get(&key) != Some(&attitude)
        {
            record_relation(&mut shadow, &mut outbox, key, attitude);
        }
    });
}

/// Ends a relation, and despawns its Bevy entity.
pub(crate) fn end_relation(world: &mut World, subject: Entity, key: (Predicate, EntityId)) {
    despawn_relation(world, subject, &key);
    wake(world);
    world.resource_scope(|world, mut outbox: Mut<Outbox>| {
        if let Some(mut shadow) = world.get_mut::<Shadow>(subject) {
            record_relation_end(&mut shadow, &mut outbox, key);
        }
    });
}

/// Entities that moved, and entities that were bound. [`update_relationships`] updates their derived relationships.
#[derive(Default)]
pub(crate) struct RelationshipUpdates {
    moved: Vec<(Entity, Option<EntityId>, Option<EntityId>)>,
    bound: Vec<(EntityId, Entity)>,
}

impl RelationshipUpdates {
    pub(super) fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.bound.is_empty()
    }

    pub(crate) fn record_move(&mut self, entity: Entity, from: Option<EntityId>, to: Option<EntityId>) {
        if from != to {
            self.moved.push((entity, from, to));
        }
    }

    pub(crate) fn record_bound(&mut self, id: EntityId, entity: Entity) {
        self.bound.push((id, entity));
    }
}

/// Updates the derived relationships.
pub(super) fn update_relationships(world: &mut World, updates: RelationshipUpdates) {
    for (entity, from, to) in updates.moved {
        let mut registry = world.resource_mut::<Registry>();
        if let Some(from) = from.filter(|_| !registry.unbound_place_occupants.is_empty()) {
            registry.remove_from_unbound_place(entity, &from);
        }
        let place = to.as_ref().and_then(|to| registry.entity(to));
        if let Some(to) = to.filter(|_| place.is_none()) {
            registry.unbound_place_occupants.entry(to).or_default().insert(entity);
        }
        set_location(world, entity, place.filter(|place| *place != entity));
    }
    for (id, entity) in updates.bound {
        let mut registry = world.resource_mut::<Registry>();
        let (occupants, relation_entities) = (
            registry.unbound_place_occupants.remove(&id).unwrap_or_default(),
            registry.relations_by_object.get(&id).cloned(),
        );
        for other in occupants.into_iter().filter(|other| *other != entity) {
            let is_at_place = |shadow: &Shadow| shadow.place.as_ref() == Some(&id);
            if world.get::<Shadow>(other).is_some_and(is_at_place) {
                set_location(world, other, Some(entity));
            }
        }
        for relation_entity in relation_entities.into_iter().flatten() {
            // Skip a relation that already points to this entity: inserting the component again would remove the
            // relation from the entity's [`IncomingRelations`](crate::IncomingRelations).
            if let Ok(mut relation_entity) = world.get_entity_mut(relation_entity)
                && relation_entity.get::<RelatesTo>() != Some(&RelatesTo(entity))
            {
                relation_entity.insert(RelatesTo(entity));
            }
        }
    }
}

/// Sets or removes the [`LocatedIn`] component of an entity. Moves are frequent, so this function updates both
/// [`LocatedIn`] and [`Occupants`] directly, which is faster than Bevy's relationship hooks.
fn set_location(world: &mut World, entity: Entity, place: Option<Entity>) {
    let Ok(target) = world.get_entity(entity) else { return };
    let old_place = target.get::<LocatedIn>().map(|at| at.0);
    if old_place == place {
        return;
    }
    let Some(place) = place else {
        world.entity_mut(entity).remove::<LocatedIn>();
        return;
    };
    if let Some(old_place) = old_place
        && let Some(mut occupants) = world.get_mut::<Occupants>(old_place)
    {
        let entities = occupants.collection_mut_risky();
        if let Some(at) = entities.iter().position(|other| *other == entity) {
            entities.remove(at);
        }
        if occupants.is_empty() {
            world.entity_mut(old_place).remove::<Occupants>();
        }
    }
    world.entity_mut(entity).insert_with_relationship_hook_mode(LocatedIn(place), RelationshipHookMode::Skip);
    match world.get_mut::<Occupants>(place) {
        Some(mut occupants) => occupants.collection_mut_risky().push(entity),
        None => _ = world.entity_mut(place).insert(Occupants::from_collection_risky(vec![entity])),
    }
}
