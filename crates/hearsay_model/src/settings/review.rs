//! Settings that record decisions of the DM.

use serde::{Deserialize, Serialize};

use super::SettingKey;
use crate::{EntityId, FactId, Reference, Rename};

/// Settings of trust calibration: whether trust calibration is enabled, and the DM's decisions that it ignores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalibrationSettings {
    /// Whether trust calibration is enabled.
    pub enabled: bool,
    /// Facts that the DM accepted or rejected before the latest reset of trust calibration. Trust calibration ignores
    /// these decisions. Sorted and unique.
    pub forgotten: Vec<FactId>,
}

impl Default for CalibrationSettings {
    fn default() -> Self {
        Self { enabled: true, forgotten: Vec::new() }
    }
}

/// Role of a speaker of transcripts who plays no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakerRole {
    /// The speaker is the DM. The lines of the speaker are narration.
    Dm,
    /// The speaker does not take part in the game, for example a guest at the table. The text of each line keeps the
    /// name of the speaker.
    Nobody,
}

/// A setting that records decisions of the DM.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewSetting {
    /// The settings of trust calibration.
    Learning(CalibrationSettings),
    /// The DM decided that two similar entities are different. The entity with the smaller id comes first.
    Distinct {
        /// The first entity.
        one: EntityId,
        /// The second entity.
        other: EntityId,
    },
    /// An entity was merged into another. The operation that set this setting also moved all statements about the
    /// removed entity to the remaining entity.
    Merged {
        /// The removed entity.
        gone: EntityId,
        /// The remaining entity.
        into: EntityId,
    },
    /// The DM decided that a speaker of transcripts plays no character.
    Speaker {
        /// The name of the speaker in [normal form](crate::text::normalize).
        name: String,
        /// The role of the speaker.
        role: SpeakerRole,
    },
}

impl ReviewSetting {
    pub(super) fn key(&self) -> SettingKey {
        match self {
            Self::Learning(_) => SettingKey::Learning,
            Self::Distinct { one, other } => SettingKey::Distinct(one.clone(), other.clone()),
            Self::Merged { gone, .. } => SettingKey::Merged(gone.clone()),
            Self::Speaker { name, .. } => SettingKey::Speaker(name.clone()),
        }
    }

    /// Calls `visit` with each reference from the setting to a record, except the facts in [`CalibrationSettings`],
    /// because these facts need not exist.
    pub(super) fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        match self {
            Self::Distinct { one, other } | Self::Merged { gone: one, into: other } => {
                [one, other].into_iter().for_each(|id| visit(Reference::Entity(id)));
            }
            Self::Learning(_) | Self::Speaker { .. } => {}
        }
    }

    pub(super) fn rename<R: Rename>(&mut self, renaming: &mut R) {
        match self {
            Self::Learning(learning) => {
                learning.forgotten.iter_mut().for_each(|id| renaming.fact(id));
                if !R::KEEPS_IDS_EQUAL {
                    learning.forgotten.sort_unstable();
                }
            }
            Self::Distinct { one, other } => {
                renaming.entity(one);
                renaming.entity(other);
                if one > other {
                    std::mem::swap(one, other);
                }
            }
            Self::Merged { gone, into } => {
                renaming.entity(gone);
                renaming.entity(into);
            }
            Self::Speaker { .. } => {}
        }
    }
}
