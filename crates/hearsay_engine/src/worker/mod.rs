//! The worker: one named thread that owns the state, the index and the store.
//!
//! The worker waits only for its channels. Commits, the sentence encoder, file access and long comparisons run on other
//! threads, which send [`Internal`] messages to the worker. The worker does its own long work in slices between
//! requests.

mod attached;
mod clients;
mod closing;
mod compaction;
mod derived;
mod duplicates;
mod encoder;
mod halt;
mod import;
#[cfg(feature = "llm")]
mod llm;
mod matching;
mod minds;
mod models;
mod outcome;
mod projection;
mod questions;
mod reading;
mod reads;
#[cfg(feature = "remote")]
mod remote;
#[cfg(feature = "remote")]
mod remote_events;
mod remote_write;
mod replies;
mod reveals;
mod status;
mod storage;
mod transient_projection;
mod vectors;
mod write;
mod writes;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{Arc, OnceLock},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, never, select, unbounded};
use hearsay_commands::{
    fact_matching::{FactMatches, SpokenLine},
    game_event::GameEvent,
    line_reading::{LineReading, UnrecordedLine},
    merge::MergePlan,
    reading::{Draft, DraftExtraction, Findings},
    reply::{DraftReply, ReplyCheck},
};
use hearsay_query::{
    ask::{Answer, Ask},
    duplicates::Duplicate,
    review::ReviewCounter,
    search::{Search, SearchResults},
    session::Summarize,
    trust::TrustCalibration,
};
use hearsay_recall::Summary;
#[cfg(feature = "remote")]
use hearsay_store::RemoteEvent;
use hearsay_store::{Location, OpenReport, Reloaded, StoreError, Watermark};

use crate::{
    Closed, Event, ImportOptions, ImportOutcome, MemoryError, MemoryOptions, MindFilter, ModelStatus, ReadSnapshot,
    Settings, Status,
    event::EventSender,
    priority::{ThreadPriority, lower_priority},
    sharing::{LinkMessage, ServerMessage},
    ticket::Responder,
};

use attached::Reopened;
use clients::Clients;
use closing::Closing;
use compaction::Compacting;
use derived::{CachedTerms, Reading, StoredVectors};
use encoder::{Encoded, EncoderThread};
use halt::{Halt, RebuiltState};
use import::Import;

#[cfg(feature = "llm")]
pub(crate) use llm::LlmCommand;
#[cfg(feature = "llm")]
pub use llm::LlmStep;
use minds::Minds;
use projection::Projection;
use questions::Questions;
use reading::Readings;
use reads::Reads;
use reveals::Reveals;
use status::Counts;
use storage::{OpenedStorage, Storage};
use vectors::Vectors;
pub(crate) use write::Write;
use writes::Writes;

pub(crate) type ReadJob = Box<dyn FnOnce(&ReadSnapshot) + Send>;

/// Creates a question from the current state.
pub(crate) type BuildAsk = Box<dyn FnOnce(&ReadSnapshot) -> Result<Ask, MemoryError> + Send>;

/// A caller's request to the worker.
pub(crate) enum Command {
    Ask(BuildAsk, Instant, Responder<Answer>),
    Search(Search, Instant, Responder<SearchResults>),
    SummaryRequest(Summarize, Instant, Responder<Summary>),
    Status(Responder<Status>),
    Read(ReadJob),
    ReadInBackground(ReadJob),
    Duplicates(Responder<Vec<Duplicate>>),
    Write(Write),
    Watch(MindFilter, Responder<()>),
    Import {
        path: PathBuf,
        options: ImportOptions,
        dry_run: bool,
        responder: Responder<ImportOutcome>,
    },
    Rebuild(Responder<()>),
    Draft(Draft, Responder<DraftExtraction>),
    FindDeeds(Box<GameEvent>, Responder<GameEvent>),
    MatchFacts(SpokenLine, Responder<FactMatches>),
    ReadLine(UnrecordedLine, Responder<LineReading>),
    CheckReply(DraftReply, Responder<ReplyCheck>),
    ReadTexts {
        again: bool,
        responder: Responder<usize>,
    },
    #[cfg(feature = "llm")]
    Llm(LlmCommand),
    /// Applies an operation to the state but not to the journal, to make the two differ.
    #[cfg(test)]
    ApplyUnrecorded(hearsay_model::Operation),
}

