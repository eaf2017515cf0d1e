//! The plugin that owns the memory: opens it, listens to it, and closes it.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use bevy::{app::AppExit, prelude::*};
use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use hearsay_memory::{
    Event as EngineEvent, Memory, MemoryError, MemoryOptions, Mode, ModelStatus, Settings,
    priority::{ThreadPriority, lower_priority},
    take_over,
};
use hearsay_model::{Author, Change, EntityId, FactId, Key, Operation, Position, Setting};

use crate::{
    diagnostics::FrameCost,
    happenings,
    steps::{Step, Steps, StepsAppExt},
    sync,
};

/// Opens the memory beside the game, and closes it on [`AppExit`].
#[derive(Debug, Clone)]
pub struct MemoryPlugin {
    /// The campaign's directory: what the game starts from. Its `hearsay.toml` has the settings.
    pub campaign: Option<PathBuf>,
    /// Where the game is saved: a directory for its database. Without one it lives in memory and is gone at the end.
    pub save: Option<PathBuf>,
    /// Whether to begin from the campaign as it was written, or to go on from the save. Default: go on.
    pub start: Start,
    /// Whether what changed in the campaign's files since is taken over. Default true.
    pub take_over: bool,
    /// Settings of the engine. Default: those of the campaign's `hearsay.toml`, or their defaults without one.
    pub settings: Option<Settings>,
    /// Whether a DM reviews what is doubtful, whatever the settings say. Default: as they say.
    pub mode: Option<Mode>,
    /// Requests that may wait for the memory. Default 1,024.
    pub queue: usize,
    /// How long the game waits, when it exits, for what it said to be committed. Default 5 s. What is not committed by then
    /// is counted in [`MemoryExit`]. What was acknowledged is safe anyway; closing also keeps the vectors that were made,
    /// and a snapshot that makes opening quicker.
    pub exit_patience: Duration,
    /// Whether the memory's threads give way to the game's while both want more processors than there are, on Linux,
    /// Android and Windows. Default true: no frame waits for a commit.
    pub gives_way: bool,
}

impl Default for MemoryPlugin {
    fn default() -> Self {
        Self {
            campaign: None,
            save: None,
            start: Start::default(),
            take_over: true,
            settings: None,
            mode: None,
            queue: 1024,
            exit_patience: Duration::from_secs(5),
            gives_way: true,
        }
    }
}

/// Where a game starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
pub enum Start {
    /// From the save as it is. Where a campaign is given too, what it has that is new comes in by the rules of imports:
    /// what was played is not overwritten. A save that is empty starts from the campaign.
    #[default]
    Continue,
    /// From the campaign as it was written. What was played in this save before is left behind, and can be come back
    /// to by its [slots](crate::SaveCommands).
    NewGame,
}

/// The memory, once it is open. Most games need it only for what the commands of this crate do not offer: every
/// [`Memory`] request answers with a ticket to look at each frame.
#[derive(Resource, Default)]
pub struct NpcMemory(pub(crate) Option<Memory>);

impl NpcMemory {
    /// The engine's handle; none, before it is open and after it is closed.
    pub fn get(&self) -> Option<&Memory> {
        self.0.as_ref()
    }
}

/// How the memory stands. As a resource it drives the run conditions [`memory_ready`] and [`memory_loading`].
#[derive(Resource, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub enum MemoryState {
    /// The database is being opened and the campaign read: see [`LoadProgress`].
    #[default]
    Loading,
    /// It answers.
    Ready,
    /// It could not be opened: why. The game goes on without it; what it says is not remembered.
    Failed(String),
    /// It was closed.
    Closed,
}

/// How far loading is. Opening and importing come first, then the entities that are [materialised](crate::Materialise).
#[derive(Resource, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct LoadProgress {
    /// What is being done, for people: `opening the save`, `reading the campaign`, `loading entities`; empty when done.
    pub stage: String,
    /// How many entities are loaded.
    pub done: usize,
    /// How many are to be loaded, as far as is known.
    pub total: usize,
}

/// Run condition: the memory answers.
pub fn memory_ready(state: Option<Res<MemoryState>>) -> bool {
    state.is_some_and(|state| *state == MemoryState::Ready)
}

