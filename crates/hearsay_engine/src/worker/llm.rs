//! Extraction with a language model: the queue of texts, and the findings.
//!
//! Separate threads query the model and send [`Internal::Asked`] to the worker. The worker writes the findings in the
//! same way as findings of the rule-based extractor. The queue is stored in a file in the directory of the database. It
//! is not part of the journal.

mod saved_queue;
mod threads;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use hearsay_commands::{
    proposal::Proposed,
    reading::{Draft, Drafted, Findings},
    triage,
};
use hearsay_extract::{
    Lexicon,
    llm::{Context, Counts, LlmError, LlmSettings, Queue, QueueSettings, Turn},
};
use hearsay_model::{Change, Knower, Passage, PassageId, State};
use hearsay_query::resolve::public_name;
use hearsay_store::Location;

use super::{Internal, Worker, Write, reading::Readings};
use crate::{Event, LlmStatus, MemoryError, MemoryOptions, clock::now, ticket::Responder};

use saved_queue::SavedQueue;
use threads::{LlmThreads, Task};

pub(crate) use threads::Asked;

/// A control command for extraction with a language model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmStep {
    /// Pauses reading. Texts that are being read return to the queue.
    Pause,
    /// Resumes reading.
    Resume,
    /// Retries failed texts as soon as possible, including those for which all retries have failed.
    Retry,
    /// Reads all waiting texts now, including unfinished conversations, and resumes reading.
    ReadAll,
}

/// A caller's request to the language model.
pub(crate) enum LlmCommand {
    Step(LlmStep, Responder<LlmStatus>),
    Draft(Draft, Responder<Drafted>),
    Write(String, Responder<String>),
}

/// Minimum time between two writes of the queue to its file.
const MIN_SAVE_INTERVAL: Duration = Duration::from_millis(500);

/// Maximum time that closing waits for the threads to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// State of extraction with a language model.
pub(super) struct Asking {
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
    counts: Counts,
    found: Proposed,
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

impl Asking {
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
            counts: Counts::default(),
            found: Proposed::default(),
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
        removed.into_iter().for_each(|id| _ = self.saved.queue.forget(id));
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

