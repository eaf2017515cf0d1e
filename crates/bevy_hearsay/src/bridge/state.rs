//! State of the memory that the game can read.

use bevy::prelude::*;
use hearsay_engine::ModelStatus;

use super::{error::HearsayError, handle::NpcMemory};

/// Phase of the memory. This type is a Bevy state: use it with `OnEnter`, `OnExit`, `in_state` and
/// `Res<State<MemoryPhase>>`. The plugin sets the phase, so the game must not set it. With the default schedules, a new
/// phase starts before [`Update`] of the same frame: see [`HearsaySystems::Phase`](crate::HearsaySystems::Phase).
///
/// ```
/// use bevy::prelude::*;
/// use bevy_hearsay::prelude::*;
///
/// # fn spawn_level() {}
/// # let mut app = App::new();
/// app.add_systems(OnEnter(MemoryPhase::Playable), spawn_level);
/// ```
#[derive(States, Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Reflect)]
pub enum MemoryPhase {
    /// No memory is open, and no memory is being opened. The previous memory can still be closing on a separate thread.
    #[default]
    Closed,
    /// A memory is being opened: the database is opened and the campaign is read. If another memory was open, the
    /// plugin closes that memory first.
    Opening,
    /// The memory is open and answers requests. The entities that the [spawn policy](crate::SpawnPolicy) selects are
    /// being spawned, and the game's entities are being bound.
    Loading,
    /// The memory is open, all selected entities are spawned with their values, the game's entities are bound, and
    /// [`GameClock`](crate::GameClock) has the time of the save. The memory stays in this phase until it is closed,
    /// even while the game loads a slot.
    Playable,
    /// The memory could not be opened. [`MemoryFailure`] has the reason. The game continues without a memory.
    Failed,
}

/// Reason why the plugin could not open the memory. This resource exists in the phase [`MemoryPhase::Failed`]. You can
/// show the text of the error to the user.
#[derive(Resource, Debug, Clone)]
pub struct MemoryFailure(pub HearsayError);

/// Progress of loading. The plugin first opens the memory, then imports the campaign, and then loads the entities that
/// the [spawn policy](crate::SpawnPolicy) selects.
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

/// Run condition: the memory is open and answers requests. The phase is [`MemoryPhase::Loading`] or
/// [`MemoryPhase::Playable`]. To wait until all entities are loaded, use `in_state(MemoryPhase::Playable)`.
pub fn memory_ready(memory: Option<Res<NpcMemory>>) -> bool {
    memory.is_some_and(|memory| memory.is_open())
}

/// Run condition: the memory is being opened, or its entities are being loaded. The phase is [`MemoryPhase::Opening`]
/// or [`MemoryPhase::Loading`].
pub fn memory_loading(phase: Option<Res<State<MemoryPhase>>>) -> bool {
    phase.is_some_and(|phase| matches!(phase.get(), MemoryPhase::Opening | MemoryPhase::Loading))
}

/// Status of the sentence encoder. Without the encoder, search uses only keywords and the graph.
#[derive(Resource, Debug, Clone, PartialEq, Eq)]
pub struct EncoderStatus(pub ModelStatus);
