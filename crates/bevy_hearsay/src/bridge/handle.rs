//! The engine's handle as a resource.

use bevy::prelude::*;
use hearsay_engine::Memory;

/// The engine's handle to the memory. Most games need this resource only for requests for which this crate has no
/// command. Every request to [`Memory`] returns a ticket, which the game polls in each frame.
#[derive(Resource, Default)]
pub struct NpcMemory(pub(super) Option<Memory>);

impl NpcMemory {
    /// Returns the engine's handle, or `None` before the memory is open and after it is closed.
    pub fn get(&self) -> Option<&Memory> {
        self.0.as_ref()
    }

    /// Returns whether the memory is open.
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether any event is waiting to be received.
    pub(super) fn has_events(&self) -> bool {
        self.get().is_some_and(|memory| !memory.events().is_empty())
    }
}

/// Returns whether the memory is open.
pub(crate) fn is_open(world: &World) -> bool {
    world.get_resource::<NpcMemory>().is_some_and(NpcMemory::is_open)
}
