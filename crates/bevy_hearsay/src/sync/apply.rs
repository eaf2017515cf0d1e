//! Writes the memory's records to components, within the budget of a frame.

use std::time::Instant;

use bevy::{ecs::relationship::RelationshipHookMode, prelude::*};
use hearsay_memory::Record;
use hearsay_model::{EntityId, Kind, Predicate};

use super::{
    Field, Inbox, Outbox, Registry, Shadow, SyncSettings, bind, fetch::Read, synced_attribute::RememberedTypes,
};
use crate::{
    components::{
        Attributes, LocatedIn, MemoryId, Occupants, PlaceId, RelatesTo, Relation, RelationOf, Relations, Remembered,
        SpawnedByHearsay,
    },
    diagnostics::FrameCost,
};

/// Triggered on an entity that the game spawned when the memory no longer holds it: the entity was removed from the
/// memory, or a slot from before its creation was loaded. The entity is no longer bound. The game decides whether to
/// keep it.
#[derive(EntityEvent, Debug, Clone, Copy)]
pub struct Forgotten {
    /// The entity.
    pub entity: Entity,
}

/// Returns whether a record waits to be applied.
pub(crate) fn has_work(world: &World) -> bool {
    !world.resource::<Inbox>().read.is_empty()
}

/// Applies records until the budget is used up.
pub(crate) fn apply(world: &mut World) {
    let _cost = world.resource::<FrameCost>().begin();
    let (begun, budget) = (Instant::now(), world.resource::<SyncSettings>().budget);
    while let Some(read) = world.resource_mut::<Inbox>().read.pop_front() {
        apply_one(world, read);
        if begun.elapsed() >= budget {
            return;
        }
    }
}

fn apply_one(world: &mut World, read: Read) {
    if let Some(batch) = world.resource_mut::<Outbox>().outdates(&read.id, read.acknowledged) {
        world.resource_mut::<Inbox>().miss(read.id.clone(), batch);
    }
    if let Some(entity) = world.resource_mut::<Registry>().binding.get(&read.id).map(|binding| binding.entity) {
        bind::finish(world, entity, read);
        return;
    }
    let bound = world.resource::<Registry>().entity(&read.id);
    match (bound, read.record) {
        (Some(entity), Some(record)) => {
            let by_plugin = world.get::<SpawnedByHearsay>(entity).is_some();
            if by_plugin && !read.in_scope {
                world.despawn(entity);
            } else {
                merge(world, entity, &record, read.acknowledged);
            }
        }
        (Some(entity), None) => forget(world, entity, &read.id, read.acknowledged),
        (None, Some(record)) if read.in_scope => spawn(world, &record),
        (None, _) => {}
    }
}

/// Unbinds or despawns an entity that the memory no longer holds, unless a batch on its way adds the entity.
fn forget(world: &mut World, entity: Entity, id: &EntityId, acknowledged: u64) {
    let created = world.get::<Shadow>(entity).map_or(0, |shadow| shadow.created);
    if created > acknowledged {
        world.resource_mut::<Inbox>().miss(id.clone(), created);
    } else if world.get::<SpawnedByHearsay>(entity).is_some() {
        world.despawn(entity);
    } else {
        world.entity_mut(entity).remove::<(Shadow, MemoryId)>();
        world.trigger(Forgotten { entity });
    }
}

fn spawn(world: &mut World, record: &Record) {
    let kind = record.kind.clone().unwrap_or(Kind::Custom("unknown".into()));
    let shadow = Shadow { kind: Some(kind.clone()), ..Shadow::of(record) };
    let bundle = (MemoryId::from(record.id.clone()), Remembered(kind), SpawnedByHearsay);
    let entity = world.spawn_empty().id();
    show(world, entity, shadow, record);
    world.entity_mut(entity).insert(bundle);
}

