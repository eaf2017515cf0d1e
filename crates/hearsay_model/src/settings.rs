//! What is set for a campaign as a whole.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    AttributeDef, AudienceRules, Calendar, Date, EntityId, FactId, GameTime, Position, Predicate, PredicateDef, Reveal,
    SessionId, Value,
};

/// What a campaign is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignInfo {
    /// The readable stable id.
    pub id: String,
    /// The name.
    pub name: String,
    /// A few sentences about it.
    pub description: String,
    /// The game system it is played with.
    pub system: String,
}

/// The session that is being played, and how the table stands: what is recorded meanwhile carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Playing {
    /// The session.
    pub session: SessionId,
    /// Whose characters are there now. Those who were there at any time are in [`Session::present`](crate::Session).
    /// Sorted, each once.
    pub here: Vec<EntityId>,
    /// Where the scene is.
    pub place: Option<EntityId>,
    /// How far the log has come, in game time.
    pub time: Option<Date>,
}

/// A recap of a session as the DM left it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRecap {
    /// The session.
    pub session: SessionId,
    /// Whether it is the one for the players.
    pub players: bool,
    /// Its words.
    pub text: String,
}

/// Whether the DM's decisions move the trust in sources, and which of them count no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learning {
    /// Whether they do.
    pub enabled: bool,
    /// Facts that were decided on before what was learned was last forgotten. Sorted, each once.
    pub forgotten: Vec<FactId>,
}

impl Default for Learning {
    fn default() -> Self {
        Self { enabled: true, forgotten: Vec::new() }
    }
}

/// A setting of the campaign. The newest that is live counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Setting {
    /// What the campaign is.
    Campaign(CampaignInfo),
    /// How it counts its days.
    Calendar(Calendar),
    /// What time it is in the game.
    Clock(GameTime),
    /// Who knows facts that are not marked.
    Audience(AudienceRules),
    /// A relation of the campaign's own, or a built-in one defined anew.
    Predicate(PredicateDef),
    /// An attribute of the campaign's own, or a built-in one defined anew.
    Attribute(AttributeDef),
    /// What was last imported from a source: a hash of its files.
    Imported {
        /// The source.
        source: String,
        /// Hash of all that was read.
        digest: String,
    },
    /// The model whose vectors the campaign uses.
    Model(String),
    /// When the holder of a secret may tell it.
    Reveal(Reveal),
    /// A flag of the game is declared, with the value that it has from now on. The game sets it with
    /// [`Change::SetFlag`](crate::Change::SetFlag).
    Flag {
        /// Its name: a slug.
        name: String,
        /// Its value; later ones are of the same kind.
        value: Value,
    },
    /// The session that is being played. It ends when this is withdrawn.
    Playing(Playing),
    /// The texts that came up to this position of the journal were read for facts.
    Read(Position),
    /// What is learned from the DM's decisions.
    Learning(Learning),
    /// Two entities that look alike are not the same. The smaller id comes first.
    Distinct {
        /// One.
        one: EntityId,
        /// The other.
        other: EntityId,
    },
    /// An entity was found to be another. The operation that says so moved all that was said of it.
    Merged {
        /// The one that is there no more.
        gone: EntityId,
        /// The one that it is.
        into: EntityId,
    },
    /// A recap of a session as the DM left it. For people: no answer is made from it.
    Recap(KeptRecap),
}

/// Which setting: two of one key hide each other.
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
    /// [`Setting::Merged`], by the one that is there no more.
    Merged(EntityId),
    /// [`Setting::Recap`], by its session, and whether it is for the players.
    Recap(SessionId, bool),
}

impl Setting {
    /// Two entities are not the same.
    pub fn distinct(a: EntityId, b: EntityId) -> Self {
        let (one, other) = if a <= b { (a, b) } else { (b, a) };
        Self::Distinct { one, other }
    }

    /// The key under which the setting is kept.
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
