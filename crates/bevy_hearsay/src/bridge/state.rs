//! State of the memory that the game can read.

use bevy::prelude::*;
use hearsay_engine::ModelStatus;

/// State of the memory. The run conditions [`memory_ready`] and [`memory_loading`] read this resource.
#[derive(Resource, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub enum MemoryState {
    /// The memory is being opened: the database is opened and the campaign is read. [`LoadProgress`] shows the
    /// progress.
    #[default]
    Loading,
    /// The memory is open and answers requests.
    Ready,
    /// The memory could not be opened. The text is the reason, for display to the user. The game continues without a
    /// memory, and game events are not recorded.
    Failed(String),
    /// The memory was closed.
    Closed,
}

/// Progress of loading. The memory is first opened, then the campaign is imported, and then the entities that the
/// [spawn policy](crate::SpawnPolicy) selects are loaded.
#[derive(Resource, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct LoadProgress {
    /// The current stage of loading, for display: `opening the save`, `reading the campaign`, `loading entities`. Empty
    /// when loading is complete.
    pub stage: String,
    /// Number of entities that are already loaded.
    pub done: usize,
    /// Total number of entities to load. The number can grow while entities are loaded.
    pub total: usize,
}

/// Run condition: the memory is open and answers requests.
pub fn memory_ready(state: Option<Res<MemoryState>>) -> bool {
    state.is_some_and(|state| *state == MemoryState::Ready)
}

/// Run condition: the memory is being opened.
pub fn memory_loading(state: Option<Res<MemoryState>>) -> bool {
    state.is_some_and(|state| *state == MemoryState::Loading)
}

/// Status of the sentence encoder. Without the encoder, search uses only keywords and the graph.
#[derive(Resource, Debug, Clone, PartialEq, Eq)]
pub struct EncoderStatus(pub ModelStatus);
