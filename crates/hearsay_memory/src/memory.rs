//! The handle to the worker.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use hearsay_campaign::ImportReport;
use hearsay_model::{
    ApplyError, Author, Change, KeptRecap, Operation, Position, Setting, State, Timestamp, UndoPreview,
};
use hearsay_recall::Summary;
use hearsay_store::{Location, StoreOptions};
use serde::Serialize;

use crate::{
    Answer, Ask, Decision, Decisions, Draft, Drafted, Duplicate, Edit, Event, GameEvent, Gossip, GossipPlan, Guide,
    Health, ImportProgress, Keep, Log, MemoryError, MergePlan, Patched, Patches, Preview, Proposal, Proposed, Prune,
    PrunePlan, ReadSnapshot, Retcon, Search, SearchResults, SessionStep, Settings, Status, Summarize, Teach, Ticket,
    duplicates, health,
    preview::preview,
    proposal::propose,
    query::undo_summary,
    session::keep_recap,
    ticket::{Responder, ticket},
    worker::{self, Command, ReadJob, Write, guarded},
};
#[cfg(feature = "llm")]
use crate::{LlmStatus, LlmStep, worker::LlmCommand};

/// Options for opening a memory.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// Location of the database.
    pub location: Location,
    /// Settings of policy, recall, model and store.
    pub settings: Settings,
    /// Options of the database.
    pub store: StoreOptions,
    /// Maximum number of reads that may wait for the worker, and of writes. Default 256 each.
    pub queue: usize,
}

impl MemoryOptions {
    /// Returns the options for a campaign directory with its `hearsay.toml`. Without that file, the settings are the
    /// defaults.
    ///
    /// # Errors
    /// When `hearsay.toml` is invalid, as described at [`Settings::read`].
    pub fn for_campaign(directory: impl AsRef<Path>) -> Result<Self, MemoryError> {
        let directory = directory.as_ref();
        Ok(Self::with_settings(directory, Settings::read(directory)?))
    }

    /// Returns the options for a campaign directory with settings that were read before.
    pub fn with_settings(directory: &Path, mut settings: Settings) -> Self {
        let location = Location::Directory(directory.join(&settings.store.directory));
        settings.model.directory = settings.model.directory.map(|model| directory.join(model));
        settings.extraction.language = settings.extraction.language.map(|language| directory.join(language));
        Self { location, settings, store: StoreOptions::default(), queue: 256 }
    }

    /// Returns the options for a memory without files. Its contents are lost when it closes.
    pub fn in_memory() -> Self {
        Self { location: Location::Memory, settings: Settings::default(), store: StoreOptions::default(), queue: 256 }
    }
}

/// The result of a write.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Written {
    /// Position of the operation in the journal.
    pub position: Position,
    /// Short summary of the operation.
    pub summary: String,
    /// Number of changes in the operation.
    pub changes: usize,
}

impl Written {
    pub(crate) fn of(position: Position, operation: &Operation) -> Self {
        Self { position, summary: operation.summary.clone(), changes: operation.changes.len() }
    }
}

/// Options of an import. Unset options are detected from the files.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Format of the files.
    pub format: Option<hearsay_campaign::Format>,
    /// Path of a mapping that gives the meaning of fields in any JSON, YAML or CSV file.
    pub mapping: Option<PathBuf>,
    /// Name of the source, which keeps several sources apart. If unset, the name comes from the files or their folder.
    /// Another import under the same name applies the differences.
    pub name: Option<String>,
    /// Progress of the import.
    pub progress: ImportProgress,
}

/// The result of an import.
#[derive(Debug, Clone, Serialize)]
pub struct ImportOutcome {
    /// Records that were understood, and changes that were made.
    #[serde(flatten)]
    pub report: ImportReport,
    /// The operation, unless nothing changed or this was a dry run.
    pub written: Option<Written>,
}

/// Counts of changes that were accepted but not yet committed when closing began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Closed {
    /// Number of changes that were committed while the memory closed.
    pub committed: usize,
    /// Number of changes that were not committed, because time ran out or the database refused them. Each of these
    /// requests received an error.
    pub not_committed: usize,
}

/// The operation to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoTarget {
    /// The newest live operation that is not itself an undo.
    Last,
    /// The newest operation by one author.
    LastBy(Author),
    /// The operation at a position.
    At(Position),
}

