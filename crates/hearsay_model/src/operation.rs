//! Operations: the unit of change.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    Date, Entity, EntityId, Fact, FactId, FactStatus, KnowledgeEdge, KnowledgeId, Passage, PassageId, Position,
    Secrecy, Session, SessionId, Setting, SettingKey, Value,
};

/// Milliseconds since 1970-01-01 00:00 UTC, by the real clock. Shown to people; no answer depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// Author of an operation. Undo works per author.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The person who runs the game. The DM's statements are canon.
    Dm,
    /// The game.
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
    /// Adds an entity. Adding an entity again replaces its external ids.
    AddEntity(Entity),
    /// Removes an entity and every statement about it.
    RemoveEntity(EntityId),
    /// Records a fact. Asserting a fact again restores it as it was first recorded.
    AssertFact(#[serde(deserialize_with = "in_arc")] Arc<Fact>),
    /// Closes the validity interval of a fact: it no longer holds.
    EndFact {
        /// The fact.
        fact: FactId,
        /// The end of the interval.
        until: Date,
    },
    /// Changes the status of a fact.
    SetStatus {
        /// The fact.
        fact: FactId,
        /// The new status.
        status: FactStatus,
    },
    /// Changes the secrecy of a fact.
    SetSecrecy {
        /// The fact.
        fact: FactId,
        /// The new secrecy.
        secrecy: Secrecy,
    },
    /// Records that the DM confirms a fact.
    Confirm(FactId),
    /// Retracts a fact that was never true. All knowers lose it.
    RetractFact(FactId),
    /// Adds a knowledge edge.
    Learn(#[serde(deserialize_with = "in_arc")] Arc<KnowledgeEdge>),
    /// Removes a knowledge edge: the knower never learned the fact in this way.
    Unlearn(KnowledgeId),
    /// Adds a passage.
    AddPassage(#[serde(deserialize_with = "in_arc")] Arc<Passage>),
    /// Removes a passage.
    RemovePassage(PassageId),
    /// Adds or replaces a session.
    SetSession(Session),
    /// Removes a session. Its passages and facts remain.
    RemoveSession(SessionId),
    /// Sets a setting of the campaign.
    Set(Setting),
    /// Reverts an earlier operation.
    Revert(Position),
    /// Reverts all operations after this position, so that the state equals the state at the position.
    Restore(Position),
    /// Changes the value of a declared flag. The new value has the same kind as the old one.
    SetFlag {
        /// The name of the flag.
        name: String,
        /// The new value.
        value: Value,
    },
    /// Removes a setting, as if it had never been set.
    Unset(SettingKey),
    /// Saves the current state under a name, to return to with [`Restore`](Self::Restore). Undo does not affect slots:
    /// see [`State::slots`](crate::State::slots).
    SaveSlot(String),
    /// Drops the slot of this name.
    DropSlot(String),
    /// Records that a source states a fact again. The fact gains the evidence, and the higher of both confidences. An
    /// unknown fact is recorded; a retracted fact stays retracted.
    Support(#[serde(deserialize_with = "in_arc")] Arc<Fact>),
}

/// Deserializes a record directly into an `Arc`. The implementation in serde builds a `Box` first and copies it.
fn in_arc<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error> {
    T::deserialize(deserializer).map(Arc::new)
}

impl Change {
    /// Returns the key that the change writes to; `None` for changes of operations and slots.
    pub fn key(&self) -> Option<Key> {
        Some(match self {
            Self::AddEntity(entity) => Key::Entity(entity.id.clone()),
            Self::RemoveEntity(id) => Key::Entity(id.clone()),
            Self::AssertFact(fact) | Self::Support(fact) => Key::Fact(fact.id()),
            Self::EndFact { fact, .. }
            | Self::SetStatus { fact, .. }
            | Self::SetSecrecy { fact, .. }
            | Self::Confirm(fact)
            | Self::RetractFact(fact) => Key::Fact(*fact),
            Self::Learn(knowledge) => Key::KnowledgeEdge(knowledge.id()),
            Self::Unlearn(id) => Key::KnowledgeEdge(*id),
            Self::AddPassage(passage) => Key::Passage(passage.id()),
            Self::RemovePassage(id) => Key::Passage(*id),
            Self::SetSession(session) => Key::Session(session.id.clone()),
            Self::RemoveSession(id) => Key::Session(id.clone()),
            Self::Set(setting) => Key::Setting(setting.key()),
            Self::SetFlag { name, .. } => Key::Setting(SettingKey::Flag(name.clone())),
            Self::Unset(key) => Key::Setting(key.clone()),
            Self::Revert(_) | Self::Restore(_) | Self::SaveSlot(_) | Self::DropSlot(_) => return None,
        })
    }
}

/// Key of a record of the state.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// An entity.
    Entity(EntityId),
    /// A fact.
    Fact(FactId),
    /// A knowledge edge.
    KnowledgeEdge(KnowledgeId),
    /// A passage.
    Passage(PassageId),
    /// A session.
    Session(SessionId),
    /// A setting.
    Setting(SettingKey),
}

/// Unit of change. All changes of an operation are applied, or none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// The author of the operation.
    pub author: Author,
    /// The time of the operation, by the real clock.
    pub recorded: Timestamp,
    /// Summary for people, in a few words.
    pub summary: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

impl Operation {
    /// Creates an operation with timestamp zero. The committing code sets the timestamp.
    pub fn new(author: Author, summary: impl Into<String>, changes: Vec<Change>) -> Self {
        Self { author, recorded: Timestamp::default(), summary: summary.into(), changes }
    }
}
