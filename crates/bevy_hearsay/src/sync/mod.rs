//! Two-way sync: changes of the game become facts, and changes from elsewhere become components.
//!
//! # Design
//!
//! Every bound entity has a [`Shadow`] component. The shadow contains the values that the memory has for this entity,
//! including values that were sent but not yet acknowledged. If a component differs from its shadow, the game changed
//! the component.
//!
//! Changes wait in the [`Outbox`]. At each interval, the outbox sends all waiting changes as one operation, called a
//! *batch*. Batches are numbered.
//!
//! Each record that the game reads has the number of the last batch that was acknowledged when the record was
//! requested. A field that is in a later batch, or that has not been sent yet, is newer than the record. Its component
//! keeps the game's value. The entity is read again when the later batch is acknowledged.
//!
//! This design prevents echoes, because a component that equals its shadow is not sent. It also prevents lost updates,
//! because a record never overwrites a pending value.

mod apply;
mod bind;
mod collect;
mod compare;
mod fetch;
mod inbox;
mod insert_record;
mod listing;
mod merge;
mod outbox;
mod registry;
mod relationships;
mod settings;
mod shadow;
mod spawn_policy;
mod synced_attribute;
mod synced_types;

use std::time::Duration;

use bevy::prelude::*;

use crate::{
    bridge::{ExitAppExt, ExitSteps, is_open},
    components::{self, ChangedEntities},
    schedule::{HearsaySystems, Step, StepsAppExt},
};

pub use apply::Forgotten;
pub(crate) use compare::record_relation;
pub(crate) use inbox::Inbox;
pub(crate) use outbox::{Outbox, flush};
pub(crate) use registry::Registry;
pub(crate) use relationships::{despawn_relation, find_relation_entity, spawn_relation};
pub use settings::GameClock;
use settings::SyncSettings;
pub(crate) use shadow::Shadow;
pub use spawn_policy::SpawnPolicy;
pub use synced_attribute::{SyncedAttribute, SyncedAttributeAppExt};

/// Plugin that syncs components with the memory in both directions. The [crate] documentation lists the synced
/// components.
#[derive(Debug, Clone)]
pub struct SyncPlugin {
    /// Interval between two batches of changes. All changes in this interval become one operation. Default 250 ms. A
    /// game event is sent at once, after all earlier changes.
    pub interval: Duration,
    /// Maximum time per frame for writing the memory's values to components. Default 0.5 ms. A large load takes many
    /// frames.
    pub budget: Duration,
    /// Interval between two checks for mutated components. Each check covers every [`Name`] and every mutable [synced
    /// component](SyncedAttributeAppExt::sync_attribute). Default 50 ms.
    pub poll: Duration,
    /// Selects the entities of the memory that the plugin spawns. Default: all. To change the policy while the game
    /// runs, change the resource [`SpawnPolicy`].
    pub spawn_policy: SpawnPolicy,
}

impl Default for SyncPlugin {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(250),
            budget: Duration::from_micros(500),
            poll: Duration::from_millis(50),
            spawn_policy: SpawnPolicy::default(),
        }
    }
}

impl Plugin for SyncPlugin {
    fn build(&self, app: &mut App) {
        components::register(app);
        app.insert_resource(SyncSettings {
            interval: self.interval,
            budget: self.budget,
            poll: self.poll,
            last_poll: Duration::ZERO,
        })
        .insert_resource(self.spawn_policy.clone())
        .init_resource::<GameClock>()
        .register_type::<GameClock>()
        .init_resource::<Registry>()
        .init_resource::<Outbox>()
        .init_resource::<Inbox>()
        .init_resource::<ChangedEntities>()
        .init_resource::<synced_types::SyncedTypes>()
        .add_observer(bind::on_memory_id)
        .add_observer(bind::on_despawn)
        .add_observer(bind::on_unbound)
        .add_observer(bind::on_id_removed)
        .add_observer(collect::on_relation)
        .add_step(Step::RequestRecords, fetch::has_work, fetch::send_requests)
        .add_step(Step::ReceiveAcknowledgements, outbox::is_waiting, outbox::receive_acknowledgements)
        .add_step(Step::RequestListing, listing::is_changed, listing::request_listing)
        .add_step(Step::ReceiveListing, listing::is_listing, listing::receive_listing)
        .add_step(Step::ReceiveRecords, fetch::is_waiting, fetch::receive_answers)
        .add_step(Step::Apply, apply::has_work, apply::apply)
        .add_step(Step::Bind, bind::has_work, bind::bind)
        .add_step(Step::PollNames, collect::poll_is_due, collect::poll_names)
        .add_step(Step::Compare, collect::has_work, collect::collect)
        .add_step(Step::SendChanges, outbox::is_due, outbox::send_when_due)
        .add_wake_condition(HearsaySystems::Collect, has_changes)
        .add_work("changes", |world| is_open(world) && world.resource::<Outbox>().is_waiting())
        .add_work("entities waiting to be bound", |world| is_open(world) && bind::is_waiting(world))
        .add_work("entities that changed", |world| is_open(world) && !world.resource::<ChangedEntities>().is_empty())
        .add_work("records", |world| is_open(world) && fetch::is_busy(world))
        .add_exit_steps(ExitSteps {
            collect: collect_at_exit,
            send: outbox::send_at_exit,
            count_answered: outbox::count_answered,
            count_unanswered: outbox::count_unanswered,
        });
    }
}

/// Returns whether any entity changed while the steps rested, or a poll is due.
fn has_changes(world: &World) -> bool {
    !world.resource::<ChangedEntities>().is_empty() || collect::poll_is_due(world)
}

/// Collects the last changes before the memory closes.
fn collect_at_exit(world: &mut World) {
    if is_open(world) {
        bind::bind(world);
        collect::collect_all(world);
    }
}
