//! Settings in which the engine records its own work.

use super::SettingKey;
use crate::Position;

/// A setting in which the engine records its own work.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineSetting {
    /// The last import from a source.
    Imported {
        /// The name of the source.
        source: String,
        /// A hash of all files that were read.
        digest: String,
    },
    /// The id of the model that computes the vectors of the campaign.
    Model(String),
    /// The journal position up to which extraction has read the texts.
    Read(Position),
}

impl EngineSetting {
    pub(super) fn key(&self) -> SettingKey {
        match self {
            Self::Imported { source, .. } => SettingKey::Imported(source.clone()),
            Self::Model(_) => SettingKey::Model,
            Self::Read(_) => SettingKey::Read,
        }
    }
}
