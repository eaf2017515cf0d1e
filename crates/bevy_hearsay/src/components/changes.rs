//! Records which entities the game changed.

use bevy::{
    ecs::{lifecycle::HookContext, world::DeferredWorld},
    prelude::*,
};

/// Entities that may differ from the memory and have not been compared yet.
#[derive(Resource, Default)]
pub(crate) struct ChangedEntities {
    /// Entities that may have moved since the last comparison.
    pub(crate) moved: Vec<Entity>,
    /// Entities in which a field other than the place may have changed.
    pub(crate) dirty: Vec<Entity>,
    /// Entities that have a [`MemoryId`](super::MemoryId) but are not bound to the memory yet.
    pub(crate) unbound: Vec<Entity>,
}

impl ChangedEntities {
    /// Returns whether no entity needs to be compared or bound.
    pub(crate) fn is_empty(&self) -> bool {
        self.moved.is_empty() && self.dirty.is_empty() && self.unbound.is_empty()
    }
}

/// Component hook: records that the place of an entity changed.
pub(super) fn note_move(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut changed) = world.get_resource_mut::<ChangedEntities>() {
        changed.moved.push(context.entity);
    }
}

/// Component hook: records that a synced component other than the place changed.
pub(super) fn note_change(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut changed) = world.get_resource_mut::<ChangedEntities>() {
        changed.dirty.push(context.entity);
    }
}
