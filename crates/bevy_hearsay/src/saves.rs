//! Saves: slots, quick save, autosave, export.

use std::{path::PathBuf, time::Duration};

use bevy::prelude::*;
use hearsay_memory::{MemoryError, Ticket, Written};

use crate::{
    happenings::Happenings,
    memory::{MemoryTrouble, NpcMemory, Touched},
    questions::Inquiries,
    steps::{Step, Steps, StepsAppExt},
    sync::{self, Inbox, Outbox, Registry},
};

/// The slot of [`SaveCommands::quick_save`].
const QUICK: &str = "quick";

/// Slots of a game: each is a position in the save's journal, so that saving costs one small write, and going back leaves
/// nothing of the abandoned future in any memory.
#[derive(Debug, Clone, Default)]
pub struct SavesPlugin {
    /// Saves by itself. Default: never; what was acknowledged is on the disk anyway, and a slot only keeps the place.
    pub autosave: Autosave,
}

/// Saves by itself, into the slots `autosave-1`, `autosave-2`, … in turn.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct Autosave {
    /// How often; never, when nothing is said.
    pub every: Option<Duration>,
    /// How many slots it keeps. Default 3.
    pub keep: usize,
}

impl Default for Autosave {
    fn default() -> Self {
        Self { every: None, keep: 3 }
    }
}

/// A slot was saved: it is on the disk.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotSaved {
    /// Its name.
    pub name: String,
}

/// A slot was loaded. What changes in the game by it follows over the next frames: see
/// [`LoadProgress`](crate::LoadProgress).
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SlotLoaded {
    /// Its name.
    pub name: String,
}

/// Saving and loading. What became of it is a message: [`SlotSaved`], [`SlotLoaded`], or a [`MemoryTrouble`].
pub trait SaveCommands {
    /// Keeps the game as it is in a slot.
    fn save_slot(&mut self, name: impl Into<String>);
    /// Goes back to a slot. Questions under way get no reply, and what was not sent yet is dropped: it belongs to the
    /// future that is left.
    fn load_slot(&mut self, name: impl Into<String>);
    /// Gives a slot up.
    fn drop_slot(&mut self, name: impl Into<String>);
    /// Saves into the slot `quick`.
    fn quick_save(&mut self) {
        self.save_slot(QUICK);
    }
    /// Loads the slot `quick`.
    fn quick_load(&mut self) {
        self.load_slot(QUICK);
    }
    /// Writes all that the memory holds into one file (`.jsonl`), which another save can import.
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
    /// When it was saved by itself last, as the real time shows it.
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
    // What the game has said before it is saved with it.
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
    world.write_message(MemoryTrouble { what: error.to_string(), entity: None });
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

/// Leaves the future that was abandoned: what of it is under way reaches nothing, and all is compared anew, which is
/// quicker than to follow each record that changed sides.
fn leave(world: &mut World) {
    let abandoned = world.resource_mut::<Outbox>().leave();
    let binding: Vec<_> = world.resource::<Registry>().binding.keys().cloned().collect();
    world.resource_mut::<Inbox>().leave(abandoned, binding);
    world.resource_mut::<Touched>().0.clear();
    if let Some(mut happenings) = world.get_resource_mut::<Happenings>() {
        happenings.clear();
    }
    if world.contains_resource::<Inquiries>() {
        Inquiries::fail_all(world, "a slot was loaded");
    }
}

/// Whether something is being saved or loaded.
pub(crate) fn is_busy(world: &World) -> bool {
    world.get_resource::<Saves>().is_some_and(|saves| !saves.waiting.is_empty() || !saves.doing.is_empty())
}
