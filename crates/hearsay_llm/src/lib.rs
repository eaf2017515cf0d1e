//! Extracts proposed facts from a text with a language model. The model runs on a server with an OpenAI-compatible API.
//!
//! The result has the same type, [`Extraction`], as the result of the local [`Extractor`](hearsay_extract::Extractor).
//! The same policy therefore decides which facts are recorded, wait for review or are dropped. This crate contacts a
//! server only when a caller creates an [`Llm`] and calls a method that needs the server.
//!
//! ```no_run
//! use hearsay_extract::{Language, Lexicon, Text, TextType};
//! use hearsay_llm::{ApiKey, Llm, LlmSettings, RunControl};
//! use hearsay_model::{State, Vocabulary};
//!
//! let settings = LlmSettings { base_url: "http://127.0.0.1:11434/v1".into(), model: "llama3.2".into(), ..LlmSettings::default() };
//! let key = ApiKey::from_env(&settings)?; // HEARSAY_LLM_KEY, sent only to HEARSAY_LLM_KEY_HOST
//! let llm = Llm::new(settings, key, Language::english(), Vocabulary::default())?;
//!
//! let lexicon = Lexicon::from_state(&State::default());
//! let text = Text::new("Odo Brandt sold the barge Merrow to the Ferrymen's Guild.", TextType::Lore);
//! // Blocks until the server has answered, so do not call this on the game thread.
//! let found = llm.extract_blocking(&lexicon, &text, &RunControl::default())?;
//! for fact in &found.extraction.facts {
//!     println!("{} ({}) from `{}`", fact.statement, fact.confidence, fact.quote);
//! }
//! println!("{} entities, {} facts, {} refused, {} tokens",
//!     found.counts.entities, found.counts.relations, found.counts.flagged.total(), found.counts.tokens);
//! # Ok::<(), hearsay_llm::LlmError>(())
//! ```
//!
//! # How a text is read
//!
//! 1. The text is divided into overlapping parts of at most 12,000 characters, at the ends of paragraphs or sentences.
//!    Each call to the server is a new conversation.
//! 2. The model looks for entities in several passes over the part. Each pass gets a list of the entities found so far.
//!    The passes end when two consecutive passes find no new entities, or after [`LlmSettings::entity_passes`] passes.
//! 3. The model looks for relations and attributes of the known entities that the text names, and of the entities from
//!    step 2.
//! 4. Each entity and fact is compared with the text. If an item fails a check, it is refused. [`RejectionCounts`]
//!    counts the refused items by reason. Then the results of all parts are merged.
//!
//! # Guarantees
//!
//! - **Every fact quotes the text.** A fact is refused if its quote is not in the text. The comparison ignores letter
//!   case, the style of quotation marks and dashes, and the number of spaces. The statement of a fact uses only words
//!   of the text or of the predicate's phrase, except for words of up to three letters.
//! - **A text cannot give orders to the program.** The prompt encloses the text between marker lines. If a sentence
//!   gives instructions to the program or the model, all facts of the text get a low confidence, so that the DM must
//!   review them. Hedged statements and rumours get a low confidence too.
//! - **Every predicate is in the vocabulary.** An unknown relation becomes RELATED_TO, with the model's words for the
//!   relation. An unknown attribute becomes `lore`, with the sentence of the text.
//! - **A part is read completely or not at all.** If a part fails, it gives no facts, and [`LlmExtraction::unread`]
//!   lists the part. A cancelled run returns only an error.
//! - **The key stays secret.** The key comes from the environment. The key never appears in a setting, error, log,
//!   `Debug` output or answer.
//! - **Time and tokens are limited.** [`LlmSettings`] limits the time and the number of tries of each call, and the
//!   number of concurrent calls. It also limits the tokens for one text or recap, and the tokens for all texts and
//!   recaps together.
//!
//! # In the background
//!
//! A [`Queue`] contains the texts that wait for extraction, as plain data. An engine stores the queue, takes jobs from
//! it when it has time, and reports the result of each job. [`Job::script`] returns the text of a job.
//! [`Job::split_by_turn`] divides the extracted facts by passage. A [`Writer`] writes recaps.
//!
//! # Chats
//!
//! A [`ChatClient`] writes the next message of a chat, and passes the text on while the model writes it.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod answer;
mod backoff;
mod budget;
mod cancel;
mod chat;
mod chat_message;
mod client;
mod error;
pub mod fuzz;
mod item_checks;
mod json_repair;
mod key;
mod merge;
mod parts;
mod phases;
mod prompt;
mod prompt_entities;
mod prompt_injection;
mod queue;
mod quote;
mod settings;
#[cfg(test)]
mod tests;
mod turns;
mod writer;

