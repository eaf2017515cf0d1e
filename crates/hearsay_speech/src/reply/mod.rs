//! Replies: a character answers what somebody said.
//!
//! A reply passes through these steps:
//!
//! 1. The memory assembles what the character knows and may say ([`Memory::ask`]).
//! 2. The language model writes a draft.
//! 3. The memory checks each sentence of the draft ([`Memory::check_reply`]). A sentence without a problem is released
//!    at once.
//! 4. If the first sentence has a problem, the language model writes one more draft, and is told the problem. If a later
//!    sentence has a problem, the reply ends before this sentence.
//! 5. If the second draft has a problem too, or if there is no language model, a template states a fact that the
//!    character knows and may tell, or says that the character does not know.
//!
//! [`Memory::ask`]: hearsay_engine::Memory::ask
//! [`Memory::check_reply`]: hearsay_engine::Memory::check_reply

mod feedback;
mod pending;
mod prompt;
mod sentences;
mod template;

use std::time::Duration;

use hearsay_commands::{
    game_event::{Circumstances, GameEvent},
    reply::{DraftReply, ReplyCheck, ReplyFinding},
};
use hearsay_model::EntityId;
use serde::Serialize;

pub use pending::PendingReply;

use crate::{GenerationStats, SpeechError};

/// A request for a reply. The question, the speaker and the scene are in the answer of the memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyRequest {
    /// Characters that hear the reply. The speaker says nothing that it conceals from one of them.
    pub listeners: Vec<EntityId>,
    /// Earlier lines of the conversation, oldest first.
    pub earlier: Vec<ConversationLine>,
    /// Whether the check of the draft contains details for the DM: see [`DraftReply::for_dm`].
    pub for_dm: bool,
}

/// A line of the conversation before the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationLine {
    /// Whether the character that replies said the line.
    pub is_own: bool,
    /// Words of the line.
    pub text: String,
}

/// Who wrote the words of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyWriter {
    /// The language model, in its first draft.
    Model,
    /// The language model, in its second draft, after a problem in the first one.
    Repair,
    /// A template, which states only facts that the character knows and may tell.
    Template,
}

/// A draft that was not said.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RejectedDraft {
    /// Words of the draft, up to the sentence with the problem.
    pub text: String,
    /// Problems of the draft.
    pub problems: Vec<ReplyFinding>,
}

/// A reply that a character says.
#[derive(Debug, Clone)]
pub struct CharacterReply {
    /// The draft that was accepted: speaker, listeners and words.
    pub draft: DraftReply,
    /// Result of the check of these words.
    pub check: ReplyCheck,
    /// Who wrote the words.
    pub writer: ReplyWriter,
    /// Drafts that were not said because of their problems.
    pub rejected: Vec<RejectedDraft>,
    /// Whether the reply was interrupted before its end.
    pub is_interrupted: bool,
    /// Counts and times of the language model; `None` if it wrote nothing.
    pub stats: Option<GenerationStats>,
    /// Time from the request to the end of the reply.
    pub time: Duration,
    /// Error of the language model, because of which a template spoke instead.
    pub model_error: Option<SpeechError>,
}

impl CharacterReply {
    /// Returns the words.
    pub fn text(&self) -> &str {
        &self.draft.text
    }

    /// Returns the game event that records the reply: see [`ReplyCheck::say`].
    pub fn event(&self, circumstances: Circumstances) -> GameEvent {
        self.check.say(&self.draft, circumstances)
    }
}

/// A step of a reply, in the order in which the steps happen.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ReplyStep {
    /// Words that passed the check. The words of all chunks together are the words of the reply.
    Chunk(String),
    /// The reply is complete.
    Spoken(Box<CharacterReply>),
    /// The reply failed. No further step follows.
    Failed(SpeechError),
}
