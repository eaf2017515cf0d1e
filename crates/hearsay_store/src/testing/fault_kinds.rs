//! Ends of the runs of [`crash`](super::crash), and the damage to the files afterwards.

use std::{collections::BTreeSet, fmt, fs, io, path::Path, str::FromStr};

use hearsay_model::{Change, Position, State};

use super::{
    Faults, StorageFault,
    crash::{Findings, Random},
    damage::{self, Damage},
};
use crate::{Opened, Store, StoreError, StoreOptions, check_directory, repair_directory};

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The program is killed.
    Killed,
    /// A storage transaction fails after `after` successful ones.
    Storage { after: u64, fault: StorageFault },
    /// A background task of the storage fails after a number of commits.
    Background { after: u64 },
    /// The disk is full.
    FullDisk,
}

impl End {
    /// Chooses one of the available ends at random.
    pub(super) fn choose(random: &mut Random, has_disk: bool) -> Self {
        let after = 1 + random.below(120);
        match random.below(10) {
            0 => Self::Storage { after, fault: StorageFault::Refused },
            1 => Self::Storage { after, fault: StorageFault::Short { missing_bytes: 1 + random.below(200) } },
            2 => Self::Storage { after, fault: StorageFault::NotSynced },
            3 => Self::Background { after: 1 + random.below(20) },
            4..=6 if has_disk => Self::FullDisk,
            _ => Self::Killed,
        }
    }

    /// Returns whether the program ends by itself.
    pub(super) fn is_fault(self) -> bool {
        self != Self::Killed
    }

    /// Injects the storage fault of this end.
    pub(super) fn set(self, faults: &Faults) {
        if let Self::Storage { after, fault } = self {
            faults.fail_storage_after(after, fault);
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Killed => f.write_str("killed:0:0"),
            Self::Storage { after, fault: StorageFault::Refused } => write!(f, "refused:{after}:0"),
            Self::Storage { after, fault: StorageFault::Short { missing_bytes } } => {
                write!(f, "short:{after}:{missing_bytes}")
            }
            Self::Storage { after, fault: StorageFault::NotSynced } => write!(f, "unsynced:{after}:0"),
            Self::Background { after } => write!(f, "background:{after}:0"),
            Self::FullDisk => f.write_str("full:0:0"),
        }
    }
}

impl FromStr for End {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split(':');
        let (Some(kind), Some(Ok(after)), Some(Ok(missing_bytes))) =
            (parts.next(), parts.next().map(str::parse), parts.next().map(str::parse))
        else {
            return Err(());
        };
        let storage = |fault| Self::Storage { after, fault };
        Ok(match kind {
            "killed" => Self::Killed,
            "refused" => storage(StorageFault::Refused),
            "short" => storage(StorageFault::Short { missing_bytes }),
            "unsynced" => storage(StorageFault::NotSynced),
            "background" => Self::Background { after },
            "full" => Self::FullDisk,
            _ => return Err(()),
        })
    }
}

/// Damages one file of each kind in copies of a closed directory. Then checks that opening reports the damage or that
/// no data is missing. Also checks that a repair saves all data that is not reported as lost.
pub(super) fn damage_copies(directory: &Path, state: &State, random: &mut Random) -> io::Result<Findings> {
    let mut findings = Findings::default();
    for kind in ["sst", "manifest", "wal", "snapshot", "acknowledged", "vectors"] {
        let mut files = damage::files(directory)?;
        files.retain(|file| {
            file.extension().or(file.file_name()).is_some_and(|name| name == kind)
                && !fs::metadata(file).is_ok_and(|m| m.len() == 0)
        });
        if files.is_empty() {
            continue;
        }
        let file = files.swap_remove(random.below(files.len() as u64) as usize);
        let size = fs::metadata(&file)?.len();
        let damage = match random.below(8) {
            0 => Damage::Remove,
            1 | 2 => Damage::Truncate(random.below(size)),
            3 => Damage::Append(1 + random.below(100) as usize),
            _ => Damage::Flip { at: random.below(size), mask: 1 << random.below(8) },
        };
        let place = tempfile::tempdir()?;
        let copy = place.path().join("campaign");
        damage::copy(directory, &copy)?;
        damage.apply(&copy.join(file.strip_prefix(directory).unwrap_or(&file)))?;
        findings.damaged_files += 1;
        if let Err(what) = examine(&copy, state) {
            // The files from before the damage are kept for investigation.
            let kept = tempfile::tempdir()?.keep().join("campaign");
            damage::copy(directory, &kept)?;
            tracing::error!(file = %file.display(), ?damage, what, kept = %kept.display(), "damage is not handled");
            let file = file.strip_prefix(directory).unwrap_or(&file).display();
            super::crash::say("mishandled", &format_args!("{file} {damage:?} of {}: {what}", kept.display()));
            findings.mishandled_damage += 1;
        }
    }
    Ok(findings)
}

