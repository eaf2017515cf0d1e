//! Checking the directory of a campaign.

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
    lock::Lock,
    mark::{Acknowledged, Mark},
    open, snapshot,
};

/// Files of derived data that other crates write.
const DERIVED: [&str; 2] = ["terms", "vectors"];

/// Checks all stored data of a campaign. Blocks the calling thread.
///
/// The check covers every file, every operation with its digest, transient values, whether all operations can be
/// applied, and the graph tables record by record. It does not change a damaged directory.
///
/// # Errors
/// Returns an error if the directory does not exist, another process has it open, or files cannot be read for a reason
/// other than damage.
pub fn check(directory: &Path) -> Result<CheckReport, StoreError> {
    let owner = hold(directory)?;
    let (mut report, whole) = look(directory)?;
    drop(owner);
    // The engine may damage a damaged directory further. It therefore opens only intact files, to compare their data
    // with the data that the engine reads.
    if report.damage.is_empty() && report.lost_count() == 0 && report.lost_transient_rows == 0 {
        match compare(directory, &whole.state) {
            Ok(differences) => report.graph_differences = differences,
            Err(error @ StoreError::Damaged { .. }) => report.error = Some(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok(report)
}

/// Locks an existing directory and finishes an interrupted repair.
pub(super) fn hold(directory: &Path) -> Result<Lock, StoreError> {
    if !directory.is_dir() {
        return Err(StoreError::File {
            action: "open",
            path: directory.into(),
            advice: "name the directory of a campaign's database",
            source: std::io::ErrorKind::NotFound.into(),
        });
    }
    let owner = Lock::take(directory)?;
    swap::finish(directory)?;
    Ok(owner)
}

/// Reads all data in a locked directory.
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

/// Returns the damage of files that are created again. A file of another version is not damaged.
fn derived(directory: &Path) -> Vec<FileDamage> {
    let snapshot = snapshot::read(directory).err().filter(|reason| reason != snapshot::OTHER_VERSION);
    let snapshot = snapshot.map(|what| FileDamage { file: directory.join(snapshot::FILE), what });
    let files = DERIVED.iter().map(|name| directory.join(name));
    let frames = files.filter_map(|file| FrameFile::damage(&file).map(|what| FileDamage { file, what }));
    snapshot.into_iter().chain(frames).collect()
}

/// Opens a directory and compares the engine's data with the data in the files. Returns the number of graph records
/// that differed.
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
