//! Decisions on many facts in one operation, and changes of the secrecy of facts.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc};

use hearsay_model::{
    Author, Change, FactId, FactStatus, Kind, Knower, KnowledgeEdge, KnowledgeId, Operation, Secrecy, State, Timestamp,
};
use hearsay_query::{ids::require_fact, preview::state_after, review::facts_decided_together};
use serde::{Deserialize, Serialize};

use super::decision::Decision;
use crate::{CommandError, moves::Move};

/// The DM's decision on several facts. The decision is one operation, so one undo reverts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decisions {
    /// Facts on which the DM decides.
    pub facts: Vec<FactId>,
    /// Decision that applies to each of the facts.
    pub decision: Decision,
    /// Reason in the DM's words, stored in the journal with the decision; `None` if the DM gives no reason.
    #[serde(default)]
    pub reason: Option<String>,
}

impl Decisions {
    /// Returns the operation that applies the decision to all facts. Among several facts, rejected facts are skipped. A
    /// single rejected fact is reopened if the decision accepts or corrects it. If several facts are
    /// equivalent, the operation decides only on the first of them. A move that is out of date, because the character has
    /// moved to another place since, still waits for review afterwards, and the summary of the operation lists it.
    ///
    /// # Errors
    /// Returns an error if a fact does not exist, or if all facts were already decided. Also returns an error if the
    /// decision applies to no fact because all of them are moves that are out of date.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let (mut changes, mut decided, mut first_summary) = (Vec::new(), BTreeSet::new(), None);
        let (mut count, mut after_moves, mut later_moves) = (0_usize, Cow::Borrowed(state), Vec::new());
        for id in &self.facts {
            let fact = require_fact(state, *id)?;
            if decided.contains(id) || (fact.status() == FactStatus::Rejected && self.facts.len() > 1) {
                continue;
            }
            let operation = match self.decision.operation(&after_moves, *id, now) {
                Err(error @ CommandError::LaterMove { .. }) => {
                    later_moves.push((fact, error));
                    continue;
                }
                operation => operation?,
            };
            // A move ends the location to which an earlier fact of the list moves the same character.
            if self.facts.len() > 1 && Move::from_fact(state, fact).is_some() {
                after_moves = Cow::Owned(state_after(&after_moves, operation.clone())?);
            }
            decided.insert(*id);
            decided.extend(facts_decided_together(state, fact));
            // Facts that became evidence for this fact need no decision of their own.
            decided.extend(operation.changes.iter().filter_map(|change| match change {
                Change::RetractFact(fact) => Some(*fact),
                _ => None,
            }));
            count += 1;
            changes.extend(operation.changes);
            first_summary.get_or_insert(operation.summary);
        }
        let Some(first_summary) = first_summary else {
            if let Some((_, error)) = later_moves.into_iter().next() {
                return Err(error);
            }
            let fact = self.facts.first().copied().ok_or(CommandError::NothingToDecide)?;
            return Err(CommandError::NotProposed { fact, status: FactStatus::Rejected });
        };
        let summary = match count {
            1 => first_summary,
            _ => format!("{first_summary} and {} more", decided_alike(&changes).max(count) - 1),
        };
        let reason = self.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        let mut summary = reason.map_or_else(|| summary.clone(), |reason| format!("{summary}, because: {reason}"));
        for (fact, _) in later_moves.iter().filter(|(fact, _)| !decided.contains(&fact.id())) {
            summary.push_str(&format!("; still waits, out of date: \u{201C}{}\u{201D}", fact.statement()));
        }
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }
}

/// Returns the number of facts that get the same status as the first fact on which an operation decides.
fn decided_alike(changes: &[Change]) -> usize {
    let decided = || {
        changes.iter().filter_map(|change| match change {
            Change::SetStatus { fact, status } => Some((*fact, *status)),
            _ => None,
        })
    };
    let first = decided().next().map(|(_, status)| status);
    decided().filter(|(_, status)| Some(*status) == first).map(|(fact, _)| fact).collect::<BTreeSet<_>>().len()
}

