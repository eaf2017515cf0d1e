//! Opens a campaign: reads its settings, opens its memory, and imports changes in its files.

use std::{path::Path, sync::mpsc, thread, time::Duration};

use anyhow::{Context, Result};
use hearsay_memory::{
    ImportOutcome, Memory, MemoryError, MemoryOptions, ModelStatus, Proposed, SETTINGS_FILE, Settings, Status,
    changes_something, has_campaign_files, is_campaign, undone_sources,
};
use hearsay_store::Location;

use crate::{
    args::Campaign,
    commands::simulate::{reveal_line, revealable},
    interrupt,
    output::{Fault, Output, WRONG_FILE, count},
    read_only,
};

/// Whether the command uses the sentence encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    With,
    Without,
}

/// Opens a campaign, and imports changes in its files.
pub(crate) fn open(campaign: &Campaign, meaning: Meaning, output: &Output) -> Result<Memory> {
    let memory = open_plain(&campaign.campaign, meaning, output)?;
    if !campaign.no_sync && has_campaign_files(&campaign.campaign) {
        sync_campaign_files(&memory, &campaign.campaign, output)?;
    }
    Ok(memory)
}

/// Opens a campaign without importing its files.
pub(crate) fn open_plain(directory: &Path, meaning: Meaning, output: &Output) -> Result<Memory> {
    let mut settings = settings(directory)?;
    expect_campaign(directory, &settings)?;
    settings.model.enabled &= meaning == Meaning::With;
    // Only commands that write texts start extraction, and they wait for its result. Otherwise the data that other
    // commands show would change while they run.
    settings.extraction.enabled = false;
    let opened = open_watched(MemoryOptions::with_settings(directory, settings.clone()), output);
    match opened {
        Err(error) if error.downcast_ref().is_some_and(read_only::is_enough) => {
            read_only::open_copy(directory, settings, output)
        }
        opened => opened,
    }
}

/// Opens a memory. Shows a progress bar on the terminal if opening takes longer than a second.
fn open_watched(options: MemoryOptions, output: &Output) -> Result<Memory> {
    let (bar, progress) = (output.progress("opening"), options.store.progress.clone());
    let (opened, is_opened) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut pause = Duration::from_secs(1);
            while is_opened.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Timeout) {
                bar.set_length(progress.read());
                bar.set_position(progress.applied());
                pause = Duration::from_millis(100);
            }
            bar.finish_and_clear();
        });
        let memory = Memory::open(options);
        drop(opened);
        Ok(memory?)
    })
}

/// Fails if a directory is not a campaign.
pub(crate) fn expect_campaign(directory: &Path, settings: &Settings) -> Result<()> {
    if is_campaign(directory, settings) {
        return Ok(());
    }
    let what = format!(
        "{}: this is no campaign: it has neither campaign files nor {SETTINGS_FILE}; `hearsay new` creates one",
        directory.display()
    );
    Err(Fault::new(WRONG_FILE, what).into())
}

/// Opens a campaign for a dry run. A campaign without a database is opened in memory, so that no database is created.
pub(crate) fn open_to_try(directory: &Path, output: &Output) -> Result<Memory> {
    let mut settings = if directory.exists() { settings(directory)? } else { Settings::default() };
    if directory.join(&settings.store.directory).exists() {
        return open_plain(directory, Meaning::Without, output);
    }
    settings.model.enabled = false;
    settings.extraction.enabled = false;
    Ok(Memory::open(MemoryOptions { location: Location::Memory, settings, ..MemoryOptions::in_memory() })?)
}

/// Returns the settings of a campaign directory. Fails if the path is not a directory.
pub(crate) fn settings(directory: &Path) -> Result<Settings> {
    if !directory.is_dir() {
        let what = if directory.exists() {
            "this is a file; name the directory of the campaign"
        } else {
            "there is no such directory; `hearsay new` creates a campaign"
        };
        return Err(Fault::new(WRONG_FILE, format!("{}: {what}", directory.display())).into());
    }
    Ok(Settings::read(directory)?)
}

/// Imports the campaign's own files. Files whose last import was reverted are skipped until the DM runs `hearsay sync`.
fn sync_campaign_files(memory: &Memory, directory: &Path, output: &Output) -> Result<()> {
    let undone = memory.read(|world| Ok(undone_sources(&world.state)))?.wait()?;
    if !undone.is_empty() {
        let report = interrupt::wait(&memory.import_dry_run(directory)?)?.report;
        if undone.contains(&report.source) {
            if changes_something(&report) {
                output.note(format!(
                    "the campaign files are ignored because their import was reverted; `hearsay -C {} sync` imports them again",
                    directory.display()
                ));
            }
            return Ok(());
        }
    }
    let outcome = interrupt::wait(&memory.import(directory)?).inspect_err(|error| {
        if matches!(error.downcast_ref::<MemoryError>(), Some(MemoryError::Campaign(_))) {
            output.note("the campaign's files have errors; --no-sync continues with what was imported before");
        }
    })?;
    if let Some(written) = &outcome.written {
        output.note(format!("{} (operation {})", written.summary, written.position));
        notes(&outcome, |note| {
            output.note(note);
            Ok(())
        })?;
        for row in revealable(memory)? {
            output.note(reveal_line(&row));
        }
    }
    Ok(())
}

