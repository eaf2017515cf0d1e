//! Knowledge: the edges from those who know to what they know.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{Credence, Date, EntityId, FactId, GameTime, IdError, KnowledgeId, SessionId};

/// Who can know: a character, a group or place whose members and residents share what it knows, or everybody.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Knower {
    /// Everybody: common lore.
    World,
    /// A character, faction, party or place.
    Entity(EntityId),
}

impl Knower {
    /// The entity, unless it is the world.
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::World => None,
            Self::Entity(id) => Some(id),
        }
    }

    /// The knower as text: an id, or `*` for the world (which no id can be).
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

/// How a knower came to know.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Was there and saw it.
    Witnessed,
    /// Was told; by whom, where that is known.
    Told {
        /// Who told it; `None` for talk of the town.
        by: Option<EntityId>,
    },
    /// Read it.
    Read {
        /// Which document; `None` when it does not matter.
        document: Option<EntityId>,
    },
    /// Knows it because the campaign says so.
    Authored,
    /// Concluded it from other facts.
    Deduced {
        /// The facts it follows from.
        from: Vec<FactId>,
    },
}

/// An edge knower → fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Knowledge {
    /// Who knows.
    pub knower: Knower,
    /// What is known.
    pub fact: FactId,
    /// How it was learned.
    pub how: How,
    /// When it was learned, in game time; since ever, when there is none.
    pub learned: Option<Date>,
    /// How much the knower believes it.
    pub credence: Credence,
    /// Whether the knower keeps it to itself.
    pub conceals: bool,
    /// The session in which it was learned.
    pub session: Option<SessionId>,
}

impl Knowledge {
    /// An edge that the campaign states: known since ever, fully believed, freely told.
    pub fn authored(knower: Knower, fact: FactId) -> Self {
        Self {
            knower,
            fact,
            how: How::Authored,
            learned: None,
            credence: Credence::FULL,
            conceals: false,
            session: None,
        }
    }

    /// The id of the edge: a hash of knower, fact, the way it was learned and when. Hearing the same thing from two
    /// people, or twice, makes two edges.
    pub fn id(&self) -> KnowledgeId {
        let how = match &self.how {
            How::Witnessed => "witnessed".to_owned(),
            How::Told { by } => format!("told {}", by.as_ref().map_or("", EntityId::as_str)),
            How::Read { document } => format!("read {}", document.as_ref().map_or("", EntityId::as_str)),
            How::Authored => "authored".to_owned(),
            How::Deduced { from } => from.iter().fold("deduced".to_owned(), |how, id| format!("{how} {id}")),
        };
        let learned = self.learned.as_ref().map_or(String::new(), |date| match date.time {
            Some(GameTime(minute)) => minute.to_string(),
            None => format!("? {}", date.raw),
        });
        KnowledgeId::of(&[
            self.knower.as_str().as_bytes(),
            &self.fact.as_u128().to_be_bytes(),
            how.as_bytes(),
            learned.as_bytes(),
        ])
    }

    /// When it was learned, as game time.
    pub fn learned_at(&self) -> Option<GameTime> {
        self.learned.as_ref().and_then(|date| date.time)
    }
}
