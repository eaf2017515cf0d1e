//! Lists the entities that the spawn policy selects, and requests their records.

use std::collections::BTreeSet;

use bevy::prelude::*;
use hearsay_engine::Ticket;

use super::{
    inbox::Inbox, outbox::Outbox, registry::Registry, settings::GameClock, shadow::Shadow, spawn_policy::SpawnPolicy,
};
use crate::{
    bridge::{NpcMemory, Resync, is_open},
    components::SpawnedByHearsay,
};

/// Returns whether a new list is due: the spawn policy or the memory changed since entities were last listed, or events
/// were dropped.
pub(super) fn is_changed(world: &World) -> bool {
    let changed = || Some((world.get_resource_ref::<SpawnPolicy>()?, world.get_resource_ref::<NpcMemory>()?));
    let as_of = || changed().map(|(spawn_policy, memory)| (spawn_policy.last_changed(), memory.last_changed()));
    (world.resource::<Resync>().0 || world.resource::<Inbox>().listed_as_of != as_of()) && is_open(world)
}

/// Requests a new list of selected entities, if a list is due.
pub(super) fn request_listing(
    spawn_policy: Res<SpawnPolicy>,
    memory: Res<NpcMemory>,
    mut inbox: ResMut<Inbox>,
    mut resync: ResMut<Resync>,
) {
    let as_of = Some((spawn_policy.last_changed(), memory.last_changed()));
    if !resync.0 && inbox.listed_as_of == as_of {
        return;
    }
    let Some(memory) = memory.get() else { return };
    let (policy, acknowledged) = (spawn_policy.clone(), inbox.acknowledged);
    let listed = memory.read(move |world| {
        let listed = policy.resolve(&world.state).list(&world.state);
        Ok((listed, world.state.clock()))
    });
    match listed {
        Ok(ticket) => {
            inbox.pending_listing = Some(ticket);
            resync.0 = false;
            inbox.listed_as_of = as_of;
            tracing::debug!("reading the list of spawned entities again, batch {acknowledged}");
        }
        // The memory is busy: retry in the next frame.
        Err(_) => resync.0 = true,
    }
}

/// Receives the list of selected entities, and requests their records. Despawns the entities that the plugin spawned
/// and that the policy no longer selects.
pub(super) fn receive_listing(
    mut inbox: ResMut<Inbox>,
    mut outbox: ResMut<Outbox>,
    mut clock: ResMut<GameClock>,
    registry: Res<Registry>,
    spawned_by_hearsay: Query<(Entity, &Shadow), With<SpawnedByHearsay>>,
    mut commands: Commands,
) {
    let Some(listed) = inbox.pending_listing.as_ref().and_then(Ticket::try_take) else { return };
    inbox.pending_listing = None;
    let Ok((selected, time)) = listed else { return };
    if let Some(time) = time {
        outbox.follow_clock(time.0, &mut clock);
    }
    for (entity, shadow) in &spawned_by_hearsay {
        if selected.binary_search(&shadow.id).is_err() {
            commands.entity(entity).try_despawn();
        }
    }
    // Bound entities that the policy does not select are read again too, because events may have been dropped.
    for id in registry.bound.keys().filter(|id| selected.binary_search(id).is_err()).cloned().collect::<BTreeSet<_>>() {
        inbox.request(id);
    }
    for id in selected {
        inbox.request(id);
    }
}
