//! Finds the game's changes by comparing components with the memory's values.

use std::time::Duration;

use bevy::{
    ecs::{change_detection::Tick, system::SystemChangeTick},
    prelude::*,
};

use super::{
    bind::bind_entities,
    compare::{Compared, compare, compare_name, compare_place},
    outbox::Outbox,
    relationships::{RelationshipUpdates, record_relation, update_relationships},
    settings::{LastPoll, SyncSettings},
    shadow::Shadow,
    synced_types::SyncedTypes,
};
use crate::{
    bridge::{FrameCost, NpcMemory, is_open},
    components::{ChangedEntities, Relation, RelationOf},
    schedule::{Activity, PluginName, is_installed},
};

/// Records a relation that the game spawned.
pub(crate) fn on_relation(
    on: On<Insert, RelationOf>,
    relations: Query<(&RelationOf, &Relation)>,
    mut shadows: Query<&mut Shadow>,
    mut outbox: ResMut<Outbox>,
    mut activity: ResMut<Activity>,
) {
    activity.wake();
    let Ok((subject, relation)) = relations.get(on.entity) else { return };
    let Ok(mut shadow) = shadows.get_mut(subject.0) else { return };
    let key = (relation.predicate.clone(), relation.object.clone());
    if !shadow.relations.contains_key(&key) {
        record_relation(&mut shadow, &mut outbox, key, relation.attitude);
    }
}

/// Finds names that the game mutated since the last check. No component hook reports such changes. Bevy stores change
/// ticks contiguously, so thousands of names take only microseconds.
pub(super) fn collect_names(
    names: Query<(Entity, Ref<Name>), With<Shadow>>,
    mut entities: Query<(&mut Shadow, &Name)>,
    (mut outbox, settings, mut last_poll): (ResMut<Outbox>, Res<SyncSettings>, ResMut<LastPoll>),
    (time, memory, cost): (Option<Res<Time<Real>>>, Res<NpcMemory>, Res<FrameCost>),
    tick: SystemChangeTick,
    mut changed: Local<Vec<Entity>>,
) {
    if !memory.is_open() || !last_poll.is_elapsed(&settings, time.as_deref()) {
        return;
    }
    let _cost = cost.measure();
    last_poll.time = Some(time.map_or(Duration::ZERO, |time| time.elapsed()));
    let last_tick = last_poll.names_tick.replace(tick.this_run());
    let is_changed = |changed_at: Tick| last_tick.is_none_or(|last| changed_at.is_newer_than(last, tick.this_run()));
    for (entities, names) in names.contiguous_iter().into_iter().flatten() {
        let changed_entities = entities.iter().zip(names.changed_ticks_slice());
        let changed_entities = changed_entities.filter(|(_, changed_at)| is_changed(**changed_at));
        changed.extend(changed_entities.map(|(entity, _)| *entity));
    }
    for entity in changed.drain(..) {
        if let Ok((mut shadow, name)) = entities.get_mut(entity) {
            compare_name(&mut shadow, name, &mut outbox);
        }
    }
}

/// Compares changed entities with the memory's values, and puts the differences into the outbox. This work runs on the
/// main thread because this is usually faster than handing it to another thread.
pub(super) fn collect(
    mut changed: ResMut<ChangedEntities>,
    mut outbox: ResMut<Outbox>,
    mut entities: Query<Compared>,
    synced_types: Res<SyncedTypes>,
    cost: Res<FrameCost>,
    mut commands: Commands,
) {
    if changed.moved.is_empty() && changed.dirty.is_empty() {
        return;
    }
    let _cost = cost.measure();
    let mut updates = RelationshipUpdates::default();
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
    if !updates.is_empty() {
        commands.queue(move |world: &mut World| {
            let _cost = world.resource::<FrameCost>().measure();
            update_relationships(world, updates);
        });
    }
}

/// Collects all changes that the game has made until now. Changes that the game makes before a request, such as a save,
/// are thus sent before the request.
pub(crate) fn collect_now(world: &mut World) {
    if !is_installed(world, PluginName::Sync) || !is_open(world) {
        return;
    }
    bind_entities(world);
    world.resource_mut::<LastPoll>().time = None;
    let collectors = world.resource::<SyncedTypes>().collectors();
    for collect_attribute in collectors {
        collect_attribute(world);
    }
    run(world, collect_names);
    run(world, collect);
}

/// Runs a system now, outside of its schedule.
pub(super) fn run<M: 'static>(world: &mut World, system: impl IntoSystem<(), (), M> + 'static) {
    if let Err(error) = world.run_system_cached(system) {
        tracing::error!("the latest changes of the game could not be collected: {error}");
    }
}
