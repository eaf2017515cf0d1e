//! Bevy relationships between entities, derived from places and relations.

use bevy::{ecs::relationship::RelationshipHookMode, prelude::*};
use hearsay_model::{EntityId, Predicate};

use super::{registry::Registry, shadow::Shadow};
use crate::components::{LocatedIn, Occupants, RelatesTo, Relation, RelationOf, Relations};

/// Spawns the Bevy entity of a relation.
pub(crate) fn spawn_relation(world: &mut World, entity: Entity, relation: Relation) {
    let object = relation.object.clone();
    let to = world.resource::<Registry>().entity(&object);
    let edge = match to.filter(|to| *to != entity) {
        Some(to) => world.spawn((relation, RelationOf(entity), RelatesTo(to))).id(),
        None => world.spawn((relation, RelationOf(entity))).id(),
    };
    world.resource_mut::<Registry>().towards.entry(object).or_default().insert(edge);
}

/// Returns the Bevy entity of a relation, if it exists.
pub(crate) fn edge_of(world: &World, subject: Entity, key: &(Predicate, EntityId)) -> Option<Entity> {
    let is_it = |edge: &Entity| {
        world.get::<Relation>(*edge).is_some_and(|relation| relation.predicate == key.0 && relation.object == key.1)
    };
    world.get::<Relations>(subject)?.iter().find(is_it)
}

/// Despawns the Bevy entity of a relation.
pub(crate) fn unrelate(world: &mut World, entity: Entity, key: &(Predicate, EntityId)) {
    let Some(edge) = edge_of(world, entity, key) else { return };
    if let Some(edges) = world.resource_mut::<Registry>().towards.get_mut(&key.1) {
        edges.remove(&edge);
    }
    world.despawn(edge);
}

/// Entities that moved, and entities that were bound. [`follow`] updates their derived relationships.
#[derive(Default)]
pub(crate) struct Moves {
    moved: Vec<(Entity, Option<EntityId>, Option<EntityId>)>,
    arrived: Vec<(EntityId, Entity)>,
}

impl Moves {
    pub(crate) fn note(&mut self, entity: Entity, from: Option<EntityId>, to: Option<EntityId>) {
        if from != to {
            self.moved.push((entity, from, to));
        }
    }

    pub(crate) fn arrive(&mut self, id: EntityId, entity: Entity) {
        self.arrived.push((id, entity));
    }
}

/// Updates the derived relationships.
pub(super) fn follow(world: &mut World, moves: Moves) {
    for (entity, from, to) in moves.moved {
        let mut registry = world.resource_mut::<Registry>();
        if let Some(from) = from.filter(|_| !registry.at.is_empty()) {
            registry.away(entity, &from);
        }
        let place = to.as_ref().and_then(|to| registry.entity(to));
        if let Some(to) = to.filter(|_| place.is_none()) {
            registry.at.entry(to).or_default().insert(entity);
        }
        stand(world, entity, place.filter(|place| *place != entity));
    }
    for (id, entity) in moves.arrived {
        let mut registry = world.resource_mut::<Registry>();
        let (there, edges) = (registry.at.remove(&id).unwrap_or_default(), registry.towards.get(&id).cloned());
        for other in there.into_iter().filter(|other| *other != entity) {
            let is_there = |shadow: &Shadow| shadow.place.as_ref() == Some(&id);
            if world.get::<Shadow>(other).is_some_and(is_there) {
                stand(world, other, Some(entity));
            }
        }
        for edge in edges.into_iter().flatten() {
            // Skip an edge that already points to this entity: inserting the component again would remove the edge from
            // the entity's [`RelatedFrom`](crate::RelatedFrom) list.
            if let Ok(mut edge) = world.get_entity_mut(edge)
                && edge.get::<RelatesTo>() != Some(&RelatesTo(entity))
            {
                edge.insert(RelatesTo(entity));
            }
        }
    }
}

/// Sets or removes the [`LocatedIn`] component of an entity. Moves are frequent, so this function updates both
/// [`LocatedIn`] and [`Occupants`] directly, which is faster than Bevy's relationship hooks.
fn stand(world: &mut World, entity: Entity, place: Option<Entity>) {
    let Ok(target) = world.get_entity(entity) else { return };
    let before = target.get::<LocatedIn>().map(|at| at.0);
    if before == place {
        return;
    }
    let Some(place) = place else {
        world.entity_mut(entity).remove::<LocatedIn>();
        return;
    };
    if let Some(before) = before
        && let Some(mut present) = world.get_mut::<Occupants>(before)
    {
        let there = present.collection_mut_risky();
        if let Some(at) = there.iter().position(|other| *other == entity) {
            there.remove(at);
        }
        if present.is_empty() {
            world.entity_mut(before).remove::<Occupants>();
        }
    }
    world.entity_mut(entity).insert_with_relationship_hook_mode(LocatedIn(place), RelationshipHookMode::Skip);
    match world.get_mut::<Occupants>(place) {
        Some(mut present) => present.collection_mut_risky().push(entity),
        None => _ = world.entity_mut(place).insert(Occupants::from_collection_risky(vec![entity])),
    }
}
