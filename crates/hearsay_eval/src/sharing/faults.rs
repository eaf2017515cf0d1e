//! Programs that write to one campaign and read it, and that are killed again and again.
//!
//! Each program is a separate process. A writer prints the number of each note after its commit was acknowledged. A
//! program that was killed is started again, and continues with the first note that it had not acknowledged. In the end,
//! all programs export what they have.

use std::{path::Path, sync::Arc, thread, time::Duration};

use anyhow::Result;
use serde::Serialize;

use super::{
    add_subjects, open,
    programs::{Programs, SharedCampaign},
};
use crate::random::Random;

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaultOptions {
    /// Number of programs that write.
    pub writers: usize,
    /// Number of programs that only read.
    pub readers: usize,
    /// Number of notes that each writer writes.
    pub notes: usize,
    /// Average time between two kills.
    pub kill_interval: Duration,
    /// Seed of the random numbers, which select the killed programs.
    pub seed: u64,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FaultFindings {
    /// Number of acknowledged writes.
    pub acknowledged: usize,
    /// Number of programs that were killed.
    pub kills: usize,
    /// Number of kills of the program that had the database open at that moment.
    pub owner_kills: usize,
    /// Number of acknowledged writes that are not in the journal.
    pub lost: usize,
    /// Number of notes that are in the journal more than once.
    pub doubled: usize,
    /// Number of programs whose records differ from those of the database.
    pub differing: usize,
}

impl FaultFindings {
    /// Returns whether nothing was lost, doubled or different.
    pub fn is_clean(&self) -> bool {
        self.lost + self.doubled + self.differing == 0
    }
}

/// Runs the programs in an empty directory, and compares their records in the end. Calls `progress` with the number of
/// acknowledged writes.
///
/// # Errors
/// Returns an error if a program cannot be started or killed, fails by itself, or makes no progress.
pub fn measure(directory: &Path, options: FaultOptions, mut progress: impl FnMut(usize)) -> Result<FaultFindings> {
    let FaultOptions { writers, readers, notes, kill_interval, seed } = options;
    let campaign = directory.join("campaign");
    let memory = open(&campaign)?;
    add_subjects(&memory, writers)?;
    memory.close()?;
    let mut programs = Programs::start(SharedCampaign::Directory(campaign.clone()), writers, readers, notes)?;
    let mut findings = FaultFindings::default();
    let mut random = Random::new(seed, 0);
    while !programs.are_done() {
        thread::sleep(kill_interval.mul_f64(0.5 + random.below(1_000) as f64 / 1_000.0));
        progress(programs.progress()?);
        let number = random.below(programs.count());
        let is_owner = std::fs::read_to_string(campaign.join("owner"))
            .is_ok_and(|owner| owner.contains(&format!("\"pid\":{},", programs.process_id(number))));
        programs.restart(number)?;
        findings.kills += 1;
        findings.owner_kills += usize::from(is_owner);
    }
    // One more program reads the journal, and names the position at which the others compare their records.
    let reader = open(&campaign)?;
    let journal = reader.read(|world| Ok(Arc::clone(&world.state)))?.wait()?;
    let counts = programs.compare(&journal);
    (findings.acknowledged, findings.lost, findings.doubled) = (counts.acknowledged, counts.lost, counts.doubled);
    let paths = programs.export(journal.position(), directory)?;
    reader.close()?;
    // The database itself, opened by a program that was not there.
    let opened = open(&campaign)?;
    let expected = directory.join("database.records");
    opened.export(&expected)?.wait()?;
    opened.close()?;
    let expected = std::fs::read(expected)?;
    for path in &paths {
        findings.differing += usize::from(std::fs::read(path)? != expected);
    }
    Ok(findings)
}
