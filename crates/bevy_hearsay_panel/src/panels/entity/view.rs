//! UI state of an entity's page, and the actions that a user can choose on the page.

use std::collections::BTreeSet;

use hearsay_model::{EntityId, FactId};
use serde::{Deserialize, Serialize};

use crate::{
    panel::Request,
    panels::fact::FactsView,
    widgets::{Completion, RowHeights},
};

/// The tabs of a page. One tab is shown at a time, below the summary with the first and the last meeting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tab {
    /// Facts about the entity.
    #[default]
    About,
    /// Facts that the entity knows.
    Knows,
    /// Secrets that the entity keeps, and secrets about the entity.
    Secrets,
    /// Timeline of the entity: starts and ends of facts, and sessions.
    Timeline,
    /// Passages by and about the entity.
    Words,
}

impl Tab {
    /// All tabs.
    pub const ALL: [Self; 5] = [Self::About, Self::Knows, Self::Secrets, Self::Timeline, Self::Words];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::About => "About",
            Self::Knows => "Knows",
            Self::Secrets => "Secrets",
            Self::Timeline => "Timeline",
            Self::Words => "Words",
        }
    }
}

/// UI state of an entity's page: the current tab, expanded facts, filter, new fact and scroll position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EntityView {
    /// The current tab.
    pub tab: Tab,
    /// UI state of the facts: expanded facts, and the edit in progress.
    pub facts: FactsView,
    /// Words of the filter. The page shows only items that contain all of these words.
    pub filter: String,
    /// The attribute or relation that the user is adding; `None` if the user is adding none.
    pub new_fact: Option<NewFactDraft>,
    /// Whether the page shows each fact on one line until the user expands the fact.
    pub compact: bool,
    /// Titles of the groups of facts that the user closed.
    pub closed_sections: BTreeSet<String>,
    /// The fact to which the page scrolls; `None` if the page does not scroll.
    #[serde(skip)]
    pub focus: Option<FactId>,
    /// Heights of the rows in the list of facts.
    #[serde(skip)]
    pub heights: RowHeights,
}

/// An attribute or relation that the user is adding to an entity.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct NewFactDraft {
    /// Name of the attribute or relation, such as `occupation` or `owes`.
    pub predicate: String,
    /// The value of the attribute, or the name of the related entity.
    pub value: String,
    /// The related entity; `None` if the user did not choose it from the list of names.
    pub object_entity: Option<EntityId>,
    /// Whether the new fact is a secret.
    pub secret: bool,
    #[serde(skip)]
    pub(super) completion: Completion,
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "few at a time, and gone in the same frame")]
pub enum EntityAction {
    /// Send a request to the DM console.
    Request(Request),
    /// Show the previous page.
    Back,
    /// Show the next page.
    Forward,
}

/// Whether the page history has a previous page and a next page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageNavigation {
    /// Whether there is a previous page.
    pub has_previous: bool,
    /// Whether there is a next page.
    pub has_next: bool,
}