use std::fmt;

use hearsay_extract::{Extraction, Language, Lexicon, Text, TextType};
use hearsay_model::{Span, Vocabulary};
use serde::{Deserialize, Serialize};

pub use cancel::CancelHandle;
pub use chat::ChatClient;
pub use chat_message::{ChatEnd, ChatLine, ChatRequest, ChatStats};
pub use error::LlmError;
pub use item_checks::RejectionCounts;
pub use key::ApiKey;
pub use merge::AdditionalQuote;
pub use queue::{Context, Job, JobId, JobState, Queue, QueueCounts, QueueSettings, Turn};
pub use settings::{LlmSettings, PhaseSettings};
pub use writer::{Writer, WriterLine};

use client::Client;
use phases::LlmTextExtractor;
use prompt_entities::Scene;

/// Purpose of a call to the language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The model looks for entities.
    Entities,
    /// The model looks for relations and attributes.
    Relations,
    /// The model writes a text, such as a recap.
    Writing,
}

/// Progress of an extraction from one text. The progress is reported before each pass over a part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Purpose of the next call.
    pub phase: Phase,
    /// Number of the current part of the text, counted from 1.
    pub part: usize,
    /// Number of parts of the text.
    pub parts: usize,
    /// Number of the current pass over the part, counted from 1. The phase `Entities` can have several passes.
    pub pass: usize,
    /// Number of calls to the server for this text so far, including repeated calls.
    pub calls: u64,
    /// Number of tokens for this text so far, including the tokens reserved for unfinished calls.
    pub tokens: u64,
}

/// Lets a caller cancel an extraction and follow its progress.
#[derive(Clone, Default)]
pub struct RunControl<'a> {
    /// Handle that cancels the extraction.
    pub cancel: CancelHandle,
    /// Function that gets the progress before each pass over a part of the text; `None` to report no progress.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl fmt::Debug for RunControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunControl").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

/// Statistics of one extraction: numbers of results, calls and tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExtractionCounts {
    /// Number of parts of the text, including parts that could not be read.
    pub parts: usize,
    /// Number of new entities.
    pub entities: usize,
    /// Number of extracted relations and attributes.
    pub relations: usize,
    /// Number of entities and facts that were merged because another part of the text states the same entity or fact.
    pub merged: usize,
    /// Numbers of entities and facts that the checks refused, by reason.
    pub flagged: RejectionCounts,
    /// Number of passes over parts of the text that looked for entities.
    pub passes: usize,
    /// Number of calls to the server, including repeated calls.
    pub calls: u64,
    /// Number of calls that were repeated after a temporary failure.
    pub retries: u64,
    /// Number of answers whose JSON had to be repaired.
    pub repaired: usize,
    /// Number of answers that were cut off because they were too long. The complete items of these answers were used.
    pub cut_off: usize,
    /// Number of answers that could not be used, so that the model was asked to answer again.
    pub asked_again: usize,
    /// Number of tokens, as counted by the server. If the server does not count tokens, an estimate is used.
    pub tokens: u64,
}

impl std::ops::AddAssign for ExtractionCounts {
    /// Adds the counts of another extraction.
    fn add_assign(&mut self, run: Self) {
        self.add(&run);
        self.parts += run.parts;
        self.entities += run.entities;
        self.relations += run.relations;
        self.calls += run.calls;
        self.retries += run.retries;
        self.tokens += run.tokens;
    }
}

impl ExtractionCounts {
    fn add(&mut self, part: &Self) {
        self.flagged.add(&part.flagged);
        self.merged += part.merged;
        self.passes += part.passes;
        self.repaired += part.repaired;
        self.cut_off += part.cut_off;
        self.asked_again += part.asked_again;
    }
}

/// Part of a text that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadPart {
    /// Byte range of the part in the text.
    pub span: Span,
    /// Reason why reading failed; `None` if this part was not read because another part failed first.
    pub reason: Option<LlmError>,
}

