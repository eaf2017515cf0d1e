//! Deeds under way: each is one call of the engine, and what became of it is told to all panels.

use std::{collections::VecDeque, sync::Arc};

use hearsay_memory::{ImportOutcome, Memory, MemoryError, Proposed, Ticket, Written};
use hearsay_model::Author;

use crate::panel::{Deed, Done, Outcome};

/// Carries deeds out, and looks at what came back.
#[derive(Debug, Default)]
pub struct Deeds {
    /// Those that the memory's queue had no room for.
    waiting: VecDeque<Deed>,
    under_way: Vec<(Deed, Pending)>,
}

#[derive(Debug)]
enum Pending {
    Written(Ticket<Written>),
    Imported(Ticket<ImportOutcome>),
    Proposed(Ticket<Proposed>),
    Exported(Ticket<()>),
}

impl Pending {
    fn take(&self, deed: &Deed) -> Option<Result<Done, MemoryError>> {
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
            Self::Exported(ticket) => Some(ticket.try_take()?.map(|()| match deed {
                Deed::Export(path) => plain(format!("written to {}", path.display())),
                _ => plain("written".into()),
            })),
        }
    }
}

impl Deeds {
    /// Begins a deed.
    pub fn begin(&mut self, deed: Deed) {
        self.waiting.push_back(deed);
    }

    /// How many are under way.
    pub fn count(&self) -> usize {
        self.waiting.len() + self.under_way.len()
    }

    /// Sends what waits, and answers with what was done since.
    pub fn update(&mut self, memory: &Memory) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        while let Some(deed) = self.waiting.pop_front() {
            match send(memory, &deed) {
                Ok(pending) => self.under_way.push((deed, pending)),
                // The memory is busy: again in the next frame.
                Err(MemoryError::Full { .. }) => {
                    self.waiting.push_front(deed);
                    break;
                }
                Err(error) => outcomes.push(Outcome { deed, done: Err(error.to_string()) }),
            }
        }
        self.under_way.retain(|(deed, pending)| match pending.take(deed) {
            None => true,
            Some(done) => {
                let done = done.map_err(|error| error.to_string());
                outcomes.push(Outcome { deed: deed.clone(), done });
                false
            }
        });
        outcomes
    }
}

fn send(memory: &Memory, deed: &Deed) -> Result<Pending, MemoryError> {
    Ok(match deed.clone() {
        Deed::Decide(decisions) => Pending::Written(memory.decide_all(decisions)?),
        Deed::Keep(keep) => Pending::Written(memory.keep(keep)?),
        Deed::Edit(edit) => Pending::Written(memory.edit(edit)?),
        Deed::Learn(happening) => Pending::Written(memory.learn(Author::Dm, happening)?),
        Deed::Log(log) => Pending::Written(memory.log(Author::Dm, log)?),
        Deed::Session(step) => Pending::Written(memory.session(Author::Dm, step)?),
        Deed::Retcon(retcon) => Pending::Written(memory.retcon(retcon)?),
        Deed::Propose(author, proposals) => Pending::Proposed(memory.propose(author, proposals)?),
        Deed::Undo(target) => Pending::Written(memory.undo(target)?),
        Deed::Restore(position) => Pending::Written(memory.restore(position)?),
        Deed::Merge(plan) => Pending::Written(memory.commit_merge(*plan)?),
        Deed::Split(entity) => Pending::Written(memory.split(entity)?),
        Deed::NotTheSame(one, other) => Pending::Written(memory.not_the_same(one.as_str(), other.as_str())?),
        Deed::Gossip(plan) => Pending::Written(memory.commit_gossip(*plan)?),
        Deed::Import(path) => Pending::Imported(memory.import(path)?),
        Deed::Export(path) => Pending::Exported(memory.export(path)?),
        Deed::SetClock(time) => Pending::Written(memory.set_clock(time)?),
        Deed::SaveSlot(name) => Pending::Written(memory.save_slot(name)?),
        Deed::LoadSlot(name) => Pending::Written(memory.load_slot(name)?),
        Deed::Make { make, .. } => Pending::Written(memory.write(move |world| make(world))?),
    })
}
