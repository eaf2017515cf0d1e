//! The identity of an entity: its id, its kind, and whether the plugin spawned it.

use std::fmt;

use bevy::prelude::*;
use hearsay_model::{EntityId, Kind};

use super::changes::note_change;

/// The stable id of an entity in the memory, such as `grimjaw-ironhand`.
///
/// An explicit id binds the Bevy entity to the entity with this id in the campaign or save. Saved values then take
/// precedence over the values of the game's components, unless [`PreferGameState`] is also present. If the memory has
/// no entity with this id, the plugin creates the entity in the memory. The default value contains no id. In this case,
/// the plugin makes an id from the [`Name`] of the Bevy entity and a unique suffix.
///
/// If two Bevy entities have the same id, the plugin does not bind the second entity, and sends a
/// [`MemoryErrorMessage`](crate::MemoryErrorMessage).
#[derive(Component, Clone, Default, PartialEq, Eq, Hash, Reflect)]
#[component(immutable)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct MemoryId(Option<EntityId>);

impl MemoryId {
    /// Creates a component from an id or a name. A name is converted to an id: `Grimjaw Ironhand` becomes
    /// `grimjaw-ironhand`. If the text has no letter or digit, the entity later gets a generated id.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(EntityId::from_name(text.as_ref()).ok())
    }

    /// Returns the id, or `None` while the entity has no id.
    pub fn get(&self) -> Option<&EntityId> {
        self.0.as_ref()
    }

    /// Returns the id as text. The text is empty while the entity has no id.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or("", EntityId::as_str)
    }
}

impl From<EntityId> for MemoryId {
    fn from(id: EntityId) -> Self {
        Self(Some(id))
    }
}

impl fmt::Debug for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryId({})", self.as_str())
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The kind of an entity. This component also marks the entity as part of the memory. A game's own components can
/// require this component:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_hearsay::prelude::*;
///
/// #[derive(Component)]
/// #[require(EntityKind::npc())]
/// struct Blacksmith;
/// ```
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Reflect)]
#[component(immutable, on_insert = note_change)]
#[require(MemoryId)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct EntityKind(pub Kind);

impl Default for EntityKind {
    fn default() -> Self {
        Self::npc()
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident => $kind:ident,)*) => {
        impl EntityKind {
            $($(#[$doc])* pub const fn $name() -> Self { Self(Kind::$kind) })*
        }
    };
}

kinds! {
    /// A non-player character.
    npc => Npc,
    /// A character that a player plays.
    player => Player,
    /// A place, such as a town or a room.
    location => Location,
    /// A faction: a group of characters.
    faction => Faction,
    /// A party: a group of player characters.
    party => Party,
    /// An item, such as a ledger or a sword.
    item => Item,
    /// A readable document.
    document => Document,
    /// An event in the past.
    event => Event,
    /// A quest: a task for characters.
    quest => Quest,
    /// A concept, such as an idea, a god or a tradition.
    concept => Concept,
}

impl EntityKind {
    /// Creates a component with a custom kind.
    pub fn custom(kind: &str) -> Self {
        Self(Kind::from(kind))
    }
}

/// Gives the game's values precedence over saved values when the plugin binds this entity. Without this component,
/// saved values overwrite the game's values.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct PreferGameState;

/// Marks an entity that the plugin spawned because of the [spawn policy](crate::SpawnPolicy). The plugin despawns the
/// entity when the policy no longer selects it.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct SpawnedByHearsay;
