//! Extraction with a language model: the queue of texts, and the findings.
//!
//! Separate threads query the model and send [`Internal::Asked`] to the worker. The worker writes the findings in the
//! same way as findings of the rule-based extractor. The queue is stored in a file in the directory of the database. It
//! is not part of the journal.

mod ask;
mod kept;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use hearsay_commands::{
    guesses,
    proposal::Proposed,
    reading::{Draft, Drafted, Findings},
};
use hearsay_extract::{
    Lexicon,
    llm::{Context, Counts, LlmError, LlmSettings, Queue, QueueSettings, Turn},
};
use hearsay_model::{Change, Knower, Passage, PassageId, State};
use hearsay_query::resolve::spoken_of;
use hearsay_store::Location;

use super::{Internal, Worker, Write, reading::Readings};
use crate::{Event, LlmStatus, MemoryError, MemoryOptions, clock::now, ticket::Responder};

use ask::{Asker, Task};
use kept::Kept;

pub(crate) use ask::Asked;

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
const GATHER: Duration = Duration::from_millis(500);

/// Maximum time that closing waits for the threads to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// State of extraction with a language model.
pub(super) struct Asking {
    settings: LlmSettings,
    limits: QueueSettings,
    kept: Kept,
    /// Threads that query the model, or the reason why there are none.
    asker: Result<Asker, String>,
    paused: bool,
    /// Number of jobs that are being read.
    running: usize,
    /// Number of passages whose findings are to be written.
    writing: usize,
    /// Real time before which no job is due, in milliseconds since 1970.
    look_at: i64,
    counts: Counts,
    found: Proposed,
    last_error: Option<String>,
    /// File of the queue; `None` for a memory without files.
    file: Option<PathBuf>,
    /// Whether the queue has changed since it was last stored.
    dirty: bool,
    /// Whether the queue is being stored.
    keeping: bool,
    /// Earliest time at which the queue may be stored again.
    keep_at: Instant,
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
        let asker = Asker::start(&settings, extraction.language.as_deref(), state, internal);
        match &asker {
            Ok(_) => {
                tracing::info!(
                    "texts are also read by the language model {}: they are sent to {}",
                    settings.model,
                    settings.base_url
                )
            }
            Err(why) => tracing::warn!("the language model is not used: {why}"),
        }
        let file = match &options.location {
            Location::Directory(directory) => Some(directory.join(kept::FILE)),
            Location::Memory => None,
        };
        Some(Self {
            limits: QueueSettings::from(&settings),
            kept: file.as_deref().map(Kept::read).unwrap_or_default(),
            asker,
            // If the settings disable automatic extraction, the language model starts only on command.
            paused: !extraction.enabled,
            running: 0,
            writing: 0,
            look_at: i64::MIN,
            counts: Counts::default(),
            found: Proposed::default(),
            last_error: None,
            file,
            dirty: false,
            keeping: false,
            keep_at: Instant::now(),
            settings,
        })
    }

    /// Reconciles the queue with the state. Removes passages that are no longer in the state. Adds passages that the
    /// extractor has read since its last recorded position, because the program may have ended before the queue was
    /// stored.
    pub(super) fn reconcile(&mut self, state: &State, readings: &Readings) {
        let gone: Vec<PassageId> = self.kept.queue.passages().filter(|id| state.passage(*id).is_none()).collect();
        self.dirty |= !gone.is_empty();
        gone.into_iter().for_each(|id| _ = self.kept.queue.forget(id));
        let read_up_to = state.read_up_to();
        let mut recent = Vec::new();
        for (_, entry) in state.journal().rev().take_while(|(position, _)| *position > read_up_to) {
            recent.extend(entry.operation.changes.iter().filter_map(|change| match change {
                Change::AddPassage(passage) if entry.live => Some(passage.id()),
                _ => None,
            }));
        }
        recent.reverse();
        self.kept.read.retain(|id| recent.contains(id));
        for id in recent.into_iter().filter(|id| readings.has_read(*id)) {
            if let Some(passage) = state.passage(id) {
                self.want(state, passage);
            }
        }
    }

    /// Adds a passage to the queue, unless it is already waiting or was read before.
    fn want(&mut self, state: &State, passage: &Passage) {
        let id = passage.id();
        if self.kept.read.contains(&id) {
            return;
        }
        let called = passage.speaker.as_ref().map(|speaker| spoken_of(state, speaker).to_owned());
        let turn = Turn { id, text: passage.text.clone(), speaker: passage.speaker.clone(), called };
        let present = passage.heard_by.iter().filter_map(Knower::entity).cloned().collect();
        let context = Context { present, place: passage.place.clone(), before: Vec::new() };
        let queue = &mut self.kept.queue;
        match (&passage.session, &passage.speaker) {
            (Some(session), _) => _ = queue.turn(&self.limits, &in_session(session), turn, context),
            (None, Some(_)) => {
                let place = passage.place.as_ref().map_or("anywhere", |place| place.as_str());
                _ = queue.turn(&self.limits, &format!("talk {place}"), turn, context);
            }
            (None, None) => {
                let document = passage.document.as_ref().map_or("lore", |document| document.as_str());
                _ = queue.text(&format!("text {document}"), turn, context);
            }
        }
        self.changed();
    }

    fn changed(&mut self) {
        self.dirty = true;
        self.look_at = i64::MIN;
    }

    fn status(&self) -> LlmStatus {
        let now = now().0;
        let due = self.kept.queue.due().filter(|_| !self.paused && self.asker.is_ok());
        LlmStatus {
            base_url: self.settings.base_url.clone(),
            model: self.settings.model.clone(),
            trouble: self.asker.as_ref().err().cloned(),
            paused: self.paused,
            queue: self.kept.queue.counts(),
            writing: self.writing,
            next_try_ms: due.map(|due| u64::try_from(due.saturating_sub(now)).unwrap_or_default()),
            tokens: self.asker.as_ref().map_or(0, |asker| asker.llm.tokens_used()),
            counts: self.counts,
            found: self.found,
            last_error: self.last_error.clone(),
        }
    }

    /// Returns the time until the next job is due or the queue must be stored, whichever is sooner.
    fn patience(&self, now_ms: i64) -> Option<Duration> {
        let keep = (self.dirty && !self.keeping && self.writing == 0 && self.file.is_some())
            .then(|| self.keep_at.saturating_duration_since(Instant::now()));
        let wait = u64::try_from(self.look_at.saturating_sub(now_ms)).ok().filter(|wait| *wait > 0 && !self.paused);
        [keep, wait.map(Duration::from_millis)].into_iter().flatten().min()
    }
}

