//! Checking a directory.

use std::{path::Path, time::Duration};

use hearsay_model::State;

use super::{
    CheckReport, FileDamage,
    fold::{self, Whole},
    rows::{self, Rows},
    swap,
};
use crate::{
    FrameFile, Opened, Store, StoreError, StoreOptions,
    db::Settings,
    mark::{Acknowledged, Mark},
    open,
    owner::Owner,
    snapshot,
};

/// Files of derived data that other crates write.
const DERIVED: [&str; 2] = ["terms", "vectors"];

/// Checks everything that is stored of a campaign: every file, every operation with its digest, transient values, whether all
/// operations can be applied, and the graph tables record by record. Waits; a damaged directory is not changed.
///
/// # Errors
/// When there is no such directory, another process has it open, or files cannot be read for another reason than damage.
pub fn check(directory: &Path) -> Result<CheckReport, StoreError> {
    let owner = hold(directory)?;
    let (mut report, whole) = look(directory)?;
    drop(owner);
    // The engine may make damage worse. What is whole for it, is compared with what the files hold.
    if report.damage.is_empty() && report.lost_count() == 0 && report.lost_transient_rows == 0 {
        match compare(directory, &whole.state) {
            Ok(differences) => report.graph_differences = differences,
            Err(error @ StoreError::Damaged { .. }) => report.error = Some(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

/// Takes a directory that is there, and ends a repair that was stopped.
pub(super) fn hold(directory: &Path) -> Result<Owner, StoreError> {
    if !directory.is_dir() {
        return Err(StoreError::File {
            action: "open",
            path: directory.into(),
            advice: "name the directory of a campaign's database",
            source: std::io::ErrorKind::NotFound.into(),
        });
    }
    let owner = Owner::take(directory)?;
    swap::finish(directory)?;
    Ok(owner)
}

/// Reads everything in a directory that is held.
pub(super) fn look(directory: &Path) -> Result<(CheckReport, Whole), StoreError> {
    let acknowledged = Mark::open(directory)?.1;
    let place = directory.display().to_string();
    let runtime = open::runtime(&place, 2)?;
    let mut rows = {
        let directory = directory.to_owned();
        let task = runtime.spawn(async move { rows::read(&directory, acknowledged, settings()).await });
        crate::store::block_on(&runtime, task)
            .unwrap_or_else(|crash| Err(StoreError::damaged(&place, crash.to_string())))?
    };
    runtime.shutdown_timeout(Duration::from_secs(5));
    let whole = fold::fold(&mut rows);
    Ok((report(directory, acknowledged, rows, &whole), whole))
}

fn settings() -> Settings {
    Settings {
        query_timeout: Duration::from_secs(600),
        patience: Duration::from_secs(60),
        memtable_bytes: usize::MAX,
        #[cfg(feature = "testing")]
        faults: crate::testing::Faults::default(),
    }
}

fn report(directory: &Path, acknowledged: Option<Acknowledged>, rows: Rows, whole: &Whole) -> CheckReport {
    let has_stale_transients = !rows.found.has_manifest && !whole.transients.is_empty();
    let mut damage = rows.found.damage;
    let mark = directory.join(Mark::FILE);
    if acknowledged.is_none() && mark.metadata().is_ok_and(|metadata| metadata.len() > 0) {
        damage.push(FileDamage { file: mark, what: "it is not as it was written".into() });
    }
    CheckReport {
        files: rows.found.files,
        bytes: rows.found.bytes,
        damage,
        derived_damage: derived(directory),
        newest: rows.newest,
        operations: whole.count(&rows.lost),
        lost: rows.lost,
        unfit: whole.unfit.clone(),
        lost_compacted: rows.lost_compacted,
        changed_compacted: rows.changed_compacted,
        lost_transient_rows: rows.lost_transient_rows,
        has_stale_transients,
        only_in_snapshot: rows.only_in_snapshot,
        graph_differences: 0,
        error: None,
    }
}

/// What is damaged of files that are made anew. One that another version wrote is not damaged.
fn derived(directory: &Path) -> Vec<FileDamage> {
    let snapshot = snapshot::read(directory).err().filter(|reason| reason != snapshot::OTHER_VERSION);
    let snapshot = snapshot.map(|what| FileDamage { file: directory.join(snapshot::FILE), what });
    let files = DERIVED.iter().map(|name| directory.join(name));
    let frames = files.filter_map(|file| FrameFile::damage(&file).map(|what| FileDamage { file, what }));
    snapshot.into_iter().chain(frames).collect()
}

/// Opens a directory, and compares what the engine reads with what the files hold. Returns how many records of the graph
/// tables differed.
fn compare(directory: &Path, expected: &State) -> Result<usize, StoreError> {
    let Opened { store, state, .. } = Store::open(directory, StoreOptions::default())?;
    let place = directory.display().to_string();
    store.settle_blocking()?;
    let differences = store.graph_differences_blocking(&state)?.len() + store.health().repaired_records;
    store.close()?;
    match state == *expected {
        true => Ok(differences),
        false => Err(StoreError::damaged(&place, "the database reads other operations than its files hold")),
    }
}
