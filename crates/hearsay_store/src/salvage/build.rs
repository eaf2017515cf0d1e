//! Building a new database from what a damaged one still holds.

use std::path::Path;

use hearsay_model::Position;

use super::{CheckReport, RepairReport, fold::Whole, inspect, swap};
use crate::{Opened, Store, StoreError, StoreOptions, store::wait};

/// Operations in one commit.
const GROUP: usize = 64;

/// Repairs a campaign's directory: writes every operation that can still be read to a new database, with graph tables and
/// snapshot, and puts it in place. The damaged files are moved to a new directory beside, and never deleted. Operations keep
/// their positions: those that are lost are replaced by some that change nothing. Waits.
///
/// A program that is killed leaves the directory as it was, or one that the next opening finishes.
///
/// With `even_if_whole`, the database is built anew even where nothing is wrong.
///
/// # Errors
/// When there is no such directory, another process has it open, or the new database cannot be written.
pub fn repair(directory: &Path, even_if_whole: bool) -> Result<RepairReport, StoreError> {
    // What cannot be found by looking at the files, opening finds.
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

/// Writes a database with everything that derives from it, opens it again, and compares it with what was to be written.
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
