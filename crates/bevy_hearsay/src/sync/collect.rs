//! Finds the game's changes by comparing components with the memory's values.

use std::time::Duration;

use bevy::{
    ecs::system::{SystemChangeTick, SystemState},
    prelude::*,
};

use super::{
    compare::{Compared, compare, compare_name, compare_place, record_relation},
    outbox::Outbox,
    registry::Registry,
    relationships::{RelationshipUpdates, update_relationships},
    settings::SyncSettings,
    shadow::Shadow,
    synced_types::SyncedTypes,
};
use crate::{
    bridge::{FrameCost, is_open},
    components::{ChangedEntities, Relation, RelationOf},
    schedule::Steps,
};

/// Records a relation that the game spawned.
pub(crate) fn on_relation(
    on: On<Insert, RelationOf>,
    relations: Query<(&RelationOf, &Relation)>,
    mut shadows: Query<&mut Shadow>,
    mut outbox: ResMut<Outbox>,
    mut steps: ResMut<Steps>,
) {
    steps.wake();
    let Ok((subject, relation)) = relations.get(on.entity) else { return };
    let Ok(mut shadow) = shadows.get_mut(subject.0) else { return };
    let key = (relation.predicate.clone(), relation.object.clone());
    if !shadow.relations.contains_key(&key) {
        shadow.relations.insert(key.clone(), relation.attitude);
        record_relation(&mut shadow, &mut outbox, key, true);
    }
}

/// Returns whether any change has not been compared yet.
pub(crate) fn has_work(world: &World) -> bool {
    let changed = world.resource::<ChangedEntities>();
    !changed.moved.is_empty() || !changed.dirty.is_empty()
}

/// Returns whether it is time to poll for changes that no component hook reports. An app without [`Time`] is polled in
/// every frame.
pub(crate) fn poll_is_due(world: &World) -> bool {
    let Some(settings) = world.get_resource::<SyncSettings>() else { return false };
    let is_interval_over = |time: &Time<Real>| time.elapsed().saturating_sub(settings.last_poll) >= settings.poll;
    world.get_resource::<Time<Real>>().is_none_or(is_interval_over) && is_open(world)
}

/// Finds names that the game mutated. No component hook reports such changes. Bevy stores change ticks contiguously, so
/// thousands of names take only microseconds.
pub(crate) fn poll_names(
    names: Query<(Entity, Ref<Name>), With<Shadow>>,
    mut entities: Query<(&mut Shadow, &Name)>,
    (mut outbox, mut settings): (ResMut<Outbox>, ResMut<SyncSettings>),
    time: Option<Res<Time<Real>>>,
    tick: SystemChangeTick,
    mut changed: Local<Vec<Entity>>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.measure();
    settings.last_poll = time.map_or(Duration::ZERO, |time| time.elapsed());
    for (entities, names) in names.contiguous_iter().into_iter().flatten() {
        let changed_entities = entities.iter().zip(names.changed_ticks_slice());
        let changed_entities =
            changed_entities.filter(|(_, changed)| changed.is_newer_than(tick.last_run(), tick.this_run()));
        changed.extend(changed_entities.map(|(entity, _)| *entity));
    }
    for entity in changed.drain(..) {
        if let Ok((mut shadow, name)) = entities.get_mut(entity) {
            compare_name(&mut shadow, name, &mut outbox);
        }
    }
}

/// The parameters of [`collect`].
type CollectParams<'w, 's> =
    (ResMut<'w, ChangedEntities>, ResMut<'w, Outbox>, Query<'w, 's, Compared>, Res<'w, SyncedTypes>);

/// Compares changed entities with the memory's values, and puts the differences into the outbox. This work runs on the
/// main thread because this is usually faster than handing it to another thread.
pub(crate) fn collect(world: &mut World, params: &mut SystemState<CollectParams>) -> Result {
    let _cost = world.resource::<FrameCost>().measure();
    let mut updates = RelationshipUpdates::default();
    {
        let (mut changed, mut outbox, mut entities, synced_types) = params.get_mut(world)?;
        let ChangedEntities { moved, dirty, .. } = changed.as_mut();
        for entity in moved.drain(..) {
            if let Ok((mut shadow, _, _, place_id, _)) = entities.get_mut(entity) {
                compare_place(entity, &mut shadow, place_id, &mut outbox, &mut updates);
            }
        }
        for entity in dirty.drain(..) {
            if let Ok(mut compared) = entities.get_mut(entity) {
                compare(entity, &mut compared, &mut outbox, &synced_types, &mut updates);
            }
        }
    }
    update_relationships(world, updates);
    Ok(())
}

/// Compares all entities at once.
pub(crate) fn collect_all(world: &mut World) {
    let bound_entities: Vec<Entity> = world.resource::<Registry>().bound.values().copied().collect();
    world.resource_mut::<ChangedEntities>().dirty.extend(bound_entities);
    match world.run_system_cached(collect) {
        Ok(()) => {}
        Err(error) => tracing::error!("the latest changes of the game could not be collected: {error}"),
    }
}
