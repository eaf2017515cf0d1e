//! The game's changes on their way to the memory.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bevy::{platform::collections::HashMap, prelude::*};
use hearsay_memory::{MemoryError, Patch, Patched, Patches, Ticket};
use hearsay_model::{Author, EntityId};

use super::{GameClock, Inbox, Registry, Shadow, SyncSettings, fetch::is_open};
use crate::{
    diagnostics::FrameCost,
    memory::{MemoryErrorMessage, MemoryExit, NpcMemory},
};

/// A batch that was sent and is not acknowledged.
struct Batch {
    number: u64,
    since: Instant,
    patches: Arc<Patches>,
    ticket: Ticket<Patched>,
}

/// Patches that wait, and batches without acknowledgement.
#[derive(Resource)]
pub(crate) struct Outbox {
    /// The waiting patches by entity, in order of change. The shadow of a bound entity holds the index of its patch, so
    /// each bound entity has at most one. The number of entities therefore bounds this list, however long a commit
    /// takes.
    pub(crate) waiting: Vec<(EntityId, Patch)>,
    /// Entities that an unacknowledged batch adds, with the number of the batch.
    creating: HashMap<EntityId, u64>,
    /// Entities that were unloaded after the game had changed them, with the batch of the change. A record requested
    /// before this batch was acknowledged is out of date.
    unloaded: HashMap<EntityId, u64>,
    /// Number of the batch that gathers.
    pub(crate) batch: u64,
    /// Time of the first change in the batch that gathers.
    pub(crate) since: Option<Instant>,
    /// Batches that were sent, oldest first.
    sent: Vec<Batch>,
    /// Acknowledged batches, by the revision of their write, until the event of that write is read.
    own: Vec<(u64, Arc<Patches>)>,
    /// Time from the first change of the last acknowledged batch to its acknowledgement.
    pub(crate) lag: Option<Duration>,
    /// Number of slots being loaded. While a slot is being loaded, nothing is sent, because new changes belong to the
    /// abandoned timeline.
    pub(crate) loading: usize,
    /// Time of the clock when it was last sent or read.
    pub(crate) clock: Option<i64>,
}

impl Default for Outbox {
    fn default() -> Self {
        Self {
            waiting: Vec::new(),
            creating: HashMap::default(),
            unloaded: HashMap::default(),
            batch: 1,
            since: None,
            sent: Vec::new(),
            own: Vec::new(),
            lag: None,
            loading: 0,
            clock: None,
        }
    }
}

impl Outbox {
    /// Returns the waiting patch of a bound entity.
    pub(crate) fn patch(&mut self, shadow: &mut Shadow) -> &mut Patch {
        if shadow.waits.0 != self.batch {
            shadow.waits = (self.batch, self.push(shadow.id.clone(), Patch::default()));
        }
        &mut self.waiting[shadow.waits.1].1
    }

    /// Adds the patch of an entity and returns its index.
    pub(crate) fn push(&mut self, id: EntityId, patch: Patch) -> usize {
        self.since.get_or_insert_with(Instant::now);
        self.waiting.push((id, patch));
        self.waiting.len() - 1
    }

    /// Notes that the batch that gathers adds an entity.
    pub(crate) fn create(&mut self, id: EntityId) {
        self.creating.insert(id, self.batch);
    }

    /// Notes that an entity is unloaded.
    pub(crate) fn unload(&mut self, shadow: &Shadow) {
        let last = shadow.last_sent();
        if last > 0 {
            self.unloaded.insert(shadow.id.clone(), last);
        }
    }

    /// Returns the batch that changed an entity before it was unloaded, if a record may be older than this batch.
    pub(crate) fn outdates(&mut self, id: &EntityId, acknowledged: u64) -> Option<u64> {
        let batch = self.unloaded.get(id).copied()?;
        if batch > acknowledged {
            return Some(batch);
        }
        self.unloaded.remove(id);
        None
    }

    /// Returns the unacknowledged batch that adds an entity, if there is one.
    pub(crate) fn creates(&self, id: &EntityId) -> Option<u64> {
        self.creating.get(id).copied()
    }

    /// Returns whether an unacknowledged batch adds any entity.
    pub(crate) fn is_creating(&self) -> bool {
        !self.creating.is_empty()
    }

    /// Returns the patches of a write, if the write was a batch of this game.
    pub(crate) fn own(&self, revision: u64) -> Option<Arc<Patches>> {
        self.own.iter().find(|(at, _)| *at == revision).map(|(_, patches)| Arc::clone(patches))
    }

    /// Removes the batches of all writes up to a revision, because their events were read.
    pub(crate) fn forget_own(&mut self, revision: u64) {
        self.own.retain(|(at, _)| *at > revision);
    }

    /// Drops the waiting changes, because their timeline was abandoned. Returns the last batch of that timeline.
    pub(crate) fn leave(&mut self) -> u64 {
        self.waiting.clear();
        self.own.clear();
        self.creating.clear();
        self.unloaded.clear();
        self.since = None;
        self.batch += 1;
        self.batch - 1
    }

    /// Follows a change of the memory's clock, unless the game has an unsent or unacknowledged time of its own.
    pub(crate) fn follow_clock(&mut self, time: i64, clock: &mut GameClock) {
        let unsent = clock.0.is_some() && clock.0 != self.clock;
        let sent = self.sent.iter().any(|sent| sent.patches.clock.is_some());
        if !unsent && !sent && clock.0 != Some(time) {
            clock.0 = Some(time);
            self.clock = Some(time);
        }
    }

