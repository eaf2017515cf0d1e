//! The queue of the game's changes for the memory.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use bevy::{platform::collections::HashMap, prelude::*};
use hearsay_commands::patches::{Patch, Patches};
use hearsay_engine::{MemoryError, Patched, Ticket};
use hearsay_model::{Audience, Author, EntityId, Predicate};

use super::{
    inbox::Inbox,
    registry::Registry,
    settings::{GameClock, SyncSettings},
    shadow::Shadow,
};
use crate::bridge::{
    CountFn, FrameCost, HearsayError, MemoryErrorMessage, MemoryExit, NpcMemory, SentRequest, total_size,
    uncommitted_size,
};

/// A batch that was sent but not yet acknowledged.
struct Batch {
    number: u64,
    first_change_at: Instant,
    patches: Arc<Patches>,
    ticket: Ticket<Patched>,
}

impl SentRequest for Batch {
    fn is_committed(&self) -> Option<bool> {
        Some(self.ticket.try_take()?.is_ok())
    }

    /// Returns the number of changes. All changes of one entity count as one change, and so does a new time of the
    /// clock.
    fn size(&self) -> usize {
        self.patches.entities.len() + usize::from(self.patches.clock.is_some())
    }
}

/// Patches that are waiting to be sent, and batches that were sent but not yet acknowledged.
#[derive(Resource)]
pub(crate) struct Outbox {
    /// The waiting patches with their entities, in order of change. The shadow of a bound entity has the index of the
    /// entity's patch, so each bound entity has at most one patch here. Even during a long commit, this list is
    /// therefore never longer than the number of entities.
    pub(crate) waiting: Vec<(EntityId, Patch)>,
    /// Entities that an unacknowledged batch adds to the memory, with the number of the batch.
    creating: HashMap<EntityId, u64>,
    /// Entities that were despawned after the game changed them, with the number of the batch that contains the change.
    /// A record of such an entity is out of date if it was requested before this batch was acknowledged.
    unloaded: HashMap<EntityId, u64>,
    /// Number of the next batch to be sent.
    pub(crate) next_batch: u64,
    /// Time of the first change in the next batch, or `None` if there is no change.
    pub(crate) first_change_at: Option<Instant>,
    /// Batches that were sent, oldest first.
    sent: Vec<Batch>,
    /// Acknowledged batches, each with the revision of its write. A batch is removed when the event of its write is
    /// read.
    acknowledged_batches: Vec<(u64, Arc<Patches>)>,
    /// Time from the first change of the last acknowledged batch to its acknowledgement.
    pub(crate) commit_lag: Option<Duration>,
    /// Number of slots being loaded. While this number is not 0, nothing is sent, because new changes belong to the
    /// state before loading.
    pub(crate) loading: usize,
    /// Value of [`GameClock`] when it was last sent to the memory or read from the memory.
    pub(crate) known_clock: Option<i64>,
    /// The audiences of the game's synced attributes.
    pub(super) audiences: Arc<BTreeMap<Predicate, Audience>>,
}

impl Default for Outbox {
    fn default() -> Self {
        Self {
            waiting: Vec::new(),
            creating: HashMap::default(),
            unloaded: HashMap::default(),
            next_batch: 1,
            first_change_at: None,
            sent: Vec::new(),
            acknowledged_batches: Vec::new(),
            commit_lag: None,
            loading: 0,
            known_clock: None,
            audiences: Arc::default(),
        }
    }
}

impl Outbox {
    /// Returns the waiting patch of a bound entity. Adds an empty patch if the entity has none.
    pub(crate) fn patch(&mut self, shadow: &mut Shadow) -> &mut Patch {
        if shadow.pending_patch.0 != self.next_batch {
            shadow.pending_patch = (self.next_batch, self.push(shadow.id.clone(), Patch::default()));
        }
        &mut self.waiting[shadow.pending_patch.1].1
    }

    /// Adds the patch of an entity and returns its index.
    pub(crate) fn push(&mut self, id: EntityId, patch: Patch) -> usize {
        self.first_change_at.get_or_insert_with(Instant::now);
        self.waiting.push((id, patch));
        self.waiting.len() - 1
    }

    /// Records that the next batch adds an entity.
    pub(crate) fn record_creation(&mut self, id: EntityId) {
        self.creating.insert(id, self.next_batch);
    }

    /// Records that the Bevy entity is being despawned, and the number of the last batch that contains its changes.
    pub(crate) fn record_unload(&mut self, shadow: &Shadow) {
        let last_batch = shadow.last_sent();
        if last_batch > 0 {
            self.unloaded.insert(shadow.id.clone(), last_batch);
        }
    }

