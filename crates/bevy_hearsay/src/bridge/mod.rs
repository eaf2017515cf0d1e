//! The connection to the engine: opens the memory, receives its events, and closes the memory. If events were dropped,
//! the plugin compares all entities with the memory again.

mod event_pump;
mod exit;
mod frame_cost;
mod handle;
mod messages;
mod opening;
mod options;
mod resync;
mod state;

use bevy::{app::AppExit, prelude::*};
use hearsay_engine::ModelStatus;

use crate::schedule::{HearsaySystems, Step, StepsAppExt};

pub(crate) use event_pump::ChangedKeys;
pub use exit::MemoryExit;
pub(crate) use exit::{ExitAppExt, ExitSteps};
pub(crate) use frame_cost::FrameCost;
pub use handle::NpcMemory;
pub(crate) use handle::is_open;
pub use messages::{MemoryChanged, MemoryErrorMessage, SecretRevealable};
pub use options::{MemoryPlugin, Start};
pub(crate) use resync::{Resync, StatusPoll};
pub use state::{EncoderStatus, LoadProgress, MemoryState, memory_loading, memory_ready};

impl Plugin for MemoryPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(opening::start(self))
            .insert_resource(exit::ExitTimeout(self.exit_timeout))
            .insert_resource(EncoderStatus(ModelStatus::Loading))
            .init_resource::<NpcMemory>()
            .init_resource::<MemoryState>()
            .init_resource::<LoadProgress>()
            .init_resource::<ChangedKeys>()
            .init_resource::<Resync>()
            .init_resource::<StatusPoll>()
            .init_resource::<FrameCost>()
            .add_message::<MemoryErrorMessage>()
            .add_message::<MemoryChanged>()
            .add_message::<SecretRevealable>()
            .register_type::<MemoryState>()
            .register_type::<MemoryExit>()
            .register_type::<LoadProgress>()
            .add_step(
                Step::ReceiveOpenedMemory,
                |world| world.contains_resource::<opening::OpeningChannel>(),
                opening::receive_opened_memory,
            )
            .add_step(Step::ReceiveEvents, event_pump::has_events, event_pump::receive_events)
            .add_step(Step::PollStatus, resync::poll_is_due, resync::poll)
            .add_wake_condition(HearsaySystems::Receive, event_pump::has_events)
            .add_work("the memory is loading", |world| *world.resource::<MemoryState>() == MemoryState::Loading)
            .add_work("events", event_pump::has_events)
            .keep_awake_while(resync::is_polling)
            .add_systems(Last, exit::close.run_if(on_message::<AppExit>));
    }
}
