//! Campaign directories: what makes one, and what is taken over of its files when it is opened.

use std::{collections::BTreeSet, fs, path::Path};

use hearsay_campaign::ImportReport;
use hearsay_model::{Author, State};

use crate::{ImportOutcome, Memory, MemoryError, SETTINGS_FILE, Settings};

/// What became of a campaign's files.
#[derive(Debug, Clone)]
pub enum TakenOver {
    /// It has none, or they have nothing new.
    Nothing,
    /// They have something new.
    Imported(Box<ImportOutcome>),
    /// They have something new, but their last import was undone: the DM has to import them again.
    LeftOut(Box<ImportReport>),
}

/// Whether a directory is that of a campaign: it has a memory, files or settings.
pub fn is_campaign(directory: &Path, settings: &Settings) -> bool {
    directory.join(&settings.store.directory).exists()
        || directory.join(SETTINGS_FILE).exists()
        || has_campaign_files(directory)
}

/// Whether a directory holds campaign files, here or in its folders. Hidden ones do not count.
pub fn has_campaign_files(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    entries.flatten().any(|entry| {
        let (path, name) = (entry.path(), entry.file_name());
        let yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        let hidden = name.to_string_lossy().starts_with('.');
        // Links are left to the reader, which knows a loop when it sees one.
        let folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        !hidden && ((yaml && !folder) || (folder && has_campaign_files(&path)))
    })
}

/// The sources whose newest import does not count any more.
pub fn undone_sources(state: &State) -> BTreeSet<String> {
    let (mut seen, mut undone) = (BTreeSet::new(), BTreeSet::new());
    for (_, entry) in state.journal().rev() {
        if let Author::Importer(source) = &entry.operation.author
            && seen.insert(source)
            && !entry.live
        {
            undone.insert(source.clone());
        }
    }
    undone
}

/// Whether an import would change something.
pub fn changes_something(report: &ImportReport) -> bool {
    let facts = report.fact_count() + report.changed + report.moved + report.removed;
    let rest = report.knowledge + report.unlearned + report.passages + report.sessions;
    report.created_count() + facts + rest > 0
}

/// Imports a campaign's own files, unless their last import was undone. Waits for it: not for a game's thread.
///
/// # Errors
/// When the files are wrong, or the memory is closed.
pub fn take_over(memory: &Memory, directory: &Path) -> Result<TakenOver, MemoryError> {
    // What is not there is for the reader to say.
    if directory.is_dir() && !has_campaign_files(directory) {
        return Ok(TakenOver::Nothing);
    }
    let undone = memory.read(|world| Ok(undone_sources(&world.state)))?.wait()?;
    if !undone.is_empty() {
        let report = memory.import_dry_run(directory)?.wait()?.report;
        if undone.contains(&report.source) {
            return Ok(match changes_something(&report) {
                true => TakenOver::LeftOut(Box::new(report)),
                false => TakenOver::Nothing,
            });
        }
    }
    let outcome = memory.import(directory)?.wait()?;
    Ok(if outcome.written.is_some() { TakenOver::Imported(Box::new(outcome)) } else { TakenOver::Nothing })
}
