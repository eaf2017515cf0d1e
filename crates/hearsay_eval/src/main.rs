//! The program `hearsay_eval`: measures Hearsay, and prints reproducible tables.

mod commands;
mod output;
mod precision;
mod threads;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::Parser;

use crate::{commands::Command, output::Output};

/// Measures Hearsay: retrieval, extraction, beliefs, leaks, durability and speed.
#[derive(Debug, Parser)]
#[command(name = "hearsay_eval", version)]
struct Args {
    /// Print one JSON object per line
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

/// Log messages to print, unless `RUST_LOG` is set. The database logs errors that the tests cause on purpose.
const LOG_FILTER: &str = "error,surrealdb=off,surrealdb_datastore=off,surrealkv=off,hearsay_store=off";

fn main() -> ExitCode {
    let args = Args::parse();
    // Like every program that uses Hearsay, this one receives log messages. Without a subscriber, the database formats
    // the keys of all its accesses for the `log` crate, which distorts the measurements.
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| LOG_FILTER.into()))
        .with_writer(io::stderr)
        .init();
    let mut output = Output::new(args.json);
    let result = args.command.run(&mut output);
    match result.and_then(|code| Ok(output.writer.flush().map(|()| code)?)) {
        Ok(code) => code,
        // The reader of the output closed the pipe on purpose, so this is not a failure.
        Err(error) if error.downcast_ref().is_some_and(|e: &io::Error| e.kind() == io::ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}
