//! The program `hearsay`: import a campaign, ask as a character, review, search, undo.
//!
//! What it prints goes to standard output, and is data with `--json`; progress, notes and errors go to standard error.
//! `hearsay help` lists the commands and the exit codes.

mod args;
mod campaign;
mod commands;
mod interrupt;
mod llm;
mod output;
mod read_only;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use output::Output;

fn main() -> ExitCode {
    // What the engine of the database logs is in the error that a command ends with.
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
        // Whoever read the output has seen enough.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.error(&error);
            ExitCode::from(output::exit_code(&error))
        }
    }
}

/// Tells what is wrong with the command line; or the help or version that it asks for.
fn tell(told: &clap::Error) -> ExitCode {
    let json = std::env::args_os().take_while(|arg| arg != "--").any(|arg| arg == "--json");
    if json && told.use_stderr() {
        let text = told.to_string();
        let text = text.split("\n\nFor more information").next().unwrap_or(&text);
        output::print_error(true, text, output::WRONG_LINE);
    } else {
        match std::env::args_os().any(|arg| arg.to_string_lossy().contains(hearsay_model::escape::is_hostile)) {
            // What was typed is repeated.
            true => output::print_error(false, &told.to_string(), output::WRONG_LINE),
            // Whoever reads no help needs none.
            false => _ = told.print(),
        }
    }
    if told.use_stderr() { ExitCode::from(output::WRONG_LINE) } else { ExitCode::SUCCESS }
}

fn run(args: &Args, output: &mut Output) -> anyhow::Result<()> {
    match &args.command {
        Command::New(command) => commands::new::run(command, output),
        Command::Import(command) => commands::files::import(command, output),
        Command::Export(command) => commands::files::export(command, output),
        Command::Restore(command) => commands::files::restore(command, output),
        Command::Clear(command) => commands::files::clear(command, output),
        Command::Ask(command) => commands::ask::ask(command, output),
        Command::Search(command) => commands::ask::search(command, output),
        Command::Facts(command) => commands::look::facts(command, output),
        Command::Show(command) => commands::look::show(command, output),
        Command::Neighbours(command) => commands::look::neighbours(command, output),
        Command::Path(command) => commands::look::path(command, output),
        Command::Knows(command) => commands::know::knows(command, output),
        Command::Believes(command) => commands::know::believes(command, output),
        Command::Chain(command) => commands::know::chain(command, output),
        Command::WhoKnows(command) => commands::know::who_knows(command, output),
        Command::Secrets(command) => commands::know::secrets(command, output),
        Command::WhyNot(command) => commands::know::why_not(command, output),
        Command::Missed(command) => commands::know::missed(command, output),
        Command::Witness(command) => commands::happen::witness(command, output),
        Command::Say(command) => commands::happen::say(command, output),
        Command::Tell(command) => commands::happen::tell_others(command, output),
        Command::Read(command) => commands::happen::read(command, output),
        Command::Deduce(command) => commands::happen::deduce(command, output),
        Command::Refute(command) => commands::happen::refute(command, output),
        Command::Reveal(command) => commands::happen::reveal(command, output),
        Command::Forget(command) => commands::happen::forget(command, output),
        Command::Retcon(command) => commands::happen::retcon(command, output),
        Command::Gossip(command) => commands::story::gossip(command, output),
        Command::Flag(command) => commands::story::flag(command, output),
        Command::Reveals(command) => commands::story::reveals(command, output),
        Command::Session(command) => commands::session::session(command, output),
        Command::Recap(command) => commands::session::recap(command, output),
        Command::Threads(command) => commands::session::threads(command, output),
        Command::Status(command) => commands::look::status(command, output),
        Command::Db(command) => commands::db::db(command, output),
        Command::Stats(command) => commands::look::stats(command, output),
        Command::Add(command) => commands::edit::add(command, output),
        Command::Set(command) => commands::edit::set(command, output),
        Command::Relate(command) => commands::edit::relate(command, output),
        Command::Correct(command) => commands::edit::correct(command, output),
        Command::Remove(command) => commands::edit::remove(command, output),
        Command::Review(command) => commands::review::run(command, output),
        Command::Learn(command) => commands::tidy::learn(command, output),
        Command::Duplicates(command) => commands::tidy::duplicates(command, output),
        Command::Merge(command) => commands::tidy::merge(command, output),
        Command::Split(command) => commands::tidy::split(command, output),
        Command::Extract(command) => commands::extract::extract(command, output),
        Command::Prune(command) => commands::tidy::prune(command, output),
        Command::Health(command) => commands::tidy::health(command, output),
        Command::History(command) => commands::history::history(command, output),
        Command::Undo(command) => commands::history::undo(command, output),
        Command::Model(command) => commands::model::run(command, output),
    }
}