/// A message from another thread.
pub(crate) enum Internal {
    /// Outcome of the commit of the operations in flight.
    Committed(Result<(), StoreError>),
    /// Plan of the data to remove from the journal.
    CompactionPlanned(hearsay_model::Compaction),
    /// Outcome of updating the database to the compacted journal.
    Compacted(Result<(), StoreError>),
    /// A message of the server for attached programs.
    Server(ServerMessage),
    /// A message of the owner of the campaign, and the number of the connection.
    Link(u64, LinkMessage),
    /// An event of the server that contains the campaign, and the number of the connection.
    #[cfg(feature = "remote")]
    Remote(u64, RemoteEvent),
    /// Outcome of attaching again or opening the database.
    Reopened(Box<Result<Reopened, MemoryError>>),
    /// Outcome of rebuilding the state from the journal.
    Reloaded(Box<Result<Reloaded, StoreError>>),
    /// Outcome of computing the derived data of the rebuilt state.
    RebuiltState(Box<Result<RebuiltState, MemoryError>>),
    /// An import whose files were read. The import now waits in the queue of writes.
    Import(Box<Import>),
    /// An import that was compared with the state; `None` if the comparison failed.
    Planned(Option<Box<Import>>),
    /// Outcome of writing rows of the graph tables: the watermark of the tables, or an error.
    Projected(Result<Watermark, StoreError>),
    /// The graph tables were rebuilt.
    Rebuilt,
    /// The stored vectors; `None` if there were none or they cannot be read.
    StoredVectors(Option<Box<StoredVectors>>),
    /// A result of the encoder.
    Encoded(Encoded),
    /// The rest of a request, after a background thread has read its words.
    Resume(Box<dyn FnOnce(&mut Worker) + Send>),
    /// Facts that the extractor found in passages.
    Read(Vec<Findings>),
    /// Facts that a language model found in texts.
    #[cfg(feature = "llm")]
    LlmResult(Box<llm::LlmResult>),
    /// The queue of the language model was stored, or storing it failed.
    #[cfg(feature = "llm")]
    QueueSaved,
    /// An error of a background task.
    Failed(String),
    /// Reason why the storage failed.
    StorageFailed(String),
    /// Duplicate entities, and the responder of the caller who asked for them.
    FoundDuplicates(Vec<Duplicate>, Responder<Vec<Duplicate>>),
    /// Planned merges of near-certain duplicates, and whether there are more.
    Duplicates(Vec<MergePlan>, bool),
    /// A long read has finished.
    BackgroundReadDone,
    /// A background thread has finished.
    BackgroundJobDone,
}

/// Runs a caller's closure. Turns a panic into an error, so that the panic does not end the thread.
pub(crate) fn guarded<T>(job: impl FnOnce() -> Result<T, MemoryError>) -> Result<T, MemoryError> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or(Err(MemoryError::Panicked))
}

/// Maximum duration of postponed work before the worker checks its channels again.
const SLICE: Duration = Duration::from_millis(2);

