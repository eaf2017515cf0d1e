//! Commands in progress. Each command is one call to the engine, and all panels receive its outcome.

use std::{collections::VecDeque, sync::Arc};

use hearsay_commands::proposal::Proposed;
use hearsay_engine::{ImportOutcome, Memory, MemoryError, Ticket, Written};
use hearsay_model::Author;

use crate::panel::{DeskCommand, Done, Outcome};

/// Queue of [`DeskCommand`]s. Sends the commands to the memory and collects their outcomes.
#[derive(Debug, Default)]
pub struct Deeds {
    /// Commands that have not been sent yet because the memory's queue is full.
    waiting: VecDeque<DeskCommand>,
    under_way: Vec<(DeskCommand, Pending)>,
}

#[derive(Debug)]
enum Pending {
    Written(Ticket<Written>),
    Imported(Ticket<ImportOutcome>),
    Proposed(Ticket<Proposed>),
    Exported(Ticket<()>),
}

impl Pending {
    fn take(&self, desk_command: &DeskCommand) -> Option<Result<Done, MemoryError>> {
        let plain = |summary: String| Done { position: None, summary, import: None, proposed: None };
        match self {
            Self::Written(ticket) => Some(
                ticket.try_take()?.map(|written| Done { position: Some(written.position), ..plain(written.summary) }),
            ),
            Self::Imported(ticket) => Some(ticket.try_take()?.map(|outcome| Done {
                position: outcome.written.as_ref().map(|written| written.position),
                import: Some(Arc::new(outcome.clone())),
                ..plain(match outcome.written {
                    Some(written) => written.summary,
                    None => "nothing new in the files".into(),
                })
            })),
            Self::Proposed(ticket) => {
                Some(ticket.try_take()?.map(|proposed| Done { proposed: Some(proposed), ..plain("proposed".into()) }))
            }
            Self::Exported(ticket) => Some(ticket.try_take()?.map(|()| match desk_command {
                DeskCommand::Export(path) => plain(format!("written to {}", path.display())),
                _ => plain("written".into()),
            })),
        }
    }
}

impl Deeds {
    /// Queues a command.
    pub fn begin(&mut self, desk_command: DeskCommand) {
        self.waiting.push_back(desk_command);
    }

    /// Returns the number of commands that are waiting or in progress.
    pub fn count(&self) -> usize {
        self.waiting.len() + self.under_way.len()
    }

    /// Sends the waiting commands. Returns the outcomes since the last call.
    pub fn update(&mut self, memory: &Memory) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        while let Some(desk_command) = self.waiting.pop_front() {
            match send(memory, &desk_command) {
                Ok(pending) => self.under_way.push((desk_command, pending)),
                // The memory is busy: retry in the next frame.
                Err(MemoryError::Full { .. }) => {
                    self.waiting.push_front(desk_command);
                    break;
                }
                Err(error) => outcomes.push(Outcome { desk_command, done: Err(error.to_string()) }),
            }
        }
        self.under_way.retain(|(desk_command, pending)| match pending.take(desk_command) {
            None => true,
            Some(done) => {
                let done = done.map_err(|error| error.to_string());
                outcomes.push(Outcome { desk_command: desk_command.clone(), done });
                false
            }
        });
        outcomes
    }
}

fn send(memory: &Memory, desk_command: &DeskCommand) -> Result<Pending, MemoryError> {
    Ok(match desk_command.clone() {
        DeskCommand::Decide(decisions) => Pending::Written(memory.decide_all(decisions)?),
        DeskCommand::Keep(keep) => Pending::Written(memory.keep(keep)?),
        DeskCommand::Edit(edit) => Pending::Written(memory.edit(edit)?),
        DeskCommand::Learn(game_event) => Pending::Written(memory.learn(Author::Dm, game_event)?),
        DeskCommand::Log(log) => Pending::Written(memory.log(Author::Dm, log)?),
        DeskCommand::Session(step) => Pending::Written(memory.session(Author::Dm, step)?),
        DeskCommand::Retcon(retcon) => Pending::Written(memory.retcon(retcon)?),
        DeskCommand::Propose(author, proposals) => Pending::Proposed(memory.propose(author, proposals)?),
        DeskCommand::Undo(target) => Pending::Written(memory.undo(target)?),
        DeskCommand::Restore(position) => Pending::Written(memory.restore(position)?),
        DeskCommand::Merge(plan) => Pending::Written(memory.commit_merge(*plan)?),
        DeskCommand::Split(entity) => Pending::Written(memory.split(entity)?),
        DeskCommand::NotTheSame(one, other) => Pending::Written(memory.not_the_same(one.as_str(), other.as_str())?),
        DeskCommand::Gossip(plan) => Pending::Written(memory.commit_gossip(*plan)?),
        DeskCommand::Import(path) => Pending::Imported(memory.import(path)?),
        DeskCommand::Export(path) => Pending::Exported(memory.export(path)?),
        DeskCommand::SetClock(time) => Pending::Written(memory.set_clock(time)?),
        DeskCommand::SaveSlot(name) => Pending::Written(memory.save_slot(name)?),
        DeskCommand::LoadSlot(name) => Pending::Written(memory.load_slot(name)?),
        DeskCommand::Make { make, .. } => Pending::Written(memory.write(move |world| make(world))?),
    })
}
