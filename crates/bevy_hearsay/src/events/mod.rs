//! Input from the game: game events, changes of entities, and sessions.

mod commands;
mod earshot;
mod game_event;
mod queue;
mod session;
mod target;

use bevy::prelude::*;

use crate::{
    bridge::{ExitAppExt, ExitSteps},
    schedule::{Step, StepsAppExt},
};

pub use commands::EntityMemoryCommands;
pub use earshot::Earshot;
pub(crate) use earshot::hearers;
pub use game_event::{GameAction, GameEvent};
pub(crate) use queue::GameEventQueue;
pub use session::{NewSession, SessionCommands, SessionEnded, SessionEvent, SessionStarted};
pub use target::{Statement, Target};

/// Plugin that collects game events, finds the characters that hear and see the events, and sends the events to the
/// memory.
#[derive(Debug, Clone)]
pub struct GameEventsPlugin {
    /// Rule that decides which characters hear and see a game event. Default: the characters at the same place.
    pub earshot: Earshot,
    /// Maximum number of game events that can wait while the memory is being opened or is busy. The plugin rejects
    /// further events with a [`MemoryErrorMessage`](crate::MemoryErrorMessage). Default 10,000.
    pub queue_capacity: usize,
}

impl Default for GameEventsPlugin {
    fn default() -> Self {
        Self { earshot: Earshot::Place, queue_capacity: 10_000 }
    }
}

impl Plugin for GameEventsPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(self.earshot.clone())
            .insert_resource(GameEventQueue::new(self.queue_capacity))
            .add_message::<SessionStarted>()
            .add_message::<SessionEnded>()
            .add_observer(queue::on_game_event)
            .add_observer(queue::on_session)
            .add_step(Step::ReceiveGameEventOutcomes, queue::has_unanswered, queue::receive_outcomes)
            .add_step(Step::SendGameEvents, queue::has_unsent, queue::send)
            .add_work("game events", queue::is_busy)
            .add_exit_steps(ExitSteps {
                collect: |_| (),
                send: queue::send_at_exit,
                count_answered: queue::count_answered,
                count_unanswered: queue::count_unanswered,
            });
    }
}
