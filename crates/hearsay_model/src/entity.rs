//! Entities: the people, places and things that facts are about.

use std::{convert::Infallible, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{EntityId, slug};

/// What an entity is. Stored as a fact (attribute `kind`), like everything else that can be known of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum Kind {
    /// A character that the DM or the game plays.
    Npc,
    /// A character that a player plays.
    Player,
    /// A place.
    Location,
    /// A group with members: a guild, a crew, a family.
    Faction,
    /// The players' characters together.
    Party,
    /// A thing.
    Item,
    /// Something that can be read.
    Document,
    /// Something that happened.
    Event,
    /// Something to be done.
    Quest,
    /// An idea, a god, a custom.
    Concept,
    /// A kind of the campaign's own.
    Custom(String),
}

impl Kind {
    /// The kinds that every campaign has.
    pub const BUILT_IN: [Self; 10] = [
        Self::Npc,
        Self::Player,
        Self::Location,
        Self::Faction,
        Self::Party,
        Self::Item,
        Self::Document,
        Self::Event,
        Self::Quest,
        Self::Concept,
    ];

    /// The kind as text: lowercase.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Npc => "npc",
            Self::Player => "player",
            Self::Location => "location",
            Self::Faction => "faction",
            Self::Party => "party",
            Self::Item => "item",
            Self::Document => "document",
            Self::Event => "event",
            Self::Quest => "quest",
            Self::Concept => "concept",
            Self::Custom(name) => name,
        }
    }

    /// Somebody who acts and speaks: an NPC or a player character.
    pub fn is_character(&self) -> bool {
        matches!(self, Self::Npc | Self::Player)
    }

    /// Whether entities of this kind can hold knowledge: characters, and the groups and places whose members and
    /// residents share it. Kinds of the campaign's own can, because they may be groups.
    pub fn can_know(&self) -> bool {
        !matches!(self, Self::Item | Self::Document | Self::Event | Self::Quest | Self::Concept)
    }
}

impl From<&str> for Kind {
    fn from(text: &str) -> Self {
        let word = slug(text);
        let known = Self::BUILT_IN.into_iter().find(|kind| kind.as_str() == word);
        known.unwrap_or(Self::Custom(word))
    }
}

impl From<String> for Kind {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> String {
        kind.as_str().to_owned()
    }
}

impl FromStr for Kind {
    type Err = Infallible;
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::from(text))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The id that another program has for an entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExternalId {
    /// The program or file format: `file`, `foundry`, `kanka`.
    pub system: String,
    /// The id there.
    pub id: String,
}

/// An entity: no more than an identity. All that is known of it, its name and kind included, are facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// The readable stable id.
    pub id: EntityId,
    /// The ids that other programs have for it.
    pub external_ids: Vec<ExternalId>,
}

impl Entity {
    /// An entity without external ids.
    pub fn new(id: EntityId) -> Self {
        Self { id, external_ids: Vec::new() }
    }
}