pub(crate) struct Worker {
    snapshot: ReadSnapshot,
    index: hearsay_recall::Index,
    storage: Storage,
    /// Number of connections to owners and servers so far.
    connections: u64,
    clients: Clients,
    /// Options with which the memory was opened.
    options: MemoryOptions,
    settings: Settings,
    opened: OpenReport,
    internal: Sender<Internal>,
    events: EventSender,
    events_dropped: usize,
    dropped_proposals: usize,
    encoder: Option<EncoderThread>,
    model: ModelStatus,
    vectors: Vectors,
    writes: Writes,
    projection: Projection,
    /// Set while writing has stopped.
    halt: Option<Halt>,
    questions: Questions,
    readings: Readings,
    #[cfg(feature = "llm")]
    llm_extractor: Option<llm::LlmExtractor>,
    reviews: ReviewCounter,
    reveals: Reveals,
    minds: Minds,
    duplicates: duplicates::Search,
    compacting: Compacting,
    counts: Counts,
    reads: Reads,
    /// Number of background jobs that have not finished.
    running_jobs: usize,
    /// Background threads to join at the end: those of the jobs, and the thread that reads the stored vectors.
    background_threads: Vec<JoinHandle<()>>,
    /// Thread that reads the stored terms of texts.
    terms: Option<JoinHandle<CachedTerms>>,
    stored_terms: derived::StoredTerms,
    /// Whether all senders of requests were dropped.
    closing: bool,
    /// Deadline of closing, and counts of the changes that were accepted before closing began.
    ending: Closing,
    /// Channel of writes that the worker has not received yet. Used only to count these writes.
    queued: Receiver<Command>,
}

pub(crate) fn start(
    options: MemoryOptions,
    reads: Receiver<Command>,
    writes: Receiver<Command>,
    events: EventSender,
    deadline: Arc<OnceLock<Instant>>,
) -> Result<JoinHandle<Result<Closed, MemoryError>>, MemoryError> {
    let (internal, inbox) = unbounded();
    // The threads read while the database opens. They write nothing before the database is open, because only the open
    // database ensures that no other process uses the directory.
    let reading = match &options.location {
        Location::Directory(directory) => Some(Reading::start(directory, options.settings.model.enabled, &internal)?),
        Location::Memory => {
            let _ = internal.send(Internal::StoredVectors(None));
            None
        }
    };
    let OpenedStorage { storage, state, report } = storage::open(&options, &internal)?;
    // The program that has the database open, for itself or as a server, uses the language model for all programs.
    #[cfg(feature = "llm")]
    let llm_extractor = storage.has_database().then(|| llm::LlmExtractor::start(&options, &state, &internal)).flatten();
    let encoder =
        options.settings.model.enabled.then(|| EncoderThread::start(&options.settings.model, internal.clone()));
    let model = match encoder {
        Some(_) => ModelStatus::Loading,
        None => ModelStatus::None { why: "disabled in the settings".into() },
    };
    let transient_batch = report.transient_batch;
    let compacted_to = state.compacted_to();
    let (terms, vectors) = reading.map_or((None, None), |reading| (Some(reading.terms), reading.vectors));
    let worker = Worker {
        writes: Writes::default(),
        projection: Projection::new(&state, transient_batch),
        snapshot: ReadSnapshot { learned: Arc::new(TrustCalibration::from_state(&state)), state: Arc::new(state) },
        index: hearsay_recall::Index::default(),
        storage,
        connections: 0,
        clients: Clients::default(),
        settings: options.settings.clone(),
        options,
        opened: report,
        internal,
        events,
        events_dropped: 0,
        dropped_proposals: 0,
        encoder,
        model,
        vectors: Vectors::default(),
        halt: None,
        questions: Questions::default(),
        readings: Readings::default(),
        #[cfg(feature = "llm")]
        llm_extractor,
        reviews: ReviewCounter::default(),
        reveals: Reveals::default(),
        minds: Minds::default(),
        duplicates: duplicates::Search::default(),
        compacting: Compacting::new(compacted_to),
        counts: Counts::default(),
        reads: Reads::default(),
        running_jobs: 0,
        background_threads: Vec::from_iter(vectors),
        terms,
        stored_terms: derived::StoredTerms::default(),
        closing: false,
        ending: Closing::new(deadline),
        queued: writes.clone(),
    };
    let thread = thread::Builder::new().name("hearsay-worker".into()).spawn(move || worker.run(reads, writes, inbox));
    thread.map_err(MemoryError::Thread)
}

