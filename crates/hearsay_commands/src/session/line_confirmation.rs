//! The DM's confirmation of facts that a recorded line may state.

use hearsay_model::{Author, Change, FactId, Operation, SessionId, State, Timestamp};

use super::{Log, LogLine};
use crate::{
    CommandError,
    review::{Decision, Decisions},
};

/// The DM's confirmation that a recorded line states facts, and that facts which the extraction found in the line are
/// true.
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
}

impl LineConfirmation {
    /// Returns the operation by which the hearers learn the stated facts, and by which the other facts become canon. A
    /// fact from the line with the same content as a stated fact is withdrawn instead.
    ///
    /// # Errors
    /// Returns an error if the session, the line or a fact does not exist, or if there is nothing to confirm.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        if self.states.is_empty() {
            return self.decisions(self.accept.clone()).operation(state, now);
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
        Ok(operation)
    }

    fn decisions(&self, facts: Vec<FactId>) -> Decisions {
        Decisions { facts, decision: Decision::Accept, reason: None }
    }
}
