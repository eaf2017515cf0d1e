//! Settings that decide how characters forget, how they distort rumours, and how long their feelings last.

use serde::{Deserialize, Serialize};

/// Rules for the minds of all characters in a campaign.
///
/// The defaults keep every character's memory exact: nothing is forgotten, and nobody distorts a rumour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MindRules {
    /// How fast characters forget.
    pub forgetting: Forgetting,
    /// How often characters distort what they heard when they tell it to others in gossip.
    pub distortion: Distortion,
    /// Number of days after which a change of a feeling has half of its strength, at least 1. Default 30.
    pub feelings_half_life_days: u32,
}

impl Default for MindRules {
    fn default() -> Self {
        Self { forgetting: Forgetting::default(), distortion: Distortion::default(), feelings_half_life_days: 30 }
    }
}

/// How fast characters forget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Forgetting {
    /// Characters forget nothing.
    #[default]
    Off,
    /// Characters forget slowly.
    Mild,
    /// Characters forget quickly.
    Strong,
}

impl Forgetting {
    /// All values, from the slowest to the fastest.
    pub const ALL: [Self; 3] = [Self::Off, Self::Mild, Self::Strong];

    /// Returns the name of the value in campaign files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Mild => "mild",
            Self::Strong => "strong",
        }
    }

    /// Returns the value with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == name)
    }
}

/// How often characters distort what they heard when they tell it to others in gossip.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distortion {
    /// Characters repeat every fact exactly.
    #[default]
    Off,
    /// Characters sometimes distort a fact.
    Mild,
    /// Characters often distort a fact.
    Strong,
}

impl Distortion {
    /// All values, from the rarest to the most frequent distortion.
    pub const ALL: [Self; 3] = [Self::Off, Self::Mild, Self::Strong];

    /// Returns the name of the value in campaign files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Mild => "mild",
            Self::Strong => "strong",
        }
    }

    /// Returns the value with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|value| value.as_str() == name)
    }
}
