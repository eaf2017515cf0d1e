//! `completions` and `man`: completion scripts and manual pages.

use std::fs;

use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_complete::env::Shells;
use serde_json::json;

use crate::{
    args::{self, Args},
    output::Output,
};

/// Variable that the scripts set to ask this program for completions.
const COMPLETION_VARIABLE: &str = "COMPLETE";

/// If the shell requests completions, prints them and ends the program.
pub(crate) fn complete() {
    clap_complete::CompleteEnv::with_factory(Args::command).var(COMPLETION_VARIABLE).complete();
}

pub(crate) fn completions(args: &args::Completions, output: &mut Output) -> Result<()> {
    let program = std::env::args().next().unwrap_or_else(|| "hearsay".into());
    let shells = Shells::builtins();
    let shell = shells.completer(args.shell.name()).context(
        "this shell is not supported; use bash, elvish, fish, \
                                                             powershell or zsh",
    )?;
    let mut script = Vec::new();
    shell.write_registration(COMPLETION_VARIABLE, "hearsay", "hearsay", &program, &mut script)?;
    output.file(&script)
}

pub(crate) fn man(args: &args::Man, output: &mut Output) -> Result<()> {
    let directory = &args.directory;
    fs::create_dir_all(directory).with_context(|| format!("{} cannot be created", directory.display()))?;
    clap_mangen::generate_to(Args::command(), directory)
        .with_context(|| format!("{} cannot be written to", directory.display()))?;
    output.data(&json!({ "directory": directory }))?;
    output.line(format!("manual pages written to {}", directory.display()))
}
