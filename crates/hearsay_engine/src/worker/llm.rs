//! Extraction with a language model: the queue of texts, and the findings.
//!
//! Separate threads query the model and send [`Internal::LlmResult`] to the worker. The worker writes the findings in
//! the same way as findings of the local extractor. The queue is stored in a file in the directory of the database. The
//! queue is not part of the journal.

mod saved_queue;
mod threads;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use hearsay_commands::{
    proposal::ProposalCounts,
    reading::{Draft, DraftExtraction, Findings},
};
use hearsay_extract::Lexicon;
use hearsay_llm::{Context, ExtractionCounts, LlmError, LlmSettings, Queue, QueueSettings, Turn};
use hearsay_model::{Change, Knower, Operation, Passage, PassageId, State, TalkKind};
use hearsay_query::resolve::public_name;
use hearsay_store::Location;

use super::{Internal, Worker, Write, reading::Readings};
use crate::{Event, LlmStatus, MemoryError, MemoryOptions, clock::now, ticket::Responder};

use saved_queue::SavedQueue;
use threads::{LlmThreads, Task};

pub(crate) use threads::LlmResult;

/// A control command for extraction with a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmStep {
    /// Pauses extraction. Texts that are being read return to the queue.
    Pause,
    /// Resumes extraction.
    Resume,
    /// Retries failed texts as soon as possible, including texts for which all retries have failed.
    Retry,
    /// Resumes extraction, and reads all waiting texts now, including unfinished conversations.
    ReadAll,
}

/// A caller's request to the language model.
pub(crate) enum LlmCommand {
    Step(LlmStep, Responder<LlmStatus>),
    Draft(Draft, Responder<DraftExtraction>),
    Write(String, Responder<String>),
}

/// Minimum time between two writes of the queue to its file.
const MIN_SAVE_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum time that closing waits for the threads to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// State of extraction with a language model.
pub(super) struct LlmExtractor {
    settings: LlmSettings,
    limits: QueueSettings,
    saved: SavedQueue,
    /// Threads that query the model, or the reason why there are none.
    threads: Result<LlmThreads, String>,
    is_paused: bool,
    /// Number of jobs that are being read.
    running: usize,
    /// Number of passages whose findings are to be written.
    writing: usize,
    /// Real time before which no job is due, in milliseconds since 1970.
    next_due_at: i64,
    counts: ExtractionCounts,
    found: ProposalCounts,
    last_error: Option<String>,
    /// File of the queue; `None` for a memory without files.
    file: Option<PathBuf>,
    /// Whether the queue has changed since it was last stored.
    is_dirty: bool,
    /// Whether the queue is being stored.
    is_saving: bool,
    /// Earliest time at which the queue may be stored again.
    next_save_at: Instant,
}

impl LlmExtractor {
    /// Reads the stored queue and starts the threads. Returns `None` if the settings enable no language model.
    pub(super) fn start(
        options: &MemoryOptions,
        state: &State,
        internal: &crossbeam_channel::Sender<Internal>,
    ) -> Option<Self> {
        let extraction = &options.settings.extraction;
        let settings = extraction.llm.clone();
        if !settings.enabled {
            return None;
        }
        let threads = LlmThreads::start(&settings, extraction.language.as_deref(), state, internal);
        match &threads {
            Ok(_) => {
                tracing::info!(
                    "texts are also read by the language model {}: they are sent to {}",
                    settings.model,
                    settings.base_url
                )
            }
            Err(error) => tracing::warn!("the language model is not used: {error}"),
        }
        let file = match &options.location {
            Location::Directory(directory) => Some(directory.join(saved_queue::FILE_NAME)),
            Location::Memory => None,
        };
        Some(Self {
            limits: QueueSettings::from(&settings),
            saved: file.as_deref().map(SavedQueue::read).unwrap_or_default(),
            threads,
            // If the settings disable automatic extraction, the language model starts only on command.
            is_paused: !extraction.enabled,
            running: 0,
            writing: 0,
            next_due_at: i64::MIN,
            counts: ExtractionCounts::default(),
            found: ProposalCounts::default(),
            last_error: None,
            file,
            is_dirty: false,
            is_saving: false,
            next_save_at: Instant::now(),
            settings,
        })
    }

