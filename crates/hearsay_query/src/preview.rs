//! Preview of an operation's effect on the knowledge of all knowers.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{Hold, View, retraction_impact};
use hearsay_model::{Change, FactId, FactRelation, FactStatus, Knower, KnowledgeId, Operation, State, attribute};
use serde::Serialize;

use crate::{
    QueryError,
    facts::{FactRow, fact_row, how_in_words},
};

/// Effect that an operation would have on the knowledge of all knowers. The operation is not committed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preview {
    /// Short summary of the operation.
    pub summary: String,
    /// Facts that the operation adds.
    pub facts: Vec<FactRow>,
    /// Facts that knowers learn through the operation, sorted by knower and fact. Names and kinds are listed only if
    /// nothing else is learned.
    pub lessons: Vec<Lesson>,
    /// Knowledge edges that knowers lose through the operation, sorted by fact and knower.
    pub lost: Vec<Loss>,
    /// Knowledge edges whose credence changes through the operation, sorted by fact and knower.
    pub moved: Vec<Move>,
    /// Knowers that still believe a fact after the operation ends it, retracts it or makes it false. Also lists knowers
    /// that believe a distorted version of such a fact. Sorted by fact and knower.
    pub still: Vec<Believer>,
}

/// A fact that a knower learns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lesson {
    /// Knower that learns the fact.
    pub knower: Knower,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the knower learns the fact, in words: `told by odo-brandt`.
    pub acquisition: String,
    /// The knower's credence in the fact after the operation, 0.0–1.0. Contradicting beliefs lower this value.
    pub credence: f64,
    /// The knower's credence in the fact before the operation, 0.0–1.0; `None` if the knower did not know the fact.
    pub before: Option<f64>,
}

/// A knowledge edge that a knower loses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
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

/// A knowledge edge whose credence changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// Knower that the edge belongs to.
    pub knower: Knower,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Credence given by this edge before the operation, 0.0–1.0.
    pub before: f64,
    /// Credence given by this edge after the operation, 0.0–1.0.
    pub after: f64,
}

/// A knower that still believes a fact, or a distorted version of it, after the operation ended it, retracted it or
/// made it false.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Believer {
    /// Knower that still believes the fact.
    pub knower: Knower,
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// The knower's credence in the fact after the operation, 0.0–1.0.
    pub credence: f64,
}

/// Cache of the views of many knowers in one state.
struct Views<'s> {
    state: &'s State,
    views: BTreeMap<Knower, View>,
}

impl<'s> Views<'s> {
    fn new(state: &'s State) -> Self {
        Self { state, views: BTreeMap::new() }
    }

    fn of(&mut self, knower: &Knower) -> &View {
        let state = self.state;
        self.views.entry(knower.clone()).or_insert_with(|| View::of(state, knower, None))
    }
}

/// Computes the effect of an operation on the knowledge of all knowers.
///
/// # Errors
/// Returns an error if the operation cannot be applied.
pub fn preview(state: &State, operation: Operation) -> Result<Preview, QueryError> {
    let mut after = state.clone();
    after.apply(operation.clone())?;
    let retraction_impact = retraction_impact(state, &after);
    let (mut then, mut now) = (Views::new(&after), Views::new(state));
    let statement = |id: FactId| {
        let fact = after.asserted(id).or_else(|| state.asserted(id));
        fact.map_or_else(|| id.to_string(), |fact| fact.statement().to_owned())
    };
    let mut facts = Vec::new();
    let mut learned: BTreeMap<(Knower, FactId), KnowledgeId> = BTreeMap::new();
    let mut fallen: BTreeSet<FactId> = BTreeSet::new();
    for change in &operation.changes {
        match change {
            Change::AssertFact(fact) if state.fact(fact.id()).is_none() => facts.push(fact_row(&after, fact)),
            // An edge that was already recorded is not new knowledge.
            Change::Learn(edge) if edge.acquisition.gives_knowledge() && state.knowledge(edge.id()).is_none() => {
                learned.insert((edge.knower.clone(), edge.fact), edge.id());
            }
            Change::EndFact { fact, .. } | Change::RetractFact(fact) => _ = fallen.insert(*fact),
            Change::SetStatus { fact, status: FactStatus::False } => _ = fallen.insert(*fact),
            _ => {}
        }
    }
    let comes_along = |id: FactId| {
        let fact = after.fact(id);
        fact.is_some_and(|fact| [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str()))
    };
    if learned.keys().any(|(_, fact)| !comes_along(*fact)) {
        learned.retain(|(_, fact), _| !comes_along(*fact));
    }
    let credence = |view: &View, fact| view.fact(fact).map(|known| view.belief(known).credence.get());
    let lesson = |((knower, fact), edge): ((Knower, FactId), KnowledgeId)| Lesson {
        credence: credence(then.of(&knower), fact).unwrap_or(0.0),
        before: credence(now.of(&knower), fact),
        acquisition: after.knowledge(edge).map_or_else(String::new, |edge| how_in_words(&edge.acquisition)),
        statement: statement(fact),
        knower,
        fact,
    };
    let lessons: Vec<Lesson> = learned.into_iter().map(lesson).collect();
    let knew = retraction_impact.lost.iter().filter(|edge| edge.acquisition.gives_knowledge());
    let lost = knew.map(|edge| Loss {
        knower: edge.knower.clone(),
        fact: edge.fact,
        statement: statement(edge.fact),
        acquisition: how_in_words(&edge.acquisition),
        still_knows: then.of(&edge.knower).fact(edge.fact).is_some(),
    });
    let lost: Vec<Loss> = lost.collect();
    let moved = retraction_impact.moved.iter().map(|(edge, before, after)| Move {
        knower: edge.knower.clone(),
        fact: edge.fact,
        statement: statement(edge.fact),
        before: before.get(),
        after: after.get(),
    });
    let moved = moved.collect();
    let retells = |fact: &hearsay_model::Fact| match fact.fact_relation() {
        Some(FactRelation::Distorts(id)) => fallen.contains(&id),
        _ => false,
    };
    let mut still = Vec::new();
    for fact in after.facts().filter(|fact| fallen.contains(&fact.id()) || retells(fact)) {
        let knowers: BTreeSet<Knower> = after.known_by(fact.id()).map(|edge| edge.knower.clone()).collect();
        for knower in knowers {
            let view = then.of(&knower);
            let belief = view.fact(fact.id()).map(|known| view.belief(known));
            if let Some(belief) = belief.filter(|belief| belief.hold == Hold::Believed) {
                let (credence, statement) = (belief.credence.get(), fact.statement().to_owned());
                still.push(Believer { knower, fact: fact.id(), statement, credence });
            }
        }
    }
    Ok(Preview { summary: operation.summary, facts, lessons, lost, moved, still })
}
