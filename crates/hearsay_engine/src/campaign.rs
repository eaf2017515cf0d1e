//! Finds campaign directories, and imports changed campaign files.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use hearsay_campaign::ImportReport;
use hearsay_model::{Author, State};

use crate::{
    MemoryError,
    memory::Memory,
    outcome::ImportOutcome,
    settings::{SETTINGS_FILE, Settings},
};

/// Result of [`sync_campaign_files`].
#[derive(Debug, Clone)]
pub enum SyncOutcome {
    /// Nothing was imported, because there are no campaign files or the memory already contains their contents.
    Unchanged,
    /// The changes in the files were imported.
    Imported(Box<ImportOutcome>),
    /// The files contain changes that were not imported, because the last import of these files was undone. The DM can
    /// still import the changes.
    SkippedUndone(Box<ImportReport>),
}

/// Environment variable that names the campaign directory of a program.
const CAMPAIGN_VARIABLE: &str = "HEARSAY_CAMPAIGN";

/// Files and directories that only a campaign directory contains.
const CAMPAIGN_MARKS: [&str; 4] = ["campaign.yaml", "campaign.yml", SETTINGS_FILE, ".hearsay"];

/// Returns the campaign directory that a program should open. The sources are, in this order:
///
/// 1. The directory `given`, if it is not `None`. This function does not check whether the directory exists.
/// 2. The directory in the environment variable `HEARSAY_CAMPAIGN`, if the variable is set. This function does not check
///    whether the directory exists.
/// 3. The working directory or its nearest parent that is a campaign directory.
///
/// Returns `None` if no source gives a directory.
pub fn find_campaign_directory(given: Option<PathBuf>) -> Option<PathBuf> {
    let from_environment = || env::var_os(CAMPAIGN_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    given.or_else(from_environment).or_else(|| find_upward(&env::current_dir().ok()?))
}

fn find_upward(directory: &Path) -> Option<PathBuf> {
    let has_mark = |directory: &Path| CAMPAIGN_MARKS.iter().any(|mark| directory.join(mark).exists());
    directory.ancestors().find(|directory| has_mark(directory)).map(PathBuf::from)
}

/// Returns whether a directory is a campaign directory. A campaign directory contains a database, campaign files or
/// settings.
pub fn is_campaign(directory: &Path, settings: &Settings) -> bool {
    directory.join(&settings.store.directory).exists()
        || directory.join(SETTINGS_FILE).exists()
        || has_campaign_files(directory)
}

/// Returns whether a directory or one of its subdirectories contains campaign files (`.yaml` or `.yml`). Ignores hidden
/// files.
pub fn has_campaign_files(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else { return false };
    entries.flatten().any(|entry| {
        let (path, name) = (entry.path(), entry.file_name());
        let is_yaml = path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml");
        let is_hidden = name.to_string_lossy().starts_with('.');
        // Does not follow symbolic links. The import follows them and detects loops.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        !is_hidden && ((is_yaml && !is_folder) || (is_folder && has_campaign_files(&path)))
    })
}

/// Returns the names of the import sources whose newest import was undone.
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

/// Returns whether an import with this report changes the campaign.
pub fn has_changes(report: &ImportReport) -> bool {
    let facts = report.fact_count() + report.changed + report.moved + report.removed;
    let other_records = report.knowledge + report.withdrawn_knowledge + report.passages + report.sessions;
    report.created_count() + facts + other_records > 0
}

/// Imports the files of a campaign directory, unless the last import of these files was undone. Blocks until the import
/// is finished, so do not call this function on a game's main thread.
///
/// # Errors
/// Returns an error if the files are invalid, or if the memory is closed.
pub fn sync_campaign_files(memory: &Memory, directory: &Path) -> Result<SyncOutcome, MemoryError> {
    // If the directory does not exist, the import below reports the error.
    if directory.is_dir() && !has_campaign_files(directory) {
        return Ok(SyncOutcome::Unchanged);
    }
    let undone = memory.read(|snapshot| Ok(undone_sources(&snapshot.state)))?.wait()?;
    if !undone.is_empty() {
        let report = memory.import_dry_run(directory)?.wait()?.report;
        if undone.contains(&report.source) {
            return Ok(if has_changes(&report) {
                SyncOutcome::SkippedUndone(Box::new(report))
            } else {
                SyncOutcome::Unchanged
            });
        }
    }
    let outcome = memory.import(directory)?.wait()?;
    Ok(if outcome.written.is_some() { SyncOutcome::Imported(Box::new(outcome)) } else { SyncOutcome::Unchanged })
}