impl Worker {
    fn run(
        mut self,
        reads: Receiver<Command>,
        writes: Receiver<Command>,
        inbox: Receiver<Internal>,
    ) -> Result<Closed, MemoryError> {
        self.storage.listen(&self.internal);
        let (stored_terms, texts) = self.terms.take().and_then(|reading| reading.join().ok()).unwrap_or_default();
        self.stored_terms = stored_terms;
        self.index = hearsay_recall::Index::with_cache(self.snapshot.state.corpus(), texts);
        self.reviews = ReviewCounter::from_state(&self.snapshot.state);
        self.reveals = Reveals::from_state(&self.snapshot.state);
        self.readings = Readings::new(&self.snapshot.state, &self.settings);
        if self.storage.own().is_none() {
            // Other programs read the texts that they added.
            drop(self.readings.take_unread());
        }
        #[cfg(feature = "llm")]
        if let Some(llm_extractor) = &mut self.llm_extractor {
            llm_extractor.reconcile(&self.snapshot.state, &self.readings);
        }
        let none = never();
        let (mut reads, mut writes) = (Some(reads), Some(writes));
        loop {
            self.closing = reads.is_none() && writes.is_none();
            self.fail_writes_after_deadline();
            self.stop_reconnecting_if_done();
            let compacts = self.compact_some();
            self.begin_commit();
            self.look_for_duplicates();
            let busy = self.do_slice();
            self.read_more();
            #[cfg(feature = "llm")]
            self.ask_model();
            if self.closing && (!busy || self.ending.gave_up()) && self.is_idle() {
                if !self.ending.gave_up() && self.mark_reading() {
                    // Handles the new write immediately, because no later message would wake the worker.
                    continue;
                }
                break;
            }
            let now = Instant::now();
            let (projecting, closing) = (self.projection.time_until_due(now), self.ending.time_until_due(now));
            let due = [projecting, closing, self.writes.time_until_uncertain(now)];
            let timeout = due.into_iter().flatten().fold(self.questions.time_until_due(now), Duration::min);
            #[cfg(feature = "llm")]
            let timeout = self.time_until_llm_work().map_or(timeout, |until| until.min(timeout));
            let timeout = if busy || compacts { Duration::ZERO } else { timeout };
            let open_reads = reads.as_ref().unwrap_or(&none);
            // When the queue of writes is full, further writes stay in the channel. When the channel is also full,
            // callers get an error. Reads continue.
            let open_writes = writes.as_ref().filter(|_| self.writes.has_room()).unwrap_or(&none);
            select! {
                recv(inbox) -> message => {
                    if let Ok(message) = message {
                        self.handle_internal(message);
                    }
                }
                recv(open_reads) -> command => match command {
                    Ok(command) => self.handle_command(command),
                    Err(_) => reads = None,
                },
                recv(open_writes) -> command => match command {
                    Ok(command) => self.handle_command(command),
                    Err(_) => writes = None,
                },
                default(timeout) => {}
            }
            if self.questions.time_until_due(Instant::now()).is_zero() {
                // A vector that has arrived is used, even if the worker was too busy to take it before the deadline.
                inbox.try_iter().for_each(|message| self.handle_internal(message));
            }
            self.answer_late_questions();
        }
        self.shut_down(inbox)
    }

    /// Returns whether all requests are answered. If the time limit for closing has passed, returns whether no commit
    /// or compaction is running.
    fn is_idle(&self) -> bool {
        let in_doubt = self.halt.as_ref().map_or(0, Halt::in_doubt);
        if self.ending.gave_up() {
            return self.writes.in_flight() + in_doubt == 0 && !self.compacting.is_busy();
        }
        let is_compacting = self.compacting.is_busy();
        let is_reading = self.running_jobs > 0 || !self.reads.is_empty();
        self.writes.waiting() + in_doubt == 0 && !is_reading && self.questions.is_empty() && !is_compacting
    }

