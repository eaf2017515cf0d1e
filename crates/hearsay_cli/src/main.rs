//! The program `hearsay`: imports a campaign, answers questions as a character, searches, and reverts operations.
//!
//! Results go to standard output, as JSON with `--json`. Progress, notes and errors go to standard error. `hearsay
//! help` lists the commands and the exit codes.

mod args;
mod campaign;
mod commands;
mod interrupt;
mod llm;
mod output;
mod read_only;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command, EntityCommand, EventCommand, FactCommand, KnowCommand, SimulateCommand};
use output::Output;

fn main() -> ExitCode {
    // The error that ends a command already contains the messages of the database engine.
    let quiet = "error,surrealdb=off,surrealkv=off,hearsay_store=off";
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| quiet.into()))
        .with_writer(std::io::stderr)
        .without_time()
        .init();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(told) => return tell(&told),
    };
    interrupt::install();
    let mut output = Output::new(args.json, args.quiet);
    read_only::note(&args.command);
    let result = run(&args, &mut output).and_then(|()| output.finish());
    read_only::delete_copies();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe on purpose, so the program succeeded.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.error(&error);
            ExitCode::from(output::exit_code(&error))
        }
    }
}

/// Prints the error of a wrong command line, or the help or version that the command line requests.
fn tell(told: &clap::Error) -> ExitCode {
    let json = std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if json && told.use_stderr() {
        let text = told.to_string();
        let text = text.split("\n\nFor more information").next().unwrap_or(&text);
        output::print_error(true, text, output::WRONG_LINE);
    } else {
        match std::env::args_os().any(|arg| arg.to_string_lossy().contains(hearsay_model::escape::is_hostile)) {
            // The message repeats the user's input, so it is escaped.
            true => output::print_error(false, &told.to_string(), output::WRONG_LINE),
            // A closed pipe is no error here.
            false => _ = told.print(),
        }
    }
    if told.use_stderr() { ExitCode::from(output::WRONG_LINE) } else { ExitCode::SUCCESS }
}

fn run(args: &Args, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::Ask(command) => commands::ask::ask(command, output),
        Command::Search(command) => commands::ask::search(command, output),
        Command::Say(command) => commands::event::say(command, output),
        Command::Log(command) => commands::session::log(command, output),
        Command::Review(command) => commands::review::run(command, output),
        Command::Undo(command) => commands::history::undo(command, output),
        Command::Status(command) => commands::look::status(command, output),
        Command::New(command) => commands::new::run(command, output),
        Command::Import(command) => commands::files::import(command, output),
        Command::Sync(command) => commands::files::sync(command, output),
        Command::Export(command) => commands::files::export(command, output),
        Command::Entity(command) => entity(command, output),
        Command::Fact(command) => fact(command, output),
        Command::Know(command) => know(command, output),
        Command::Event(command) => event(command, output),
        Command::Session(command) => commands::session::session(command, output),
        Command::Simulate(SimulateCommand::Gossip(command)) => commands::simulate::gossip(command, output),
        Command::Simulate(SimulateCommand::Flag(command)) => commands::simulate::flag(command, output),
        Command::Trust(command) => commands::tidy::learn(command, output),
        Command::Db(command) => commands::db::db(command, output),
    }
}

fn entity(command: &EntityCommand, output: &mut Output) -> anyhow::Result<()> {
    match command {
        EntityCommand::Add(command) => commands::edit::add(command, output),
        EntityCommand::Set(command) => commands::edit::set(command, output),
        EntityCommand::Show(command) => commands::look::show(command, output),
        EntityCommand::Neighbours(command) => commands::look::neighbours(command, output),
        EntityCommand::Path(command) => commands::look::path(command, output),
        EntityCommand::Duplicates(command) => commands::tidy::duplicates(command, output),
        EntityCommand::Merge(command) => commands::tidy::merge(command, output),
        EntityCommand::Split(command) => commands::tidy::split(command, output),
        EntityCommand::Remove(command) => commands::edit::remove_entity(command, output),
    }
}

fn fact(command: &FactCommand, output: &mut Output) -> anyhow::Result<()> {
    match command {
        FactCommand::List(command) => commands::look::facts(command, output),
        FactCommand::Show(command) => commands::look::show(command, output),
        FactCommand::Add(command) => commands::edit::relate(command, output),
        FactCommand::Correct(command) => commands::edit::correct(command, output),
        FactCommand::Retract(command) => commands::event::retcon(command, output),
        FactCommand::Remove(command) => commands::edit::remove_fact(command, output),
        FactCommand::Extract(command) => commands::extract::extract(command, output),
        FactCommand::Prune(command) => commands::tidy::prune(command, output),
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
