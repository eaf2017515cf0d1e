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
use hearsay_recall::Condensed;
use hearsay_store::{Location, StoreOptions};
use serde::Serialize;

use crate::{
    Answer, Ask, Compact, Decision, Decisions, Draft, Drafted, Duplicate, Edit, Event, Found, Gossip, GossipPlan,
    Guide, Happening, Health, ImportProgress, Keep, Log, MemoryError, MergePlan, Patched, Patches, Preview, Proposal,
    Proposed, Prune, PrunePlan, Retcon, Search, SessionStep, Settings, Status, Teach, Ticket, World, duplicates,
    health,
    preview::preview,
    proposal::propose,
    query::undo_summary,
    session::keep_recap,
    ticket::{Responder, ticket},
    worker::{self, Command, ReadJob, Write, guarded},
};
#[cfg(feature = "llm")]
use crate::{LlmStatus, LlmStep, worker::LlmCommand};

/// What a memory is opened with.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// Where the database lies.
    pub location: Location,
    /// Policy, recall, model and store.
    pub settings: Settings,
    /// How the database behaves.
    pub store: StoreOptions,
    /// Reads that may wait for the worker, and writes that may. Default 256 each.
    pub queue: usize,
}

impl MemoryOptions {
    /// A campaign directory with its `hearsay.toml`; with the defaults, when it has none.
    ///
    /// # Errors
    /// When `hearsay.toml` is wrong, as [`Settings::read`] says.
    pub fn for_campaign(directory: impl AsRef<Path>) -> Result<Self, MemoryError> {
        let directory = directory.as_ref();
        Ok(Self::with_settings(directory, Settings::read(directory)?))
    }

    /// A campaign directory with settings that were read before.
    pub fn with_settings(directory: &Path, mut settings: Settings) -> Self {
        let location = Location::Directory(directory.join(&settings.store.directory));
        settings.model.directory = settings.model.directory.map(|model| directory.join(model));
        settings.extraction.language = settings.extraction.language.map(|language| directory.join(language));
        Self { location, settings, store: StoreOptions::default(), queue: 256 }
    }

    /// A memory that is gone when it closes.
    pub fn in_memory() -> Self {
        Self { location: Location::Memory, settings: Settings::default(), store: StoreOptions::default(), queue: 256 }
    }
}

/// What a write did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Written {
    /// Where its operation lies in the journal.
    pub position: Position,
    /// What it did, in a few words.
    pub summary: String,
    /// How many changes it made.
    pub changes: usize,
}

impl Written {
    pub(crate) fn of(position: Position, operation: &Operation) -> Self {
        Self { position, summary: operation.summary.clone(), changes: operation.changes.len() }
    }
}

/// How files are imported; by looking at them, when nothing is said.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// In which format they are written.
    pub format: Option<hearsay_campaign::Format>,
    /// What the fields of any JSON, YAML or CSV mean.
    pub mapping: Option<PathBuf>,
    /// What the source is called, so that several stand side by side; as its files or their folder say, when nothing is
    /// given. Importing again under the same name takes over what changed.
    pub name: Option<String>,
    /// Shows how far it has come.
    pub progress: ImportProgress,
}

/// What an import did.
#[derive(Debug, Clone, Serialize)]
pub struct ImportOutcome {
    /// What was understood and changed.
    #[serde(flatten)]
    pub report: ImportReport,
    /// The operation, unless nothing changed or it was a dry run.
    pub written: Option<Written>,
}

/// What became of changes that were accepted and not committed when closing began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Closed {
    /// Changes that were committed while the memory closed.
    pub committed: usize,
    /// Changes that were not, because time was up or the database refused them. Each was answered with an error.
    pub not_committed: usize,
}

/// Which operation to undo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoTarget {
    /// The newest that is live and is no undo itself.
    Last,
    /// The newest by one author.
    LastBy(Author),
    /// The one at a position.
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

/// The ways to the worker, which ends when they are gone. Reads have a way of their own, so that they pass by writes.
///
/// The channels are unbounded, and their bound is kept here: of the channels of crossbeam, only those let go of what
/// is in them when the worker is gone.
#[derive(Debug)]
struct Running {
    reads: Sender<Command>,
    writes: Sender<Command>,
    worker: JoinHandle<Result<Closed, MemoryError>>,
    /// When closing gives up, once it began.
    deadline: Arc<OnceLock<Instant>>,
}

