//! The worker: one named thread that owns state, index and store.
//!
//! It never waits for anything but its channels. Commits, the model, files and long comparisons run elsewhere and come
//! back as [`Internal`] messages; work that would take long is done in slices between requests.

mod encoder;
mod questions;
mod vectors;
mod writes;

use std::{
    path::PathBuf,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, select_biased, unbounded};
use hearsay_embed::TextHash;
use hearsay_model::{Key, Position, State};
use hearsay_store::{OpenReport, Opened, Store, StoreError, StoreOptions};
use serde::Serialize;

use crate::{
    Answer, Ask, Hit, ImportOutcome, MemoryError, MemoryOptions, Proposed, Search, Settings, Written, ticket::Responder,
};

use encoder::{Encoded, EncoderThread};
use questions::Questions;
use vectors::Vectors;
use writes::Writes;
pub(crate) use writes::{Make, Turn};

/// What a reading sees: the state as of the newest operation that was applied.
#[derive(Debug, Clone)]
pub struct World {
    /// The state.
    pub state: Arc<State>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// An operation was committed and applied.
    Applied {
        /// Its position.
        position: Position,
        /// The records that may have changed.
        touched: Vec<Key>,
    },
    /// Vectors were made.
    Vectors {
        /// Texts that still have none.
        pending: usize,
    },
    /// The model was loaded, or was not.
    Model(ModelStatus),
    /// Something went wrong in the background. Nothing that was acknowledged is lost.
    Failed(String),
}

/// How the model stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "status")]
pub enum ModelStatus {
    /// It is being loaded.
    Loading,
    /// It makes vectors.
    Ready {
        /// Its id.
        id: String,
    },
    /// There is none: words and graph answer.
    None {
        /// Why not.
        why: String,
    },
}

/// How the memory stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// The newest operation.
    pub position: Position,
    /// The position up to which the graph tables of the database show the journal.
    pub projected: Position,
    /// Entities.
    pub entities: usize,
    /// Facts, of every standing.
    pub facts: usize,
    /// Facts and passages that can be recalled.
    pub texts: usize,
    /// Those that have no vector yet, though they are to have one.
    pub pending_vectors: usize,
    /// Items that wait for the DM.
    pub reviews: usize,
    /// Writes that wait for their turn.
    pub waiting_writes: usize,
    /// Proposals that were dropped since opening, because their confidence lay below the floor.
    pub dropped_proposals: usize,
    /// Events that nobody took in time, since opening.
    pub events_dropped: usize,
    /// The model.
    pub model: ModelStatus,
    /// How opening went, in a few words.
    pub opened: String,
}

pub(crate) type ReadJob = Box<dyn FnOnce(&World) + Send>;

pub(crate) struct Write {
    pub(crate) make: Make,
    pub(crate) responder: Responder<Written>,
}

/// What a caller asks of the worker.
pub(crate) enum Command {
    Ask(Ask, Responder<Answer>),
    Search(Search, Responder<Vec<Hit>>),
    Status(Responder<Status>),
    Read(ReadJob),
    ReadAside(ReadJob),
    Write(Write),
    Propose { make: writes::MakeProposed, responder: Responder<Proposed> },
    Import { path: PathBuf, dry_run: bool, responder: Responder<ImportOutcome> },
    Rebuild(Responder<()>),
    Close,
}

/// What comes back from other threads.
pub(crate) enum Internal {
    /// The operations in flight are committed, or are not.
    Committed(Result<(), StoreError>),
    /// A turn was prepared beside the worker.
    Turn(Box<dyn Turn>),
    /// Kept vectors of the model.
    Page(Vec<(TextHash, Vec<f32>)>),
    /// All kept vectors are there.
    PagesDone(Result<(), StoreError>),
    /// The encoder has something.
    Encoded(Encoded),
    /// Something in the background failed.
    Failed(String),
}

/// How long the worker does postponed work before it looks at its channels again.
const SLICE: Duration = Duration::from_millis(2);

/// Writes that may wait before the worker takes no more commands.
const MOST_WAITING_WRITES: usize = 256;

pub(crate) struct Worker {
    world: World,
    index: hearsay_recall::Index,
    store: Arc<Store>,
    settings: Settings,
    opened: OpenReport,
    internal: Sender<Internal>,
    events: Sender<Event>,
    events_dropped: usize,
    dropped_proposals: usize,
    encoder: Option<EncoderThread>,
    model: ModelStatus,
    vectors: Vectors,
    writes: Writes,
    questions: Questions,
    asides: Vec<JoinHandle<()>>,
}

pub(crate) fn start(
    options: MemoryOptions,
    commands: Receiver<Command>,
    events: Sender<Event>,
) -> Result<JoinHandle<Result<(), MemoryError>>, MemoryError> {
    let Opened { store, state, report } = Store::open(options.location, StoreOptions::default())?;
    let (internal, inbox) = unbounded();
    let encoder =
        options.settings.model.enabled.then(|| EncoderThread::start(&options.settings.model, internal.clone()));
    let model = match encoder {
        Some(_) => ModelStatus::Loading,
        None => ModelStatus::None { why: "switched off in the settings".into() },
    };
    let worker = Worker {
        world: World { state: Arc::new(state) },
        index: hearsay_recall::Index::default(),
        store: Arc::new(store),
        settings: options.settings,
        opened: report,
        internal,
        events,
        events_dropped: 0,
        dropped_proposals: 0,
        encoder,
        model,
        vectors: Vectors::default(),
        writes: Writes::default(),
        questions: Questions::default(),
        asides: Vec::new(),
    };
    let thread = thread::Builder::new().name("hearsay-worker".into()).spawn(move || worker.run(&commands, &inbox));
    thread.map_err(|source| MemoryError::File { path: "hearsay-worker".into(), source })
}