/// Run condition: the memory is being opened.
pub fn memory_loading(state: Option<Res<MemoryState>>) -> bool {
    state.is_some_and(|state| *state == MemoryState::Loading)
}

/// Something went wrong that the game may want to show or log. Nothing that was acknowledged is lost, and nothing panics.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct MemoryTrouble {
    /// What, for people: what was expected and what to do.
    pub what: String,
    /// Which entity it concerns.
    pub entity: Option<Entity>,
}

/// An operation was committed: by this game, the DM, an import, or by loading a slot.
#[derive(Message, Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryChanged {
    /// Its position in the journal.
    pub position: Position,
}

/// The condition of a secret's reveal holds now: its holder may tell it.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SecretRevealable {
    /// The reveal's id in the campaign.
    pub reveal: String,
    /// The secret.
    pub fact: FactId,
    /// Who may tell it.
    pub holder: EntityId,
}

/// How the sentence encoder stands: without it, words and graph answer.
#[derive(Resource, Debug, Clone, PartialEq, Eq)]
pub struct EncoderStatus(pub ModelStatus);

/// What became, at exit, of all that the game had said and that was not committed yet: changes and happenings. Inserted
/// when the memory closes.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct MemoryExit {
    /// Requests that were committed.
    pub committed: usize,
    /// Requests that were refused, or not committed within [`MemoryPlugin::exit_patience`].
    pub not_committed: usize,
}

impl MemoryExit {
    pub(crate) fn count(&mut self, is_committed: bool) {
        self.committed += usize::from(is_committed);
        self.not_committed += usize::from(!is_committed);
    }
}

/// The records that operations changed, until they are looked at.
#[derive(Resource, Default)]
pub(crate) struct Touched(pub(crate) VecDeque<(u64, Arc<Vec<Key>>)>);

/// What the thread that opens the memory sends.
enum Opening {
    Stage(&'static str),
    Done(Box<Result<Memory, MemoryError>>),
}

#[derive(Resource)]
struct OpeningChannel(Receiver<Opening>);

#[derive(Resource, Clone, Copy)]
struct ExitPatience(Duration);

impl Plugin for MemoryPlugin {
    fn build(&self, app: &mut App) {
        let (sender, receiver) = bounded(8);
        let (plan, refused) = (self.clone(), sender.clone());
        let thread = thread::Builder::new().name("hearsay-open".into()).spawn(move || plan.open(&sender));
        if let Err(error) = thread {
            let _ = refused.try_send(Opening::Done(Box::new(Err(MemoryError::Thread(error)))));
        }
        app.insert_resource(OpeningChannel(receiver))
            .insert_resource(ExitPatience(self.exit_patience))
            .insert_resource(EncoderStatus(ModelStatus::Loading))
            .init_resource::<NpcMemory>()
            .init_resource::<MemoryState>()
            .init_resource::<LoadProgress>()
            .init_resource::<Touched>()
            .init_resource::<FrameCost>()
            .add_message::<MemoryTrouble>()
            .add_message::<MemoryChanged>()
            .add_message::<SecretRevealable>()
            .register_type::<MemoryState>()
            .register_type::<MemoryExit>()
            .register_type::<LoadProgress>()
            .add_step(Step::Open, |world| world.contains_resource::<OpeningChannel>(), take_opened)
            .add_step(Step::Events, has_events, take_events)
            .add_systems(Last, close.run_if(on_message::<AppExit>));
    }
}

impl MemoryPlugin {
    fn open(&self, sender: &Sender<Opening>) {
        if self.gives_way {
            // All of the memory's threads are started from this one, and have its priority.
            lower_priority(ThreadPriority::Low);
        }
        let opened = self.opened(sender);
        let _ = sender.send(Opening::Done(Box::new(opened)));
    }