impl Memory {
    /// Opens a memory: reads the database on this thread, then starts the worker. The model is loaded in the background.
    ///
    /// # Errors
    /// When the database cannot be opened: held by another process, damaged, not writable. A missing model is no error:
    /// words and graph answer, and [`Status`] says so. When the machine's clock stands before 1970.
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

    /// The settings that it was opened with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What happens: each event once. When nobody takes them, the oldest 1,024 are kept and the others counted in
    /// [`Status::events_dropped`].
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

    /// Asks a character.
    ///
    /// # Errors
    /// When the channel is full or the memory closed, or the question is too long. The ticket: when nobody is called so.
    pub fn ask(&self, ask: Ask) -> Result<Ticket<Answer>, MemoryError> {
        check_question(&ask.question)?;
        self.send_read(|responder| Command::Ask(ask, Instant::now(), responder))
    }

    /// Searches: for names, along relations, by words and meaning.
    ///
    /// # Errors
    /// As [`ask`](Self::ask).
    pub fn search(&self, search: Search) -> Result<Ticket<Found>, MemoryError> {
        check_question(&search.text)?;
        self.send_read(|responder| Command::Search(search, Instant::now(), responder))
    }

    /// A session's log, or a document, in few tokens: what bears on a question, and what carries most.
    ///
    /// # Errors
    /// As [`ask`](Self::ask); when there is no such session.
    pub fn condense(&self, compact: Compact) -> Result<Ticket<Condensed>, MemoryError> {
        check_question(&compact.question)?;
        self.send_read(|responder| Command::Condense(compact, Instant::now(), responder))
    }

    /// How the memory stands.
    ///
    /// # Errors
    /// When the channel is full or the memory closed.
    pub fn status(&self) -> Result<Ticket<Status>, MemoryError> {
        self.send_read(Command::Status)
    }