/// Passes the notes and warnings of an import, without its counts, to `tell`.
pub(crate) fn notes(outcome: &ImportOutcome, mut tell: impl FnMut(String) -> Result<()>) -> Result<()> {
    let report = &outcome.report;
    if outcome.written.is_some() && !report.know_nothing.is_empty() {
        let ids: Vec<_> = report.know_nothing.iter().map(ToString::to_string).collect();
        tell(format!("know nothing but their own name: {}", ids.join(", ")))?;
    }
    for skipped in outcome.written.iter().flat_map(|_| &report.skipped) {
        tell(format!("skipped: {}: {}", skipped.path, skipped.why))?;
    }
    for kept in &report.kept {
        tell(format!("left as it is ({}): {}", kept.why, kept.what))?;
    }
    for warning in &report.warnings {
        tell(format!("warning: {warning}"))?;
    }
    Ok(())
}

/// Maximum number of texts without a vector that `ask` and `search` wait for. `db embed` embeds larger numbers.
const MOST_WAITED: usize = 1_000;

/// Waits until the model is loaded or found missing, and the stored vectors are read.
pub(crate) fn settle(memory: &Memory) -> Result<Status> {
    memory.wait_until_settled(|| !interrupt::is_asked()).map_err(|error| match interrupt::check() {
        Err(stopped) => stopped,
        Ok(()) => error.into(),
    })
}

/// Waits until every text has its vector, with a progress bar on the terminal.
pub(crate) fn embed(memory: &Memory, output: &Output) -> Result<Status> {
    let bar = output.progress("embedding");
    let status = memory.wait_for_vectors(|done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        !interrupt::is_asked()
    });
    bar.finish_and_clear();
    interrupt::check()?;
    status.context("waiting for vectors")
}

/// Waits until every text has its vector if at most [`MOST_WAITED`] texts lack one. Notes which searches an answer
/// lacks.
pub(crate) fn embed_few(memory: &Memory, meaning: Meaning, output: &Output) -> Result<()> {
    embed_up_to(memory, meaning, MOST_WAITED, output)
}

/// Waits until every text has its vector, unless `meaning` is `Without`. Notes which searches an answer lacks.
pub(crate) fn embed_all(memory: &Memory, meaning: Meaning, output: &Output) -> Result<()> {
    embed_up_to(memory, meaning, usize::MAX, output)
}

fn embed_up_to(memory: &Memory, meaning: Meaning, most: usize, output: &Output) -> Result<()> {
    if meaning == Meaning::Without {
        return Ok(());
    }
    let mut status = settle(memory)?;
    if (1..=most).contains(&status.pending_vectors) || status.unindexed > 0 {
        status = embed(memory, output)?;
    }
    match status.model {
        ModelStatus::None { why } => {
            output.note(format!("answered by words and graph alone: {}", brief(&why)));
        }
        _ if status.pending_vectors > 0 => {
            let texts = count(status.pending_vectors, "text has", "texts have");
            output.note(format!("{texts} no vector and can be found by words alone; `hearsay db embed` makes them"));
        }
        _ => {}
    }
    Ok(())
}

/// Extracts facts from the texts that are not read yet, or from all texts with `again`, and waits for the result. After
/// an interruption, the next run reads the remaining texts.
pub(crate) fn read_texts(memory: &Memory, again: bool, output: &mut Output) -> Result<Proposed> {
    let all = memory.read_texts(again)?.wait()? as u64;
    let bar = output.progress("reading texts for facts");
    bar.set_length(all);
    let status = memory.wait_for_reading(|left| {
        bar.set_position(all.saturating_sub(left as u64));
        !interrupt::is_asked()
    });
    bar.finish_and_clear();
    interrupt::check()?;
    Ok(status.context("reading texts")?.found)
}

/// Calls [`read_texts`] and prints the counts, if the settings of the campaign enable automatic extraction.
pub(crate) fn read_new_texts(memory: &Memory, directory: &Path, output: &mut Output) -> Result<Option<Proposed>> {
    if !settings(directory)?.extraction.enabled {
        return Ok(None);
    }
    let found = read_texts(memory, false, output)?;
    tell_found(&found, output)?;
    Ok(Some(found))
}

/// Prints the counts of extracted facts by outcome.
pub(crate) fn tell_found(found: &Proposed, output: &mut Output) -> Result<()> {
    let parts = [
        (found.canon, "canon"),
        (found.claimed, "claimed"),
        (found.waiting, "for review"),
        (found.known, "known already"),
        (found.rejected_before, "rejected before"),
        (found.dropped, "dropped"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if !told.is_empty() {
        output.line(format!("  found in the text: {}", told.join(", ")))?;
    }
    match found.left_out {
        0 => Ok(()),
        left_out => output.line(format!(
            "  {} not proposed, to keep the review short; `hearsay fact extract --again` proposes the next once you have decided",
            count(left_out, "guess", "guesses")
        )),
    }
}

/// Returns the first line of a reason, with a pointer to the command that prints the rest.
pub(crate) fn brief(why: &str) -> String {
    match why.split_once('\n') {
        None => why.to_owned(),
        Some((first, _)) => {
            let first = first.trim_end_matches("Searched:").trim_end_matches([' ', '.']);
            format!("{first}; `hearsay db model` lists the places where one is searched")
        }
    }
}
