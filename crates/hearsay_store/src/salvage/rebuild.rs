//! Builds a new database from the readable data of a damaged database.

use std::path::Path;

use hearsay_model::Position;

use super::{
    fold::IntactJournal,
    inspect::{check_directory, inspect_directory, lock_existing},
    report::{CheckReport, RepairReport},
};
use crate::{Opened, Store, StoreError, StoreOptions, files::database_swap, store::wait_for_callback};

/// Number of operations in one commit.
const MAX_COMMIT_OPERATIONS: usize = 64;

/// Repairs a campaign directory. Blocks the calling thread.
///
/// Writes every readable operation to a new database with graph tables and a snapshot. The new database replaces the
/// damaged database. The damaged files are moved to a new directory next to the campaign directory; they are never
/// deleted. Operations keep their positions: each lost operation is replaced by an operation that changes nothing.
///
/// If the program is killed during the repair, either the campaign is unchanged, or the next opening of the campaign
/// finishes the repair.
///
/// `even_if_intact` states what happens to a database without problems: `true` rebuilds the database, and `false` does
/// not change it.
///
/// # Errors
/// Returns an error if the directory does not exist, if another process has it open, or if the new database cannot be
/// written.
pub fn repair_directory(directory: &Path, even_if_intact: bool) -> Result<RepairReport, StoreError> {
    // Starts with a full check, which also opens the database, and so finds problems that are not visible in the files.
    let report = check_directory(directory)?;
    let lock = lock_existing(directory)?;
    if report.has_intact_database() && !even_if_intact {
        return Ok(RepairReport { saved: report.operations, found: report, damaged_files: None });
    }
    let (new_report, journal) = inspect_directory(directory)?;
    let CheckReport { repaired_records, graph_differences, error, .. } = report;
    let report = CheckReport { repaired_records, graph_differences, error, ..new_report };
    database_swap::delete_new_files(directory)?;
    write_database(&directory.join(database_swap::FOLDER), &journal)?;
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.into());
    let damaged = database_swap::create_directory_for_damaged(&directory)?;
    database_swap::swap(&directory, &damaged)?;
    drop(lock);
    let saved = report.operations;
    Ok(RepairReport { saved, found: report, damaged_files: Some(damaged) })
}

/// Writes a database with its derived data. Then opens the database again, and checks that the resulting state is as
/// expected.
fn write_database(directory: &Path, journal: &IntactJournal) -> Result<(), StoreError> {
    let Opened { store, .. } = Store::open(directory, StoreOptions::default())?;
    if journal.compacted_to > Position(0) {
        store.begin_compacted_blocking(journal.compacted_to, journal.compacted.clone())?;
    }
    for operations in journal.operations.chunks(MAX_COMMIT_OPERATIONS) {
        store.commit_blocking(store.position().next(), operations.to_vec())?;
    }
    let transients: Vec<_> = journal.transients.iter().map(|(at, update)| (*at, update.clone())).collect();
    if !transients.is_empty() {
        wait_for_callback(|done| store.commit_with_transients(store.position().next(), Vec::new(), transients, done))?;
    }
    store.rebuild_projections_blocking(&journal.state, |_, _| {})?;
    wait_for_callback(|done| store.write_snapshot(&journal.state, done))?;
    store.close()?;
    let Opened { store, state, .. } = Store::open(directory, StoreOptions::default())?;
    store.close()?;
    if state == journal.state {
        Ok(())
    } else {
        Err(StoreError::damaged(
            &directory.display().to_string(),
            "the new database differs from the data that was written to it",
        ))
    }
}
