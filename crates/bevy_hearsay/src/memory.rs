//! The plugin that owns the memory: it opens the memory, listens to it, and closes it.

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
    sync_campaign_files,
};
use hearsay_model::{Author, Change, EntityId, FactId, Key, Operation, Position, Setting};

use crate::{
    diagnostics::FrameCost,
    game_events,
    steps::{Step, Steps, StepsAppExt},
    sync,
};

/// Opens the memory in the background, and closes it on [`AppExit`].
#[derive(Debug, Clone)]
pub struct MemoryPlugin {
    /// Directory of the campaign that the game starts from. Its `hearsay.toml` has the settings.
    pub campaign: Option<PathBuf>,
    /// Directory of the save's database. `None`: the memory is not saved.
    pub save: Option<PathBuf>,
    /// Whether to start from the campaign as it was written, or to continue from the save. Default: continue.
    pub start: Start,
    /// Whether to import changes of the campaign's files. Default true.
    pub sync_campaign_files: bool,
    /// Settings of the engine. Default: the campaign's `hearsay.toml`, or the default settings if this file is missing.
    pub settings: Option<Settings>,
    /// Whether a DM reviews doubtful facts; overrides the settings. Default: as in the settings.
    pub mode: Option<Mode>,
    /// Maximum number of requests that wait for the memory. Default 1,024.
    pub queue: usize,
    /// How long the game waits at exit for its changes to be committed. Default 5 s. [`MemoryExit`] counts the requests
    /// that are not committed by then. Acknowledged requests are safe in any case. Closing also saves the computed
    /// vectors, and a snapshot that makes opening faster.
    pub exit_patience: Duration,
    /// Whether the memory's threads give way to the game's threads when both need more processors than there are, on
    /// Linux, Android and Windows. Default true: no frame waits for a commit.
    pub gives_way: bool,
}

impl Default for MemoryPlugin {
    fn default() -> Self {
        Self {
            campaign: None,
            save: None,
            start: Start::default(),
            sync_campaign_files: true,
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
    /// From the save as it is. If a campaign is also given, its new content is imported by the rules of imports:
    /// recorded play is not overwritten. An empty save starts from the campaign.
    #[default]
    Continue,
    /// From the campaign as it was written. Earlier play in this save is abandoned, and can be restored from its
    /// [slots](crate::SaveCommands).
    NewGame,
}

/// The memory, once it is open. Most games need it only for functions that the commands of this crate do not offer.
/// Every [`Memory`] request returns a ticket, which the game polls each frame.
#[derive(Resource, Default)]
pub struct NpcMemory(pub(crate) Option<Memory>);

impl NpcMemory {
    /// Returns the engine's handle, or `None` before the memory is open and after it is closed.
    pub fn get(&self) -> Option<&Memory> {
        self.0.as_ref()
    }
}

/// State of the memory. As a resource it drives the run conditions [`memory_ready`] and [`memory_loading`].
#[derive(Resource, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub enum MemoryState {
    /// The memory opens the database and reads the campaign: see [`LoadProgress`].
    #[default]
    Loading,
    /// The memory answers.
    Ready,
    /// The memory could not be opened, for this reason. The game continues without it, and its events are not recorded.
    Failed(String),
    /// The memory was closed.
    Closed,
}

/// Progress of loading. Opening and importing come first, then the entities that the [spawn policy](crate::SpawnPolicy)
/// selects.
#[derive(Resource, Debug, Clone, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct LoadProgress {
    /// The current stage, for display: `opening the save`, `reading the campaign`, `loading entities`. Empty when
    /// loading is complete.
    pub stage: String,
    /// Number of entities loaded.
    pub done: usize,
    /// Number of entities to load, as far as known.
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

/// An error that the game may show or log. No acknowledged operation is lost, and nothing panics.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct MemoryErrorMessage {
    /// The error, for display: what was expected and what to do.
    pub what: String,
    /// The entity concerned.
    pub entity: Option<Entity>,
}

/// An operation was committed, by this game, the DM, an import, or by loading a slot.
#[derive(Message, Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryChanged {
    /// Position of the operation in the journal.
    pub position: Position,
}

/// The condition of a secret's reveal now holds: the holder may tell the secret.
#[derive(Message, Debug, Clone, PartialEq, Eq)]
pub struct SecretRevealable {
    /// Id of the reveal in the campaign.
    pub reveal: String,
    /// The secret.
    pub fact: FactId,
    /// The character that may tell the secret.
    pub holder: EntityId,
}

/// Status of the sentence encoder. Without the encoder, answers come from words and the graph.
#[derive(Resource, Debug, Clone, PartialEq, Eq)]
pub struct EncoderStatus(pub ModelStatus);

/// Outcome at exit of the changes and game events that were not yet committed. Inserted when the memory closes.
#[derive(Resource, Debug, Clone, Copy, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource)]
pub struct MemoryExit {
    /// Number of committed requests.
    pub committed: usize,
    /// Number of requests that were refused, or not committed within [`MemoryPlugin::exit_patience`].
    pub not_committed: usize,
}

