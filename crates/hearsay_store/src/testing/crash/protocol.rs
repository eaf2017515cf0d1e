//! The messages between the parent program and the child program of a run.

use std::{
    fmt,
    io::{self, Write},
    path::PathBuf,
};

use super::run_end::RunEnd;

/// Name of the environment variable with the parameters of a child program. See [`child()`](super::child()).
pub const CHILD: &str = "HEARSAY_CRASH_CHILD";

/// Data in a directory that earlier runs have acknowledged.
#[derive(Debug, Clone, Default)]
pub(super) struct Acknowledged {
    pub(super) position: u64,
    /// Numbers of the frames of derived data that were written.
    pub(super) frames: Vec<u64>,
}

/// The parameters of a child program.
pub(super) struct Request {
    pub(super) directory: PathBuf,
    pub(super) seed: u64,
    pub(super) end: RunEnd,
    pub(super) acknowledged: Acknowledged,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames: Vec<String> = self.acknowledged.frames.iter().map(u64::to_string).collect();
        let Self { seed, end, .. } = self;
        let position = self.acknowledged.position;
        write!(f, "{seed} {end} {position} {} {}", frames.join(","), self.directory.display())
    }
}

/// Reads the parameters of the child program from the environment. Returns `None` if the parameters are not set.
pub(super) fn read_request() -> Option<Request> {
    parse_request(&std::env::var(CHILD).ok()?)
}

fn parse_request(text: &str) -> Option<Request> {
    let mut parts = text.splitn(5, ' ');
    let seed = parts.next()?.parse().ok()?;
    let end = parts.next()?.parse().ok()?;
    let position = parts.next()?.parse().ok()?;
    let frames = parts.next()?.split(',').filter_map(|number| number.parse().ok()).collect();
    Some(Request { directory: parts.next()?.into(), seed, end, acknowledged: Acknowledged { position, frames } })
}

/// Writes a line to standard output. Ends the program if the parent program has ended.
pub(super) fn send_message(keyword: &str, value: &dyn fmt::Display) {
    if writeln!(io::stdout().lock(), "{keyword} {value}").is_err() {
        std::process::exit(1);
    }
}
