//! The system sets of the plugins.

use bevy::prelude::*;

/// System sets of the plugins. Each set runs after the previous one. In a frame without work, the plugin skips all sets
/// except [`Close`](Self::Close).
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HearsaySystems {
    /// Receives the memory's answers and events. Contains the sets of [`ReceiveSystems`].
    Receive,
    /// Writes the answers to components, within [`SyncSettings::budget`](crate::SyncSettings::budget).
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
    /// Receives the opened memory. If the game requested to close the memory, continues to close it.
    Memory,
    /// Requests records from the memory. This set runs before [`Events`](Self::Events). If an event reports a changed
    /// record, the plugin therefore requests the record one frame later. By then, the plugin knows whether this game
    /// itself made the change.
    Requests,
    /// Receives the memory's events. This set runs after [`Memory`](Self::Memory), in the same frame. The first frame
    /// with an open memory therefore already has the events of the opening.
    Events,
    /// Receives acknowledgements of sent changes.
    Acknowledgements,
    /// Requests and receives the list of the entities that the [`SpawnPolicy`](crate::SpawnPolicy) selects.
    Listing,
    /// Receives the requested records.
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
    /// Finds and compares changed [synced attributes](crate::SyncedAttribute).
    Attributes,
    /// Finds names that the game mutated.
    Names,
    /// Compares changed entities with the memory's values.
    Compare,
}

/// System sets in [`HearsaySystems::Send`]. Each set runs after the previous one.
#[derive(SystemSet, Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SendSystems {
    /// Sends the filter that selects the watched minds: see [`WatchMind`](crate::WatchMind).
    Minds,
    /// Sends changes.
    Changes,
    /// Sends game events and session events, after all earlier changes.
    GameEvents,
    /// Sends requests to save or load, after all earlier changes and game events. Autosaves are requested here too.
    Saves,
    /// Sends questions, after all earlier changes and game events. This set runs after [`Saves`](Self::Saves). If the
    /// game asks a question and loads a slot in the same frame, the question therefore gets no reply.
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
