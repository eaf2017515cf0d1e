//! The plugin group of this crate.

use std::path::Path;

use bevy::{app::PluginGroupBuilder, prelude::*};

use crate::{
    GameEventsPlugin, HearsayDiagnosticsPlugin, MemoryPlugin, QuestionsPlugin, SavesPlugin, SpawnPolicy, Start,
    SyncPlugin,
};

/// NPC memory for a game. Every plugin is public: set its fields here, or `disable` it and add your own plugin.
///
/// | plugin | purpose |
/// |---|---|
/// | [`MemoryPlugin`] | opens the memory, listens to it, closes it |
/// | [`SyncPlugin`] | syncs components and facts |
/// | [`GameEventsPlugin`] | game events: lines said, facts told, seen and read |
/// | [`QuestionsPlugin`] | questions and their replies |
/// | [`SavesPlugin`] | slots, quick save, autosave |
/// | [`HearsayDiagnosticsPlugin`] | frame cost and queue lengths |
#[derive(Debug, Clone, Default)]
pub struct HearsayPlugins {
    /// Opens and closes the memory.
    pub memory: MemoryPlugin,
    /// Syncs components and facts.
    pub sync: SyncPlugin,
    /// Records game events: lines said, facts told, seen and read.
    pub game_events: GameEventsPlugin,
    /// Sends questions and takes their replies.
    pub questions: QuestionsPlugin,
    /// Slots, quick save and autosave.
    pub saves: SavesPlugin,
    /// Frame cost and queue lengths.
    pub diagnostics: HearsayDiagnosticsPlugin,
}

impl HearsayPlugins {
    /// A new game, saved in `save`, that starts from the campaign directory as it was written. Earlier play in this
    /// save is abandoned; its slots remain.
    pub fn new_game(campaign: impl AsRef<Path>, save: impl AsRef<Path>) -> Self {
        Self::saved(campaign, save, Start::NewGame)
    }

    /// A game that continues from a save, or starts from the campaign if the save is empty. New content of the
    /// campaign, for example from a patch of the game, is imported by the rules of imports: recorded play is not
    /// overwritten.
    pub fn new_or_continue(campaign: impl AsRef<Path>, save: impl AsRef<Path>) -> Self {
        Self::saved(campaign, save, Start::Continue)
    }

    /// A game that continues from a save without reading the campaign.
    pub fn open(save: impl AsRef<Path>) -> Self {
        let memory = MemoryPlugin { save: Some(save.as_ref().to_owned()), ..MemoryPlugin::default() };
        Self { memory, ..Self::default() }
    }

    /// A game from a campaign that is not saved, for demos and tests.
    pub fn unsaved(campaign: impl AsRef<Path>) -> Self {
        let memory = MemoryPlugin { campaign: Some(campaign.as_ref().to_owned()), ..MemoryPlugin::default() };
        Self { memory, ..Self::default() }
    }

    /// An empty memory that is not saved.
    pub fn empty() -> Self {
        Self::default()
    }

    fn saved(campaign: impl AsRef<Path>, save: impl AsRef<Path>, start: Start) -> Self {
        let (campaign, save) = (Some(campaign.as_ref().to_owned()), Some(save.as_ref().to_owned()));
        Self { memory: MemoryPlugin { campaign, save, start, ..MemoryPlugin::default() }, ..Self::default() }
    }

    /// Configures a dedicated server without a window. Nobody sees its frames, so loads and imports get four times the
    /// default budget: 2 ms per frame.
    pub fn headless(mut self) -> Self {
        self.sync.budget = std::time::Duration::from_millis(2);
        self
    }

    /// Configures a game without a DM. Nobody reviews doubtful facts, so they become claims with a credence that
    /// follows from their confidence, and no review queue fills.
    pub fn autonomous(mut self) -> Self {
        self.memory.mode = Some(hearsay_memory::Mode::Autonomous);
        self
    }

    /// Sets which entities the plugin spawns: [`SyncPlugin::spawn_policy`].
    pub fn spawn_policy(mut self, spawn_policy: SpawnPolicy) -> Self {
        self.sync.spawn_policy = spawn_policy;
        self
    }
}

impl PluginGroup for HearsayPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(self.memory)
            .add(self.sync)
            .add(self.game_events)
            .add(self.questions)
            .add(self.saves)
            .add(self.diagnostics)
    }
}
