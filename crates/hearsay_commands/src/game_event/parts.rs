//! Parts of events: statements, retellings and circumstances.

use serde::{Deserialize, Serialize};

/// A recorded fact, or a new fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// A recorded fact: its id, the beginning of its id, or its handle.
    Recorded(String),
    /// A sentence about an entity.
    Lore {
        /// Entity that the sentence is about: an id or a name.
        about: String,
        /// The sentence.
        text: String,
    },
    /// A relation or an attribute.
    Parts {
        /// Subject: an id or a name.
        subject: String,
        /// Predicate: `OWES`, `owes`, or an attribute such as `occupation`.
        predicate: String,
        /// Object: an id or a name, or the attribute's value.
        object: String,
        /// Sentence that states the fact. Default: made from the predicate's phrase.
        statement: Option<String>,
    },
}

/// A distorted version of a fact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Retelling {
    /// Sentence of the distorted version. Default: made from the predicate's phrase, if there is an object.
    pub statement: Option<String>,
    /// Other object or value. If unset, only the sentence differs.
    pub object: Option<String>,
}

/// Place, time and session of a game event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Circumstances {
    /// Place: an id or a name.
    pub place: Option<String>,
    /// Game time. Default: the end of the given session. If no session is given, the game clock or the time of the log
    /// of the session being played, whichever is later.
    pub time: Option<String>,
    /// Session: its id or number. Default: the session being played.
    pub session: Option<String>,
}
