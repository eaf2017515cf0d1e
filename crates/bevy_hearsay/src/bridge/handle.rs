//! The resource with which a game sends requests directly to the memory.

use bevy::prelude::*;
use hearsay_engine::Memory;

/// Gives direct access to the [`Memory`] of the engine. A game needs this resource only for requests for which this
/// crate has no command. Every request to [`Memory`] returns a ticket. The game polls the ticket in each frame until
/// the answer arrives.
#[derive(Resource, Default)]
pub struct NpcMemory(pub(super) Option<Memory>);

impl NpcMemory {
    /// Returns the memory, or `None` if no memory is open.
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
