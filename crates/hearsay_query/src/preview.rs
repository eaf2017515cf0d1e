//! Preview of the effect of an operation on the knowledge of all knowers.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{BeliefStatus, StateViews, View, retraction_impact};
use hearsay_model::{
    Change, EntityId, FactId, FactRelation, FactStatus, Knower, KnowledgeId, Operation, State, attribute,
};
use serde::Serialize;

use crate::{
    QueryError,
    facts::{FactRow, describe_acquisition_to_dm, fact_row},
    rumours::{believers, version_tree},
};

/// Effects that an operation would have on entities, facts and the knowledge of all knowers. A preview does not commit
/// the operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preview {
    /// Short summary of the operation.
    pub summary: String,
    /// Entities that the operation adds.
    pub entities: Vec<EntityId>,
    /// Facts that the operation adds.
    pub facts: Vec<FactRow>,
    /// Facts whose validity the operation ends.
    pub ended: Vec<FactRow>,
    /// Facts that knowers learn through the operation, sorted by knower and fact. The list contains facts that state
    /// names or kinds only if the knowers learn no other facts. It does not contain knowledge that the operation only
    /// records again.
    pub lessons: Vec<LearnedFactRow>,
    /// Knowledge edges that knowers lose through the operation, sorted by fact and knower. Edges that the operation
    /// records again are left out.
    pub lost: Vec<LostEdge>,
    /// Knowledge edges whose credence changes through the operation, sorted by fact and knower. For a refutation, contains
    /// the beliefs of the knowers that learn it.
    pub moved: Vec<CredenceChange>,
    /// Knowers that still believe a fact after the operation ends it, retracts it, or marks it as false. The list
    /// includes knowers that believe a distorted version of the fact. Sorted by fact and knower.
    pub still: Vec<RemainingBeliever>,
    /// Facts that the operation refutes. Each fact is followed by the distorted versions that come from it.
    pub refuted: Vec<RefutedFact>,
}

/// A fact that a knower learns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedFactRow {
    /// Knower that learns the fact.
    pub knower: Knower,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the knower learns the fact, in words: `told by odo-brandt`.
    pub acquisition: String,
    /// The knower's credence in the fact after the operation, 0.0–1.0. Known refutations lower this value.
    pub credence: f64,
    /// The knower's credence in the fact before the operation, 0.0–1.0; `None` if the knower did not know the fact.
    pub before: Option<f64>,
}

/// A knowledge edge that a knower loses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LostEdge {
    /// Knower that loses the edge.
    pub knower: Knower,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the knower learned the fact through the lost edge, in words.
    pub acquisition: String,
    /// Whether the knower still knows the fact through another edge.
    pub still_knows: bool,
}

/// A knowledge edge or a belief whose credence changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CredenceChange {
    /// Knower of the fact.
    pub knower: Knower,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// The knower's credence before the operation, 0.0–1.0. For an edge, the credence according to this edge alone.
    pub before: f64,
    /// The knower's credence after the operation, 0.0–1.0. For an edge, the credence according to this edge alone.
    pub after: f64,
}

/// A knower that still believes a fact, or a distorted version of the fact, although the operation ends the fact,
/// retracts it, or marks it as false.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RemainingBeliever {
    /// Knower that still believes the fact.
    pub knower: Knower,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// The knower's credence in the fact after the operation, 0.0–1.0.
    pub credence: f64,
}

/// A fact that an operation refutes, or a distorted version of this fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefutedFact {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the fact is a distorted version of the refuted fact.
    pub is_version: bool,
    /// Number of knowers that believed the fact before the operation. Counts only knowers that learned the fact themselves.
    pub believers_before: usize,
    /// Number of knowers that believe the fact after the operation.
    pub believers: usize,
}

/// Computes the effect of an operation on entities, facts and the knowledge of all knowers.
///
/// # Errors
/// Returns an error if the operation cannot be applied.
pub fn preview(state: &State, operation: Operation) -> Result<Preview, QueryError> {
    let after = state_after(state, operation.clone())?;
    Ok(preview_applied(state, &after, operation))
}

/// Returns the state after an operation. Does not change `state`.
///
/// # Errors
/// Returns an error if the operation cannot be applied.
pub fn state_after(state: &State, operation: Operation) -> Result<State, QueryError> {
    let mut after = state.clone();
    after.apply(operation)?;
    Ok(after)
}

