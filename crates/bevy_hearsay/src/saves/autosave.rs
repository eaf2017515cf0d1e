//! Automatic saves.

use std::time::Duration;

use bevy::prelude::*;

use super::queue::{SaveQueue, SaveRequest};
use crate::{bridge::NpcMemory, events::GameEventQueue};

/// Settings of automatic saves, which can change at run time. Autosaves use the slots `autosave-1`, `autosave-2`, … in
/// turn. If the app already has this resource, [`SavesPlugin`](crate::SavesPlugin) does not overwrite it.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct Autosave {
    /// Interval between two autosaves. `None` disables autosaves.
    pub interval: Option<Duration>,
    /// Number of slots that autosaves use in turn. Default 3.
    pub keep: usize,
}

impl Default for Autosave {
    fn default() -> Self {
        Self { interval: None, keep: 3 }
    }
}

/// Time and slot number of the last autosave.
#[derive(Resource, Default)]
pub(super) struct LastAutosave {
    /// Time of the last autosave, as real time since the app started.
    time: Duration,
    number: usize,
}

/// Queues an autosave when it is due and the memory is open.
pub(super) fn autosave(
    autosave: Res<Autosave>,
    mut last: ResMut<LastAutosave>,
    mut saves: ResMut<SaveQueue>,
    game_events: Option<Res<GameEventQueue>>,
    (memory, time): (Res<NpcMemory>, Option<Res<Time<Real>>>),
) {
    let (Some(interval), Some(time)) = (autosave.interval, time) else { return };
    if memory.is_open() && time.elapsed().saturating_sub(last.time) >= interval {
        last.time = time.elapsed();
        last.number = last.number % autosave.keep.max(1) + 1;
        saves.push(SaveRequest::Save(format!("autosave-{}", last.number)), game_events.as_deref());
    }
}
