//! Programs that use one campaign in a server. Writers are killed, and connections are cut, again and again.

use std::{
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use hearsay_store::{Endpoint, Location, Store, StoreOptions, encode_state};
use serde::Serialize;

use super::{
    process::{DATABASE_DIRECTORY, ServerProcess},
    proxy::Proxy,
};
use crate::{
    random::Random,
    sharing::{
        add_subjects,
        programs::{Programs, SharedCampaign},
    },
};

/// Time between two looks at the programs.
const TICK: Duration = Duration::from_millis(20);

/// What to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerFaultOptions {
    /// Number of programs that write.
    pub writers: usize,
    /// Number of programs that only read.
    pub readers: usize,
    /// Number of notes that each writer writes.
    pub notes: usize,
    /// Average time between two kills of a writer; `None` kills no writer.
    pub kill_interval: Option<Duration>,
    /// Average time between two cuts of a connection; `None` cuts no connection.
    pub cut_interval: Option<Duration>,
    /// Seed of the random numbers, which select the killed writers and the cut connections.
    pub seed: u64,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ServerFaultFindings {
    /// Number of acknowledged writes.
    pub acknowledged: usize,
    /// Number of writers that were killed.
    pub kills: usize,
    /// Number of connections that were cut.
    pub cuts: usize,
    /// Number of acknowledged writes that are not in the journal.
    pub lost: usize,
    /// Number of notes that are in the journal more than once.
    pub doubled: usize,
    /// Number of programs whose state differs from the state in the server. The database of the stopped server counts
    /// as one program.
    pub differing: usize,
    /// Acknowledged writes per second of all programs together.
    pub writes_per_second: f64,
}

impl ServerFaultFindings {
    /// Returns whether nothing was lost, doubled or different.
    pub fn is_clean(&self) -> bool {
        self.lost + self.doubled + self.differing == 0
    }
}

/// The times of faults of one kind.
struct FaultTimes {
    average: Option<Duration>,
    last: Instant,
    wait: Duration,
}

impl FaultTimes {
    fn new(average: Option<Duration>) -> Self {
        Self { average, last: Instant::now(), wait: average.unwrap_or_default() }
    }

    /// Returns whether the next fault is due. If it is, chooses the time of the one after it.
    fn is_due(&mut self, random: &mut Random) -> bool {
        let Some(average) = self.average.filter(|_| self.last.elapsed() >= self.wait) else { return false };
        self.last = Instant::now();
        self.wait = average.mul_f64(0.5 + random.below(1_000) as f64 / 1_000.0);
        true
    }
}

/// Runs a server and the programs in an empty directory, and compares their states in the end. Calls `progress` with the
/// number of acknowledged writes.
///
/// # Errors
/// Returns an error if the server or a program cannot be started or killed, fails by itself, or makes no progress.
pub fn measure(
    directory: &Path,
    options: ServerFaultOptions,
    mut progress: impl FnMut(usize),
) -> Result<ServerFaultFindings> {
    let ServerFaultOptions { writers, readers, notes, kill_interval, cut_interval, seed } = options;
    let campaign = directory.join("campaign");
    let server = ServerProcess::start(&campaign)?;
    let direct = SharedCampaign::Server(server.endpoint().clone());
    let memory = direct.open()?;
    add_subjects(&memory, writers)?;
    memory.close()?;
    let proxy = Proxy::start(&server.endpoint().url)?;
    let endpoint = Endpoint { url: proxy.url(), ..server.endpoint().clone() };
    let started = Instant::now();
    let mut programs = Programs::start(SharedCampaign::Server(endpoint), writers, readers, notes)?;
    let mut findings = ServerFaultFindings::default();
    let mut random = Random::new(seed, 0);
    let (mut kills, mut cuts) = (FaultTimes::new(kill_interval), FaultTimes::new(cut_interval));
    while !programs.are_done() {
        thread::sleep(TICK);
        progress(programs.progress()?);
        if kills.is_due(&mut random) {
            programs.restart(random.below(writers))?;
            findings.kills += 1;
        }
        if cuts.is_due(&mut random) {
            findings.cuts += usize::from(proxy.cut_one(&mut random));
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    // One more program reads the journal, and names the position at which the others compare their states.
    let reader = direct.open()?;
    let state = reader.read(|world| Ok(Arc::clone(&world.state)))?.wait()?;
    reader.close()?;
    let counts = programs.compare(&state);
    (findings.acknowledged, findings.lost, findings.doubled) = (counts.acknowledged, counts.lost, counts.doubled);
    findings.writes_per_second = counts.acknowledged as f64 / seconds;
    let expected = encode_state(&state)?;
    for path in programs.export(state.position(), directory)? {
        findings.differing += usize::from(std::fs::read(path)? != expected);
    }
    drop(proxy);
    server.stop()?;
    // The database itself, opened without the server.
    let location = Location::Directory(campaign.join(DATABASE_DIRECTORY));
    let opened = Store::open(location, StoreOptions::default())?;
    findings.differing += usize::from(encode_state(&opened.state)? != expected);
    opened.store.close()?;
    Ok(findings)
}