    /// Reconciles the queue with the state. Removes passages that are no longer in the state. Adds passages that the
    /// extractor has read since its last recorded position, because the program may have ended before the queue was
    /// stored.
    pub(super) fn reconcile(&mut self, state: &State, readings: &Readings) {
        let removed: Vec<PassageId> = self.saved.queue.passages().filter(|id| state.passage(*id).is_none()).collect();
        self.is_dirty |= !removed.is_empty();
        removed.into_iter().for_each(|id| _ = self.saved.queue.remove_passage(id));
        let read_up_to = state.extracted_up_to();
        let mut recent = Vec::new();
        for (_, entry) in state.journal().rev().take_while(|(position, _)| *position > read_up_to) {
            recent.extend(entry.operation.changes.iter().filter_map(|change| match change {
                Change::AddPassage(passage) if entry.live => Some(passage.id()),
                _ => None,
            }));
        }
        recent.reverse();
        self.saved.read.retain(|id| recent.contains(id));
        for id in recent.into_iter().filter(|id| readings.has_read(*id)) {
            if let Some(passage) = state.passage(id) {
                self.enqueue(state, passage);
            }
        }
    }

    /// Adds a passage to the queue, unless it is already waiting, was read before or is out of character.
    fn enqueue(&mut self, state: &State, passage: &Passage) {
        let id = passage.id();
        if passage.is_out_of_character() || self.saved.read.contains(&id) {
            return;
        }
        let speaker_name = passage.speaker.as_ref().map(|speaker| public_name(state, speaker).to_owned());
        let turn = Turn { id, text: passage.text.clone(), speaker: passage.speaker.clone(), speaker_name };
        let present = passage.heard_by.iter().filter_map(Knower::entity).cloned().collect();
        let context = Context { present, place: passage.place.clone(), before: Vec::new() };
        let queue = &mut self.saved.queue;
        match (&passage.session, &passage.speaker) {
            (Some(session), _) => _ = queue.add_turn(&self.limits, &session_source(session), turn, context),
            (None, Some(_)) => {
                let place = passage.place.as_ref().map_or("anywhere", |place| place.as_str());
                _ = queue.add_turn(&self.limits, &format!("talk {place}"), turn, context);
            }
            (None, None) => {
                let document = passage.document.as_ref().map_or("lore", |document| document.as_str());
                _ = queue.add_text(&format!("text {document}"), turn, context);
            }
        }
        self.mark_changed();
    }

    fn mark_changed(&mut self) {
        self.is_dirty = true;
        self.next_due_at = i64::MIN;
    }

    fn status(&self) -> LlmStatus {
        let now = now().0;
        let due = self.saved.queue.next_due_ms().filter(|_| !self.is_paused && self.threads.is_ok());
        LlmStatus {
            base_url: self.settings.base_url.clone(),
            model: self.settings.model.clone(),
            trouble: self.threads.as_ref().err().cloned(),
            paused: self.is_paused,
            queue: self.saved.queue.counts(),
            writing: self.writing,
            next_try_ms: due.map(|due| u64::try_from(due.saturating_sub(now)).unwrap_or_default()),
            tokens: self.threads.as_ref().map_or(0, |threads| threads.llm.tokens_used()),
            counts: self.counts,
            found: self.found,
            last_error: self.last_error.clone(),
        }
    }

    /// Returns the time until the next job is due or the queue must be stored, whichever is sooner.
    fn time_until_work(&self, now_ms: i64) -> Option<Duration> {
        let until_save = (self.is_dirty && !self.is_saving && self.writing == 0 && self.file.is_some())
            .then(|| self.next_save_at.saturating_duration_since(Instant::now()));
        let until_job =
            u64::try_from(self.next_due_at.saturating_sub(now_ms)).ok().filter(|wait| *wait > 0 && !self.is_paused);
        [until_save, until_job.map(Duration::from_millis)].into_iter().flatten().min()
    }
}

