//! Totals of the results of all runs.

use serde::Serialize;

/// Totals of the results of all runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct CrashFindings {
    /// Number of runs: programs that were killed or that ended because of a fault.
    pub runs: u64,
    /// Number of runs with an injected storage fault: a refused, incomplete or unsynced write, or a failed background
    /// task.
    pub storage_faults: u64,
    /// Number of runs with a full disk; 0 if no disk can be mounted.
    pub full_disks: u64,
    /// Number of files that were damaged in copies of the directories.
    pub damaged_files: u64,
    /// Number of log segments among the damaged files.
    pub damaged_logs: u64,
    /// Number of damaged files that were handled wrongly: the damage changed data but was not reported, or the repair
    /// lost readable data.
    pub mishandled_damage: u64,
    /// Number of missing acknowledged operations, plus the number of missing frames of derived data. A frame is one
    /// record of a file.
    pub lost: u64,
    /// Number of campaigns that contain only a part of the operations of one commit, or that contain operations that no
    /// run wrote.
    pub half: u64,
    /// Number of graph records that differed from the state.
    pub graph_differences: u64,
    /// Number of times that a campaign directory could not be opened, or was not open within two minutes.
    pub unopened: u64,
    /// Number of times that a write failed without an injected fault.
    pub failed_writes: u64,
    /// Number of runs in which the store wrote commits again because the storage engine started a new log file.
    pub rotations_forced: u64,
    /// Number of times that the store wrote commits again because the storage engine started a new log file.
    pub rotations: u64,
    /// Number of acknowledged operations.
    pub operations: u64,
}

impl CrashFindings {
    /// Returns whether the runs found no error.
    pub fn is_clean(&self) -> bool {
        let Self { lost, half, graph_differences, unopened, failed_writes, mishandled_damage, .. } = self;
        lost + half + graph_differences + unopened + failed_writes + mishandled_damage == 0
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.runs += other.runs;
        self.storage_faults += other.storage_faults;
        self.full_disks += other.full_disks;
        self.damaged_files += other.damaged_files;
        self.damaged_logs += other.damaged_logs;
        self.mishandled_damage += other.mishandled_damage;
        self.lost += other.lost;
        self.half += other.half;
        self.graph_differences += other.graph_differences;
        self.rotations_forced += other.rotations_forced;
        self.rotations += other.rotations;
        self.operations += other.operations;
        self.unopened += other.unopened;
        self.failed_writes += other.failed_writes;
    }
}
