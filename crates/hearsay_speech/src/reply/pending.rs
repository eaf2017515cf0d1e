//! A reply in progress.

use std::{
    collections::BTreeSet,
    mem,
    time::{Duration, Instant},
};

use hearsay_commands::reply::{DraftReply, ReplyCheck};
use hearsay_engine::{Memory, MemoryError, Ticket};
use hearsay_model::FactId;
use hearsay_query::ask::Answer;

use super::{
    CharacterReply, RejectedDraft, ReplyRequest, ReplyStep, ReplyWriter,
    feedback::feedback,
    prompt::{add_feedback, first_prompt},
    sentences::{complete_sentences, sentences_before, up_to_last_sentence},
    template::{StatedFact, refusal, template_reply},
};
use crate::{
    ChatPrompt, EndReason, GenerationStats, SpeechError,
    drafts::{Draft, DraftQueue},
};

/// Pause between two polls while a thread waits for a reply.
const POLL_PAUSE: Duration = Duration::from_millis(3);

/// Maximum number of facts that a template leaves out because they caused a problem, before it says that the character has
/// nothing to tell.
const MAX_EXCLUDED: usize = 4;

/// A reply in progress. Call [`poll`](Self::poll) repeatedly, for example once per frame. To cancel the reply, drop
/// this value or call [`interrupt`](Self::interrupt).
pub struct PendingReply {
    request: ReplyRequest,
    queue: Option<DraftQueue>,
    stage: Stage,
    start: Instant,
    spoken: Spoken,
    rejected: Vec<RejectedDraft>,
    stats: Option<GenerationStats>,
    model_error: Option<SpeechError>,
}

/// The words that were released, with their check.
#[derive(Default)]
struct Spoken {
    text: String,
    check: ReplyCheck,
    writer: Option<ReplyWriter>,
}

enum Stage {
    Asking(Ticket<Answer>),
    Drafting { answer: Box<Answer>, prompt: ChatPrompt, draft: Draft, check: Option<PendingCheck> },
    Template { answer: Box<Answer>, stated: Vec<StatedFact>, excluded: BTreeSet<FactId>, check: PendingCheck },
    Done,
}

/// A check of words in progress.
struct PendingCheck {
    words: String,
    ticket: Ticket<ReplyCheck>,
}

impl PendingReply {
    pub(crate) fn new(answer: Ticket<Answer>, request: ReplyRequest, queue: Option<DraftQueue>) -> Self {
        Self {
            request,
            queue,
            stage: Stage::Asking(answer),
            start: Instant::now(),
            spoken: Spoken::default(),
            rejected: Vec::new(),
            stats: None,
            model_error: None,
        }
    }

