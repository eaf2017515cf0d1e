//! Review: what waits for the DM, and what the DM says of it.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Author, Change, EntityId, Fact, FactId, Knowledge, Operation, Predicate, Standing, State, Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{Edit, MemoryError, edit::find_fact};

/// Why something waits for the DM.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
pub enum ReviewItem {
    /// A fact whose confidence lies below the threshold.
    Doubtful {
        /// The fact.
        fact: FactId,
    },
    /// Facts that cannot all be so: one subject, a predicate that has one object at a time, times that overlap.
    Contradiction {
        /// Whom they are about.
        subject: EntityId,
        /// What they say.
        predicate: Predicate,
        /// The facts. Sorted.
        facts: Vec<FactId>,
    },
}

/// All that waits for the DM: doubtful facts first, the least sure first, then contradictions.
pub fn review_items(state: &State) -> Vec<ReviewItem> {
    let mut doubtful: Vec<&Arc<Fact>> = state.facts().filter(|fact| fact.standing() == Standing::Proposed).collect();
    doubtful.sort_by_key(|fact| (fact.provenance().confidence, fact.id()));
    let mut groups: BTreeMap<(&EntityId, &Predicate), Vec<&Arc<Fact>>> = BTreeMap::new();
    for fact in state.facts() {
        let stands = matches!(fact.standing(), Standing::Canon | Standing::Claimed);
        if stands && state.is_functional(fact.predicate()) {
            groups.entry((fact.subject(), fact.predicate())).or_default().push(fact);
        }
    }
    let items = doubtful.into_iter().map(|fact| ReviewItem::Doubtful { fact: fact.id() });
    let contradictions = groups.into_iter().filter_map(|((subject, predicate), facts)| {
        let disagrees = |a: &Fact, b: &Fact| a.object() != b.object() && a.validity().overlaps(b.validity());
        let clash = |a: &Arc<Fact>| facts.iter().any(|b| disagrees(a, b));
        let facts: Vec<FactId> = facts.iter().filter(|fact| clash(fact)).map(|fact| fact.id()).collect();
        (!facts.is_empty()).then(|| ReviewItem::Contradiction {
            subject: subject.clone(),
            predicate: predicate.clone(),
            facts,
        })
    });
    items.chain(contradictions).collect()
}

/// What the DM says of a fact. Facts are named by id, the beginning of an id, or handle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It is so.
    Accept,
    /// It is so, in other words or of another object.
    Edit {
        /// The object or value that is right.
        object: Option<String>,
        /// The sentence that is right.
        statement: Option<String>,
    },
    /// It is not so, though some believe it.
    False,
    /// It is no part of the world.
    Reject,
}

impl Decision {
    /// The operation that carries out the decision on a fact that waits for review or contradicts another.
    ///
    /// # Errors
    /// When there is no such fact, or it was rejected already.
    pub fn operation(&self, state: &State, fact: &str, now: Timestamp) -> Result<Operation, MemoryError> {
        let fact = find_fact(state, fact)?;
        let id = fact.id();
        if fact.standing() == Standing::Rejected {
            return Err(MemoryError::NotProposed { fact: id, standing: fact.standing() });
        }
        let judged = |word: &str, standing| {
            let changes = vec![Change::SetStanding { fact: id, standing }, Change::Confirm(id)];
            (format!("{word} \u{201C}{}\u{201D}", fact.statement()), changes)
        };
        let (summary, changes) = match self {
            Self::Accept => judged("accept", Standing::Canon),
            Self::False => judged("mark false", Standing::False),
            Self::Reject => (
                format!("reject \u{201C}{}\u{201D}", fact.statement()),
                vec![Change::SetStanding { fact: id, standing: Standing::Rejected }],
            ),
            Self::Edit { object, statement } => {
                let correct =
                    Edit::Correct { fact: id.to_string(), object: object.clone(), statement: statement.clone() };
                let mut operation = correct.operation(state, Author::Dm, now)?;
                // The words that were proposed stay on record as rejected, so that they are not proposed again.
                for change in &mut operation.changes {
                    if *change == Change::RetractFact(id) {
                        *change = Change::SetStanding { fact: id, standing: Standing::Rejected };
                    }
                }
                return Ok(operation);
            }
        };
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }
}

/// Those who would learn a proposed fact once it is accepted.
pub fn would_learn(state: &State, fact: FactId) -> Vec<Arc<Knowledge>> {
    let mut edges: Vec<_> = state.recorded_knowledge(fact).cloned().collect();
    edges.sort_by_key(|edge| edge.id());
    edges
}
