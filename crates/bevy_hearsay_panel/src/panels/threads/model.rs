//! The model of threads and secrets.

use hearsay_model::{FactId, FactStatus, SessionId};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// Open threads and secrets.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ThreadsModel {
    /// All threads, by kind.
    pub rows: Vec<ThreadRow>,
    /// Number of items that are not listed.
    pub more: usize,
    /// Time of the game clock, on the campaign's calendar, at which a settled promise ends.
    pub clock: Option<String>,
}

/// Kind of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadTab {
    /// An open quest.
    Quest,
    /// A promise in force.
    Promise,
    /// A debt in force.
    Debt,
    /// A secret that was never told.
    Untold,
    /// A secret that was told.
    Told,
}

impl ThreadTab {
    /// All kinds, in the order of the panel.
    pub const ALL: [Self; 5] = [Self::Quest, Self::Promise, Self::Debt, Self::Untold, Self::Told];

    /// Returns the name of the kind in the filter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quest => "Quests",
            Self::Promise => "Promises",
            Self::Debt => "Debts",
            Self::Untold => "Untold secrets",
            Self::Told => "Told secrets",
        }
    }

    /// Returns the singular name of the kind.
    pub fn one(self) -> &'static str {
        match self {
            Self::Quest => "quest",
            Self::Promise => "promise",
            Self::Debt => "debt",
            Self::Untold => "untold secret",
            Self::Told => "told secret",
        }
    }
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadRow {
    /// Kind of the thread.
    pub tab: ThreadTab,
    /// Description.
    pub what: Linked,
    /// The fact, if there is one.
    pub fact: Option<FactId>,
    /// The quest, if there is one.
    pub quest: Option<Named>,
    /// Entities concerned; for a secret, its holders.
    pub who: Vec<Named>,
    /// Start.
    pub since: Option<String>,
    /// Session in which the thread was recorded, with its title.
    pub session: Option<(SessionId, String)>,
    /// Stage, objectives and reward; conditions.
    pub details: Vec<String>,
    /// Tellings of a secret, earliest first.
    pub told: Vec<ToldRow>,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the thread is hidden from players.
    pub secret: bool,
    /// Whether players may see the thread.
    pub safe: bool,
    /// All words of the thread, normalized, for the filter.
    pub words: String,
}

/// A telling of a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToldRow {
    /// The teller; `None` for common talk.
    pub by: Option<Named>,
    /// The hearer; `None` for everyone.
    pub to: Option<Named>,
    /// Time.
    pub when: Option<String>,
    /// Session.
    pub session: Option<String>,
}