/// Returns the name under which the queue collects the lines of a session.
fn in_session(session: &hearsay_model::SessionId) -> String {
    format!("session {session}")
}

impl Worker {
    /// Adds passages that the extractor has read to the queue of the language model.
    pub(super) fn want_asked(&mut self, read: &[Findings]) {
        if let Some(asking) = &mut self.asking {
            let state = &self.world.state;
            let there = read.iter().filter(|findings| state.passage(findings.passage.id()).is_some());
            there.for_each(|findings| asking.want(state, &findings.passage));
        }
    }

    /// Removes a passage from the queue, because it was removed from the state.
    pub(super) fn forget_asked(&mut self, passage: PassageId) {
        if let Some(asking) = &mut self.asking
            && (asking.kept.queue.forget(passage) | asking.kept.read.remove(&passage))
        {
            asking.changed();
        }
    }

    /// Lets passages be read again that were already read.
    pub(super) fn ask_again(&mut self) {
        if let Some(asking) = &mut self.asking {
            asking.kept.read.clear();
        }
    }

    /// Passes a changed vocabulary to the client of the language model.
    pub(super) fn renew_vocabulary(&mut self) {
        let vocabulary = self.world.state.vocabulary().as_ref();
        if let Some(Asking { asker: Ok(asker), .. }) = &mut self.asking {
            asker.llm = asker.llm.with_vocabulary(vocabulary.clone());
        }
    }

    pub(super) fn llm_status(&self) -> Option<LlmStatus> {
        self.asking.as_ref().map(Asking::status)
    }

    /// Returns the time until [`ask_model`](Self::ask_model) must be called again.
    pub(super) fn llm_patience(&self) -> Option<Duration> {
        self.asking.as_ref().filter(|_| !self.closing)?.patience(now().0)
    }

