//! Real time, in contrast to game time.

use std::time::{SystemTime, UNIX_EPOCH};

use hearsay_model::Timestamp;

use crate::MemoryError;

/// Returns the current real time. Each operation contains the real time at which it was made.
pub fn real_time() -> Timestamp {
    now()
}

/// Returns an error for a time before 1970. The database would panic on such a time, because the database records each
/// write with the seconds since 1970.
pub(crate) fn check_clock(now: SystemTime) -> Result<(), MemoryError> {
    now.duration_since(UNIX_EPOCH).map(drop).map_err(|_| MemoryError::Clock)
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
