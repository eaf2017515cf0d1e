//! Parts of game events: stated facts, distorted versions of facts, and circumstances.

use hearsay_model::{EntityId, FactId, Object, SessionId};
use serde::{Deserialize, Serialize};

/// A fact in a game event: a recorded fact, or a new fact.
///
/// If a character states a new fact, but already knows a fact with the same content, the event uses the known fact
/// instead. If a liar repeats a fact that the liar invented earlier, the event uses the earlier fact.
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
        /// Sentence that states a new fact. If `None`, the sentence is generated from the phrase of the predicate.
        statement: Option<String>,
    },
}

/// A distorted version of a fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retelling {
    /// Sentence that states the distorted version. If `None` and `object` is set, Hearsay generates the sentence from
    /// the phrase of the predicate.
    pub statement: Option<String>,
    /// Object of the distorted version: an entity for a relation, a value for an attribute. If `None`, the distorted
    /// version differs from the fact only in its sentence.
    pub object: Option<Object>,
}

/// Place, time and session of a game event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// Place of the event; `None` if the place is not given.
    pub place: Option<EntityId>,
    /// Game time of the event. If `None`, the time is the end of the given session. Without a given session, the time
    /// is the later of two times: the game clock, and the time that the session log has reached.
    pub time: Option<String>,
    /// Session in which the event happens. `None` means the session being played.
    pub session: Option<SessionId>,
}

/// The characters that hear or see a game event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hearers {
    /// The characters who are present, except the speaker.
    ///
    /// If the event happens in the current scene of the session being played, the attending characters and the
    /// non-player characters at this place are present. Otherwise, and for every event of a game, the characters at the
    /// place of the event are present. If the event has no place, the characters at the place of the speaker are
    /// present.
    #[default]
    AtPlace,
    /// Only these characters. If the list is empty, nobody hears or sees the event.
    Listed(Vec<EntityId>),
}

impl Hearers {
    /// Returns the given characters as hearers. If the list is empty, returns [`Hearers::AtPlace`].
    pub fn listed_or_at_place(characters: Vec<EntityId>) -> Self {
        match characters.is_empty() {
            true => Self::AtPlace,
            false => Self::Listed(characters),
        }
    }
}