    fn options(&self) -> Result<MemoryOptions, MemoryError> {
        let mut settings = match (&self.settings, &self.campaign) {
            (Some(settings), _) => settings.clone(),
            (None, Some(campaign)) => Settings::read(campaign)?,
            (None, None) => Settings::default(),
        };
        settings.policy.mode = self.mode.unwrap_or(settings.policy.mode);
        let mut options = match &self.campaign {
            Some(campaign) => MemoryOptions::with_settings(campaign, settings),
            None => MemoryOptions { settings, ..MemoryOptions::in_memory() },
        };
        options.location = match &self.save {
            Some(save) => hearsay_memory::Location::Directory(save.clone()),
            None => hearsay_memory::Location::Memory,
        };
        options.queue = self.queue;
        Ok(options)
    }

    fn opened(&self, sender: &Sender<Opening>) -> Result<Memory, MemoryError> {
        let stage = |stage| drop(sender.send(Opening::Stage(stage)));
        stage("opening the save");
        let memory = Memory::open(self.options()?)?;
        if self.start == Start::NewGame && memory.read(|world| Ok(was_played(world)))?.wait()? {
            memory
                .write(|_| {
                    let operation = Operation::new(Author::Game, "new game", vec![Change::Restore(Position(0))]);
                    Ok(operation)
                })?
                .wait()?;
        }
        if let Some(campaign) = self.campaign.as_deref().filter(|campaign| self.take_over && holds_campaign(campaign)) {
            stage("reading the campaign");
            match self.start {
                Start::NewGame => drop(memory.import(campaign)?.wait()?),
                // What the DM took back stays so.
                Start::Continue => drop(take_over(&memory, campaign)?),
            }
        }
        Ok(memory)
    }
}

/// A campaign directory that has only its `hearsay.toml` has nothing to import; one that is missing is an error, which
/// the import words best.
fn holds_campaign(campaign: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(campaign) else { return true };
    let settings = |name: &std::ffi::OsStr| name == hearsay_memory::SETTINGS_FILE;
    entries.filter_map(Result::ok).any(|entry| !settings(&entry.file_name()))
}

/// Whether anything but imports, and the memory's own records, counts in a save.
fn was_played(world: &hearsay_memory::World) -> bool {
    let own = |change: &Change| matches!(change, Change::Set(Setting::Model(_) | Setting::Read(_)));
    world.state.journal().any(|(_, entry)| {
        let operation = &entry.operation;
        entry.live && !matches!(operation.author, Author::Importer(_)) && !operation.changes.iter().all(own)
    })
}

fn take_opened(
    channel: Res<OpeningChannel>,
    mut memory: ResMut<NpcMemory>,
    mut state: ResMut<MemoryState>,
    mut progress: ResMut<LoadProgress>,
    mut steps: ResMut<Steps>,
    mut trouble: MessageWriter<MemoryTrouble>,
    mut commands: Commands,
) {
    loop {
        let opened = match channel.0.try_recv() {
            Ok(Opening::Stage(stage)) => {
                progress.stage = stage.into();
                continue;
            }
            Ok(Opening::Done(opened)) => *opened,
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => Err(MemoryError::Crashed),
        };
        progress.stage.clear();
        match opened {
            Ok(opened) => {
                steps.listen(opened.events().clone());
                memory.0 = Some(opened);
                *state = MemoryState::Ready;
            }
            Err(error) => {
                tracing::error!("the memory could not be opened: {error}");
                trouble.write(MemoryTrouble { what: error.to_string(), entity: None });
                *state = MemoryState::Failed(error.to_string());
            }
        }
        commands.remove_resource::<OpeningChannel>();
        return;
    }
}

fn has_events(world: &World) -> bool {
    world.resource::<NpcMemory>().get().is_some_and(|memory| !memory.events().is_empty())
}

fn take_events(
    memory: Res<NpcMemory>,
    (mut touched, mut inbox): (ResMut<Touched>, Option<ResMut<sync::Inbox>>),
    mut encoder: ResMut<EncoderStatus>,
    mut changed: MessageWriter<MemoryChanged>,
    mut revealable: MessageWriter<SecretRevealable>,
    mut trouble: MessageWriter<MemoryTrouble>,
    cost: Res<FrameCost>,
) {
    let _cost = cost.begin();
    let Some(memory) = memory.get() else { return };
    for event in memory.events().try_iter() {
        match event {
            EngineEvent::Applied { position, revision, touched: keys } => {
                touched.0.push_back((revision, Arc::new(keys)));
                changed.write(MemoryChanged { position });
            }
            EngineEvent::Revealable { reveal, fact, holder } => {
                revealable.write(SecretRevealable { reveal, fact, holder });
            }
            EngineEvent::Model(status) => {
                if let ModelStatus::None { why } = &status {
                    tracing::info!("no sentence encoder, so words and graph answer: {why}");
                }
                if matches!(status, ModelStatus::Ready { .. }) && !hearsay_memory::encoder_is_optimised() {
                    tracing::warn!(
                        "the sentence encoder was built without optimisation and takes seconds for a question: add \
                         `[profile.dev.package.\"*\"]` with `opt-level = 1` and `debug-assertions = false`, and \
                         `[profile.dev.package.hearsay_embed]` with `opt-level = 3`, to the game's Cargo.toml"
                    );
                }
                encoder.0 = status;
            }
            EngineEvent::Reloaded { why, .. } => {
                if let Some(inbox) = &mut inbox {
                    inbox.resync = true;
                }
                trouble.write(MemoryTrouble { what: format!("{why}; the memory was read anew"), entity: None });
            }
            EngineEvent::Failed(what) => _ = trouble.write(MemoryTrouble { what, entity: None }),
            EngineEvent::Vectors { .. } | EngineEvent::Asked { .. } => {}
        }
    }
}

/// Sends all that the game said, closes the memory, and counts what became of it.
fn close(world: &mut World) {
    let patience = world.get_resource::<ExitPatience>().map_or(Duration::from_secs(5), |patience| patience.0);
    let deadline = Instant::now() + patience;
    let mut exit = MemoryExit::default();
    sync::gather_at_exit(world);
    while !send_at_exit(world) && Instant::now() < deadline {
        sync::take_at_exit(world, &mut exit);
        happenings::take_at_exit(world, &mut exit);
        thread::sleep(AT_EXIT);
    }
    let Some(memory) = world.resource_mut::<NpcMemory>().0.take() else { return };
    let (done, closed) = bounded(1);
    let left = deadline.saturating_duration_since(Instant::now());
    let closing = thread::Builder::new().name("hearsay-close".into()).spawn(move || {
        let _ = done.send(memory.close_within(left).map(drop));
    });
    let result = match closing {
        // What is being committed when time is up is waited for, and the database closes after that.
        Ok(_) => closed.recv_timeout(left + AFTER_EXIT),
        Err(error) => Ok(Err(MemoryError::Thread(error))),
    };
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!("closing the memory failed: {error}"),
        Err(_) => tracing::warn!("the memory was not closed within {patience:?}; what it acknowledged is safe"),
    }
    sync::count_at_exit(world, &mut exit);
    happenings::count_at_exit(world, &mut exit);
    let MemoryExit { committed, not_committed } = exit;
    if not_committed > 0 {
        tracing::error!(
            "{not_committed} of {} changes and happenings were not committed when the game exited; raise \
             `MemoryPlugin::exit_patience` ({patience:?}) if there are that many",
            committed + not_committed
        );
    } else if committed > 0 {
        tracing::info!("{committed} changes and happenings were committed when the game exited");
    }
    world.insert_resource(exit);
    *world.resource_mut::<MemoryState>() = MemoryState::Closed;
}

/// How long it is waited between two looks at exit.
const AT_EXIT: Duration = Duration::from_millis(1);

/// How long the database may take to close once time is up.
const AFTER_EXIT: Duration = Duration::from_secs(5);

/// Sends what still waits. Whether nothing is left that could be sent later.
fn send_at_exit(world: &mut World) -> bool {
    if world.resource::<NpcMemory>().get().is_none() {
        return true;
    }
    // What is changed while a slot is loaded belongs to the future that is left.
    let is_leaving = world.get_resource::<sync::Outbox>().is_some_and(sync::Outbox::is_loading);
    let is_sent = sync::flush(world) || is_leaving;
    let is_said = !world.contains_resource::<happenings::Happenings>() || happenings::send_at_exit(world);
    is_sent && is_said
}