    /// Adds a passage to the queue, unless it is already waiting or was read before.
    fn enqueue(&mut self, state: &State, passage: &Passage) {
        let id = passage.id();
        if self.saved.read.contains(&id) {
            return;
        }
        let speaker_name = passage.speaker.as_ref().map(|speaker| public_name(state, speaker).to_owned());
        let turn = Turn { id, text: passage.text.clone(), speaker: passage.speaker.clone(), called: speaker_name };
        let present = passage.heard_by.iter().filter_map(Knower::entity).cloned().collect();
        let context = Context { present, place: passage.place.clone(), before: Vec::new() };
        let queue = &mut self.saved.queue;
        match (&passage.session, &passage.speaker) {
            (Some(session), _) => _ = queue.turn(&self.limits, &session_source(session), turn, context),
            (None, Some(_)) => {
                let place = passage.place.as_ref().map_or("anywhere", |place| place.as_str());
                _ = queue.turn(&self.limits, &format!("talk {place}"), turn, context);
            }
            (None, None) => {
                let document = passage.document.as_ref().map_or("lore", |document| document.as_str());
                _ = queue.text(&format!("text {document}"), turn, context);
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
        let due = self.saved.queue.due().filter(|_| !self.is_paused && self.threads.is_ok());
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
        if let Some(asking) = &mut self.asking {
            let state = &self.world.state;
            let existing = findings.iter().filter(|findings| state.passage(findings.passage.id()).is_some());
            existing.for_each(|findings| asking.enqueue(state, &findings.passage));
        }
    }

    /// Removes a passage from the queue, because it was removed from the state.
    pub(super) fn remove_from_llm_queue(&mut self, passage: PassageId) {
        if let Some(asking) = &mut self.asking
            && (asking.saved.queue.forget(passage) | asking.saved.read.remove(&passage))
        {
            asking.mark_changed();
        }
    }

    /// Lets passages be read again that were already read.
    pub(super) fn allow_llm_rereads(&mut self) {
        if let Some(asking) = &mut self.asking {
            asking.saved.read.clear();
        }
    }

    /// Passes a changed vocabulary to the client of the language model.
    pub(super) fn update_llm_vocabulary(&mut self) {
        let vocabulary = self.world.state.vocabulary().as_ref();
        if let Some(Asking { threads: Ok(threads), .. }) = &mut self.asking {
            threads.llm = threads.llm.with_vocabulary(vocabulary.clone());
        }
    }

    pub(super) fn llm_status(&self) -> Option<LlmStatus> {
        self.asking.as_ref().map(Asking::status)
    }

    /// Returns the time until [`ask_model`](Self::ask_model) must be called again.
    pub(super) fn llm_patience(&self) -> Option<Duration> {
        self.asking.as_ref().filter(|_| !self.closing)?.time_until_work(now().0)
    }

    /// Starts due jobs on free threads, and stores the queue if it changed.
    pub(super) fn ask_model(&mut self) {
        let is_extraction_done = self.readings.pending() == 0;
        let closing = self.closing;
        let Some(asking) = &mut self.asking else { return };
        if is_extraction_done {
            // Reads the last lines of a session once it is no longer being played, and the last lines of other
            // conversations once the memory closes.
            let playing = self.world.state.active_session().map(|playing| session_source(&playing.session));
            let is_finished = |source: &&str| match source.starts_with("session ") {
                true => Some(*source) != playing.as_deref(),
                false => closing && !asking.is_paused,
            };
            let finished: Vec<String> = asking.saved.queue.gathering().filter(is_finished).map(str::to_owned).collect();
            if !finished.is_empty() {
                finished.iter().for_each(|source| _ = asking.saved.queue.flush(source));
                asking.mark_changed();
            }
        }
        if closing {
            if let Ok(threads) = &mut asking.threads {
                threads.stop();
            }
        } else if !asking.is_paused && asking.running < asking.settings.concurrency && now().0 >= asking.next_due_at {
            self.start_jobs();
        }
        self.save_queue();
    }

    fn start_jobs(&mut self) {
        let Some(Asking { threads: Ok(threads), saved, limits, next_due_at, running, settings, .. }) = &mut self.asking
        else {
            return;
        };
        while *running < settings.concurrency {
            let Some(job) = saved.queue.take(limits, now().0) else {
                *next_due_at = saved.queue.due().unwrap_or(i64::MAX);
                return;
            };
            *running += 1;
            let lexicon = self.readings.lexicon(&self.world.state);
            threads.read(job, lexicon);
        }
    }

    /// Queues the writes of the model's findings, one operation per passage.
    pub(super) fn take_asked(&mut self, asked: Asked) {
        let Some(asking) = &mut self.asking else { return };
        let Asked { job, outcome } = asked;
        asking.running -= 1;
        asking.saved.queue.settle(&asking.limits, job.id, &outcome, now().0);
        asking.mark_changed();
        let error = match &outcome {
            Ok(found) => found.unread.iter().find_map(|part| part.why.as_ref()),
            Err(error) => Some(error),
        };
        match error {
            Some(LlmError::Cancelled) => {}
            error => asking.last_error = error.map(ToString::to_string),
        }
        let last_error = asking.last_error.clone();
        if let Some(error) = &last_error {
            tracing::warn!("the language model did not read all texts: {error}");
        }
        if let Ok(found) = outcome {
            asking.counts += found.counts;
            if found.unread.is_empty() {
                asking.saved.read.extend(job.turns.iter().map(|turn| turn.id));
            }
            let model = asking.settings.facts_model().to_owned();
            let state = &self.world.state;
            let findings = job.by_turn(&found).0.into_iter().filter_map(|(id, extraction)| {
                let passage = Arc::clone(state.passage(id)?);
                Some(Findings { passage, extraction, model: Some(model.clone()) })
            });
            let mut findings: Vec<Findings> = findings.collect();
            let pending_jobs = asking.saved.queue.counts().pending;
            let max_doubtful = match pending_jobs {
                0 => usize::MAX,
                pending_jobs => {
                    let total_limit =
                        self.settings.extraction.guesses.saturating_sub(triage::pending_fact_count(state));
                    triage::proportional_limit(total_limit, 1, pending_jobs)
                }
            };
            asking.found.left_out +=
                triage::drop_least_important(state, &self.settings.policy, &mut findings, max_doubtful);
            for findings in findings.into_iter().filter(|findings| !findings.extraction.facts.is_empty()) {
                asking.writing += 1;
                let (findings, policy) = (Box::new(findings), self.settings.policy);
                self.writes.push(Write::Findings { findings, policy, counts: Proposed::default() });
            }
        }
        let counts = asking.saved.queue.counts();
        let waiting = counts.gathering + counts.pending + counts.running + counts.failed;
        self.tell(Event::Asked { waiting, trouble: last_error });
    }

    /// Counts the findings of a passage. Called when they have been written or could not be written.
    pub(super) fn count_llm_findings(&mut self, counts: &Proposed) {
        if let Some(asking) = &mut self.asking {
            asking.writing -= 1;
            asking.found += *counts;
        }
    }

    pub(super) fn take_llm(&mut self, command: LlmCommand) {
        let no_llm = |reason: &str| MemoryError::NoLlm(reason.to_owned());
        let Some(asking) = &mut self.asking else {
            let reason =
                no_llm("it is disabled; set `enabled = true` under [extraction.llm] in hearsay.toml to enable it");
            return match command {
                LlmCommand::Step(_, responder) => responder.give(Err(reason)),
                LlmCommand::Draft(_, responder) => responder.give(Err(reason)),
                LlmCommand::Write(_, responder) => responder.give(Err(reason)),
            };
        };
        match (command, &mut asking.threads) {
            (LlmCommand::Step(step, responder), _) => {
                asking.step(step);
                let status = asking.status();
                responder.give(Ok(status));
            }
            (LlmCommand::Draft(_, responder), Err(reason)) => responder.give(Err(no_llm(reason))),
            (LlmCommand::Write(_, responder), Err(reason)) => responder.give(Err(no_llm(reason))),
            (LlmCommand::Write(prompt, responder), Ok(threads)) => threads.send(Task::Write(prompt, responder)),
            (LlmCommand::Draft(draft, responder), Ok(threads)) => {
                match draft.resolved(&self.world.state).map_err(MemoryError::from) {
                    Ok(draft) => {
                        let lexicon: Arc<Lexicon> = self.readings.lexicon(&self.world.state);
                        threads.send(Task::Draft { draft, lexicon, policy: self.settings.policy, responder });
                    }
                    Err(error) => responder.give(Err(error)),
                }
            }
        }
    }

    /// Stores the queue in its file on a background thread, if it changed and is not already being stored.
    fn save_queue(&mut self) {
        let closing = self.closing;
        let Some(asking) = &mut self.asking else { return };
        // A job may be stored as done only after its findings have been written.
        let is_save_allowed = asking.writing == 0 && (closing || Instant::now() >= asking.next_save_at);
        if !asking.is_dirty || asking.is_saving || !is_save_allowed {
            return;
        }
        asking.is_dirty = false;
        let Some(file) = asking.file.clone() else { return };
        let saved = asking.saved.clone();
        let started = self.aside(move |internal| {
            if let Err(error) = saved.write(&file) {
                let message = format!("the queue of the language model was not saved: {}: {error}", file.display());
                let _ = internal.send(Internal::Failed(message));
            }
            let _ = internal.send(Internal::QueueKept);
        });
        if let Some(asking) = &mut self.asking {
            asking.is_saving = started;
        }
    }

    pub(super) fn queue_is_kept(&mut self) {
        if let Some(asking) = &mut self.asking {
            asking.is_saving = false;
            asking.next_save_at = Instant::now() + MIN_SAVE_INTERVAL;
        }
    }

    /// Ends the threads, and stores the queue with the unfinished jobs. Does not wait for unresponsive threads.
    pub(super) fn stop_asking(&mut self, inbox: &Receiver<Internal>) {
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while self.asking.as_ref().is_some_and(|asking| asking.running > 0)
            && let Ok(message) = inbox.recv_deadline(deadline)
        {
            match message {
                // These findings can no longer be written, so the job returns to the queue.
                Internal::Asked(asked) => {
                    if let Some(asking) = &mut self.asking {
                        asking.running -= 1;
                        asking.saved.queue.put_back(asked.job.id);
                        asking.is_dirty = true;
                    }
                }
                message => self.take_internal(message),
            }
        }
        let Some(asking) = &mut self.asking else { return };
        if let Ok(threads) = &mut asking.threads {
            threads.end(asking.running == 0);
        }
        if let Some(file) = asking.file.as_deref().filter(|_| asking.is_dirty)
            && let Err(error) = asking.saved.write(file)
        {
            tracing::error!("the queue of the language model was not saved: {}: {error}", file.display());
        }
    }
}

impl Asking {
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
