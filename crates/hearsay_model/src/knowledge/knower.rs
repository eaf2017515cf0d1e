//! Knowers: entities that can know facts, and the world.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{EntityId, IdError, Rename, text};

/// A knower: a character, a group, a place or the world. The members of a group and the residents of a place share its
/// knowledge. All characters know what the world knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Knower {
    /// The world. Everyone knows the facts that the world knows (*common lore*).
    World,
    /// A character, faction, party or place.
    Entity(EntityId),
}

impl Serialize for Knower {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Knower {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text::deserialize_from_str(deserializer)
    }
}

impl Knower {
    /// Returns the entity; `None` if the knower is the world.
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::World => None,
            Self::Entity(id) => Some(id),
        }
    }

    /// Uses the methods of `renaming` to replace the id of the entity. The world has no id, so it does not change.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        if let Self::Entity(id) = self {
            renaming.entity(id);
        }
    }

    /// Returns the knower as text: the id of the entity, or `*` for the world. No entity can have the id `*`.
    pub fn as_str(&self) -> &str {
        self.entity().map_or("*", EntityId::as_str)
    }
}

impl From<EntityId> for Knower {
    fn from(id: EntityId) -> Self {
        Self::Entity(id)
    }
}

impl fmt::Display for Knower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Knower {
    type Err = IdError;
    fn from_str(text: &str) -> Result<Self, IdError> {
        if text == "*" { Ok(Self::World) } else { EntityId::new(text).map(Self::Entity) }
    }
}

impl TryFrom<String> for Knower {
    type Error = IdError;
    fn try_from(text: String) -> Result<Self, IdError> {
        text.parse()
    }
}

impl From<Knower> for String {
    fn from(knower: Knower) -> String {
        knower.as_str().to_owned()
    }
}
