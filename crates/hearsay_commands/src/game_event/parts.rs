//! Parts of game events: stated facts, distorted versions of facts, and circumstances.

use serde::{Deserialize, Serialize};

/// A fact in a game event: a recorded fact, or a new fact.
///
/// If a character who does not lie states a new fact, but knows a fact with the same content, then the event refers to
/// the fact that it knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// A recorded fact, given by id, by the beginning of its id, or by handle.
    Recorded(String),
    /// A new fact in the form of a sentence about an entity.
    Lore {
        /// Entity that the sentence is about: an id or a name.
        about: String,
        /// Text of the sentence.
        text: String,
    },
    /// A new fact that states a relation or an attribute.
    Parts {
        /// Subject: an id or a name.
        subject: String,
        /// Predicate: `OWES`, `owes`, or an attribute such as `occupation`.
        predicate: String,
        /// Object (an id or a name), or value of the attribute.
        object: String,
        /// Sentence that states a new fact. Default: generated from the predicate's phrase.
        statement: Option<String>,
    },
}

/// A distorted version of a fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retelling {
    /// Sentence that states the distorted version. Default if `object` is set: generated from the predicate's phrase.
    pub statement: Option<String>,
    /// Object or value of the distorted version. If unset, the distorted version differs from the fact only in its
    /// sentence.
    pub object: Option<String>,
}

/// Place, time and session of a game event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// Place of the event: an id or a name.
    pub place: Option<String>,
    /// Game time of the event. Default: the end of the given session. If no session is given, the default is the game
    /// clock or the time of the log of the session being played, whichever is later.
    pub time: Option<String>,
    /// Session in which the event happens: its id or number. Default: the session being played.
    pub session: Option<String>,
}
