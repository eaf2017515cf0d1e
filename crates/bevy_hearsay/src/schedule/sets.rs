//! The system sets of the plugins.

use bevy::prelude::*;

/// System sets of the plugins. Each set runs after the previous one. In a frame without work, the plugin skips all sets
/// except [`Close`](Self::Close).
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HearsaySystems {
    /// Receives the memory's answers and events. Contains the sets of [`ReceiveSystems`].
    Receive,
    /// Writes received changes to components, for at most [`SyncSettings::budget`](crate::SyncSettings::budget) per
    /// frame.
    Apply,
    /// Sets the next [`MemoryPhase`](crate::MemoryPhase).
    Phase,
    /// Collects the game's changes of components. Contains the sets of [`CollectSystems`].
    Collect,
    /// Sends changes, game events, requests to save or load, and questions to the memory. Contains the sets of
    /// [`SendSystems`].
    Send,
    /// Closes the memory in the frame in which the game exits. This set is always in the schedule [`Last`].
    Close,
}

/// System sets in [`HearsaySystems::Receive`]. Each set runs after the previous one.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReceiveSystems {
    /// Receives a memory that was opened on another thread. If a memory is being closed, continues to close it.
    Memory,
    /// Requests the values of changed entities from the memory.
    Requests,
    /// Receives the memory's events.
    Events,
    /// Receives acknowledgements of sent changes.
    Acknowledgements,
    /// Requests and receives the list of the entities that the [`SpawnPolicy`](crate::SpawnPolicy) selects.
    Listing,
    /// Receives the requested values of entities.
    Records,
    /// Receives the outcomes of game events and session events.
    GameEvents,
    /// Triggers the events of minds, such as [`FactLearned`](crate::FactLearned).
    Minds,
    /// Receives the replies to questions.
    Questions,
    /// Receives the outcomes of saving and loading.
    Saves,
}

/// System sets in [`HearsaySystems::Collect`]. Each set runs after the previous one.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectSystems {
    /// Binds Bevy entities to entities of the memory.
    Bind,
    /// Finds [synced attributes](crate::SyncedAttribute) that the game changed.
    Attributes,
    /// Finds names that the game mutated.
    Names,
    /// Compares the components of changed entities with the values in the memory.
    Compare,
}

/// System sets in [`HearsaySystems::Send`]. Each set runs after the previous one.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SendSystems {
    /// Tells the memory which characters have the component [`WatchMind`](crate::WatchMind).
    Minds,
    /// Sends the game's changes of components.
    Changes,
    /// Sends game events and session events, after all earlier changes.
    GameEvents,
    /// Sends requests to save or load, after all earlier changes and game events. Autosaves are requested here too.
    Saves,
    /// Sends questions, after all earlier changes and game events. If the game loads a slot and asks a question in the
    /// same frame, the question gets no reply.
    Questions,
    /// Requests and receives the memory's status.
    Status,
    /// Publishes the diagnostics.
    Diagnostics,
    /// Decides whether the systems run in the next frame.
    Rest,
}

/// System sets that are skipped while there is nothing to do. Each set has one run condition for all its systems, so
/// that an idle frame is cheap.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum AwakeSystems {
    /// [`HearsaySystems::Receive`], [`HearsaySystems::Apply`] and [`HearsaySystems::Phase`].
    Receive,
    /// [`HearsaySystems::Collect`] and [`HearsaySystems::Send`].
    Send,
}
