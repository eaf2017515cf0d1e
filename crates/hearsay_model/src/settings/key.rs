//! Keys of settings.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{EntityId, Predicate, SessionId};

/// Key of a setting. A newer setting hides an older setting with the same key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingKey {
    /// [`WorldSetting::Campaign`](crate::WorldSetting::Campaign).
    Campaign,
    /// [`WorldSetting::Calendar`](crate::WorldSetting::Calendar).
    Calendar,
    /// [`GameSetting::Clock`](crate::GameSetting::Clock).
    Clock,
    /// [`WorldSetting::Audience`](crate::WorldSetting::Audience).
    Audience,
    /// [`WorldSetting::Predicate`](crate::WorldSetting::Predicate), by name.
    Predicate(Predicate),
    /// [`WorldSetting::Attribute`](crate::WorldSetting::Attribute), by name.
    Attribute(Predicate),
    /// [`EngineSetting::Imported`](crate::EngineSetting::Imported), by source.
    Imported(String),
    /// [`EngineSetting::Model`](crate::EngineSetting::Model).
    Model,
    /// [`GameSetting::Reveal`](crate::GameSetting::Reveal), by id.
    Reveal(String),
    /// [`GameSetting::Flag`](crate::GameSetting::Flag), by name.
    Flag(String),
    /// [`SessionSetting::Playing`](crate::SessionSetting::Playing).
    Playing,
    /// [`EngineSetting::Read`](crate::EngineSetting::Read).
    Read,
    /// [`ReviewSetting::Learning`](crate::ReviewSetting::Learning).
    Learning,
    /// [`ReviewSetting::Distinct`](crate::ReviewSetting::Distinct), by both ids.
    Distinct(EntityId, EntityId),
    /// [`ReviewSetting::Merged`](crate::ReviewSetting::Merged), by the removed entity.
    Merged(EntityId),
    /// [`SessionSetting::Recap`](crate::SessionSetting::Recap), by its session and whether it is for the players.
    Recap(SessionId, bool),
}

impl fmt::Display for SettingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Campaign => f.write_str("the campaign's name"),
            Self::Calendar => f.write_str("the calendar"),
            Self::Clock => f.write_str("the game clock"),
            Self::Audience => f.write_str("the audience rules"),
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
            Self::Recap(session, false) => write!(f, "the recap of {session}"),
            Self::Recap(session, true) => write!(f, "the players' recap of {session}"),
        }
    }
}
