//! Writes the memory's records to components, within the time budget of a frame.

use std::time::Instant;

use bevy::prelude::*;
use hearsay_model::{EntityId, Kind};
use hearsay_query::records::Record;

use super::{
    bind,
    inbox::{Inbox, Read},
    merge::merge,
    outbox::Outbox,
    registry::Registry,
    settings::SyncSettings,
    shadow::Shadow,
    show::show,
};
use crate::{
    bridge::FrameCost,
    components::{MemoryId, Remembered, SpawnedByHearsay},
};

/// Triggered on an entity that the game spawned, when the memory no longer contains this entity. Reasons: the entity
/// was removed from the memory, or a slot from before its creation was loaded. The entity is no longer bound. The game
/// decides whether to keep the Bevy entity.
#[derive(EntityEvent, Debug, Clone, Copy)]
pub struct Forgotten {
    /// The entity.
    pub entity: Entity,
}

/// Returns whether any record is waiting to be applied.
pub(crate) fn has_work(world: &World) -> bool {
    !world.resource::<Inbox>().read.is_empty()
}

/// Applies records until the time budget is used up.
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

/// Unbinds or despawns an entity that the memory does not contain. Does nothing if an unacknowledged batch adds the
/// entity; then the entity is read again later.
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
