//! Settings of a campaign, grouped by concern.

use serde::{Deserialize, Serialize};

use super::{
    EngineSetting, GameSetting, ReviewSetting, SessionSetting, SettingKey, SpeakerRole, WorldSetting,
    stored::StoredSetting,
};
use crate::{EntityId, Reference, Rename, text};

/// A setting of the campaign. If several operations set settings with the same key, the newest setting applies.
/// Reverted operations are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "StoredSetting", into = "StoredSetting")]
pub enum Setting {
    /// A setting that defines the world.
    World(WorldSetting),
    /// A setting of the running game.
    Game(GameSetting),
    /// A setting of a session.
    Session(SessionSetting),
    /// A setting that records decisions of the DM.
    Review(ReviewSetting),
    /// A setting in which the engine records its own progress.
    Engine(EngineSetting),
}

impl Setting {
    /// Creates a setting that records that two entities are different.
    pub fn distinct(a: EntityId, b: EntityId) -> Self {
        let (one, other) = if a <= b { (a, b) } else { (b, a) };
        Self::Review(ReviewSetting::Distinct { one, other })
    }

    /// Creates a setting that records the role of a speaker of transcripts who plays no character.
    pub fn speaker(name: &str, role: SpeakerRole) -> Self {
        Self::Review(ReviewSetting::Speaker { name: text::normalize(name), role })
    }

    /// Calls `visit` with each reference from the setting to a record.
    ///
    /// `visit` is not called with the facts in [`CalibrationSettings`](crate::CalibrationSettings), because these facts
    /// need not exist.
    pub fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        match self {
            Self::Game(setting) => setting.visit_references(visit),
            Self::Session(setting) => setting.visit_references(visit),
            Self::Review(setting) => setting.visit_references(visit),
            Self::World(_) | Self::Engine(_) => {}
        }
    }

    /// Uses the methods of `renaming` to replace the ids of the records that the setting refers to.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Game(setting) => setting.rename(renaming),
            Self::Session(setting) => setting.rename(renaming),
            Self::Review(setting) => setting.rename(renaming),
            Self::World(_) | Self::Engine(_) => {}
        }
    }

    /// Returns the key of the setting.
    pub fn key(&self) -> SettingKey {
        match self {
            Self::World(setting) => setting.key(),
            Self::Game(setting) => setting.key(),
            Self::Session(setting) => setting.key(),
            Self::Review(setting) => setting.key(),
            Self::Engine(setting) => setting.key(),
        }
    }
}
