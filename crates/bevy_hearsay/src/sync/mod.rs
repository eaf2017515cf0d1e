//! Two-way sync: changes by the game become facts, and changes by other authors become changes of components.
//!
//! # Design
//!
//! Every bound entity has a [`Shadow`] component. The shadow contains the values that the memory has for this entity,
//! including values that were sent but not yet acknowledged. If a component differs from its shadow, the game changed
//! the component.
//!
//! The [`Outbox`] contains changes that are not sent yet. At each interval, the plugin sends all these changes as one
//! operation, called a *batch*. Batches are numbered.
//!
//! When the plugin requests a record from the memory, the plugin notes the number of the last acknowledged batch. If a
//! field of the entity is in a later batch or has not been sent yet, the game's value is newer than the record. The
//! component of this field then keeps the game's value. When the later batch is acknowledged, the plugin reads the
//! entity again.
//!
//! The plugin never sends a component that equals its shadow, so it does not send the memory's own changes back. A
//! record never overwrites a pending value, so no change of the game is lost.

mod apply;
mod bind;
mod collect;
mod compare;
mod fetch;
mod inbox;
mod insert_record;
mod listing;
mod memory_entities;
mod merge;
mod outbox;
mod registry;
mod relationships;
mod settings;
mod shadow;
mod spawn_policy;
mod synced_attribute;
mod synced_types;
mod unload;

use std::time::Duration;

use bevy::prelude::*;

use crate::{
    bridge::{self, ChangedKeys, CloseAppExt, CloseSteps, LoadingAppExt, is_open},
    components::{self, ChangedEntities},
    schedule::{
        ActivityAppExt, AwakeSystems, CollectSystems, HearsaySchedules, HearsaySystems, PluginName, ReceiveSystems,
        SendSystems, record_plugin,
    },
};

pub use apply::Forgotten;
pub(crate) use bind::IdSeed;
pub(crate) use inbox::Inbox;
pub use memory_entities::MemoryEntities;
pub(crate) use outbox::{Outbox, flush};
pub(crate) use registry::Registry;
pub(crate) use relationships::{end_relation, find_relation_entity, set_attitude, spawn_relation};
pub use settings::{GameClock, SyncSettings};
pub(crate) use shadow::Shadow;
pub use spawn_policy::SpawnPolicy;
pub use synced_attribute::{SyncedAttribute, SyncedAttributeAppExt};
pub(crate) use synced_types::SyncedTypes;

/// Plugin that syncs components with the memory in both directions. The [crate] documentation lists the synced
/// components.
#[derive(Debug, Clone)]
pub struct SyncPlugin {
    /// Initial value of [`SyncSettings::interval`]. Default 250 ms.
    pub interval: Duration,
    /// Initial value of [`SyncSettings::budget`]. Default 0.5 ms.
    pub budget: Duration,
    /// Initial value of [`SyncSettings::poll`]. Default 50 ms.
    pub poll: Duration,
    /// Initial value of the resource [`SpawnPolicy`], which selects the entities of the memory that the plugin spawns.
    /// By default, the plugin spawns all entities.
    pub spawn_policy: SpawnPolicy,
}

impl Default for SyncPlugin {
    fn default() -> Self {
        let SyncSettings { interval, budget, poll } = SyncSettings::default();
        Self { interval, budget, poll, spawn_policy: SpawnPolicy::default() }
    }
}

impl Plugin for SyncPlugin {
    fn build(&self, app: &mut App) {
        let HearsaySchedules { receive, send } = init(app);
        components::register(app);
        record_plugin(app, PluginName::Sync);
        let Self { interval, budget, poll, .. } = *self;
        app.world_mut().get_resource_or_insert_with(|| SyncSettings { interval, budget, poll });
        app.world_mut().get_resource_or_insert_with(|| self.spawn_policy.clone());
        app.register_type::<SyncSettings>()
            .init_resource::<ChangedEntities>()
            .init_resource::<ChangedKeys>()
            .init_resource::<settings::LastPoll>()
            .init_resource::<synced_types::SyncedTypes>()
            .add_observer(bind::on_memory_id)
            .add_observer(bind::on_despawn)
            .add_observer(bind::on_unbound)
            .add_observer(bind::on_id_removed)
            .add_observer(collect::on_relation)
            .add_systems(
                receive,
                (
                    fetch::send_requests.in_set(ReceiveSystems::Requests),
                    outbox::receive_acknowledgements.in_set(ReceiveSystems::Acknowledgements),
                    (listing::request_listing, listing::receive_listing)
                        .chain_ignore_deferred()
                        .in_set(ReceiveSystems::Listing),
                    fetch::receive_answers.in_set(ReceiveSystems::Records),
                    apply::apply.in_set(HearsaySystems::Apply),
                ),
            )
            .add_systems(
                send,
                (
                    bind::bind.in_set(CollectSystems::Bind),
                    collect::collect_names.in_set(CollectSystems::Names),
                    collect::collect.in_set(CollectSystems::Compare),
                    outbox::send_when_due.in_set(SendSystems::Changes),
                ),
            )
            .add_work("changes", |world| is_open(world) && world.resource::<Outbox>().is_waiting())
            .add_work("entities waiting to be bound", |world| is_open(world) && bind::is_waiting(world))
            .add_work("entities that changed", |world| {
                is_open(world) && !world.resource::<ChangedEntities>().is_empty()
            })
            .add_work("records", |world| is_open(world) && fetch::is_busy(world))
            .add_loading(|world| bind::is_waiting(world) || fetch::is_busy(world));
        let systems = app.world().resource::<synced_types::SyncedTypes>().systems();
        systems.into_iter().for_each(|add_systems| add_systems(app));
    }
}

/// Adds the resources that the plugins of game events, questions and saves also use, unless another plugin added them.
/// Returns the schedules of the plugins.
pub(crate) fn init(app: &mut App) -> HearsaySchedules {
    let schedules = bridge::init(app);
    if !app.world().contains_resource::<Outbox>() {
        app.init_resource::<Outbox>()
            .init_resource::<Inbox>()
            .init_resource::<Registry>()
            .init_resource::<GameClock>()
            .register_type::<GameClock>()
            .add_close_steps(CloseSteps {
                collect: collect::collect_now,
                send: outbox::send_when_closing,
                count_answered: outbox::count_answered,
                count_unanswered: outbox::count_unanswered,
                reset: unload::reset,
            })
            .configure_sets(schedules.send, AwakeSystems::Send.run_if(settings::may_send));
    }
    schedules
}

/// Collects all changes that the game has made until now, and sends them. A request that the game makes afterwards
/// includes these changes. Returns whether all changes were sent.
pub(crate) fn send_changes(world: &mut World) -> bool {
    collect::collect_now(world);
    flush(world)
}
