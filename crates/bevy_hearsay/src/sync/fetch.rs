//! Requests the ids of changed entities and their records, and receives the answers.

use std::{collections::BTreeSet, sync::Arc};

use bevy::{platform::collections::HashMap, prelude::*};
use hearsay_commands::patches::{Patch, Patches};
use hearsay_engine::MemoryError;
use hearsay_model::{EntityId, GameTime, State};
use hearsay_query::records::{Record, touched_entities};

use super::{
    inbox::{Inbox, ReceivedRecord},
    listing,
    outbox::Outbox,
    registry::Registry,
    settings::GameClock,
    spawn_policy::{ResolvedPolicy, SpawnPolicy},
};
use crate::bridge::{ChangedKeys, FrameCost, LoadProgress, NpcMemory, Resync};

/// Maximum number of records per request.
const RECORDS_PER_REQUEST: usize = 128;

/// Maximum number of writes whose changed entities are looked up in one request. Combining several writes keeps the
/// queue short while the memory is busy.
const WRITES_PER_LOOKUP: usize = 16;

/// Maximum number of pending requests of each kind. The limit is high enough to keep the memory busy, and low enough
/// that other reads run between the requests.
const MAX_PENDING_REQUESTS: usize = 4;

/// Returns whether any record is requested or has not been applied yet, or a list of the selected entities is due.
pub(super) fn is_busy(world: &World) -> bool {
    let has_changed_keys = || !world.resource::<ChangedKeys>().0.is_empty();
    !world.resource::<Inbox>().is_idle() || has_changed_keys() || listing::is_changed(world)
}

/// Requests the ids of changed entities, and the records that are listed in `Inbox::to_request`.
pub(super) fn send_requests(
    mut inbox: ResMut<Inbox>,
    mut changed_keys: ResMut<ChangedKeys>,
    mut outbox: ResMut<Outbox>,
    memory: Res<NpcMemory>,
    spawn_policy: Res<SpawnPolicy>,
    cost: Res<FrameCost>,
) {
    if changed_keys.0.is_empty() && inbox.to_request.is_empty() {
        return;
    }
    let Some(memory) = memory.get() else { return };
    let _cost = cost.measure();
    while inbox.pending_lookups.len() < MAX_PENDING_REQUESTS && !changed_keys.0.is_empty() {
        let count = changed_keys.0.len().min(WRITES_PER_LOOKUP);
        let newest_revision = changed_keys.0[count - 1].0;
        let writes =
            changed_keys.0.range(..count).map(|(revision, keys)| (outbox.own_patches(*revision), Arc::clone(keys)));
        let (writes, policy): (Vec<_>, _) = (writes.collect(), spawn_policy.clone());
        let lookup = memory.read(move |world| {
            let resolved = policy.resolve(&world.state);
            let mut changed_ids = BTreeSet::new();
            for (own_patches, keys) in &writes {
                let mut ids = touched_entities(&world.state, keys);
                if let Some(own_patches) = own_patches {
                    remove_up_to_date(&mut ids, own_patches, &world.state, &resolved);
                }
                changed_ids.append(&mut ids);
            }
            let in_scope = |id: EntityId| (resolved.selects(&world.state, &id), id);
            Ok((
                changed_ids.into_iter().map(in_scope).map(|(is_selected, id)| (id, is_selected)).collect(),
                world.state.clock(),
            ))
        });
        // The memory is busy: retry in the next frame.
        let Ok(ticket) = lookup else { return };
        inbox.pending_lookups.push(ticket);
        outbox.forget_own_until(newest_revision);
        changed_keys.0.drain(..count);
    }
    while !inbox.to_request.is_empty() && inbox.pending_reads.len() < MAX_PENDING_REQUESTS {
        let ids: Vec<EntityId> = inbox.to_request.iter().take(RECORDS_PER_REQUEST).cloned().collect();
        let (policy, requested_ids) = (spawn_policy.clone(), ids.clone());
        let read = memory.read(move |world| {
            let resolved = policy.resolve(&world.state);
            let read_record =
                |id: EntityId| (Record::from_state(&world.state, &id), resolved.selects(&world.state, &id), id);
            Ok(ids.into_iter().map(read_record).map(|(record, in_scope, id)| (id, record, in_scope)).collect())
        });
        let Ok(ticket) = read else { return };
        for id in &requested_ids {
            inbox.to_request.remove(id);
        }
        let acknowledged = inbox.acknowledged;
        inbox.pending_reads.push((acknowledged, ticket));
    }
}

