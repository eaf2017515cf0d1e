//! Settings that the game changes or reads while it runs.

use super::SettingKey;
use crate::{GameTime, Reference, Rename, Reveal, Value};

/// A setting that the game changes or reads while it runs.
#[derive(Debug, Clone, PartialEq)]
pub enum GameSetting {
    /// The time of the game clock: the current game time.
    Clock(GameTime),
    /// A reveal: the condition under which the holder of a secret may tell the secret.
    Reveal(Reveal),
    /// Declares a flag of the game with its initial value. The game changes the value with
    /// [`Change::SetFlag`](crate::Change::SetFlag).
    Flag {
        /// The name of the flag: a slug.
        name: String,
        /// The initial value. All later values must have the same type.
        value: Value,
    },
}

impl GameSetting {
    pub(super) fn key(&self) -> SettingKey {
        match self {
            Self::Clock(_) => SettingKey::Clock,
            Self::Reveal(reveal) => SettingKey::Reveal(reveal.id.clone()),
            Self::Flag { name, .. } => SettingKey::Flag(name.clone()),
        }
    }

    pub(super) fn visit_references<'a>(&'a self, visit: &mut dyn FnMut(Reference<'a>)) {
        match self {
            Self::Reveal(reveal) => reveal.visit_references(visit),
            Self::Clock(_) | Self::Flag { .. } => {}
        }
    }

    pub(super) fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Reveal(reveal) => reveal.rename(renaming),
            Self::Clock(_) | Self::Flag { .. } => {}
        }
    }
}
