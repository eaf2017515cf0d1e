//! Knowledge: the edges from those who know to what they know.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Credence, Date, EntityId, FactId, GameTime, IdError, KnowledgeId, SessionId, text};

/// Who can know: a character, a group or place whose members and residents share what it knows, or everybody.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Knower {
    /// Everybody: common lore.
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
        text::parsed(deserializer)
    }
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
        /// From whom the teller has it, as far as the teller said so.
        #[serde(default)]
        citing: Option<EntityId>,
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
    /// Passed it on, to the edge's company. A record of whom the knower has told; it makes nobody believe anything.
    Shared,
}

impl How {
    /// Was told by somebody.
    pub fn told(by: Option<EntityId>) -> Self {
        Self::Told { by, citing: None }
    }
}

/// What an edge rests on. Where the sources of an edge fall, it falls with them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// An edge by which the teller knew what it told, or by which the knower knew what it concluded from.
    Basis {
        /// The fact of that edge. Of several edges to one fact, one is enough.
        fact: FactId,
        /// That edge.
        edge: KnowledgeId,
    },
    /// Something that the teller had told before, and that turned out to be so, or not: it moves the knower's trust.
    Experience {
        /// The edge by which it was told.
        told: KnowledgeId,
        /// The edge by which the knower saw for itself.
        seen: KnowledgeId,
        /// Whether it was so.
        held: bool,
    },
}

impl Source {
    /// The edges that it refers to.
    pub fn edges(&self) -> impl Iterator<Item = KnowledgeId> {
        let (first, second) = match self {
            Self::Basis { edge, .. } => (*edge, None),
            Self::Experience { told, seen, .. } => (*told, Some(*seen)),
        };
        std::iter::once(first).chain(second)
    }
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
    /// How much the knower believes it; where it rests on other edges, how much of their belief it takes over.
    pub credence: Credence,
    /// Whether the knower keeps it to itself.
    pub conceals: bool,
    /// The session in which it was learned.
    pub session: Option<SessionId>,
    /// Who was there too, as far as the knower noticed: those it told, where it [shared](How::Shared). Sorted, each once.
    #[serde(default)]
    pub company: Vec<EntityId>,
    /// What it rests on; nothing, when the knower is where it begins. Sorted, each once.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// The rank from which on members of the knower, a group, have it; all members, when none is named.
    #[serde(default)]
    pub rank: Option<String>,
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
            company: Vec::new(),
            sources: Vec::new(),
            rank: None,
        }
    }

    /// The id of the edge: a hash of knower, fact, the way it was learned, when, in whose company, and of the ids of what
    /// it rests on. Hearing the same thing from two people, or twice, makes two edges; and since an id can only be made
    /// of ids that are there, no edge rests on itself.
    pub fn id(&self) -> KnowledgeId {
        let how = match &self.how {
            How::Witnessed => "witnessed".to_owned(),
            How::Shared => "shared".to_owned(),
            How::Told { by, citing: None } => format!("told {}", by.as_ref().map_or("", EntityId::as_str)),
            How::Told { by, citing: Some(citing) } => {
                format!("told {} citing {citing}", by.as_ref().map_or("", EntityId::as_str))
            }
            How::Read { document } => format!("read {}", document.as_ref().map_or("", EntityId::as_str)),
            How::Authored => "authored".to_owned(),
            How::Deduced { from } => from.iter().fold("deduced".to_owned(), |how, id| format!("{how} {id}")),
        };
        let learned = self.learned.as_ref().map_or(String::new(), |date| match date.time {
            Some(GameTime(minute)) => minute.to_string(),
            None => format!("? {}", date.raw),
        });
        let fact = self.fact.as_u128().to_be_bytes();
        let mut parts = vec![self.knower.as_str().as_bytes(), &fact, how.as_bytes(), learned.as_bytes()];
        let circumstances = self.circumstances();
        if !circumstances.is_empty() {
            parts.push(circumstances.as_bytes());
        }
        KnowledgeId::of(&parts)
    }

    /// Company, sources and rank as text; empty, where there are none.
    fn circumstances(&self) -> String {
        use fmt::Write;
        let mut text = String::new();
        // Writing to a string does not fail.
        for id in &self.company {
            let _ = write!(text, "with {id};");
        }
        for source in &self.sources {
            let _ = match source {
                Source::Basis { fact, edge } => write!(text, "by {fact} {edge};"),
                Source::Experience { told, seen, held } => write!(text, "seen {told} {seen} {held};"),
            };
        }
        if let Some(rank) = &self.rank {
            let _ = write!(text, "rank {rank};");
        }
        text
    }

    /// Puts company and sources into the order that the id is made from, and leaves out what is there twice.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.company.sort();
        self.company.dedup();
        self.sources.sort();
        self.sources.dedup();
        self
    }

    /// When it was learned, as game time.
    pub fn learned_at(&self) -> Option<GameTime> {
        self.learned.as_ref().and_then(|date| date.time)
    }
}
