//! Parts of game events: stated facts, distorted versions of facts, and circumstances.

use hearsay_model::{EntityId, FactId, Object, SessionId};
use serde::{Deserialize, Serialize};

/// A fact in a game event: a recorded fact, or a new fact.
///
/// If a character states a new fact, and already knows a fact with the same content, the event uses the known fact
/// instead of the new fact. If a liar repeats a fact that the liar made up, the event uses this fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// A recorded fact.
    Recorded(FactId),
    /// A new fact in the form of a sentence about an entity.
    Lore {
        /// Entity that the sentence is about.
        about: EntityId,
        /// Text of the sentence.
        text: String,
    },
    /// A new fact that states a relation or an attribute.
    Parts {
        /// Subject of the fact.
        subject: EntityId,
        /// Predicate: a relation, such as `OWES` or `owes`, or an attribute, such as `occupation`.
        predicate: String,
        /// Object: an entity for a relation, a value for an attribute.
        object: Object,
        /// Sentence that states a new fact. Default: a sentence that is generated from the phrase of the predicate.
        statement: Option<String>,
    },
}

/// A distorted version of a fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retelling {
    /// Sentence that states the distorted version. Default if `object` is set: generated from the predicate's phrase.
    pub statement: Option<String>,
    /// Object of the distorted version: an entity for a relation, a value for an attribute. Without an object, the
    /// distorted version differs from the fact only in its sentence.
    pub object: Option<Object>,
}

/// Place, time and session of a game event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// Place of the event.
    pub place: Option<EntityId>,
    /// Game time of the event. Default: the end of the given session. If no session is given, the default is the later
    /// of two times: the game clock, and the time of the log of the session being played.
    pub time: Option<String>,
    /// Session in which the event happens. Default: the session being played.
    pub session: Option<SessionId>,
}

/// The characters that hear or see a game event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hearers {
    /// The characters present. The speaker is not included.
    ///
    /// If the event belongs to the session being played and happens at the place of the scene, the hearers are the
    /// attending characters and the non-player characters at this place. The same rule applies to a line of the log.
    /// Otherwise, and for every event of a game, the hearers are the characters at the place of the event. If the event
    /// has no place, the hearers are the characters at the place of the speaker.
    #[default]
    AtPlace,
    /// Only these characters. If the list is empty, nobody hears or sees the event.
    Listed(Vec<EntityId>),
}

impl Hearers {
    /// Returns the given characters as hearers. If none are given, returns [`Hearers::AtPlace`].
    pub fn listed_or_at_place(characters: Vec<EntityId>) -> Self {
        match characters.is_empty() {
            true => Self::AtPlace,
            false => Self::Listed(characters),
        }
    }
}
