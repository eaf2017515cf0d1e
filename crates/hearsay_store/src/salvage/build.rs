//! Building a new database from the readable data of a damaged one.

use std::path::Path;

use hearsay_model::Position;

use super::{CheckReport, RepairReport, fold::Whole, inspect, swap};
use crate::{Opened, Store, StoreError, StoreOptions, store::wait};

/// Number of operations in one commit.
const GROUP: usize = 64;

/// Repairs the directory of a campaign. Blocks the calling thread.
///
/// Writes every readable operation to a new database with graph tables and a snapshot, and puts it in place of the
/// damaged one. Moves the damaged files to a new directory next to the campaign and never deletes them. Operations keep
/// their positions. An operation that changes nothing replaces each lost one.
///
/// If the program is killed, the directory is unchanged, or the next opening finishes the repair.
///
/// With `even_if_whole`, the database is rebuilt even if the check finds no problem.
///
/// # Errors
/// Returns an error if the directory does not exist, another process has it open, or the new database cannot be
/// written.
pub fn repair(directory: &Path, even_if_whole: bool) -> Result<RepairReport, StoreError> {
    // The check also opens the database, which finds problems that the files alone do not show.
    let found = inspect::check(directory)?;
    let owner = inspect::hold(directory)?;
    if found.has_whole_database() && !even_if_whole {
        return Ok(RepairReport { saved: found.operations, found, kept: None });
    }
    let (again, whole) = inspect::look(directory)?;
    let found = CheckReport { graph_differences: found.graph_differences, error: found.error, ..again };
    swap::discard(directory)?;
    write(&directory.join(swap::FOLDER), &whole)?;
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.into());
    let damaged = swap::directory_for_damaged(&directory)?;
    swap::swap(&directory, &damaged)?;
    drop(owner);
    let saved = found.operations;
    Ok(RepairReport { saved, found, kept: Some(damaged) })
}

/// Writes a database with all its derived data, opens it again, and compares it with the expected state.
fn write(directory: &Path, whole: &Whole) -> Result<(), StoreError> {
    let Opened { store, .. } = Store::open(directory, StoreOptions::default())?;
    if whole.compacted_to > Position(0) {
        store.begin_compacted_blocking(whole.compacted_to, whole.compacted.clone())?;
    }
    for group in whole.operations.chunks(GROUP) {
        store.commit_blocking(store.position().next(), group.to_vec())?;
    }
    let transients: Vec<_> = whole.transients.iter().map(|(at, update)| (*at, update.clone())).collect();
    if !transients.is_empty() {
        wait(|done| store.commit_with_transients(store.position().next(), Vec::new(), transients, done))?;
    }
    store.rebuild_projections_blocking(&whole.state, |_, _| {})?;
    wait(|done| store.write_snapshot(&whole.state, done))?;
    store.close()?;
    let Opened { store, state, .. } = Store::open(directory, StoreOptions::default())?;
    store.close()?;
    match state == whole.state {
        true => Ok(()),
        false => {
            Err(StoreError::damaged(&directory.display().to_string(), "the new database is not what was written to it"))
        }
    }
}
