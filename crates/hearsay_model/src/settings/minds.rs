//! Settings that decide how characters forget, how they distort rumours and lose interest in them, and how long their
//! feelings last.

use serde::{Deserialize, Serialize};

/// Rules for the minds of all characters in a campaign.
///
/// By default, characters forget nothing, never distort a rumour, and never lose interest in a rumour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MindRules {
    /// How fast characters forget.
    pub forgetting: Degree,
    /// How often characters distort a fact when they retell it in gossip.
    pub distortion: Degree,
    /// How often characters lose interest in telling a fact in gossip, after they told the fact to a character who
    /// already knew it, or after they heard a refutation of the fact.
    pub stifling: Degree,
    /// Number of days after which a change of a feeling has half of its strength. The minimum is 1, and the default is
    /// 30.
    pub feelings_half_life_days: u32,
}

impl Default for MindRules {
    fn default() -> Self {
        Self {
            forgetting: Degree::default(),
            distortion: Degree::default(),
            stifling: Degree::default(),
            feelings_half_life_days: 30,
        }
    }
}

/// Degree of an effect on the minds of characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Degree {
    /// The effect is off. Characters forget nothing, repeat every fact exactly, or never lose interest in a fact.
    #[default]
    Off,
    /// The effect is slow or rare.
    Mild,
    /// The effect is fast or frequent.
    Strong,
}

impl Degree {
    /// All degrees, from the weakest to the strongest.
    pub const ALL: [Self; 3] = [Self::Off, Self::Mild, Self::Strong];

    /// Returns the name of the degree in campaign files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Mild => "mild",
            Self::Strong => "strong",
        }
    }

    /// Returns the degree with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|degree| degree.as_str() == name)
    }
}
