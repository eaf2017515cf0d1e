//! Commands that open and close memories.

use std::path::PathBuf;

use bevy::prelude::*;

use super::{
    lifecycle::{Request, make_request},
    messages::report_missing_plugin,
    options::{MemorySource, Start},
};
use crate::schedule::PluginName;

/// Commands that open and close memories while the game runs. A command sets the campaign and the save. All other
/// options come from [`MemoryPlugin`](crate::MemoryPlugin).
///
/// Each command first closes the open memory. Before the memory closes, the plugin sends all earlier changes, game
/// events and saves of the game. Unanswered questions fail with
/// [`HearsayError::NotOpen`](crate::HearsayError::NotOpen). The plugin despawns the entities that it spawned. The
/// plugin unbinds the game's own entities from the memory and despawns their relations, but keeps the values of their
/// other components. When the next memory is open, the plugin binds these entities to the next memory. If some of these
/// entities belong only to the closed memory, despawn or reset them. [`GameClock`](crate::GameClock) becomes `None`,
/// unless the game has set a new time.
///
/// Closing and opening take place on separate threads and do not delay a frame. [`MemoryPhase`](crate::MemoryPhase)
/// shows the progress. All later requests of the game wait for the next memory. If the queue of the open memory is
/// full, the memory stays open until it has accepted all requests, but at most for
/// [`MemorySettings::exit_timeout`](crate::MemorySettings::exit_timeout).
pub trait MemoryLifecycleCommands {
    /// Opens a save, without reading campaign files.
    fn open_save(&mut self, save: impl Into<PathBuf>);

    /// Starts a new game from the files in the directory `campaign`. The game is saved in `save`. Earlier play in this
    /// save is reverted. The slots of earlier play remain and can be loaded.
    fn new_game(&mut self, campaign: impl Into<PathBuf>, save: impl Into<PathBuf>);

    /// Continues from a save, and imports new content of the campaign files. If the save is empty, the game starts from
    /// the campaign.
    fn new_or_continue(&mut self, campaign: impl Into<PathBuf>, save: impl Into<PathBuf>);

    /// Closes the open memory. A memory that is being opened is closed as soon as it is open.
    fn close_memory(&mut self);
}

impl MemoryLifecycleCommands for Commands<'_, '_> {
    fn open_save(&mut self, save: impl Into<PathBuf>) {
        let source = MemorySource { campaign: None, save: save.into(), start: Start::Continue };
        queue_request(self, Request::Open(source));
    }

    fn new_game(&mut self, campaign: impl Into<PathBuf>, save: impl Into<PathBuf>) {
        let source = MemorySource { campaign: Some(campaign.into()), save: save.into(), start: Start::NewGame };
        queue_request(self, Request::Open(source));
    }

    fn new_or_continue(&mut self, campaign: impl Into<PathBuf>, save: impl Into<PathBuf>) {
        let source = MemorySource { campaign: Some(campaign.into()), save: save.into(), start: Start::Continue };
        queue_request(self, Request::Open(source));
    }

    fn close_memory(&mut self) {
        queue_request(self, Request::Close);
    }
}

fn queue_request(commands: &mut Commands, request: Request) {
    commands.queue(move |world: &mut World| {
        if !report_missing_plugin(world, PluginName::Memory, None) {
            make_request(world, request);
        }
    });
}
