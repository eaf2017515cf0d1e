//! Compares the data in an open campaign with the acknowledged data.

use std::path::Path;

use super::{
    findings::CrashFindings,
    protocol::{Acknowledged, send_message},
    workload::{frame_content, open_frames, replay},
};
use crate::{Opened, Store, StoreError, StoreOptions, faults::Faults};

/// Size of a memtable, in bytes. The size is small, so that a run fills several memtables.
const MEMTABLE_BYTES: usize = 256 << 10;

/// Opens a campaign with small memtables. The returned [`Faults`] injects no failures yet.
pub(super) fn open_campaign(path: &Path) -> Result<(Opened, Faults), StoreError> {
    let faults = Faults::default();
    let options = StoreOptions { memtable_bytes: MEMTABLE_BYTES, faults: faults.clone(), ..StoreOptions::default() };
    Ok((Store::open(path, options)?, faults))
}

/// Compares the data in an open campaign with the acknowledged data.
pub(super) fn compare(opened: &Opened, seed: u64, acknowledged: &Acknowledged) -> CrashFindings {
    let Opened { store, state, .. } = opened;
    let mut findings =
        CrashFindings { lost: acknowledged.position.saturating_sub(state.position().0), ..CrashFindings::default() };
    let (_, replayed) = replay(seed, state);
    findings.half = u64::from(replayed.as_ref() != Some(state));
    let differences = store.settle_blocking().and_then(|()| store.graph_differences_blocking(state));
    findings.graph_differences = differences.map_or(1, |differences| {
        for difference in differences.iter().take(5) {
            send_message("difference", &format_args!("{difference:?}"));
        }
        differences.len() as u64
    });
    findings.graph_differences += u64::from(store.projected() != state.position());
    let frames =
        store.directory().and_then(|directory| open_frames(directory).ok()).map_or_else(Vec::new, |(_, frames)| frames);
    findings.lost +=
        acknowledged.frames.iter().filter(|number| !frames.contains(&frame_content(**number))).count() as u64;
    findings
}