    /// Starts due jobs on free threads, and stores the queue if it changed.
    pub(super) fn ask_model(&mut self) {
        let settled = self.readings.pending() == 0;
        let closing = self.closing;
        let Some(asking) = &mut self.asking else { return };
        if settled {
            // Reads the last lines of a session once it is no longer being played, and the last lines of other
            // conversations once the memory closes.
            let playing = self.world.state.playing().map(|playing| in_session(&playing.session));
            let over = |source: &&str| match source.starts_with("session ") {
                true => Some(*source) != playing.as_deref(),
                false => closing && !asking.paused,
            };
            let over: Vec<String> = asking.kept.queue.gathering().filter(over).map(str::to_owned).collect();
            if !over.is_empty() {
                over.iter().for_each(|source| _ = asking.kept.queue.flush(source));
                asking.changed();
            }
        }
        if closing {
            if let Ok(asker) = &mut asking.asker {
                asker.stop();
            }
        } else if !asking.paused && asking.running < asking.settings.concurrency && now().0 >= asking.look_at {
            self.take_jobs();
        }
        self.keep_queue();
    }

    fn take_jobs(&mut self) {
        let Some(Asking { asker: Ok(asker), kept, limits, look_at, running, settings, .. }) = &mut self.asking else {
            return;
        };
        while *running < settings.concurrency {
            let Some(job) = kept.queue.take(limits, now().0) else {
                *look_at = kept.queue.due().unwrap_or(i64::MAX);
                return;
            };
            *running += 1;
            let lexicon = self.readings.lexicon(&self.world.state);
            asker.read(job, lexicon);
        }
    }

    /// Queues the writes of the model's findings, one operation per passage.
    pub(super) fn take_asked(&mut self, asked: Asked) {
        let Some(asking) = &mut self.asking else { return };
        let Asked { job, outcome } = asked;
        asking.running -= 1;
        asking.kept.queue.settle(&asking.limits, job.id, &outcome, now().0);
        asking.changed();
        let trouble = match &outcome {
            Ok(found) => found.unread.iter().find_map(|part| part.why.as_ref()),
            Err(why) => Some(why),
        };
        match trouble {
            Some(LlmError::Cancelled) => {}
            trouble => asking.last_error = trouble.map(ToString::to_string),
        }
        let trouble = asking.last_error.clone();
        if let Some(what) = &trouble {
            tracing::warn!("the language model did not read all texts: {what}");
        }
        if let Ok(found) = outcome {
            asking.counts += found.counts;
            if found.unread.is_empty() {
                asking.kept.read.extend(job.turns.iter().map(|turn| turn.id));
            }
            let model = asking.settings.facts_model().to_owned();
            let state = &self.world.state;
            let there = job.by_turn(&found).0.into_iter().filter_map(|(id, extraction)| {
                let passage = Arc::clone(state.passage(id)?);
                Some(Findings { passage, extraction, model: Some(model.clone()) })
            });
            let mut found: Vec<Findings> = there.collect();
            let left = asking.kept.queue.counts().pending;
            let most = match left {
                0 => usize::MAX,
                left => {
                    let room = self.settings.extraction.guesses.saturating_sub(guesses::waiting(state));
                    guesses::share(room, 1, left)
                }
            };
            asking.found.left_out += guesses::leave_out(state, &self.settings.policy, &mut found, most);
            for findings in found.into_iter().filter(|findings| !findings.extraction.facts.is_empty()) {
                asking.writing += 1;
                let (findings, policy) = (Box::new(findings), self.settings.policy);
                self.writes.push(Write::Findings { findings, policy, counts: Proposed::default() });
            }
        }
        let counts = asking.kept.queue.counts();
        let waiting = counts.gathering + counts.pending + counts.running + counts.failed;
        self.tell(Event::Asked { waiting, trouble });
    }

    /// Counts the findings of a passage. Called when they have been written or could not be written.
    pub(super) fn note_asked(&mut self, counts: &Proposed) {
        if let Some(asking) = &mut self.asking {
            asking.writing -= 1;
            asking.found += *counts;
        }
    }

