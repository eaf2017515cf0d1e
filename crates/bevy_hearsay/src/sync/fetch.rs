//! Records of the memory on their way to the game.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bevy::{ecs::change_detection::Tick, platform::collections::HashMap, prelude::*};
use hearsay_memory::{MemoryError, Patch, Patches, Record, Ticket, touched_entities};
use hearsay_model::{EntityId, GameTime, State};

use super::{GameClock, Outbox, Registry, SpawnPolicy, scope::Reach};
use crate::{
    diagnostics::FrameCost,
    memory::{LoadProgress, NpcMemory, Touched},
};

/// Maximum number of records per request.
const PORTION: usize = 128;

/// Maximum number of writes whose changes are read with one request, so that they do not pile up while the memory is
/// busy.
const WRITES: usize = 16;

/// Maximum number of pending requests: enough to keep the memory busy, and few enough to let other reads run between
/// them.
const REQUESTS: usize = 4;

/// A record as it was read.
pub(crate) struct Read {
    pub(crate) id: EntityId,
    pub(crate) record: Option<Record>,
    /// Whether the spawn policy selects the entity.
    pub(crate) in_scope: bool,
    /// The last acknowledged batch when the record was requested.
    pub(crate) acknowledged: u64,
}

/// Changed entities, with whether the spawn policy selects each, and the time of the memory's clock.
type Looked = (BTreeMap<EntityId, bool>, Option<GameTime>);

type Records = Vec<(EntityId, Option<Record>, bool)>;

/// Records to read, records being read, and records that wait to be applied.
#[derive(Resource, Default)]
pub(crate) struct Inbox {
    wanted: BTreeSet<EntityId>,
    reading: Vec<(u64, Ticket<Records>)>,
    looking: Vec<Ticket<Looked>>,
    pub(crate) listing: Option<Ticket<(Vec<EntityId>, Option<GameTime>)>>,
    pub(crate) read: VecDeque<Read>,
    /// The last acknowledged batch.
    pub(crate) acknowledged: u64,
    /// Entities that were read while a later batch had no acknowledgement. They are read again when it is acknowledged.
    missed: Vec<(u64, EntityId)>,
    /// Whether all entities must be compared again, because events were dropped.
    pub(crate) resync: bool,
    /// Change ticks of the spawn policy and of the memory when entities were last listed.
    pub(crate) listed_as_of: Option<(Tick, Tick)>,
    /// Number of records wanted since the queue was last empty.
    total: usize,
}

impl Inbox {
    pub(crate) fn want(&mut self, id: EntityId) {
        self.total += usize::from(self.wanted.insert(id));
    }

    /// Schedules another read of an entity for when a batch is acknowledged.
    pub(crate) fn miss(&mut self, id: EntityId, batch: u64) {
        if batch <= self.acknowledged {
            self.want(id);
        } else if !self.missed.iter().any(|(at, missed)| *at >= batch && *missed == id) {
            self.missed.push((batch, id));
        }
    }

    pub(crate) fn want_missed(&mut self) {
        let acknowledged = self.acknowledged;
        let due: Vec<_> = self.missed.extract_if(.., |(batch, _)| *batch <= acknowledged).collect();
        due.into_iter().for_each(|(_, id)| self.want(id));
    }

    /// Drops all records of an abandoned timeline and schedules a comparison with the new one. Entities that are being
    /// bound are requested again.
    pub(crate) fn leave(&mut self, abandoned: u64, binding: impl IntoIterator<Item = EntityId>) {
        *self = Self { acknowledged: abandoned, resync: true, ..Self::default() };
        binding.into_iter().for_each(|id| self.want(id));
    }

    /// Returns whether no record is being read or waits to be read or applied.
    pub(crate) fn is_quiet(&self) -> bool {
        let nothing_read = self.wanted.is_empty() && self.reading.is_empty() && self.read.is_empty();
        nothing_read && self.looking.is_empty() && self.listing.is_none() && !self.resync && self.missed.is_empty()
    }
}

/// Returns whether the memory is open.
pub(crate) fn is_open(world: &World) -> bool {
    world.get_resource::<NpcMemory>().is_some_and(|memory| memory.get().is_some())
}

/// Returns whether changes or records wait to be requested.
pub(crate) fn has_work(world: &World) -> bool {
    let wanted = || !world.resource::<Inbox>().wanted.is_empty();
    (!world.resource::<Touched>().0.is_empty() || wanted()) && is_open(world)
}

/// Returns whether requests are pending or records were read.
pub(crate) fn is_waiting(world: &World) -> bool {
    let inbox = world.resource::<Inbox>();
    (!inbox.looking.is_empty() || !inbox.reading.is_empty() || inbox.total > 0) && is_open(world)
}

/// Requests changed entities and wanted records.
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

/// Leaves out entities whose record equals the patch of this game's batch, because the game shows these values already.
/// Entities that the batch adds, or moves out of the spawn policy's selection, are still read.
fn leave_out_shown(ids: &mut BTreeSet<EntityId>, own: &Patches, state: &State, reach: &Reach) {
    let mut said: HashMap<&EntityId, Option<&Patch>> = HashMap::default();
    for (id, patch) in &own.entities {
        // If an entity has several patches, no single patch has all changes.
        said.entry(id).and_modify(|said| *said = None).or_insert(Some(patch));
    }
    ids.retain(|id| {
        let said = said.get(id).copied().flatten().filter(|patch| patch.create.is_none());
        let as_said = said.is_some_and(|patch| Record::of(state, id).is_some_and(|record| patch.holds_in(&record)));
        !as_said || !(matches!(reach, Reach::Nothing) || reach.holds(state, id))
    });
}

/// Takes the answers of pending requests.
pub(crate) fn take(
    mut inbox: ResMut<Inbox>,
    mut outbox: ResMut<Outbox>,
    mut clock: ResMut<GameClock>,
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
    // A record being read may be older than the change.
    let reading = !inbox.reading.is_empty() || !inbox.read.is_empty();
    for (id, in_scope) in looked {
        if in_scope || reading || registry.bound.contains_key(&id) || registry.binding.contains_key(&id) {
            inbox.want(id);
        }
    }
    // Take answers in the order of the requests, so that the newer record of an entity comes last.
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
            Err(_) => inbox.resync = true,
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
