//! The plugin group of this crate.

use std::path::Path;

use bevy::{app::PluginGroupBuilder, ecs::schedule::ScheduleLabel, prelude::*};

use crate::{
    bridge::{MemoryPlugin, Start},
    diagnostics::HearsayDiagnosticsPlugin,
    events::GameEventsPlugin,
    minds::MindsPlugin,
    questions::QuestionsPlugin,
    saves::SavesPlugin,
    schedule::HearsaySchedulePlugin,
    speech::SpeechPlugin,
    sync::{SpawnPolicy, SyncPlugin},
};

/// Adds NPC memory to a game. To change the settings of a plugin, set the fields of the plugin in this struct. To leave
/// a plugin out, call `build()` on the group, and then `disable::<P>()` with the type of the plugin. Requests that need
/// this plugin then fail with [`HearsayError::PluginMissing`](crate::HearsayError::PluginMissing). All other plugins
/// still work. You can also add each plugin on its own, in any order.
///
/// | plugin | purpose |
/// |---|---|
/// | [`HearsaySchedulePlugin`] | sets the schedules and the order of all systems |
/// | [`MemoryPlugin`] | opens the memory, receives its events, closes the memory |
/// | [`SyncPlugin`] | syncs components and facts |
/// | [`GameEventsPlugin`] | records game events: lines that characters say, and facts that they tell, see or read |
/// | [`MindsPlugin`] | triggers events when characters learn facts, change their beliefs, or are allowed to tell a secret |
/// | [`QuestionsPlugin`] | sends questions and receives their replies |
/// | [`SpeechPlugin`] | lets characters answer in conversations |
/// | [`SavesPlugin`] | saves and loads slots, quick saves and autosaves |
/// | [`HearsayDiagnosticsPlugin`] | measures frame cost and queue lengths |
#[derive(Debug, Clone, Default)]
pub struct HearsayPlugins {
    /// Sets the schedules and the order of all systems.
    pub schedule: HearsaySchedulePlugin,
    /// Opens and closes the memory.
    pub memory: MemoryPlugin,
    /// Syncs components and facts.
    pub sync: SyncPlugin,
    /// Records game events: lines that characters say, and facts that they tell, see or read.
    pub game_events: GameEventsPlugin,
    /// Triggers events when characters learn facts, change their beliefs, or are allowed to tell a secret.
    pub minds: MindsPlugin,
    /// Sends questions and receives their replies.
    pub questions: QuestionsPlugin,
    /// Lets characters answer in conversations.
    pub speech: SpeechPlugin,
    /// Saves and loads slots, quick saves and autosaves.
    pub saves: SavesPlugin,
    /// Measures frame cost and queue lengths.
    pub diagnostics: HearsayDiagnosticsPlugin,
}

impl HearsayPlugins {
    /// Configures a new game that starts from the campaign directory and is saved in `save`. Earlier play in this save
    /// is reverted. The slots of earlier play remain and can be loaded.
    pub fn new_game(campaign: impl AsRef<Path>, save: impl AsRef<Path>) -> Self {
        Self::saved(campaign, save, Start::NewGame)
    }

    /// Configures a game that continues from a save. If the save is empty, the game starts from the campaign. New
    /// content of the campaign files, for example from a patch of the game, is imported without overwriting recorded
    /// play.
    pub fn new_or_continue(campaign: impl AsRef<Path>, save: impl AsRef<Path>) -> Self {
        Self::saved(campaign, save, Start::Continue)
    }

    /// Configures a game that continues from a save and does not read campaign files.
    pub fn open(save: impl AsRef<Path>) -> Self {
        let memory = MemoryPlugin { save: Some(save.as_ref().to_owned()), ..MemoryPlugin::default() };
        Self { memory, ..Self::default() }
    }

    /// Configures a game that starts from a campaign and is not saved, for demos and tests.
    pub fn unsaved(campaign: impl AsRef<Path>) -> Self {
        let memory = MemoryPlugin { campaign: Some(campaign.as_ref().to_owned()), ..MemoryPlugin::default() };
        Self { memory, ..Self::default() }
    }

    /// Configures a game with an empty memory that is not saved.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Configures a game that starts without a memory, for example with a main menu. The game opens a save with
    /// [`MemoryLifecycleCommands`](crate::MemoryLifecycleCommands).
    pub fn closed() -> Self {
        Self { memory: MemoryPlugin { open_at_start: false, ..MemoryPlugin::default() }, ..Self::default() }
    }

    fn saved(campaign: impl AsRef<Path>, save: impl AsRef<Path>, start: Start) -> Self {
        let (campaign, save) = (Some(campaign.as_ref().to_owned()), Some(save.as_ref().to_owned()));
        Self { memory: MemoryPlugin { campaign, save, start, ..MemoryPlugin::default() }, ..Self::default() }
    }

    /// Configures a dedicated server without a window. On a server, the length of a frame is less important. The plugin
    /// may therefore take 2 ms per frame, instead of 0.5 ms, to write changes of the memory to components.
    pub fn headless(mut self) -> Self {
        self.sync.budget = std::time::Duration::from_millis(2);
        self
    }

    /// Configures a game without a DM, in which nobody reviews doubtful facts. Doubtful facts therefore become claims.
    /// A character's credence in such a claim is at most the confidence of the claim. The review queue stays empty.
    pub fn autonomous(mut self) -> Self {
        self.memory.mode = Some(hearsay_commands::policy::ReviewMode::Autonomous);
        self
    }

    /// Sets the schedules in which the plugins receive answers and send changes. Default: [`PreUpdate`] and
    /// [`PostUpdate`].
    pub fn in_schedules(mut self, receive: impl ScheduleLabel, send: impl ScheduleLabel) -> Self {
        self.schedule = HearsaySchedulePlugin::new(receive, send);
        self
    }

    /// Sets [`SyncPlugin::spawn_policy`], which selects the entities of the memory that the plugin spawns.
    pub fn spawn_policy(mut self, spawn_policy: SpawnPolicy) -> Self {
        self.sync.spawn_policy = spawn_policy;
        self
    }
}

impl PluginGroup for HearsayPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(self.schedule)
            .add(self.memory)
            .add(self.sync)
            .add(self.game_events)
            .add(self.minds)
            .add(self.questions)
            .add(self.speech)
            .add(self.saves)
            .add(self.diagnostics)
    }
}
