//! The command line.

mod ask;
mod campaign;
mod command;
mod complete;
mod db;
mod edit;
mod event;
mod extract;
mod files;
mod groups;
mod history;
mod know;
mod look;
mod names;
mod review;
mod session;
mod shell;
mod simulate;
mod tidy;
mod values;

pub(crate) use ask::{Ask, Search};
pub(crate) use campaign::Campaign;
pub(crate) use command::{Args, Command};
pub(crate) use db::Db;
pub(crate) use edit::{Add, Correct, FactArgs, Relate, RemoveEntity, RemoveFact, Set};
pub(crate) use event::{Circumstances, Deduce, Forget, NewFact, Read, Refute, Retcon, Reveal, Say, Tell, Witness};
pub(crate) use extract::Extract;
pub(crate) use files::{Clear, Export, Import, ImportOptions, New, Out, Restore, Sync};
pub(crate) use groups::{EntityCommand, EventCommand, FactCommand, KnowCommand, SimulateCommand};
pub(crate) use history::{AuthorArg, History, Undo};
pub(crate) use know::{Believes, Knows, Missed, Secrets, When, WhoAndFact, WhoKnows};
pub(crate) use look::{DirectionArg, Facts, Neighbours, Path, Show, Status, Walk};
pub(crate) use names::choose;
pub(crate) use review::{DecisionArg, Review};
pub(crate) use session::{
    Few, NewSession, Recap, Session, SessionAttend, SessionEnd, SessionImport, SessionLog, SessionShow, SessionStart,
    Threads,
};
pub(crate) use shell::{Completions, Man};
pub(crate) use simulate::{Flag, GossipArgs};
pub(crate) use tidy::{Duplicates, DuplicatesWhat, Health, Learn, LearnWhat, Merge, Prune, Split};
pub(crate) use values::{Form, Model};