/// A change of the secrecy of facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    /// Facts whose secrecy changes.
    pub facts: Vec<FactId>,
    /// Whether the facts become secret (`true`) or open (`false`). If the facts become secret, groups, places and the
    /// world lose their authored edges to the facts, and characters with authored edges conceal the facts. Knowers that
    /// saw, heard or read a fact still know the fact. If the facts become open, no knower learns the facts automatically,
    /// and the knowers who conceal the facts no longer conceal them.
    pub secret: bool,
    /// Knowers that lose all their knowledge edges to the facts. A member of a group that knows a fact still knows the
    /// fact through the group.
    #[serde(default)]
    pub keep_from: BTreeSet<Knower>,
}

impl Keep {
    /// Returns the operation that records the change.
    ///
    /// # Errors
    /// Returns an error if a fact does not exist. Also returns an error if the operation would change nothing. In this
    /// case, all facts already have the requested secrecy, no knower in [`keep_from`](Self::keep_from) knows one of the
    /// facts, and no knower conceals a fact that becomes open.
    pub fn operation(&self, state: &State, now: Timestamp) -> Result<Operation, CommandError> {
        let secrecy = if self.secret { Secrecy::Secret } else { Secrecy::Open };
        let (mut changes, mut first_statement, mut count) = (Vec::new(), None, 0_usize);
        let mut revealing = BTreeSet::new();
        for id in &self.facts {
            let fact = require_fact(state, *id)?;
            let is_new = fact.secrecy() != secrecy;
            let forgotten = state.recorded_edges(*id).filter(|(_, edge)| self.keep_from.contains(&edge.knower));
            let mut edges: BTreeSet<KnowledgeId> = forgotten.map(|(edge, _)| edge).collect();
            let is_revealed =
                |id: &KnowledgeId, edge: &KnowledgeEdge| !self.secret && edge.conceals && !edges.contains(id);
            let revealed: Vec<_> = state.recorded_edges(*id).filter(|(id, edge)| is_revealed(id, edge)).collect();
            if !is_new && edges.is_empty() && revealed.is_empty() {
                continue;
            }
            count += 1;
            revealing.extend(revealed.iter().map(|(_, edge)| edge.knower.clone()));
            changes.extend(revealed.into_iter().map(|(_, edge)| with_concealment(edge, false)));
            first_statement.get_or_insert_with(|| fact.statement().to_owned());
            changes.extend(is_new.then_some(Change::SetSecrecy { fact: *id, secrecy }));
            let is_shared = |knower: &Knower| match knower.entity() {
                None => true,
                Some(id) => matches!(state.kind(id), Some(Kind::Location | Kind::Faction | Kind::Party)),
            };
            if self.secret && is_new {
                let authored = state.recorded_edges(*id).filter(|(_, edge)| edge.acquisition.is_authored());
                let (shared, own): (Vec<_>, Vec<_>) = authored.partition(|(_, edge)| is_shared(&edge.knower));
                let open = own.into_iter().filter(|(edge_id, edge)| !edge.conceals && !edges.contains(edge_id));
                changes.extend(open.map(|(_, edge)| with_concealment(edge, true)));
                edges.extend(shared.into_iter().map(|(edge, _)| edge));
            }
            changes.extend(edges.into_iter().map(Change::Unlearn));
        }
        let statement = first_statement.ok_or(CommandError::NothingToDecide)?;
        let verb = if self.secret { "make secret" } else { "make open" };
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let kept_from = list_knowers(state, ", kept from ", &self.keep_from);
        let revealed = list_knowers(state, ", no longer concealed by ", &revealing);
        let summary = format!("{verb} \u{201C}{statement}\u{201D}{more}{kept_from}{revealed}");
        Ok(Operation { author: Author::Dm, recorded: now, summary, changes })
    }
}

/// Returns the change after which a knower conceals a fact, or no longer conceals it.
fn with_concealment(edge: &KnowledgeEdge, conceals: bool) -> Change {
    Change::Learn(Arc::new(KnowledgeEdge { conceals, ..edge.clone() }))
}

/// Returns a label and the names of knowers; an empty text for no knower.
fn list_knowers(state: &State, label: &str, knowers: &BTreeSet<Knower>) -> String {
    let name = |knower: &Knower| knower.entity().map_or("everybody", |id| state.name_or_id(id)).to_owned();
    let names: Vec<String> = knowers.iter().map(name).collect();
    if names.is_empty() { String::new() } else { format!("{label}{}", names.join(", ")) }
}
