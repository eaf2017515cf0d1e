//! Two-way sync: what the game changes becomes facts, and what changes elsewhere becomes components.
//!
//! # How it holds together
//!
//! Every bound entity carries a [`Shadow`]: what the memory is known to hold of it, or has been told. A component that
//! differs from its shadow was changed by the game. Changes wait in the [`Outbox`] and go out as one operation per
//! interval; each is a *batch* with a number. A record that is read back was asked for when some batch was the last that
//! had been acknowledged. A field that was sent in a later batch than that, or waits to be sent, is newer than the
//! record, and stays as the game says; the entity is read again when that batch is acknowledged. So there is no echo (a
//! component that equals its shadow says nothing) and no lost update (what is pending is never overwritten).

mod apply;
mod bind;
mod collect;
mod fetch;
mod outbox;
mod registry;
mod remember;
mod scope;

use std::time::Duration;

use bevy::prelude::*;
use hearsay_model::GameTime;

use crate::{
    components,
    memory::NpcMemory,
    steps::{Step, StepsAppExt},
};

pub use remember::{Remember, RememberAppExt};
pub use scope::Materialise;

pub use apply::Forgotten;
pub(crate) use apply::{edge_of, spawn_relation, unrelate};
pub(crate) use collect::{Field, note_change, note_move, relates};
pub(crate) use fetch::Inbox;
pub(crate) use outbox::{Outbox, count_at_exit, flush, take_at_exit};
pub(crate) use registry::{Registry, Shadow};
pub(crate) use scope::is_changed as is_to_be_listed;

/// Keeps components and memory the same: see the [crate] documentation for what is synced when.
#[derive(Debug, Clone)]
pub struct SyncPlugin {
    /// How long changes of one entity and field gather before they become one operation. Default 250 ms. What happens
    /// (somebody says something) goes out at once, with what changed before it.
    pub interval: Duration,
    /// How long applying what comes from the memory may take in one frame. Default 0.5 ms; big loads take many frames.
    pub budget: Duration,
    /// How often every [`Name`], and every mutable component that is [remembered](RememberAppExt::remember), is looked at
    /// for changes in place. Default 50 ms.
    pub poll: Duration,
    /// Which entities of the memory the plugin spawns by itself. Change the resource while the game runs. Default:
    /// all.
    pub materialise: Materialise,
}

impl Default for SyncPlugin {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(250),
            budget: Duration::from_micros(500),
            poll: Duration::from_millis(50),
            materialise: Materialise::default(),
        }
    }
}

/// How the sync behaves: the fields of [`SyncPlugin`], to change at run time.
#[derive(Resource, Debug, Clone)]
pub(crate) struct SyncSettings {
    pub(crate) interval: Duration,
    pub(crate) budget: Duration,
    pub(crate) poll: Duration,
    /// When it was last looked for what changed in place, as the real time shows it.
    pub(crate) polled: Duration,
}

/// What time it is in the game, in minutes on the campaign's calendar. A game that has a clock writes it here; it is
/// recorded with what changes and happens. `None` until it is set or read from the save.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct GameClock(pub Option<i64>);

impl GameClock {
    /// As the memory's game time.
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
        .insert_resource(self.materialise.clone())
        .init_resource::<GameClock>()
        .register_type::<GameClock>()
        .init_resource::<Registry>()
        .init_resource::<Outbox>()
        .init_resource::<Inbox>()
        .init_resource::<remember::RememberedTypes>()
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

/// Whether something changed while the steps slept, or it is time to look.
pub(crate) fn has_stirred(world: &World) -> bool {
    world.get_resource::<Registry>().is_none_or(Registry::has_stirred) || collect::poll_is_due(world)
}

/// Gathers what changed, before the memory closes.
pub(crate) fn gather_at_exit(world: &mut World) {
    if !world.contains_resource::<Outbox>() || world.resource::<NpcMemory>().get().is_none() {
        return;
    }
    bind::bind(world);
    collect::collect_all(world);
}