    /// Reads something from the state, on the worker: be brief. [`query`](crate::query) has the usual readings.
    ///
    /// # Errors
    /// When the channel is full or the memory closed.
    pub fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&World) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        self.send_read(|responder| Command::Read(read_job(read, responder)))
    }

    /// Reads something that takes long on a thread of its own, from the state as it is when the read starts. As many run
    /// at a time as leave one processor to writes; the others wait for their turn.
    ///
    /// # Errors
    /// When the channel is full or the memory closed.
    pub fn read_aside<T: Send + 'static>(
        &self,
        read: impl FnOnce(&World) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<Ticket<T>, MemoryError> {
        self.send_read(|responder| Command::ReadAside(read_job(read, responder)))
    }

    /// Commits an operation that is made from the state at the moment of its turn. Answered after the commit.
    ///
    /// Writes take their turns in the order in which they are sent. Small ones that have no record in common may share
    /// a commit, and are then made from one state, that before the commit. `make` may be called more than once.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: when the operation cannot be made or applied.
    pub fn write(
        &self,
        make: impl FnMut(&World) -> Result<Operation, MemoryError> + Send + 'static,
    ) -> Result<Ticket<Written>, MemoryError> {
        self.send_write(|responder| Command::Write(Write::Operation { make: Box::new(make), responder }))
    }

    /// Writes something by hand, as the DM: canon at once.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn edit(&self, edit: Edit) -> Result<Ticket<Written>, MemoryError> {
        self.edit_as(Author::Dm, edit)
    }

    /// The same by the word of somebody else.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn edit_as(&self, author: Author, edit: Edit) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| edit.operation(&world.state, author.clone(), now()))
    }

    /// Lets somebody learn something that happens in the game.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn learn(&self, author: Author, happening: Happening) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| happening.operation(&world.state, author.clone(), now()))
    }

    /// Begins or ends a session, or says who comes and goes: see [`SessionStep`].
    ///
    /// # Errors
    /// As [`write`](Self::write); when another session is being played, or none is.
    pub fn session(&self, author: Author, step: SessionStep) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| step.operation(&world.state, author.clone(), now()))
    }

    /// Keeps a recap of a session as the DM leaves it, for the DM or for the players; empty words withdraw it.
    /// [`State::recap`](hearsay_model::State::recap) has it again.
    ///
    /// # Errors
    /// As [`write`](Self::write); when there is no such session, or nothing to withdraw.
    pub fn keep_recap(&self, recap: KeptRecap) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| keep_recap(&world.state, &recap, now()))
    }

    /// Writes lines of a session down, as one operation: typed at the table, or read from a transcript. All lines of
    /// all sessions come this way, but those of campaign files.
    ///
    /// # Errors
    /// As [`write`](Self::write); when there is no such session, or a line names somebody who is not there.
    pub fn log(&self, author: Author, log: Log) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| log.operation(&world.state, author.clone(), now()))
    }

    /// Takes back something of the world, as the DM.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn retcon(&self, retcon: Retcon) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| retcon.operation(&world.state, Author::Dm, now()))
    }

    /// Says what an operation would do to what everybody knows, without doing it.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: when the operation cannot be made or applied.
    pub fn preview(
        &self,
        make: impl FnOnce(&World) -> Result<Operation, MemoryError> + Send + 'static,
    ) -> Result<Ticket<Preview>, MemoryError> {
        self.read_aside(move |world| preview(&world.state, make(world)?))
    }

    /// Works out what people tell each other in a stretch of game time, beside the worker, and changes nothing: read the
    /// report, and [commit](Self::commit_gossip) it or not.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: when the game clock is needed and not set, or the
    /// times make no step.
    pub fn gossip(&self, gossip: Gossip) -> Result<Ticket<GossipPlan>, MemoryError> {
        self.read_aside(move |world| gossip.plan(&world.state, now()))
    }

    /// Commits what was worked out, as one operation. What was withdrawn since takes with it what rests on it.
    ///
    /// # Errors
    /// As [`write`](Self::write); when a fact or somebody in it is gone since: then work it out anew.
    pub fn commit_gossip(&self, plan: GossipPlan) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |_| Ok(plan.operation.clone()))
    }

    /// Carries out the DM's decision on a fact, named by id, the beginning of its id, or handle.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn decide(&self, fact: impl Into<String>, decision: Decision) -> Result<Ticket<Written>, MemoryError> {
        let fact = fact.into();
        self.write(move |world| decision.operation(&world.state, &fact, now()))
    }

    /// Carries out the DM's decision on many facts, as one operation, with a reason where there is one.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn decide_all(&self, decisions: Decisions) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| decisions.operation(&world.state, now()))
    }

    /// Makes facts secrets, or open again, as one operation.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn keep(&self, keep: Keep) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| keep.operation(&world.state, now()))
    }

    /// Shows what would be found in a text; nothing is written.
    ///
    /// # Errors
    /// When the channel is full or the memory closed; when a name is nobody's, or the language's file is wrong.
    pub fn draft(&self, draft: Draft) -> Result<Ticket<Drafted>, MemoryError> {
        self.send_read(|responder| Command::Draft(draft, responder))
    }

    /// Has the texts read for facts that wait for it, in the background, where the settings do not; or every text again, as
    /// after the language's file changed. What is known stays as it is. Answered with how many they are.
    ///
    /// # Errors
    /// When the channel is full or the memory closed.
    pub fn read_texts(&self, again: bool) -> Result<Ticket<usize>, MemoryError> {
        self.send_read(|responder| Command::ReadTexts { again, responder })
    }

    /// Waits until all texts are read for facts, and calls back with how many are left; for programs, not for games.
    ///
    /// # Errors
    /// When the memory closes, or the callback says to stop ([`MemoryError::Cancelled`]).
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

    /// Pauses the reading with a language model, lets it go on, or has what failed tried again. Answered with how it stands.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: [`MemoryError::NoLlm`], when none is switched on.
    #[cfg(feature = "llm")]
    pub fn llm(&self, step: LlmStep) -> Result<Ticket<LlmStatus>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Step(step, responder)))
    }

    /// Shows what a language model would find in a text; nothing is written. It takes as long as the model does.
    ///
    /// # Errors
    /// As [`llm`](Self::llm); when a name is nobody's, or the model gives nothing.
    #[cfg(feature = "llm")]
    pub fn draft_with_llm(&self, draft: Draft) -> Result<Ticket<Drafted>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Draft(draft, responder)))
    }

    /// Has written what a prompt of the program's own asks for, such as that of a [`query::SessionRecap`](crate::query). The
    /// words are for people, and never become facts.
    ///
    /// # Errors
    /// As [`llm`](Self::llm); when the model gives nothing.
    #[cfg(feature = "llm")]
    pub fn write_with_llm(&self, prompt: impl Into<String>) -> Result<Ticket<String>, MemoryError> {
        self.send_read(|responder| Command::Llm(LlmCommand::Write(prompt.into(), responder)))
    }

    /// Waits until the language model has read all that it can read now, and calls back with how it stands; for programs,
    /// not for games. What failed stays, and its time may come later.
    ///
    /// # Errors
    /// When the memory closes, none is switched on, or the callback says to stop ([`MemoryError::Cancelled`]).
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

    /// Sends proposals through the policy. Answered with what became of them, after the commit.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn propose(&self, author: Author, proposals: Vec<Proposal>) -> Result<Ticket<Proposed>, MemoryError> {
        let policy = self.settings.policy;
        let make = move |world: &World| {
            let guide = Guide { policy: &policy, learned: &world.learned };
            propose(&world.state, &guide, &proposals, &author, now())
        };
        self.send_write(|responder| {
            Command::Write(Write::Proposals { make: Box::new(make), counts: Proposed::default(), responder })
        })
    }

    /// Looks for entities that may be one, beside the worker; by the meaning of their descriptions too, as far as these
    /// have vectors.
    ///
    /// # Errors
    /// When the channel is full or the memory closed.
    pub fn duplicates(&self) -> Result<Ticket<Vec<Duplicate>>, MemoryError> {
        self.send_read(Command::Duplicates)
    }

    /// Works out what making one entity of two would do, beside the worker, and changes nothing: the first becomes the
    /// second. [Commit](Self::commit_merge) it or not.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: as [`merge`](duplicates::merge()) says.
    pub fn plan_merge(
        &self,
        gone: impl Into<String>,
        into: impl Into<String>,
    ) -> Result<Ticket<MergePlan>, MemoryError> {
        let (gone, into) = (gone.into(), into.into());
        self.read_aside(move |world| duplicates::merge(&world.state, &gone, &into, Author::Dm, now()))
    }

    /// Merges what was worked out, as one operation; it is worked out anew, where something was written meanwhile that
    /// it would have to move.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn commit_merge(&self, plan: MergePlan) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| plan.at_its_turn(&world.state, now()))
    }

    /// Makes two entities again of one that was merged, without loss of what came later: see
    /// [`split`](duplicates::split()).
    ///
    /// # Errors
    /// As [`write`](Self::write); when nothing of the kind was merged.
    pub fn split(&self, entity: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let entity = entity.into();
        self.write(move |world| duplicates::split(&world.state, &entity, now()))
    }

    /// Remembers that two entities that look alike are not the same.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn not_the_same(&self, a: impl Into<String>, b: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let (a, b) = (a.into(), b.into());
        self.write(move |world| duplicates::not_the_same(&world.state, &a, &b, now()))
    }

    /// Turns learning from the DM's decisions on or off, or forgets what was learned.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn teach(&self, teach: Teach) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| Ok(teach.operation(&world.state, now())))
    }

    /// Works out which facts pruning would withdraw, beside the worker, and changes nothing.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: as [`Prune::plan`] says.
    pub fn plan_prune(&self, prune: Prune) -> Result<Ticket<PrunePlan>, MemoryError> {
        self.read_aside(move |world| prune.plan(&world.state, now()))
    }

    /// Withdraws facts, as one operation that [`undo`](Self::undo) takes back.
    ///
    /// # Errors
    /// As [`write`](Self::write); when nothing is to go.
    pub fn prune(&self, prune: Prune) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| Ok(prune.plan(&world.state, now())?.operation.ok_or(ApplyError::Empty)?))
    }

    /// Tells how the record stands, with so many examples of each kind at most, beside the worker: see
    /// [`health`](crate::health).
    ///
    /// # Errors
    /// When the channel is full or the memory closed.
    pub fn health(&self, examples: usize) -> Result<Ticket<Health>, MemoryError> {
        self.read_aside(move |world| Ok(health(&world.state, examples)))
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

    /// Makes fields of entities be otherwise, as a game says it: see [`Patches`].
    ///
    /// # Errors
    /// As [`write`](Self::write). A field that cannot be is no error: the answer lists it, and the others are written.
    pub fn patch(&self, author: Author, patches: Arc<Patches>) -> Result<Ticket<Patched>, MemoryError> {
        let refused = Vec::new();
        self.send_write(|responder| Command::Write(Write::Patches { patches, author, refused, responder }))
    }

    /// Keeps the state as it is under a name, to [load](Self::load_slot) it again. A name that is used already stands
    /// for this state from now on.
    ///
    /// # Errors
    /// As [`write`](Self::write); when the name is empty or longer than 128 bytes.
    pub fn save_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |_| {
            let change = Change::SaveSlot(name.clone());
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("save slot {name}"), vec![change]) })
        })
    }

    /// Goes back to the state that was kept under a name, in one operation: nothing of what came after remains.
    ///
    /// # Errors
    /// As [`write`](Self::write); when nothing was kept under this name.
    pub fn load_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |world| {
            let change = Change::Restore(world.state.slot(&name)?.position);
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("load slot {name}"), vec![change]) })
        })
    }

    /// Gives up a name under which a state was kept.
    ///
    /// # Errors
    /// As [`write`](Self::write); when nothing was kept under this name.
    pub fn drop_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |_| {
            let change = Change::DropSlot(name.clone());
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("drop slot {name}"), vec![change]) })
        })
    }

    /// Imports campaign files, or an export (`.jsonl`), as one operation. Files are read and compared beside the worker:
    /// reads go on meanwhile. It takes its place among the writes once its files are read.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: when the files are wrong.
    pub fn import(&self, path: impl Into<PathBuf>) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_with(path, ImportOptions::default())
    }

    /// Imports files of any format that is known, as one operation. Each source is an author of its own: several stand side
    /// by side, and one is undone without the others.
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

    /// The same, so that somebody sees how far it has come.
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

    /// Says what an import would do, without doing it.
    ///
    /// # Errors
    /// As [`import`](Self::import).
    pub fn import_dry_run(&self, path: impl Into<PathBuf>) -> Result<Ticket<ImportOutcome>, MemoryError> {
        self.import_dry_run_with(path, ImportOptions::default())
    }

    /// Says what an import of files of any format would do, without doing it.
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

    /// Writes all that the state holds into one file (`.jsonl`), beside the worker: another memory can import it. The
    /// file is there as a whole or not at all, and on Unix nobody but its owner can read it.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: when the file cannot be written.
    pub fn export(&self, path: impl Into<PathBuf>) -> Result<Ticket<()>, MemoryError> {
        let path = path.into();
        self.read_aside(move |world| {
            let mut bytes = Vec::new();
            hearsay_campaign::export_jsonl(&world.state, &mut bytes)
                .and_then(|()| hearsay_campaign::write_private(&path, &bytes))
                .map_err(|source| MemoryError::File { path: path.clone(), source })
        })
    }

    /// What undoing would do: the position, what would be lost or change, and what depends on it.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: when there is nothing to undo.
    pub fn undo_preview(&self, target: UndoTarget) -> Result<Ticket<(Position, UndoPreview)>, MemoryError> {
        self.read_aside(move |world| {
            let position = target.position(&world.state)?;
            Ok((position, world.state.undo_preview(position)?))
        })
    }

    /// Undoes an operation. Undoing an undo brings back what it took away.
    ///
    /// # Errors
    /// As [`write`](Self::write); when there is nothing to undo.
    pub fn undo(&self, target: UndoTarget) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |world| {
            let position = target.position(&world.state)?;
            let summary = undo_summary(&world.state, position);
            let operation = Operation::new(Author::Dm, summary, vec![Change::Void(position)]);
            Ok(Operation { recorded: now(), ..operation })
        })
    }

    /// Goes back to a journal position, in one operation: nothing of what came after remains.
    ///
    /// # Errors
    /// As [`write`](Self::write); when the position lies ahead.
    pub fn restore(&self, position: Position) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |_| {
            let operation =
                Operation::new(Author::Dm, format!("go back to {position}"), vec![Change::Restore(position)]);
            Ok(Operation { recorded: now(), ..operation })
        })
    }

    /// Writes the projections in the database anew from the journal.
    ///
    /// # Errors
    /// When the channel is full or the memory closed. The ticket: when the database fails.
    pub fn rebuild(&self) -> Result<Ticket<()>, MemoryError> {
        self.send_write(Command::Rebuild)
    }

    /// Waits until every text has its vector, or until there is no model to make them. Calls back with the number done
    /// and the number of all. For programs; a game goes on meanwhile.
    ///
    /// # Errors
    /// When the memory closes, or the callback says to stop ([`MemoryError::Cancelled`]).
    pub fn wait_for_vectors(&self, mut progress: impl FnMut(usize, usize) -> bool) -> Result<Status, MemoryError> {
        self.wait_for(|status| {
            let go_on = progress(status.texts.saturating_sub(status.pending_vectors), status.texts);
            let no_more = status.pending_vectors == 0 || matches!(status.model, crate::ModelStatus::None { .. });
            (go_on, no_more && status.unindexed == 0)
        })
    }

    /// Waits until the model is loaded or there is none, and the vectors that were stored are read: from then on
    /// [`Status::pending_vectors`] is what must be made.
    ///
    /// # Errors
    /// When the memory closes, or the callback says to stop ([`MemoryError::Cancelled`]).
    pub fn wait_until_settled(&self, mut progress: impl FnMut() -> bool) -> Result<Status, MemoryError> {
        self.wait_for(|status| (progress(), status.model != crate::ModelStatus::Loading && !status.reading_vectors))
    }

    /// Waits until the status is as wanted: `is_done` returns whether to go on, and whether it is.
    fn wait_for(&self, mut is_done: impl FnMut(&Status) -> (bool, bool)) -> Result<Status, MemoryError> {
        // Soon at first, for what is nearly there.
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

    /// Answers all that was sent, keeps the vectors that were made, writes a snapshot, and closes the database. When it
    /// returns, another process may open the directory. Waits for imports under way, but for no longer than
    /// [`StoreSettings::close_timeout_s`](crate::StoreSettings::close_timeout_s); cancel their tickets to be quick.
    ///
    /// # Errors
    /// [`MemoryError::ClosedEarly`] when changes that were accepted were not committed; when the database fails to close,
    /// or the worker ended by a panic.
    pub fn close(self) -> Result<(), MemoryError> {
        let patience = self.settings.store.close_timeout();
        match self.close_within(patience)? {
            Closed { not_committed: 0, .. } => Ok(()),
            Closed { committed, not_committed } => Err(MemoryError::ClosedEarly { committed, not_committed }),
        }
    }

    /// Closes as [`close`](Self::close), waits for accepted changes only so long, and tells what became of them. Each
    /// change that is not committed by then is answered with [`MemoryError::NotInTime`].
    ///
    /// # Errors
    /// When the database fails to close, or the worker ended by a panic.
    pub fn close_within(mut self, patience: Duration) -> Result<Closed, MemoryError> {
        self.shut_down(patience)
    }

    fn shut_down(&mut self, patience: Duration) -> Result<Closed, MemoryError> {
        let Some(Running { reads, writes, worker, deadline }) = self.running.take() else {
            return Ok(Closed::default());
        };
        let _ = deadline.set(Instant::now() + patience);
        // The worker ends when it has done all that was sent before.
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

/// Answers with what a caller reads.
fn read_job<T: Send + 'static>(
    read: impl FnOnce(&World) -> Result<T, MemoryError> + Send + 'static,
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
    /// Where the operation lies in the journal.
    ///
    /// # Errors
    /// When there is nothing to undo.
    pub fn position(&self, state: &State) -> Result<Position, MemoryError> {
        if let Self::At(position) = self {
            return Ok(*position);
        }
        let is_edit = |operation: &Operation| {
            // Neither an undo, nor a slot, nor the memory's own record of its model is what somebody wants to take back.
            let own = |change: &Change| {
                let slots = matches!(change, Change::SaveSlot(_) | Change::DropSlot(_));
                slots
                    || matches!(
                        change,
                        Change::Void(_) | Change::Restore(_) | Change::Set(Setting::Model(_) | Setting::Read(_))
                    )
            };
            !operation.changes.iter().all(own)
        };
        let by = |operation: &Operation| match self {
            Self::LastBy(author) => operation.author == *author,
            // What was read in a text goes with the text.
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

/// The real clock, as operations are stamped with it.
pub fn real_time() -> Timestamp {
    now()
}

/// Characters that a question may have: what is longer is no question.
const LONGEST_QUESTION: usize = 20_000;

fn check_question(question: &str) -> Result<(), MemoryError> {
    match question.len() > LONGEST_QUESTION && question.chars().count() > LONGEST_QUESTION {
        true => Err(MemoryError::LongQuestion { given: question.chars().count(), most: LONGEST_QUESTION }),
        false => Ok(()),
    }
}

/// The database stamps what it writes with the seconds since 1970, and panics where there are none.
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
        // What a caller gives is guarded; this stands for a bug of the worker's own.
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
        // While the fact is being committed, its subject is lost: it is in the journal, and cannot be applied.
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