/// A campaign's memory: a handle to the worker that owns it. See the [crate] documentation for an example.
#[derive(Debug)]
pub struct Memory {
    running: Option<Running>,
    events: Receiver<Event>,
    next: AtomicU64,
    queue: usize,
    settings: Settings,
}

/// The channels to the worker, which ends when they are dropped. Reads have their own channel, so that they overtake
/// writes.
///
/// The channels are unbounded, and [`Memory`] enforces the limit itself. Of the channels of crossbeam, only unbounded
/// ones drop their messages when the worker is gone.
#[derive(Debug)]
struct Running {
    reads: Sender<Command>,
    writes: Sender<Command>,
    worker: JoinHandle<Result<Closed, MemoryError>>,
    /// Time at which closing gives up. Set when closing begins.
    deadline: Arc<OnceLock<Instant>>,
}

impl Memory {
    /// Opens a memory: reads the database on the calling thread, then starts the worker. The model loads in the
    /// background.
    ///
    /// # Errors
    /// When the database cannot be opened: another process holds it, it is damaged, or it is not writable. When the
    /// machine's clock is before 1970. A missing model is not an error: questions are answered by words and graph, and
    /// [`Status`] reports it.
    pub fn open(options: MemoryOptions) -> Result<Self, MemoryError> {
        check_clock(SystemTime::now())?;
        let ((reads, read_queue), (writes, write_queue)) = (unbounded(), unbounded());
        let (sender, events) = bounded(1024);
        let (settings, queue) = (options.settings.clone(), options.queue.max(1));
        let deadline = Arc::new(OnceLock::new());
        let worker = worker::start(options, read_queue, write_queue, sender, Arc::clone(&deadline))?;
        let running = Some(Running { reads, writes, worker, deadline });
        Ok(Self { running, events, next: AtomicU64::new(1), queue, settings })
    }

    /// Returns the settings that the memory was opened with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the event channel, which delivers each event once. If no receiver takes the events, the oldest 1,024 are
    /// kept. The others are counted in [`Status::events_dropped`].
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    fn send<T>(
        &self,
        way: impl Fn(&Running) -> &Sender<Command>,
        command: impl FnOnce(Responder<T>) -> Command,
    ) -> Result<Ticket<T>, MemoryError> {
        let way = self.running.as_ref().map(way).ok_or(MemoryError::Closed)?;
        let waiting = way.len();
        if waiting >= self.queue {
            return Err(MemoryError::Full { waiting });
        }
        let (ticket, responder) = ticket(self.next.fetch_add(1, Ordering::Relaxed));
        way.send(command(responder)).map_err(|_| MemoryError::Closed)?;
        Ok(ticket)
    }

    fn send_read<T>(&self, command: impl FnOnce(Responder<T>) -> Command) -> Result<Ticket<T>, MemoryError> {
        self.send(|running| &running.reads, command)
    }

    fn send_write<T>(&self, command: impl FnOnce(Responder<T>) -> Command) -> Result<Ticket<T>, MemoryError> {
        self.send(|running| &running.writes, command)
    }

    /// Asks a character a question.
    ///
    /// # Errors
    /// When the channel is full, the memory is closed, or the question is too long. The ticket fails when a name is
    /// unknown.
    pub fn ask(&self, ask: Ask) -> Result<Ticket<Answer>, MemoryError> {
        check_question(&ask.question)?;
        self.send_read(|responder| Command::Ask(ask, Instant::now(), responder))
    }

