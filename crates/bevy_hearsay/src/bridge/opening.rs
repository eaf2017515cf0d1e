//! Opens the memory on a separate thread.

use std::{path::Path, thread};

use bevy::prelude::*;
use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use hearsay_engine::{
    Memory, MemoryError,
    priority::{ThreadPriority, lower_priority},
    real_time, sync_campaign_files,
};
use hearsay_model::{Author, Change, EngineSetting, Operation, Position, Setting};

use super::{
    handle::NpcMemory,
    messages::MemoryErrorMessage,
    options::{MemoryPlugin, Start},
    state::{LoadProgress, MemoryState},
};

/// A message from the thread that opens the memory.
enum OpeningMessage {
    Stage(&'static str),
    Done(Box<Result<Memory, MemoryError>>),
}

#[derive(Resource)]
pub(super) struct OpeningChannel(Receiver<OpeningMessage>);

/// Starts the thread that opens the memory. Returns the channel on which the thread reports its progress and result.
pub(super) fn start(plugin: &MemoryPlugin) -> OpeningChannel {
    let (sender, receiver) = bounded(8);
    let (plugin, fallback_sender) = (plugin.clone(), sender.clone());
    let thread = thread::Builder::new().name("hearsay-open".into()).spawn(move || {
        if plugin.low_priority_threads {
            // All of the memory's threads start from this thread and inherit its priority.
            lower_priority(ThreadPriority::Low);
        }
        let opened = open(&plugin, &sender);
        let _ = sender.send(OpeningMessage::Done(Box::new(opened)));
    });
    if let Err(error) = thread {
        let _ = fallback_sender.try_send(OpeningMessage::Done(Box::new(Err(MemoryError::Thread(error)))));
    }
    OpeningChannel(receiver)
}

fn open(plugin: &MemoryPlugin, sender: &Sender<OpeningMessage>) -> Result<Memory, MemoryError> {
    let report_stage = |stage| drop(sender.send(OpeningMessage::Stage(stage)));
    report_stage("opening the save");
    let memory = Memory::open(plugin.options()?)?;
    if plugin.start == Start::NewGame && memory.read(|world| Ok(contains_play(world)))?.wait()? {
        memory
            .write(|_| {
                let operation = Operation::new(Author::Game, "new game", vec![Change::Restore(Position(0))]);
                Ok(Operation { recorded: real_time(), ..operation })
            })?
            .wait()?;
    }
    let campaign =
        plugin.campaign.as_deref().filter(|campaign| plugin.sync_campaign_files && has_campaign_files(campaign));
    if let Some(campaign) = campaign {
        report_stage("reading the campaign");
        match plugin.start {
            Start::NewGame => drop(memory.import(campaign)?.wait()?),
            // Facts that the DM retracted stay retracted.
            Start::Continue => drop(sync_campaign_files(&memory, campaign)?),
        }
    }
    Ok(memory)
}

/// Returns whether a directory has campaign files. Returns false for a directory with only `hearsay.toml`, which has
/// nothing to import. Returns true for a missing directory, because the import then reports a clear error.
fn has_campaign_files(campaign: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(campaign) else { return true };
    let is_settings_file = |name: &std::ffi::OsStr| name == hearsay_engine::SETTINGS_FILE;
    entries.filter_map(Result::ok).any(|entry| !is_settings_file(&entry.file_name()))
}

/// Returns whether a save contains play: live operations other than imports and settings that the engine itself
/// records.
fn contains_play(world: &hearsay_engine::ReadSnapshot) -> bool {
    let is_engine_setting = |change: &Change| {
        matches!(change, Change::Set(Setting::Engine(EngineSetting::Model(_) | EngineSetting::ExtractedUpTo(_))))
    };
    world.state.journal().any(|(_, entry)| {
        let operation = &entry.operation;
        entry.live
            && !matches!(operation.author, Author::Importer(_))
            && !operation.changes.iter().all(is_engine_setting)
    })
}

/// Receives the opened memory.
pub(super) fn receive_opened_memory(
    channel: Option<Res<OpeningChannel>>,
    mut memory: ResMut<NpcMemory>,
    mut state: ResMut<MemoryState>,
    mut progress: ResMut<LoadProgress>,
    mut errors: MessageWriter<MemoryErrorMessage>,
    mut commands: Commands,
) {
    let Some(channel) = channel else { return };
    loop {
        let opened = match channel.0.try_recv() {
            Ok(OpeningMessage::Stage(stage)) => {
                progress.stage = stage.into();
                continue;
            }
            Ok(OpeningMessage::Done(opened)) => *opened,
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => Err(MemoryError::Panicked),
        };
        progress.stage.clear();
        match opened {
            Ok(opened) => {
                memory.0 = Some(opened);
                *state = MemoryState::Ready;
            }
            Err(error) => {
                tracing::error!("the memory could not be opened: {error}");
                *state = MemoryState::Failed(error.to_string());
                errors.write(MemoryErrorMessage { error: error.into(), entity: None });
            }
        }
        commands.remove_resource::<OpeningChannel>();
        return;
    }
}
