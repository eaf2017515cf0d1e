//! Settings of the synchronization that can change at run time, and the game's clock.

use std::time::Duration;

use bevy::{
    ecs::{change_detection::Tick, system::SystemParam},
    prelude::*,
};
use hearsay_model::GameTime;

use crate::{bridge::NpcMemory, components::ChangedEntities, schedule::Activity};

/// Settings of [`SyncPlugin`](crate::SyncPlugin) that can change at run time. If the app already has this resource, the
/// plugin does not overwrite it.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct SyncSettings {
    /// Interval at which the plugin sends the game's changes. All changes in one interval become one operation. Game
    /// events, saves and questions do not wait for this interval. Before the plugin sends a game event, a save or a
    /// question, the plugin sends all earlier changes.
    pub interval: Duration,
    /// Maximum time per frame for writing the memory's values to components. If many values arrive at once, the plugin
    /// writes them over several frames.
    pub budget: Duration,
    /// Interval between two checks for mutated components. Each check covers every [`Name`] and every mutable [synced
    /// component](crate::SyncedAttributeAppExt::sync_attribute). Before a game event, a save or a question, the plugin
    /// checks all these components without waiting for the interval.
    pub poll: Duration,
}

impl Default for SyncSettings {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(250),
            budget: Duration::from_micros(500),
            poll: Duration::from_millis(50),
        }
    }
}

/// The last check for mutated components.
#[derive(Resource, Default)]
pub(super) struct LastPoll {
    /// Time of the check, as real time since the app started. `None` if a check is due now.
    pub(super) time: Option<Duration>,
    /// Change tick of the world when names were last checked.
    pub(super) names_tick: Option<Tick>,
}

impl LastPoll {
    /// Returns whether the next check is due. An app without [`Time`] is checked in every frame.
    pub(super) fn is_elapsed(&self, settings: &SyncSettings, time: Option<&Time<Real>>) -> bool {
        match (self.time, time) {
            (Some(last), Some(time)) => time.elapsed().saturating_sub(last) >= settings.poll,
            _ => true,
        }
    }
}

/// Tells whether it is time to check for mutated components. No component hook reports such changes.
#[derive(SystemParam)]
pub(super) struct PollClock<'w> {
    settings: Res<'w, SyncSettings>,
    last_poll: Res<'w, LastPoll>,
    time: Option<Res<'w, Time<Real>>>,
    memory: Res<'w, NpcMemory>,
}

impl PollClock<'_> {
    /// Returns whether the memory is open and a check is due.
    pub(super) fn is_due(&self) -> bool {
        self.memory.is_open() && self.last_poll.is_elapsed(&self.settings, self.time.as_deref())
    }

    /// Returns whether the memory is open.
    pub(super) fn is_memory_open(&self) -> bool {
        self.memory.is_open()
    }
}

/// Run condition: work is pending, the game changed an entity, or a check for mutated components is due. Without
/// [`SyncPlugin`](crate::SyncPlugin), no system finds the game's changes, and the condition is always true.
pub(super) fn may_send(
    activity: Res<Activity>,
    changed: Option<Res<ChangedEntities>>,
    poll: Option<PollClock>,
) -> bool {
    let (Some(changed), Some(poll)) = (changed, poll) else { return true };
    activity.is_awake() || !changed.is_empty() || poll.is_due()
}

/// Current game time, in minutes of the campaign's calendar. If your game has its own clock, write its time to this
/// resource. The memory records this time with changes and game events. The value is `None` until the game sets the
/// time or the plugin reads the time from the save.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct GameClock(pub Option<i64>);

impl GameClock {
    /// Returns the time as a [`GameTime`] of the engine, or `None` if the time is not known.
    pub fn time(&self) -> Option<GameTime> {
        self.0.map(GameTime)
    }
}
