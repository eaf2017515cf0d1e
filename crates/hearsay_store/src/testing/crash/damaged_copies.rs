//! Damages copies of a campaign directory after its runs, and checks that the damage is handled.

use std::{collections::BTreeSet, fs, io, path::Path, time::Duration};

use hearsay_model::{Change, Position, State};

use super::{
    findings::CrashFindings,
    protocol::send_message,
    random::Random,
    time_limit::{TIME_LIMIT, with_time_limit},
};
use crate::{
    Opened, Store, StoreError, StoreOptions, check_directory, repair_directory,
    testing::damage::{self, Damage},
};

/// Damages one file of each type, each in a separate copy of a directory. Repeats the damage and the check `rounds`
/// times. Checks that opening a copy either reports the damage or finds all data. Also checks that a repair saves all
/// data that it does not report as lost.
///
/// The log is damaged in copies of `unclosed`, because the log of a closed directory is empty. The
/// store must have acknowledged all operations in `unclosed` before this call.
pub(super) fn damage_copies(
    closed: &Path,
    unclosed: &Path,
    state: &State,
    rounds: u64,
    random: &mut Random,
) -> io::Result<CrashFindings> {
    let mut findings = CrashFindings::default();
    for _ in 0..rounds {
        let log = damage_copy(unclosed, "wal", state, random)?;
        findings.damaged_logs += log.damaged_files;
        findings.add(&log);
        for kind in ["sst", "manifest", "snapshot", "acknowledged", "vectors"] {
            findings.add(&damage_copy(closed, kind, state, random)?);
        }
    }
    Ok(findings)
}

/// Damages a file of one type in a copy of a directory. Does nothing if all files of this type are empty, or if there
/// is no such file.
fn damage_copy(directory: &Path, kind: &str, state: &State, random: &mut Random) -> io::Result<CrashFindings> {
    let mut findings = CrashFindings::default();
    let mut files = damage::files(directory)?;
    files.retain(|file| {
        file.extension().or(file.file_name()).is_some_and(|name| name == kind)
            && !fs::metadata(file).is_ok_and(|m| m.len() == 0)
    });
    if files.is_empty() {
        return Ok(findings);
    }
    let file = files.swap_remove(random.below(files.len() as u64) as usize);
    let size = fs::metadata(&file)?.len();
    let damage = match random.below(8) {
        0 => Damage::Remove,
        1 | 2 => Damage::Truncate(random.below(size)),
        3 => Damage::Append(1 + random.below(100) as usize),
        _ => Damage::Flip { at: random.below(size), mask: 1 << random.below(8) },
    };
    let temporary = tempfile::tempdir()?;
    let copy = temporary.path().join("campaign");
    damage::copy(directory, &copy)?;
    damage.apply(&copy.join(file.strip_prefix(directory).unwrap_or(&file)))?;
    findings.damaged_files += 1;
    let (checked, expected) = (copy.clone(), state.clone());
    let handling = with_time_limit(move || check_handling(&checked, &expected))
        .unwrap_or_else(|| Err(format!("no result within {} s", TIME_LIMIT.as_secs())));
    if let Err(problem) = handling {
        // Keeps a copy of the undamaged files for investigation.
        let kept_copy = tempfile::tempdir()?.keep().join("campaign");
        damage::copy(directory, &kept_copy)?;
        tracing::error!(file = %file.display(), ?damage, what = problem, kept = %kept_copy.display(), "damage is not handled");
        let file = file.strip_prefix(directory).unwrap_or(&file).display();
        send_message("mishandled", &format_args!("{file} {damage:?} of {}: {problem}", kept_copy.display()));
        findings.mishandled_damage += 1;
    }
    Ok(findings)
}

/// Opens, checks and repairs a damaged directory.
///
/// # Errors
/// Returns a description of the problem.
fn check_handling(directory: &Path, state: &State) -> Result<(), String> {
    let to_text = |error: StoreError| error.to_string();
    let temporary = tempfile::tempdir().map_err(|error| error.to_string())?;
    let opened_copy = temporary.path().join("campaign");
    damage::copy(directory, &opened_copy).map_err(|error| error.to_string())?;
    let options = || StoreOptions { open_timeout: Duration::from_secs(60), ..StoreOptions::default() };
    let is_reported = match Store::open(opened_copy.as_path(), options()) {
        Ok(opened) if opened.state != *state => return Err("it opens, but data is missing".into()),
        // Damage in the graph tables may be found only when the campaign is closed, because it is not read earlier.
        Ok(opened) => opened.store.close().is_err(),
        Err(StoreError::Damaged { .. }) => true,
        Err(error) => return Err(to_text(error)),
    };
    let report = check_directory(directory).map_err(to_text)?;
    if is_reported && report.has_intact_database() {
        return Err("opening reports damage that checking does not find".into());
    }
    let repair = repair_directory(directory, false).map_err(to_text)?;
    let Opened { store, state: saved, .. } = Store::open(directory, options()).map_err(to_text)?;
    let lost: BTreeSet<Position> = report.lost.iter().chain(&report.inapplicable).map(|lost| lost.position).collect();
    let replaced = lost.iter().filter(|position| saved.entry(**position).is_some()).count();
    let (expected, operations) = (repair.saved + replaced as u64, saved.operation_count() as u64);
    if (expected, state.position()) != (operations, saved.position()) {
        let (from, to) = (state.position(), saved.position());
        return Err(format!(
            "lost operations not counted: {operations} up to {to}, expected {expected} up to {from}, after {repair:?}"
        ));
    }
    let original_positions: BTreeSet<Position> = state.journal().map(|(position, _)| position).collect();
    let missing =
        original_positions.iter().filter(|position| saved.entry(**position).is_none() && !lost.contains(position));
    if missing.count() as u64 != report.lost_compacted && !report.changed_compacted {
        return Err("missing operations before the undo horizon are not counted".into());
    }
    for (position, repaired) in saved.journal() {
        // After damage, operations may come from older files, which still contain the changes that compaction removed
        // later.
        let may_be_restored = position <= state.compacted_to();
        let is_expected = match (lost.contains(&position), state.entry(position)) {
            (true, _) => matches!(repaired.operation.changes[..], [Change::Restore(_)]),
            (false, Some(original)) if may_be_restored => {
                original.operation.changes.iter().all(|change| repaired.operation.changes.contains(change))
            }
            (false, Some(original)) => repaired.operation == original.operation,
            (false, None) => may_be_restored,
        };
        if !is_expected {
            return Err(format!("operation {position} differs after the repair"));
        }
    }
    store.settle_blocking().map_err(to_text)?;
    let differences = store.graph_differences_blocking(&saved).map_err(to_text)?;
    store.close().map_err(to_text)?;
    if !differences.is_empty() {
        return Err("the graph tables differ after the repair".into());
    }
    let final_report = check_directory(directory).map_err(to_text)?;
    if final_report.has_intact_database() {
        Ok(())
    } else {
        Err(format!("damage remains after the repair: {final_report:?}"))
    }
}
