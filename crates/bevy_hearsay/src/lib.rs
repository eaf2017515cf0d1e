//! NPC memory for Bevy: who knows what, who told them, and how sure they are.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod commands;
mod components;
mod diagnostics;
mod happenings;
mod memory;
mod plugins;
mod questions;
mod saves;
mod sync;
pub mod testing;

use bevy::prelude::*;

pub use commands::EntityMemoryCommands;
pub use components::{
    At, Attributes, Materialised, MemoryId, Overwrite, Present, RelatedFrom, RelatesTo, Relation, RelationOf,
    Relations, Remembered, Whereabouts,
};
pub use diagnostics::{HearsayDiagnosticsPlugin, MemoryCounts};
pub use happenings::{Deed, Earshot, HappeningsPlugin, Happens, Target, What};
pub use memory::{
    EncoderStatus, LoadProgress, MemoryChanged, MemoryPlugin, MemoryState, MemoryTrouble, NpcMemory, SecretRevealable,
    Start, memory_loading, memory_ready,
};
pub use plugins::HearsayPlugins;
pub use questions::{
    Answered, AskedOf, EntityQuestionCommands, Inquiry, MemoryCommands, Question, Questions, QuestionsPlugin, Reply,
    Unanswered,
};
pub use saves::{Autosave, SaveCommands, SavesPlugin, SlotLoaded, SlotSaved};
pub use sync::{Forgotten, GameClock, Materialise, Remember, RememberAppExt, SyncPlugin};

/// Where the plugin's systems run. [`Receive`](Self::Receive) and [`Apply`](Self::Apply) are in [`PreUpdate`],
/// [`Collect`](Self::Collect) and [`Send`](Self::Send) in [`PostUpdate`], each after the one before.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HearsaySystems {
    /// Takes what the memory answered.
    Receive,
    /// Turns it into components, within the frame's budget.
    Apply,
    /// Looks at what the game changed.
    Collect,
    /// Sends changes, happenings and questions.
    Send,
}

/// What most games need.
pub mod prelude {
    pub use hearsay_memory::{Answer, Found, Search};
    pub use hearsay_model::{Author, EntityId, Kind, Value};
    pub use hearsay_recall::{Form, SceneContext};

    pub use crate::{
        Answered, At, Attributes, Deed, Earshot, EntityMemoryCommands, EntityQuestionCommands, GameClock, Happens,
        HearsayPlugins, HearsaySystems, Inquiry, LoadProgress, Materialise, MemoryChanged, MemoryCommands, MemoryId,
        MemoryState, MemoryTrouble, Overwrite, Present, Question, Relation, Relations, Remember, RememberAppExt,
        Remembered, Reply, SaveCommands, Target, Unanswered, What, Whereabouts, memory_ready,
    };
}
