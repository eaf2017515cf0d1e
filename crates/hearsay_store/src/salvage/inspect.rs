//! Checks a campaign directory.

use std::{path::Path, time::Duration};

use hearsay_model::State;

use super::{
    fold::{self, IntactJournal},
    report::CheckReport,
    rows::{self, SalvagedRows},
};
use crate::{
    Opened, Store, StoreError, StoreOptions,
    engine::{Settings, block_on, raw_files::FileDamage, start_runtime},
    files::{acknowledged::AcknowledgedFile, database_swap, frame_file::FrameFile, lock::Lock, snapshot},
    journal::JournalPosition,
};

/// Names of the files with derived data that other crates write.
const DERIVED_FILES: [&str; 2] = ["terms", "vectors"];

/// Checks all stored data in a campaign directory. Blocks the calling thread.
///
/// Checks every file, the digest of every operation, the transient values (current values without stored past values),
/// and each record of the graph tables. Also checks that all operations can be applied. Does not change a damaged
/// directory.
///
/// # Errors
/// Returns an error if the directory does not exist, if another process has it open, or if files cannot be read for a
/// reason other than damage.
pub fn check_directory(directory: &Path) -> Result<CheckReport, StoreError> {
    let lock = lock_existing(directory)?;
    let (mut report, journal) = inspect_directory(directory)?;
    drop(lock);
    // The engine could damage a damaged directory further, so the engine opens the directory only if the files are
    // intact. The data that the engine reads is then compared with the data in the files.
    if report.damage.is_empty() && report.lost_count() == 0 && report.lost_transient_rows == 0 {
        match check_with_engine(directory, &journal.state, &mut report) {
            Ok(()) => {}
            Err(error @ StoreError::Damaged { .. }) => report.error = Some(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

/// Locks an existing directory. Finishes a repair that was interrupted.
pub(super) fn lock_existing(directory: &Path) -> Result<Lock, StoreError> {
    if !directory.is_dir() {
        return Err(StoreError::File {
            action: "open",
            path: directory.into(),
            advice: "give the path of the directory that contains a campaign's database",
            source: std::io::ErrorKind::NotFound.into(),
        });
    }
    let lock = Lock::acquire(directory, false)?;
    database_swap::finish(directory)?;
    Ok(lock)
}

/// Reads all data in a directory. The caller must have locked the directory.
pub(super) fn inspect_directory(directory: &Path) -> Result<(CheckReport, IntactJournal), StoreError> {
    let acknowledged = AcknowledgedFile::open(directory)?.1;
    let place = directory.display().to_string();
    let runtime = start_runtime(&place, 2)?;
    let mut rows = {
        let directory = directory.to_owned();
        let task = runtime.spawn(async move { rows::read(&directory, acknowledged, settings()).await });
        block_on(&runtime, task).unwrap_or_else(|crash| Err(StoreError::damaged(&place, crash.to_string())))?
    };
    runtime.shutdown_timeout(Duration::from_secs(5));
    let journal = fold::fold(&mut rows);
    Ok((build_report(directory, acknowledged, rows, &journal), journal))
}

fn settings() -> Settings {
    Settings {
        query_timeout: Duration::from_secs(600),
        version_timeout: Duration::from_secs(60),
        memtable_bytes: usize::MAX,
        #[cfg(feature = "testing")]
        faults: crate::faults::Faults::default(),
    }
}

fn build_report(
    directory: &Path,
    acknowledged: Option<JournalPosition>,
    rows: SalvagedRows,
    journal: &IntactJournal,
) -> CheckReport {
    let has_stale_transients = !rows.scan.has_manifest && !journal.transients.is_empty();
    let mut damage = rows.scan.damage;
    let file = directory.join(AcknowledgedFile::NAME);
    if acknowledged.is_none() && file.metadata().is_ok_and(|metadata| metadata.len() > 0) {
        damage.push(FileDamage { file, description: "its content differs from the data that was written".into() });
    }
    CheckReport {
        files: rows.scan.files,
        bytes: rows.scan.bytes,
        damage,
        derived_damage: derived_damage(directory),
        newest: rows.newest,
        operations: journal.count(&rows.lost),
        lost: rows.lost,
        inapplicable: journal.inapplicable.clone(),
        lost_compacted: rows.lost_compacted,
        changed_compacted: rows.changed_compacted,
        lost_transient_rows: rows.lost_transient_rows,
        has_stale_transients,
        only_in_snapshot: rows.only_in_snapshot,
        repaired_records: 0,
        graph_differences: 0,
        error: None,
    }
}

/// Returns the damage to files of derived data. A file of another version of Hearsay does not count as damaged.
fn derived_damage(directory: &Path) -> Vec<FileDamage> {
    let snapshot = snapshot::damage(directory).filter(|reason| reason != snapshot::OTHER_VERSION);
    let snapshot = snapshot.map(|description| FileDamage { file: directory.join(snapshot::FILE), description });
    let files = DERIVED_FILES.iter().map(|name| directory.join(name));
    let frames = files.filter_map(|file| FrameFile::damage(&file).map(|description| FileDamage { file, description }));
    snapshot.into_iter().chain(frames).collect()
}

/// Opens the campaign with the engine, and compares the resulting state with the expected state. Adds two numbers to
/// the report: the number of graph records that the opening repaired, and the number of graph records that still
/// differ.
fn check_with_engine(directory: &Path, expected: &State, report: &mut CheckReport) -> Result<(), StoreError> {
    let Opened { store, state, .. } = Store::open(directory, StoreOptions::default())?;
    let place = directory.display().to_string();
    store.settle_blocking()?;
    report.repaired_records = store.health().repaired_records;
    report.graph_differences = store.graph_differences_blocking(&state)?.len();
    store.close()?;
    if state == *expected {
        Ok(())
    } else {
        Err(StoreError::damaged(&place, "the database returns different operations than its files contain"))
    }
}
