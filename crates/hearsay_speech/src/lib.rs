//! Lets characters speak: a language model writes the words of a character, and the memory checks these words before
//! anyone hears them.
//!
//! ```no_run
//! use hearsay_engine::{Memory, MemoryOptions};
//! use hearsay_model::EntityId;
//! use hearsay_query::ask::Ask;
//! use hearsay_speech::{ReplyRequest, Speech};
//!
//! let memory = Memory::open(MemoryOptions::for_campaign("campaigns/gullhaven")?)?;
//! let speech = Speech::from_settings(&memory.settings().speech, None)?;
//! let pell = EntityId::new("pell")?;
//! let answer = memory.ask(Ask {
//!     present: vec![pell.clone()],
//!     ..Ask::new(EntityId::new("mirela-voss")?, "Where is the ledger?")
//! })?;
//! let request = ReplyRequest { listeners: vec![pell], ..ReplyRequest::default() };
//! let reply = speech.reply(answer, request).wait(&memory, |words| {
//!     print!("{words}");
//!     true
//! })?;
//! println!("\n{:?}", reply.writer);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Only checked words are released.** The memory compares each sentence with the speaker's knowledge first. A
//!   sentence is not released if it reveals a secret, contradicts a fact that the speaker knows, or contains a name
//!   that the speaker does not know. The check does not find every problem: see
//!   [`check_reply`](hearsay_engine::Memory::check_reply).
//! - **There is always a reply.** If the language model is missing, fails or writes two bad drafts, a template writes
//!   the reply. The template states a fact that the speaker knows and is allowed to tell. If there is no such fact, the
//!   template says that the speaker can tell nothing.
//! - **Nothing blocks.** The language model runs on a server, or on a thread of its own with a lower priority than the
//!   game.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `server` | no | uses a language model on a server with an OpenAI-compatible API |
//! | `local` | no | runs language models from GGUF files in this process |
//! | `cuda` | no | runs these models on an NVIDIA GPU |
//! | `metal` | no | runs these models on an Apple GPU |
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod drafts;
mod error;
mod language_model;
mod reply;
mod speech;
#[cfg(test)]
mod tests;

pub use error::SpeechError;
#[cfg(feature = "server")]
pub use language_model::RemoteModel;
pub use language_model::{
    ChatMessage, ChatPrompt, ChatRole, EndReason, GenerationLimits, GenerationStats, LanguageModel, ScriptedModel,
};
#[cfg(feature = "local")]
pub use language_model::{LocalModel, LocalModelOptions};
pub use reply::{CharacterReply, ConversationLine, PendingReply, RejectedDraft, ReplyRequest, ReplyStep, ReplyWriter};
pub use speech::{Speech, SpeechStatus};
