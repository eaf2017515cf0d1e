//! Status and secrecy of facts.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Status of a fact: whether the campaign treats the fact as true. The credence of a knower does not depend on the
/// status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactStatus {
    /// The fact waits for the DM's decision. Until the decision, no entity knows the fact.
    Proposed,
    /// A source claims the fact. The DM has not decided whether the fact is true.
    Claimed,
    /// The fact is true in the campaign.
    #[default]
    Canon,
    /// The fact is false in the campaign. Some entities may still believe the fact.
    False,
    /// The fact was rejected and is not part of the campaign. No entity knows the fact.
    Rejected,
}

impl FactStatus {
    /// All statuses.
    pub const ALL: [Self; 5] = [Self::Proposed, Self::Claimed, Self::Canon, Self::False, Self::Rejected];

    /// Returns whether entities can know a fact with this status: any status except proposed and rejected.
    pub fn is_knowable(self) -> bool {
        !matches!(self, Self::Proposed | Self::Rejected)
    }

    /// Returns the status as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Claimed => "claimed",
            Self::Canon => "canon",
            Self::False => "false",
            Self::Rejected => "rejected",
        }
    }
}

impl fmt::Display for FactStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Secrecy of a fact: how widely the fact may be known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrecy {
    /// Common knowledge: everyone may know the fact.
    Common,
    /// Open: the knowers that the author names know the fact. If the author names no knowers, the default audience (a
    /// rule of the campaign) decides who knows the fact.
    #[default]
    Open,
    /// Secret: only the holders of the secret know the fact. For example, the subject and the knowers that the author
    /// names are holders. The default audience does not apply.
    Secret,
}

impl Secrecy {
    /// Returns the secrecy as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Common => "common",
            Self::Open => "open",
            Self::Secret => "secret",
        }
    }
}