impl MemoryExit {
    pub(crate) fn count(&mut self, is_committed: bool) {
        self.committed += usize::from(is_committed);
        self.not_committed += usize::from(!is_committed);
    }
}

/// The records that operations changed, until they are read.
#[derive(Resource, Default)]
pub(crate) struct Touched(pub(crate) VecDeque<(u64, Arc<Vec<Key>>)>);

/// A message of the thread that opens the memory.
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
            .add_message::<MemoryErrorMessage>()
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
            // All of the memory's threads start from this thread and inherit its priority.
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
        if let Some(campaign) =
            self.campaign.as_deref().filter(|campaign| self.sync_campaign_files && holds_campaign(campaign))
        {
            stage("reading the campaign");
            match self.start {
                Start::NewGame => drop(memory.import(campaign)?.wait()?),
                // Facts that the DM retracted stay retracted.
                Start::Continue => drop(sync_campaign_files(&memory, campaign)?),
            }
        }
        Ok(memory)
    }
}

/// Returns whether a directory has campaign files. A directory with only `hearsay.toml` has nothing to import. A
/// missing directory counts as a campaign, because the import reports the clearest error.
fn holds_campaign(campaign: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(campaign) else { return true };
    let settings = |name: &std::ffi::OsStr| name == hearsay_memory::SETTINGS_FILE;
    entries.filter_map(Result::ok).any(|entry| !settings(&entry.file_name()))
}

/// Returns whether a save has live operations other than imports and the memory's own records.
fn was_played(world: &hearsay_memory::ReadSnapshot) -> bool {
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
    mut trouble: MessageWriter<MemoryErrorMessage>,
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
                trouble.write(MemoryErrorMessage { what: error.to_string(), entity: None });
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
    mut trouble: MessageWriter<MemoryErrorMessage>,
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
                trouble.write(MemoryErrorMessage { what: format!("{why}; the memory was read anew"), entity: None });
            }
            EngineEvent::Failed(what) => _ = trouble.write(MemoryErrorMessage { what, entity: None }),
            EngineEvent::Vectors { .. } | EngineEvent::Asked { .. } => {}
        }
    }
}

/// Sends all pending changes and events, closes the memory, and counts the outcome.
fn close(world: &mut World) {
    let patience = world.get_resource::<ExitPatience>().map_or(Duration::from_secs(5), |patience| patience.0);
    let deadline = Instant::now() + patience;
    let mut exit = MemoryExit::default();
    sync::gather_at_exit(world);
    while !send_at_exit(world) && Instant::now() < deadline {
        sync::take_at_exit(world, &mut exit);
        game_events::take_at_exit(world, &mut exit);
        thread::sleep(AT_EXIT);
    }
    let Some(memory) = world.resource_mut::<NpcMemory>().0.take() else { return };
    let (done, closed) = bounded(1);
    let left = deadline.saturating_duration_since(Instant::now());
    let closing = thread::Builder::new().name("hearsay-close".into()).spawn(move || {
        let _ = done.send(memory.close_within(left).map(drop));
    });
    let result = match closing {
        // A commit in progress at the deadline completes, and then the database closes.
        Ok(_) => closed.recv_timeout(left + AFTER_EXIT),
        Err(error) => Ok(Err(MemoryError::Thread(error))),
    };
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!("closing the memory failed: {error}"),
        Err(_) => tracing::warn!("the memory was not closed within {patience:?}; what it acknowledged is safe"),
    }
    sync::count_at_exit(world, &mut exit);
    game_events::count_at_exit(world, &mut exit);
    let MemoryExit { committed, not_committed } = exit;
    if not_committed > 0 {
        tracing::error!(
            "{not_committed} of {} changes and game events were not committed when the game exited; raise \
             `MemoryPlugin::exit_patience` ({patience:?}) if there are that many",
            committed + not_committed
        );
    } else if committed > 0 {
        tracing::info!("{committed} changes and game events were committed when the game exited");
    }
    world.insert_resource(exit);
    *world.resource_mut::<MemoryState>() = MemoryState::Closed;
}

/// Interval between two polls at exit.
const AT_EXIT: Duration = Duration::from_millis(1);

/// How long the database may take to close after the deadline.
const AFTER_EXIT: Duration = Duration::from_secs(5);

/// Sends the waiting changes and events. Returns whether none remains that could be sent later.
fn send_at_exit(world: &mut World) -> bool {
    if world.resource::<NpcMemory>().get().is_none() {
        return true;
    }
    // A change during the loading of a slot belongs to the abandoned timeline.
    let is_leaving = world.get_resource::<sync::Outbox>().is_some_and(sync::Outbox::is_loading);
    let is_sent = sync::flush(world) || is_leaving;
    let is_said = !world.contains_resource::<game_events::GameEvents>() || game_events::send_at_exit(world);
    is_sent && is_said
}
