//! World events, with which a game sets a flag of the campaign, or lets time pass in which characters gossip.

use bevy::prelude::*;
use hearsay_commands::edit::Edit;
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket, Written, real_time};
use hearsay_model::{Author, Value};

use crate::{bridge::report_missing_plugin, schedule::PluginName};

pub use hearsay_commands::gossip::Gossip;

/// An event of the whole world. Trigger this event directly or with [`WorldMemoryCommands`]. World events and [game
/// events](crate::GameEvent) share one queue, so they are recorded in the order in which they are triggered.
#[derive(Event, Debug, Clone, PartialEq)]
pub enum WorldEvent {
    /// Sets a declared flag of the campaign to another value.
    SetFlag {
        /// Name of the flag.
        name: String,
        /// New value of the flag. The new value must have the same type as the declared value.
        value: Value,
    },
    /// Lets game time pass, in which characters meet and pass on news.
    Gossip(Gossip),
}

impl WorldEvent {
    /// Sends the event to the memory.
    pub(super) fn send(&self, memory: &Memory) -> Result<Ticket<Written>, MemoryError> {
        match self.clone() {
            Self::SetFlag { name, value } => {
                memory.edit_as(Author::Game, Edit::SetFlag { name, value: value.to_string() })
            }
            Self::Gossip(gossip) => {
                memory.write(move |snapshot: &ReadSnapshot| Ok(gossip.plan(&snapshot.state, real_time())?.operation))
            }
        }
    }
}

/// Commands that change the whole world instead of one entity. If the memory rejects a command, for example because the
/// flag is not declared, the plugin sends a [`MemoryErrorMessage`](crate::MemoryErrorMessage). The commands need
/// [`GameEventsPlugin`](crate::GameEventsPlugin).
pub trait WorldMemoryCommands {
    /// Sets a declared flag of the campaign, such as `fire-reported`. The conditions of reveals can depend on flags.
    /// The value must have the same type as the declared value: a boolean, a number or text.
    fn set_flag(&mut self, name: impl Into<String>, value: impl Into<Value>);

    /// Simulates a number of days of the campaign's calendar, in which characters meet and pass on news. Afterwards,
    /// the game clock is at the end of this period. If the game clock is not set, the command fails. To set the period
    /// or the random seed, trigger [`WorldEvent::Gossip`].
    ///
    /// The simulation runs on the memory's thread. During the simulation, the memory answers no questions.
    fn gossip(&mut self, days: u32);
}

impl WorldMemoryCommands for Commands<'_, '_> {
    fn set_flag(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        trigger(self, WorldEvent::SetFlag { name: name.into(), value: value.into() });
    }

    fn gossip(&mut self, days: u32) {
        trigger(self, WorldEvent::Gossip(Gossip { days, ..Gossip::default() }));
    }
}

fn trigger(commands: &mut Commands, event: WorldEvent) {
    commands.queue(move |world: &mut World| {
        if !report_missing_plugin(world, PluginName::GameEvents, None) {
            world.trigger(event);
        }
    });
}
