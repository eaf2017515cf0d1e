//! Saves: slots, quick save, autosave, export.

mod autosave;
mod commands;
mod queue;

use bevy::prelude::*;

use crate::schedule::{Step, StepsAppExt};

pub use autosave::Autosave;
pub use commands::SaveCommands;
pub use queue::{SlotLoaded, SlotSaved};

/// Plugin that saves and loads slots. Each slot is a position in the save's journal. Saving a slot costs one small
/// write. Loading reverts all operations after this position.
#[derive(Debug, Clone, Default)]
pub struct SavesPlugin {
    /// Autosave settings. Default: off. Every acknowledged operation is on disk even without autosaves. A slot only
    /// names a position in the journal to which the game can return.
    pub autosave: Autosave,
}

impl Plugin for SavesPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.autosave.clone())
            .init_resource::<queue::SaveQueue>()
            .init_resource::<autosave::LastAutosave>()
            .register_type::<Autosave>()
            .add_message::<SlotSaved>()
            .add_message::<SlotLoaded>()
            .add_step(Step::ReceiveSaveOutcomes, queue::has_unanswered, queue::receive_outcomes)
            .add_step(Step::Autosave, |world| world.resource::<Autosave>().interval.is_some(), autosave::autosave)
            .add_step(Step::SendSaves, queue::has_unsent, queue::send)
            .add_work("slots", queue::is_busy);
    }
}
