//! Kills programs with a mixed workload at random points, and compares the stored data with the expected data.
//!
//! In a *run*, a child program opens a campaign directory and compares the stored data with the data that earlier runs
//! acknowledged. Then the program writes until it is killed, its storage fails, or its disk is full. Several runs share
//! a directory. After these runs, the test damages and repairs copies of the directory. All written data is derived
//! from a seed, so a later run can compute the expected data. The memtables, which are the database's buffers in
//! memory, are small. Therefore, the storage engine starts new log files in most runs.

mod child;
mod compare;
mod damaged_copies;
mod findings;
mod protocol;
mod random;
mod run;
mod run_end;
mod time_limit;
mod workload;

pub use child::child;
pub use findings::CrashFindings;
pub use protocol::CHILD;
pub use run::{ChildCommand, CrashOptions, run};