    /// Searches by name, along relations, and by words and meaning.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn search(&self, search: Search) -> Result<Ticket<SearchResults>, MemoryError> {
        check_question(&search.text)?;
        self.send_read(|responder| Command::Search(search, Instant::now(), responder))
    }

    /// Summarizes a session's log or a document within a token budget. The summary prefers lines that are relevant to a
    /// question and lines with the most content.
    ///
    /// # Errors
    /// As [`ask`](Self::ask). Also when the session does not exist.
    pub fn summarize(&self, compact: Summarize) -> Result<Ticket<Summary>, MemoryError> {
        check_question(&compact.question)?;
        self.send_read(|responder| Command::SummaryRequest(compact, Instant::now(), responder))
    }

    /// Returns the status of the memory.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed.
    pub fn status(&self) -> Result<Ticket<Status>, MemoryError> {
        self.send_read(Command::Status)
    }

    /// Reads from the state on the worker thread, so the closure must be short. The module [`query`](crate::query) has
    /// the usual queries.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed.
    pub fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        self.send_read(|responder| Command::Read(read_job(read, responder)))
    }

    /// Runs a long read on its own thread, with the state as of the start of the read. The number of simultaneous reads
    /// leaves one processor to writes. Further reads wait for their turn.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed.
    pub fn read_in_background<T: Send + 'static>(
        &self,
        read: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        self.send_read(|responder| Command::ReadAside(read_job(read, responder)))
    }

    /// Commits an operation that is made from the state when its turn comes. The ticket is answered after the commit.
    ///
    /// Writes take their turns in the order in which they are sent. Small writes that have no record in common may
    /// share a commit. All operations of a shared commit are made from the state before the commit. `make` may be
    /// called more than once.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when the operation cannot be made or applied.
    pub fn write(
        &self,
        make: impl FnMut(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
    ) -> Result<Ticket<Written>, MemoryError> {
        self.send_write(|responder| Command::Write(Write::Operation { make: Box::new(make), responder }))
    }

    /// Writes an edit by the DM, which is canon at once.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn edit(&self, edit: Edit) -> Result<Ticket<Written>, MemoryError> {
        self.edit_as(Author::Dm, edit)
    }

    /// Writes an edit by another author.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn edit_as(&self, author: Author, edit: Edit) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| edit.operation(&world.state, author.clone(), now()))
    }

    /// Records a game event, from which characters learn.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn learn(&self, author: Author, game_event: GameEvent) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| game_event.operation(&world.state, author.clone(), now()))
    }

    /// Begins or ends a session, or records an arrival or departure: see [`SessionStep`].
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when another session is being played, or none is.
    pub fn session(&self, author: Author, step: SessionStep) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| step.operation(&world.state, author.clone(), now()))
    }

    /// Saves a session's recap as edited by the DM, for the DM or for the players. An empty text withdraws the recap.
    /// [`State::recap`](hearsay_model::State::recap) returns the saved recap.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when the session does not exist, or there is no recap to withdraw.
    pub fn keep_recap(&self, recap: KeptRecap) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| keep_recap(&world.state, &recap, now()))
    }

    /// Writes lines to the log of a session as one operation. The lines are typed at the table or read from a
    /// transcript. All lines of all sessions are written by this function, except for those of campaign files.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when the session does not exist, or a line names an unknown entity.
    pub fn log(&self, author: Author, log: Log) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| log.operation(&world.state, author.clone(), now()))
    }

    /// Retracts or ends a fact as the DM.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn retcon(&self, retcon: Retcon) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| retcon.operation(&world.state, Author::Dm, now()))
    }

    /// Shows how an operation would change the knowledge of every knower, without committing it.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when the operation cannot be made or applied.
    pub fn preview(
        &self,
        make: impl FnOnce(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
    ) -> Result<Ticket<Preview>, MemoryError> {
        self.read_in_background(move |world| preview(&world.state, make(world)?))
    }

    /// Simulates the gossip of a stretch of game time on a background thread, without changing the memory. Read the
    /// report, then [commit](Self::commit_gossip) the plan or drop it.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when the game clock is needed but not set, or
    /// the times do not make a step.
    pub fn gossip(&self, gossip: Gossip) -> Result<Ticket<GossipPlan>, MemoryError> {
        self.read_in_background(move |world| gossip.plan(&world.state, now()))
    }

    /// Commits a gossip plan as one operation. Knowledge that depends on facts withdrawn since then is withdrawn too.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when a fact or an entity of the plan was removed since then. In that case, make
    /// a new plan.
    pub fn commit_gossip(&self, plan: GossipPlan) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |_| Ok(plan.operation.clone()))
    }

    /// Applies the DM's decision to a fact. The fact is named by its id, the beginning of its id, or its handle.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn decide(&self, fact: impl Into<String>, decision: Decision) -> Result<Ticket<Written>, MemoryError> {
        let fact = fact.into();
        self.write(move |world| decision.operation(&world.state, &fact, now()))
    }

    /// Applies the DM's decision to many facts as one operation, with an optional reason.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn decide_all(&self, decisions: Decisions) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| decisions.operation(&world.state, now()))
    }

    /// Makes facts secret, or open again, as one operation.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn keep(&self, keep: Keep) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| keep.operation(&world.state, now()))
    }

    /// Shows the result of extraction from a text without writing it.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when a name is unknown or the language file
    /// is invalid.
    pub fn draft(&self, draft: Draft) -> Result<Ticket<Drafted>, MemoryError> {
        self.send_read(|responder| Command::Draft(draft, responder))
    }

    /// Reads the waiting texts for facts in the background, even where the settings turn this off. With `again`, reads
    /// every text, for example after a change of the language file. Known facts stay as they are. Returns the number of
    /// texts.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed.
    pub fn read_texts(&self, again: bool) -> Result<Ticket<usize>, MemoryError> {
        self.send_read(|responder| Command::ReadTexts { again, responder })
    }

    /// Waits until all texts are read for facts. Calls `progress` with the number of texts left. Meant for programs,
    /// not for games.
    ///
    /// # Errors
    /// When the memory closes, or the callback stops the wait ([`MemoryError::Cancelled`]).
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

    /// Pauses or resumes the reading with a language model, or retries failed texts. Returns the new status.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails with [`MemoryError::NoLlm`] when no language
    /// model is enabled.
    #[cfg(feature = "llm")]
    pub fn llm(&self, step: LlmStep) -> Result<Ticket<LlmStatus>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Step(step, responder)))
    }

    /// Shows the result of extraction by a language model without writing it. Takes as long as the model does.
    ///
    /// # Errors
    /// As [`llm`](Self::llm). Also when a name is unknown, or the model returns nothing.
    #[cfg(feature = "llm")]
    pub fn draft_with_llm(&self, draft: Draft) -> Result<Ticket<Drafted>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Draft(draft, responder)))
    }

    /// Asks the language model for a text with a prompt of the program's own, such as that of a
    /// [`query::SessionRecap`](crate::query). The text is for people and never becomes facts.
    ///
    /// # Errors
    /// As [`llm`](Self::llm). Also when the model returns nothing.
    #[cfg(feature = "llm")]
    pub fn write_with_llm(&self, prompt: impl Into<String>) -> Result<Ticket<String>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Write(prompt.into(), responder)))
    }

    /// Waits until the language model has read all texts that it can read now. Calls `progress` with the status. Meant
    /// for programs, not for games. Failed texts stay in the queue and may be retried later.
    ///
    /// # Errors
    /// When the memory closes, no language model is enabled, or the callback stops the wait
    /// ([`MemoryError::Cancelled`]).
    #[cfg(feature = "llm")]
    pub fn wait_for_llm(&self, mut progress: impl FnMut(&LlmStatus) -> bool) -> Result<LlmStatus, MemoryError> {
        loop {
            let status = self.status()?.wait()?;
            let off = || MemoryError::NoLlm("it is switched off".into());
            let llm = status.llm.ok_or_else(off)?;
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

    /// Sends proposals through the policy. Returns their outcome after the commit.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn propose(&self, author: Author, proposals: Vec<Proposal>) -> Result<Ticket<Proposed>, MemoryError> {
        let policy = self.settings.policy;
        let make = move |world: &ReadSnapshot| {
            let guide = Guide { policy: &policy, learned: &world.learned };
            propose(&world.state, &guide, &proposals, &author, now())
        };
        self.send_write(|responder| {
            Command::Write(Write::Proposals { make: Box::new(make), counts: Proposed::default(), responder })
        })
    }

    /// Looks for duplicate entities on a background thread. Compares the meaning of their descriptions too, as far as
    /// these have vectors.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed.
    pub fn duplicates(&self) -> Result<Ticket<Vec<Duplicate>>, MemoryError> {
        self.send_read(Command::Duplicates)
    }

    /// Plans a merge of the first entity into the second on a background thread, without changing the memory.
    /// [Commit](Self::commit_merge) the plan or drop it.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails as described at
    /// [`merge`](duplicates::merge()).
    pub fn plan_merge(
        &self,
        gone: impl Into<String>,
        into: impl Into<String>,
    ) -> Result<Ticket<MergePlan>, MemoryError> {
        let (gone, into) = (gone.into(), into.into());
        self.read_in_background(move |world| duplicates::merge(&world.state, &gone, &into, Author::Dm, now()))
    }

    /// Commits a merge as one operation. If writes since then touch records that the merge moves, the plan is made
    /// again first.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn commit_merge(&self, plan: MergePlan) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| plan.at_its_turn(&world.state, now()))
    }

    /// Splits a merged entity into two again, without loss of later changes: see [`split`](duplicates::split()).
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when there is no such merge.
    pub fn split(&self, entity: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let entity = entity.into();
        self.write(move |world| duplicates::split(&world.state, &entity, now()))
    }

    /// Records that two similar entities are distinct.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn not_the_same(&self, a: impl Into<String>, b: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let (a, b) = (a.into(), b.into());
        self.write(move |world| duplicates::not_the_same(&world.state, &a, &b, now()))
    }

    /// Turns learning from the DM's decisions on or off, or resets the learned trust.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn teach(&self, teach: Teach) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| Ok(teach.operation(&world.state, now())))
    }

    /// Lists the facts that pruning would withdraw, on a background thread, without changing the memory.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails as described at [`Prune::plan`].
    pub fn plan_prune(&self, prune: Prune) -> Result<Ticket<PrunePlan>, MemoryError> {
        self.read_in_background(move |world| prune.plan(&world.state, now()))
    }

    /// Withdraws facts as one operation, which [`undo`](Self::undo) can revert.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when there is nothing to withdraw.
    pub fn prune(&self, prune: Prune) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| Ok(prune.plan(&world.state, now())?.operation.ok_or(ApplyError::Empty)?))
    }

    /// Checks the campaign for problems on a background thread, with a maximum number of examples per check: see
    /// [`health`](crate::health).
    ///
    /// # Errors
    /// When the channel is full or the memory is closed.
    pub fn health(&self, examples: usize) -> Result<Ticket<Health>, MemoryError> {
        self.read_in_background(move |world| Ok(health(&world.state, examples)))
    }

    /// Sets the game clock.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn set_clock(&self, time: hearsay_model::GameTime) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| {
            let change = Change::Set(Setting::Clock(time));
            let summary = format!("set the clock to {}", world.state.calendar().print(time));
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, summary, vec![change]) })
        })
    }

    /// Updates fields of entities from a game: see [`Patches`].
    ///
    /// # Errors
    /// As [`write`](Self::write). An invalid field is not an error: the answer lists it, and the other fields are
    /// written.
    pub fn patch(&self, author: Author, patches: Arc<Patches>) -> Result<Ticket<Patched>, MemoryError> {
        let refused = Vec::new();
        self.send_write(|responder| Command::Write(Write::Patches { patches, author, refused, responder }))
    }

    /// Saves the current state under a name, for [`load_slot`](Self::load_slot). A slot of the same name is replaced.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when the name is empty or longer than 128 bytes.
    pub fn save_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |_| {
            let change = Change::SaveSlot(name.clone());
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("save slot {name}"), vec![change]) })
        })
    }

    /// Restores the state of a slot in one operation, which discards all later changes.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when there is no slot of this name.
    pub fn load_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |world| {
            let change = Change::Restore(world.state.slot(&name)?.position);
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("load slot {name}"), vec![change]) })
        })
    }

    /// Deletes a slot.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when there is no slot of this name.
    pub fn drop_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |_| {
            let change = Change::DropSlot(name.clone());
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("drop slot {name}"), vec![change]) })
        })
    }

    /// Imports campaign files or an export (`.jsonl`) as one operation. Files are read and compared on a background
    /// thread, so reads go on. The import joins the queue of writes after its files are read.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when the files are invalid.
    pub fn import(&self, path: impl Into<PathBuf>) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_with(path, ImportOptions::default())
    }

    /// Imports files of any known format as one operation. Each source is a separate author: several sources can
    /// coexist, and undoing one leaves the others.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn import_with(
        &self,
        path: impl Into<PathBuf>,
        options: ImportOptions,
    ) -> Result<Ticket<ImportOutcome>, MemoryError> {
        let path = path.into();
        self.send_write(|responder| Command::Import { path, options, dry_run: false, responder })
    }

    /// Imports files like [`import`](Self::import) and reports progress.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn import_watched(
        &self,
        path: impl Into<PathBuf>,
        progress: &ImportProgress,
    ) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_with(path, ImportOptions { progress: progress.clone(), ..ImportOptions::default() })
    }

    /// Shows the changes that an import would make, without making them.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn import_dry_run(&self, path: impl Into<PathBuf>) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_dry_run_with(path, ImportOptions::default())
    }

    /// Shows the changes that an import of files of any known format would make, without making them.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn import_dry_run_with(
        &self,
        path: impl Into<PathBuf>,
        options: ImportOptions,
    ) -> Result<Ticket<ImportOutcome>, MemoryError> {
        let path = path.into();
        self.send_read(|responder| Command::Import { path, options, dry_run: true, responder })
    }

    /// Writes the whole state to one file (`.jsonl`) on a background thread. Another memory can import that file. The
    /// file appears complete or not at all. On Unix, only its owner can read it.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when the file cannot be written.
    pub fn export(&self, path: impl Into<PathBuf>) -> Result<Ticket<()>, MemoryError> {
        let path = path.into();
        self.read_in_background(move |world| {
            let mut bytes = Vec::new();
            hearsay_campaign::export_jsonl(&world.state, &mut bytes)
                .and_then(|()| hearsay_campaign::write_private(&path, &bytes))
                .map_err(|source| MemoryError::File { path: path.clone(), source })
        })
    }

    /// Shows the effect of an undo: the position, the lost and changed records, and the dependent operations.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when there is nothing to undo.
    pub fn undo_preview(&self, target: UndoTarget) -> Result<Ticket<(Position, UndoPreview)>, MemoryError> {
        self.read_in_background(move |world| {
            let position = target.position(&world.state)?;
            Ok((position, world.state.undo_preview(position)?))
        })
    }

    /// Undoes an operation. Undoing an undo restores the records that the undo removed.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when there is nothing to undo.
    pub fn undo(&self, target: UndoTarget) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| {
            let position = target.position(&world.state)?;
            let summary = undo_summary(&world.state, position);
            let operation = Operation::new(Author::Dm, summary, vec![Change::Revert(position)]);
            Ok(Operation { recorded: now(), ..operation })
        })
    }

    /// Restores the state of a journal position in one operation, which discards all later changes.
    ///
    /// # Errors
    /// As [`write`](Self::write). Also when the position is after the newest operation.
    pub fn restore(&self, position: Position) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |_| {
            let operation =
                Operation::new(Author::Dm, format!("go back to {position}"), vec![Change::Restore(position)]);
            Ok(Operation { recorded: now(), ..operation })
        })
    }

    /// Rebuilds the projections in the database from the journal.
    ///
    /// # Errors
    /// When the channel is full or the memory is closed. The ticket fails when the database fails.
    pub fn rebuild(&self) -> Result<Ticket<()>, MemoryError> {
        self.send_write(Command::Rebuild)
    }

    /// Waits until every text has its vector, or until there is no model to make them. Calls `progress` with the number
    /// of finished vectors and the total. Meant for programs, not for games.
    ///
    /// # Errors
    /// When the memory closes, or the callback stops the wait ([`MemoryError::Cancelled`]).
    pub fn wait_for_vectors(&self, mut progress: impl FnMut(usize, usize) -> bool) -> Result<Status, MemoryError> {
        self.wait_for(|status| {
            let go_on = progress(status.texts.saturating_sub(status.pending_vectors), status.texts);
            let no_more = status.pending_vectors == 0 || matches!(status.model, crate::ModelStatus::None { .. });
            (go_on, no_more && status.unindexed == 0)
        })
    }

    /// Waits until the model is loaded or unavailable, and the stored vectors are read. From then on,
    /// [`Status::pending_vectors`] is the number of vectors that must be made.
    ///
    /// # Errors
    /// When the memory closes, or the callback stops the wait ([`MemoryError::Cancelled`]).
    pub fn wait_until_settled(&self, mut progress: impl FnMut() -> bool) -> Result<Status, MemoryError> {
        self.wait_for(|status| (progress(), status.model != crate::ModelStatus::Loading && !status.reading_vectors))
    }

    /// Polls the status until `is_done` ends the wait. `is_done` returns whether to continue, and whether the wait is
    /// over.
    fn wait_for(&self, mut is_done: impl FnMut(&Status) -> (bool, bool)) -> Result<Status, MemoryError> {
        // The first pauses are short, because the wait is often nearly over.
        let mut pause = Duration::from_millis(1);
        loop {
            let status = self.status()?.wait()?;
            match is_done(&status) {
                (false, _) => return Err(MemoryError::Cancelled),
                (true, true) => return Ok(status),
                (true, false) => {}
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Answers all requests that were sent, stores finished vectors, writes a snapshot, and closes the database. After
    /// it returns, another process may open the directory. Waits for running imports, at most for
    /// [`StoreSettings::close_timeout_s`](crate::StoreSettings::close_timeout_s). To close faster, cancel their
    /// tickets.
    ///
    /// # Errors
    /// [`MemoryError::ClosedEarly`] when accepted changes were not committed. Also when the database fails to close, or
    /// the worker panicked.
    pub fn close(self) -> Result<(), MemoryError> {
        let patience = self.settings.store.close_timeout();
        match self.close_within(patience)? {
            Closed { not_committed: 0, .. } => Ok(()),
            Closed { committed, not_committed } => Err(MemoryError::ClosedEarly { committed, not_committed }),
        }
    }

    /// Closes like [`close`](Self::close), but waits for accepted changes for `patience` at most and returns their
    /// counts. Each change that is not committed by then fails with [`MemoryError::NotInTime`].
    ///
    /// # Errors
    /// When the database fails to close, or the worker panicked.
    pub fn close_within(mut self, patience: Duration) -> Result<Closed, MemoryError> {
        self.shut_down(patience)
    }

    fn shut_down(&mut self, patience: Duration) -> Result<Closed, MemoryError> {
        let Some(Running { reads, writes, worker, deadline }) = self.running.take() else {
            return Ok(Closed::default());
        };
        let _ = deadline.set(Instant::now() + patience);
        // Without senders, the worker finishes all earlier requests and ends.
        drop((reads, writes));
        worker.join().unwrap_or(Err(MemoryError::Crashed))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Err(error) = self.shut_down(self.settings.store.close_timeout()) {
            tracing::error!("closing the memory failed: {error}");
        }
    }
}

/// Wraps a caller's closure into a job that sends the result to the responder.
fn read_job<T: Send + 'static>(
    read: impl FnOnce(&ReadSnapshot) -> Result<T, MemoryError> + Send + 'static,
    responder: Responder<T>,
) -> ReadJob {
    Box::new(move |world| {
        let answer = match responder.is_cancelled() {
            true => Err(MemoryError::Cancelled),
            false => guarded(|| read(world)),
        };
        responder.give(answer);
    })
}

impl UndoTarget {
    /// Returns the position of the operation in the journal.
    ///
    /// # Errors
    /// When there is nothing to undo.
    pub fn position(&self, state: &State) -> Result<Position, MemoryError> {
        if let Self::At(position) = self {
            return Ok(*position);
        }
        let is_edit = |operation: &Operation| {
            // Undos, slots and the memory's own records of its model and readings are not edits, so `Last` skips them.
            let own = |change: &Change| {
                let slots = matches!(change, Change::SaveSlot(_) | Change::DropSlot(_));
                slots
                    || matches!(
                        change,
                        Change::Revert(_) | Change::Restore(_) | Change::Set(Setting::Model(_) | Setting::Read(_))
                    )
            };
            !operation.changes.iter().all(own)
        };
        let by = |operation: &Operation| match self {
            Self::LastBy(author) => operation.author == *author,
            // Facts extracted from a text are reverted together with that text.
            _ => operation.author != Author::Extractor,
        };
        let mut newest = state.journal().rev();
        let found = newest.find(|(_, entry)| entry.live && is_edit(&entry.operation) && by(&entry.operation));
        let of = match self {
            Self::LastBy(author) => Some(author.to_string()),
            _ => None,
        };
        found.map(|(position, _)| position).ok_or(MemoryError::NothingToUndo { of })
    }
}

/// Returns the time of the real clock, as used to stamp operations.
pub fn real_time() -> Timestamp {
    now()
}

/// Maximum length of a question, in characters.
const LONGEST_QUESTION: usize = 20_000;

fn check_question(question: &str) -> Result<(), MemoryError> {
    match question.len() > LONGEST_QUESTION && question.chars().count() > LONGEST_QUESTION {
        true => Err(MemoryError::LongQuestion { given: question.chars().count(), most: LONGEST_QUESTION }),
        false => Ok(()),
    }
}

/// Rejects times before 1970. The database stamps its writes with the seconds since 1970 and panics on earlier times.
fn check_clock(now: SystemTime) -> Result<(), MemoryError> {
    now.duration_since(UNIX_EPOCH).map(drop).map_err(|_| MemoryError::Clock)
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModelSettings, ModelStatus};

    #[test]
    fn a_clock_before_1970_is_an_error() {
        assert!(check_clock(SystemTime::now()).is_ok() && check_clock(UNIX_EPOCH).is_ok());
        let error = check_clock(UNIX_EPOCH - Duration::from_secs(1)).unwrap_err().to_string();
        assert!(error.contains("before 1970"), "{error}");
    }

    #[test]
    fn when_the_worker_panics_nobody_waits_for_ever() {
        let model = ModelSettings { enabled: false, ..ModelSettings::default() };
        let settings = Settings { model, ..Settings::default() };
        let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
        // Closures from callers are guarded against panics. This job bypasses the guard to simulate a bug of the
        // worker.
        let (release, released) = bounded::<()>(0);
        let bug: ReadJob = Box::new(move |_| {
            let _ = released.recv();
            panic!("a test");
        });
        memory.running.as_ref().unwrap().reads.send(Command::Read(bug)).unwrap();
        let read = memory.status().unwrap();
        let write = memory.set_clock(hearsay_model::GameTime(1)).unwrap();
        let import = memory.import("nowhere").unwrap();
        drop(release);
        let patience = Duration::from_secs(20);
        assert!(matches!(read.wait_for(patience), Err(MemoryError::Closed)));
        assert!(matches!(write.wait_for(patience), Err(MemoryError::Closed)));
        assert!(matches!(import.wait_for(patience), Err(MemoryError::Closed)));
        assert!(matches!(memory.status().map(drop), Err(MemoryError::Closed)));
        assert!(matches!(memory.close(), Err(MemoryError::Crashed)));
    }

    #[test]
    fn a_state_that_does_not_fit_the_journal_is_made_anew() {
        use hearsay_model::{Entity, EntityId, Fact, Method, Provenance, attribute};
        let model = ModelSettings { enabled: false, ..ModelSettings::default() };
        let settings = Settings { model, ..Settings::default() };
        let options = MemoryOptions { settings, ..MemoryOptions::in_memory() };
        let faults = options.store.faults.clone();
        let memory = Memory::open(options).unwrap();
        let ann = EntityId::new("ann").unwrap();
        let write = |changes: Vec<Change>| {
            memory.write(move |_| Ok(Operation::new(Author::Dm, "a test", changes.clone()))).unwrap()
        };
        write(vec![Change::AddEntity(Entity::new(ann.clone()))]).wait().unwrap();
        let provenance = Provenance::new(Method::Authored, Author::Dm);
        let name = Fact::attribute(&ann, attribute::NAME, "Ann", provenance).unwrap().build().unwrap();
        let name = std::sync::Arc::new(name);
        faults.hold();
        let ticket = write(vec![Change::AssertFact(std::sync::Arc::clone(&name))]);
        while !faults.is_holding() {
            std::thread::yield_now();
        }
        // The subject is removed while the fact is being committed. The fact is then in the journal but cannot be
        // applied.
        let spoil = Operation::new(Author::Dm, "a bug", vec![Change::RemoveEntity(ann.clone())]);
        memory.running.as_ref().unwrap().reads.send(Command::Spoil(spoil)).unwrap();
        let lost = ann.clone();
        assert!(memory.read(move |world| Ok(world.state.entity(&lost).is_none())).unwrap().wait().unwrap());
        faults.heal();
        assert_eq!(ticket.wait().unwrap().position, Position(2));
        let state = memory.read(|world| Ok(Arc::clone(&world.state))).unwrap().wait().unwrap();
        assert_eq!((state.position(), state.name(&ann)), (Position(2), Some("Ann")));
        assert!(memory.events().try_iter().any(|event| matches!(event, Event::Reloaded { .. })));
        write(vec![Change::RetractFact(name.id())]).wait().unwrap();
        memory.close().unwrap();
    }

    #[test]
    fn waiting_for_vectors_ends_without_a_model() {
        let model = ModelSettings { enabled: false, ..ModelSettings::default() };
        let settings = Settings { model, ..Settings::default() };
        let memory = Memory::open(MemoryOptions { settings, ..MemoryOptions::in_memory() }).unwrap();
        let status = memory.wait_for_vectors(|_, _| true).unwrap();
        assert!(matches!(status.model, ModelStatus::None { .. }));
        assert!(matches!(memory.wait_for_vectors(|_, _| false), Err(MemoryError::Cancelled)));
    }
}
