//! What the memory holds, on its way to the game.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bevy::{ecs::change_detection::Tick, platform::collections::HashMap, prelude::*};
use hearsay_memory::{MemoryError, Patch, Patches, Record, Ticket, touched_entities};
use hearsay_model::{EntityId, GameTime, State};

use super::{GameClock, Materialise, Outbox, Registry, scope::Reach};
use crate::{
    diagnostics::FrameCost,
    memory::{LoadProgress, NpcMemory, Touched},
};

/// Records that are read with one request.
const PORTION: usize = 128;

/// Writes whose changes are looked at with one request, so that many do not pile up while the memory is busy.
const WRITES: usize = 16;

/// Requests under way at most: enough to keep the memory busy, and few enough that other reads come between.
const REQUESTS: usize = 4;

/// An entity as it was read.
pub(crate) struct Read {
    pub(crate) id: EntityId,
    pub(crate) record: Option<Record>,
    /// Whether it is to be materialised.
    pub(crate) in_scope: bool,
    /// The batch that was the last acknowledged when it was asked for.
    pub(crate) acknowledged: u64,
}

/// Which entities changed, with whether each is to be materialised; and what the memory's clock shows.
type Looked = (BTreeMap<EntityId, bool>, Option<GameTime>);

type Records = Vec<(EntityId, Option<Record>, bool)>;

/// What is to be read, what is being read, and what was read and waits to be applied.
#[derive(Resource, Default)]
pub(crate) struct Inbox {
    wanted: BTreeSet<EntityId>,
    reading: Vec<(u64, Ticket<Records>)>,
    looking: Vec<Ticket<Looked>>,
    pub(crate) listing: Option<Ticket<(Vec<EntityId>, Option<GameTime>)>>,
    pub(crate) read: VecDeque<Read>,
    /// The last batch that was acknowledged.
    pub(crate) acknowledged: u64,
    /// Entities that were read while a later batch was under way: read again once it is acknowledged.
    missed: Vec<(u64, EntityId)>,
    /// All is to be compared anew: events were missed.
    pub(crate) resync: bool,
    /// When what is to be materialised, and the memory that it is listed of, had changed last when it was listed.
    pub(crate) listed_as_of: Option<(Tick, Tick)>,
    /// How many were wanted since the last time that there was nothing to do.
    total: usize,
}

impl Inbox {
    pub(crate) fn want(&mut self, id: EntityId) {
        self.total += usize::from(self.wanted.insert(id));
    }

    /// An entity is read again when a batch is acknowledged.
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

    /// Drops all that was read of a world that is left, and has the new one compared. What is being bound is asked again.
    pub(crate) fn leave(&mut self, abandoned: u64, binding: impl IntoIterator<Item = EntityId>) {
        *self = Self { acknowledged: abandoned, resync: true, ..Self::default() };
        binding.into_iter().for_each(|id| self.want(id));
    }

    /// Whether nothing is being read, or waits to be read or applied.
    pub(crate) fn is_quiet(&self) -> bool {
        let nothing_read = self.wanted.is_empty() && self.reading.is_empty() && self.read.is_empty();
        nothing_read && self.looking.is_empty() && self.listing.is_none() && !self.resync && self.missed.is_empty()
    }
}

/// Whether there is a memory to talk to.
pub(crate) fn is_open(world: &World) -> bool {
    world.get_resource::<NpcMemory>().is_some_and(|memory| memory.get().is_some())
}

/// Whether something is to be looked at or read.
pub(crate) fn has_work(world: &World) -> bool {
    let wanted = || !world.resource::<Inbox>().wanted.is_empty();
    (!world.resource::<Touched>().0.is_empty() || wanted()) && is_open(world)
}

/// Whether something was asked for, or read.
pub(crate) fn is_waiting(world: &World) -> bool {
    let inbox = world.resource::<Inbox>();
    (!inbox.looking.is_empty() || !inbox.reading.is_empty() || inbox.total > 0) && is_open(world)
}

/// Asks for what is to be read.
pub(crate) fn ask(
    mut inbox: ResMut<Inbox>,
    mut touched: ResMut<Touched>,
    mut outbox: ResMut<Outbox>,
    memory: Res<NpcMemory>,
    materialise: Res<Materialise>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    let Some(memory) = memory.get() else { return };
    while inbox.looking.len() < REQUESTS && !touched.0.is_empty() {
        let count = touched.0.len().min(WRITES);
        let newest = touched.0[count - 1].0;
        let writes = touched.0.range(..count).map(|(revision, keys)| (outbox.own(*revision), Arc::clone(keys)));
        let (writes, chosen): (Vec<_>, _) = (writes.collect(), materialise.clone());
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
        // The memory is busy: at the next frame.
        let Ok(ticket) = looked else { return };
        inbox.looking.push(ticket);
        outbox.forget_own(newest);
        touched.0.drain(..count);
    }
    while !inbox.wanted.is_empty() && inbox.reading.len() < REQUESTS {
        let ids: Vec<EntityId> = inbox.wanted.iter().take(PORTION).cloned().collect();
        let (chosen, asked) = (materialise.clone(), ids.clone());
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

/// Leaves out what a batch of this game changed and what is as it says: that is shown already. What it adds is read, and
/// so is what it moved out of the scope.
fn leave_out_shown(ids: &mut BTreeSet<EntityId>, own: &Patches, state: &State, reach: &Reach) {
    let mut said: HashMap<&EntityId, Option<&Patch>> = HashMap::default();
    for (id, patch) in &own.entities {
        // Of several for one entity, none says all.
        said.entry(id).and_modify(|said| *said = None).or_insert(Some(patch));
    }
    ids.retain(|id| {
        let said = said.get(id).copied().flatten().filter(|patch| patch.create.is_none());
        let as_said = said.is_some_and(|patch| Record::of(state, id).is_some_and(|record| patch.holds_in(&record)));
        !as_said || !(matches!(reach, Reach::Nothing) || reach.holds(state, id))
    });
}

/// Takes what was read.
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
    // What is being read may be of before the change.
    let reading = !inbox.reading.is_empty() || !inbox.read.is_empty();
    for (id, in_scope) in looked {
        if in_scope || reading || registry.bound.contains_key(&id) || registry.binding.contains_key(&id) {
            inbox.want(id);
        }
    }
    // In the order in which they were asked, so that of two readings of an entity the newer comes last.
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