impl Worker {
    fn run(mut self, commands: &Receiver<Command>, inbox: &Receiver<Internal>) -> Result<(), MemoryError> {
        self.index = hearsay_recall::Index::of(&self.world.state);
        self.vectors.want_all(&self.world.state);
        let never = crossbeam_channel::never();
        loop {
            self.begin_commit();
            let busy = self.do_slice();
            let patience = if busy { Duration::ZERO } else { self.questions.patience(Instant::now()) };
            let open = if self.writes.waiting() < MOST_WAITING_WRITES { commands } else { &never };
            select_biased! {
                recv(inbox) -> message => {
                    if let Ok(message) = message {
                        self.take_internal(message);
                    }
                }
                recv(open) -> command => match command {
                    Ok(Command::Close) | Err(_) => break,
                    Ok(command) => self.take(command),
                },
                default(patience) => {}
            }
            self.answer_late_questions();
        }
        self.shut_down(inbox)
    }

    fn take(&mut self, command: Command) {
        match command {
            Command::Ask(ask, responder) => self.ask(ask, responder),
            Command::Search(search, responder) => self.search(search, responder),
            Command::Status(responder) => {
                let status = self.status();
                responder.give(Ok(status));
            }
            Command::Read(read) => read(&self.world),
            Command::ReadAside(read) => {
                let world = self.world.clone();
                self.aside(move |_| read(&world));
            }
            Command::Write(Write { make, responder }) => self.writes.push(writes::simple(make, responder)),
            Command::Propose { make, responder } => self.writes.push(writes::proposed(make, responder)),
            Command::Import { path, dry_run, responder } => {
                let world = self.world.clone();
                self.aside(move |internal| writes::import(&world, &path, dry_run, responder, internal));
            }
            Command::Rebuild(responder) => {
                let (world, store) = (self.world.clone(), Arc::clone(&self.store));
                self.aside(move |_| {
                    let done = store.rebuild_projections_blocking(&world.state, |_, _| {});
                    responder.give(done.map_err(MemoryError::from));
                });
            }
            Command::Close => {}
        }
    }

    fn take_internal(&mut self, message: Internal) {
        match message {
            Internal::Committed(result) => self.finish_commit(result),
            Internal::Turn(turn) => self.writes.push(turn),
            Internal::Page(page) => self.vectors.take_kept(page, &mut self.index),
            Internal::PagesDone(result) => {
                if let Err(error) = result {
                    self.fail(format!("kept vectors could not be read: {error}"));
                }
                self.vectors.kept_are_read();
                self.encode_more();
            }
            Internal::Encoded(encoded) => self.take_encoded(encoded),
            Internal::Failed(what) => self.fail(what),
        }
    }

    /// Runs something long on a thread of its own.
    fn aside(&mut self, job: impl FnOnce(&Sender<Internal>) + Send + 'static) {
        self.asides.retain(|aside| !aside.is_finished());
        let internal = self.internal.clone();
        let thread = thread::Builder::new().name("hearsay-aside".into()).spawn(move || job(&internal));
        match thread {
            Ok(thread) => self.asides.push(thread),
            // The job is gone with its responder, and the caller hears that its request was dropped.
            Err(error) => self.fail(format!("no thread could be started: {error}")),
        }
    }

    fn tell(&mut self, event: Event) {
        if self.events.try_send(event).is_err() {
            self.events_dropped += 1;
        }
    }

    fn fail(&mut self, what: String) {
        tracing::error!("{what}");
        self.tell(Event::Failed(what));
    }

    /// Does some of the postponed work; whether there is more.
    fn do_slice(&mut self) -> bool {
        let end = Instant::now() + SLICE;
        while Instant::now() < end {
            if !self.index_some() && !self.project_some() {
                return false;
            }
        }
        true
    }

    fn status(&self) -> Status {
        let state = &self.world.state;
        let from = match self.opened.snapshot {
            Some(position) => format!("a snapshot at {position} and {} operations", self.opened.tail),
            None => format!("{} operations", self.opened.tail),
        };
        Status {
            position: state.position(),
            projected: self.store.projected(),
            entities: state.entity_count(),
            facts: state.fact_count(),
            texts: self.index.len() + self.writes.unindexed(),
            pending_vectors: self.vectors.pending() + self.writes.unindexed(),
            reviews: crate::review_items(state).len(),
            waiting_writes: self.writes.waiting(),
            dropped_proposals: self.dropped_proposals,
            events_dropped: self.events_dropped,
            model: self.model.clone(),
            opened: format!("from {from} in {:.0?}", self.opened.took),
        }
    }

    /// Finishes what was sent before closing, and closes.
    fn shut_down(mut self, inbox: &Receiver<Internal>) -> Result<(), MemoryError> {
        // Imports under way are still prepared: their requests came before.
        for aside in std::mem::take(&mut self.asides) {
            let _ = aside.join();
        }
        loop {
            while let Ok(message) = inbox.try_recv() {
                self.take_internal(message);
            }
            self.begin_commit();
            if !self.writes.in_flight() {
                break;
            }
            if let Ok(message) = inbox.recv() {
                self.take_internal(message);
            }
        }
        while self.project_some() {}
        if let Some(encoder) = self.encoder.take() {
            encoder.stop();
        }
        let newer = self.world.state.position().0 - self.opened.snapshot.unwrap_or_default().0;
        if newer >= self.settings.store.snapshot_after.max(1) {
            self.store.write_snapshot(&self.world.state, |result| {
                if let Err(error) = result {
                    tracing::warn!("no snapshot was written: {error}");
                }
            });
        }
        match Arc::try_unwrap(self.store) {
            Ok(store) => Ok(store.close()?),
            Err(_) => Err(MemoryError::Closed),
        }
    }
}
