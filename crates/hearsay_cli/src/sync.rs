//! The campaign's own files: imports changed files, or notes that files changed.

use std::{fs, path::Path, time::SystemTime};

use anyhow::Result;
use hearsay_campaign::Limits;
use hearsay_engine::{ImportOutcome, Memory, MemoryError, undone_sources};
use hearsay_model::{Author, EngineSetting, Setting};

use crate::{
    args::Campaign,
    interrupt,
    output::{Output, count},
    reveals::{format_reveal, revealable},
    texts,
};

/// Maximum number of printed notes on text that was not understood.
const MAX_NOTES: usize = 20;

/// Imports changes in the campaign's files, and extracts facts from new texts. If the last import of the files was
/// reverted, skips the files until the DM runs `hearsay sync`.
pub(crate) fn import_changes(memory: &Memory, campaign: &Campaign, output: &Output) -> Result<()> {
    let directory = &campaign.campaign;
    let undone = memory.read(|world| Ok(undone_sources(&world.state)))?.wait()?;
    if !undone.is_empty() {
        let preview = interrupt::wait(&memory.import_dry_run(directory)?)?;
        if undone.contains(&preview.report.source) {
            if preview.is_change {
                output.note(undone_note(campaign));
            }
            return Ok(());
        }
    }
    let import = memory.import(directory)?;
    let outcome = interrupt::wait_with_spinner(&import, "importing", output).inspect_err(|error| {
        if matches!(error.downcast_ref::<MemoryError>(), Some(MemoryError::Campaign(_))) {
            output.note(
                "the campaign's files have errors; to continue with the state of the last import, pass \
                         --no-sync",
            );
        }
    })?;
    if let Some(written) = &outcome.written {
        output.note(format!("{} (operation {})", written.summary, written.position));
        for_each_note(&outcome, |note| {
            output.note(note);
            Ok(())
        })?;
        for row in revealable(memory)? {
            output.note(format_reveal(&row));
        }
        texts::extract_waiting_texts(memory, directory, output)?;
    }
    Ok(())
}

fn undone_note(campaign: &Campaign) -> String {
    format!(
        "the campaign files are ignored, because their import was undone; to import them again, run `{}`",
        campaign.command("sync")
    )
}

/// Prints a note if the campaign's files changed since their last import. If the campaign has no records yet, imports
/// the files instead, because the command would otherwise have nothing to read.
pub(crate) fn report_changes(memory: &Memory, campaign: &Campaign, output: &Output) -> Result<()> {
    let directory = &campaign.campaign;
    // Compares the digest of the files first. In most cases, it shows that nothing changed.
    let digest = hearsay_campaign::digest_files(directory, &Limits::default()).ok();
    let read = memory.read(move |world| {
        let state = &world.state;
        let is_imported = |digest: &String| {
            state
                .settings()
                .any(|setting| matches!(&**setting, Setting::Engine(EngineSetting::Imported { digest: last, .. }) if last == digest))
        };
        let is_empty = state.entities().next().is_none() && state.facts().next().is_none();
        Ok((digest.as_ref().is_some_and(is_imported), is_empty, undone_sources(state)))
    })?;
    let (is_imported, is_empty, undone) = read.wait()?;
    if is_imported {
        return Ok(());
    }
    if is_empty && undone.is_empty() {
        return import_changes(memory, campaign, output);
    }
    match interrupt::wait(&memory.import_dry_run(directory)?) {
        Ok(preview) if !preview.is_change => {}
        Ok(preview) if undone.contains(&preview.report.source) => output.note(undone_note(campaign)),
        Ok(preview) => {
            let files = match changed_files(memory, directory, preview.report.source)? {
                0 => "campaign files changed".to_owned(),
                files => format!("{} changed", count(files, "campaign file", "campaign files")),
            };
            output.note(format!("{files}; `{}` imports the changes", campaign.command("sync")));
        }
        Err(error) => match error.downcast_ref::<MemoryError>() {
            Some(MemoryError::Campaign(errors)) => {
                let first = errors.errors.first().map_or(String::new(), |first| format!(" ({first})"));
                let sync = campaign.command("sync --dry-run");
                output
                    .note(format!("warning: the campaign's files changed and have errors{first}; `{sync}` lists them"));
            }
            _ => return Err(error),
        },
    }
    Ok(())
}

/// Returns the number of campaign files that were modified since the last import of a source.
fn changed_files(memory: &Memory, directory: &Path, source: String) -> Result<usize> {
    let read = memory.read(move |world| {
        let author = Author::Importer(source);
        let mut newest = world.state.journal().rev();
        Ok(newest.find(|(_, entry)| entry.operation.author == author).map(|(_, entry)| entry.operation.recorded))
    })?;
    let Some(recorded) = read.wait()? else { return Ok(0) };
    let since = std::time::Duration::from_millis(u64::try_from(recorded.0).unwrap_or(0));
    Ok(newer_files(directory, SystemTime::UNIX_EPOCH + since))
}

/// Returns the number of YAML files below a directory that were modified after a time. Ignores hidden files.
fn newer_files(directory: &Path, since: SystemTime) -> usize {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    let count_entry = |entry: fs::DirEntry| {
        let path = entry.path();
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        match entry.file_type() {
            _ if entry.file_name().to_string_lossy().starts_with('.') => 0,
            Ok(kind) if kind.is_dir() => newer_files(&path, since),
            _ if is_yaml => {
                let modified = fs::metadata(&path).and_then(|data| data.modified());
                usize::from(modified.is_ok_and(|modified| modified > since))
            }
            _ => 0,
        }
    };
    entries.flatten().map(count_entry).sum()
}

/// Calls `visit` with each note and warning of an import, but not with its counts.
pub(crate) fn for_each_note(outcome: &ImportOutcome, mut visit: impl FnMut(String) -> Result<()>) -> Result<()> {
    let report = &outcome.report;
    if outcome.written.is_some() && !report.without_knowledge.is_empty() {
        let ids: Vec<_> = report.without_knowledge.iter().map(ToString::to_string).collect();
        visit(format!("characters who know only their own name: {}", ids.join(", ")))?;
    }
    for skipped in outcome.written.iter().flat_map(|_| &report.skipped) {
        visit(format!("skipped: {}: {}", skipped.path, skipped.reason))?;
    }
    let not_understood = outcome.written.iter().flat_map(|_| &report.not_understood);
    for place in not_understood.clone().take(MAX_NOTES) {
        visit(format!("not understood: {}:{}: {}", place.path, place.line, place.text))?;
    }
    match not_understood.count().saturating_sub(MAX_NOTES) {
        0 => {}
        more => visit(format!("not understood: {more} more; `import --dry-run --json` lists them all"))?,
    }
    for unchanged in &report.unapplied_changes {
        visit(format!("left as it is in the campaign ({}): {}", unchanged.reason, unchanged.description))?;
    }
    for warning in &report.warnings {
        visit(format!("warning: {warning}"))?;
    }
    Ok(())
}
