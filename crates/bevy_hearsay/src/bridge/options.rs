//! Options of the plugin that opens the memory.

use std::{path::PathBuf, time::Duration};

use bevy::prelude::*;
use hearsay_commands::policy::ReviewMode;
use hearsay_engine::{Location, MemoryError, MemoryOptions, Settings, Waker};

/// Plugin that opens the memory in the background, and closes it on [`AppExit`]. The Bevy state
/// [`MemoryPhase`](crate::MemoryPhase) shows whether the memory is open. While the game runs, the game can open other
/// saves with [`MemoryLifecycleCommands`](crate::MemoryLifecycleCommands). The plugin adds Bevy's
/// [`StatesPlugin`](bevy::state::app::StatesPlugin) if the app does not have it.
#[derive(Debug, Clone)]
pub struct MemoryPlugin {
    /// Directory of the campaign from which the game starts. The file `hearsay.toml` in this directory contains the
    /// settings of the engine. With `None`, the game starts without campaign files.
    pub campaign: Option<PathBuf>,
    /// Directory in which the memory is saved. With `None`, the memory is not saved.
    pub save: Option<PathBuf>,
    /// Whether to start a new game from the campaign files, or to continue from the save. Default: continue.
    pub start: Start,
    /// Whether to open the memory when the app starts. If false, the memory stays closed until the game opens a save
    /// with [`MemoryLifecycleCommands`](crate::MemoryLifecycleCommands). Default true.
    pub open_at_start: bool,
    /// Whether several programs on this machine can have the save open at the same time, for example the game and the
    /// DM console. This also requires the engine's setting `share`, which is true by default. Default false. See
    /// [`SharingStatus`](hearsay_engine::SharingStatus).
    pub share: bool,
    /// Whether the plugin imports new and changed campaign files when it opens a memory. Default true.
    pub sync_campaign_files: bool,
    /// Settings of the engine. Default: the campaign's `hearsay.toml`, or the default settings if this file is missing.
    pub settings: Option<Settings>,
    /// Whether doubtful facts wait for review by a DM, or become claims without review. `None` means the mode in the
    /// engine's settings. Default `None`.
    pub mode: Option<ReviewMode>,
    /// Maximum number of requests that can wait for the memory at the same time. Default 1,024.
    pub queue_capacity: usize,
    /// Initial value of [`MemorySettings::exit_timeout`]. Default 5 s.
    pub exit_timeout: Duration,
    /// Initial value of [`MemorySettings::status_interval`]. Default 1 s.
    pub status_interval: Duration,
    /// Whether the memory's threads have a lower priority than the game's threads, so that a write to the disk does not
    /// delay a frame. Default true. This setting has an effect only on Linux, Android and Windows.
    pub low_priority_threads: bool,
    /// Function that is called after each answer and each event of the memory. If your app draws a frame only after a
    /// change, set a function that requests a new frame. The new frame then shows the answer or event. Default `None`.
    pub waker: Option<Waker>,
}

/// Settings of [`MemoryPlugin`] that can change at run time. If the app already has this resource, the plugin does not
/// overwrite it.
#[derive(Resource, Debug, Clone, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct MemorySettings {
    /// Maximum time to wait until the game's last changes are committed when the memory closes. At exit,
    /// [`MemoryExit`](crate::MemoryExit) counts the changes that were not committed in time. Acknowledged changes are
    /// always saved.
    pub exit_timeout: Duration,
    /// Interval between two requests for the memory's status. The status reports whether the memory dropped events
    /// because the game received them too slowly. In this case, the plugin compares all entities with the memory again.
    pub status_interval: Duration,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self { exit_timeout: Duration::from_secs(5), status_interval: Duration::from_secs(1) }
    }
}

impl Default for MemoryPlugin {
    fn default() -> Self {
        let MemorySettings { exit_timeout, status_interval } = MemorySettings::default();
        Self {
            campaign: None,
            save: None,
            start: Start::default(),
            open_at_start: true,
            share: false,
            sync_campaign_files: true,
            settings: None,
            mode: None,
            queue_capacity: 1024,
            exit_timeout,
            status_interval,
            low_priority_threads: true,
            waker: None,
        }
    }
}

/// The state from which a game starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
pub enum Start {
    /// The game continues from the save. If a campaign is also given, new content of the campaign files is imported
    /// without overwriting recorded play. If the save is empty, the game starts from the campaign.
    #[default]
    Continue,
    /// The game starts from the campaign files. Earlier play in this save is reverted, but the
    /// [slots](crate::SaveCommands) of the save can still be loaded.
    NewGame,
}

/// The campaign and the save of a memory that the game opens at run time.
pub(super) struct MemorySource {
    pub(super) campaign: Option<PathBuf>,
    pub(super) save: PathBuf,
    pub(super) start: Start,
}

impl MemoryPlugin {
    /// Replaces the campaign, the save and the start.
    pub(super) fn set_source(&mut self, source: MemorySource) {
        let MemorySource { campaign, save, start } = source;
        (self.campaign, self.save, self.start) = (campaign, Some(save), start);
    }

    /// Returns the settings that can change at run time.
    pub(super) fn run_time_settings(&self) -> MemorySettings {
        MemorySettings { exit_timeout: self.exit_timeout, status_interval: self.status_interval }
    }

    /// Converts these options to the options of the engine.
    pub(super) fn options(&self) -> Result<MemoryOptions, MemoryError> {
        let mut settings = match (&self.settings, &self.campaign) {
            (Some(settings), _) => settings.clone(),
            (None, Some(campaign)) => Settings::read(campaign)?,
            (None, None) => Settings::default(),
        };
        settings.policy.mode = self.mode.unwrap_or(settings.policy.mode);
        let mut options = match &self.campaign {
            Some(campaign) => MemoryOptions::with_settings(campaign, settings),
            None => {
                let share = settings.store.share;
                MemoryOptions { settings, share, ..MemoryOptions::in_memory() }
            }
        };
        options.location = match &self.save {
            Some(save) => Location::Directory(save.clone()),
            None => Location::Memory,
        };
        options.share &= self.share;
        options.queue = self.queue_capacity;
        options.waker.clone_from(&self.waker);
        Ok(options)
    }
}