/// Gives an entity its shadow and every component for which the record has a value.
pub(super) fn show(world: &mut World, entity: Entity, shadow: Shadow, record: &Record) {
    world.resource_mut::<Registry>().bound.insert(shadow.id.clone(), entity);
    let attributes = shown_attributes(world, record);
    let mut target = world.entity_mut(entity);
    // Insert the shadow first, so that the following components are known to equal it.
    target.insert((shadow, attributes));
    if let Some(name) = &record.name {
        target.insert(Name::new(name.clone()));
    }
    if let Some(place) = &record.place {
        target.insert(PlaceId(place.clone()));
    }
    let types = world.resource::<RememberedTypes>().clone();
    types.show(world, entity, &record.attributes);
    for (key, attitude) in &record.relations {
        relate(world, entity, key, *attitude);
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

/// Spawns the edge of a relation.
fn relate(world: &mut World, entity: Entity, (predicate, object): &(Predicate, EntityId), attitude: Option<i8>) {
    let relation = Relation { predicate: predicate.clone(), object: object.clone(), attitude };
    spawn_relation(world, entity, relation);
}

/// Spawns the edge of a relation.
pub(crate) fn spawn_relation(world: &mut World, entity: Entity, relation: Relation) {
    let object = relation.object.clone();
    let to = world.resource::<Registry>().entity(&object);
    let edge = match to.filter(|to| *to != entity) {
        Some(to) => world.spawn((relation, RelationOf(entity), RelatesTo(to))).id(),
        None => world.spawn((relation, RelationOf(entity))).id(),
    };
    world.resource_mut::<Registry>().towards.entry(object).or_default().insert(edge);
}

/// Updates an entity from a record, except for fields that the game has changed since.
fn merge(world: &mut World, entity: Entity, record: &Record, acknowledged: u64) {
    let batch = world.resource::<Outbox>().batch;
    let Some(mut slot) = world.get_mut::<Shadow>(entity) else { return };
    // Take the shadow out to compare it with the components. It is put back before any component is inserted.
    let mut shadow = std::mem::replace(&mut *slot, Shadow::new(record.id.clone()));
    let target = world.entity(entity);
    let (mut later, mut unseen) = (None::<u64>, false);
    let mut held = |shadow: &Shadow, field: &Field, shown: bool| {
        // A component that differs from the shadow has a change of the game that is not collected yet.
        unseen |= !shown;
        let newer = if shown { shadow.sent_since(field, acknowledged) } else { Some(batch) };
        later = later.max(newer);
        newer.is_some()
    };
    let mut moves = Moves::default();
    let (mut name, mut kind, mut place) = (None, None, None);
    if record.name.as_deref() != shadow.name.as_ref().map(Name::as_str)
        && let Some(new) = &record.name
        && !held(&shadow, &Field::Name, target.get::<Name>() == shadow.name.as_ref())
    {
        name = Some(Name::new(new.clone()));
        shadow.name = name.clone();
    }
    if record.kind != shadow.kind
        && let Some(new) = &record.kind
        && !held(&shadow, &Field::Kind, target.get::<Remembered>().map(|shown| &shown.0) == shadow.kind.as_ref())
    {
        kind = Some(Remembered(new.clone()));
        shadow.kind = record.kind.clone();
    }
    if record.place != shadow.place
        && !held(&shadow, &Field::Place, target.get::<PlaceId>().map(|at| &at.0) == shadow.place.as_ref())
    {
        moves.note(entity, shadow.place.take(), record.place.clone());
        shadow.place = record.place.clone();
        place = Some(record.place.clone());
    }
    let remembered = world.resource::<RememberedTypes>();
    let shown = target.get::<Attributes>();
    let names: Vec<_> = record.attributes.keys().chain(shadow.attributes.keys()).cloned().collect();
    let mut attributes = None::<Attributes>;
    let mut remember = Vec::new();
    for name in names {
        let (new, old) = (record.attributes.get(&name), shadow.attributes.get(&name));
        if new == old {
            continue;
        }
        let own = remembered.holds(&name);
        let is_shown = match own {
            true => remembered.shows(target, &name, old),
            false => shown.and_then(|shown| shown.0.get(&name)) == old,
        };
        if held(&shadow, &Field::Attribute(name.clone()), is_shown) {
            continue;
        }
        if own {
            remember.push((name.clone(), new.cloned()));
        } else {
            let values = &mut attributes.get_or_insert_with(|| shown.cloned().unwrap_or_default()).0;
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
    let keys: Vec<_> = record.relations.keys().chain(shadow.relations.keys()).cloned().collect();
    let (mut related, mut unrelated) = (Vec::new(), Vec::new());
    for key in keys {
        let (new, old) = (record.relations.get(&key), shadow.relations.get(&key));
        if new == old || held(&shadow, &Field::Relation(key.0.clone(), key.1.clone()), true) {
            continue;
        }
        if old.is_some() {
            unrelated.push(key.clone());
        }
        match new {
            Some(attitude) => {
                related.push((key.clone(), *attitude));
                shadow.relations.insert(key, *attitude);
            }
            None => _ = shadow.relations.remove(&key),
        }
    }
    shadow.forget_sent(acknowledged);
    let types = world.resource::<RememberedTypes>().clone();
    if let Some(mut slot) = world.get_mut::<Shadow>(entity) {
        *slot = shadow;
    }
    let mut target = world.entity_mut(entity);
    if let Some(name) = name {
        target.insert(name);
    }
    if let Some(kind) = kind {
        target.insert(kind);
    }
    match place {
        Some(Some(place)) => _ = target.insert(PlaceId(place)),
        Some(None) => _ = target.remove::<PlaceId>(),
        None => {}
    }
    if let Some(attributes) = attributes {
        target.insert(attributes);
    }
    for (name, value) in remember {
        types.write(world, entity, &name, value.as_ref());
    }
    for key in &unrelated {
        unrelate(world, entity, key);
    }
    for (key, attitude) in &related {
        relate(world, entity, key, *attitude);
    }
    follow(world, moves);
    if let Some(later) = later {
        world.resource_mut::<Inbox>().miss(record.id.clone(), later);
    }
    if unseen {
        world.resource_mut::<Registry>().dirty.push(entity);
    }
}

/// Returns the edge of a relation, if there is one.
pub(crate) fn edge_of(world: &World, subject: Entity, key: &(Predicate, EntityId)) -> Option<Entity> {
    let is_it = |edge: &Entity| {
        world.get::<Relation>(*edge).is_some_and(|relation| relation.predicate == key.0 && relation.object == key.1)
    };
    world.get::<Relations>(subject)?.iter().find(is_it)
}

/// Despawns the edge of a relation.
pub(crate) fn unrelate(world: &mut World, entity: Entity, key: &(Predicate, EntityId)) {
    let Some(edge) = edge_of(world, entity, key) else { return };
    if let Some(edges) = world.resource_mut::<Registry>().towards.get_mut(&key.1) {
        edges.remove(&edge);
    }
    world.despawn(edge);
}

/// Moved entities and newly loaded entities, from which the derived relationships are updated.
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
            // Skip an edge that already has this target: inserting the component again would remove the edge from the
            // target's list.
            if let Ok(mut edge) = world.get_entity_mut(edge)
                && edge.get::<RelatesTo>() != Some(&RelatesTo(entity))
            {
                edge.insert(RelatesTo(entity));
            }
        }
    }
}

/// Sets the loaded place of an entity, or none. Moves are so frequent that this function writes both ends of the
/// relationship directly; Bevy's hooks would do the same through commands.
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
