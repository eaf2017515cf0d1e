//! Settings of a campaign as a whole.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    AttributeDef, AudienceRules, Calendar, Date, EntityId, FactId, GameTime, Position, Predicate, PredicateDef, Reveal,
    SessionId, Value,
};

/// Description of a campaign.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignInfo {
    /// The readable stable id.
    pub id: String,
    /// The name.
    pub name: String,
    /// A few sentences about it.
    pub description: String,
    /// The game system.
    pub system: String,
}

/// The session in progress and the current scene. New records carry these values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playing {
    /// The session.
    pub session: SessionId,
    /// The player characters present now. [`Session::present`](crate::Session) lists the characters that were present
    /// at any time. Sorted and unique.
    pub here: Vec<EntityId>,
    /// The place of the scene.
    pub place: Option<EntityId>,
    /// The game time that the log has reached.
    pub time: Option<Date>,
}

/// A recap of a session as the DM edited it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRecap {
    /// The session.
    pub session: SessionId,
    /// Whether the recap is for the players.
    pub players: bool,
    /// The text of the recap.
    pub text: String,
}

/// Whether the DM's decisions change the trust in sources, and which decisions no longer count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learning {
    /// Whether trust calibration is enabled.
    pub enabled: bool,
    /// Facts that were decided before the last reset of trust calibration. Sorted and unique.
    pub forgotten: Vec<FactId>,
}

impl Default for Learning {
    fn default() -> Self {
        Self { enabled: true, forgotten: Vec::new() }
    }
}

/// A setting of the campaign. The newest live setting of a key applies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// The description of the campaign.
    Campaign(CampaignInfo),
    /// The calendar.
    Calendar(Calendar),
    /// The current game time.
    Clock(GameTime),
    /// The audiences of unmarked facts.
    Audience(AudienceRules),
    /// A relation that the campaign defines, or a redefinition of a built-in one.
    Predicate(PredicateDef),
    /// An attribute that the campaign defines, or a redefinition of a built-in one.
    Attribute(AttributeDef),
    /// The last import from a source.
    Imported {
        /// The source.
        source: String,
        /// Hash of all files that were read.
        digest: String,
    },
    /// The model of the embedding vectors.
    Model(String),
    /// The conditions under which the holder of a secret may tell it.
    Reveal(Reveal),
    /// Declares a flag of the game with its initial value. The game sets it with
    /// [`Change::SetFlag`](crate::Change::SetFlag).
    Flag {
        /// The name of the flag: a slug.
        name: String,
        /// The initial value. Later values have the same kind.
        value: Value,
    },
    /// The session in progress. Unsetting it ends the session.
    Playing(Playing),
    /// The journal position up to which texts were read for facts.
    Read(Position),
    /// The state of trust calibration.
    Learning(Learning),
    /// Two similar entities are not the same. The smaller id comes first.
    Distinct {
        /// The first entity.
        one: EntityId,
        /// The second entity.
        other: EntityId,
    },
    /// An entity was merged into another. The operation with this setting moved every statement about it.
    Merged {
        /// The removed entity.
        gone: EntityId,
        /// The remaining entity.
        into: EntityId,
    },
    /// A recap of a session as the DM edited it. For people: no answer depends on it.
    Recap(KeptRecap),
}

/// Key of a setting. Settings with the same key hide each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingKey {
    /// [`Setting::Campaign`].
    Campaign,
    /// [`Setting::Calendar`].
    Calendar,
    /// [`Setting::Clock`].
    Clock,
    /// [`Setting::Audience`].
    Audience,
    /// [`Setting::Predicate`], by name.
    Predicate(Predicate),
    /// [`Setting::Attribute`], by name.
    Attribute(Predicate),
    /// [`Setting::Imported`], by source.
    Imported(String),
    /// [`Setting::Model`].
    Model,
    /// [`Setting::Reveal`], by id.
    Reveal(String),
    /// [`Setting::Flag`], by name.
    Flag(String),
    /// [`Setting::Playing`].
    Playing,
    /// [`Setting::Read`].
    Read,
    /// [`Setting::Learning`].
    Learning,
    /// [`Setting::Distinct`], by both ids.
    Distinct(EntityId, EntityId),
    /// [`Setting::Merged`], by the removed entity.
    Merged(EntityId),
    /// [`Setting::Recap`], by its session, and whether it is for the players.
    Recap(SessionId, bool),
}

impl Setting {
    /// Creates a setting that states that two entities are not the same.
    pub fn distinct(a: EntityId, b: EntityId) -> Self {
        let (one, other) = if a <= b { (a, b) } else { (b, a) };
        Self::Distinct { one, other }
    }

    /// Returns the key of the setting.
    pub fn key(&self) -> SettingKey {
        match self {
            Self::Campaign(_) => SettingKey::Campaign,
            Self::Calendar(_) => SettingKey::Calendar,
            Self::Clock(_) => SettingKey::Clock,
            Self::Audience(_) => SettingKey::Audience,
            Self::Predicate(def) => SettingKey::Predicate(def.name.clone()),
            Self::Attribute(def) => SettingKey::Attribute(def.name.clone()),
            Self::Imported { source, .. } => SettingKey::Imported(source.clone()),
            Self::Model(_) => SettingKey::Model,
            Self::Reveal(reveal) => SettingKey::Reveal(reveal.id.clone()),
            Self::Flag { name, .. } => SettingKey::Flag(name.clone()),
            Self::Playing(_) => SettingKey::Playing,
            Self::Read(_) => SettingKey::Read,
            Self::Learning(_) => SettingKey::Learning,
            Self::Distinct { one, other } => SettingKey::Distinct(one.clone(), other.clone()),
            Self::Merged { gone, .. } => SettingKey::Merged(gone.clone()),
            Self::Recap(recap) => SettingKey::Recap(recap.session.clone(), recap.players),
        }
    }
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
            Self::Playing => f.write_str("the session that is being played"),
            Self::Read => f.write_str("how far texts were read for facts"),
            Self::Learning => f.write_str("what is learned from the DM"),
            Self::Distinct(one, other) => write!(f, "that {one} is not {other}"),
            Self::Merged(gone) => write!(f, "what became of {gone}"),
            Self::Recap(session, false) => write!(f, "the recap of {session}"),
            Self::Recap(session, true) => write!(f, "the players' recap of {session}"),
        }
    }
}
