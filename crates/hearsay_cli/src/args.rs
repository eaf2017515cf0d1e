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
mod inspect;
mod know;
mod maintenance;
mod names;
mod review;
mod session;
mod shell;
mod simulate;
mod values;

pub(crate) use ask::{Ask, Search};
pub(crate) use campaign::Campaign;
pub(crate) use command::{Args, Command};
pub(crate) use db::Db;
pub(crate) use edit::{Add, Correct, FactArgs, Relate, RemoveEntity, RemoveFact, Set};
pub(crate) use event::{Circumstances, Deduce, Forget, NewFact, Read, Refute, Retcon, Reveal, Say, Tell, Witness};
pub(crate) use extract::Extract;
pub(crate) use files::{Clear, Export, ExportFormat, Import, ImportOptions, New, Restore, Sync};
pub(crate) use groups::{EntityCommand, EventCommand, FactCommand, KnowCommand, SimulateCommand};
pub(crate) use history::{AuthorArg, History, Undo};
pub(crate) use inspect::{DirectionArg, Facts, Neighbours, Path, Show, Status, TraversalOptions};
pub(crate) use know::{Believes, KnowerAndFact, Knows, Missed, PointInTime, Secrets, WhoKnows};
pub(crate) use maintenance::{Duplicates, DuplicatesDecision, Health, Merge, Prune, Split, Trust, TrustAction};
pub(crate) use names::record_choice;
pub(crate) use review::{DecisionArg, Review};
pub(crate) use session::{
    NewSession, Recap, Session, SessionAttend, SessionEnd, SessionImport, SessionLog, SessionShow, SessionStart,
    SummaryOptions, Threads,
};
pub(crate) use shell::{Completions, Man};
pub(crate) use simulate::{Flag, GossipArgs};
pub(crate) use values::{Form, Model};
