//! The plugins that were added to the app.

use std::fmt;

use bevy::prelude::*;

/// A plugin that the game's requests can need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Reflect)]
pub enum PluginName {
    /// [`MemoryPlugin`](crate::MemoryPlugin).
    Memory,
    /// [`SyncPlugin`](crate::SyncPlugin).
    Sync,
    /// [`GameEventsPlugin`](crate::GameEventsPlugin).
    GameEvents,
    /// [`QuestionsPlugin`](crate::QuestionsPlugin).
    Questions,
    /// [`SavesPlugin`](crate::SavesPlugin).
    Saves,
    /// [`SpeechPlugin`](crate::SpeechPlugin).
    Speech,
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "MemoryPlugin",
            Self::Sync => "SyncPlugin",
            Self::GameEvents => "GameEventsPlugin",
            Self::Questions => "QuestionsPlugin",
            Self::Saves => "SavesPlugin",
            Self::Speech => "SpeechPlugin",
        })
    }
}

/// The plugins of this crate that were added to the app.
#[derive(Resource, Default)]
pub(crate) struct InstalledPlugins(Vec<PluginName>);

impl InstalledPlugins {
    pub(crate) fn contains(&self, plugin: PluginName) -> bool {
        self.0.contains(&plugin)
    }

    /// Returns the plugin that is missing for a request that `plugin` sends to the memory.
    pub(crate) fn missing_for(&self, plugin: PluginName) -> Option<PluginName> {
        [plugin, PluginName::Memory].into_iter().find(|needed| !self.contains(*needed))
    }
}

/// Returns whether a plugin was added to the app.
pub(crate) fn is_installed(world: &World, plugin: PluginName) -> bool {
    world.get_resource::<InstalledPlugins>().is_some_and(|installed| installed.contains(plugin))
}

/// Returns the plugin that is missing for a request that `plugin` sends to the memory.
pub(crate) fn missing_plugin(world: &World, plugin: PluginName) -> Option<PluginName> {
    match world.get_resource::<InstalledPlugins>() {
        Some(installed) => installed.missing_for(plugin),
        None => Some(plugin),
    }
}

/// Records that a plugin was added to the app.
pub(crate) fn record_plugin(app: &mut App, plugin: PluginName) {
    app.world_mut().get_resource_or_init::<InstalledPlugins>().0.push(plugin);
}
