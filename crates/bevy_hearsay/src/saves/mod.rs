//! Saves and loads slots, makes autosaves, and exports the memory.

mod autosave;
mod commands;
mod queue;

use bevy::prelude::*;

use crate::{
    bridge::{CloseAppExt, CloseSteps},
    schedule::{ActivityAppExt, HearsaySchedules, PluginName, ReceiveSystems, SendSystems, record_plugin},
    sync,
};

pub use autosave::Autosave;
pub use commands::SaveCommands;
pub use queue::{SlotLoaded, SlotSaved};

/// Plugin that saves and loads slots. Each slot is a position in the journal of the save. To save a slot, the plugin
/// makes one small write. Loading a slot reverts all operations after its position.
#[derive(Debug, Clone, Default)]
pub struct SavesPlugin {
    /// Initial value of the resource [`Autosave`]. By default, autosaves are off. Every acknowledged operation is on
    /// the disk even without autosaves. The game needs slots only to return to an earlier state.
    pub autosave: Autosave,
}

impl Plugin for SavesPlugin {
    fn build(&self, app: &mut App) {
        let HearsaySchedules { receive, send } = sync::init(app);
        record_plugin(app, PluginName::Saves);
        app.world_mut().get_resource_or_insert_with(|| self.autosave.clone());
        app.init_resource::<queue::SaveQueue>()
            .init_resource::<autosave::LastAutosave>()
            .register_type::<Autosave>()
            .add_message::<SlotSaved>()
            .add_message::<SlotLoaded>()
            .add_systems(receive, queue::receive.in_set(ReceiveSystems::Saves))
            .add_systems(send, (autosave::autosave, queue::send).chain_ignore_deferred().in_set(SendSystems::Saves))
            .add_work("slots", queue::is_busy)
            .add_close_steps(CloseSteps {
                send: queue::send_when_closing,
                reset: queue::reset,
                ..CloseSteps::default()
            });
    }
}
