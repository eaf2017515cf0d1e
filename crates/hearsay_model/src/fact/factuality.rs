//! Assertion status of a fact.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Assertion status (factuality) of a fact: whether its source asserts that the statement is true.
///
/// The assertion status describes only what the source says. The [`FactStatus`](super::FactStatus) states whether the
/// campaign treats the fact as true.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Factuality {
    /// The source says that the statement is true.
    #[default]
    Asserted,
    /// The source says that a statement is not true. The statement of the fact contains the negation.
    Negated,
    /// The source says that an action is intended, promised or ordered, but not done yet.
    Planned,
    /// The source states the statement as a guess, a rumour, a condition or a question.
    Hedged,
    /// The source says that the statement was true and is no longer true.
    Ended,
}

impl Factuality {
    /// All assertion statuses.
    pub const ALL: [Self; 5] = [Self::Asserted, Self::Negated, Self::Planned, Self::Hedged, Self::Ended];

    /// Returns the assertion status as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asserted => "asserted",
            Self::Negated => "negated",
            Self::Planned => "planned",
            Self::Hedged => "hedged",
            Self::Ended => "ended",
        }
    }
}

impl fmt::Display for Factuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
