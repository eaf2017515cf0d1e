//! Saves: slots, quick save, autosave, export.

use std::{path::PathBuf, time::Duration};

use bevy::prelude::*;
use hearsay_memory::{MemoryError, Ticket, Written};

use crate::{
    game_events::GameEvents,
    memory::{MemoryErrorMessage, NpcMemory, Touched},
    questions::Inquiries,
    steps::{Step, Steps, StepsAppExt},
    sync::{self, Inbox, Outbox, Registry},
};

/// The slot of [`SaveCommands::quick_save`].
const QUICK: &str = "quick";

/// Slots of a game. Each slot is a position in the save's journal. Saving costs one small write, and loading removes
/// the abandoned timeline from every memory.
#[derive(Debug, Clone, Default)]
pub struct SavesPlugin {
    /// Autosave settings. Default: never. Acknowledged operations are on the disk in any case; a slot only marks a
    /// position.
    pub autosave: Autosave,
}

/// Automatic saves to the slots `autosave-1`, `autosave-2`, … in turn.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct Autosave {
    /// Interval between two saves. `None`: never.
    pub every: Option<Duration>,
    /// Number of slots to keep. Default 3.
    pub keep: usize,
}

impl Default for Autosave {
    fn default() -> Self {
        Self { every: None, keep: 3 }
    }
}

/// A slot was saved to disk.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotSaved {
    /// Name of the slot.
    pub name: String,
}

/// A slot was loaded. The resulting changes in the game follow over the next frames: see
/// [`LoadProgress`](crate::LoadProgress).
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotLoaded {
    /// Name of the slot.
    pub name: String,
}

/// Commands that save and load. Each reports its outcome as a message: [`SlotSaved`], [`SlotLoaded`] or
/// [`MemoryErrorMessage`].
pub trait SaveCommands {
    /// Saves the current state of the game to a slot.
    fn save_slot(&mut self, name: impl Into<String>);
    /// Loads a slot. Pending questions get no reply, and unsent changes are dropped, because they belong to the
    /// abandoned timeline.
    fn load_slot(&mut self, name: impl Into<String>);
    /// Deletes a slot.
    fn drop_slot(&mut self, name: impl Into<String>);
    /// Saves to the slot `quick`.
    fn quick_save(&mut self) {
        self.save_slot(QUICK);
    }
    /// Loads the slot `quick`.
    fn quick_load(&mut self) {
        self.load_slot(QUICK);
    }
    /// Exports the memory to one `.jsonl` file, which another save can import.
    fn export_memory(&mut self, path: impl Into<PathBuf>);
}

enum Action {
    Save(String),
    Load(String),
    Drop(String),
    Export(PathBuf),
}

enum Doing {
    Writing(Action, Ticket<Written>),
    Exporting(PathBuf, Ticket<()>),
}

#[derive(Resource, Default)]
struct Saves {
    waiting: Vec<Action>,
    doing: Vec<Doing>,
    /// Real time of the last autosave.
    last: Duration,
    number: usize,
}

impl Plugin for SavesPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.autosave.clone())
            .init_resource::<Saves>()
            .register_type::<Autosave>()
            .add_message::<SlotSaved>()
            .add_message::<SlotLoaded>()
            .add_step(Step::TakeSaves, is_doing, take_done)
            .add_step(Step::Autosave, |world| world.resource::<Autosave>().every.is_some(), autosave)
            .add_step(Step::SendSaves, has_waiting, send);
    }
}

fn queue(commands: &mut Commands, action: Action) {
    commands.queue(move |world: &mut World| match world.get_resource_mut::<Saves>() {
        Some(mut saves) => {
            saves.waiting.push(action);
            world.resource_mut::<Steps>().wake();
        }
        None => tracing::error!("saving needs `SavesPlugin`"),
    });
}

impl SaveCommands for Commands<'_, '_> {
    fn save_slot(&mut self, name: impl Into<String>) {
        queue(self, Action::Save(name.into()));
    }

    fn load_slot(&mut self, name: impl Into<String>) {
        queue(self, Action::Load(name.into()));
    }

    fn drop_slot(&mut self, name: impl Into<String>) {
        queue(self, Action::Drop(name.into()));
    }

    fn export_memory(&mut self, path: impl Into<PathBuf>) {
        queue(self, Action::Export(path.into()));
    }
}

fn has_waiting(world: &World) -> bool {
    !world.resource::<Saves>().waiting.is_empty() && world.resource::<NpcMemory>().get().is_some()
}

fn is_doing(world: &World) -> bool {
    !world.resource::<Saves>().doing.is_empty()
}

fn autosave(autosave: Res<Autosave>, mut saves: ResMut<Saves>, time: Option<Res<Time<Real>>>) {
    let (Some(every), Some(time)) = (autosave.every, time) else { return };
    if time.elapsed().saturating_sub(saves.last) >= every {
        saves.last = time.elapsed();
        saves.number = saves.number % autosave.keep.max(1) + 1;
        let name = format!("autosave-{}", saves.number);
        saves.waiting.push(Action::Save(name));
    }
}

pub(crate) fn send(world: &mut World) {
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

fn take_done(world: &mut World) {
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

/// Abandons the current timeline. Its pending requests take no effect. All entities are compared again, which is faster
/// than following each changed record.
fn leave(world: &mut World) {
    let abandoned = world.resource_mut::<Outbox>().leave();
    let binding: Vec<_> = world.resource::<Registry>().binding.keys().cloned().collect();
    world.resource_mut::<Inbox>().leave(abandoned, binding);
    world.resource_mut::<Touched>().0.clear();
    if let Some(mut game_events) = world.get_resource_mut::<GameEvents>() {
        game_events.clear();
    }
    if world.contains_resource::<Inquiries>() {
        Inquiries::fail_all(world, "a slot was loaded");
    }
}

/// Returns whether a slot is being saved or loaded.
pub(crate) fn is_busy(world: &World) -> bool {
    world.get_resource::<Saves>().is_some_and(|saves| !saves.waiting.is_empty() || !saves.doing.is_empty())
}
