//! Components: what a game sees of the memory in its world.

use std::{collections::BTreeMap, fmt};

use bevy::prelude::*;
use hearsay_model::{EntityId, Kind, Predicate, Value};

use crate::sync::{note_change, note_move};

/// The stable id under which the memory knows this entity, such as `grimjaw-ironhand`.
///
/// An explicit id binds the entity to the one of the campaign or save that has it; there what is saved counts, unless
/// [`Overwrite`] is there too. When there is none of this id, it is created. Without an id (the default), the entity gets
/// one made from its [`Name`] and a suffix that nothing else has.
///
/// Two entities with one id are never made one in silence: the second is not bound, and a
/// [`MemoryTrouble`](crate::MemoryTrouble) says so.
#[derive(Component, Clone, Default, PartialEq, Eq, Hash, Reflect)]
#[component(immutable)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct MemoryId(Option<EntityId>);

impl MemoryId {
    /// The id of a thing with this name, or this id: text that is no id becomes one, as `Grimjaw Ironhand` becomes
    /// `grimjaw-ironhand`. Of text without letter or digit nothing is left, and the entity gets an id of its own.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(EntityId::from_name(text.as_ref()).ok())
    }

    /// The id; none, while the entity has none yet.
    pub fn get(&self) -> Option<&EntityId> {
        self.0.as_ref()
    }

    /// The id as text; empty, while the entity has none yet.
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

/// The memory keeps this entity, as what it is. A game's own components pull it in:
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
    /// The players' characters together.
    party => Party,
    /// A thing.
    item => Item,
    /// Something that can be read.
    document => Document,
    /// Something that happened.
    event => Event,
    /// Something to be done.
    quest => Quest,
    /// An idea, a god, a custom.
    concept => Concept,
}

impl Remembered {
    /// A kind of the game's own.
    pub fn custom(kind: &str) -> Self {
        Self(Kind::from(kind))
    }
}

/// What the game says of this entity counts when it is bound to one of the campaign or save; otherwise what is saved does.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Overwrite;

/// Where an entity is: the id of a place, loaded or not. Insert it anew to move; or use
/// [`move_to`](crate::EntityMemoryCommands::move_to).
#[derive(Component, Clone, PartialEq, Eq, Hash, Reflect)]
#[component(immutable, on_insert = note_move, on_remove = note_move)]
#[reflect(opaque)]
#[reflect(Component, Clone, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Whereabouts(pub EntityId);

impl Whereabouts {
    /// At the place of this id or name; nowhere, where neither letter nor digit is left for an id.
    pub fn at(place: impl AsRef<str>) -> Option<Self> {
        EntityId::from_name(place.as_ref()).ok().map(Self)
    }
}

impl fmt::Debug for Whereabouts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Whereabouts({})", self.0)
    }
}

/// The place where an entity is, as an entity: a view of its [`Whereabouts`], there while the place is loaded. Unloading
/// the place takes it away and moves nobody.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Present)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct At(pub Entity);

/// Who and what is at a place, of what is loaded.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = At)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Present(Vec<Entity>);

/// The attributes of an entity, one value each: its `occupation`, its `condition`, and what else the campaign says. Use
/// [`set_attribute`](crate::EntityMemoryCommands::set_attribute) to change one, or insert the component anew.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[component(immutable, on_insert = note_change, on_remove = note_change)]
#[reflect(opaque)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Attributes(pub BTreeMap<Predicate, Value>);

impl Attributes {
    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(at, _)| at.as_str() == name).map(|(_, value)| value)
    }
}

/// A relation between two entities, on an entity of its own that belongs to the subject ([`RelationOf`]): Grimjaw
/// `MEMBER_OF` the guild. It is a view of what the memory holds: despawning it ends nothing; `leave` and `unrelate` do.
#[derive(Component, Clone, Debug, PartialEq, Eq, Hash, Reflect)]
#[component(immutable)]
#[reflect(opaque)]
#[reflect(Component, Clone, PartialEq, Hash, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), reflect(Serialize, Deserialize))]
pub struct Relation {
    /// What it says: `MEMBER_OF`, `OWES`.
    pub predicate: Predicate,
    /// Of whom or what, loaded or not.
    pub object: EntityId,
    /// How the subject feels about the object, −100 to 100.
    pub attitude: Option<i8>,
}

/// The subject of a [`Relation`]. When it is unloaded, its relations are too.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = Relations)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct RelationOf(pub Entity);

/// The relations of an entity to others.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = RelationOf, linked_spawn)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Relations(Vec<Entity>);

/// The object of a [`Relation`] as an entity: there while it is loaded.
#[derive(Component, Clone, Debug, PartialEq, Eq, Reflect)]
#[relationship(relationship_target = RelatedFrom)]
#[reflect(Component, Clone, PartialEq, Debug)]
pub struct RelatesTo(pub Entity);

/// The relations of others to an entity, of those that are loaded.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[relationship_target(relationship = RelatesTo)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct RelatedFrom(Vec<Entity>);

/// The plugin spawned this entity because it is [materialised](crate::Materialise), and despawns it when it is so no more.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Clone, Default, PartialEq, Debug)]
pub struct Materialised;

pub(crate) fn register(app: &mut App) {
    app.register_type::<MemoryId>()
        .register_type::<Remembered>()
        .register_type::<Overwrite>()
        .register_type::<Whereabouts>()
        .register_type::<At>()
        .register_type::<Present>()
        .register_type::<Attributes>()
        .register_type::<Relation>()
        .register_type::<RelationOf>()
        .register_type::<Relations>()
        .register_type::<RelatesTo>()
        .register_type::<RelatedFrom>()
        .register_type::<Materialised>();
}
