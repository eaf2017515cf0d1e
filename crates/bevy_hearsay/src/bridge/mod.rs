//! The connection to the engine: opens the memory, receives its events, and closes the memory. The state
//! [`MemoryPhase`] shows whether the memory is open. If the memory dropped events, the plugin compares all entities
//! with the memory again.

mod close_steps;
mod closing;
mod commands;
mod error;
mod event_pump;
mod exit;
mod frame_cost;
mod handle;
mod lifecycle;
mod messages;
mod opening;
mod options;
mod resync;
mod state;

use bevy::{prelude::*, state::app::StatesPlugin};
use hearsay_engine::ModelStatus;

use crate::schedule::{
    Activity, ActivityAppExt, AwakeSystems, HearsaySchedules, HearsaySystems, PluginName, ReceiveSystems, SendSystems,
    record_plugin, schedules,
};

pub use close_steps::MemoryExit;
pub(crate) use close_steps::{CloseAppExt, CloseSteps, CountFn, SentRequest, total_size, uncommitted_size};
pub use commands::MemoryLifecycleCommands;
pub use error::HearsayError;
pub(crate) use event_pump::{ChangedKeys, MindEvents};
pub(crate) use frame_cost::FrameCost;
pub use handle::NpcMemory;
pub(crate) use handle::is_open;
pub(crate) use lifecycle::{Lifecycle, LoadingAppExt};
pub use messages::{MemoryChanged, MemoryErrorMessage};
pub(crate) use messages::{report_error, report_missing_plugin};
pub use options::{MemoryPlugin, MemorySettings, Start};
pub(crate) use resync::{Resync, StatusPoll};
pub use state::{EncoderStatus, LoadProgress, MemoryFailure, MemoryPhase, memory_loading, memory_ready};

impl Plugin for MemoryPlugin {
    fn build(&self, app: &mut App) {
        let HearsaySchedules { receive, send } = init(app);
        record_plugin(app, PluginName::Memory);
        app.world_mut().get_resource_or_insert_with(|| self.run_time_settings());
        app.insert_resource(EncoderStatus(ModelStatus::Loading))
            .insert_resource(Lifecycle::new(self.clone()))
            .register_type::<MemorySettings>()
            .register_type::<MemoryExit>()
            .add_systems(
                receive,
                (
                    (lifecycle::receive_opened_memory, lifecycle::continue_request)
                        .chain_ignore_deferred()
                        .in_set(ReceiveSystems::Memory),
                    event_pump::receive_events.in_set(ReceiveSystems::Events),
                    lifecycle::watch_phase.in_set(HearsaySystems::Phase),
                ),
            )
            .add_systems(send, resync::poll.in_set(SendSystems::Status))
            .add_systems(Last, exit::close_at_exit.in_set(HearsaySystems::Close))
            .add_work("the memory is loading", lifecycle::is_loading)
            .add_work("the memory is closing", lifecycle::is_closing)
            .add_work("events", has_events)
            .keep_awake_while(resync::is_polling);
    }

    /// Starts to open the memory. Before this call, the plugin accesses no file and starts no thread.
    fn finish(&self, app: &mut App) {
        // `DefaultPlugins` contains this plugin and may be added after this plugin is built.
        if !app.is_plugin_added::<StatesPlugin>() {
            app.add_plugins(StatesPlugin);
        }
        let mut lifecycle = app.world_mut().resource_mut::<Lifecycle>();
        if self.open_at_start {
            lifecycle.open();
        }
        let phase = lifecycle.phase();
        app.insert_state(phase).register_type_state::<MemoryPhase>();
    }
}

/// Adds the resources and messages that all plugins of this crate use, unless another plugin added them. Returns the
/// schedules of the plugins.
pub(crate) fn init(app: &mut App) -> HearsaySchedules {
    let schedules = schedules(app);
    if !app.world().contains_resource::<NpcMemory>() {
        app.init_resource::<NpcMemory>()
            .init_resource::<LoadProgress>()
            .init_resource::<Resync>()
            .init_resource::<StatusPoll>()
            .init_resource::<FrameCost>()
            .add_message::<MemoryErrorMessage>()
            .add_message::<MemoryChanged>()
            .register_type::<LoadProgress>()
            .configure_sets(schedules.receive, AwakeSystems::Receive.run_if(may_receive));
    }
    schedules
}

/// Run condition: work is pending, or the memory has sent events.
fn may_receive(activity: Res<Activity>, memory: Res<NpcMemory>) -> bool {
    activity.is_awake() || memory.has_events()
}

fn has_events(world: &World) -> bool {
    world.resource::<NpcMemory>().has_events()
}
