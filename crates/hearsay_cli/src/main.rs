//! The program `hearsay`: imports a campaign, answers questions as a character, searches, and reverts operations.
//!
//! Results go to standard output, as JSON with `--json`. Progress, notes and errors go to standard error. `hearsay
//! help` lists the commands and the exit codes.

mod args;
mod campaign;
mod choice;
mod commands;
mod facts;
mod interrupt;
mod llm;
mod output;
mod pager;
mod read_only;
mod reveals;
mod style;
mod sync;
mod texts;

use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, FromArgMatches};

use args::{Args, Command, EntityCommand, EventCommand, FactCommand, KnowCommand, SimulateCommand};
use choice::Ambiguity;
use output::Output;
use style::Colours;

fn main() -> ExitCode {
    commands::shell::complete();
    // Hides the database engine's log messages, because the error that ends a command already contains them.
    let default_filter = "error,surrealdb=off,surrealkv=off,hearsay_store=off";
    tracing_subscriber::fmt()
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| default_filter.into()),
        )
        .with_writer(std::io::stderr)
        .without_time()
        .init();
    interrupt::install();
    loop {
        let args = match parse() {
            Ok(args) => args,
            Err(error) => return print_parse_error(&error),
        };
        let mut output = Output::new(&args);
        let result = run(&args, &mut output);
        read_only::delete_copies();
        // A command resolves names before it prints or writes anything, so it can run again with the chosen id.
        if let Err(error) = &result
            && !args.json
            && let Some(ambiguity) = Ambiguity::from_error(error)
            && let Some(id) = ambiguity.ask()
        {
            args::record_choice(&ambiguity.name, id);
            output.discard();
            continue;
        }
        return finish(result, &mut output);
    }
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
    let command = Args::command().color(colour_choice());
    Args::from_arg_matches(&command.try_get_matches()?)
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

fn run(args: &Args, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Ask(command) => commands::ask::ask(command, output),
        Command::Search(command) => commands::ask::search(command, output),
        Command::Say(command) => commands::event::say(command, output),
        Command::Log(command) => commands::session::log(command, output),
        Command::Review(command) => commands::review::run(command, output),
        Command::Undo(command) => commands::history::undo(command, output),
        Command::Status(command) => commands::inspect::status(command, output),
        Command::New(command) => commands::new::run(command, output),
        Command::Import(command) => commands::files::import(command, output),
        Command::Sync(command) => commands::files::sync(command, output),
        Command::Export(command) => commands::files::export(command, output),
        Command::Completions(command) => commands::shell::completions(command, output),
        Command::Man(command) => commands::shell::man(command, output),
        Command::Entity(command) => entity(command, output),
        Command::Fact(command) => fact(command, output),
        Command::Know(command) => know(command, output),
        Command::Event(command) => event(command, output),
        Command::Session(command) => commands::session::session(command, output),
        Command::Simulate(SimulateCommand::Gossip(command)) => commands::simulate::gossip(command, output),
        Command::Simulate(SimulateCommand::Flag(command)) => commands::simulate::flag(command, output),
        Command::Trust(command) => commands::maintenance::trust(command, output),
        Command::Db(command) => commands::db::db(command, output),
    }
}

fn entity(command: &EntityCommand, output: &mut Output) -> anyhow::Result<()> {
    match command {
        EntityCommand::Add(command) => commands::edit::add(command, output),
        EntityCommand::Set(command) => commands::edit::set(command, output),
        EntityCommand::Show(command) => commands::inspect::show(command, output),
        EntityCommand::Neighbours(command) => commands::inspect::neighbours(command, output),
        EntityCommand::Path(command) => commands::inspect::path(command, output),
        EntityCommand::Duplicates(command) => commands::maintenance::duplicates(command, output),
        EntityCommand::Merge(command) => commands::maintenance::merge(command, output),
        EntityCommand::Split(command) => commands::maintenance::split(command, output),
        EntityCommand::Remove(command) => commands::edit::remove_entity(command, output),
    }
}

fn fact(command: &FactCommand, output: &mut Output) -> anyhow::Result<()> {
    match command {
        FactCommand::List(command) => commands::inspect::facts(command, output),
        FactCommand::Show(command) => commands::inspect::show(command, output),
        FactCommand::Add(command) => commands::edit::relate(command, output),
        FactCommand::Correct(command) => commands::edit::correct(command, output),
        FactCommand::Retract(command) => commands::event::retcon(command, output),
        FactCommand::Remove(command) => commands::edit::remove_fact(command, output),
        FactCommand::Extract(command) => commands::extract::extract(command, output),
        FactCommand::Prune(command) => commands::maintenance::prune(command, output),
    }
}

fn know(command: &KnowCommand, output: &mut Output) -> anyhow::Result<()> {
    match command {
        KnowCommand::Knows(command) => commands::know::knows(command, output),
        KnowCommand::Believes(command) => commands::know::believes(command, output),
        KnowCommand::Why(command) => commands::know::why_not(command, output),
        KnowCommand::Chain(command) => commands::know::chain(command, output),
        KnowCommand::WhoKnows(command) => commands::know::who_knows(command, output),
        KnowCommand::Secrets(command) => commands::know::secrets(command, output),
        KnowCommand::Conditions(command) => commands::simulate::reveals(command, output),
        KnowCommand::Missed(command) => commands::know::missed(command, output),
        KnowCommand::Forget(command) => commands::event::forget(command, output),
    }
}

fn event(command: &EventCommand, output: &mut Output) -> anyhow::Result<()> {
    match command {
        EventCommand::Witness(command) => commands::event::witness(command, output),
        EventCommand::Say(command) => commands::event::say(command, output),
        EventCommand::Tell(command) => commands::event::tell_others(command, output),
        EventCommand::Read(command) => commands::event::read(command, output),
        EventCommand::Deduce(command) => commands::event::deduce(command, output),
        EventCommand::Refute(command) => commands::event::refute(command, output),
        EventCommand::Reveal(command) => commands::event::reveal(command, output),
    }
}
