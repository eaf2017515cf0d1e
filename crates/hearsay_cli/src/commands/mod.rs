//! The commands, one module per topic, and the function that runs them.

pub(crate) mod ask;
pub(crate) mod check_reply;
pub(crate) mod db;
pub(crate) mod edit;
pub(crate) mod event;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod files;
pub(crate) mod history;
pub(crate) mod inspect;
pub(crate) mod know;
mod licences;
pub(crate) mod log;
pub(crate) mod maintenance;
pub(crate) mod mcp;
mod minds;
pub(crate) mod model;
pub(crate) mod new;
pub(crate) mod review;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod session;
pub(crate) mod shell;
pub(crate) mod simulate;
pub(crate) mod talk;
pub(crate) mod undo;
pub(crate) mod vocabulary;

use anyhow::Result;

use crate::{
    args::{Args, Command, EntityCommand, EventCommand, FactCommand, KnowCommand, SimulateCommand},
    output::Output,
};

/// Runs the command of a command line.
pub(crate) fn run(args: &Args, output: &mut Output) -> Result<()> {
    match &args.command {
        Command::Ask(command) => ask::ask(command, output),
        Command::Search(command) => ask::search(command, output),
        Command::Say(command) => event::say(command, output),
        Command::Talk(command) => talk::talk(command, output),
        Command::Log(command) => log::log(command, output),
        Command::Review(command) => review::run(command, output),
        Command::Undo(command) => undo::undo(command, output),
        Command::Status(command) => inspect::status(command, output),
        Command::Mcp(command) => mcp::mcp(command, args.no_sync, output),
        #[cfg(feature = "serve")]
        Command::Serve(command) => serve::serve(command, args.no_sync, output),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => anyhow::bail!("this program was built without the feature `serve`"),
        Command::New(command) => new::run(command, output),
        Command::Import(command) => files::import(command, output),
        Command::Sync(command) => files::sync(command, output),
        Command::Vocabulary(command) => vocabulary::run(command, output),
        Command::Export(command) => export::export(command, output),
        Command::Completions(command) => shell::completions(command, output),
        Command::Man(command) => shell::man(command, output),
        Command::Licences => licences::run(output),
        Command::Entity(command) => run_entity(command, output),
        Command::Fact(command) => run_fact(command, output),
        Command::Know(command) => run_know(command, output),
        Command::Event(command) => run_event(command, output),
        Command::Session(command) => session::session(command, output),
        Command::Simulate(SimulateCommand::Gossip(command)) => simulate::gossip(command, output),
        Command::Simulate(SimulateCommand::Flag(command)) => simulate::flag(command, output),
        Command::Trust(command) => maintenance::trust(command, output),
        Command::Db(command) => db::db(command, output),
        Command::Model(command) => model::run(command, output),
    }
}

fn run_entity(command: &EntityCommand, output: &mut Output) -> Result<()> {
    match command {
        EntityCommand::Add(command) => edit::add(command, output),
        EntityCommand::Set(command) => edit::set(command, output),
        EntityCommand::Show(command) => inspect::show(command, output),
        EntityCommand::Neighbours(command) => inspect::neighbours(command, output),
        EntityCommand::Path(command) => inspect::path(command, output),
        EntityCommand::Duplicates(command) => maintenance::duplicates(command, output),
        EntityCommand::Merge(command) => maintenance::merge(command, output),
        EntityCommand::Split(command) => maintenance::split(command, output),
        EntityCommand::Remove(command) => edit::remove_entity(command, output),
    }
}

fn run_fact(command: &FactCommand, output: &mut Output) -> Result<()> {
    match command {
        FactCommand::List(command) => inspect::facts(command, output),
        FactCommand::Show(command) => inspect::show(command, output),
        FactCommand::Versions(command) => minds::versions(command, output),
        FactCommand::Add(command) => edit::relate(command, output),
        FactCommand::Correct(command) => edit::correct(command, output),
        FactCommand::Secret(command) => edit::make_secret(command, output),
        FactCommand::Retract(command) => event::retcon(command, output),
        FactCommand::Extract(command) => extract::extract(command, output),
        FactCommand::Prune(command) => maintenance::prune(command, output),
    }
}

fn run_know(command: &KnowCommand, output: &mut Output) -> Result<()> {
    match command {
        KnowCommand::Knows(command) => know::knows(command, output),
        KnowCommand::Believes(command) => know::believes(command, output),
        KnowCommand::Why(command) => know::why_not(command, output),
        KnowCommand::Chain(command) => know::chain(command, output),
        KnowCommand::WhoKnows(command) => know::who_knows(command, output),
        KnowCommand::Feelings(command) => minds::feelings(command, output),
        KnowCommand::Trust(command) => minds::trust(command, output),
        KnowCommand::Memory(command) => minds::memory(command, output),
        KnowCommand::Secrets(command) => know::secrets(command, output),
        KnowCommand::Conditions(command) => simulate::reveals(command, output),
        KnowCommand::Missed(command) => know::missed(command, output),
        KnowCommand::Forget(command) => event::forget(command, output),
    }
}

fn run_event(command: &EventCommand, output: &mut Output) -> Result<()> {
    match command {
        EventCommand::Witness(command) => event::witness(command, output),
        EventCommand::Tell(command) => event::tell_others(command, output),
        EventCommand::Read(command) => event::read(command, output),
        EventCommand::Deduce(command) => event::deduce(command, output),
        EventCommand::Refute(command) => event::refute(command, output),
    }
}
