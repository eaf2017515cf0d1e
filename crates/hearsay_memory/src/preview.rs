//! What an operation would do to what everybody knows.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{Hold, View, fallout};
use hearsay_model::{Bearing, Change, FactId, How, Knower, KnowledgeId, Operation, Standing, State, attribute};
use serde::Serialize;

use crate::{
    MemoryError,
    query::{FactRow, fact_row, how_in_words},
};

/// What an operation would do, without doing it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preview {
    /// What it does, in a few words.
    pub summary: String,
    /// The facts that are new.
    pub facts: Vec<FactRow>,
    /// Who learns what, by knower and fact. Names and kinds that come with something else are left out.
    pub lessons: Vec<Lesson>,
    /// Whose knowledge falls, by fact and knower.
    pub lost: Vec<Loss>,
    /// Whose belief moves, by fact and knower.
    pub moved: Vec<Move>,
    /// Who goes on believing what ends, falls or is not so; or a retelling of it. By fact and knower.
    pub still: Vec<Believer>,
}

/// What somebody learns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lesson {
    /// Who.
    pub knower: Knower,
    /// What.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How: `told by odo-brandt`.
    pub how: String,
    /// How far it believes it then, all that it knows counted in.
    pub credence: f64,
    /// How far it believed it before; nothing, when it did not know of it.
    pub before: Option<f64>,
}

/// Something that somebody knew.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    /// Who.
    pub knower: Knower,
    /// What.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How it came to know it.
    pub how: String,
    /// Whether it knows it in another way.
    pub still_knows: bool,
}

/// A belief that moves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// Whose.
    pub knower: Knower,
    /// In what.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How far that way of knowing made it believe it.
    pub before: f64,
    /// How far it does then.
    pub after: f64,
}

/// Somebody who goes on believing something.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Believer {
    /// Who.
    pub knower: Knower,
    /// What.
    pub fact: FactId,
    /// The sentence that states it.
    pub statement: String,
    /// How far.
    pub credence: f64,
}

/// Views of many knowers of one state, each made once.
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

/// Says what an operation would do to what everybody knows.
///
/// # Errors
/// When the operation cannot be applied.
pub fn preview(state: &State, operation: Operation) -> Result<Preview, MemoryError> {
    let mut after = state.clone();
    after.apply(operation.clone())?;
    let fallout = fallout(state, &after);
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
            // An edge that was there already is no lesson.
            Change::Learn(edge) if edge.how != How::Shared && state.knowledge(edge.id()).is_none() => {
                learned.insert((edge.knower.clone(), edge.fact), edge.id());
            }
            Change::EndFact { fact, .. } | Change::RetractFact(fact) => _ = fallen.insert(*fact),
            Change::SetStanding { fact, standing: Standing::False } => _ = fallen.insert(*fact),
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
        how: after.knowledge(edge).map_or_else(String::new, |edge| how_in_words(&edge.how)),
        statement: statement(fact),
        knower,
        fact,
    };
    let lessons: Vec<Lesson> = learned.into_iter().map(lesson).collect();
    let knew = fallout.lost.iter().filter(|edge| edge.how != How::Shared);
    let lost = knew.map(|edge| Loss {
        knower: edge.knower.clone(),
        fact: edge.fact,
        statement: statement(edge.fact),
        how: how_in_words(&edge.how),
        still_knows: then.of(&edge.knower).fact(edge.fact).is_some(),
    });
    let lost: Vec<Loss> = lost.collect();
    let moved = fallout.moved.iter().map(|(edge, before, after)| Move {
        knower: edge.knower.clone(),
        fact: edge.fact,
        statement: statement(edge.fact),
        before: before.get(),
        after: after.get(),
    });
    let moved = moved.collect();
    let retells = |fact: &hearsay_model::Fact| match fact.bearing() {
        Some(Bearing::Distorts(id)) => fallen.contains(&id),
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