    fn handle_command(&mut self, command: Command) {
        match command {
            Command::Ask(build_ask, since, responder) => self.ask(build_ask, since, responder),
            Command::Search(search, since, responder) => self.search(search, since, responder),
            Command::SummaryRequest(compact, since, responder) => self.summarize(compact, since, responder),
            Command::Status(responder) => {
                let status = self.status();
                responder.give(Ok(status));
            }
            Command::Read(read) => read(&self.snapshot),
            Command::Duplicates(responder) => self.find_duplicates(responder),
            Command::ReadInBackground(read) => self.read_in_background(read),
            Command::Write(write) => self.writes.push(write),
            Command::Watch(filter, responder) => responder.give(self.minds.watch(filter, &self.snapshot.state)),
            Command::Import { path, options, dry_run, responder } => {
                let snapshot = self.snapshot.clone();
                self.run_in_background(move |internal| match dry_run {
                    true => import::dry_run(&snapshot, &path, &options, responder),
                    false => import::import(snapshot, &path, options, responder, internal),
                });
            }
            Command::Rebuild(responder) => self.rebuild(responder),
            Command::Draft(draft, responder) => self.draft(draft, responder),
            Command::FindDeeds(event, responder) => self.find_deeds(*event, responder),
            Command::MatchFacts(line, responder) => self.match_facts(line, responder, |facts| facts),
            Command::ReadLine(line, responder) => self.read_line(line, responder),
            Command::CheckReply(draft, responder) => self.check_reply(draft, responder),
            Command::ReadTexts { again, responder } => {
                let count = self.read_texts(again);
                responder.give(Ok(count));
            }
            #[cfg(feature = "llm")]
            Command::Llm(command) => self.take_llm(command),
            #[cfg(test)]
            Command::ApplyUnrecorded(operation) => {
                drop(Arc::make_mut(&mut self.snapshot.state).apply(operation));
            }
        }
    }

    fn handle_internal(&mut self, message: Internal) {
        match message {
            Internal::Committed(result) => self.finish_commit(result),
            Internal::CompactionPlanned(plan) => self.take_compaction_plan(plan),
            Internal::Compacted(result) => self.finish_compaction(result),
            Internal::Server(message) => self.take_server_message(message),
            Internal::Link(number, message) => self.take_link_message(number, message),
            #[cfg(feature = "remote")]
            Internal::Remote(number, event) => self.take_remote_event(number, event),
            Internal::Reopened(reopened) => self.take_reopened(*reopened),
            Internal::Reloaded(reloaded) => self.take_reloaded(*reloaded),
            Internal::RebuiltState(rebuilt) => self.take_rebuilt_state(*rebuilt),
            Internal::Import(import) => self.writes.push(Write::Import(import)),
            Internal::Planned(import) => self.take_planned(import),
            Internal::Projected(result) => self.finish_projection(result),
            Internal::Rebuilt => self.take_rebuilt(),
            Internal::StoredVectors(stored) => self.take_stored_vectors(stored.map(|stored| *stored)),
            Internal::Encoded(encoded) => self.take_encoded(encoded),
            Internal::Resume(resume) => resume(self),
            Internal::Read(read) => self.take_read(read),
            #[cfg(feature = "llm")]
            Internal::LlmResult(result) => self.take_llm_result(*result),
            #[cfg(feature = "llm")]
            Internal::QueueSaved => self.note_queue_saved(),
            Internal::Failed(what) => self.fail(what),
            // The store has already logged the failure.
            Internal::StorageFailed(reason) => self.send_event(Event::Failed(format!(
                "the storage failed, so nothing is saved until the campaign is opened again: {reason}"
            ))),
            Internal::FoundDuplicates(found, responder) => self.give_duplicates(found, responder),
            Internal::Duplicates(found, more) => self.take_duplicates(found, more),
            Internal::BackgroundReadDone => self.finish_read(),
            Internal::BackgroundJobDone => self.running_jobs -= 1,
        }
    }

