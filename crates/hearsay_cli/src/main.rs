//! The program `hearsay`: imports a campaign, answers questions as a character, searches, and reverts operations.
//!
//! Results go to standard output, as JSON with `--json`. Progress, notes and errors go to standard error. `hearsay
//! help` lists the commands and the exit codes.

mod args;
mod campaign;
mod choice;
mod commands;
mod ctrl_c;
mod display_names;
mod dry_run;
mod facts;
mod interrupt;
mod llm;
mod missed_lines;
mod model_files;
mod names;
mod output;
mod pager;
mod read_only;
mod reveals;
mod speakers;
mod stated_facts;
mod style;
mod sync;
mod texts;

use std::{io::IsTerminal as _, process::ExitCode};

use clap::{ColorChoice, FromArgMatches};

use args::Args;
use output::Output;
use style::Colours;

/// Opening a large campaign allocates memory for many records on several threads. This allocator is faster at that than
/// the one of the C library.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::shell::complete();
    // Hides the database engine's log messages, because the error that ends a command already contains them.
    let default_filter = "error,surrealdb=off,surrealkv=off,hearsay_store=off,hearsay_store::host=info";
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| default_filter.into()),
        )
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .init();
    ctrl_c::install(read_only::delete_copies);
    let args = match parse() {
        Ok(args) => args,
        Err(error) => return print_parse_error(&error),
    };
    let mut output = Output::new(&args);
    let result = commands::run(&args, &mut output);
    read_only::delete_copies();
    finish(result, &mut output)
}

/// Shows the remaining output, and returns the exit code of the command.
fn finish(result: anyhow::Result<()>, output: &mut Output) -> ExitCode {
    let finished = output.finish();
    match result.and(finished) {
        Ok(()) => ExitCode::SUCCESS,
        // If the reader of the output closed the pipe, it did so on purpose, so the program succeeded.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.error(&error);
            ExitCode::from(output::exit_code(&error))
        }
    }
}

/// Parses the command line. The option `--color` decides whether help and errors have colour.
fn parse() -> Result<Args, clap::Error> {
    let command = args::command_line().color(colour_choice());
    let matches = command.clone().try_get_matches().map_err(|error| args::with_groups(error, &command))?;
    Args::from_arg_matches(&matches)
}

/// Returns the value of `--color`, even if the rest of the command line is wrong. Returns `Auto` if the option is
/// missing.
fn colour_choice() -> ColorChoice {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let line: Vec<String> = words.take_while(|word| word != "--").collect();
    let option_value = |(n, word): (usize, &String)| match word.strip_prefix("--color") {
        Some("") => line.get(n + 1).cloned(),
        Some(rest) => rest.strip_prefix('=').map(str::to_owned),
        None => None,
    };
    let value = line.iter().enumerate().find_map(option_value);
    value.and_then(|value| value.parse().ok()).unwrap_or(ColorChoice::Auto)
}

/// Prints the error of a wrong command line, or the requested help or version.
fn print_parse_error(error: &clap::Error) -> ExitCode {
    let colours = Colours::new(colour_choice());
    let json = std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if json && error.use_stderr() {
        let text = error.to_string();
        let text = text.split("\n\nFor more information").next().unwrap_or(&text);
        output::print_error(true, false, text, output::USAGE_ERROR);
    } else {
        match std::env::args_os().any(|arg| arg.to_string_lossy().contains(hearsay_model::escape::is_hostile)) {
            // Escapes the message, because it repeats the user's input.
            true => output::print_error(false, colours.stderr, &error.to_string(), output::USAGE_ERROR),
            // Ignores a closed pipe.
            false => _ = error.print(),
        }
    }
    if error.use_stderr() { ExitCode::from(output::USAGE_ERROR) } else { ExitCode::SUCCESS }
}
