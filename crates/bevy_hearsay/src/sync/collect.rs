//! What the game changed, compared with what the memory holds.

use bevy::prelude::*;
use hearsay_model::{EntityId, Predicate};

use super::{Outbox, Registry, Shadow, SyncSettings, apply::Moves, remember::RememberedTypes};
use crate::components::{Attributes, Relation, RelationOf, Remembered, Whereabouts};

/// A field of an entity that is synced by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Kind,
    Name,
    Place,
    Attribute(Predicate),
    Relation(Predicate, EntityId),
}

/// What of an entity is compared.
pub(crate) type Compared = (
    &'static mut Shadow,
    Option<&'static Remembered>,
    Option<&'static Name>,
    Option<&'static Whereabouts>,
    Option<&'static Attributes>,
);

pub(crate) fn on_whereabouts(on: On<Insert, Whereabouts>, mut registry: ResMut<Registry>) {
    registry.dirty.push(on.entity);
}

pub(crate) fn on_whereabouts_gone(on: On<Remove, Whereabouts>, mut registry: ResMut<Registry>) {
    registry.dirty.push(on.entity);
}

pub(crate) fn on_attributes(on: On<Insert, Attributes>, mut registry: ResMut<Registry>) {
    registry.dirty.push(on.entity);
}

pub(crate) fn on_attributes_gone(on: On<Remove, Attributes>, mut registry: ResMut<Registry>) {
    registry.dirty.push(on.entity);
}

/// A relation that the game spawned is one that holds.
pub(crate) fn on_relation(
    on: On<Insert, RelationOf>,
    edges: Query<(&RelationOf, &Relation)>,
    mut shadows: Query<&mut Shadow>,
    mut outbox: ResMut<Outbox>,
) {
    let Ok((of, relation)) = edges.get(on.entity) else { return };
    let Ok(mut shadow) = shadows.get_mut(of.0) else { return };
    let key = (relation.predicate.clone(), relation.object.clone());
    if !shadow.relations.contains_key(&key) {
        shadow.relations.insert(key.clone(), relation.attitude);
        relates(&mut shadow, &mut outbox, key, true);
    }
}

/// Notes that a relation holds, or does so no more.
pub(crate) fn relates(shadow: &mut Shadow, outbox: &mut Outbox, key: (Predicate, EntityId), holds: bool) {
    outbox.patch(shadow).relations.insert(key.clone(), holds);
    shadow.note_sent(Field::Relation(key.0, key.1), outbox.batch);
}

/// Run condition: something changed that was not compared.
pub(crate) fn has_work(registry: Res<Registry>) -> bool {
    !registry.dirty.is_empty()
}

/// Looks at some of the names, which no observer sees change.
pub(crate) fn poll(
    mut registry: ResMut<Registry>,
    names: Query<(Ref<Name>, &Shadow)>,
    settings: Res<SyncSettings>,
    time: Option<Res<Time<Real>>>,
) {
    let registry = registry.as_mut();
    for index in slice(registry.order.len(), &mut registry.cursor, &settings, time.as_deref()) {
        let Some(&entity) = registry.order.get(index) else { continue };
        if let Ok((name, shadow)) = names.get(entity)
            && shadow.name.as_ref() != Some(&*name)
        {
            registry.dirty.push(entity);
        }
    }
}

/// The part of so many that is polled in this frame, so that all are within the time that the settings say.
pub(crate) fn slice(
    all: usize,
    cursor: &mut usize,
    settings: &SyncSettings,
    time: Option<&Time<Real>>,
) -> std::ops::Range<usize> {
    let delta = time.map_or(0.0, Time::delta_secs_f64);
    // Without a clock, as if at 60 frames a second.
    let delta = if delta > 0.0 { delta } else { 1.0 / 60.0 };
    let part = (delta / settings.poll.as_secs_f64().max(0.001)).min(1.0);
    let count = (all as f64 * part).ceil() as usize;
    let start = if *cursor >= all { 0 } else { *cursor };
    let end = (start + count).min(all);
    *cursor = end;
    start..end
}

/// Compares what changed with what the memory holds, and notes what differs.
pub(crate) fn collect(
    mut registry: ResMut<Registry>,
    mut outbox: ResMut<Outbox>,
    mut entities: Query<Compared>,
    remembered: Res<RememberedTypes>,
    mut commands: Commands,
) {
    let mut dirty = std::mem::take(&mut registry.dirty);
    dirty.sort_unstable();
    dirty.dedup();
    let mut moves = Moves::default();
    for entity in dirty.drain(..) {
        if let Ok(compared) = entities.get_mut(entity) {
            compare(entity, compared, &mut outbox, &remembered, &mut moves);
        }
    }
    registry.dirty = dirty;
    moves.follow(&mut registry, &mut commands);
}

/// Compares all that changed, at once.
pub(crate) fn collect_all(world: &mut World) {
    let all = world.resource::<Registry>().order.clone();
    world.resource_mut::<Registry>().dirty.extend(all);
    if let Err(error) = world.run_system_cached(collect) {
        tracing::error!("what the game changed last could not be collected: {error}");
    }
}

/// Compares one entity.
pub(crate) fn compare(
    entity: Entity,
    (mut shadow, kind, name, whereabouts, attributes): <Compared as bevy::ecs::query::QueryData>::Item<'_, '_>,
    outbox: &mut Outbox,
    remembered: &RememberedTypes,
    moves: &mut Moves,
) {
    let place = whereabouts.map(|at| &at.0);
    if shadow.place.as_ref() != place {
        moves.note(entity, shadow.place.take(), place.cloned());
        shadow.place = place.cloned();
        outbox.patch(&mut shadow).place = Some(place.cloned());
        let batch = outbox.batch;
        shadow.note_sent(Field::Place, batch);
    }
    if let Some(kind) = kind.filter(|kind| shadow.kind.as_ref() != Some(&kind.0)) {
        shadow.kind = Some(kind.0.clone());
        outbox.patch(&mut shadow).kind = Some(kind.0.clone());
        let batch = outbox.batch;
        shadow.note_sent(Field::Kind, batch);
    }
    if let Some(name) = name.filter(|name| shadow.name.as_ref() != Some(*name)) {
        shadow.name = Some(name.clone());
        outbox.patch(&mut shadow).name = Some(name.as_str().to_owned());
        let batch = outbox.batch;
        shadow.note_sent(Field::Name, batch);
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
        set_attribute(&mut shadow, outbox, name, value);
    }
}

/// Notes that an attribute has a value, or none any more.
pub(crate) fn set_attribute(
    shadow: &mut Shadow,
    outbox: &mut Outbox,
    name: Predicate,
    value: Option<hearsay_model::Value>,
) {
    match &value {
        Some(value) => _ = shadow.attributes.insert(name.clone(), value.clone()),
        None => _ = shadow.attributes.remove(&name),
    }
    outbox.patch(shadow).attributes.insert(name.clone(), value);
    shadow.note_sent(Field::Attribute(name), outbox.batch);
}
