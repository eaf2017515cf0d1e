//! The DM's confirmation of facts that a recorded line may state, and of arrivals and departures.

use hearsay_model::{Author, Change, FactId, Operation, SessionId, State, Timestamp};
use hearsay_query::preview::state_after;

use super::{AttendanceChange, AttendanceHint, Log, LogLine, step::SessionStep};
use crate::{
    CommandError,
    presence::{scene_characters, scene_moment},
    review::{Decision, Decisions},
};

/// The DM's confirmation that a recorded line states facts, that facts which the extraction found in the line are true,
/// and that characters come into the scene or leave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineConfirmation {
    /// Session of the line.
    pub session: SessionId,
    /// Number of the line in the session.
    pub line: u32,
    /// Recorded facts that the line states.
    pub states: Vec<FactId>,
    /// Facts from the line to accept.
    pub accept: Vec<FactId>,
    /// Arrivals and departures to record. Other changes of attendance are ignored.
    pub attendance: Vec<AttendanceHint>,
}

impl LineConfirmation {
    /// Returns the operation by which the hearers learn the stated facts, by which the other facts become canon, and by
    /// which the characters arrive and leave, as with [`SessionStep::Attend`]. A fact from the line with the same content
    /// as a stated fact is withdrawn instead.
    ///
    /// # Errors
    /// Returns an error if the session, the line or a fact does not exist, or if there is nothing to confirm.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let facts = self.facts(state, now)?;
        let attended = match &facts {
            // An accepted move or death already changes who is in the scene.
            Some(facts) if !self.attendance.is_empty() => self.attendance(&state_after(state, facts.clone())?, now)?,
            _ => self.attendance(state, now)?,
        };
        match (facts, attended) {
            (Some(mut operation), Some(attended)) => {
                operation.summary = format!("{}; {}", operation.summary, attended.summary);
                operation.changes.extend(attended.changes);
                Ok(operation)
            }
            (operation, attended) => operation.or(attended).ok_or(CommandError::NothingToDecide),
        }
    }

    /// Returns the operation that confirms the facts; `None` if there are none.
    fn facts(&self, state: &State, now: Timestamp) -> Result<Option<Operation>, CommandError> {
        if self.states.is_empty() {
            let accepted = (!self.accept.is_empty()).then(|| self.decisions(self.accept.clone()));
            return accepted.map(|decisions| decisions.operation(state, now)).transpose();
        }
        let line = LogLine { recorded_line: Some(self.line), states: self.states.clone(), ..LogLine::default() };
        let log = Log { session: Some(self.session.clone()), lines: vec![line], ..Log::default() };
        let mut operation = log.operation(state, Author::Dm, now)?;
        let is_withdrawn = |fact: &FactId| operation.changes.contains(&Change::RetractFact(*fact));
        let accept: Vec<FactId> = self.accept.iter().copied().filter(|fact| !is_withdrawn(fact)).collect();
        if !accept.is_empty() {
            let accepted = self.decisions(accept).operation(state, now)?;
            operation.summary = format!("{}; {}", operation.summary, accepted.summary);
            operation.changes.extend(accepted.changes);
        }
        Ok(Some(operation))
    }

    /// Returns the operation that records the arrivals and departures; `None` if there are none.
    fn attendance(&self, state: &State, now: Timestamp) -> Result<Option<Operation>, CommandError> {
        let Some(playing) = state.active_session() else { return Ok(None) };
        let present = scene_characters(state, playing, playing.place.as_ref(), scene_moment(state, playing));
        let with = |change: AttendanceChange, is_present: bool| {
            let hints = self.attendance.iter().filter(|hint| hint.change == change).map(|hint| &hint.character);
            hints.filter(|id| present.contains(id) == is_present).cloned().collect::<Vec<_>>()
        };
        let (arrive, leave) = (with(AttendanceChange::Arrives, false), with(AttendanceChange::Leaves, true));
        let attend = (!arrive.is_empty() || !leave.is_empty()).then_some(SessionStep::Attend { arrive, leave });
        attend.map(|attend| attend.operation(state, Author::Dm, now)).transpose()
    }

    fn decisions(&self, facts: Vec<FactId>) -> Decisions {
        Decisions { facts, decision: Decision::Accept, reason: None }
    }
}