    /// Returns the number of the batch with the last changes of a despawned entity, if a record of the entity can lack
    /// these changes. `acknowledged` is the last batch that was acknowledged when the record was requested.
    pub(crate) fn missing_batch(&mut self, id: &EntityId, acknowledged: u64) -> Option<u64> {
        let batch = self.unloaded.get(id).copied()?;
        if batch > acknowledged {
            return Some(batch);
        }
        self.unloaded.remove(id);
        None
    }

    /// Returns the number of the unacknowledged batch that adds an entity, or `None` if no batch does.
    pub(crate) fn creating_batch(&self, id: &EntityId) -> Option<u64> {
        self.creating.get(id).copied()
    }

    /// Returns whether an unacknowledged batch adds any entity.
    pub(crate) fn is_creating(&self) -> bool {
        !self.creating.is_empty()
    }

    /// Returns the patches of a write, if the write was a batch of this game.
    pub(crate) fn own_patches(&self, revision: u64) -> Option<Arc<Patches>> {
        self.acknowledged_batches.iter().find(|(at, _)| *at == revision).map(|(_, patches)| Arc::clone(patches))
    }

    /// Removes the batches of all writes up to a revision, because their events were read.
    pub(crate) fn forget_own_until(&mut self, revision: u64) {
        self.acknowledged_batches.retain(|(at, _)| *at > revision);
    }

    /// Drops the waiting changes after a slot is loaded, because they belong to the state before loading. Returns the
    /// number of the last batch that belongs to this state.
    pub(crate) fn abandon_timeline(&mut self) -> u64 {
        self.waiting.clear();
        self.acknowledged_batches.clear();
        self.creating.clear();
        self.unloaded.clear();
        self.first_change_at = None;
        self.next_batch += 1;
        self.next_batch - 1
    }

    /// Removes all unsent and unacknowledged changes. Returns a function that counts the removed changes that were not
    /// committed.
    pub(super) fn take_requests(&mut self) -> CountFn {
        let (unsent, sent) = (self.waiting.len(), std::mem::take(&mut self.sent));
        self.waiting.clear();
        Box::new(move || unsent + uncommitted_size(&sent))
    }

    /// Sets the game's clock to the memory's time. Does nothing if the game has set its clock and this change is unsent
    /// or unacknowledged.
    pub(crate) fn follow_clock(&mut self, time: i64, clock: &mut GameClock) {
        let unsent = clock.0.is_some() && clock.0 != self.known_clock;
        let is_clock_pending = self.sent.iter().any(|batch| batch.patches.clock.is_some());
        if !unsent && !is_clock_pending && clock.0 != Some(time) {
            clock.0 = Some(time);
            self.known_clock = Some(time);
        }
    }

    /// Returns the number of the last batch that contains a change of the game, including the changes that are not sent
    /// yet.
    pub(crate) fn last_batch(&self) -> u64 {
        if self.waiting.is_empty() { self.next_batch - 1 } else { self.next_batch }
    }

    /// Returns whether any change is unsent, any batch is unacknowledged, or a slot is being loaded.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.sent.is_empty() || self.is_loading()
    }

    /// Returns whether a slot is being loaded.
    pub(crate) fn is_loading(&self) -> bool {
        self.loading > 0
    }

    /// Returns the number of batches that were sent but not yet acknowledged.
    pub(crate) fn in_flight(&self) -> usize {
        self.sent.len()
    }
}

/// Maximum number of unacknowledged batches. Further changes wait, except before a game event or a save, when [`flush`]
/// sends them at once.
const MAX_IN_FLIGHT: usize = 2;

/// Sends the waiting changes, if a batch is due. The changes are sent after the commands of earlier systems, because
/// these commands add the entities that the changes name.
pub(super) fn send_when_due(outbox: Res<Outbox>, settings: Res<SyncSettings>, mut commands: Commands) {
    let is_elapsed = |first_change_at: Instant| first_change_at.elapsed() >= settings.interval;
    if outbox.sent.len() < MAX_IN_FLIGHT && outbox.first_change_at.is_some_and(is_elapsed) {
        commands.queue(|world: &mut World| {
            let _cost = world.resource::<FrameCost>().measure();
            flush(world);
        });
    }
}

