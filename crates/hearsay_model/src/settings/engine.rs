//! Settings in which the engine records its own progress.

use super::SettingKey;
use crate::Position;

/// A setting in which the engine records its own progress.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineSetting {
    /// The last import from a source.
    Imported {
        /// The name of the source.
        source: String,
        /// A hash of all files that the import read.
        digest: String,
    },
    /// The id of the sentence encoder that computes the vectors of the campaign.
    Model(String),
    /// The journal position up to which extraction has processed the texts.
    ExtractedUpTo(Position),
}

impl EngineSetting {
    pub(super) fn key(&self) -> SettingKey {
        match self {
            Self::Imported { source, .. } => SettingKey::Imported(source.clone()),
            Self::Model(_) => SettingKey::Model,
            Self::ExtractedUpTo(_) => SettingKey::Read,
        }
    }
}
