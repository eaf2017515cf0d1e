//! Justifications of knowledge edges.

use serde::{Deserialize, Serialize};

use crate::{FactId, KnowledgeId, Rename};

/// Dependency of a knowledge edge on other edges.
///
/// The [bases](Self::Basis) of a knowledge edge are other edges, which lead to one or more facts. The knowledge edge is
/// active only while, for each of these facts, at least one basis is active.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Justification {
    /// The edge through which the teller knew the fact, or through which the knower knew a premise of a deduction.
    Basis {
        /// The fact of the supporting edge. If a knowledge edge has several bases with the same fact, one active basis
        /// is enough.
        fact: FactId,
        /// The supporting edge.
        edge: KnowledgeId,
    },
    /// An earlier statement of the teller that the knower later saw to be true or untrue. The experience changes the
    /// knower's trust in the teller.
    Experience {
        /// The edge that records the teller's statement.
        told: KnowledgeId,
        /// The edge that records what the knower saw.
        seen: KnowledgeId,
        /// Whether the teller's statement was true.
        held: bool,
    },
}

impl Justification {
    /// Returns the edges that the justification refers to.
    pub fn edges(&self) -> impl Iterator<Item = KnowledgeId> {
        let (first, second) = match self {
            Self::Basis { edge, .. } => (*edge, None),
            Self::Experience { told, seen, .. } => (*told, Some(*seen)),
        };
        std::iter::once(first).chain(second)
    }

    /// Uses the methods of `renaming` to replace the ids of the fact and the edges that the justification refers to.
    pub fn rename(&mut self, renaming: &mut impl Rename) {
        match self {
            Self::Basis { fact, edge } => {
                renaming.fact(fact);
                renaming.edge(edge);
            }
            Self::Experience { told, seen, held: _ } => {
                renaming.edge(told);
                renaming.edge(seen);
            }
        }
    }
}
