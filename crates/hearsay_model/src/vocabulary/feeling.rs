//! Feelings: the kinds of feelings of one character towards another, and how facts change them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Attitude;

/// Kind of feeling of one character towards another. Its value is from −100 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feeling {
    /// Whether the character likes (positive) or dislikes (negative) the other character.
    Affinity,
    /// Whether the character respects (positive) or despises (negative) the other character.
    Respect,
    /// How much the character fears the other character.
    Fear,
    /// Whether the character is in the debt of the other character (positive), or the other character is in its debt
    /// (negative).
    Debt,
}

impl Feeling {
    /// All kinds of feelings.
    pub const ALL: [Self; 4] = [Self::Affinity, Self::Respect, Self::Fear, Self::Debt];

    /// Returns the name of the feeling in campaign files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Affinity => "affinity",
            Self::Respect => "respect",
            Self::Fear => "fear",
            Self::Debt => "debt",
        }
    }
}

impl fmt::Display for Feeling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Changes of the feelings of one character towards another, caused by one fact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeelingChanges {
    /// Change of the affinity.
    pub affinity: Attitude,
    /// Change of the respect.
    pub respect: Attitude,
    /// Change of the fear.
    pub fear: Attitude,
    /// Change of the debt.
    pub debt: Attitude,
}

impl FeelingChanges {
    /// No change.
    pub const NONE: Self = Self {
        affinity: Attitude::NEUTRAL,
        respect: Attitude::NEUTRAL,
        fear: Attitude::NEUTRAL,
        debt: Attitude::NEUTRAL,
    };

    /// Returns whether no feeling changes.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }

    /// Returns the change of one feeling, from −100 to 100.
    pub fn get(&self, feeling: Feeling) -> i8 {
        let change = match feeling {
            Feeling::Affinity => self.affinity,
            Feeling::Respect => self.respect,
            Feeling::Fear => self.fear,
            Feeling::Debt => self.debt,
        };
        change.get()
    }
}
