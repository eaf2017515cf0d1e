//! Knowledge: the edges from knowers to the facts that they know.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Credence, Date, EntityId, FactId, GameTime, IdError, KnowledgeId, SessionId, text};

/// A knower: a character, a group or place whose members and residents share its knowledge, or everyone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Knower {
    /// Everyone: common lore.
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
    /// Returns the entity, unless the knower is the world.
    pub fn entity(&self) -> Option<&EntityId> {
        match self {
            Self::World => None,
            Self::Entity(id) => Some(id),
        }
    }

    /// Returns the knower as text: an id, or `*` for the world. `*` is never a valid id.
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

/// How a knower acquired a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acquisition {
    /// The knower was present and saw it.
    Witnessed,
    /// The knower was told.
    Told {
        /// The teller; `None` for talk of the town.
        by: Option<EntityId>,
        /// The source that the teller named, if it named one.
        #[serde(default)]
        citing: Option<EntityId>,
    },
    /// The knower read it.
    Read {
        /// The document; `None` if it does not matter.
        document: Option<EntityId>,
    },
    /// The campaign states that the knower knows it.
    Authored,
    /// The knower deduced it from other facts.
    Deduced {
        /// The facts that it was deduced from.
        from: Vec<FactId>,
    },
    /// The knower passed the fact on to the entities in [`KnowledgeEdge::co_present`]. The edge only records who was
    /// told; it gives no credence to any knower.
    Shared,
}

impl Acquisition {
    /// Creates [`Self::Told`] without a cited source.
    pub fn told(by: Option<EntityId>) -> Self {
        Self::Told { by, citing: None }
    }
}

/// Support of an edge: other edges that it depends on. The edge becomes inactive when its justifications do.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Justification {
    /// An edge by which the teller knew the fact, or by which the knower knew a premise of its deduction.
    Basis {
        /// The fact of that edge. If several edges to one fact are listed, one active edge is enough.
        fact: FactId,
        /// The edge.
        edge: KnowledgeId,
    },
    /// An earlier statement of the teller that the knower saw confirmed or disproved. It changes the knower's trust in
    /// the teller.
    Experience {
        /// The edge by which the knower was told.
        told: KnowledgeId,
        /// The edge by which the knower saw for itself.
        seen: KnowledgeId,
        /// Whether the statement was true.
        held: bool,
    },
}

impl Justification {
    /// Returns the edges that the justification refers to.
    pub fn edges(&self) -> impl Iterator<Item = KnowledgeId> {
        let (first, second) = match self {
            Self::Basis { edge, .. } => (*edge, None),
            Self::Experience { told, seen, .. } => (*told, Some(*seen)),
        };
        std::iter::once(first).chain(second)
    }
}

/// Edge from a knower to a fact that it knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnowledgeEdge {
    /// The knower.
    pub knower: Knower,
    /// The fact.
    pub fact: FactId,
    /// How the knower acquired the fact.
    pub acquisition: Acquisition,
    /// When the knower learned the fact, in game time; `None` means since ever.
    pub learned: Option<Date>,
    /// How much the knower believes the fact. For an edge that depends on other edges: how much of their credence it
    /// takes over.
    pub credence: Credence,
    /// Whether the knower keeps the fact to itself.
    pub conceals: bool,
    /// The session in which the knower learned the fact.
    pub session: Option<SessionId>,
    /// Others present when the fact was learned, as far as the knower noticed them. For a [shared](Acquisition::Shared)
    /// fact: the entities that the knower told. Sorted and unique.
    #[serde(default)]
    pub co_present: Vec<EntityId>,
    /// The justifications of the edge; empty if the knowledge begins with the knower. Sorted and unique.
    #[serde(default)]
    pub sources: Vec<Justification>,
    /// The lowest rank at which members of the knower, a group, know the fact; `None` for all members.
    #[serde(default)]
    pub rank: Option<String>,
}

impl KnowledgeEdge {
    /// Creates an edge that the campaign states: known since ever, fully believed, not concealed.
    pub fn authored(knower: Knower, fact: FactId) -> Self {
        Self {
            knower,
            fact,
            acquisition: Acquisition::Authored,
            learned: None,
            credence: Credence::FULL,
            conceals: false,
            session: None,
            co_present: Vec::new(),
            sources: Vec::new(),
            rank: None,
        }
    }

    /// Returns the id of the edge: a hash of knower, fact, acquisition, time, entities present, justifications and
    /// rank.
    ///
    /// A fact that is heard from two people, or twice, gives two edges. The justifications are part of the hash, so an
    /// edge can only depend on edges that exist already. No edge depends on itself.
    pub fn id(&self) -> KnowledgeId {
        let acquisition = match &self.acquisition {
            Acquisition::Witnessed => "witnessed".to_owned(),
            Acquisition::Shared => "shared".to_owned(),
            Acquisition::Told { by, citing: None } => format!("told {}", by.as_ref().map_or("", EntityId::as_str)),
            Acquisition::Told { by, citing: Some(citing) } => {
                format!("told {} citing {citing}", by.as_ref().map_or("", EntityId::as_str))
            }
            Acquisition::Read { document } => format!("read {}", document.as_ref().map_or("", EntityId::as_str)),
            Acquisition::Authored => "authored".to_owned(),
            Acquisition::Deduced { from } => {
                from.iter().fold("deduced".to_owned(), |acquisition, id| format!("{acquisition} {id}"))
            }
        };
        let learned = self.learned.as_ref().map_or(String::new(), |date| match date.time {
            Some(GameTime(minute)) => minute.to_string(),
            None => format!("? {}", date.raw),
        });
        let fact = self.fact.as_u128().to_be_bytes();
        let mut parts = vec![self.knower.as_str().as_bytes(), &fact, acquisition.as_bytes(), learned.as_bytes()];
        let circumstances = self.circumstances();
        if !circumstances.is_empty() {
            parts.push(circumstances.as_bytes());
        }
        KnowledgeId::of(&parts)
    }

    /// Returns entities present, justifications and rank as text; empty if there are none.
    fn circumstances(&self) -> String {
        use fmt::Write;
        let mut text = String::new();
        // Writing to a string does not fail.
        for id in &self.co_present {
            let _ = write!(text, "with {id};");
        }
        for source in &self.sources {
            let _ = match source {
                Justification::Basis { fact, edge } => write!(text, "by {fact} {edge};"),
                Justification::Experience { told, seen, held } => write!(text, "seen {told} {seen} {held};"),
            };
        }
        if let Some(rank) = &self.rank {
            let _ = write!(text, "rank {rank};");
        }
        text
    }

    /// Sorts and deduplicates the entities present and the justifications. The id is computed from this order.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.co_present.sort();
        self.co_present.dedup();
        self.sources.sort();
        self.sources.dedup();
        self
    }

    /// Returns when the knower learned the fact, as game time.
    pub fn learned_at(&self) -> Option<GameTime> {
        self.learned.as_ref().and_then(|date| date.time)
    }
}
