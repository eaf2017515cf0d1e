//! Writes the memory's records to components, within the time budget of a frame.

use std::time::Instant;

use bevy::prelude::*;
use hearsay_model::{EntityId, Kind};
use hearsay_query::records::Record;

use super::{
    bind,
    inbox::{Inbox, ReceivedRecord},
    insert_record::insert_record,
    merge::merge,
    outbox::Outbox,
    registry::Registry,
    settings::SyncSettings,
    shadow::Shadow,
};
use crate::{
    bridge::FrameCost,
    components::{EntityKind, MemoryId, SpawnedByHearsay},
};

/// Triggered on an entity that the game spawned, when the memory no longer contains this entity. This happens when the
/// entity is removed from the memory, or when the game loads a slot that was saved before the entity was created. The
/// plugin no longer syncs the Bevy entity. The game decides whether to keep the Bevy entity.
#[derive(EntityEvent, Debug, Clone, Copy)]
pub struct Forgotten {
    /// The Bevy entity.
    pub entity: Entity,
}

/// Applies the received records.
pub(super) fn apply(inbox: Res<Inbox>, mut commands: Commands) {
    if !inbox.received.is_empty() {
        commands.queue(apply_records);
    }
}

/// Applies records until the time budget is used up.
fn apply_records(world: &mut World) {
    let _cost = world.resource::<FrameCost>().measure();
    let (start, budget) = (Instant::now(), world.resource::<SyncSettings>().budget);
    while let Some(received) = world.resource_mut::<Inbox>().received.pop_front() {
        apply_record(world, received);
        if start.elapsed() >= budget {
            return;
        }
    }
}

fn apply_record(world: &mut World, received: ReceivedRecord) {
    if let Some(batch) = world.resource_mut::<Outbox>().missing_batch(&received.id, received.acknowledged) {
        world.resource_mut::<Inbox>().schedule_reread(received.id.clone(), batch);
    }
    if let Some(entity) = world.resource_mut::<Registry>().bindings.get(&received.id).map(|binding| binding.entity) {
        bind::finish_binding(world, entity, received);
        return;
    }
    let bound_entity = world.resource::<Registry>().entity(&received.id);
    match (bound_entity, received.record) {
        (Some(entity), Some(record)) => {
            let is_spawned_by_plugin = world.get::<SpawnedByHearsay>(entity).is_some();
            if is_spawned_by_plugin && !received.in_scope {
                world.despawn(entity);
            } else {
                merge(world, entity, &record, received.acknowledged);
            }
        }
        (Some(entity), None) => unbind(world, entity, &received.id, received.acknowledged),
        (None, Some(record)) if received.in_scope => spawn(world, &record),
        (None, _) => {}
    }
}

/// Unbinds or despawns an entity that the memory does not contain. Does nothing if an unacknowledged batch adds the
/// entity; then the entity is read again later.
fn unbind(world: &mut World, entity: Entity, id: &EntityId, acknowledged: u64) {
    let created_in_batch = world.get::<Shadow>(entity).map_or(0, |shadow| shadow.created_in_batch);
    if created_in_batch > acknowledged {
        world.resource_mut::<Inbox>().schedule_reread(id.clone(), created_in_batch);
    } else if world.get::<SpawnedByHearsay>(entity).is_some() {
        world.despawn(entity);
    } else {
        world.entity_mut(entity).remove::<(Shadow, MemoryId)>();
        world.trigger(Forgotten { entity });
    }
}

fn spawn(world: &mut World, record: &Record) {
    let kind = record.kind.clone().unwrap_or(Kind::Custom("unknown".into()));
    let shadow = Shadow { kind: Some(kind.clone()), ..Shadow::from_record(record) };
    let bundle = (MemoryId::from(record.id.clone()), EntityKind(kind), SpawnedByHearsay);
    let entity = world.spawn_empty().id();
    insert_record(world, entity, shadow, record);
    world.entity_mut(entity).insert(bundle);
}
