//! The commands of the program. Each module implements one measurement command: its options, and the table with its
//! results.

mod beliefs;
mod crash;
mod dialogue;
mod encoder;
mod extraction;
mod frames;
mod latency;
mod leaks;
mod mcp_leaks;
mod panel_frames;
mod patterns;
mod questions;
mod readers;
mod recall;
mod servers;
mod sharing;
mod soak;
mod society;
mod speech;
mod speed;
mod statements;

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use anyhow::Result;
use clap::Subcommand;

use crate::output::Output;

/// The measurements.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Beliefs(beliefs::Beliefs),
    Leaks(leaks::Leaks),
    McpLeaks(mcp_leaks::McpLeaks),
    Extraction(extraction::Extraction),
    Patterns(patterns::Patterns),
    Statements(statements::Statements),
    Crash(crash::Crash),
    /// Write to a campaign until the command `crash` kills this process
    #[command(hide = true, name = hearsay_eval::crash::CHILD_COMMAND)]
    CrashChild,
    Dialogue(dialogue::Dialogue),
    Encoder(encoder::Encoder),
    Speech(speech::Speech),
    Speed(speed::Speed),
    Soak(soak::Soak),
    Society(society::Society),
    Readers(readers::Readers),
    Sharing(sharing::Sharing),
    Servers(servers::Servers),
    /// Run a server until standard input ends. The command `servers` runs this command
    #[command(hide = true, name = hearsay_eval::servers::process::CHILD_COMMAND)]
    ServerChild {
        /// Directory of the campaign
        campaign: PathBuf,
    },
    /// Write to a shared campaign or read it. The commands `sharing` and `servers` run this command
    #[command(hide = true, name = hearsay_eval::sharing::programs::CHILD_COMMAND)]
    SharingChild {
        /// Directory of the database, or URL of the server
        campaign: OsString,
        /// Number of the writer; without this number, the program only reads
        writer: Option<usize>,
        /// Number of the first note
        #[arg(default_value_t = 0)]
        first: usize,
        /// Number after the last note
        #[arg(default_value_t = 0)]
        end: usize,
    },
    Latency(latency::Latency),
    Questions(questions::Questions),
    /// Open a world, and print the memory use of this program. The command `speed` runs this command
    #[command(hide = true)]
    Hold {
        /// Directory of the world
        directory: PathBuf,
    },
    Frames(frames::Frames),
    PanelFrames(panel_frames::PanelFrames),
    Recall(recall::Recall),
}

impl Command {
    /// Runs the measurement and prints its result.
    pub(crate) fn run(&self, output: &mut Output) -> Result<ExitCode> {
        match self {
            Self::Beliefs(command) => command.run(output),
            Self::Leaks(command) => command.run(output),
            Self::McpLeaks(command) => command.run(output),
            Self::Extraction(command) => command.run(output),
            Self::Patterns(command) => command.run(output),
            Self::Statements(command) => command.run(output),
            Self::Crash(command) => command.run(output),
            Self::CrashChild => {
                hearsay_eval::crash::child();
                Ok(ExitCode::SUCCESS)
            }
            Self::Dialogue(command) => command.run(output),
            Self::Encoder(command) => command.run(output),
            Self::Speech(command) => command.run(output),
            Self::Speed(command) => command.run(output),
            Self::Soak(command) => command.run(output),
            Self::Society(command) => command.run(output),
            Self::Readers(command) => command.run(output),
            Self::Sharing(command) => command.run(output),
            Self::Servers(command) => command.run(output),
            Self::ServerChild { campaign } => {
                hearsay_eval::servers::process::child(campaign)?;
                Ok(ExitCode::SUCCESS)
            }
            Self::SharingChild { campaign, writer, first, end } => {
                hearsay_eval::sharing::programs::child(campaign, *writer, *first..*end)?;
                Ok(ExitCode::SUCCESS)
            }
            Self::Latency(command) => command.run(output),
            Self::Questions(command) => command.run(output),
            Self::Hold { directory } => speed::measure_memory(directory, output),
            Self::Frames(command) => command.run(output),
            Self::PanelFrames(command) => command.run(output),
            Self::Recall(command) => command.run(output),
        }
    }
}
