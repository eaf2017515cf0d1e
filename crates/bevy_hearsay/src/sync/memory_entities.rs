//! Finds the Bevy entity of an id, and the id of a Bevy entity.

use bevy::{ecs::system::SystemParam, prelude::*};
use hearsay_model::EntityId;

use super::registry::Registry;
use crate::components::MemoryId;

/// System parameter that finds the Bevy entity of an [`EntityId`], and the id of a Bevy entity.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_hearsay::prelude::*;
///
/// fn report_speaker(answered: On<Answered>, replies: Query<&Reply<Answer>>, entities: MemoryEntities) {
///     let Ok(Reply(answer)) = replies.get(answered.entity) else { return };
///     if let Some(speaker) = entities.entity(&answer.context.speaker) {
///         info!("{speaker} answers");
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct MemoryEntities<'w, 's> {
    registry: Option<Res<'w, Registry>>,
    ids: Query<'w, 's, &'static MemoryId>,
}

impl MemoryEntities<'_, '_> {
    /// Returns the Bevy entity that is bound to an id. Returns `None` if the entity is not spawned or not bound yet.
    pub fn entity(&self, id: &EntityId) -> Option<Entity> {
        self.registry.as_ref()?.entity(id)
    }

    /// Returns the id of a Bevy entity. Returns `None` if the entity has no [`MemoryId`], or if the plugin has not yet
    /// set the id.
    pub fn id(&self, entity: Entity) -> Option<&EntityId> {
        self.ids.get(entity).ok()?.get()
    }
}
