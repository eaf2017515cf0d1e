//! World events: a game sets a flag of the campaign, or simulates days in which characters gossip.

use bevy::prelude::*;
use hearsay_commands::edit::Edit;
use hearsay_engine::{Memory, MemoryError, ReadSnapshot, Ticket, Written, real_time};
use hearsay_model::{Author, Value};

use crate::{bridge::report_missing_plugin, schedule::PluginName};

pub use hearsay_commands::gossip::Gossip;

/// An event that concerns the whole world of the campaign. Trigger this event directly or with [`WorldMemoryCommands`].
/// World events and [game events](crate::GameEvent) share one queue, so they are recorded in the order in which they
/// are triggered.
#[derive(Event, Debug, Clone, PartialEq)]
pub enum WorldEvent {
    /// Changes the value of a flag that the campaign files declare.
    SetFlag {
        /// Name of the flag.
        name: String,
        /// New value of the flag. The new value must have the same type as the value in the campaign files.
        value: Value,
    },
    /// Simulates a period of game time in which characters meet and pass on news.
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
    /// Changes the value of a flag, such as `fire-reported`. The campaign files must declare the flag. The condition
    /// under which a character is allowed to tell a secret can depend on a flag. The new value must have the same type
    /// as the declared value: a boolean, a number or text.
    fn set_flag(&mut self, name: impl Into<String>, value: impl Into<Value>);

    /// Simulates a number of days of the campaign's calendar, in which characters meet and pass on news. The command
    /// then sets the game clock to the end of these days. If the game clock is not set, the command fails. To set the
    /// start of the period or the random seed, trigger [`WorldEvent::Gossip`].
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