/// Removes from `ids` the entities whose record equals the patch in a batch of this game, because their components
/// already have these values. An entity stays in `ids` if the batch adds it, or if the spawn policy does not select it.
fn remove_up_to_date(ids: &mut BTreeSet<EntityId>, own_patches: &Patches, state: &State, policy: &ResolvedPolicy) {
    let mut patches: HashMap<&EntityId, Option<&Patch>> = HashMap::default();
    for (id, patch) in &own_patches.entities {
        // If an entity has several patches, none of them contains all changes, so the entity is read.
        patches.entry(id).and_modify(|patch| *patch = None).or_insert(Some(patch));
    }
    ids.retain(|id| {
        let patch = patches.get(id).copied().flatten().filter(|patch| patch.create.is_none());
        let is_up_to_date =
            patch.is_some_and(|patch| Record::from_state(state, id).is_some_and(|record| patch.holds_in(&record)));
        !is_up_to_date || !(matches!(policy, ResolvedPolicy::Nothing) || policy.selects(state, id))
    });
}

/// Receives the answers to pending requests.
pub(super) fn receive_answers(
    mut inbox: ResMut<Inbox>,
    (mut outbox, mut clock): (ResMut<Outbox>, ResMut<GameClock>),
    mut resync: ResMut<Resync>,
    (registry, memory): (Res<Registry>, Res<NpcMemory>),
    mut progress: ResMut<LoadProgress>,
    cost: Res<FrameCost>,
) {
    if !inbox.is_reading() || !memory.is_open() {
        return;
    }
    let _cost = cost.measure();
    let inbox = inbox.as_mut();
    let (mut lookups, mut time) = (Vec::new(), None);
    inbox.pending_lookups.retain(|ticket| match ticket.try_take() {
        None => true,
        Some(answer) => {
            let (ids, clock) = answer.unwrap_or_default();
            lookups.extend(ids);
            time = clock.or(time);
            false
        }
    });
    if let Some(GameTime(time)) = time {
        outbox.follow_clock(time, &mut clock);
    }
    // If reads are in progress, their records may be older than the change, so the entity is read again.
    let reading = !inbox.pending_reads.is_empty() || !inbox.received.is_empty();
    for (id, in_scope) in lookups {
        if in_scope || reading || registry.bound.contains_key(&id) || registry.bindings.contains_key(&id) {
            inbox.request(id);
        }
    }
    // Receive answers in the order of the requests, so that the newest record of an entity comes last.
    while let Some((acknowledged, answer)) =
        inbox.pending_reads.first().and_then(|(at, ticket)| Some((*at, ticket.try_take()?)))
    {
        drop(inbox.pending_reads.remove(0));
        match answer {
            Ok(records) => inbox.received.extend(records.into_iter().map(|(id, record, in_scope)| ReceivedRecord {
                id,
                record,
                in_scope,
                acknowledged,
            })),
            Err(MemoryError::Closed) => {}
            Err(_) => resync.0 = true,
        }
    }
    let remaining = inbox.to_request.len() + inbox.pending_reads.len() * RECORDS_PER_REQUEST + inbox.received.len();
    if remaining == 0 {
        inbox.requested_count = 0;
        if !progress.stage.is_empty() {
            *progress = LoadProgress { stage: String::new(), done: progress.total, total: progress.total };
        }
    } else if inbox.requested_count > RECORDS_PER_REQUEST {
        let stage = "loading entities";
        let done = inbox.requested_count.saturating_sub(remaining);
        if progress.done != done || progress.stage != stage {
            *progress = LoadProgress { stage: stage.into(), done, total: inbox.requested_count };
        }
    }
}