/// Result of extraction with a language model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LlmExtraction {
    /// Extracted facts, new entities, and mentions of known entities.
    pub extraction: Extraction,
    /// Additional quotes from the text for the facts in `extraction`.
    pub additional_quotes: Vec<AdditionalQuote>,
    /// Statistics of the extraction: numbers of results, calls and tokens.
    pub counts: ExtractionCounts,
    /// Parts of the text that were not read because of an error, such as a used-up budget or an unreachable server.
    pub unread: Vec<UnreadPart>,
}

/// Extracts facts from texts with a language model. Create one `Llm` per campaign; any number of threads can use it.
/// Clones share the token budget and the limit on concurrent calls.
#[derive(Clone)]
pub struct Llm {
    client: Client,
    language: Language,
    vocabulary: Vocabulary,
    entities_system: String,
    facts_system: String,
}

impl fmt::Debug for Llm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Llm").field("settings", &self.client.settings).finish_non_exhaustive()
    }
}

impl Llm {
    /// Creates a client for the server in the settings. Does not contact the server.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid, if the key is for a different host, or if the HTTP client cannot be
    /// created.
    pub fn new(
        settings: LlmSettings,
        key: ApiKey,
        language: Language,
        vocabulary: Vocabulary,
    ) -> Result<Self, LlmError> {
        let (entities_system, facts_system) =
            (prompt::entities_system_prompt(), prompt::facts_system_prompt(&vocabulary));
        Ok(Self { client: Client::new(settings, key)?, language, vocabulary, entities_system, facts_system })
    }

    /// Extracts the facts that a text states, and waits for the server. Must be called in a tokio runtime with timers
    /// and I/O enabled. A text without words needs no call to the server.
    ///
    /// # Errors
    /// Returns an error if no part of the text could be read, or if the extraction was cancelled.
    pub fn extract<'a>(
        &'a self,
        lexicon: &'a Lexicon,
        text: &Text<'a>,
        watch: &'a RunControl<'a>,
    ) -> impl Future<Output = Result<LlmExtraction, LlmError>> + Send + use<'a> {
        let reading = LlmTextExtractor::new(self, lexicon, Scene::from_text(text), watch);
        async move { reading.extract().await }
    }

    /// Does the same as [`Llm::extract`], but blocks the thread and creates its own tokio runtime. Do not call this
    /// function on a thread of the game loop.
    ///
    /// # Errors
    /// Returns the errors of [`Llm::extract`], and an error if the runtime cannot be created.
    pub fn extract_blocking(
        &self,
        lexicon: &Lexicon,
        text: &Text<'_>,
        watch: &RunControl<'_>,
    ) -> Result<LlmExtraction, LlmError> {
        runtime()?.block_on(self.extract(lexicon, text, watch))
    }

    /// Extracts facts from the turns of a job. Blocks the thread like [`Llm::extract_blocking`].
    ///
    /// # Errors
    /// Returns the same errors as [`Llm::extract_blocking`].
    pub fn extract_job_blocking(
        &self,
        lexicon: &Lexicon,
        job: &Job,
        watch: &RunControl<'_>,
    ) -> Result<LlmExtraction, LlmError> {
        let (script, _) = job.script();
        let has_speaker = job.turns.iter().any(|turn| turn.speaker.is_some());
        let before: Vec<&str> = job.context.before.iter().map(String::as_str).collect();
        let text = Text {
            speaker: job.turns.first().filter(|_| job.turns.len() == 1).and_then(|turn| turn.speaker.as_ref()),
            present: &job.context.present,
            place: job.context.place.as_ref(),
            preceding: &before,
            ..Text::new(&script, if has_speaker { TextType::Talk } else { TextType::Lore })
        };
        self.extract_blocking(lexicon, &text, watch)
    }

    /// Returns a copy that uses another vocabulary. The copy shares the client, the token budget and the limit on
    /// concurrent calls.
    #[must_use]
    pub fn with_vocabulary(&self, vocabulary: Vocabulary) -> Self {
        Self { facts_system: prompt::facts_system_prompt(&vocabulary), vocabulary, ..self.clone() }
    }

    /// Returns a writer that shares the client and the token budget.
    pub fn writer(&self) -> Writer {
        Writer::new(self.client.clone())
    }

    /// Returns the number of tokens used for all texts and recaps since this `Llm` was created.
    pub fn tokens_used(&self) -> u64 {
        self.client.tokens_used()
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, LlmError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| LlmError::Client(error.to_string()))
}
