//! Requests that change the campaign. Each request is answered after its commit.

use std::sync::Arc;

use hearsay_commands::{
    edit::Edit,
    game_event::{EventPlan, GameEvent},
    gossip::GossipPlan,
    merge::{self, MergePlan},
    patches::Patches,
    proposal::{Proposal, ProposalCounts, ProposalRules, propose},
    prune::Prune,
    retcon::Retcon,
    review::{Decision, Decisions, Keep},
    session::{Log, SessionStep, SpeakerAssignment, remember_speakers, save_recap},
    teach::Teach,
};
use hearsay_model::{
    ApplyError, Author, Change, EditedRecap, EntityId, FactId, GameSetting, Operation, Position, Setting,
};
use hearsay_query::journal::{UndoTarget, undo_summary};

use super::Memory;
use crate::{
    MemoryError, ReadSnapshot,
    clock::now,
    outcome::{EventOutcome, Patched, Written},
    ticket::Ticket,
    worker::{Command, Write},
};

impl Memory {
    /// Commits an operation. Writes are committed in the order in which they are sent. When the turn of this write
    /// comes, `build_operation` computes the operation from the committed state. The ticket returns the result after
    /// the commit.
    ///
    /// If small writes change different records, the memory can commit these writes together. The operations of the
    /// writes are then computed from the state before this commit. The memory can call `build_operation` more than
    /// once.
    ///
    /// # Errors
    /// Returns an error if the request queue is full or the memory is closed. The ticket fails if `build_operation`
    /// returns an error or the operation cannot be applied.
    pub fn write(
        &self,
        build_operation: impl FnMut(&ReadSnapshot) -> Result<Operation, MemoryError> + Send + 'static,
    ) -> Result<Ticket<Written>, MemoryError> {
        self.send_write(|responder| Command::Write(Write::Operation { make: Box::new(build_operation), responder }))
    }

