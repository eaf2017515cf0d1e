//! Operations: the unit of change.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    Date, Entity, EntityId, Fact, FactId, Knowledge, KnowledgeId, Passage, PassageId, Position, Secrecy, Session,
    SessionId, Setting, SettingKey, Standing, Value,
};

/// Milliseconds since 1970-01-01 00:00 UTC, by the real clock. Shown to people; no answer depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// Who changes the state. Undo works per author.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person who runs the game. Their word is canon.
    Dm,
    /// The game itself.
    Game,
    /// A player, by name.
    Player(String),
    /// An import, by the name of its source.
    Importer(String),
    /// Extraction from text.
    Extractor,
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dm => f.write_str("DM"),
            Self::Game => f.write_str("game"),
            Self::Player(name) => write!(f, "player {name}"),
            Self::Importer(source) => write!(f, "import of {source}"),
            Self::Extractor => f.write_str("extractor"),
        }
    }
}

/// One change within an [`Operation`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// An entity exists. Adding it again replaces its external ids.
    AddEntity(Entity),
    /// An entity exists no more, nor anything said of it.
    RemoveEntity(EntityId),
    /// A fact is recorded. Asserting it again brings it back as it was first said.
    AssertFact(#[serde(deserialize_with = "in_arc")] Arc<Fact>),
    /// A fact holds no longer: its interval is closed.
    EndFact {
        /// The fact.
        fact: FactId,
        /// Since when.
        until: Date,
    },
    /// What the world says of a fact changes.
    SetStanding {
        /// The fact.
        fact: FactId,
        /// What the world says now.
        standing: Standing,
    },
    /// How a fact is meant to be kept changes.
    SetSecrecy {
        /// The fact.
        fact: FactId,
        /// How it is kept now.
        secrecy: Secrecy,
    },
    /// The DM confirms a fact.
    Confirm(FactId),
    /// A fact was never so: it is withdrawn from everyone.
    RetractFact(FactId),
    /// Somebody knows a fact.
    Learn(#[serde(deserialize_with = "in_arc")] Arc<Knowledge>),
    /// Somebody does not know a fact in this way, and never did.
    Unlearn(KnowledgeId),
    /// A text is recorded.
    AddPassage(#[serde(deserialize_with = "in_arc")] Arc<Passage>),
    /// A text is withdrawn.
    RemovePassage(PassageId),
    /// A session is recorded, or recorded anew.
    SetSession(Session),
    /// A session is withdrawn. Its passages and facts are not.
    RemoveSession(SessionId),
    /// A setting of the campaign.
    Set(Setting),
    /// An earlier operation does not count.
    Void(Position),
    /// No operation after this position counts: the state is again what it was there.
    Restore(Position),
    /// A flag that is declared has another value, of the same kind.
    SetFlag {
        /// Its name.
        name: String,
        /// Its value now.
        value: Value,
    },
    /// A setting is withdrawn: it is as if it had never been set.
    Unset(SettingKey),
    /// The state as it is here is kept under a name, to go back to with [`Restore`](Self::Restore). Undoing does not
    /// reach it: see [`State::slots`](crate::State::slots).
    SaveSlot(String),
    /// A name under which a state was kept is given up.
    DropSlot(String),
    /// A source says again what a fact says: the fact gains its evidence, and the surer confidence of both. A fact that
    /// is not there is recorded; one that was retracted stays away.
    Support(#[serde(deserialize_with = "in_arc")] Arc<Fact>),
}

/// Reads a record into its place. Serde's own way for an `Arc` makes a box first and copies it.
fn in_arc<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error> {
    T::deserialize(deserializer).map(Arc::new)
}

impl Change {
    /// What the change writes to; nothing, when it works on operations or on slots.
    pub fn key(&self) -> Option<Key> {
        Some(match self {
            Self::AddEntity(entity) => Key::Entity(entity.id.clone()),
            Self::RemoveEntity(id) => Key::Entity(id.clone()),
            Self::AssertFact(fact) | Self::Support(fact) => Key::Fact(fact.id()),
            Self::EndFact { fact, .. }
            | Self::SetStanding { fact, .. }
            | Self::SetSecrecy { fact, .. }
            | Self::Confirm(fact)
            | Self::RetractFact(fact) => Key::Fact(*fact),
            Self::Learn(knowledge) => Key::Knowledge(knowledge.id()),
            Self::Unlearn(id) => Key::Knowledge(*id),
            Self::AddPassage(passage) => Key::Passage(passage.id()),
            Self::RemovePassage(id) => Key::Passage(*id),
            Self::SetSession(session) => Key::Session(session.id.clone()),
            Self::RemoveSession(id) => Key::Session(id.clone()),
            Self::Set(setting) => Key::Setting(setting.key()),
            Self::SetFlag { name, .. } => Key::Setting(SettingKey::Flag(name.clone())),
            Self::Unset(key) => Key::Setting(key.clone()),
            Self::Void(_) | Self::Restore(_) | Self::SaveSlot(_) | Self::DropSlot(_) => return None,
        })
    }
}

/// A record of the state, by its id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// An entity.
    Entity(EntityId),
    /// A fact.
    Fact(FactId),
    /// An edge of knowledge.
    Knowledge(KnowledgeId),
    /// A passage.
    Passage(PassageId),
    /// A session.
    Session(SessionId),
    /// A setting.
    Setting(SettingKey),
}

/// The unit of change: all of it counts, or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Who changes the state.
    pub author: Author,
    /// When, by the real clock.
    pub recorded: Timestamp,
    /// What it does, in a few words for people.
    pub summary: String,
    /// What it does.
    pub changes: Vec<Change>,
}

impl Operation {
    /// An operation, recorded at the beginning of time; whoever commits it sets the clock.
    pub fn new(author: Author, summary: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { author, recorded: Timestamp::default(), summary: summary.into(), changes }
    }
}