/// Returns the name under which the queue collects the lines of a session.
fn session_source(session: &hearsay_model::SessionId) -> String {
    format!("session {session}")
}

impl Worker {
    /// Adds passages that the extractor has read to the queue of the language model.
    pub(super) fn enqueue_for_llm(&mut self, findings: &[Findings]) {
        if let Some(llm_extractor) = &mut self.llm_extractor {
            let state = &self.snapshot.state;
            let story = findings.iter().filter(|findings| findings.talk_kind.is_none_or(TalkKind::is_heard));
            let existing = story.filter(|findings| state.passage(findings.passage.id()).is_some());
            existing.for_each(|findings| llm_extractor.enqueue(state, &findings.passage));
        }
    }

    /// Adds the passages that an operation of another program added.
    pub(super) fn enqueue_added_for_llm(&mut self, operation: &Operation) {
        let Some(llm_extractor) = &mut self.llm_extractor else { return };
        for change in &operation.changes {
            if let Change::AddPassage(passage) = change {
                llm_extractor.enqueue(&self.snapshot.state, passage);
            }
        }
    }

    /// Adds a passage whose facts were restored, but not by the language model.
    pub(super) fn enqueue_restored_for_llm(&mut self, passage: PassageId) {
        if let Some(llm_extractor) = &mut self.llm_extractor
            && let Some(passage) = self.snapshot.state.passage(passage)
        {
            llm_extractor.enqueue(&self.snapshot.state, passage);
        }
    }

    /// Removes a passage from the queue, because it was removed from the state.
    pub(super) fn remove_from_llm_queue(&mut self, passage: PassageId) {
        if let Some(llm_extractor) = &mut self.llm_extractor
            && (llm_extractor.saved.queue.remove_passage(passage) | llm_extractor.saved.read.remove(&passage))
        {
            llm_extractor.mark_changed();
        }
    }

    /// Allows passages that were already read to be read again.
    pub(super) fn allow_llm_rereads(&mut self) {
        if let Some(llm_extractor) = &mut self.llm_extractor {
            llm_extractor.saved.read.clear();
        }
    }

    /// Passes a changed vocabulary to the client of the language model.
    pub(super) fn update_llm_vocabulary(&mut self) {
        let vocabulary = self.snapshot.state.vocabulary().as_ref();
        if let Some(LlmExtractor { threads: Ok(threads), .. }) = &mut self.llm_extractor {
            threads.llm = threads.llm.with_vocabulary(vocabulary.clone());
        }
    }

    pub(super) fn llm_status(&self) -> Option<LlmStatus> {
        self.llm_extractor.as_ref().map(LlmExtractor::status)
    }

    /// Returns the time until [`ask_model`](Self::ask_model) must be called again.
    pub(super) fn time_until_llm_work(&self) -> Option<Duration> {
        self.llm_extractor.as_ref().filter(|_| !self.closing)?.time_until_work(now().0)
    }

    /// Starts due jobs on free threads, and stores the queue if it changed.
    pub(super) fn ask_model(&mut self) {
        let is_extraction_done = self.readings.pending() == 0;
        let closing = self.closing;
        let Some(llm_extractor) = &mut self.llm_extractor else { return };
        if is_extraction_done {
            // Reads the last lines of a session once it is no longer being played, and the last lines of other
            // conversations once the memory closes.
            let playing = self.snapshot.state.active_session().map(|playing| session_source(&playing.session));
            let is_finished = |source: &&str| match source.starts_with("session ") {
                true => Some(*source) != playing.as_deref(),
                false => closing && !llm_extractor.is_paused,
            };
            let finished: Vec<String> =
                llm_extractor.saved.queue.open_conversations().filter(is_finished).map(str::to_owned).collect();
            if !finished.is_empty() {
                finished.iter().for_each(|source| _ = llm_extractor.saved.queue.flush(source));
                llm_extractor.mark_changed();
            }
        }
        if closing {
            if let Ok(threads) = &mut llm_extractor.threads {
                threads.stop();
            }
        } else if !llm_extractor.is_paused
            && llm_extractor.running < llm_extractor.settings.concurrency
            && now().0 >= llm_extractor.next_due_at
        {
            self.start_jobs();
        }
        self.save_queue();
    }

