//! The queue of save and load requests to the memory, and their outcomes.

use std::path::PathBuf;

use bevy::prelude::*;
use hearsay_engine::{MemoryError, Ticket, Written};

use crate::{
    bridge::{MemoryErrorMessage, NpcMemory, Resync, Touched, is_open},
    events::GameEvents,
    questions::Inquiries,
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
pub(super) enum Action {
    Save(String),
    Load(String),
    Drop(String),
    Export(PathBuf),
}

enum Doing {
    Writing(Action, Ticket<Written>),
    Exporting(PathBuf, Ticket<()>),
}

/// Requests that are waiting to be sent, and requests that were sent but have no answer yet.
#[derive(Resource, Default)]
pub(super) struct Saves {
    pub(super) waiting: Vec<Action>,
    doing: Vec<Doing>,
}

/// Queues an action.
pub(super) fn queue(commands: &mut Commands, action: Action) {
    commands.queue(move |world: &mut World| match world.get_resource_mut::<Saves>() {
        Some(mut saves) => {
            saves.waiting.push(action);
            world.resource_mut::<Steps>().wake();
        }
        None => tracing::error!("a save was requested, but `SavesPlugin` was not added to the app"),
    });
}

pub(super) fn has_waiting(world: &World) -> bool {
    !world.resource::<Saves>().waiting.is_empty() && is_open(world)
}

pub(super) fn is_doing(world: &World) -> bool {
    !world.resource::<Saves>().doing.is_empty()
}

pub(super) fn send(world: &mut World) {
    // A save includes all earlier changes of the game.
    sync::flush(world);
    let waiting = std::mem::take(&mut world.resource_mut::<Saves>().waiting);
    for action in waiting {
        let Some(memory) = world.resource::<NpcMemory>().get() else { return };
        let doing = match &action {
            Action::Save(name) => memory.save_slot(name.as_str()).map(|ticket| Doing::Writing(action, ticket)),
            Action::Load(name) => {
                let doing = memory.load_slot(name.as_str()).map(|ticket| Doing::Writing(action, ticket));
                world.resource_mut::<Outbox>().loading += usize::from(doing.is_ok());
                doing
            }
            Action::Drop(name) => memory.drop_slot(name.as_str()).map(|ticket| Doing::Writing(action, ticket)),
            Action::Export(path) => {
                let path = path.clone();
                memory.export(path.clone()).map(|ticket| Doing::Exporting(path, ticket))
            }
        };
        match doing {
            Ok(doing) => world.resource_mut::<Saves>().doing.push(doing),
            Err(error) => fail(world, error),
        }
    }
}

fn fail(world: &mut World, error: MemoryError) {
    tracing::warn!("{error}");
    world.write_message(MemoryErrorMessage { what: error.to_string(), entity: None });
}

pub(super) fn take_done(world: &mut World) {
    let doing = std::mem::take(&mut world.resource_mut::<Saves>().doing);
    for doing in doing {
        match doing {
            Doing::Writing(action, ticket) => match ticket.try_take() {
                None => world.resource_mut::<Saves>().doing.push(Doing::Writing(action, ticket)),
                Some(done) => finish(world, action, done.map(drop)),
            },
            Doing::Exporting(path, ticket) => match ticket.try_take() {
                None => world.resource_mut::<Saves>().doing.push(Doing::Exporting(path, ticket)),
                Some(Ok(())) => tracing::info!("exported to {}", path.display()),
                Some(Err(error)) => fail(world, error),
            },
        }
    }
}

fn finish(world: &mut World, action: Action, done: Result<(), MemoryError>) {
    if let Action::Load(_) = action {
        world.resource_mut::<Outbox>().loading -= 1;
    }
    match (done, action) {
        (Err(error), _) => fail(world, error),
        (Ok(()), Action::Save(name)) => _ = world.write_message(SlotSaved { name }),
        (Ok(()), Action::Load(name)) => {
            leave(world);
            world.write_message(SlotLoaded { name });
        }
        (Ok(()), _) => {}
    }
}

/// Abandons the current timeline after a slot is loaded. Pending requests of this timeline take no effect. The plugin
/// compares all entities with the memory again, because this is faster than following each changed record.
fn leave(world: &mut World) {
    let abandoned = world.resource_mut::<Outbox>().leave();
    let binding: Vec<_> = world.resource::<Registry>().binding.keys().cloned().collect();
    world.resource_mut::<Inbox>().leave(abandoned, binding);
    world.resource_mut::<Resync>().0 = true;
    world.resource_mut::<Touched>().0.clear();
    if let Some(mut game_events) = world.get_resource_mut::<GameEvents>() {
        game_events.clear();
    }
    if world.contains_resource::<Inquiries>() {
        Inquiries::fail_all(world, "a slot was loaded before the reply arrived; ask again");
    }
}

/// Returns whether any save or load request is unsent or unanswered.
pub(super) fn is_busy(world: &World) -> bool {
    let saves = world.resource::<Saves>();
    !(saves.waiting.is_empty() && saves.doing.is_empty()) && is_open(world)
}
