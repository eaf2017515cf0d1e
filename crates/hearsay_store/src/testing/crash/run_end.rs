//! How a run can end.

use std::{fmt, str::FromStr};

use super::random::Random;
use crate::faults::{Faults, StorageFault};

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// The program is killed.
    Killed,
    /// A storage transaction fails after `after` successful transactions.
    Storage { after: u64, fault: StorageFault },
    /// A background task of the storage fails after `after` commits.
    Background { after: u64 },
    /// The disk becomes full.
    FullDisk,
    /// The program stops writing after `after` commits, and is killed while it is idle. The log of the database then
    /// contains only acknowledged operations.
    Idle { after: u64 },
}

impl RunEnd {
    /// Chooses an end at random. [`FullDisk`](Self::FullDisk) is chosen only if `has_disk` is set, and
    /// [`Idle`](Self::Idle) is never chosen.
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

    /// Returns whether the program ends because of a fault, so that the test need not kill it.
    pub(super) fn is_fault(self) -> bool {
        !matches!(self, Self::Killed | Self::Idle { .. })
    }

    /// If the run ends with a failed storage transaction, injects this fault.
    pub(super) fn inject_storage_fault(self, faults: &Faults) {
        if let Self::Storage { after, fault } = self {
            faults.fail_storage_after(after, fault);
        }
    }
}

impl fmt::Display for RunEnd {
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
            Self::Idle { after } => write!(f, "idle:{after}:0"),
        }
    }
}

impl FromStr for RunEnd {
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
            "idle" => Self::Idle { after },
            _ => return Err(()),
        })
    }
}
