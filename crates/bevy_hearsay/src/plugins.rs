//! The plugins of this crate as one group.

use std::path::Path;

use bevy::{app::PluginGroupBuilder, prelude::*};

use crate::{
    HappeningsPlugin, HearsayDiagnosticsPlugin, Materialise, MemoryPlugin, QuestionsPlugin, SavesPlugin, Start,
    SyncPlugin,
};

/// NPC memory for a game. Every plugin is public: set its fields here, or `disable` it and add one of your own.
///
/// | plugin | what it does |
/// |---|---|
/// | [`MemoryPlugin`] | opens the memory, listens to it, closes it |
/// | [`SyncPlugin`] | components ↔ facts |
/// | [`HappeningsPlugin`] | what is said, told, seen and read |
/// | [`QuestionsPlugin`] | questions and their replies |
/// | [`SavesPlugin`] | slots, quick save, autosave |
/// | [`HearsayDiagnosticsPlugin`] | what it costs, and how much waits |
#[derive(Debug, Clone, Default)]
pub struct HearsayPlugins {
    /// Opens the memory, and closes it.
    pub memory: MemoryPlugin,
    /// Components and facts.
    pub sync: SyncPlugin,
    /// What is said, told, seen and read.
    pub happenings: HappeningsPlugin,
    /// Questions and their replies.
    pub questions: QuestionsPlugin,
    /// Slots, quick save, autosave.
    pub saves: SavesPlugin,
    /// What it costs, and how much waits.
    pub diagnostics: HearsayDiagnosticsPlugin,
}

impl HearsayPlugins {
    /// A new game: from a campaign's directory as it was written, saved in another directory. What was played in that
    /// save before is left behind; its slots remain.
    pub fn new_game(campaign: impl AsRef<Path>, save: impl AsRef<Path>) -> Self {
        Self::saved(campaign, save, Start::NewGame)
    }

    /// Goes on with a save; where it is empty, starts from the campaign. What the campaign has that is new since, such as
    /// a patch of the game brings, comes in by the rules of imports: what was played is not overwritten.
    pub fn new_or_continue(campaign: impl AsRef<Path>, save: impl AsRef<Path>) -> Self {
        Self::saved(campaign, save, Start::Continue)
    }

    /// Goes on with a save as it is, without a look at the campaign.
    pub fn open(save: impl AsRef<Path>) -> Self {
        let memory = MemoryPlugin { save: Some(save.as_ref().to_owned()), ..MemoryPlugin::default() };
        Self { memory, ..Self::default() }
    }

    /// A game from a campaign that is gone when it ends: for demos and tests.
    pub fn unsaved(campaign: impl AsRef<Path>) -> Self {
        let memory = MemoryPlugin { campaign: Some(campaign.as_ref().to_owned()), ..MemoryPlugin::default() };
        Self { memory, ..Self::default() }
    }

    /// An empty memory that is gone when the game ends.
    pub fn empty() -> Self {
        Self::default()
    }

    fn saved(campaign: impl AsRef<Path>, save: impl AsRef<Path>, start: Start) -> Self {
        let (campaign, save) = (Some(campaign.as_ref().to_owned()), Some(save.as_ref().to_owned()));
        Self { memory: MemoryPlugin { campaign, save, start, ..MemoryPlugin::default() }, ..Self::default() }
    }

    /// For a dedicated server without a window: nobody looks at its frames, so loads and imports are applied four times
    /// as fast, within 2 ms of a frame.
    pub fn headless(mut self) -> Self {
        self.sync.budget = std::time::Duration::from_millis(2);
        self
    }

    /// For a game without a DM: nobody reviews what is doubtful, so it becomes claims that are believed as far as they are
    /// sure, and no queue fills.
    pub fn autonomous(mut self) -> Self {
        self.memory.mode = Some(hearsay_memory::Mode::Autonomous);
        self
    }

    /// Sets what the plugin spawns by itself: [`SyncPlugin::materialise`].
    pub fn materialise(mut self, materialise: Materialise) -> Self {
        self.sync.materialise = materialise;
        self
    }
}

impl PluginGroup for HearsayPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(self.memory)
            .add(self.sync)
            .add(self.happenings)
            .add(self.questions)
            .add(self.saves)
            .add(self.diagnostics)
    }
}
