//! Input from the game: game events, changes of entities, sessions, and events of the whole world.

mod action;
mod commands;
mod earshot;
mod game_event;
mod queue;
mod session;
mod target;
mod world;

use bevy::prelude::*;

use crate::{
    bridge::{CloseAppExt, CloseSteps},
    schedule::{ActivityAppExt, HearsaySchedules, PluginName, ReceiveSystems, SendSystems, record_plugin},
    sync,
};

pub use action::{ActionCommitted, ActionFailed, ActionId};
pub use commands::{EntityMemoryCommands, RelationCommands};
pub use earshot::Earshot;
pub(crate) use earshot::hearers;
pub use game_event::{GameAction, GameEvent};
pub(crate) use queue::GameEventQueue;
pub use queue::GameEventSettings;
pub use session::{NewSession, SessionCommands, SessionEnded, SessionEvent, SessionStarted};
pub use target::{Statement, Target};
pub(crate) use target::{Unresolved, resolve_entity};
pub use world::{Gossip, WorldEvent, WorldMemoryCommands};

/// Plugin that collects game events, finds the characters that hear and see the events, and sends the events to the
/// memory.
#[derive(Debug, Clone)]
pub struct GameEventsPlugin {
    /// Initial value of the resource [`Earshot`], which decides which characters hear and see a game event. Default:
    /// the characters at the same place.
    pub earshot: Earshot,
    /// Initial value of [`GameEventSettings::queue_capacity`]. Default 10,000.
    pub queue_capacity: usize,
}

impl Default for GameEventsPlugin {
    fn default() -> Self {
        let GameEventSettings { queue_capacity } = GameEventSettings::default();
        Self { earshot: Earshot::Place, queue_capacity }
    }
}

impl Plugin for GameEventsPlugin {
    fn build(&self, app: &mut App) {
        let HearsaySchedules { receive, send } = sync::init(app);
        record_plugin(app, PluginName::GameEvents);
        let settings = GameEventSettings { queue_capacity: self.queue_capacity };
        app.world_mut().get_resource_or_insert_with(|| settings);
        app.world_mut().get_resource_or_insert_with(|| self.earshot.clone());
        app.init_resource::<GameEventQueue>()
            .register_type::<GameEventSettings>()
            .add_message::<SessionStarted>()
            .add_message::<SessionEnded>()
            .add_observer(queue::on_game_event)
            .add_observer(queue::on_session)
            .add_observer(queue::on_world_event)
            .add_systems(receive, queue::receive_outcomes.in_set(ReceiveSystems::GameEvents))
            .add_systems(send, queue::send.in_set(SendSystems::GameEvents))
            .add_work("game events", queue::is_busy)
            .add_close_steps(CloseSteps {
                send: queue::send_when_closing,
                count_answered: queue::count_answered,
                count_unanswered: queue::count_unanswered,
                reset: queue::reset,
                ..CloseSteps::default()
            });
    }
}
