//! Text in, proposed facts out: by a language model behind OpenAI's protocol (feature `llm`).
//!
//! It gives the same [`Extraction`] as the local [`Extractor`](crate::Extractor), so that one policy decides about both.
//! Nothing here contacts a network unless somebody makes an [`Llm`] and calls it.
//!
//! ```no_run
//! use hearsay_extract::{Form, Language, Lexicon, Text, llm::{Key, Llm, LlmSettings, Watch}};
//! use hearsay_model::{State, Vocabulary};
//!
//! let settings = LlmSettings { base_url: "http://127.0.0.1:11434/v1".into(), model: "llama3.2".into(), ..LlmSettings::default() };
//! let key = Key::from_env(&settings)?; // HEARSAY_LLM_KEY, for HEARSAY_LLM_KEY_HOST; a local server wants none
//! let llm = Llm::new(settings, key, Language::english(), Vocabulary::default())?;
//!
//! let lexicon = Lexicon::of(&State::default());
//! let text = Text::new("Odo Brandt sold the barge Merrow to the Ferrymen's Guild.", Form::Lore);
//! // On a thread of its own: it waits for the server.
//! let found = llm.extract_blocking(&lexicon, &text, &Watch::default())?;
//! for fact in &found.extraction.facts {
//!     println!("{} ({}) from `{}`", fact.statement, fact.confidence, fact.quote);
//! }
//! println!("{} entities, {} facts, {} refused, {} tokens",
//!     found.counts.entities, found.counts.relations, found.counts.flagged.total(), found.counts.tokens);
//! # Ok::<(), hearsay_extract::llm::LlmError>(())
//! ```
//!
//! # How a text is read
//!
//! 1. In parts of 12,000 characters that overlap, cut at paragraphs and sentences. Each call has a context of its own.
//! 2. Entities, in passes that are told what was found so far, until two in a row find nothing new.
//! 3. Relations and attributes of entities that exist: known ones that the text names, and those found.
//! 4. Each item is held against the text ([`Flagged`] says what was refused, and why), and the parts are merged.
//!
//! # Guarantees
//!
//! - **Every fact quotes its words.** A quote that is not in the text is refused; spaces, quotes and dashes are compared as
//!   people read them. Statements use the text's own words or the predicate's phrase.
//! - **What a text says stays text.** It is fenced in the prompt; sentences that speak to the program give no fact, and
//!   everything else in such a text stays below the threshold, as does what is hedged or hearsay.
//! - **Predicates are those of the vocabulary**; others become RELATED_TO with their words, or `lore`.
//! - **Whole or not at all.** A part that failed gives nothing and is named in [`Found::unread`]; what is stopped gives
//!   nothing at all.
//! - **The key shows nowhere**: it comes from the environment, and is in no setting, error, log, `Debug` or answer.
//! - **Bounded.** Time, tries, tokens per run and in all, and calls at once have limits ([`LlmSettings`]).
//!
//! # In the background
//!
//! A [`Queue`] holds what is to be read as plain data: an engine stores it, takes from it when it has time, and says what
//! became of it. [`Job::script`] is the text of a job, [`Job::by_turn`] what was found, passage by passage. A [`Writer`]
//! writes recaps.

mod answer;
mod backoff;
mod budget;
mod cancel;
mod client;
mod error;
mod guard;
mod key;
mod known;
mod merge;
mod parts;
mod phases;
mod prompt;
mod queue;
mod quote;
mod repair;
mod settings;
mod take;
#[cfg(test)]
mod tests;
mod turns;
mod writer;

pub(crate) use answer::check as check_answer;

use std::fmt;

use hearsay_model::{Span, Vocabulary};
use serde::{Deserialize, Serialize};

pub use cancel::Cancel;
pub use error::LlmError;
pub use key::Key;
pub use merge::Further;
pub use queue::{Context, Job, JobId, JobState, Queue, QueueCounts, QueueSettings, Turn};
pub use settings::{LlmSettings, PhaseSettings};
pub use take::Flagged;
pub use writer::{Line, Writer};

use crate::{Extraction, Language, Lexicon, Text};
use client::Client;
use known::Scene;
use phases::Reading;

/// What a call is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It looks for entities.
    Entities,
    /// It looks for relations and attributes.
    Relations,
    /// It writes.
    Writing,
}

