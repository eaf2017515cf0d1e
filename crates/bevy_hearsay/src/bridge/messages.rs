//! Messages to the game.

use bevy::prelude::*;
use hearsay_model::Position;

use super::error::HearsayError;
use crate::schedule::{PluginName, missing_plugin};

/// Message: an error that the game can show or log. An error never causes the loss of an operation that the memory has
/// acknowledged.
#[derive(Message, Debug, Clone)]
pub struct MemoryErrorMessage {
    /// The error. The text of the error says what went wrong and what to do.
    pub error: HearsayError,
    /// The entity that the error concerns; `None` if the error concerns no single entity.
    pub entity: Option<Entity>,
}

/// Message: a change of the memory was committed. The author of the change can be this game, a DM or an import. Loading
/// a slot is also a change.
#[derive(Message, Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryChanged {
    /// Position of the newest operation in the journal.
    pub position: Position,
}

/// Logs an error and reports it to the game.
pub(crate) fn report_error(world: &mut World, error: impl Into<HearsayError>, entity: Option<Entity>) {
    let error = error.into();
    tracing::warn!("{error}");
    world.write_message(MemoryErrorMessage { error, entity });
}

/// Reports an error if the app does not have the plugins for a request that `plugin` sends to the memory. Returns
/// whether a plugin is missing.
pub(crate) fn report_missing_plugin(world: &mut World, plugin: PluginName, entity: Option<Entity>) -> bool {
    let missing = missing_plugin(world, plugin);
    if let Some(missing) = missing {
        report_error(world, HearsayError::PluginMissing(missing), entity);
    }
    missing.is_some()
}
