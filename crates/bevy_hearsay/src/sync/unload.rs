//! Removes the content of a memory from the app when the memory closes.

use bevy::prelude::*;

use super::{inbox::Inbox, outbox::Outbox, registry::Registry, settings::GameClock, shadow::Shadow};
use crate::{
    bridge::{ChangedKeys, CountFn},
    components::{ChangedEntities, Relations, SpawnedByHearsay},
};

/// Unbinds all entities, and drops all requests to the memory. Returns a function that counts the changes that were not
/// committed.
pub(super) fn reset(world: &mut World) -> CountFn {
    let count_uncommitted = world.resource_mut::<Outbox>().take_requests();
    forget_clock(world);
    unbind_all(world);
    // Unbinding compares the entities and so adds changes to the outbox. The outbox is therefore emptied afterwards.
    world.insert_resource(Outbox::default());
    world.insert_resource(Inbox::default());
    world.insert_resource(Registry::default());
    if let Some(mut changed_keys) = world.get_resource_mut::<ChangedKeys>() {
        changed_keys.0.clear();
    }
    count_uncommitted
}

/// Resets the clock, unless the game has set it for the next memory.
fn forget_clock(world: &mut World) {
    let known_clock = world.resource::<Outbox>().known_clock;
    let mut clock = world.resource_mut::<GameClock>();
    if clock.0 == known_clock {
        clock.0 = None;
    }
}

/// Despawns the entities that the plugin spawned. The game's entities are bound again when the next memory is open.
fn unbind_all(world: &mut World) {
    let mut bound =
        world.query_filtered::<(Entity, Has<SpawnedByHearsay>), Or<(With<Shadow>, With<SpawnedByHearsay>)>>();
    let bound: Vec<(Entity, bool)> = bound.iter(world).collect();
    let mut unbound: Vec<Entity> =
        world.resource::<Registry>().bindings.values().map(|binding| binding.entity).collect();
    for (entity, is_spawned_by_plugin) in bound {
        // The game's observers may have despawned the entity in the meantime.
        let Ok(mut target) = world.get_entity_mut(entity) else { continue };
        if is_spawned_by_plugin {
            target.despawn();
        } else {
            target.remove::<Shadow>();
            target.despawn_related::<Relations>();
            unbound.push(entity);
        }
    }
    if let Some(mut changed) = world.get_resource_mut::<ChangedEntities>() {
        changed.unbound.append(&mut unbound);
    }
}
