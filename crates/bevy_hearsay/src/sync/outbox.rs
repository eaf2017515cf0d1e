//! What the game says of its entities, on its way to the memory.

use std::{sync::Arc, time::Instant};

use bevy::prelude::*;
use hearsay_memory::{MemoryError, Patch, Patched, Patches, Ticket};
use hearsay_model::{Author, EntityId};

use super::{GameClock, Inbox, Registry, Shadow, SyncSettings};
use crate::memory::{MemoryTrouble, NpcMemory};

/// Patches that wait, and batches under way.
#[derive(Resource)]
pub(crate) struct Outbox {
    /// By entity, in the order in which they changed; of those with a shadow, it knows the place.
    pub(crate) waiting: Vec<(EntityId, Patch)>,
    /// The number of the batch that gathers.
    pub(crate) batch: u64,
    /// Since when it gathers.
    pub(crate) since: Option<Instant>,
    /// Batches that were sent, the oldest first.
    sent: Vec<(u64, Arc<Patches>, Ticket<Patched>)>,
    /// A slot is being loaded: what the game says now belongs to the future that is left.
    pub(crate) suspended: bool,
    /// What the clock showed when it was last sent or read.
    pub(crate) clock: Option<i64>,
}

impl Default for Outbox {
    fn default() -> Self {
        Self { waiting: Vec::new(), batch: 1, since: None, sent: Vec::new(), suspended: false, clock: None }
    }
}

impl Outbox {
    /// The patch of a bound entity that gathers.
    pub(crate) fn patch(&mut self, shadow: &mut Shadow) -> &mut Patch {
        let index = match shadow.waits {
            Some((batch, index)) if batch == self.batch => index as usize,
            _ => {
                shadow.waits = Some((self.batch, self.waiting.len() as u32));
                self.push(shadow.id.clone(), Patch::default())
            }
        };
        &mut self.waiting[index].1
    }

    /// Adds the patch of an entity; its place.
    pub(crate) fn push(&mut self, id: EntityId, patch: Patch) -> usize {
        self.since.get_or_insert_with(Instant::now);
        self.waiting.push((id, patch));
        self.waiting.len() - 1
    }

    /// The batch on its way that adds an entity, if there is one.
    pub(crate) fn creates(&self, id: &EntityId) -> Option<u64> {
        let adds = |patches: &[(EntityId, Patch)]| patches.iter().any(|(at, patch)| at == id && patch.create.is_some());
        let sent = self.sent.iter().find(|(_, patches, _)| adds(&patches.entities)).map(|(batch, ..)| *batch);
        sent.or_else(|| adds(&self.waiting).then_some(self.batch))
    }

    /// The memory's clock was set: by this game, which has moved on since, or by somebody else, whom the game follows.
    pub(crate) fn follow_clock(&mut self, time: i64, clock: &mut GameClock) {
        let unsent = clock.0.is_some() && clock.0 != self.clock;
        let sent = self.sent.iter().any(|(_, patches, _)| patches.clock.is_some());
        if !unsent && !sent && clock.0 != Some(time) {
            clock.0 = Some(time);
            self.clock = Some(time);
        }
    }

    /// How many batches are not acknowledged.
    pub(crate) fn in_flight(&self) -> usize {
        self.sent.len()
    }
}

/// Whether something waits to be sent.
pub(crate) fn has_work(outbox: Res<Outbox>) -> bool {
    !outbox.waiting.is_empty()
}

/// Whether something was sent that was not acknowledged.
pub(crate) fn is_waiting(outbox: Res<Outbox>) -> bool {
    !outbox.sent.is_empty()
}

pub(crate) fn send_when_due(
    mut outbox: ResMut<Outbox>,
    settings: Res<SyncSettings>,
    memory: Res<NpcMemory>,
    clock: Res<GameClock>,
) {
    if outbox.since.is_some_and(|since| since.elapsed() >= settings.interval) {
        send(&mut outbox, &memory, &clock);
    }
}

/// Sends what waits now, because what follows rests on it.
pub(crate) fn flush(world: &mut World) {
    world.resource_scope(|world, mut outbox: Mut<Outbox>| {
        send(&mut outbox, world.resource::<NpcMemory>(), world.resource::<GameClock>());
    });
}

/// Whether all that waited is on its way.
fn send(outbox: &mut Outbox, memory: &NpcMemory, clock: &GameClock) -> bool {
    let Some(memory) = memory.get() else { return false };
    if outbox.suspended {
        return false;
    }
    let turned = clock.0 != outbox.clock && clock.0.is_some();
    if outbox.waiting.is_empty() && !turned {
        return true;
    }
    let clock_was = outbox.clock;
    let mut patches = Patches { entities: std::mem::take(&mut outbox.waiting), clock: None };
    if turned {
        patches.clock = clock.time();
        outbox.clock = clock.0;
    }
    let patches = Arc::new(patches);
    match memory.patch(Author::Game, Arc::clone(&patches)) {
        Ok(ticket) => {
            let batch = outbox.batch;
            outbox.sent.push((batch, patches, ticket));
            outbox.batch += 1;
            outbox.since = None;
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
) {
    while let Some(answer) = outbox.sent.first().and_then(|(_, _, ticket)| ticket.try_take()) {
        let (batch, patches, _) = outbox.sent.remove(0);
        // A slot that was loaded meanwhile has acknowledged, by leaving them, all batches before it.
        inbox.acknowledged = inbox.acknowledged.max(batch);
        match answer {
            Ok(patched) => {
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