    /// Returns whether the reply has ended: it was spoken, failed or interrupted.
    pub fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done)
    }

    /// Continues the reply as far as possible without waiting, and returns the new steps. `memory` must be the memory
    /// that answers the question.
    pub fn poll(&mut self, memory: &Memory) -> Vec<ReplyStep> {
        let mut steps = Vec::new();
        loop {
            match self.advance(memory, &mut steps) {
                Ok(true) => {}
                Ok(false) => return steps,
                Err(error) => {
                    self.stage = Stage::Done;
                    steps.push(ReplyStep::Failed(error));
                    return steps;
                }
            }
        }
    }

    /// Waits until the reply is complete. Calls `on_chunk` with each chunk of words, and with an empty text while it
    /// waits for more words. If `on_chunk` returns `false`, the reply is interrupted. This function blocks the calling
    /// thread, so do not call this function on a game's main thread.
    ///
    /// # Errors
    /// Returns an error if the memory fails or is closed, or if the reply is interrupted before its first words.
    pub fn wait(
        mut self,
        memory: &Memory,
        mut on_chunk: impl FnMut(&str) -> bool,
    ) -> Result<CharacterReply, SpeechError> {
        loop {
            let mut proceed = true;
            for step in self.poll(memory) {
                match step {
                    ReplyStep::Chunk(words) => proceed &= on_chunk(&words),
                    ReplyStep::Spoken(reply) => return Ok(*reply),
                    ReplyStep::Failed(error) => return Err(error),
                }
            }
            if !proceed || !on_chunk("") {
                return self.interrupt().ok_or_else(|| MemoryError::Cancelled.into());
            }
            std::thread::sleep(POLL_PAUSE);
        }
    }

    /// Ends the reply. Returns a reply with the words so far, or `None` if the character has said no words yet.
    pub fn interrupt(&mut self) -> Option<CharacterReply> {
        if self.is_done() {
            return None;
        }
        let draft = match &self.stage {
            Stage::Drafting { answer, .. } | Stage::Template { answer, .. } => Some(self.draft(answer, "")),
            Stage::Asking(_) | Stage::Done => None,
        };
        self.stage = Stage::Done;
        let draft = draft.filter(|_| !self.spoken.text.trim().is_empty())?;
        Some(CharacterReply { is_interrupted: true, ..self.spoken_reply(draft) })
    }

    /// Does one step. Returns whether another step may be possible.
    fn advance(&mut self, memory: &Memory, steps: &mut Vec<ReplyStep>) -> Result<bool, SpeechError> {
        match mem::replace(&mut self.stage, Stage::Done) {
            Stage::Done => Ok(false),
            Stage::Asking(ticket) => match ticket.try_take() {
                None => self.wait_in(Stage::Asking(ticket)),
                Some(answer) => self.begin(Box::new(answer?), memory),
            },
            Stage::Drafting { answer, prompt, mut draft, check: None } => {
                self.take_parts(&mut draft);
                match self.next_words(&draft, &answer.context.name) {
                    Some(words) if words.len() > self.spoken.text.len() => {
                        let check = Some(self.check(words, &answer, memory)?);
                        self.go_to(Stage::Drafting { answer, prompt, draft, check })
                    }
                    Some(_) if draft.end.is_some() => self.end_draft(answer, memory, steps),
                    _ => self.wait_in(Stage::Drafting { answer, prompt, draft, check: None }),
                }
            }
            Stage::Drafting { answer, prompt, mut draft, check: Some(check) } => {
                self.take_parts(&mut draft);
                match check.ticket.try_take() {
                    None => self.wait_in(Stage::Drafting { answer, prompt, draft, check: Some(check) }),
                    Some(result) => {
                        let result = result?;
                        if result.is_fine() {
                            self.release(check.words, result, steps);
                            return self.go_to(Stage::Drafting { answer, prompt, draft, check: None });
                        }
                        self.reject(check.words, result, answer, prompt, memory, steps)
                    }
                }
            }
            Stage::Template { answer, stated, mut excluded, check } => match check.ticket.try_take() {
                None => self.wait_in(Stage::Template { answer, stated, excluded, check }),
                Some(result) => {
                    let mut result = result?;
                    // The reply is tried again without the facts that cause a problem.
                    let problems: Vec<FactId> = stated.iter().filter_map(|fact| fact.with_problem(&result)).collect();
                    if !problems.is_empty() && excluded.len() < MAX_EXCLUDED {
                        excluded.extend(problems);
                        return self.use_template(answer, excluded, memory);
                    }
                    self.spoken.writer = Some(ReplyWriter::Template);
                    stated.into_iter().for_each(|stated| stated.add_to(&mut result, &check.words));
                    if result.is_fine() {
                        self.release(check.words, result, steps);
                    } else {
                        let words = refusal(&answer, &self.request).to_owned();
                        self.release(words, ReplyCheck::default(), steps);
                    }
                    self.finish(&answer, steps)
                }
            },
        }
    }

    fn wait_in(&mut self, stage: Stage) -> Result<bool, SpeechError> {
        self.stage = stage;
        Ok(false)
    }

    fn go_to(&mut self, stage: Stage) -> Result<bool, SpeechError> {
        self.stage = stage;
        Ok(true)
    }

    /// Begins the first draft. Without a language model, begins the template.
    fn begin(&mut self, answer: Box<Answer>, memory: &Memory) -> Result<bool, SpeechError> {
        let prompt = first_prompt(&answer, &self.request);
        self.spoken.writer = Some(ReplyWriter::Model);
        self.write_draft(answer, prompt, memory)
    }

    fn write_draft(&mut self, answer: Box<Answer>, prompt: ChatPrompt, memory: &Memory) -> Result<bool, SpeechError> {
        match &self.queue {
            Some(queue) => {
                let draft = queue.write(prompt.clone());
                self.go_to(Stage::Drafting { answer, prompt, draft, check: None })
            }
            None => self.use_template(answer, BTreeSet::new(), memory),
        }
    }

    /// Writes the reply of the template without the given facts. The sentences of the template are complete, so they are
    /// checked without the question.
    fn use_template(
        &mut self,
        answer: Box<Answer>,
        excluded: BTreeSet<FactId>,
        memory: &Memory,
    ) -> Result<bool, SpeechError> {
        let (words, stated) = template_reply(&answer, &self.request, &excluded);
        let draft = DraftReply { heard: Vec::new(), ..self.draft(&answer, &words) };
        let check = PendingCheck { ticket: memory.check_reply(draft)?, words };
        self.go_to(Stage::Template { answer, stated, excluded, check })
    }

    /// Takes the parts that the language model has written since the last call.
    fn take_parts(&mut self, draft: &mut Draft) {
        draft.take_parts();
        match &draft.end {
            Some(Ok(stats)) => self.stats = Some(*stats),
            Some(Err(error)) => self.model_error = Some(error.clone()),
            None => {}
        }
    }

    /// Returns the words to check next: the complete sentences so far, or the whole text at its end. `None` if there are
    /// no complete sentences yet.
    fn next_words(&self, draft: &Draft, speaker: &str) -> Option<String> {
        let text = without_frame(&draft.text, speaker);
        let words = match &draft.end {
            Some(Ok(stats)) if stats.end == EndReason::Finished => text.trim_end_matches(['"', '\u{201D}']).trim_end(),
            Some(_) => up_to_last_sentence(text).trim_end(),
            None => {
                let new = text.get(self.spoken.text.len()..).unwrap_or_default();
                match complete_sentences(new) {
                    0 => return None,
                    length => &text[..self.spoken.text.len() + length],
                }
            }
        };
        Some(words.to_owned())
    }

    fn draft(&self, answer: &Answer, words: &str) -> DraftReply {
        let heard = self.request.earlier.iter().filter(|line| !line.is_own).map(|line| line.text.clone());
        DraftReply {
            heard: heard.chain([answer.context.question.clone()]).collect(),
            for_dm: self.request.for_dm,
            ..DraftReply::new(answer.context.speaker.clone(), self.request.listeners.clone(), words)
        }
    }

    fn check(&self, words: String, answer: &Answer, memory: &Memory) -> Result<PendingCheck, SpeechError> {
        let ticket = memory.check_reply(self.draft(answer, &words))?;
        Ok(PendingCheck { words, ticket })
    }

    /// Releases words that passed the check.
    fn release(&mut self, words: String, check: ReplyCheck, steps: &mut Vec<ReplyStep>) {
        let new = words.get(self.spoken.text.len()..).unwrap_or_default();
        if !new.is_empty() {
            steps.push(ReplyStep::Chunk(new.to_owned()));
        }
        (self.spoken.text, self.spoken.check) = (words, check);
    }

    /// Goes on after a problem: ends the reply before the sentence with the problem, asks for a second draft, or uses the template.
    fn reject(
        &mut self,
        words: String,
        check: ReplyCheck,
        answer: Box<Answer>,
        mut prompt: ChatPrompt,
        memory: &Memory,
        steps: &mut Vec<ReplyStep>,
    ) -> Result<bool, SpeechError> {
        let problems: Vec<_> = check.findings.iter().filter(|finding| finding.is_problem).cloned().collect();
        let (message, is_first) = (feedback(&problems), self.rejected.is_empty());
        let first_problem = problems.iter().map(|problem| problem.span.start).min().unwrap_or_default();
        let end = sentences_before(&words, first_problem);
        if end > self.spoken.text.len() {
            let findings = check.findings.into_iter().filter(|finding| finding.span.end <= end).collect();
            self.release(words[..end].to_owned(), ReplyCheck { findings }, steps);
        }
        if is_first {
            add_feedback(&mut prompt, &words, &message);
        }
        self.rejected.push(RejectedDraft { text: words, problems });
        if !self.spoken.text.is_empty() {
            return self.finish(&answer, steps);
        }
        if is_first {
            self.spoken.writer = Some(ReplyWriter::Repair);
            self.write_draft(answer, prompt, memory)
        } else {
            self.use_template(answer, BTreeSet::new(), memory)
        }
    }

    /// Goes on at the end of a draft without problems.
    fn end_draft(
        &mut self,
        answer: Box<Answer>,
        memory: &Memory,
        steps: &mut Vec<ReplyStep>,
    ) -> Result<bool, SpeechError> {
        match self.spoken.text.trim().is_empty() {
            true => self.use_template(answer, BTreeSet::new(), memory),
            false => self.finish(&answer, steps),
        }
    }

    fn finish(&mut self, answer: &Answer, steps: &mut Vec<ReplyStep>) -> Result<bool, SpeechError> {
        let draft = self.draft(answer, "");
        steps.push(ReplyStep::Spoken(Box::new(self.spoken_reply(draft))));
        Ok(false)
    }

    /// Returns the reply with the released words.
    fn spoken_reply(&mut self, draft: DraftReply) -> CharacterReply {
        let Spoken { text, check, writer } = mem::take(&mut self.spoken);
        CharacterReply {
            draft: DraftReply { text: text.trim().to_owned(), ..draft },
            check,
            writer: writer.unwrap_or(ReplyWriter::Template),
            rejected: mem::take(&mut self.rejected),
            is_interrupted: false,
            stats: self.stats,
            time: self.start.elapsed(),
            model_error: self.model_error.take(),
        }
    }
}

/// Returns a text without spaces, quotation marks and the speaker's name at its start. Language models often write
/// these although they should not.
fn without_frame<'a>(text: &'a str, speaker: &str) -> &'a str {
    let text = text.trim_start();
    let named = text.strip_prefix(speaker).and_then(|rest| rest.strip_prefix(':')).filter(|_| !speaker.is_empty());
    named.unwrap_or(text).trim_start().trim_start_matches(['"', '\u{201C}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_and_the_name_of_the_speaker_are_no_part_of_the_words() {
        assert_eq!(without_frame(" Mirela Voss: \u{201C}Good day.", "Mirela Voss"), "Good day.");
        assert_eq!(without_frame("\"Good day.\"", "Mirela Voss"), "Good day.\"");
        assert_eq!(without_frame("Mirela Voss is dead.", "Mirela Voss"), "Mirela Voss is dead.");
        assert_eq!(without_frame(": no", ""), ": no");
    }
}
