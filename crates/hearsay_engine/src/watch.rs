//! Filters that select the knowers whose new knowledge and changed beliefs the memory reports.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::EntityId;

/// Maximum number of knowers whose beliefs can be watched at a time. The memory keeps the view of each of these
/// knowers.
pub const MAX_WATCHED_BELIEFS: usize = 256;

/// Selects the knowers whose new knowledge, beliefs and feelings the memory reports as events: see
/// [`Memory::watch`](crate::Memory::watch).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MindFilter {
    /// No knower is watched, so writes take no additional time.
    #[default]
    None,
    /// All knowers are watched. Only new knowledge is reported, not changed beliefs.
    All {
        /// Entities whose facts are reported. A fact is reported only if its subject, its object or a mentioned entity
        /// is in this set. If the set is empty, all facts are reported.
        about: BTreeSet<EntityId>,
    },
    /// Only the knowers in this list are watched.
    Only(BTreeMap<EntityId, MindInterest>),
}

/// The changes that the memory reports for one watched knower.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MindInterest {
    /// Entities whose facts are reported. A fact is reported only if its subject, its object or a mentioned entity is
    /// in this set. If the set is empty, all facts are reported.
    pub about: BTreeSet<EntityId>,
    /// Whether changed beliefs are also reported. The memory then keeps the view of the knower up to date.
    pub beliefs: bool,
}

impl MindFilter {
    /// Returns the entities whose facts are reported for a knower. A reported fact contains at least one of these
    /// entities. If the set is empty, all facts are reported. Returns `None` if the knower is not watched.
    pub(crate) fn about(&self, knower: &EntityId) -> Option<&BTreeSet<EntityId>> {
        match self {
            Self::None => None,
            Self::All { about } => Some(about),
            Self::Only(knowers) => knowers.get(knower).map(|interest| &interest.about),
        }
    }

    /// Returns the number of knowers whose beliefs are watched.
    pub(crate) fn belief_count(&self) -> usize {
        match self {
            Self::None | Self::All { .. } => 0,
            Self::Only(knowers) => knowers.values().filter(|interest| interest.beliefs).count(),
        }
    }
}
