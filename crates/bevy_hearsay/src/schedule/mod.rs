//! The schedules and system sets of the plugins, and the frames in which their systems run.
//!
//! All systems are ordinary systems that run in a fixed order, which [`HearsaySystems`] and the sets within it define.
//! If a system needs the whole Bevy world, it queues a command.
//!
//! In Bevy, each system and each run condition costs a fraction of a microsecond in every frame, even without work. All
//! systems of a schedule therefore share one run condition, which is false while no work is pending.

mod activity;
mod installed;
mod sets;

use bevy::{
    ecs::schedule::{InternedScheduleLabel, ScheduleLabel},
    prelude::*,
};

pub(crate) use activity::{Activity, ActivityAppExt, pending_work, postpone, wake};
pub use installed::PluginName;
pub(crate) use installed::{InstalledPlugins, is_installed, missing_plugin, record_plugin};
pub(crate) use sets::AwakeSystems;
pub use sets::{CollectSystems, HearsaySystems, ReceiveSystems, SendSystems};

/// Plugin that sets the schedules in which the systems of all other plugins run, and the order of the system sets.
/// Every other plugin of this crate adds this plugin with its default values if the app does not have it.
#[derive(Debug, Clone)]
pub struct HearsaySchedulePlugin {
    /// Schedule of [`HearsaySystems::Receive`], [`HearsaySystems::Apply`] and [`HearsaySystems::Phase`]. Default:
    /// [`PreUpdate`].
    pub receive: InternedScheduleLabel,
    /// Schedule of [`HearsaySystems::Collect`] and [`HearsaySystems::Send`]. Default: [`PostUpdate`], after Bevy
    /// updates each [`GlobalTransform`].
    pub send: InternedScheduleLabel,
}

impl HearsaySchedulePlugin {
    /// Creates a plugin with these schedules.
    pub fn new(receive: impl ScheduleLabel, send: impl ScheduleLabel) -> Self {
        Self { receive: receive.intern(), send: send.intern() }
    }
}

impl Default for HearsaySchedulePlugin {
    fn default() -> Self {
        Self::new(PreUpdate, PostUpdate)
    }
}

/// The schedules of [`HearsaySchedulePlugin`].
#[derive(Resource, Debug, Clone, Copy)]
pub(crate) struct HearsaySchedules {
    pub(crate) receive: InternedScheduleLabel,
    pub(crate) send: InternedScheduleLabel,
}

impl Plugin for HearsaySchedulePlugin {
    fn build(&self, app: &mut App) {
        let Self { receive, send } = *self;
        app.insert_resource(HearsaySchedules { receive, send })
            .init_resource::<Activity>()
            .init_resource::<InstalledPlugins>()
            .configure_sets(
                receive,
                (HearsaySystems::Receive, HearsaySystems::Apply, HearsaySystems::Phase)
                    .chain_ignore_deferred()
                    .in_set(AwakeSystems::Receive),
            )
            .configure_sets(
                receive,
                (
                    ReceiveSystems::Memory,
                    ReceiveSystems::Requests,
                    ReceiveSystems::Events,
                    ReceiveSystems::Acknowledgements,
                    ReceiveSystems::Listing,
                    ReceiveSystems::Records,
                    ReceiveSystems::GameEvents,
                    ReceiveSystems::Minds,
                    ReceiveSystems::Questions,
                    ReceiveSystems::Saves,
                )
                    .chain_ignore_deferred()
                    .in_set(HearsaySystems::Receive),
            )
            .configure_sets(
                send,
                (
                    // This order matters if the same schedule is used for both purposes.
                    HearsaySystems::Collect
                        .after(HearsaySystems::Phase)
                        .after_ignore_deferred(TransformSystems::Propagate),
                    HearsaySystems::Send,
                )
                    .chain_ignore_deferred()
                    .in_set(AwakeSystems::Send),
            )
            .configure_sets(
                send,
                (CollectSystems::Bind, CollectSystems::Attributes, CollectSystems::Names, CollectSystems::Compare)
                    .chain_ignore_deferred()
                    .in_set(HearsaySystems::Collect),
            )
            .configure_sets(
                send,
                (
                    SendSystems::Minds,
                    SendSystems::Changes,
                    SendSystems::GameEvents,
                    SendSystems::Saves,
                    SendSystems::Questions,
                    SendSystems::Status,
                    SendSystems::Diagnostics,
                    SendSystems::Rest,
                )
                    .chain_ignore_deferred()
                    .in_set(HearsaySystems::Send),
            )
            // This order matters if the sets of `send` are in the schedule `Last`.
            .configure_sets(Last, HearsaySystems::Close.after(HearsaySystems::Send))
            .add_systems(send, activity::rest.in_set(SendSystems::Rest));
    }
}

/// Returns the schedules of the plugins. Adds [`HearsaySchedulePlugin`] if the app does not have it.
pub(crate) fn schedules(app: &mut App) -> HearsaySchedules {
    if !app.is_plugin_added::<HearsaySchedulePlugin>() {
        app.add_plugins(HearsaySchedulePlugin::default());
    }
    *app.world().resource::<HearsaySchedules>()
}
