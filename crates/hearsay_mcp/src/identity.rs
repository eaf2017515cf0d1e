//! The identity of a session.

use std::{fmt, str::FromStr};

use hearsay_model::{EntityId, IdError};

/// Text that stands for the DM.
const DM: &str = "dm";

/// Identity of a session: the character whose view the session uses, or the DM. The identity is set when the session
/// starts, and does not change. Its text is the id of the character, or `dm`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionIdentity {
    /// A character. The session gives access to the view of this character only.
    Character(EntityId),
    /// The DM, who sees everything.
    Dm,
}

impl fmt::Display for SessionIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Character(id) => id.as_str(),
            Self::Dm => DM,
        })
    }
}

impl FromStr for SessionIdentity {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if text == DM { Ok(Self::Dm) } else { EntityId::new(text).map(Self::Character) }
    }
}
