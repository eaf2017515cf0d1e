//! Keys of settings.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{EntityId, Predicate, SessionId};

/// Key of a setting. A new setting replaces an earlier setting with the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingKey {
    /// The key of [`WorldSetting::Campaign`](crate::WorldSetting::Campaign).
    Campaign,
    /// The key of [`WorldSetting::Calendar`](crate::WorldSetting::Calendar).
    Calendar,
    /// The key of [`GameSetting::Clock`](crate::GameSetting::Clock).
    Clock,
    /// The key of [`WorldSetting::Audience`](crate::WorldSetting::Audience).
    Audience,
    /// The key of [`WorldSetting::Minds`](crate::WorldSetting::Minds).
    Minds,
    /// The key of [`WorldSetting::Predicate`](crate::WorldSetting::Predicate): the name of the relation.
    Predicate(Predicate),
    /// The key of [`WorldSetting::Attribute`](crate::WorldSetting::Attribute): the name of the attribute.
    Attribute(Predicate),
    /// The key of [`EngineSetting::Imported`](crate::EngineSetting::Imported): the name of the source.
    Imported(String),
    /// The key of [`EngineSetting::Model`](crate::EngineSetting::Model).
    Model,
    /// The key of [`GameSetting::Reveal`](crate::GameSetting::Reveal): the id of the reveal.
    Reveal(String),
    /// The key of [`GameSetting::Flag`](crate::GameSetting::Flag): the name of the flag.
    Flag(String),
    /// The key of [`SessionSetting::Playing`](crate::SessionSetting::Playing).
    Playing,
    /// The key of [`EngineSetting::ExtractedUpTo`](crate::EngineSetting::ExtractedUpTo).
    Read,
    /// The key of [`ReviewSetting::Learning`](crate::ReviewSetting::Learning).
    Learning,
    /// The key of [`ReviewSetting::Distinct`](crate::ReviewSetting::Distinct): the ids of both entities.
    Distinct(EntityId, EntityId),
    /// The key of [`ReviewSetting::Merged`](crate::ReviewSetting::Merged): the id of the removed entity.
    Merged(EntityId),
    /// The key of [`SessionSetting::Recap`](crate::SessionSetting::Recap): the session, and the reader of the
    /// recap.
    Recap(SessionId, RecapReader),
    /// The key of [`ReviewSetting::Speaker`](crate::ReviewSetting::Speaker): the name of the speaker in normal form.
    Speaker(String),
}

/// Reader for whom a recap is written. The stored form is a boolean, which is true for the players.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "bool", into = "bool")]
pub enum RecapReader {
    /// The DM, who reads everything that happened.
    #[default]
    Dm,
    /// The players, who read only what their characters know.
    Players,
}

impl From<bool> for RecapReader {
    fn from(is_for_players: bool) -> Self {
        if is_for_players { Self::Players } else { Self::Dm }
    }
}

impl From<RecapReader> for bool {
    fn from(reader: RecapReader) -> Self {
        reader == RecapReader::Players
    }
}

impl fmt::Display for SettingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Campaign => f.write_str("the campaign's name"),
            Self::Calendar => f.write_str("the calendar"),
            Self::Clock => f.write_str("the game clock"),
            Self::Audience => f.write_str("the audience rules"),
            Self::Minds => f.write_str("the rules for minds"),
            Self::Predicate(name) => write!(f, "predicate {name}"),
            Self::Attribute(name) => write!(f, "attribute {name}"),
            Self::Imported(source) => write!(f, "the import of {source}"),
            Self::Model => f.write_str("the model"),
            Self::Reveal(id) => write!(f, "reveal {id}"),
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Playing => f.write_str("the current session"),
            Self::Read => f.write_str("progress of fact extraction"),
            Self::Learning => f.write_str("the switch for trust calibration"),
            Self::Distinct(one, other) => write!(f, "the decision that {one} and {other} are different"),
            Self::Merged(gone) => write!(f, "the merge of {gone}"),
            Self::Recap(session, RecapReader::Dm) => write!(f, "the recap of {session}"),
            Self::Recap(session, RecapReader::Players) => write!(f, "the players' recap of {session}"),
            Self::Speaker(name) => write!(f, "the role of the speaker {name}"),
        }
    }
}
