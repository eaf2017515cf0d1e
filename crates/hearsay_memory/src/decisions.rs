//! Decisions on many facts in one operation, and how facts are kept.

use std::collections::BTreeSet;

use hearsay_model::{Author, Change, FactId, How, Kind, Knower, Operation, Secrecy, Standing, State, Timestamp};
use serde::{Deserialize, Serialize};

use crate::{Decision, MemoryError, find_fact, review::waiting_with};

/// What the DM says of facts, all at once: one operation, which one undo takes back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// The facts.
    pub facts: Vec<FactId>,
    /// What is said of each.
    pub decision: Decision,
    /// Why, in the DM's words: kept in the journal with the decision.
    #[serde(default)]
    pub reason: Option<String>,
}

impl Decisions {
    /// The operation that carries the decisions out. What was decided since, with another that says the same, is left out.
    ///
    /// # Errors
    /// When there is no such fact, or nothing is left to decide.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, MemoryError> {
        let (mut changes, mut done, mut first) = (Vec::new(), BTreeSet::new(), None);
        let mut count = 0_usize;
        for id in &self.facts {
            let fact = find_fact(state, &id.to_string())?;
            if done.contains(id) || (fact.standing() == Standing::Rejected && self.facts.len() > 1) {
                continue;
            }
            let operation = self.decision.operation(state, &id.to_string(), now)?;
            done.insert(*id);
            done.extend(waiting_with(state, &fact));
            count += 1;
            changes.extend(operation.changes);
            first.get_or_insert(operation.summary);
        }
        let Some(first) = first else {
            let fact = self.facts.first().copied().ok_or(MemoryError::NothingToDecide)?;
            return Err(MemoryError::NotProposed { fact, standing: Standing::Rejected });
        };
        let summary = if count > 1 { format!("{first} and {} more", count - 1) } else { first };
        let reason = self.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        let summary = reason.map_or_else(|| summary.clone(), |reason| format!("{summary}, because: {reason}"));
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }
}

/// How facts are to be kept from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// The facts.
    pub facts: Vec<FactId>,
    /// Whether they are secrets. Then groups, places and common lore, which were only taken to know them, know them no
    /// more; who saw, heard or read them does. What was a secret and is none is told to nobody by that.
    pub secret: bool,
}

impl Keep {
    /// The operation that does it.
    ///
    /// # Errors
    /// When there is no such fact, or none that is kept otherwise.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, MemoryError> {
        let secrecy = if self.secret { Secrecy::Secret } else { Secrecy::Open };
        let (mut changes, mut first, mut count) = (Vec::new(), None, 0_usize);
        for id in &self.facts {
            let fact = find_fact(state, &id.to_string())?;
            if fact.secrecy() == secrecy {
                continue;
            }
            count += 1;
            first.get_or_insert_with(|| fact.statement().to_owned());
            changes.push(Change::SetSecrecy { fact: *id, secrecy });
            let shared = |knower: &Knower| match knower.entity() {
                None => true,
                Some(who) => matches!(state.kind(who), Some(Kind::Location | Kind::Faction | Kind::Party)),
            };
            let taken_to_know =
                state.recorded_edges(*id).filter(|(_, edge)| edge.how == How::Authored && shared(&edge.knower));
            if self.secret {
                changes.extend(taken_to_know.map(|(edge, _)| Change::Unlearn(edge)));
            }
        }
        let statement = first.ok_or(MemoryError::NothingToDecide)?;
        let word = if self.secret { "make secret" } else { "make open" };
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let summary = format!("{word} \u{201C}{statement}\u{201D}{more}");
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }
}
