//! Requests the ids of changed entities and their records, and receives the answers.

use std::{collections::BTreeSet, sync::Arc};

use bevy::{platform::collections::HashMap, prelude::*};
use hearsay_commands::patches::{Patch, Patches};
use hearsay_engine::MemoryError;
use hearsay_model::{EntityId, GameTime, State};
use hearsay_query::records::{Record, touched_entities};

use super::{
    inbox::{Inbox, Read},
    listing,
    outbox::Outbox,
    registry::Registry,
    settings::GameClock,
    spawn_policy::{Reach, SpawnPolicy},
};
use crate::bridge::{FrameCost, LoadProgress, NpcMemory, Resync, Touched, is_open};

/// Maximum number of records per request.
const PORTION: usize = 128;

/// Maximum number of writes whose changed entities are looked up in one request. Combining several writes keeps the
/// queue short while the memory is busy.
const WRITES: usize = 16;

/// Maximum number of pending requests of each kind. The limit is high enough to keep the memory busy, and low enough
/// that other reads run between the requests.
const REQUESTS: usize = 4;

/// Returns whether there are changes or records to request.
pub(crate) fn has_work(world: &World) -> bool {
    let wanted = || !world.resource::<Inbox>().wanted.is_empty();
    (!world.resource::<Touched>().0.is_empty() || wanted()) && is_open(world)
}

/// Returns whether any request is pending or any received record has not been applied yet.
pub(crate) fn is_waiting(world: &World) -> bool {
    let inbox = world.resource::<Inbox>();
    (!inbox.looking.is_empty() || !inbox.reading.is_empty() || inbox.total > 0) && is_open(world)
}

/// Returns whether any record is requested or has not been applied yet, or a list of the selected entities is due.
pub(crate) fn is_busy(world: &World) -> bool {
    let is_touched = || !world.resource::<Touched>().0.is_empty();
    !world.resource::<Inbox>().is_quiet() || is_touched() || listing::is_changed(world)
}

/// Requests the ids of changed entities, and the wanted records.
pub(crate) fn ask(
    mut inbox: ResMut<Inbox>,
    mut touched: ResMut<Touched>,
    mut outbox: ResMut<Outbox>,
    memory: Res<NpcMemory>,
    spawn_policy: Res<SpawnPolicy>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    let Some(memory) = memory.get() else { return };
    while inbox.looking.len() < REQUESTS && !touched.0.is_empty() {
        let count = touched.0.len().min(WRITES);
        let newest = touched.0[count - 1].0;
        let writes = touched.0.range(..count).map(|(revision, keys)| (outbox.own(*revision), Arc::clone(keys)));
        let (writes, chosen): (Vec<_>, _) = (writes.collect(), spawn_policy.clone());
        let looked = memory.read(move |world| {
            let reach = chosen.reach(&world.state);
            let mut all = BTreeSet::new();
            for (own, keys) in &writes {
                let mut ids = touched_entities(&world.state, keys);
                if let Some(own) = own {
                    leave_out_shown(&mut ids, own, &world.state, &reach);
                }
                all.append(&mut ids);
            }
            let in_scope = |id: EntityId| (reach.holds(&world.state, &id), id);
            Ok((all.into_iter().map(in_scope).map(|(holds, id)| (id, holds)).collect(), world.state.clock()))
        });
        // The memory is busy: retry in the next frame.
        let Ok(ticket) = looked else { return };
        inbox.looking.push(ticket);
        outbox.forget_own(newest);
        touched.0.drain(..count);
    }
    while !inbox.wanted.is_empty() && inbox.reading.len() < REQUESTS {
        let ids: Vec<EntityId> = inbox.wanted.iter().take(PORTION).cloned().collect();
        let (chosen, asked) = (spawn_policy.clone(), ids.clone());
        let reading = memory.read(move |world| {
            let reach = chosen.reach(&world.state);
            let read = |id: EntityId| (Record::of(&world.state, &id), reach.holds(&world.state, &id), id);
            Ok(ids.into_iter().map(read).map(|(record, in_scope, id)| (id, record, in_scope)).collect())
        });
        let Ok(ticket) = reading else { return };
        for id in &asked {
            inbox.wanted.remove(id);
        }
        let acknowledged = inbox.acknowledged;
        inbox.reading.push((acknowledged, ticket));
    }
}

/// Removes from `ids` the entities whose record equals the patch in a batch of this game, because their components
/// already have these values. An entity stays in `ids` if the batch adds it, or if the spawn policy does not select it.
fn leave_out_shown(ids: &mut BTreeSet<EntityId>, own: &Patches, state: &State, reach: &Reach) {
    let mut said: HashMap<&EntityId, Option<&Patch>> = HashMap::default();
    for (id, patch) in &own.entities {
        // If an entity has several patches, none of them contains all changes, so the entity is read.
        said.entry(id).and_modify(|said| *said = None).or_insert(Some(patch));
    }
    ids.retain(|id| {
        let said = said.get(id).copied().flatten().filter(|patch| patch.create.is_none());
        let as_said = said.is_some_and(|patch| Record::of(state, id).is_some_and(|record| patch.holds_in(&record)));
        !as_said || !(matches!(reach, Reach::Nothing) || reach.holds(state, id))
    });
}

/// Receives the answers to pending requests.
pub(crate) fn take(
    mut inbox: ResMut<Inbox>,
    mut outbox: ResMut<Outbox>,
    mut clock: ResMut<GameClock>,
    mut resync: ResMut<Resync>,
    registry: Res<Registry>,
    mut progress: ResMut<LoadProgress>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    let inbox = inbox.as_mut();
    let (mut looked, mut time) = (Vec::new(), None);
    inbox.looking.retain(|ticket| match ticket.try_take() {
        None => true,
        Some(answer) => {
            let (ids, clock) = answer.unwrap_or_default();
            looked.extend(ids);
            time = clock.or(time);
            false
        }
    });
    if let Some(GameTime(time)) = time {
        outbox.follow_clock(time, &mut clock);
    }
    // If reads are in progress, their records may be older than the change, so the entity is read again.
    let reading = !inbox.reading.is_empty() || !inbox.read.is_empty();
    for (id, in_scope) in looked {
        if in_scope || reading || registry.bound.contains_key(&id) || registry.binding.contains_key(&id) {
            inbox.want(id);
        }
    }
    // Receive answers in the order of the requests, so that the newest record of an entity comes last.
    while let Some((acknowledged, answer)) =
        inbox.reading.first().and_then(|(at, ticket)| Some((*at, ticket.try_take()?)))
    {
        drop(inbox.reading.remove(0));
        match answer {
            Ok(records) => inbox.read.extend(records.into_iter().map(|(id, record, in_scope)| Read {
                id,
                record,
                in_scope,
                acknowledged,
            })),
            Err(MemoryError::Closed) => {}
            Err(_) => resync.0 = true,
        }
    }
    let left = inbox.wanted.len() + inbox.reading.len() * PORTION + inbox.read.len();
    if left == 0 {
        inbox.total = 0;
        if !progress.stage.is_empty() {
            *progress = LoadProgress { stage: String::new(), done: progress.total, total: progress.total };
        }
    } else if inbox.total > PORTION {
        let stage = "loading entities";
        let done = inbox.total.saturating_sub(left);
        if progress.done != done || progress.stage != stage {
            *progress = LoadProgress { stage: stage.into(), done, total: inbox.total };
        }
    }
}
