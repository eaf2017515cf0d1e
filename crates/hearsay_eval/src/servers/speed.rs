//! The time of writes to a server, compared with writes to a database in the same program, and the time until other
//! programs see a write.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::process::ServerProcess;
use crate::{
    readers::TimeQuantiles,
    sharing::{
        add_subjects, open,
        programs::SharedCampaign,
        speed::{time_seen_writes, time_writes, write_together},
    },
};

/// Result of a measurement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServerSpeed {
    /// Times of writes to a database in the same program.
    pub embedded: TimeQuantiles,
    /// Times of writes of one program to a server on the same machine.
    pub server: TimeQuantiles,
    /// The median of `server` divided by the median of `embedded`.
    pub ratio: f64,
    /// Number of programs that write at the same time.
    pub writers: usize,
    /// Writes per second of all these programs together.
    pub writes_per_second: f64,
    /// Times from the acknowledgement of a write of one program until another program has it.
    pub visible: TimeQuantiles,
}

/// Measures `writes` writes to a database in this process, of one program to a server, and of each of `writers` programs
/// to the server at the same time, in an empty directory. The server is a separate process. The programs are memories of
/// this process; each has its own connection.
///
/// # Errors
/// Returns an error if the server cannot be started, or if a memory cannot be opened or written.
pub fn measure(directory: &Path, writers: usize, writes: usize) -> Result<ServerSpeed> {
    let embedded = open(&directory.join("embedded"))?;
    add_subjects(&embedded, 1)?;
    let embedded_times = time_writes(&embedded, 0, writes)?;
    embedded.close()?;
    let server = ServerProcess::start(&directory.join("campaign"))?;
    let campaign = SharedCampaign::Server(server.endpoint().clone());
    let memories = (0..writers.max(2)).map(|_| campaign.open()).collect::<Result<Vec<_>>>()?;
    let [first, second, ..] = &memories[..] else { unreachable!("at least two programs use the server") };
    add_subjects(first, writers + 1)?;
    let (server_times, visible_times) = time_seen_writes(first, second, 0, writes)?;
    let writes_per_second = write_together(&memories[..writers], 1, writes)?;
    for memory in memories {
        memory.close()?;
    }
    server.stop()?;
    let (embedded, server) = (TimeQuantiles::from_times(embedded_times), TimeQuantiles::from_times(server_times));
    let visible = TimeQuantiles::from_times(visible_times);
    Ok(ServerSpeed { embedded, server, ratio: server.p50_ms / embedded.p50_ms, writers, writes_per_second, visible })
}
