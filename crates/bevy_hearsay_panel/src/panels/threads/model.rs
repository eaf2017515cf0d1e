//! What the panel shows.

use hearsay_model::{FactId, SessionId, Standing};
use serde::{Deserialize, Serialize};

use crate::{names::Named, text::Linked};

/// Open threads and secrets.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ThreadsModel {
    /// All of them, kind by kind.
    pub rows: Vec<ThreadRow>,
    /// How many more there are than are listed.
    pub more: usize,
    /// The game clock on the campaign's calendar: until when a promise held that is kept now.
    pub clock: Option<String>,
}

/// What kind of thread it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThreadTab {
    /// A quest that is not done.
    Quest,
    /// A promise that holds.
    Promise,
    /// A debt that holds.
    Debt,
    /// A secret that nobody was told.
    Untold,
    /// A secret that somebody was told.
    Told,
}

impl ThreadTab {
    /// All of them, in the order of the panel.
    pub const ALL: [Self; 5] = [Self::Quest, Self::Promise, Self::Debt, Self::Untold, Self::Told];

    /// What the filter says.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quest => "Quests",
            Self::Promise => "Promises",
            Self::Debt => "Debts",
            Self::Untold => "Untold secrets",
            Self::Told => "Told secrets",
        }
    }

    /// What one of them is called.
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
    /// What kind.
    pub tab: ThreadTab,
    /// What is open.
    pub what: Linked,
    /// The fact, where it is one.
    pub fact: Option<FactId>,
    /// The quest, where it is one.
    pub quest: Option<Named>,
    /// Whom it concerns; who holds a secret.
    pub who: Vec<Named>,
    /// Since when.
    pub since: Option<String>,
    /// The session in which it was recorded, and what that is called.
    pub session: Option<(SessionId, String)>,
    /// Stage, objectives, reward; conditions.
    pub details: Vec<String>,
    /// Who was told a secret, the earliest first.
    pub told: Vec<ToldRow>,
    /// What the world says of it.
    pub standing: Standing,
    /// Whether players must not see it.
    pub secret: bool,
    /// Whether players may see it.
    pub safe: bool,
    /// All its words in normal form, for the filter.
    pub words: String,
}

/// One time that a secret was told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToldRow {
    /// Who told it; nobody, for talk of the town.
    pub by: Option<Named>,
    /// To whom; everybody, when it is nobody in particular.
    pub to: Option<Named>,
    /// When.
    pub when: Option<String>,
    /// In which session.
    pub session: Option<String>,
}
