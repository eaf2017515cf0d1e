//! Relations between facts.

use serde::{Deserialize, Serialize};

use crate::{FactId, Rename};

/// Relation of a fact to another fact. Every knower of the first fact also knows this relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactRelation {
    /// The fact is a distorted version of the other fact.
    Distorts(FactId),
    /// The fact states that the other fact is untrue.
    Refutes(FactId),
    /// The fact states that the other fact is no longer true.
    Ends(FactId),
    /// The fact is the public version of the other fact, which is secret.
    Covers(FactId),
}

impl FactRelation {
    /// Returns the id of the other fact.
    pub fn fact(self) -> FactId {
        match self {
            Self::Distorts(fact) | Self::Refutes(fact) | Self::Ends(fact) | Self::Covers(fact) => fact,
        }
    }

    /// Returns the kind of relation as lowercase text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Distorts(_) => "distorts",
            Self::Refutes(_) => "refutes",
            Self::Ends(_) => "ends",
            Self::Covers(_) => "covers",
        }
    }

    /// Uses the methods of `renaming` to replace the id of the other fact.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Distorts(fact) | Self::Refutes(fact) | Self::Ends(fact) | Self::Covers(fact) => renaming.fact(fact),
        }
    }
}
