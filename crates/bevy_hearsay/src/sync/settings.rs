//! Settings of the sync that can change at run time, and the game's clock.

use std::time::Duration;

use bevy::prelude::*;
use hearsay_model::GameTime;

/// Settings of the sync that can change at run time: the fields of [`SyncPlugin`](crate::SyncPlugin).
#[derive(Resource, Debug, Clone)]
pub(crate) struct SyncSettings {
    pub(crate) interval: Duration,
    pub(crate) budget: Duration,
    pub(crate) poll: Duration,
    /// Time of the last poll for mutated components, as real time since the app started.
    pub(crate) last_poll: Duration,
}

/// Current game time, in minutes of the campaign's calendar. A game that has a clock sets this resource. The memory
/// records this time with changes and game events. The value is `None` until the game sets the time or the plugin reads
/// the time from the save.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct GameClock(pub Option<i64>);

impl GameClock {
    /// Returns the time as the memory's game time.
    pub fn time(&self) -> Option<GameTime> {
        self.0.map(GameTime)
    }
}