/// Sends the waiting changes now, because the next request depends on them. Returns true if no change is waiting any
/// more.
pub(crate) fn flush(world: &mut World) -> bool {
    world.resource_scope(|world, mut outbox: Mut<Outbox>| {
        send(&mut outbox, world.resource::<NpcMemory>(), world.resource::<GameClock>())
    })
}

/// Sends the waiting changes before the memory closes. Returns true if all changes were sent, or if the remaining
/// changes can never be sent.
pub(super) fn send_when_closing(world: &mut World) -> bool {
    // Changes made while a slot is being loaded belong to the state before loading and are never sent.
    flush(world) || world.resource::<Outbox>().is_loading()
}

/// Counts the changes of the answered batches at exit.
pub(super) fn count_answered(world: &mut World, exit: &mut MemoryExit) {
    exit.count_answered(&mut world.resource_mut::<Outbox>().sent);
}

/// Returns the number of changes that are unsent or unacknowledged.
pub(super) fn count_unanswered(world: &World) -> usize {
    let outbox = world.resource::<Outbox>();
    total_size(&outbox.sent) + outbox.waiting.len()
}

/// Sends the waiting changes. Returns whether all waiting changes were sent.
fn send(outbox: &mut Outbox, memory: &NpcMemory, clock: &GameClock) -> bool {
    let Some(memory) = memory.get() else { return false };
    if outbox.is_loading() {
        return false;
    }
    let clock_changed = clock.0 != outbox.known_clock && clock.0.is_some();
    if outbox.waiting.is_empty() && !clock_changed {
        return true;
    }
    let previous_clock = outbox.known_clock;
    // The next batch is probably about as large.
    let next = Vec::with_capacity(outbox.waiting.len());
    let entities = std::mem::replace(&mut outbox.waiting, next);
    let mut patches = Patches { entities, clock: None, audiences: Arc::clone(&outbox.audiences) };
    if clock_changed {
        patches.clock = clock.time();
        outbox.known_clock = clock.0;
    }
    let patches = Arc::new(patches);
    match memory.patch(Author::Game, Arc::clone(&patches)) {
        Ok(ticket) => {
            let first_change_at = outbox.first_change_at.take().unwrap_or_else(Instant::now);
            outbox.sent.push(Batch { number: outbox.next_batch, first_change_at, patches, ticket });
            outbox.next_batch += 1;
            true
        }
        Err(_) => {
            // The memory is busy or closed: keep the changes for the next attempt.
            outbox.waiting = Arc::try_unwrap(patches).map(|patches| patches.entities).unwrap_or_default();
            outbox.known_clock = previous_clock;
            false
        }
    }
}

/// Receives acknowledgements. An entity is read again if the memory refused one of its changes, or if it was read
/// before its batch was acknowledged.
pub(super) fn receive_acknowledgements(
    mut outbox: ResMut<Outbox>,
    mut inbox: ResMut<Inbox>,
    registry: Res<Registry>,
    memory: Res<NpcMemory>,
    mut errors: MessageWriter<MemoryErrorMessage>,
    cost: Res<FrameCost>,
) {
    if outbox.sent.is_empty() || !memory.is_open() {
        return;
    }
    let _cost = cost.measure();
    while let Some(answer) = outbox.sent.first().and_then(|sent| sent.ticket.try_take()) {
        let Batch { number: batch, first_change_at, patches, .. } = outbox.sent.remove(0);
        outbox.commit_lag = Some(first_change_at.elapsed());
        // If a slot was loaded in the meantime, all earlier batches already count as acknowledged.
        inbox.acknowledged = inbox.acknowledged.max(batch);
        if !outbox.creating.is_empty() {
            outbox.creating.retain(|_, at| *at > batch);
        }
        match answer {
            Ok(patched) => {
                outbox.acknowledged_batches.extend(patched.revision.map(|revision| (revision, patches)));
                for refused in patched.refused {
                    tracing::warn!("{}: {}", refused.entity, refused.why);
                    let entity = registry.entity(&refused.entity);
                    let error = HearsayError::ChangeRefused { entity: refused.entity.clone(), reason: refused.why };
                    errors.write(MemoryErrorMessage { error, entity });
                    inbox.request(refused.entity);
                }
            }
            Err(MemoryError::Closed) => {}
            Err(error) => {
                tracing::warn!("changes of {} entities were not written: {error}", patches.entities.len());
                errors.write(MemoryErrorMessage { error: error.into(), entity: None });
                for (id, _) in &patches.entities {
                    inbox.request(id.clone());
                }
            }
        }
        inbox.request_due_rereads();
    }
}