    /// Commits an edit by the DM. The facts in the edit become canon immediately.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn edit(&self, edit: Edit) -> Result<Ticket<Written>, MemoryError> {
        self.edit_as(Author::Dm, edit)
    }

    /// Commits an edit by the given author.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn edit_as(&self, author: Author, edit: Edit) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(edit.operation(&snapshot.state, author.clone(), now())?))
    }

    /// Records a game event from which characters learn.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn learn(&self, author: Author, game_event: GameEvent) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(game_event.operation(&snapshot.state, author.clone(), now())?))
    }

    /// Records a game event like [`learn`](Self::learn). Returns the facts of the event and the characters that
    /// perceived it. When the turn of this write comes, `build_plan` computes the plan of the event from the committed
    /// state, for example with [`GameEvent::plan`]. The memory can call `build_plan` more than once.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn record_event(
        &self,
        build_plan: impl FnMut(&ReadSnapshot) -> Result<EventPlan, MemoryError> + Send + 'static,
    ) -> Result<Ticket<EventOutcome>, MemoryError> {
        self.send_write(|responder| {
            let (make, facts, heard_by) = (Box::new(build_plan), Vec::new(), Vec::new());
            Command::Write(Write::GameEvent { make, facts, heard_by, responder })
        })
    }

    /// Starts or ends a session, moves its scene, or records that characters arrive or leave: see [`SessionStep`].
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if the step starts a session while
    /// another session is being played, or if the step needs a current session and no session is being played.
    pub fn session(&self, author: Author, step: SessionStep) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(step.operation(&snapshot.state, author.clone(), now())?))
    }

    /// Saves a recap that the DM edited, for the DM or for the players. An empty text removes the saved recap.
    /// [`State::recap`](hearsay_model::State::recap) returns the saved recap.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if the session does not exist, or if
    /// there is no recap to remove.
    pub fn save_recap(&self, recap: EditedRecap) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(save_recap(&snapshot.state, &recap, now())?))
    }

    /// Saves the characters of the speakers in transcripts, so that later imports identify the speakers: see
    /// [`TranscriptImport::unsaved_speakers`](hearsay_commands::session::TranscriptImport::unsaved_speakers).
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if a character does not exist, or if
    /// `speakers` is empty.
    pub fn remember_speakers(&self, speakers: Vec<SpeakerAssignment>) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(remember_speakers(&snapshot.state, &speakers, now())?))
    }

    /// Writes lines to the log of a session as one operation. Use this function for lines typed during play and for
    /// transcripts.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if the session, a character or a place
    /// does not exist.
    pub fn log(&self, author: Author, log: Log) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(log.operation(&snapshot.state, author.clone(), now())?))
    }

    /// Retracts or ends a fact. The author of the operation is the DM.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn retcon(&self, retcon: Retcon) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(retcon.operation(&snapshot.state, Author::Dm, now())?))
    }

    /// Commits a gossip plan as one operation. If a knowledge edge of the plan depends on an edge that was withdrawn
    /// after the planning, the edge of the plan becomes inactive.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if a fact or an entity of the plan was
    /// removed after the planning. In this case, make a new plan.
    pub fn commit_gossip(&self, plan: GossipPlan) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |_| Ok(plan.operation.clone()))
    }

    /// Applies the DM's decision to a fact.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn decide(&self, fact: FactId, decision: Decision) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(decision.operation(&snapshot.state, fact, now())?))
    }

    /// Applies the DM's decision to many facts as one operation, with an optional reason.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn decide_all(&self, decisions: Decisions) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(decisions.operation(&snapshot.state, now())?))
    }

    /// Makes facts secret or open, as one operation.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn keep(&self, keep: Keep) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(keep.operation(&snapshot.state, now())?))
    }

    /// Applies the policy to proposals and records the facts that the policy accepts. After the commit, the ticket
    /// returns the number of proposals with each outcome.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn propose(&self, author: Author, proposals: Vec<Proposal>) -> Result<Ticket<ProposalCounts>, MemoryError> {
        let policy = self.settings.policy;
        let build_operation = move |snapshot: &ReadSnapshot| {
            let rules = ProposalRules { policy: &policy, learned: &snapshot.learned };
            Ok(propose(&snapshot.state, &rules, &proposals, &author, now())?)
        };
        self.send_write(|responder| {
            Command::Write(Write::Proposals {
                make: Box::new(build_operation),
                counts: ProposalCounts::default(),
                responder,
            })
        })
    }

    /// Commits a merge as one operation. If a record that the merge moves changed after the planning, the memory first
    /// plans the merge again.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn commit_merge(&self, plan: MergePlan) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(plan.refreshed_operation(&snapshot.state, now())?))
    }

    /// Splits a merged entity into the two original entities. Keeps changes that were made after the merge: see
    /// [`split`](merge::split()).
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if no merge of this entity is recorded,
    /// or if a later merge must be split first.
    pub fn split(&self, entity: EntityId) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(merge::split(&snapshot.state, &entity, now())?))
    }

    /// Records that two similar entities are distinct, so that they are no longer reported as duplicates.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn mark_distinct(&self, a: EntityId, b: EntityId) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(merge::mark_distinct(&snapshot.state, &a, &b, now())?))
    }

    /// Turns trust calibration on or off, or resets the learned trust. Trust calibration learns from the DM's
    /// decisions.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn teach(&self, teach: Teach) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(teach.operation(&snapshot.state, now())))
    }

    /// Retracts the facts that meet the criteria in `prune`. The retraction is one operation, which
    /// [`undo`](Self::undo) can revert.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if no fact meets the criteria.
    pub fn prune(&self, prune: Prune) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| Ok(prune.plan(&snapshot.state, now())?.operation.ok_or(ApplyError::Empty)?))
    }

    /// Sets the game clock.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write).
    pub fn set_clock(&self, time: hearsay_model::GameTime) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| {
            let change = Change::Set(Setting::Game(GameSetting::Clock(time)));
            let summary = format!("set the clock to {}", snapshot.state.calendar().format(time));
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, summary, vec![change]) })
        })
    }

    /// Applies a game's updates of entities: see [`Patches`].
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). An invalid field is not an error: the answer lists the field,
    /// and the other fields are written.
    pub fn patch(&self, author: Author, patches: Arc<Patches>) -> Result<Ticket<Patched>, MemoryError> {
        let refused = Vec::new();
        self.send_write(|responder| Command::Write(Write::Patches { patches, author, refused, responder }))
    }

    /// Saves the current position as a slot, for [`load_slot`](Self::load_slot). Replaces a slot with the same name.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if the name is empty or longer than 128
    /// bytes.
    pub fn save_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |_| {
            let change = Change::SaveSlot(name.clone());
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("save slot {name}"), vec![change]) })
        })
    }

    /// Restores the state that was saved in a slot. One operation reverts all changes that were made after the slot was
    /// saved.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if there is no slot with this name.
    pub fn load_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |snapshot| {
            let change = Change::Restore(snapshot.state.slot(&name)?.position);
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("load slot {name}"), vec![change]) })
        })
    }

    /// Deletes a slot.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if there is no slot with this name.
    pub fn drop_slot(&self, name: impl Into<String>) -> Result<Ticket<Written>, MemoryError> {
        let name = name.into();
        self.write(move |_| {
            let change = Change::DropSlot(name.clone());
            Ok(Operation { recorded: now(), ..Operation::new(Author::Game, format!("drop slot {name}"), vec![change]) })
        })
    }

    /// Undoes an operation. If the operation is itself an undo, the operation that it reverted takes effect again.
    ///
    /// If texts disappear with the operation, the undo also reverts the extraction of their facts: see
    /// [`State::undo_changes`](hearsay_model::State::undo_changes).
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if there is nothing to undo.
    pub fn undo(&self, target: UndoTarget) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |snapshot| {
            let position = target.position(&snapshot.state)?;
            let summary = undo_summary(&snapshot.state, position);
            let operation = Operation::new(Author::Dm, summary, snapshot.state.undo_changes(position)?);
            Ok(Operation { recorded: now(), ..operation })
        })
    }

    /// Restores the state at a journal position. One operation reverts all changes that were made after this position.
    ///
    /// # Errors
    /// Returns the same errors as [`write`](Self::write). The ticket also fails if the position is after the newest
    /// operation.
    pub fn restore(&self, position: Position) -> Result<Ticket<Written>, MemoryError> {
        self.write(move |_| {
            let summary = format!("undo back to operation {position}");
            let operation = Operation::new(Author::Dm, summary, vec![Change::Restore(position)]);
            Ok(Operation { recorded: now(), ..operation })
        })
    }
}
