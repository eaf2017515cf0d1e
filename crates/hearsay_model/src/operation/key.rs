//! Keys of the records of a state.

use serde::{Deserialize, Serialize};

use crate::{EntityId, FactId, KnowledgeId, PassageId, Reference, SessionId, SettingKey};

/// Key that identifies one record of the state.
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

impl From<Reference<'_>> for Key {
    fn from(reference: Reference) -> Self {
        match reference {
            Reference::Entity(id) => Self::Entity(id.clone()),
            Reference::Fact(id) => Self::Fact(id),
            Reference::KnowledgeEdge(id) => Self::KnowledgeEdge(id),
            Reference::Passage(id) => Self::Passage(id),
            Reference::Session(id) => Self::Session(id.clone()),
        }
    }
}
