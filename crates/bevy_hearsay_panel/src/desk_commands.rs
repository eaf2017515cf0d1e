//! Queue of commands that change the memory. All panels receive the outcome of each command.

use std::{collections::VecDeque, sync::Arc};

use hearsay_commands::proposal::ProposalCounts;
use hearsay_engine::{ImportOutcome, Memory, MemoryError, Ticket, Written};
use hearsay_model::Author;

use crate::panel::{CommandOutcome, CommandReport, DeskCommand};

/// Queue of [`DeskCommand`]s. Sends the commands to the memory and collects their outcomes.
#[derive(Debug, Default)]
pub struct DeskCommandQueue {
    /// Commands that have not been sent yet because the memory's queue is full.
    waiting: VecDeque<DeskCommand>,
    in_progress: Vec<(DeskCommand, Pending)>,
}

#[derive(Debug)]
enum Pending {
    Written(Ticket<Written>),
    Imported(Ticket<ImportOutcome>),
    Proposed(Ticket<ProposalCounts>),
    Exported(Ticket<()>),
}

impl Pending {
    fn poll(&self, desk_command: &DeskCommand) -> Option<Result<CommandReport, MemoryError>> {
        let report_with_summary =
            |summary: String| CommandReport { position: None, summary, import: None, proposed: None };
        match self {
            Self::Written(ticket) => Some(ticket.try_take()?.map(|written| CommandReport {
                position: Some(written.position),
                ..report_with_summary(written.summary)
            })),
            Self::Imported(ticket) => Some(ticket.try_take()?.map(|outcome| CommandReport {
                position: outcome.written.as_ref().map(|written| written.position),
                import: Some(Arc::new(outcome.clone())),
                ..report_with_summary(match outcome.written {
                    Some(written) => written.summary,
                    None => "nothing new in the files".into(),
                })
            })),
            Self::Proposed(ticket) => {
                Some(ticket.try_take()?.map(|proposed| CommandReport {
                    proposed: Some(proposed),
                    ..report_with_summary("proposed".into())
                }))
            }
            Self::Exported(ticket) => Some(ticket.try_take()?.map(|()| match desk_command {
                DeskCommand::Export(path) => report_with_summary(format!("written to {}", path.display())),
                _ => report_with_summary("written".into()),
            })),
        }
    }
}

impl DeskCommandQueue {
    /// Adds a command to the queue.
    pub fn submit(&mut self, desk_command: DeskCommand) {
        self.waiting.push_back(desk_command);
    }

    /// Returns the number of commands that are waiting or in progress.
    pub fn pending_count(&self) -> usize {
        self.waiting.len() + self.in_progress.len()
    }

    /// Sends the waiting commands. Returns the outcomes that arrived since the last call.
    pub fn update(&mut self, memory: &Memory) -> Vec<CommandOutcome> {
        let mut outcomes = Vec::new();
        while let Some(desk_command) = self.waiting.pop_front() {
            match send(memory, &desk_command) {
                Ok(pending) => self.in_progress.push((desk_command, pending)),
                // The memory is busy: retry in the next frame.
                Err(MemoryError::Full { .. }) => {
                    self.waiting.push_front(desk_command);
                    break;
                }
                Err(error) => outcomes.push(CommandOutcome { desk_command, result: Err(error.to_string()) }),
            }
        }
        self.in_progress.retain(|(desk_command, pending)| match pending.poll(desk_command) {
            None => true,
            Some(result) => {
                let result = result.map_err(|error| error.to_string());
                outcomes.push(CommandOutcome { desk_command: desk_command.clone(), result });
                false
            }
        });
        outcomes
    }
}

fn send(memory: &Memory, desk_command: &DeskCommand) -> Result<Pending, MemoryError> {
    Ok(match desk_command.clone() {
        DeskCommand::Decide(decisions) => Pending::Written(memory.decide_all(decisions)?),
        DeskCommand::SetSecrecy(secrecy) => Pending::Written(memory.keep(secrecy)?),
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
        DeskCommand::NotTheSame(one, other) => Pending::Written(memory.mark_distinct(one, other)?),
        DeskCommand::Gossip(plan) => Pending::Written(memory.commit_gossip(*plan)?),
        DeskCommand::Import(path) => Pending::Imported(memory.import(path)?),
        DeskCommand::Export(path) => Pending::Exported(memory.export(path)?),
        DeskCommand::SetClock(time) => Pending::Written(memory.set_clock(time)?),
        DeskCommand::SaveSlot(name) => Pending::Written(memory.save_slot(name)?),
        DeskCommand::LoadSlot(name) => Pending::Written(memory.load_slot(name)?),
        DeskCommand::Custom { make_operation, .. } => {
            Pending::Written(memory.write(move |world| make_operation(world))?)
        }
    })
}
