//! The DM's decision on a fact.

use hearsay_campaign::LeftOut;
use hearsay_model::{Author, Change, EntityId, Fact, FactId, FactStatus, Operation, State, Timestamp, attribute};
use hearsay_query::{
    resolve::find_fact,
    review::{is_naming, is_newcomer, waiting_about, waiting_with},
};
use serde::{Deserialize, Serialize};

use crate::{
    CommandError,
    edit::{Editor, Right, succession},
};

/// The DM's decision on a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The fact is true.
    Accept,
    /// The fact is true with another subject, predicate, object or wording.
    Edit {
        /// Correct subject: an id or a name.
        #[serde(default)]
        subject: Option<String>,
        /// Correct predicate: `OWES`, words such as `works for`, or the name of an attribute.
        #[serde(default)]
        predicate: Option<String>,
        /// Correct object or value.
        object: Option<String>,
        /// Correct sentence.
        statement: Option<String>,
    },
    /// The fact is not true, although some knowers believe it.
    False,
    /// The fact is not part of the campaign. Nobody knows it.
    Reject,
}

impl Decision {
    /// Returns the operation that applies the decision to a fact. The fact must wait for review or contradict another
    /// fact. `fact` is an id, the beginning of an id, or a handle.
    ///
    /// # Errors
    /// Returns an error if the fact does not exist, or if it was already rejected.
    pub fn operation(&self, state: &State, fact: &str, now: Timestamp) -> Result<Operation, CommandError> {
        let fact = find_fact(state, fact)?;
        let id = fact.id();
        if fact.status() == FactStatus::Rejected {
            return Err(CommandError::NotProposed { fact: id, status: fact.status() });
        }
        if let Some(left_out) = LeftOut::of(&fact) {
            return Ok(self.left_out(state, &fact, left_out, now));
        }
        let mut same = waiting_with(state, &fact);
        match self {
            // Accepting a fact about a new entity also confirms the name of the entity. Rejecting the name rejects all
            // facts about the entity.
            Self::Accept | Self::Edit { .. } => {}
            Self::Reject | Self::False => same.extend(stands_on(state, &fact)),
        }
        same.sort_unstable();
        same.dedup();
        let confirm = |fact| [Change::SetStatus { fact, status: FactStatus::Canon }, Change::Confirm(fact)];
        let judged = |word: &str, status| {
            let judge = |fact| [Change::SetStatus { fact, status }, Change::Confirm(fact)];
            let changes: Vec<Change> = std::iter::once(id).chain(same.iter().copied()).flat_map(judge).collect();
            (format!("{word} \u{201C}{}\u{201D}", fact.statement()), changes)
        };
        let rejected = |fact| Change::SetStatus { fact, status: FactStatus::Rejected };
        let (summary, changes) = match self {
            Self::Accept => {
                let (summary, mut changes) = judged("accept", FactStatus::Canon);
                changes.extend(names_in(state, &fact).into_iter().flat_map(confirm));
                // The accepted fact ends older values of its predicate.
                let open = state.values(fact.subject(), fact.predicate());
                let mut validity = fact.validity().clone();
                changes.extend(succession(state, &open, fact.predicate(), fact.object(), &mut validity));
                (summary, changes)
            }
            Self::False => judged("mark false", FactStatus::False),
            Self::Reject => (
                format!("reject \u{201C}{}\u{201D}", fact.statement()),
                std::iter::once(id).chain(same.iter().copied()).map(rejected).collect(),
            ),
            Self::Edit { subject, predicate, object, statement } => {
                let editor = Editor { state, author: Author::Dm, now };
                let right = Right {
                    subject: subject.as_deref(),
                    predicate: predicate.as_deref(),
                    object: object.as_deref(),
                    statement: statement.as_deref(),
                };
                let (new, mut changes) = editor.corrected(&fact, &right, FactStatus::Canon)?;
                // The original fact stays in the state as rejected, so that it is not proposed again.
                changes.push(match new.id() == id {
                    true => Change::Confirm(id),
                    false => rejected(id),
                });
                changes.extend(same.iter().copied().map(rejected));
                (format!("accept as \u{201C}{}\u{201D}", new.statement()), changes)
            }
        };
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }

    /// Returns the operation for a proposal to withdraw a record, because its source file no longer contains it. If the
    /// DM accepts, the record is withdrawn. Otherwise the record stays, and its withdrawal is not proposed again.
    fn left_out(&self, state: &State, proposal: &Fact, what: LeftOut, now: Timestamp) -> Operation {
        let id = proposal.id();
        let (word, changes) = match self {
            Self::Accept => {
                let withdraw = match what {
                    LeftOut::Fact(fact) => state.fact(fact).map(|_| Change::RetractFact(fact)),
                    LeftOut::Passage(passage) => state.passage(passage).map(|_| Change::RemovePassage(passage)),
                    LeftOut::Entity(entity) => state.entity(&entity).map(|_| Change::RemoveEntity(entity)),
                };
                ("withdraw", std::iter::once(Change::RetractFact(id)).chain(withdraw).collect())
            }
            _ => ("keep", vec![Change::SetStatus { fact: id, status: FactStatus::Rejected }]),
        };
        let summary = format!("{word}: {}", proposal.statement());
        Operation { author: Author::Dm, recorded: now, summary, changes }
    }
}

/// Returns the facts that name the new entities in a fact or state their kinds, and that wait for the DM's decision.
/// Accepting the fact also accepts them.
fn names_in<'a>(state: &'a State, fact: &'a Fact) -> Vec<FactId> {
    let ends = std::iter::once(fact.subject()).chain(fact.object().entity());
    let new = ends.filter(|id| is_newcomer(state, id));
    let naming =
        |id: &'a EntityId| waiting_about(state, id).filter(move |other| is_naming(other) && other.subject() == id);
    new.flat_map(naming).map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}

/// If `fact` states the name of a new entity, returns the other facts about this entity that wait for the DM's
/// decision. Rejecting the name also rejects them.
fn stands_on(state: &State, fact: &Fact) -> Vec<FactId> {
    let id = fact.subject();
    let is_its_name = fact.predicate().as_str() == attribute::NAME && is_newcomer(state, id);
    let waiting = is_its_name.then(|| waiting_about(state, id)).into_iter().flatten();
    waiting.map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}
