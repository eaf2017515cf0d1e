//! Opens the memory on a separate thread.

use std::{path::Path, thread};

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};
use hearsay_engine::{
    Memory, MemoryError,
    priority::{ThreadPriority, lower_priority},
    real_time, sync_campaign_files,
};
use hearsay_model::{Author, Change, EngineSetting, Operation, Position, Setting};

use super::options::{MemoryPlugin, Start};

/// A message from the thread that opens the memory.
pub(super) enum OpeningMessage {
    /// The current stage, for display.
    Stage(&'static str),
    /// The opened memory, or the reason why it could not be opened.
    Done(Box<Result<Memory, MemoryError>>),
}

/// A memory that is being opened.
pub(super) struct Opening(Receiver<OpeningMessage>);

impl Opening {
    /// Starts the thread that opens a memory.
    pub(super) fn start(options: MemoryPlugin) -> Self {
        let (sender, receiver) = bounded(8);
        let fallback_sender = sender.clone();
        let thread = thread::Builder::new().name("hearsay-open".into()).spawn(move || {
            if options.low_priority_threads {
                // All of the memory's threads start from this thread and inherit its priority.
                lower_priority(ThreadPriority::Low);
            }
            let opened = open(&options, &sender);
            let _ = sender.send(OpeningMessage::Done(Box::new(opened)));
        });
        if let Err(error) = thread {
            let _ = fallback_sender.try_send(OpeningMessage::Done(Box::new(Err(MemoryError::Thread(error)))));
        }
        Self(receiver)
    }

    /// Returns the next message of the thread, or `None` if it has sent no new message.
    pub(super) fn try_receive(&self) -> Option<OpeningMessage> {
        match self.0.try_recv() {
            Ok(message) => Some(message),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(OpeningMessage::Done(Box::new(Err(MemoryError::Panicked)))),
        }
    }
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