/// Opens, checks and repairs a damaged directory.
///
/// # Errors
/// Returns a description of the problem.
fn examine(directory: &Path, state: &State) -> Result<(), String> {
    let text = |error: StoreError| error.to_string();
    let probe = tempfile::tempdir().map_err(|error| error.to_string())?;
    let opened = probe.path().join("campaign");
    damage::copy(directory, &opened).map_err(|error| error.to_string())?;
    let options = || StoreOptions { open_timeout: std::time::Duration::from_secs(60), ..StoreOptions::default() };
    let is_reported = match Store::open(opened.as_path(), options()) {
        Ok(opened) if opened.state != *state => return Err("it opens, and something is missing".into()),
        // Data that only the graph tables need may first be read during closing.
        Ok(opened) => opened.store.close().is_err(),
        Err(StoreError::Damaged { .. }) => true,
        Err(error) => return Err(text(error)),
    };
    let found = check_directory(directory).map_err(text)?;
    if is_reported && found.has_whole_database() {
        return Err("opening reports damage that checking does not find".into());
    }
    let report = repair_directory(directory, false).map_err(text)?;
    let Opened { store, state: saved, .. } = Store::open(directory, options()).map_err(text)?;
    let lost: BTreeSet<Position> = found.lost.iter().chain(&found.unfit).map(|lost| lost.position).collect();
    let replaced = lost.iter().filter(|position| saved.entry(**position).is_some()).count();
    let (expected, operations) = (report.saved + replaced as u64, saved.operation_count() as u64);
    if (expected, state.position()) != (operations, saved.position()) {
        let (from, to) = (state.position(), saved.position());
        return Err(format!(
            "what is lost is not counted: {operations} operations up to {to}, not {expected} up to {from}, after {report:?}"
        ));
    }
    let was_there: BTreeSet<Position> = state.journal().map(|(position, _)| position).collect();
    let missing = was_there.iter().filter(|position| saved.entry(**position).is_none() && !lost.contains(position));
    if missing.count() as u64 != found.lost_compacted && !found.changed_compacted {
        return Err("what is missing before the undo horizon is not counted".into());
    }
    for (position, is) in saved.journal() {
        // Older files contain operations from before they were compacted, with all of their changes.
        let may_be_back = position <= state.compacted_to();
        let same = match (lost.contains(&position), state.entry(position)) {
            (true, _) => matches!(is.operation.changes[..], [Change::Restore(_)]),
            (false, Some(was)) if may_be_back => {
                was.operation.changes.iter().all(|change| is.operation.changes.contains(change))
            }
            (false, Some(was)) => is.operation == was.operation,
            (false, None) => may_be_back,
        };
        if !same {
            return Err(format!("operation {position} is another one after the repair"));
        }
    }
    store.settle_blocking().map_err(text)?;
    let differences = store.graph_differences_blocking(&saved).map_err(text)?;
    store.close().map_err(text)?;
    if !differences.is_empty() {
        return Err("the graph tables differ after the repair".into());
    }
    let whole = check_directory(directory).map_err(text)?;
    if whole.has_whole_database() { Ok(()) } else { Err(format!("it is not whole after the repair: {whole:?}")) }
}