    fn start_jobs(&mut self) {
        let Some(LlmExtractor { threads: Ok(threads), saved, limits, next_due_at, running, settings, .. }) =
            &mut self.llm_extractor
        else {
            return;
        };
        while *running < settings.concurrency {
            let Some(job) = saved.queue.take_job(limits, now().0) else {
                *next_due_at = saved.queue.next_due_ms().unwrap_or(i64::MAX);
                return;
            };
            *running += 1;
            let lexicon = self.readings.lexicon(&self.snapshot.state);
            threads.read(job, lexicon);
        }
    }

    /// Queues the writes of the model's findings, one operation per passage.
    pub(super) fn take_llm_result(&mut self, result: LlmResult) {
        let Some(llm_extractor) = &mut self.llm_extractor else { return };
        let LlmResult { job, outcome } = result;
        llm_extractor.running -= 1;
        llm_extractor.saved.queue.report_outcome(&llm_extractor.limits, job.id, &outcome, now().0);
        llm_extractor.mark_changed();
        let error = match &outcome {
            Ok(found) => found.unread.iter().find_map(|part| part.reason.as_ref()),
            Err(error) => Some(error),
        };
        match error {
            Some(LlmError::Cancelled) => {}
            error => llm_extractor.last_error = error.map(ToString::to_string),
        }
        let last_error = llm_extractor.last_error.clone();
        if let Some(error) = &last_error {
            tracing::warn!("the language model did not read all texts: {error}");
        }
        if let Ok(found) = outcome {
            llm_extractor.counts += found.counts;
            if found.unread.is_empty() {
                llm_extractor.saved.read.extend(job.turns.iter().map(|turn| turn.id));
            }
            let model = llm_extractor.settings.facts_model().to_owned();
            let state = &self.snapshot.state;
            let findings = job.split_by_turn(&found).0.into_iter().filter_map(|(id, extraction)| {
                let passage = state.passage(id).filter(|passage| !passage.is_out_of_character())?;
                let (passage, talk_kind) = (Arc::clone(passage), passage.talk_kind);
                Some(Findings { passage, extraction, model: Some(model.clone()), talk_kind })
            });
            let findings: Vec<Findings> = findings.collect();
            for findings in findings.into_iter().filter(|findings| !findings.extraction.facts.is_empty()) {
                llm_extractor.writing += 1;
                let (findings, policy) = (Box::new(findings), self.settings.policy);
                self.writes.push(Write::Findings { findings, policy, counts: ProposalCounts::default() });
            }
        }
        let counts = llm_extractor.saved.queue.counts();
        let waiting = counts.gathering + counts.pending + counts.running + counts.failed;
        self.send_event(Event::LlmRead { waiting, trouble: last_error });
    }

    /// Counts the findings of a passage. Called when the findings have been written or could not be written.
    pub(super) fn count_llm_findings(&mut self, counts: &ProposalCounts) {
        if let Some(llm_extractor) = &mut self.llm_extractor {
            llm_extractor.writing -= 1;
            llm_extractor.found += *counts;
        }
    }

    pub(super) fn take_llm(&mut self, command: LlmCommand) {
        let no_llm = |reason: &str| MemoryError::NoLlm(reason.to_owned());
        let Some(llm_extractor) = &mut self.llm_extractor else {
            let reason = no_llm(if self.settings.extraction.llm.enabled {
                "only the program that has the database of the campaign open uses it"
            } else {
                "it is disabled; set `enabled = true` under [extraction.llm] in hearsay.toml to enable it"
            });
            return match command {
                LlmCommand::Step(_, responder) => responder.give(Err(reason)),
                LlmCommand::Draft(_, responder) => responder.give(Err(reason)),
                LlmCommand::Write(_, responder) => responder.give(Err(reason)),
            };
        };
        match (command, &mut llm_extractor.threads) {
            (LlmCommand::Step(step, responder), _) => {
                llm_extractor.step(step);
                let status = llm_extractor.status();
                responder.give(Ok(status));
            }
            (LlmCommand::Draft(_, responder), Err(reason)) => responder.give(Err(no_llm(reason))),
            (LlmCommand::Write(_, responder), Err(reason)) => responder.give(Err(no_llm(reason))),
            (LlmCommand::Write(prompt, responder), Ok(threads)) => threads.send(Task::Write(prompt, responder)),
            (LlmCommand::Draft(draft, responder), Ok(threads)) => {
                match draft.check(&self.snapshot.state).map_err(MemoryError::from) {
                    Ok(()) => {
                        let lexicon: Arc<Lexicon> = self.readings.lexicon(&self.snapshot.state);
                        let vocabulary = Arc::clone(self.snapshot.state.vocabulary());
                        let policy = self.settings.policy;
                        threads.send(Task::Draft { draft, lexicon, vocabulary, policy, responder });
                    }
                    Err(error) => responder.give(Err(error)),
                }
            }
        }
    }

