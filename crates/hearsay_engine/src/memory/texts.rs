//! Extraction of facts from texts, by the extractor and by a language model.

use std::time::Duration;

use hearsay_commands::{
    fact_matching::{FactMatches, SpokenLine},
    game_event::GameEvent,
    line_reading::{LineReading, UnrecordedLine},
    reading::{Draft, DraftExtraction},
    reply::{DraftReply, ReplyCheck},
};

#[cfg(feature = "llm")]
use crate::{
    LlmStatus,
    worker::{LlmCommand, LlmStep},
};
use crate::{MemoryError, Status, ticket::Ticket, worker::Command};

use super::Memory;

impl Memory {
    /// Extracts facts from a text and returns them without recording them.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if an entity of the
    /// draft does not exist, or if the language file is invalid.
    pub fn draft(&self, draft: Draft) -> Result<Ticket<DraftExtraction>, MemoryError> {
        self.send_read(|responder| Command::Draft(draft, responder))
    }

    /// Finds the deeds that the sentences of a game event state, and returns the event with these deeds instead of the
    /// sentences: see [`deeds`](hearsay_commands::deeds). Records nothing.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the language file is
    /// invalid.
    pub fn find_deeds(&self, event: GameEvent) -> Result<Ticket<GameEvent>, MemoryError> {
        self.send_read(|responder| Command::FindDeeds(Box::new(event), responder))
    }

    /// Finds the recorded facts that a spoken line certainly or possibly states, or the secrets that a line of
    /// narration states: see [`fact_matching`](hearsay_commands::fact_matching). Records nothing. To record the line
    /// together with its facts, list the facts in the field `states` of
    /// [`GameEvent::Say`](hearsay_commands::game_event::GameEvent::Say) or in
    /// [`LogLine::states`](hearsay_commands::session::LogLine::states). To keep the secrets of narration, list them in
    /// [`LogLine::secrets`](hearsay_commands::session::LogLine::secrets). Without a sentence encoder, a match by words
    /// is only possible, not certain.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the speaker does not
    /// exist, if the date is invalid, or if the language file is invalid.
    pub fn match_facts(&self, line: SpokenLine) -> Result<Ticket<FactMatches>, MemoryError> {
        self.send_read(|responder| Command::MatchFacts(line, responder))
    }

    /// Finds the speaker of a line that is not recorded yet, its kind of talk, and the recorded facts that it states: see
    /// [`line_reading`](hearsay_commands::line_reading). Records nothing. To record the line, write the returned
    /// [`LogLine`](hearsay_commands::session::LogLine).
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the speaker does not
    /// exist or cannot speak, if the date is invalid, or if the language file is invalid.
    pub fn read_line(&self, line: UnrecordedLine) -> Result<Ticket<LineReading>, MemoryError> {
        self.send_read(|responder| Command::ReadLine(line, responder))
    }

    /// Checks a draft of a character's reply for revealed secrets, contradictions and unknown names: see
    /// [`reply`](hearsay_commands::reply). Records nothing. To record the reply after the character said it, write the
    /// game event of [`ReplyCheck::say`].
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if the speaker or a
    /// listener does not exist, or if the language file is invalid.
    pub fn check_reply(&self, draft: DraftReply) -> Result<Ticket<ReplyCheck>, MemoryError> {
        self.send_read(|responder| Command::CheckReply(draft, responder))
    }

    /// Starts to extract facts, in the background, from all texts that were not read yet, even if the settings disable
    /// extraction. The ticket returns the number of texts.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn read_texts(&self) -> Result<Ticket<usize>, MemoryError> {
        self.send_read(|responder| Command::ReadTexts { again: false, responder })
    }

    /// Starts to extract facts, in the background, from every text again, for example after a change of the language
    /// file, even if the settings disable extraction. Facts that are already recorded do not change. The ticket returns
    /// the number of texts.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed.
    pub fn reread_texts(&self) -> Result<Ticket<usize>, MemoryError> {
        self.send_read(|responder| Command::ReadTexts { again: true, responder })
    }

    /// Waits until facts have been extracted from all texts. Repeatedly calls `progress` with the number of remaining
    /// texts. To stop waiting, return `false` from `progress`. Blocks the calling thread, so do not call this function
    /// on a game's main thread.
    ///
    /// # Errors
    /// Returns an error if the memory closes, or `progress` returns `false` ([`MemoryError::Cancelled`]).
    pub fn wait_for_reading(&self, mut progress: impl FnMut(usize) -> bool) -> Result<Status, MemoryError> {
        loop {
            let status = self.status()?.wait()?;
            if !progress(status.unread) {
                return Err(MemoryError::Cancelled);
            }
            if status.unread == 0 {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Pauses or resumes extraction by the language model, or retries failed texts. The ticket returns the resulting
    /// status.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails with
    /// [`MemoryError::NoLlm`] if no language model is enabled.
    #[cfg(feature = "llm")]
    pub fn llm(&self, step: LlmStep) -> Result<Ticket<LlmStatus>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Step(step, responder)))
    }

    /// Extracts facts from a text with the language model and returns them without recording them.
    ///
    /// # Errors
    /// Returns the same errors as [`llm`](Self::llm). The ticket also fails if an entity of the draft does not exist,
    /// or if the model returns no usable answer.
    #[cfg(feature = "llm")]
    pub fn draft_with_llm(&self, draft: Draft) -> Result<Ticket<DraftExtraction>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Draft(draft, responder)))
    }

    /// Sends a prompt to the language model and returns the answer. For example, the prompt can be that of a
    /// [`SessionRecap`](hearsay_query::session::SessionRecap). Extracts no facts from the answer.
    ///
    /// # Errors
    /// Returns the same errors as [`llm`](Self::llm). The ticket also fails if the model returns no usable answer.
    #[cfg(feature = "llm")]
    pub fn write_with_llm(&self, prompt: impl Into<String>) -> Result<Ticket<String>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Write(prompt.into(), responder)))
    }

    /// Waits until the language model has read all texts that are ready to be read. Repeatedly calls `progress` with
    /// the status. To stop waiting, return `false` from `progress`. Blocks the calling thread, so do not call this
    /// function on a game's main thread. Failed texts stay in the queue and may be retried later.
    ///
    /// # Errors
    /// Returns an error if the memory closes, no language model is enabled, or `progress` returns `false`
    /// ([`MemoryError::Cancelled`]).
    #[cfg(feature = "llm")]
    pub fn wait_for_llm(&self, mut progress: impl FnMut(&LlmStatus) -> bool) -> Result<LlmStatus, MemoryError> {
        loop {
            let status = self.status()?.wait()?;
            let disabled = || MemoryError::NoLlm("it is disabled".into());
            let llm = status.llm.ok_or_else(disabled)?;
            if !progress(&llm) {
                return Err(MemoryError::Cancelled);
            }
            let is_due = llm.next_try_ms == Some(0);
            if status.unread == 0 && llm.queue.running == 0 && llm.writing == 0 && !is_due {
                return Ok(llm);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
