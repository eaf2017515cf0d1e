//! Replies: a character answers the words of another character.
//!
//! A reply passes through these steps:
//!
//! 1. The memory lists the relevant facts that the character knows, and marks the facts that the character conceals
//!    ([`Memory::ask`]).
//! 2. The language model writes a draft.
//! 3. The memory checks each sentence of the draft ([`Memory::check_reply`]). A sentence without a problem is released
//!    at once.
//! 4. If the first sentence has a problem, the language model writes a second draft. The prompt for the second draft
//!    describes the problem. If a later sentence has a problem, the reply ends before this sentence.
//! 5. If the second draft also has a problem, or if there is no language model, a template writes the reply. The
//!    template states up to three facts that the character knows and is allowed to tell. Otherwise, it says that the
//!    character has nothing to tell. It does not repeat the reply before. The words are friendly, cold or
//!    fearful, according to the feelings of the character towards the listeners.
//!
//! [`Memory::ask`]: hearsay_engine::Memory::ask
//! [`Memory::check_reply`]: hearsay_engine::Memory::check_reply

mod asked;
mod feedback;
mod pending;
mod prompt;
mod question;
mod question_words;
mod sentences;
mod statement;
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

/// Options of a reply. The question, the speaker and the scene are not part of these options: they come from the answer
/// of the memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyRequest {
    /// Characters that hear the reply, beginning with the character who asked. The speaker says nothing that it conceals
    /// from one of these characters.
    pub listeners: Vec<EntityId>,
    /// Earlier lines of the conversation, oldest first.
    pub earlier: Vec<ConversationLine>,
    /// Whether the result of the check contains details that only the DM may see: see [`DraftReply::for_dm`].
    pub for_dm: bool,
}

/// A line of the conversation before the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationLine {
    /// True if the replying character said the line; false if another character said the line.
    pub is_own: bool,
    /// Words of the line.
    pub text: String,
}

/// Writer of the words of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyWriter {
    /// The language model, in its first draft.
    Model,
    /// The language model, in its second draft, because the first draft had a problem.
    Repair,
    /// A template, which states only facts that the character knows and is allowed to tell.
    Template,
}

/// A draft that the character did not say, because the draft had a problem.
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
    /// The draft that the character says: its speaker, listeners and words.
    pub draft: DraftReply,
    /// Result of the check of these words.
    pub check: ReplyCheck,
    /// Writer of the words.
    pub writer: ReplyWriter,
    /// Drafts that the character did not say, because they had problems.
    pub rejected: Vec<RejectedDraft>,
    /// Whether the reply was interrupted before its end.
    pub is_interrupted: bool,
    /// Numbers of tokens and times of the language model; `None` if the language model wrote nothing.
    pub stats: Option<GenerationStats>,
    /// Time from the request to the end of the reply.
    pub time: Duration,
    /// Error of the language model; `None` if there was no error. After an error, a template writes the reply.
    pub model_error: Option<SpeechError>,
}

impl CharacterReply {
    /// Returns the words of the reply.
    pub fn text(&self) -> &str {
        &self.draft.text
    }

    /// Returns the game event that records the reply: see [`ReplyCheck::say`].
    pub fn event(&self, circumstances: Circumstances) -> GameEvent {
        self.check.say(&self.draft, circumstances)
    }
}

/// A step of a reply. A reply has any number of [`Chunk`](Self::Chunk) steps, and then one [`Spoken`](Self::Spoken) or
/// [`Failed`](Self::Failed) step.
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
