//! The data that the panel of threads and secrets displays. A thread is an open promise, debt or quest.

use hearsay_model::{FactId, FactStatus, SessionId};
use serde::{Deserialize, Serialize};

use crate::{names::NamedEntity, text::LinkedText};

/// Open threads and secrets.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ThreadsModel {
    /// The listed threads, grouped by kind.
    pub rows: Vec<ThreadRow>,
    /// Number of further threads that are not listed.
    pub more: usize,
    /// Time of the game clock, formatted on the campaign's calendar; `None` if the clock is not set. A promise that the
    /// user marks as settled ends at this time.
    pub clock: Option<String>,
}

/// Kind of thread or secret in a row of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadCategory {
    /// An open quest.
    Quest,
    /// A promise that is not kept yet.
    Promise,
    /// A debt that is not paid yet.
    Debt,
    /// A secret that was never told.
    Untold,
    /// A secret that was told.
    Told,
}

impl ThreadCategory {
    /// All kinds, in the order of the panel.
    pub const ALL: [Self; 5] = [Self::Quest, Self::Promise, Self::Debt, Self::Untold, Self::Told];

    /// Returns the plural label that the filter shows for this kind of thread.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quest => "Quests",
            Self::Promise => "Promises",
            Self::Debt => "Debts",
            Self::Untold => "Untold secrets",
            Self::Told => "Told secrets",
        }
    }

    /// Returns the singular label for this kind of thread.
    pub fn singular_name(self) -> &'static str {
        match self {
            Self::Quest => "quest",
            Self::Promise => "promise",
            Self::Debt => "debt",
            Self::Untold => "untold secret",
            Self::Told => "told secret",
        }
    }
}

/// An open thread or a secret.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ThreadRow {
    /// Kind of the thread.
    pub category: ThreadCategory,
    /// Description of the thread, with links.
    pub description: LinkedText,
    /// Id of the fact that states the thread, if there is one.
    pub fact: Option<FactId>,
    /// The quest, if the thread is a quest.
    pub quest: Option<NamedEntity>,
    /// Entities that the thread is about. For a secret, its holders.
    pub entities: Vec<NamedEntity>,
    /// Game time at which the thread began, as text; `None` if it is unknown.
    pub since: Option<String>,
    /// Id and title of the session in which the thread was recorded; `None` if it was not recorded in a session.
    pub session: Option<(SessionId, String)>,
    /// For a quest: its stage, objectives and reward. For a secret: the conditions under which a holder is allowed to
    /// tell the secret.
    pub details: Vec<String>,
    /// For a secret: occasions on which the secret was told, earliest first.
    pub tellings: Vec<TellingLine>,
    /// Status of the fact that states the thread.
    pub status: FactStatus,
    /// Whether the thread is secret.
    pub secret: bool,
    /// Normalized words of the thread, in which the filter searches.
    pub search_text: String,
}

/// An occasion on which a secret was told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TellingLine {
    /// The teller; `None` for a rumour without a source.
    pub teller: Option<NamedEntity>,
    /// The hearer. `None` if everyone learned the secret.
    pub hearer: Option<NamedEntity>,
    /// Game time at which the secret was told, as text; `None` if it is unknown.
    pub when: Option<String>,
    /// Session in which the secret was told, as text; `None` if it was not told in a session.
    pub session: Option<String>,
}