/// How far a run is: told before each pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What is asked now.
    pub phase: Phase,
    /// Which part, counted from 1.
    pub part: usize,
    /// How many there are.
    pub parts: usize,
    /// Which pass of this phase, counted from 1.
    pub pass: usize,
    /// Calls until now.
    pub calls: u64,
    /// Tokens until now, with those that are set aside for calls under way.
    pub tokens: u64,
}

/// Who watches a run: how it is stopped, and whom it tells how far it is.
#[derive(Clone, Default)]
pub struct Watch<'a> {
    /// Stops it.
    pub cancel: Cancel,
    /// Is told before each pass.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("cancel", &self.cancel).finish_non_exhaustive()
    }
}

/// What a run found, did and cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Parts of the text that were to be read.
    pub parts: usize,
    /// New entities.
    pub entities: usize,
    /// Relations and attributes.
    pub relations: usize,
    /// Entities and facts that were found again and became one with what was there.
    pub merged: usize,
    /// What was refused.
    pub flagged: Flagged,
    /// Passes that looked for entities.
    pub passes: usize,
    /// Calls, further tries included.
    pub calls: u64,
    /// Further tries after failures that may pass.
    pub retries: u64,
    /// Answers that had to be repaired.
    pub repaired: usize,
    /// Answers that broke off because they were too long; their complete items were taken.
    pub cut_off: usize,
    /// Answers that were sent back because they could not be used.
    pub asked_again: usize,
    /// Tokens, as the server counts them where it does.
    pub tokens: u64,
}

impl std::ops::AddAssign for Counts {
    /// Several runs together.
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

impl Counts {
    fn add(&mut self, part: &Self) {
        self.flagged.add(&part.flagged);
        self.merged += part.merged;
        self.passes += part.passes;
        self.repaired += part.repaired;
        self.cut_off += part.cut_off;
        self.asked_again += part.asked_again;
    }
}

/// A part of a text that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The bytes of the text.
    pub span: Span,
    /// Why; nothing, when it was not tried any more after another had failed.
    pub why: Option<LlmError>,
}

/// What a text states, after a language model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Facts, new entities and mentions.
    pub extraction: Extraction,
    /// Further evidence for these facts.
    pub further: Vec<Further>,
    /// What it took.
    pub counts: Counts,
    /// Parts of the text that were not read, because the budget or the server ended before.
    pub unread: Vec<Unread>,
}

/// Reads texts with a language model. Made once for a campaign, and used from any thread; copies share budget and limits.
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
    /// A client for the server that the settings name. Nothing is contacted yet.
    ///
    /// # Errors
    /// When the settings cannot be, or no client can be made.
    pub fn new(settings: LlmSettings, key: Key, language: Language, vocabulary: Vocabulary) -> Result<Self, LlmError> {
        let (entities_system, facts_system) = (prompt::entities_system(), prompt::facts_system(&vocabulary));
        Ok(Self { client: Client::new(settings, key)?, language, vocabulary, entities_system, facts_system })
    }

    /// The facts that a text states. Waits for the server: within a runtime of tokio, with its timers and network on.
    ///
    /// # Errors
    /// When no part of the text could be read, or it was stopped. A text without words is read without a call.
    pub fn extract<'a>(
        &'a self,
        lexicon: &'a Lexicon,
        text: &Text<'a>,
        watch: &'a Watch<'a>,
    ) -> impl Future<Output = Result<Found, LlmError>> + Send + use<'a> {
        let reading = Reading::new(self, lexicon, Scene::of(text), watch);
        async move { reading.read().await }
    }

    /// The same on a runtime of its own: for a thread that may wait, and never one of a game's.
    ///
    /// # Errors
    /// As [`Llm::extract`]; and when there can be no runtime.
    pub fn extract_blocking(&self, lexicon: &Lexicon, text: &Text<'_>, watch: &Watch<'_>) -> Result<Found, LlmError> {
        runtime()?.block_on(self.extract(lexicon, text, watch))
    }

    /// The same with another vocabulary: client, budget and limits are shared.
    #[must_use]
    pub fn with_vocabulary(&self, vocabulary: Vocabulary) -> Self {
        Self { facts_system: prompt::facts_system(&vocabulary), vocabulary, ..self.clone() }
    }

    /// A writer that shares client and budget.
    pub fn writer(&self) -> Writer {
        Writer::new(self.client.clone())
    }

    /// Tokens used since this was made, by all runs.
    pub fn tokens_used(&self) -> u64 {
        self.client.tokens_used()
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, LlmError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| LlmError::Client(error.to_string()))
}