    pub(super) fn take_llm(&mut self, command: LlmCommand) {
        let no = |why: &str| MemoryError::NoLlm(why.to_owned());
        let Some(asking) = &mut self.asking else {
            let why = no("it is disabled; set `enabled = true` under [extraction.llm] in hearsay.toml to enable it");
            return match command {
                LlmCommand::Step(_, responder) => responder.give(Err(why)),
                LlmCommand::Draft(_, responder) => responder.give(Err(why)),
                LlmCommand::Write(_, responder) => responder.give(Err(why)),
            };
        };
        match (command, &mut asking.asker) {
            (LlmCommand::Step(step, responder), _) => {
                asking.step(step);
                let status = asking.status();
                responder.give(Ok(status));
            }
            (LlmCommand::Draft(_, responder), Err(why)) => responder.give(Err(no(why))),
            (LlmCommand::Write(_, responder), Err(why)) => responder.give(Err(no(why))),
            (LlmCommand::Write(prompt, responder), Ok(asker)) => asker.send(Task::Write(prompt, responder)),
            (LlmCommand::Draft(draft, responder), Ok(asker)) => {
                match draft.resolved(&self.world.state).map_err(MemoryError::from) {
                    Ok(draft) => {
                        let lexicon: Arc<Lexicon> = self.readings.lexicon(&self.world.state);
                        asker.send(Task::Draft { draft, lexicon, policy: self.settings.policy, responder });
                    }
                    Err(error) => responder.give(Err(error)),
                }
            }
        }
    }

    /// Stores the queue in its file on a background thread, if it changed and is not already being stored.
    fn keep_queue(&mut self) {
        let closing = self.closing;
        let Some(asking) = &mut self.asking else { return };
        // A job may be stored as done only after its findings have been written.
        let is_time = asking.writing == 0 && (closing || Instant::now() >= asking.keep_at);
        if !asking.dirty || asking.keeping || !is_time {
            return;
        }
        asking.dirty = false;
        let Some(file) = asking.file.clone() else { return };
        let kept = asking.kept.clone();
        let started = self.aside(move |internal| {
            if let Err(error) = kept.write(&file) {
                let what = format!("the queue of the language model was not saved: {}: {error}", file.display());
                let _ = internal.send(Internal::Failed(what));
            }
            let _ = internal.send(Internal::QueueKept);
        });
        if let Some(asking) = &mut self.asking {
            asking.keeping = started;
        }
    }

    pub(super) fn queue_is_kept(&mut self) {
        if let Some(asking) = &mut self.asking {
            asking.keeping = false;
            asking.keep_at = Instant::now() + GATHER;
        }
    }

    /// Ends the threads, and stores the queue with the unfinished jobs. Does not wait for unresponsive threads.
    pub(super) fn stop_asking(&mut self, inbox: &Receiver<Internal>) {
        let end = Instant::now() + LAST_WORDS;
        while self.asking.as_ref().is_some_and(|asking| asking.running > 0)
            && let Ok(message) = inbox.recv_deadline(end)
        {
            match message {
                // These findings can no longer be written, so the job returns to the queue.
                Internal::Asked(asked) => {
                    if let Some(asking) = &mut self.asking {
                        asking.running -= 1;
                        asking.kept.queue.put_back(asked.job.id);
                        asking.dirty = true;
                    }
                }
                message => self.take_internal(message),
            }
        }
        let Some(asking) = &mut self.asking else { return };
        if let Ok(asker) = &mut asking.asker {
            asker.end(asking.running == 0);
        }
        if let Some(file) = asking.file.as_deref().filter(|_| asking.dirty)
            && let Err(error) = asking.kept.write(file)
        {
            tracing::error!("the queue of the language model was not saved: {}: {error}", file.display());
        }
    }
}

impl Asking {
    fn step(&mut self, step: LlmStep) {
        match step {
            LlmStep::Pause => {
                self.paused = true;
                if let Ok(asker) = &mut self.asker {
                    asker.stop_reading();
                }
            }
            LlmStep::Resume => self.paused = false,
            LlmStep::Retry => self.kept.queue.retry_all(),
            LlmStep::ReadAll => {
                self.paused = false;
                self.kept.queue.flush_all();
                self.kept.queue.retry_all();
            }
        }
        self.changed();
    }
}
