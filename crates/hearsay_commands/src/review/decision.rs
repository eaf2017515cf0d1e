//! The DM's decision on a fact.

use hearsay_campaign::MissingRecord;
use hearsay_model::{
    Author, Change, EntityId, Fact, FactId, FactStatus, Object, Operation, State, Timestamp, attribute,
};
use hearsay_query::{
    ids::require_fact,
    review::{facts_decided_together, is_extracted_name_or_kind, is_unconfirmed_entity, pending_facts_about},
};
use serde::{Deserialize, Serialize};

use crate::{
    CommandError,
    edit::{Correction, Editor, succession},
};

/// The DM's decision on a fact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// The fact is true.
    Accept,
    /// The fact is true with another subject, predicate, object or wording.
    Edit {
        /// New subject of the fact. Default: the subject does not change.
        #[serde(default)]
        subject: Option<EntityId>,
        /// New predicate: a relation, such as `OWES`, words, such as `works for`, or the name of an attribute. Default:
        /// unchanged.
        #[serde(default)]
        predicate: Option<String>,
        /// New object of the fact: an entity for a relation, or a value for an attribute. Default: the object does not
        /// change.
        object: Option<Object>,
        /// New sentence that states the fact. Default: a sentence that is generated from the corrected fact.
        statement: Option<String>,
    },
    /// The fact is not true, although some knowers believe it.
    False,
    /// The fact is not part of the campaign, so no character knows the fact.
    Reject,
}

impl Decision {
    /// Returns the operation that applies the decision to a fact. The fact must wait for review or contradict another
    /// fact.
    ///
    /// # Errors
    /// Returns an error if the fact does not exist, or if the fact was already rejected.
    pub fn operation(&self, state: &State, id: FactId, now: Timestamp) -> Result<Operation, CommandError> {
        let fact = require_fact(state, id)?;
        if fact.status() == FactStatus::Rejected {
            return Err(CommandError::NotProposed { fact: id, status: fact.status() });
        }
        if let Some(record) = MissingRecord::from_fact(fact) {
            return Ok(self.withdrawal_operation(state, fact, record, now));
        }
        let mut related_facts = facts_decided_together(state, fact);
        match self {
            // Accepting a fact about a new entity also confirms the name of the entity. Rejecting the name rejects all
            // facts about the entity.
            Self::Accept | Self::Edit { .. } => {}
            Self::Reject | Self::False => related_facts.extend(facts_depending_on_name(state, fact)),
        }
        related_facts.sort_unstable();
        related_facts.dedup();
        let confirm = |fact| [Change::SetStatus { fact, status: FactStatus::Canon }, Change::Confirm(fact)];
        let decide_all = |verb: &str, status| {
            let to_changes = |fact| [Change::SetStatus { fact, status }, Change::Confirm(fact)];
            let changes: Vec<Change> =
                std::iter::once(id).chain(related_facts.iter().copied()).flat_map(to_changes).collect();
            (format!("{verb} \u{201C}{}\u{201D}", fact.statement()), changes)
        };
        let rejected = |fact| Change::SetStatus { fact, status: FactStatus::Rejected };
        let (summary, changes) = match self {
            Self::Accept => {
                let (summary, mut changes) = decide_all("accept", FactStatus::Canon);
                changes.extend(pending_names_in(state, fact).into_iter().flat_map(confirm));
                // The accepted fact ends older values of its predicate.
                let open_values = state.values(fact.subject(), fact.predicate());
                let mut validity = fact.validity().clone();
                changes.extend(succession(state, &open_values, fact.predicate(), fact.object(), &mut validity));
                (summary, changes)
            }
            Self::False => decide_all("mark false", FactStatus::False),
            Self::Reject => (
                format!("reject \u{201C}{}\u{201D}", fact.statement()),
                std::iter::once(id).chain(related_facts.iter().copied()).map(rejected).collect(),
            ),
            Self::Edit { subject, predicate, object, statement } => {
                let editor = Editor { state, author: Author::Dm, now };
                let correction = Correction {
                    subject: subject.as_ref(),
                    predicate: predicate.as_deref(),
                    object: object.as_ref(),
                    statement: statement.as_deref(),
                };
                let (new, mut changes) = editor.corrected(fact, &correction, FactStatus::Canon)?;
                // The original fact stays in the state as rejected, so that it is not proposed again.
                changes.push(match new.id() == id {
                    true => Change::Confirm(id),
                    false => rejected(id),
                });
                changes.extend(related_facts.iter().copied().map(rejected));
                (format!("accept as \u{201C}{}\u{201D}", new.statement()), changes)
            }
        };
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }

    /// Returns the operation for a proposal to withdraw a record, because its source file no longer contains it. If the
    /// DM accepts, the record is withdrawn. Otherwise the record stays, and its withdrawal is not proposed again.
    fn withdrawal_operation(&self, state: &State, proposal: &Fact, record: MissingRecord, now: Timestamp) -> Operation {
        let id = proposal.id();
        let (verb, changes) = match self {
            Self::Accept => {
                let withdraw = match record {
                    MissingRecord::Fact(fact) => state.fact(fact).map(|_| Change::RetractFact(fact)),
                    MissingRecord::Passage(passage) => state.passage(passage).map(|_| Change::RemovePassage(passage)),
                    MissingRecord::Entity(entity) => state.entity(&entity).map(|_| Change::RemoveEntity(entity)),
                };
                ("withdraw", std::iter::once(Change::RetractFact(id)).chain(withdraw).collect())
            }
            _ => ("keep", vec![Change::SetStatus { fact: id, status: FactStatus::Rejected }]),
        };
        let summary = format!("{verb}: {}", proposal.statement());
        Operation { author: Author::Dm, recorded: now, summary, changes }
    }
}

/// Returns the facts that wait for the DM's decision and that state the name or kind of a new entity in `fact`.
/// Accepting `fact` also accepts these facts.
fn pending_names_in<'a>(state: &'a State, fact: &'a Fact) -> Vec<FactId> {
    let entities = std::iter::once(fact.subject()).chain(fact.object().entity());
    let new_entities = entities.filter(|id| is_unconfirmed_entity(state, id));
    let name_facts = |id: &'a EntityId| {
        pending_facts_about(state, id).filter(move |other| is_extracted_name_or_kind(other) && other.subject() == id)
    };
    new_entities.flat_map(name_facts).map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}

/// If `fact` states the name of a new entity, returns the other facts about this entity that wait for the DM's
/// decision. Rejecting the name also rejects these facts.
fn facts_depending_on_name(state: &State, fact: &Fact) -> Vec<FactId> {
    let id = fact.subject();
    let is_its_name = fact.predicate().as_str() == attribute::NAME && is_unconfirmed_entity(state, id);
    let pending = is_its_name.then(|| pending_facts_about(state, id)).into_iter().flatten();
    pending.map(|fact| fact.id()).filter(|id| *id != fact.id()).collect()
}