/// Computes the same as [`preview`] from the [state after](state_after) the operation.
pub fn preview_applied(state: &State, after: &State, operation: Operation) -> Preview {
    let retraction_impact = retraction_impact(state, after);
    let (views_after, views_before) = (StateViews::new(after), StateViews::new(state));
    let statement = |id: FactId| {
        let fact = after.asserted(id).or_else(|| state.asserted(id));
        fact.map_or_else(|| id.to_string(), |fact| fact.statement().to_owned())
    };
    let (mut entities, mut facts, mut ended) = (Vec::new(), Vec::new(), Vec::new());
    let mut learned: BTreeMap<(Knower, FactId), KnowledgeId> = BTreeMap::new();
    let mut invalidated: BTreeSet<FactId> = BTreeSet::new();
    for change in &operation.changes {
        match change {
            Change::AddEntity(entity) if state.entity(&entity.id).is_none() => entities.push(entity.id.clone()),
            Change::AssertFact(fact) if state.fact(fact.id()).is_none() => facts.push(fact_row(after, fact)),
            // An edge that was already recorded is not new knowledge.
            Change::Learn(edge) if edge.acquisition.gives_knowledge() && state.knowledge(edge.id()).is_none() => {
                learned.insert((edge.knower.clone(), edge.fact), edge.id());
            }
            Change::EndFact { fact, .. } => {
                ended.extend(after.fact(*fact).map(|fact| fact_row(after, fact)));
                invalidated.insert(*fact);
            }
            Change::RetractFact(fact) => _ = invalidated.insert(*fact),
            Change::SetStatus { fact, status: FactStatus::False } => _ = invalidated.insert(*fact),
            _ => {}
        }
    }
    let is_name_or_kind = |id: FactId| {
        let fact = after.fact(id);
        fact.is_some_and(|fact| [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str()))
    };
    let recorded: BTreeSet<(Knower, FactId)> = learned.keys().cloned().collect();
    if learned.keys().any(|(_, fact)| !is_name_or_kind(*fact)) {
        learned.retain(|(_, fact), _| !is_name_or_kind(*fact));
    }
    let credence = |view: &View, fact| view.fact(fact).map(|known| view.belief(known).credence.get());
    let learned_fact = |((knower, fact), edge): ((Knower, FactId), KnowledgeId)| LearnedFactRow {
        credence: credence(&views_after.get(&knower, None), fact).unwrap_or(0.0),
        before: credence(&views_before.get(&knower, None), fact),
        acquisition: after
            .knowledge(edge)
            .map_or_else(String::new, |edge| describe_acquisition_to_dm(after, &edge.acquisition)),
        statement: statement(fact),
        knower,
        fact,
    };
    let learners: Vec<(Knower, FactId)> = learned.keys().cloned().collect();
    let mut lessons: Vec<LearnedFactRow> = learned.into_iter().map(learned_fact).collect();
    let lost_knowledge = retraction_impact.lost.iter().filter(|edge| edge.acquisition.gives_knowledge());
    let lost_edges = lost_knowledge.map(|edge| LostEdge {
        knower: edge.knower.clone(),
        fact: edge.fact,
        statement: statement(edge.fact),
        acquisition: describe_acquisition_to_dm(after, &edge.acquisition),
        still_knows: views_after.get(&edge.knower, None).fact(edge.fact).is_some(),
    });
    let mut lost_edges: Vec<LostEdge> = lost_edges.collect();
    // The correction of a line records the knowledge of its other hearers again, which changes nothing for them.
    lessons.retain(|lesson| {
        let is_lost = |edge: &LostEdge| (&edge.knower, edge.fact) == (&lesson.knower, lesson.fact);
        let is_known = views_after.get(&lesson.knower, None).fact(lesson.fact).is_some();
        is_known && !(lesson.before == Some(lesson.credence) && lost_edges.iter().any(is_lost))
    });
    lost_edges.retain(|edge| !edge.still_knows || !recorded.contains(&(edge.knower.clone(), edge.fact)));
    let moved = retraction_impact.changed.iter().map(|(edge, before, after)| CredenceChange {
        knower: edge.knower.clone(),
        fact: edge.fact,
        statement: statement(edge.fact),
        before: before.get(),
        after: after.get(),
    });
    let mut moved: Vec<CredenceChange> = moved.collect();
    let refuted = refuted_facts(&operation, &learners, (&views_before, &views_after), &mut moved);
    let is_distortion = |fact: &hearsay_model::Fact| match fact.fact_relation() {
        Some(FactRelation::Distorts(id)) => invalidated.contains(&id),
        _ => false,
    };
    let mut remaining_believers = Vec::new();
    for fact in after.facts().filter(|fact| invalidated.contains(&fact.id()) || is_distortion(fact)) {
        let knowers: BTreeSet<Knower> = after.known_by(fact.id()).map(|edge| edge.knower.clone()).collect();
        for knower in knowers {
            let view = views_after.get(&knower, None);
            let belief = view.fact(fact.id()).map(|known| view.belief(known));
            if let Some(belief) = belief.filter(|belief| belief.status == BeliefStatus::Believed) {
                let (credence, statement) = (belief.credence.get(), fact.statement().to_owned());
                remaining_believers.push(RemainingBeliever { knower, fact: fact.id(), statement, credence });
            }
        }
    }
    let (summary, lost, still) = (operation.summary, lost_edges, remaining_believers);
    Preview { summary, entities, facts, ended, lessons, lost, moved, still, refuted }
}

/// Returns the facts that an operation refutes, with their versions. Adds the changed beliefs of the knowers that learn the
/// refutations to `moved`.
fn refuted_facts(
    operation: &Operation,
    learners: &[(Knower, FactId)],
    (before, after): (&StateViews, &StateViews),
    moved: &mut Vec<CredenceChange>,
) -> Vec<RefutedFact> {
    let mut refuted = Vec::new();
    for change in &operation.changes {
        let Change::AssertFact(refutation) = change else { continue };
        let Some(FactRelation::Refutes(root)) = refutation.fact_relation() else { continue };
        let Some(root) = after.state().fact(root) else { continue };
        for (fact, distorts, _) in version_tree(after.state(), root) {
            let (id, statement) = (fact.id(), fact.statement());
            refuted.push(RefutedFact {
                fact: id,
                statement: statement.to_owned(),
                is_version: distorts.is_some(),
                believers_before: believers(before, id),
                believers: believers(after, id),
            });
            for (knower, _) in learners.iter().filter(|(_, learned)| *learned == refutation.id()) {
                let credence = |views: &StateViews| {
                    let view = views.get(knower, None);
                    view.fact(id).map(|known| view.belief(known).credence.get())
                };
                if let (Some(before), Some(after)) = (credence(before), credence(after))
                    && before != after
                {
                    let (knower, statement) = (knower.clone(), statement.to_owned());
                    moved.push(CredenceChange { knower, fact: id, statement, before, after });
                }
            }
        }
    }
    moved.sort_by(|a, b| (a.fact, &a.knower).cmp(&(b.fact, &b.knower)));
    refuted
}
