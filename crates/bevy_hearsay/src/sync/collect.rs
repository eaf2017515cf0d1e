//! The game's changes, found by comparison with the memory's values.

use std::time::Duration;

use bevy::{
    ecs::{
        lifecycle::HookContext,
        query::QueryData,
        system::{SystemChangeTick, SystemState},
        world::DeferredWorld,
    },
    prelude::*,
};
use hearsay_model::{EntityId, Predicate};

use super::{
    Outbox, Registry, Shadow, SyncSettings,
    apply::{Moves, follow},
    fetch::is_open,
    synced_attribute::RememberedTypes,
};
use crate::{
    components::{Attributes, PlaceId, Relation, RelationOf, Remembered},
    diagnostics::FrameCost,
    steps::Steps,
};

/// A field of an entity that is synced on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Kind,
    Name,
    Place,
    Attribute(Predicate),
    Relation(Predicate, EntityId),
}

/// The components of an entity that are compared.
pub(crate) type Compared = (
    &'static mut Shadow,
    Option<&'static Remembered>,
    Option<&'static Name>,
    Option<&'static PlaceId>,
    Option<&'static Attributes>,
);

/// Hook for changes of the place.
pub(crate) fn note_move(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut registry) = world.get_resource_mut::<Registry>() {
        registry.moved.push(context.entity);
    }
}

/// Hook for changes of the other compared components.
pub(crate) fn note_change(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut registry) = world.get_resource_mut::<Registry>() {
        registry.dirty.push(context.entity);
    }
}

/// Records a relation that the game spawned.
pub(crate) fn on_relation(
    on: On<Insert, RelationOf>,
    edges: Query<(&RelationOf, &Relation)>,
    mut shadows: Query<&mut Shadow>,
    mut outbox: ResMut<Outbox>,
    mut steps: ResMut<Steps>,
) {
    steps.wake();
    let Ok((of, relation)) = edges.get(on.entity) else { return };
    let Ok(mut shadow) = shadows.get_mut(of.0) else { return };
    let key = (relation.predicate.clone(), relation.object.clone());
    if !shadow.relations.contains_key(&key) {
        shadow.relations.insert(key.clone(), relation.attitude);
        relates(&mut shadow, &mut outbox, key, true);
    }
}

/// Notes that a relation holds, or no longer holds.
pub(crate) fn relates(shadow: &mut Shadow, outbox: &mut Outbox, key: (Predicate, EntityId), holds: bool) {
    outbox.patch(shadow).relations.insert(key.clone(), holds);
    shadow.note_sent(Field::Relation(key.0, key.1), outbox.batch);
}

/// Returns whether a change was not compared yet.
pub(crate) fn has_work(world: &World) -> bool {
    let registry = world.resource::<Registry>();
    !registry.moved.is_empty() || !registry.dirty.is_empty()
}

/// Returns whether changes without a hook are due for polling. A game without a clock is polled in every frame.
pub(crate) fn poll_is_due(world: &World) -> bool {
    let Some(settings) = world.get_resource::<SyncSettings>() else { return false };
    let is_time = |time: &Time<Real>| time.elapsed().saturating_sub(settings.polled) >= settings.poll;
    world.get_resource::<Time<Real>>().is_none_or(is_time) && is_open(world)
}

/// Finds names that changed in place, which no hook reports. Bevy stores change ticks contiguously, so thousands take
/// microseconds.
pub(crate) fn poll(
    names: Query<(Entity, Ref<Name>), With<Shadow>>,
    mut entities: Query<(&mut Shadow, &Name)>,
    (mut outbox, mut settings): (ResMut<Outbox>, ResMut<SyncSettings>),
    time: Option<Res<Time<Real>>>,
    tick: SystemChangeTick,
    mut changed: Local<Vec<Entity>>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    settings.polled = time.map_or(Duration::ZERO, |time| time.elapsed());
    for (entities, names) in names.contiguous_iter().into_iter().flatten() {
        let ticks = entities.iter().zip(names.changed_ticks_slice());
        let ticks = ticks.filter(|(_, changed)| changed.is_newer_than(tick.last_run(), tick.this_run()));
        changed.extend(ticks.map(|(entity, _)| *entity));
    }
    for entity in changed.drain(..) {
        if let Ok((mut shadow, name)) = entities.get_mut(entity) {
            compare_name(&mut shadow, name, &mut outbox);
        }
    }
}

/// The parameters of [`collect`].
type Collecting<'w, 's> = (ResMut<'w, Registry>, ResMut<'w, Outbox>, Query<'w, 's, Compared>, Res<'w, RememberedTypes>);

/// Compares changed entities with the memory's values, and notes the differences. It runs on the main thread, between
/// the game's systems: handing most of its runs to another thread would take longer than the run itself.
pub(crate) fn collect(world: &mut World, params: &mut SystemState<Collecting>) -> Result {
    let _cost = world.resource::<FrameCost>().begin();
    let mut moves = Moves::default();
    {
        let (mut registry, mut outbox, mut entities, remembered) = params.get_mut(world)?;
        let Registry { moved, dirty, .. } = registry.as_mut();
        for entity in moved.drain(..) {
            if let Ok((mut shadow, _, _, whereabouts, _)) = entities.get_mut(entity) {
                compare_place(entity, &mut shadow, whereabouts, &mut outbox, &mut moves);
            }
        }
        for entity in dirty.drain(..) {
            if let Ok(mut compared) = entities.get_mut(entity) {
                compare(entity, &mut compared, &mut outbox, &remembered, &mut moves);
            }
        }
    }
    follow(world, moves);
    Ok(())
}

/// Compares all entities at once.
pub(crate) fn collect_all(world: &mut World) {
    let mut registry = world.resource_mut::<Registry>();
    let all: Vec<Entity> = registry.bound.values().copied().collect();
    registry.dirty.extend(all);
    match world.run_system_cached(collect) {
        Ok(()) => {}
        Err(error) => tracing::error!("what the game changed last could not be collected: {error}"),
    }
}

fn compare_place(
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

fn compare_name(shadow: &mut Shadow, name: &Name, outbox: &mut Outbox) {
    if shadow.name.as_ref() != Some(name) {
        shadow.name = Some(name.clone());
        outbox.patch(shadow).name = Some(name.as_str().to_owned());
        shadow.note_sent(Field::Name, outbox.batch);
    }
}

/// Compares one entity.
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

/// Notes the new value of an attribute, or its removal.
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
