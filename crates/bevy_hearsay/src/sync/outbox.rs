//! What the game says of its entities, on its way to the memory.

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
    memory::{MemoryExit, MemoryTrouble, NpcMemory},
};

/// A batch under way.
struct Batch {
    number: u64,
    since: Instant,
    patches: Arc<Patches>,
    ticket: Ticket<Patched>,
}

/// Patches that wait, and batches under way.
#[derive(Resource)]
pub(crate) struct Outbox {
    /// By entity, in the order in which they changed; of those with a shadow, it knows the place. So however long a
    /// commit takes, what waits is bounded by what there is.
    pub(crate) waiting: Vec<(EntityId, Patch)>,
    /// Entities that a batch on its way adds, with its number.
    creating: HashMap<EntityId, u64>,
    /// Entities that were unloaded after the game had changed them, with the batch in which that went out: what was read of
    /// them before it was acknowledged is older.
    unloaded: HashMap<EntityId, u64>,
    /// The number of the batch that gathers.
    pub(crate) batch: u64,
    /// Since when it gathers.
    pub(crate) since: Option<Instant>,
    /// Batches that were sent, the oldest first.
    sent: Vec<Batch>,
    /// What was acknowledged, by the number of its write, until the event of that write is looked at.
    own: Vec<(u64, Arc<Patches>)>,
    /// How long the batch that was acknowledged last took, from its first change on.
    pub(crate) lag: Option<Duration>,
    /// How many slots are being loaded. While any is, nothing is sent: what the game says now belongs to the future that
    /// is left.
    pub(crate) loading: usize,
    /// What the clock showed when it was last sent or read.
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
    /// The patch of a bound entity that gathers.
    pub(crate) fn patch(&mut self, shadow: &mut Shadow) -> &mut Patch {
        if shadow.waits.0 != self.batch {
            shadow.waits = (self.batch, self.push(shadow.id.clone(), Patch::default()));
        }
        &mut self.waiting[shadow.waits.1].1
    }

    /// Adds the patch of an entity; its place.
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

    /// The batch that changed an entity before it was unloaded, if what was read of it may be of before.
    pub(crate) fn outdates(&mut self, id: &EntityId, acknowledged: u64) -> Option<u64> {
        let batch = self.unloaded.get(id).copied()?;
        if batch > acknowledged {
            return Some(batch);
        }
        self.unloaded.remove(id);
        None
    }

    /// The batch on its way that adds an entity, if there is one.
    pub(crate) fn creates(&self, id: &EntityId) -> Option<u64> {
        self.creating.get(id).copied()
    }

    /// Whether a batch on its way adds any entity.
    pub(crate) fn is_creating(&self) -> bool {
        !self.creating.is_empty()
    }

    /// What a write was made from, if it was one of this game's batches.
    pub(crate) fn own(&self, revision: u64) -> Option<Arc<Patches>> {
        self.own.iter().find(|(at, _)| *at == revision).map(|(_, patches)| Arc::clone(patches))
    }

    /// All writes up to this one were looked at.
    pub(crate) fn forget_own(&mut self, revision: u64) {
        self.own.retain(|(at, _)| *at > revision);
    }

    /// Drops what waits: its world is gone. The last batch of it.
    pub(crate) fn leave(&mut self) -> u64 {
        self.waiting.clear();
        self.own.clear();
        self.creating.clear();
        self.unloaded.clear();
        self.since = None;
        self.batch += 1;
        self.batch - 1
    }

    /// The memory's clock was set: by this game, which has moved on since, or by somebody else, whom the game follows.
    pub(crate) fn follow_clock(&mut self, time: i64, clock: &mut GameClock) {
        let unsent = clock.0.is_some() && clock.0 != self.clock;
        let sent = self.sent.iter().any(|sent| sent.patches.clock.is_some());
        if !unsent && !sent && clock.0 != Some(time) {
            clock.0 = Some(time);
            self.clock = Some(time);
        }
    }

    /// Whether something gathers, or is not acknowledged.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.sent.is_empty() || self.is_loading()
    }

    /// Whether a slot is being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading > 0
    }

    /// How many batches are not acknowledged.
    pub(crate) fn in_flight(&self) -> usize {
        self.sent.len()
    }
}

/// Batches under way at most, but for what must go out at once. What changes meanwhile gathers.
const IN_FLIGHT: usize = 2;

/// Whether something is to be sent.
pub(crate) fn is_due(world: &World) -> bool {
    let outbox = world.resource::<Outbox>();
    let gathered = |since: Instant| since.elapsed() >= world.resource::<SyncSettings>().interval;
    outbox.sent.len() < IN_FLIGHT && outbox.since.is_some_and(gathered)
}

/// Whether something was sent that was not acknowledged.
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

/// Sends what waits now, because what follows rests on it. Whether nothing waits any more.
pub(crate) fn flush(world: &mut World) -> bool {
    if !world.contains_resource::<Outbox>() {
        return true;
    }
    world.resource_scope(|world, mut outbox: Mut<Outbox>| {
        send(&mut outbox, world.resource::<NpcMemory>(), world.resource::<GameClock>())
    })
}

/// Counts the batches that were answered, at exit.
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

/// Counts all batches once the memory is closed: those that have no answer, or were never sent, are not committed.
pub(crate) fn count_at_exit(world: &mut World, exit: &mut MemoryExit) {
    take_at_exit(world, exit);
    let Some(outbox) = world.get_resource::<Outbox>() else { return };
    exit.not_committed += outbox.sent.len() + usize::from(!outbox.waiting.is_empty());
}

/// Whether all that waited is on its way.
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
    // The next batch will be about as large.
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
            // The memory is busy or closed: they gather on, and nothing is lost.
            outbox.waiting = Arc::try_unwrap(patches).map(|patches| patches.entities).unwrap_or_default();
            outbox.clock = clock_was;
            false
        }
    }
}

/// Takes what was acknowledged. What was refused, and what was read meanwhile, is read again.
pub(crate) fn take_acknowledged(
    mut outbox: ResMut<Outbox>,
    mut inbox: ResMut<Inbox>,
    registry: Res<Registry>,
    mut trouble: MessageWriter<MemoryTrouble>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    while let Some(answer) = outbox.sent.first().and_then(|sent| sent.ticket.try_take()) {
        let Batch { number: batch, since, patches, .. } = outbox.sent.remove(0);
        outbox.lag = Some(since.elapsed());
        // A slot that was loaded meanwhile has acknowledged, by leaving them, all batches before it.
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
                    trouble.write(MemoryTrouble { what: format!("{}: {}", refused.entity, refused.why), entity });
                    inbox.want(refused.entity);
                }
            }
            Err(MemoryError::Closed) => {}
            Err(error) => {
                tracing::warn!("changes of {} entities were not written: {error}", patches.entities.len());
                trouble.write(MemoryTrouble { what: error.to_string(), entity: None });
                for (id, _) in &patches.entities {
                    inbox.want(id.clone());
                }
            }
        }
        inbox.want_missed();
    }
}
