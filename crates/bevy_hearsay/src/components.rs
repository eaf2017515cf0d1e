//! Components: the part of the memory that a game sees in its world.

use std::{collections::BTreeMap, fmt};

use bevy::prelude::*;
use hearsay_model::{EntityId, Kind, Predicate, Value};

use crate::sync::{note_change, note_move};

/// The stable id under which the memory knows this entity, such as `grimjaw-ironhand`.
///
/// An explicit id binds the entity to the entity of the campaign or save with this id. Saved values then take
/// precedence, unless [`PreferGameState`] is also present. If no entity has this id, the memory creates one. Without an
/// id (the default), the entity gets an id made from its [`Name`] and a unique suffix.
///
/// Two entities with the same id are never merged silently. The second entity is not bound, and a
/// [`MemoryErrorMessage`](crate::MemoryErrorMessage) reports this.
#[derive(Component, Clone, Default, PartialEq, Eq, Hash, Reflect)]
#[component(immutable)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct MemoryId(Option<EntityId>);

impl MemoryId {
    /// Makes an id from a name or an id. Text that is not an id is converted: `Grimjaw Ironhand` becomes
    /// `grimjaw-ironhand`. Text without a letter or digit gives no id, and the entity then gets a generated id.
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

/// Marks an entity that the memory keeps, with its kind. A game's own components can require it:
///
/// ```
/// use bevy::prelude::*;
/// use bevy_hearsay::prelude::*;
///
/// #[derive(Component)]
/// #[require(Remembered::npc())]
/// struct Blacksmith;
/// ```
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Reflect)]
#[component(immutable, on_insert = note_change)]
#[require(MemoryId)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Remembered(pub Kind);

impl Default for Remembered {
    fn default() -> Self {
        Self::npc()
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident => $kind:ident,)*) => {
        impl Remembered {
            $($(#[$doc])* pub const fn $name() -> Self { Self(Kind::$kind) })*
        }
    };
}

kinds! {
    /// A character that the game plays.
    npc => Npc,
    /// A character that a player plays.
    player => Player,
    /// A place.
    location => Location,
    /// A group with members.
    faction => Faction,
    /// The player characters as a group.
    party => Party,
    /// A thing.
    item => Item,
    /// A readable document.
    document => Document,
    /// An event in the past.
    event => Event,
    /// A task to be done.
    quest => Quest,
    /// An idea, a god or a custom.
    concept => Concept,
}

impl Remembered {
    /// Makes a kind that the game defines.
    pub fn custom(kind: &str) -> Self {
        Self(Kind::from(kind))
    }
}

/// Makes the game's values take precedence when this entity is bound to an entity of the campaign or save. Without this
/// component, saved values take precedence.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct PreferGameState;

/// The place of an entity: the id of a place, loaded or not. To move the entity, insert a new value or use
/// [`move_to`](crate::EntityMemoryCommands::move_to).
#[derive(Component, Clone, PartialEq, Eq, Hash, Reflect)]
#[component(immutable, on_insert = note_move, on_remove = note_move)]
#[reflect(opaque)]
#[reflect(Component, Clone, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct PlaceId(pub EntityId);

impl PlaceId {
    /// Makes a place id from an id or name. Returns `None` if the text has neither letter nor digit.
    pub fn at(place: impl AsRef<str>) -> Option<Self> {
        EntityId::from_name(place.as_ref()).ok().map(Self)
    }
}

impl fmt::Debug for PlaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlaceId({})", self.0)
    }
}

/// The place of an entity, as an entity. The plugin derives this relationship from [`PlaceId`] while the place is
/// loaded. Unloading the place removes the relationship and moves nobody.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Occupants)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct LocatedIn(pub Entity);

/// The loaded entities at a place.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = LocatedIn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Occupants(Vec<Entity>);

/// The attributes of an entity, with one value each, such as `occupation` and `condition`. To change an attribute, use
/// [`set_attribute`](crate::EntityMemoryCommands::set_attribute) or insert a new component.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[component(immutable, on_insert = note_change, on_remove = note_change)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Attributes(pub BTreeMap<Predicate, Value>);

impl Attributes {
    /// Returns the value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(at, _)| at.as_str() == name).map(|(_, value)| value)
    }
}

/// A relation between two entities: Grimjaw `MEMBER_OF` the guild. It is a component of an entity of its own, which
/// belongs to the subject ([`RelationOf`]). The component is a view of the memory: despawning its entity does not end
/// the relation; `leave` and `unrelate` do.
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Reflect)]
#[component(immutable)]
#[reflect(opaque)]
#[reflect(Component, Clone, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Relation {
    /// The predicate, such as `MEMBER_OF` or `OWES`.
    pub predicate: Predicate,
    /// The object, loaded or not.
    pub object: EntityId,
    /// The attitude of the subject to the object, −100 to 100.
    pub attitude: Option<i8>,
}

/// The subject of a [`Relation`]. Unloading the subject unloads its relations.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Relations)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct RelationOf(pub Entity);

/// The relations of which an entity is the subject.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = RelationOf, linked_spawn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Relations(Vec<Entity>);

/// The object of a [`Relation`] as an entity, present while the object is loaded.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = RelatedFrom)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct RelatesTo(pub Entity);

/// The loaded relations of which an entity is the object.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = RelatesTo)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct RelatedFrom(Vec<Entity>);

/// Marks an entity that the plugin spawned because of the [spawn policy](crate::SpawnPolicy). The plugin despawns the
/// entity when the policy no longer selects it.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct SpawnedByHearsay;

pub(crate) fn register(app: &mut App) {
    app.register_type::<MemoryId>()
        .register_type::<Remembered>()
        .register_type::<PreferGameState>()
        .register_type::<PlaceId>()
        .register_type::<LocatedIn>()
        .register_type::<Occupants>()
        .register_type::<Attributes>()
        .register_type::<Relation>()
        .register_type::<RelationOf>()
        .register_type::<Relations>()
        .register_type::<RelatesTo>()
        .register_type::<RelatedFrom>()
        .register_type::<SpawnedByHearsay>();
}
