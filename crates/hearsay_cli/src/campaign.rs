//! Opening a campaign: its settings, its memory, and what changed in its files.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail};
use hearsay_memory::{ImportOutcome, Memory, MemoryOptions, ModelStatus, SETTINGS_FILE, Settings};

use crate::{args::Campaign, output::Output};

/// Whether the encoder is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    With,
    Without,
}

/// Opens a campaign, and takes over what changed in its files.
pub(crate) fn open(campaign: &Campaign, meaning: Meaning, output: &Output) -> Result<Memory> {
    let memory = open_plain(&campaign.campaign, meaning)?;
    if !campaign.no_import && has_files(&campaign.campaign) {
        let outcome = memory.import(campaign.campaign.clone())?.wait()?;
        tell(&outcome, output);
    }
    Ok(memory)
}

/// Opens a campaign as it is.
pub(crate) fn open_plain(directory: &Path, meaning: Meaning) -> Result<Memory> {
    if !directory.is_dir() {
        bail!("{}: there is no such directory; `hearsay new` makes a campaign", directory.display());
    }
    let mut settings = Settings::read(directory)?;
    let exists = directory.join(&settings.store.directory).exists();
    if !exists && !has_files(directory) && !directory.join(SETTINGS_FILE).exists() {
        bail!(
            "{}: this is no campaign: it has neither campaign files nor {SETTINGS_FILE}; `hearsay new` makes one",
            directory.display()
        );
    }
    settings.model.enabled &= meaning == Meaning::With;
    Ok(Memory::open(MemoryOptions::with_settings(directory, settings))?)
}

/// Notes what an import did, where it did something or has something to say.
fn tell(outcome: &ImportOutcome, output: &Output) {
    if let Some(written) = &outcome.written {
        output.note(&written.summary);
    }
    for kept in &outcome.report.kept {
        output.note(format!("left as it is: {}: {}", kept.what, kept.why));
    }
    for warning in &outcome.report.warnings {
        output.note(format!("warning: {warning}"));
    }
}

/// Waits until everything has its vector, with a bar on the terminal.
pub(crate) fn embed(memory: &Memory, output: &Output) -> Result<()> {
    let bar = output.progress("embedding");
    let status = memory.wait_for_vectors(|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        true
    });
    bar.finish_and_clear();
    let status = status.context("waiting for vectors")?;
    if let ModelStatus::None { why } = status.model {
        output.note(format!("found by words and graph alone: {why}"));
    }
    Ok(())
}

/// Whether a directory holds campaign files, here or in its folders. Hidden ones do not count.
fn has_files(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    entries.flatten().any(|entry| {
        let (path, name) = (entry.path(), entry.file_name());
        let yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        let hidden = name.to_string_lossy().starts_with('.');
        // Links are left to the reader, which knows a loop when it sees one.
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        !hidden && ((yaml && !folder) || (folder && has_files(&path)))
    })
}
