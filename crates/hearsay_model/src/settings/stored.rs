//! The stored form of settings. This form does not contain the groups of settings, such as world and session.
//! Therefore, the file format does not change if a setting moves to another group.

use serde::{Deserialize, Serialize};

use super::{
    ActiveSession, CalibrationSettings, CampaignInfo, EditedRecap, EngineSetting, GameSetting, MindRules,
    ReviewSetting, SessionSetting, Setting, SpeakerRole, WorldSetting,
};
use crate::{AttributeDef, AudienceRules, Calendar, EntityId, GameTime, Position, PredicateDef, Reveal, Value};

/// A setting in its stored form. The order of the variants is part of the snapshot format.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Setting", rename_all = "snake_case")]
pub(super) enum StoredSetting {
    Campaign(CampaignInfo),
    Calendar(Calendar),
    Clock(GameTime),
    Audience(AudienceRules),
    Predicate(PredicateDef),
    Attribute(AttributeDef),
    Imported { source: String, digest: String },
    Model(String),
    Reveal(Reveal),
    Flag { name: String, value: Value },
    Playing(ActiveSession),
    Read(Position),
    Learning(CalibrationSettings),
    Distinct { one: EntityId, other: EntityId },
    Merged { gone: EntityId, into: EntityId },
    Recap(EditedRecap),
    Speaker { name: String, role: SpeakerRole },
    Minds(MindRules),
}

impl From<Setting> for StoredSetting {
    fn from(setting: Setting) -> Self {
        match setting {
            Setting::World(WorldSetting::Campaign(value)) => Self::Campaign(value),
            Setting::World(WorldSetting::Calendar(value)) => Self::Calendar(value),
            Setting::Game(GameSetting::Clock(value)) => Self::Clock(value),
            Setting::World(WorldSetting::Audience(value)) => Self::Audience(value),
            Setting::World(WorldSetting::Minds(value)) => Self::Minds(value),
            Setting::World(WorldSetting::Predicate(value)) => Self::Predicate(value),
            Setting::World(WorldSetting::Attribute(value)) => Self::Attribute(value),
            Setting::Engine(EngineSetting::Imported { source, digest }) => Self::Imported { source, digest },
            Setting::Engine(EngineSetting::Model(value)) => Self::Model(value),
            Setting::Game(GameSetting::Reveal(value)) => Self::Reveal(value),
            Setting::Game(GameSetting::Flag { name, value }) => Self::Flag { name, value },
            Setting::Session(SessionSetting::Playing(value)) => Self::Playing(value),
            Setting::Engine(EngineSetting::ExtractedUpTo(value)) => Self::Read(value),
            Setting::Review(ReviewSetting::Learning(value)) => Self::Learning(value),
            Setting::Review(ReviewSetting::Distinct { one, other }) => Self::Distinct { one, other },
            Setting::Review(ReviewSetting::Merged { gone, into }) => Self::Merged { gone, into },
            Setting::Session(SessionSetting::Recap(value)) => Self::Recap(value),
            Setting::Review(ReviewSetting::Speaker { name, role }) => Self::Speaker { name, role },
        }
    }
}

impl From<StoredSetting> for Setting {
    fn from(stored: StoredSetting) -> Self {
        match stored {
            StoredSetting::Campaign(value) => Self::World(WorldSetting::Campaign(value)),
            StoredSetting::Calendar(value) => Self::World(WorldSetting::Calendar(value)),
            StoredSetting::Clock(value) => Self::Game(GameSetting::Clock(value)),
            StoredSetting::Audience(value) => Self::World(WorldSetting::Audience(value)),
            StoredSetting::Minds(value) => Self::World(WorldSetting::Minds(value)),
            StoredSetting::Predicate(value) => Self::World(WorldSetting::Predicate(value)),
            StoredSetting::Attribute(value) => Self::World(WorldSetting::Attribute(value)),
            StoredSetting::Imported { source, digest } => Self::Engine(EngineSetting::Imported { source, digest }),
            StoredSetting::Model(value) => Self::Engine(EngineSetting::Model(value)),
            StoredSetting::Reveal(value) => Self::Game(GameSetting::Reveal(value)),
            StoredSetting::Flag { name, value } => Self::Game(GameSetting::Flag { name, value }),
            StoredSetting::Playing(value) => Self::Session(SessionSetting::Playing(value)),
            StoredSetting::Read(value) => Self::Engine(EngineSetting::ExtractedUpTo(value)),
            StoredSetting::Learning(value) => Self::Review(ReviewSetting::Learning(value)),
            StoredSetting::Distinct { one, other } => Self::Review(ReviewSetting::Distinct { one, other }),
            StoredSetting::Merged { gone, into } => Self::Review(ReviewSetting::Merged { gone, into }),
            StoredSetting::Recap(value) => Self::Session(SessionSetting::Recap(value)),
            StoredSetting::Speaker { name, role } => Self::Review(ReviewSetting::Speaker { name, role }),
        }
    }
}
