//! UI state of the session panel, and the actions that a user can choose in the panel.

use std::collections::BTreeMap;

use hearsay_commands::session::SessionStep;
use hearsay_model::{EditedRecap, EntityId, FactId, RecapReader, SessionId};
use serde::{Deserialize, Serialize};

use super::model::SessionPart;
use crate::widgets::{Completion, RowHeights};

/// UI state of the session panel: the selected session and part, and the typed texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionView {
    /// The selected session. Default: the current session, or the latest session if no session is active.
    pub selected: Option<SessionId>,
    /// The selected part of the session: log, report or recap.
    pub part: SessionPart,
    /// Reader of the recap.
    #[serde(rename = "players")]
    pub reader: RecapReader,
    /// Maximum number of words of a recap.
    pub words: usize,
    /// Typed title of the next session.
    pub title: String,
    /// Typed place where the next session starts.
    pub place: String,
    /// Typed game time at which the next session starts.
    pub time: String,
    /// Player characters who will be absent from the next session.
    pub absent_players: Vec<EntityId>,
    /// Whether the panel asks the user to confirm the end of the session.
    pub confirming_end: bool,
    /// Edited recaps that are not saved yet. [`draft_key`](Self::draft_key) returns the key of a recap in this map.
    pub drafts: BTreeMap<String, String>,
    /// Typed path of the file to which the recap of each session is written.
    pub recap_paths: BTreeMap<SessionId, String>,
    #[serde(skip)]
    pub(super) completion: Completion,
    #[serde(skip)]
    pub(super) heights: RowHeights,
    #[serde(skip)]
    pub(super) shown_part: Option<(SessionId, SessionPart)>,
    /// Number of log lines in the last frame. When the number changes, the log scrolls to the last line.
    #[serde(skip)]
    pub(super) line_count: usize,
}

impl Default for SessionView {
    fn default() -> Self {
        Self {
            selected: None,
            part: SessionPart::default(),
            reader: RecapReader::Dm,
            words: 200,
            title: String::new(),
            place: String::new(),
            time: String::new(),
            absent_players: Vec::new(),
            confirming_end: false,
            drafts: BTreeMap::new(),
            recap_paths: BTreeMap::new(),
            completion: Completion::default(),
            heights: RowHeights::default(),
            shown_part: None,
            line_count: 0,
        }
    }
}

impl SessionView {
    /// Returns the key of an edited recap in [`drafts`](Self::drafts).
    pub fn draft_key(session: &SessionId, reader: RecapReader) -> String {
        let reader = match reader {
            RecapReader::Players => "players",
            RecapReader::Dm => "dm",
        };
        format!("{session} {reader}")
    }
}

/// An action that the user chose in the panel. The caller carries out the action.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionAction {
    /// Start or end a session, or change its attendance.
    Step(SessionStep),
    /// Save a recap.
    SaveRecap(EditedRecap),
    /// Show an error.
    ShowError(String),
    /// Put text on the clipboard.
    Copy(String),
    /// Write text to a file. The fields are the path and the text.
    WriteFile(String, String),
    /// Show an entity.
    Show(EntityId),
    /// Show a fact.
    ShowFact(FactId),
}
