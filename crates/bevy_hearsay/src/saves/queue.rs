//! The queue of save and load requests to the memory, and their outcomes.

use std::path::PathBuf;

use bevy::prelude::*;
use hearsay_engine::{MemoryError, Ticket, Written};

use crate::{
    bridge::{ChangedKeys, MemoryErrorMessage, NpcMemory, Resync, is_open},
    events::GameEventQueue,
    questions::QuestionQueue,
    schedule::Steps,
    sync::{self, Inbox, Outbox, Registry},
};

/// A slot was saved to disk.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotSaved {
    /// Name of the slot.
    pub name: String,
}

/// A slot was loaded. Components change over the next frames: see [`LoadProgress`](crate::LoadProgress).
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotLoaded {
    /// Name of the slot.
    pub name: String,
}

/// A request to save, load or delete a slot, or to export the memory.
pub(super) enum SaveRequest {
    Save(String),
    Load(String),
    Drop(String),
    Export(PathBuf),
}

enum PendingSave {
    Writing(SaveRequest, Ticket<Written>),
    Exporting(PathBuf, Ticket<()>),
}

/// Requests that are waiting to be sent, and requests that were sent but have no answer yet.
#[derive(Resource, Default)]
pub(super) struct SaveQueue {
    pub(super) waiting: Vec<SaveRequest>,
    pending: Vec<PendingSave>,
}

/// Queues an action.
pub(super) fn queue_request(commands: &mut Commands, request: SaveRequest) {
    commands.queue(move |world: &mut World| match world.get_resource_mut::<SaveQueue>() {
        Some(mut saves) => {
            saves.waiting.push(request);
            world.resource_mut::<Steps>().wake();
        }
        None => tracing::error!("a save was requested, but `SavesPlugin` was not added to the app"),
    });
}

pub(super) fn has_unsent(world: &World) -> bool {
    !world.resource::<SaveQueue>().waiting.is_empty() && is_open(world)
}

pub(super) fn has_unanswered(world: &World) -> bool {
    !world.resource::<SaveQueue>().pending.is_empty()
}

pub(super) fn send(world: &mut World) {
    // A save includes all earlier changes of the game.
    sync::flush(world);
    let waiting = std::mem::take(&mut world.resource_mut::<SaveQueue>().waiting);
    for request in waiting {
        let Some(memory) = world.resource::<NpcMemory>().get() else { return };
        let pending = match &request {
            SaveRequest::Save(name) => {
                memory.save_slot(name.as_str()).map(|ticket| PendingSave::Writing(request, ticket))
            }
            SaveRequest::Load(name) => {
                let pending = memory.load_slot(name.as_str()).map(|ticket| PendingSave::Writing(request, ticket));
                world.resource_mut::<Outbox>().loading += usize::from(pending.is_ok());
                pending
            }
            SaveRequest::Drop(name) => {
                memory.drop_slot(name.as_str()).map(|ticket| PendingSave::Writing(request, ticket))
            }
            SaveRequest::Export(path) => {
                let path = path.clone();
                memory.export(path.clone()).map(|ticket| PendingSave::Exporting(path, ticket))
            }
        };
        match pending {
            Ok(pending) => world.resource_mut::<SaveQueue>().pending.push(pending),
            Err(error) => report_error(world, error),
        }
    }
}

fn report_error(world: &mut World, error: MemoryError) {
    tracing::warn!("{error}");
    world.write_message(MemoryErrorMessage { text: error.to_string(), entity: None });
}

pub(super) fn receive_outcomes(world: &mut World) {
    let pending = std::mem::take(&mut world.resource_mut::<SaveQueue>().pending);
    for pending in pending {
        match pending {
            PendingSave::Writing(request, ticket) => match ticket.try_take() {
                None => world.resource_mut::<SaveQueue>().pending.push(PendingSave::Writing(request, ticket)),
                Some(result) => finish(world, request, result.map(drop)),
            },
            PendingSave::Exporting(path, ticket) => match ticket.try_take() {
                None => world.resource_mut::<SaveQueue>().pending.push(PendingSave::Exporting(path, ticket)),
                Some(Ok(())) => tracing::info!("exported to {}", path.display()),
                Some(Err(error)) => report_error(world, error),
            },
        }
    }
}

fn finish(world: &mut World, request: SaveRequest, result: Result<(), MemoryError>) {
    if let SaveRequest::Load(_) = request {
        world.resource_mut::<Outbox>().loading -= 1;
    }
    match (result, request) {
        (Err(error), _) => report_error(world, error),
        (Ok(()), SaveRequest::Save(name)) => _ = world.write_message(SlotSaved { name }),
        (Ok(()), SaveRequest::Load(name)) => {
            abandon_timeline(world);
            world.write_message(SlotLoaded { name });
        }
        (Ok(()), _) => {}
    }
}

/// Abandons the current timeline after a slot is loaded. Pending requests of this timeline take no effect. The plugin
/// compares all entities with the memory again, because this is faster than following each changed record.
fn abandon_timeline(world: &mut World) {
    let abandoned = world.resource_mut::<Outbox>().abandon_timeline();
    let binding: Vec<_> = world.resource::<Registry>().bindings.keys().cloned().collect();
    world.resource_mut::<Inbox>().abandon_timeline(abandoned, binding);
    world.resource_mut::<Resync>().0 = true;
    world.resource_mut::<ChangedKeys>().0.clear();
    if let Some(mut game_events) = world.get_resource_mut::<GameEventQueue>() {
        game_events.clear();
    }
    if world.contains_resource::<QuestionQueue>() {
        QuestionQueue::fail_all(world, "a slot was loaded before the reply arrived; ask again");
    }
}

/// Returns whether any save or load request is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    let saves = world.resource::<SaveQueue>();
    !(saves.waiting.is_empty() && saves.pending.is_empty()) && is_open(world)
}
