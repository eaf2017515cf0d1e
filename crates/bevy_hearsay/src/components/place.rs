//! The components for the place of an entity.

use std::fmt;

use bevy::prelude::*;
use hearsay_model::EntityId;

use super::changes::note_move;

/// The id of the place where an entity is. The place does not need to exist as a Bevy entity. To move the entity,
/// insert a new component or use [`move_to`](crate::EntityMemoryCommands::move_to).
#[derive(Component, Clone, PartialEq, Eq, Hash, Reflect)]
#[component(immutable, on_insert = note_move, on_remove = note_move)]
#[reflect(opaque)]
#[reflect(Component, Clone, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct PlaceId(pub EntityId);

impl PlaceId {
    /// Creates a place id from an id or a name. A name is converted to an id: `The Last Crumb` becomes
    /// `the-last-crumb`. If the text has no letter or digit, the id is `unnamed`. If the place does not exist, the
    /// memory refuses the move, and the plugin sends a [`MemoryErrorMessage`](crate::MemoryErrorMessage).
    pub fn new(name: impl AsRef<str>) -> Self {
        Self(EntityId::from_name_or_unnamed(name.as_ref()))
    }
}

impl From<EntityId> for PlaceId {
    fn from(id: EntityId) -> Self {
        Self(id)
    }
}

impl fmt::Debug for PlaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlaceId({})", self.0)
    }
}

/// The Bevy entity of the place where this entity is. The plugin derives this relationship from [`PlaceId`] while the
/// place exists as a Bevy entity. If the place is despawned, Bevy removes this component, but the [`PlaceId`]
/// stays.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Occupants)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct LocatedIn(pub Entity);

/// The Bevy entities at this place.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = LocatedIn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Occupants(Vec<Entity>);