    /// Runs a long job on its own low-priority thread, so that it delays neither writes nor frames of the game. Returns
    /// whether the thread started. If the thread did not start, the job and its responder are dropped, so the caller
    /// gets an error.
    fn run_in_background(&mut self, job: impl FnOnce(&Sender<Internal>) + Send + 'static) -> bool {
        self.background_threads.retain(|thread| !thread.is_finished());
        let internal = self.internal.clone();
        let thread = thread::Builder::new().name("hearsay-aside".into()).spawn(move || {
            lower_priority(ThreadPriority::Lowest);
            let panicked = catch_unwind(AssertUnwindSafe(|| job(&internal))).is_err();
            if panicked {
                let _ = internal.send(Internal::Failed("a background task panicked".into()));
            }
            let _ = internal.send(Internal::BackgroundJobDone);
        });
        match thread {
            Ok(thread) => {
                self.running_jobs += 1;
                self.background_threads.push(thread);
                true
            }
            Err(error) => {
                self.fail(format!("no thread could be started: {error}"));
                false
            }
        }
    }

    fn send_event(&mut self, event: Event) {
        if !self.events.send(event) {
            self.events_dropped += 1;
        }
    }

    fn fail(&mut self, what: String) {
        tracing::error!("{what}");
        self.send_event(Event::Failed(what));
    }

    /// Does some postponed work. Returns whether more work remains.
    fn do_slice(&mut self) -> bool {
        let end = Instant::now() + SLICE;
        while Instant::now() < end {
            if !self.index_some() && !self.project_some() {
                return false;
            }
        }
        true
    }

    /// Stores derived data, and closes the database. All requests are answered by then.
    fn shut_down(mut self, inbox: Receiver<Internal>) -> Result<Closed, MemoryError> {
        // If the time limit for closing has passed, background threads are left to end by themselves.
        for thread in std::mem::take(&mut self.background_threads).into_iter().filter(|_| !self.ending.gave_up()) {
            let _ = thread.join();
        }
        if let Some(encoder) = self.encoder.take() {
            encoder.stop();
        }
        #[cfg(feature = "llm")]
        self.stop_llm_extractor(&inbox);
        while let Ok(message) = inbox.try_recv() {
            self.handle_internal(message);
        }
        // Vectors that are still being read are no longer needed.
        drop(inbox);
        self.closing = true;
        self.store_vectors();
        if let Some(directory) = self.storage.directory() {
            derived::write_terms(directory, &self.index, self.stored_terms);
            self.drop_unused_vectors();
        }
        let newer = self.snapshot.state.position().0.saturating_sub(self.opened.snapshot.unwrap_or_default().0);
        if let Some(store) = self.storage.own()
            && newer >= self.settings.store.snapshot_after.max(1)
        {
            store.write_snapshot(&self.snapshot.state, |result| {
                if let Err(error) = result {
                    tracing::warn!("no snapshot was written, so the next opening takes longer: {error}");
                }
            });
        }
        let closed = self.ending.closed();
        let unread = self.readings.take_unread();
        let large = (self.snapshot, self.index, self.vectors, self.questions, self.reviews, self.readings);
        closing::release(large, self.options.free_on_close);
        match self.storage {
            Storage::Own { server, store } => {
                drop((server, self.clients));
                // At this point, no other thread should have a reference to the store. A thread that has one closes the
                // store later.
                Arc::into_inner(store).map_or(Ok(closed), |store| Ok(store.close().map(|()| closed)?))
            }
            Storage::Attached { link, .. } => {
                link.close(unread);
                Ok(closed)
            }
            #[cfg(feature = "remote")]
            Storage::Remote(remote) => {
                remote.close();
                Ok(closed)
            }
            Storage::Reconnecting { .. } => Ok(closed),
        }
    }
}
