//! Opens a campaign: reads its settings, opens its memory, and checks its files for changes.

use std::{
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::Result;
use hearsay_engine::{Memory, MemoryError, MemoryOptions, SETTINGS_FILE, Settings, has_campaign_files, is_campaign};
use hearsay_store::Location;

use crate::{
    args::{Campaign, OptionalCampaign},
    interrupt,
    output::{CliError, FILE_ERROR, Output, USAGE_ERROR},
    read_only, sync,
    texts::{self, EncoderUse},
};

/// Returns the campaign of a command that accepts the directory as an argument or with -C.
pub(crate) fn named(directory: Option<&PathBuf>, given: &OptionalCampaign, no_sync: bool) -> Result<Campaign> {
    match (directory, &given.0) {
        (Some(directory), _) => Ok(Campaign::in_directory(directory.clone(), no_sync)),
        (None, Some(campaign)) => Ok(campaign.clone()),
        (None, None) => {
            let message = "no campaign found in this directory or in any directory above it; pass the campaign \
                           directory as an argument";
            Err(CliError::new(USAGE_ERROR, message).into())
        }
    }
}

/// Access that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Access {
    /// Returns the access of a command with the option `--dry-run`. A dry run only reads.
    pub(crate) fn for_dry_run(dry_run: bool) -> Self {
        if dry_run { Self::Read } else { Self::Write }
    }
}

/// Opens a campaign. With write access, first imports the changes in the campaign's files. With read access, only
/// prints a note if files changed, but imports them if the campaign has no records yet.
pub(crate) fn open(campaign: &Campaign, access: Access, encoder_use: EncoderUse, output: &Output) -> Result<Memory> {
    let has_files = !campaign.no_sync && has_campaign_files(&campaign.campaign);
    if access == Access::Read && !has_files && !has_database(&campaign.campaign)? {
        return open_for_dry_run(&campaign.campaign, output);
    }
    let memory = open_without_sync(&campaign.campaign, access, encoder_use, output)?;
    match access {
        _ if !has_files => {}
        Access::Write => sync::import_changes(&memory, campaign, output)?,
        Access::Read => sync::report_changes(&memory, campaign, output)?,
    }
    Ok(memory)
}

/// Opens a campaign for a command that records texts. First extracts facts from all texts that still wait for
/// extraction, so that the result of the command does not include facts from these texts.
pub(crate) fn open_for_recording(campaign: &Campaign, access: Access, output: &Output) -> Result<Memory> {
    open_and_extract(campaign, access, EncoderUse::Disabled, output)
}

/// Opens a campaign like [`open_for_recording`], with the sentence encoder, for a command that matches spoken words with
/// recorded facts.
pub(crate) fn open_for_speech(campaign: &Campaign, access: Access, output: &Output) -> Result<Memory> {
    open_and_extract(campaign, access, EncoderUse::Enabled, output)
}

fn open_and_extract(campaign: &Campaign, access: Access, encoder_use: EncoderUse, output: &Output) -> Result<Memory> {
    let memory = open(campaign, access, encoder_use, output)?;
    if access == Access::Write {
        texts::extract_waiting_texts(&memory, &campaign.campaign, output)?;
    }
    Ok(memory)
}

fn has_database(directory: &Path) -> Result<bool> {
    let settings = settings(directory)?;
    expect_campaign(directory, &settings)?;
    Ok(contains_database(directory, &settings))
}

/// Returns whether the campaign is in a server, or its directory contains a database.
fn contains_database(directory: &Path, settings: &Settings) -> bool {
    settings.store.endpoint.is_some() || directory.join(&settings.store.directory).exists()
}

/// Opens a campaign without importing its files.
pub(crate) fn open_without_sync(
    directory: &Path,
    access: Access,
    encoder_use: EncoderUse,
    output: &Output,
) -> Result<Memory> {
    let mut settings = settings(directory)?;
    expect_campaign(directory, &settings)?;
    settings.model.enabled &= encoder_use == EncoderUse::Enabled;
    // Disables automatic extraction, because extraction would change the data while a command shows the data. Commands
    // that write texts start extraction themselves and wait for its result.
    settings.extraction.enabled = false;
    let options = MemoryOptions { free_on_close: false, ..MemoryOptions::with_settings(directory, settings.clone()) };
    let opened = open_with_progress(options, output);
    match opened {
        Err(error) if access == Access::Read && error.downcast_ref().is_some_and(read_only::can_read_copy) => {
            read_only::open_copy(directory, settings, output)
        }
        opened => opened,
    }
}

/// Opens a memory. Shows a progress bar on the terminal if opening takes longer than a second.
fn open_with_progress(options: MemoryOptions, output: &Output) -> Result<Memory> {
    let (bar, progress) = (output.progress("opening"), options.store.progress.clone());
    let (opened_sender, opened_receiver) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut pause = Duration::from_secs(1);
            while opened_receiver.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout) {
                bar.set_length(progress.read());
                bar.set_position(progress.applied());
                pause = Duration::from_millis(100);
            }
            bar.finish_and_clear();
        });
        let memory = Memory::open(options);
        drop(opened_sender);
        Ok(memory?)
    })
}

/// Returns an error if the campaign is in a server, for a command that needs the files of the database.
pub(crate) fn expect_local(settings: &Settings) -> Result<()> {
    match &settings.store.endpoint {
        Some(server) => Err(MemoryError::InServer { server: server.clone() }.into()),
        None => Ok(()),
    }
}

/// Returns an error if a directory is not a campaign directory.
pub(crate) fn expect_campaign(directory: &Path, settings: &Settings) -> Result<()> {
    if is_campaign(directory, settings) {
        return Ok(());
    }
    let message = format!(
        "{}: this directory is not a campaign, because it has neither campaign files nor {SETTINGS_FILE}; to create \
         a campaign, run `hearsay new`",
        directory.display()
    );
    Err(CliError::new(FILE_ERROR, message).into())
}

/// Opens a campaign for a dry run. If the campaign has no database, opens it in memory, so that no database is created.
pub(crate) fn open_for_dry_run(directory: &Path, output: &Output) -> Result<Memory> {
    let mut settings = if directory.exists() { settings(directory)? } else { Settings::default() };
    if contains_database(directory, &settings) {
        return open_without_sync(directory, Access::Read, EncoderUse::Disabled, output);
    }
    settings.model.enabled = false;
    settings.extraction.enabled = false;
    Ok(Memory::open(MemoryOptions { location: Location::Memory, settings, ..MemoryOptions::in_memory() })?)
}

/// Opens a campaign for the dry run of an import from other files. If the campaign has no database, the result contains
/// the campaign's own files. Otherwise, prints a note if these files changed.
pub(crate) fn open_for_import_dry_run(campaign: &Campaign, output: &Output) -> Result<Memory> {
    let directory = &campaign.campaign;
    let memory = open_for_dry_run(directory, output)?;
    if !campaign.no_sync && has_campaign_files(directory) {
        if has_database(directory)? {
            sync::report_changes(&memory, campaign, output)?;
        } else {
            interrupt::wait(&memory.import(directory)?)?;
        }
    }
    Ok(memory)
}

/// Returns the settings of a campaign directory. Fails if the path is not a directory.
pub(crate) fn settings(directory: &Path) -> Result<Settings> {
    if !directory.is_dir() {
        let message = if directory.exists() {
            "this path leads to a file; pass the directory of the campaign"
        } else {
            "there is no such directory; to create a campaign, run `hearsay new`"
        };
        return Err(CliError::new(FILE_ERROR, format!("{}: {message}", directory.display())).into());
    }
    Ok(Settings::read(directory)?)
}
