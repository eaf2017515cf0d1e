//! Two-way sync: changes of the game become facts, and changes from elsewhere become components.
//!
//! # Design
//!
//! Every bound entity carries a [`Shadow`]: the values that the memory is known to hold for it, or has been sent. If a
//! component differs from its shadow, the game changed the component. Changes wait in the [`Outbox`], which sends them
//! as one operation per interval: a *batch* with a number. Each record that is read back carries the number of the last
//! batch that was acknowledged when the record was requested. A field that was sent in a later batch, or waits to be
//! sent, is newer than the record and keeps the game's value. The entity is then read again when that batch is
//! acknowledged. So there is no echo (a component that equals its shadow is not sent) and no lost update (a pending
//! value is never overwritten).

mod apply;
mod bind;
mod collect;
mod fetch;
mod outbox;
mod registry;
mod scope;
mod synced_attribute;

use std::time::Duration;

use bevy::prelude::*;
use hearsay_model::GameTime;

use crate::{
    components,
    memory::NpcMemory,
    steps::{Step, StepsAppExt},
};

pub use scope::SpawnPolicy;
pub use synced_attribute::{RememberAppExt, SyncedAttribute};

pub use apply::Forgotten;
pub(crate) use apply::{edge_of, spawn_relation, unrelate};
pub(crate) use collect::{Field, note_change, note_move, relates};
pub(crate) use fetch::Inbox;
pub(crate) use outbox::{Outbox, count_at_exit, flush, take_at_exit};
pub(crate) use registry::{Registry, Shadow};
pub(crate) use scope::is_changed as is_to_be_listed;

/// Keeps components and memory equal. The [crate] documentation lists the synced components.
#[derive(Debug, Clone)]
pub struct SyncPlugin {
    /// How long changes of one entity and field gather before they become one operation. Default 250 ms. A game event
    /// is sent at once, with all earlier changes.
    pub interval: Duration,
    /// Time per frame for applying records from the memory. Default 0.5 ms. A large load takes many frames.
    pub budget: Duration,
    /// How often every [`Name`], and every mutable [synced component](RememberAppExt::remember), is checked for changes
    /// in place. Default 50 ms.
    pub poll: Duration,
    /// Which entities of the memory the plugin spawns. To change the policy while the game runs, change the resource.
    /// Default: all.
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

/// Settings of the sync that can change at run time: the fields of [`SyncPlugin`].
#[derive(Resource, Debug, Clone)]
pub(crate) struct SyncSettings {
    pub(crate) interval: Duration,
    pub(crate) budget: Duration,
    pub(crate) poll: Duration,
    /// Real time of the last poll for changes in place.
    pub(crate) polled: Duration,
}

/// Current time in the game, in minutes of the campaign's calendar. A game with a clock writes its time here. The
/// memory records this time with changes and game events. `None` until it is set or read from the save.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct GameClock(pub Option<i64>);

impl GameClock {
    /// Returns the time as the memory's game time.
    pub fn time(&self) -> Option<GameTime> {
        self.0.map(GameTime)
    }
}

impl Plugin for SyncPlugin {
    fn build(&self, app: &mut App) {
        components::register(app);
        app.insert_resource(SyncSettings {
            interval: self.interval,
            budget: self.budget,
            poll: self.poll,
            polled: Duration::ZERO,
        })
        .insert_resource(self.spawn_policy.clone())
        .init_resource::<GameClock>()
        .register_type::<GameClock>()
        .init_resource::<Registry>()
        .init_resource::<Outbox>()
        .init_resource::<Inbox>()
        .init_resource::<synced_attribute::RememberedTypes>()
        .add_observer(bind::on_memory_id)
        .add_observer(bind::on_despawn)
        .add_observer(bind::on_unbound)
        .add_observer(bind::on_id_removed)
        .add_observer(collect::on_relation)
        .add_step(Step::Ask, fetch::has_work, fetch::ask)
        .add_step(Step::Acknowledge, outbox::is_waiting, outbox::take_acknowledged)
        .add_step(Step::Rescope, scope::is_changed, scope::change)
        .add_step(Step::List, scope::is_listing, scope::load)
        .add_step(Step::Read, fetch::is_waiting, fetch::take)
        .add_step(Step::Apply, apply::has_work, apply::apply)
        .add_step(Step::Bind, bind::has_work, bind::bind)
        .add_step(Step::PollNames, collect::poll_is_due, collect::poll)
        .add_step(Step::Compare, collect::has_work, collect::collect)
        .add_step(Step::SendChanges, outbox::is_due, outbox::send_when_due);
    }
}

/// Returns whether an entity changed while the steps were inactive, or a poll is due.
pub(crate) fn has_stirred(world: &World) -> bool {
    world.get_resource::<Registry>().is_none_or(Registry::has_stirred) || collect::poll_is_due(world)
}

/// Collects the last changes before the memory closes.
pub(crate) fn gather_at_exit(world: &mut World) {
    if !world.contains_resource::<Outbox>() || world.resource::<NpcMemory>().get().is_none() {
        return;
    }
    bind::bind(world);
    collect::collect_all(world);
}