    /// Stores the queue in its file on a background thread, if it changed and is not already being stored.
    fn save_queue(&mut self) {
        let closing = self.closing;
        let Some(llm_extractor) = &mut self.llm_extractor else { return };
        // A job may be stored as done only after its findings have been written.
        let is_save_allowed = llm_extractor.writing == 0 && (closing || Instant::now() >= llm_extractor.next_save_at);
        if !llm_extractor.is_dirty || llm_extractor.is_saving || !is_save_allowed {
            return;
        }
        llm_extractor.is_dirty = false;
        let Some(file) = llm_extractor.file.clone() else { return };
        let saved = llm_extractor.saved.clone();
        let started = self.run_in_background(move |internal| {
            if let Err(error) = saved.write(&file) {
                let message = format!("the queue of the language model was not saved: {}: {error}", file.display());
                let _ = internal.send(Internal::Failed(message));
            }
            let _ = internal.send(Internal::QueueSaved);
        });
        if let Some(llm_extractor) = &mut self.llm_extractor {
            llm_extractor.is_saving = started;
        }
    }

    pub(super) fn note_queue_saved(&mut self) {
        if let Some(llm_extractor) = &mut self.llm_extractor {
            llm_extractor.is_saving = false;
            llm_extractor.next_save_at = Instant::now() + MIN_SAVE_INTERVAL;
        }
    }

    /// Ends the threads, and stores the queue with the unfinished jobs. Does not wait for unresponsive threads.
    pub(super) fn stop_llm_extractor(&mut self, inbox: &Receiver<Internal>) {
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while self.llm_extractor.as_ref().is_some_and(|llm_extractor| llm_extractor.running > 0)
            && let Ok(message) = inbox.recv_deadline(deadline)
        {
            match message {
                // These findings can no longer be written, so the job returns to the queue.
                Internal::LlmResult(result) => {
                    if let Some(llm_extractor) = &mut self.llm_extractor {
                        llm_extractor.running -= 1;
                        llm_extractor.saved.queue.requeue(result.job.id);
                        llm_extractor.is_dirty = true;
                    }
                }
                message => self.handle_internal(message),
            }
        }
        let Some(llm_extractor) = &mut self.llm_extractor else { return };
        if let Ok(threads) = &mut llm_extractor.threads {
            threads.end(llm_extractor.running == 0);
        }
        if let Some(file) = llm_extractor.file.as_deref().filter(|_| llm_extractor.is_dirty)
            && let Err(error) = llm_extractor.saved.write(file)
        {
            tracing::error!("the queue of the language model was not saved: {}: {error}", file.display());
        }
    }
}

impl LlmExtractor {
    fn step(&mut self, step: LlmStep) {
        match step {
            LlmStep::Pause => {
                self.is_paused = true;
                if let Ok(threads) = &mut self.threads {
                    threads.stop_reading();
                }
            }
            LlmStep::Resume => self.is_paused = false,
            LlmStep::Retry => self.saved.queue.retry_all(),
            LlmStep::ReadAll => {
                self.is_paused = false;
                self.saved.queue.flush_all();
                self.saved.queue.retry_all();
            }
        }
        self.mark_changed();
    }
}