    /// Returns whether a batch gathers, or waits for acknowledgement.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.sent.is_empty() || self.is_loading()
    }

    /// Returns whether a slot is being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading > 0
    }

    /// Returns the number of batches without acknowledgement.
    pub(crate) fn in_flight(&self) -> usize {
        self.sent.len()
    }
}

/// Maximum number of batches without acknowledgement; urgent batches are exempt. Further changes gather.
const IN_FLIGHT: usize = 2;

/// Returns whether a batch is due.
pub(crate) fn is_due(world: &World) -> bool {
    let outbox = world.resource::<Outbox>();
    let gathered = |since: Instant| since.elapsed() >= world.resource::<SyncSettings>().interval;
    outbox.sent.len() < IN_FLIGHT && outbox.since.is_some_and(gathered)
}

/// Returns whether a batch waits for acknowledgement.
pub(crate) fn is_waiting(world: &World) -> bool {
    !world.resource::<Outbox>().sent.is_empty() && is_open(world)
}

pub(crate) fn send_when_due(
    mut outbox: ResMut<Outbox>,
    memory: Res<NpcMemory>,
    clock: Res<GameClock>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    send(&mut outbox, &memory, &clock);
}

/// Sends the waiting changes now, because the next request depends on them. Returns whether no change waits any more.
pub(crate) fn flush(world: &mut World) -> bool {
    if !world.contains_resource::<Outbox>() {
        return true;
    }
    world.resource_scope(|world, mut outbox: Mut<Outbox>| {
        send(&mut outbox, world.resource::<NpcMemory>(), world.resource::<GameClock>())
    })
}

/// Counts the answered batches at exit.
pub(crate) fn take_at_exit(world: &mut World, exit: &mut MemoryExit) {
    let Some(mut outbox) = world.get_resource_mut::<Outbox>() else { return };
    outbox.sent.retain(|batch| match batch.ticket.try_take() {
        Some(answer) => {
            exit.count(answer.is_ok());
            false
        }
        None => true,
    });
}

/// Counts all batches once the memory is closed. A batch without an answer, or never sent, is not committed.
pub(crate) fn count_at_exit(world: &mut World, exit: &mut MemoryExit) {
    take_at_exit(world, exit);
    let Some(outbox) = world.get_resource::<Outbox>() else { return };
    exit.not_committed += outbox.sent.len() + usize::from(!outbox.waiting.is_empty());
}

/// Sends the waiting changes. Returns whether all of them were sent.
fn send(outbox: &mut Outbox, memory: &NpcMemory, clock: &GameClock) -> bool {
    let Some(memory) = memory.get() else { return false };
    if outbox.is_loading() {
        return false;
    }
    let turned = clock.0 != outbox.clock && clock.0.is_some();
    if outbox.waiting.is_empty() && !turned {
        return true;
    }
    let clock_was = outbox.clock;
    // The next batch is probably about as large.
    let next = Vec::with_capacity(outbox.waiting.len());
    let mut patches = Patches { entities: std::mem::replace(&mut outbox.waiting, next), clock: None };
    if turned {
        patches.clock = clock.time();
        outbox.clock = clock.0;
    }
    let patches = Arc::new(patches);
    match memory.patch(Author::Game, Arc::clone(&patches)) {
        Ok(ticket) => {
            let since = outbox.since.take().unwrap_or_else(Instant::now);
            outbox.sent.push(Batch { number: outbox.batch, since, patches, ticket });
            outbox.batch += 1;
            true
        }
        Err(_) => {
            // The memory is busy or closed: the changes continue to gather, and none is lost.
            outbox.waiting = Arc::try_unwrap(patches).map(|patches| patches.entities).unwrap_or_default();
            outbox.clock = clock_was;
            false
        }
    }
}

/// Takes acknowledgements. Refused entities, and entities read meanwhile, are read again.
pub(crate) fn take_acknowledged(
    mut outbox: ResMut<Outbox>,
    mut inbox: ResMut<Inbox>,
    registry: Res<Registry>,
    mut trouble: MessageWriter<MemoryErrorMessage>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    while let Some(answer) = outbox.sent.first().and_then(|sent| sent.ticket.try_take()) {
        let Batch { number: batch, since, patches, .. } = outbox.sent.remove(0);
        outbox.lag = Some(since.elapsed());
        // Loading a slot meanwhile has already acknowledged all earlier batches by abandoning them.
        inbox.acknowledged = inbox.acknowledged.max(batch);
        if !outbox.creating.is_empty() {
            outbox.creating.retain(|_, at| *at > batch);
        }
        match answer {
            Ok(patched) => {
                outbox.own.extend(patched.revision.map(|revision| (revision, patches)));
                for refused in patched.refused {
                    tracing::warn!("{}: {}", refused.entity, refused.why);
                    let entity = registry.entity(&refused.entity);
                    trouble.write(MemoryErrorMessage { what: format!("{}: {}", refused.entity, refused.why), entity });
                    inbox.want(refused.entity);
                }
            }
            Err(MemoryError::Closed) => {}
            Err(error) => {
                tracing::warn!("changes of {} entities were not written: {error}", patches.entities.len());
                trouble.write(MemoryErrorMessage { what: error.to_string(), entity: None });
                for (id, _) in &patches.entities {
                    inbox.want(id.clone());
                }
            }
        }
        inbox.want_missed();
    }
}
