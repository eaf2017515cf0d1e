//! Entities: people, places and things. Facts are statements about entities.

use std::{convert::Infallible, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{EntityId, slug};

/// Kind of an entity, such as NPC or location. The kind is stored as a fact (attribute `kind`), like every other
/// statement about the entity.
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
    /// The group of all player characters.
    Party,
    /// A physical object.
    Item,
    /// A text that characters can read.
    Document,
    /// An event in the world.
    Event,
    /// A task that characters can take on.
    Quest,
    /// An idea, a god or a custom.
    Concept,
    /// A kind that the campaign defines. The text is the name of the kind.
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

    /// Returns the kind as lowercase text.
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

    /// Returns the noun that sentences use for the kind: `NPC`, `player character`, `location`.
    pub fn noun(&self) -> String {
        match self {
            Self::Npc => "NPC".to_owned(),
            Self::Player => "player character".to_owned(),
            Self::Custom(name) if name == "unknown" => "entity of unknown kind".to_owned(),
            kind => kind.as_str().replace('-', " "),
        }
    }

    /// Returns whether entities of this kind act and speak. This is true for NPCs and player characters.
    pub fn is_character(&self) -> bool {
        matches!(self, Self::Npc | Self::Player)
    }

    /// Returns whether entities of this kind can know facts.
    ///
    /// Characters, groups and places can know facts. The members of a group and the residents of a place share its
    /// knowledge. Entities of a custom kind can also know facts, because they may be groups.
    pub fn can_know(&self) -> bool {
        !matches!(self, Self::Item | Self::Document | Self::Event | Self::Quest | Self::Concept)
    }

    /// Returns whether entities of this kind can speak: characters, groups, and entities of a custom kind.
    pub fn can_speak(&self) -> bool {
        self.can_know() && *self != Self::Location
    }
}

impl From<&str> for Kind {
    fn from(text: &str) -> Self {
        let word = slug(text);
        let built_in = Self::BUILT_IN.into_iter().find(|kind| kind.as_str() == word);
        built_in.unwrap_or(Self::Custom(word))
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

/// The id of an entity in another program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExternalId {
    /// The program or file format, such as `file`, `foundry` or `kanka`.
    pub system: String,
    /// The id in that program.
    pub id: String,
}

/// Entity of a campaign: its id, and its ids in other programs. All other data about the entity, including its name and
/// kind, is stored as facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// The readable, stable id.
    pub id: EntityId,
    /// The ids of the entity in other programs.
    pub external_ids: Vec<ExternalId>,
}

impl Entity {
    /// Creates an entity without external ids.
    pub fn new(id: EntityId) -> Self {
        Self { id, external_ids: Vec::new() }
    }
}
