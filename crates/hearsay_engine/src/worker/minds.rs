//! Watched minds: emits events when watched knowers learn facts, and when their beliefs or feelings change.

mod feelings;

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{BeliefCalculator, Known, View, ViewImpact};
use hearsay_model::{
    Change, Credence, EntityId, Fact, FactId, Key, Knower, KnowledgeId, Operation, Secrecy, State, attribute,
};
use hearsay_recall::LineClaim;

use crate::{BeliefChange, Event, LearnedEdge, MAX_WATCHED_BELIEFS, MemoryError, MindFilter};

/// Smallest change of a credence that is reported. Smaller changes are reported once their sum reaches this value.
const MIN_BELIEF_CHANGE: f64 = 0.01;

/// The watched minds, which the filter selects. If no mind is watched, a write causes no further work.
#[derive(Default)]
pub(super) struct Minds {
    filter: MindFilter,
    minds: BTreeMap<EntityId, Mind>,
}

/// A watched mind: the knowledge and beliefs of one knower that the filter selects.
#[derive(Default)]
struct Mind {
    /// The active edges through which the knower itself knows facts, without the edges of its groups and places.
    edges: BTreeSet<KnowledgeId>,
    /// The beliefs of the knower, if they are watched.
    beliefs: Option<Beliefs>,
}

/// The beliefs of a watched knower.
struct Beliefs {
    view: View,
    /// The credences that were last reported. A fact that the map does not contain has a credence of 0.
    reported: BTreeMap<FactId, Credence>,
}

impl Minds {
    /// Replaces the filter.
    ///
    /// # Errors
    /// Returns an error if the beliefs of too many knowers are to be watched. The old filter then stays in place.
    pub(super) fn watch(&mut self, filter: MindFilter, state: &State) -> Result<(), MemoryError> {
        let count = filter.belief_count();
        if count > MAX_WATCHED_BELIEFS {
            return Err(MemoryError::TooManyBeliefs { count, max: MAX_WATCHED_BELIEFS });
        }
        let watched: Vec<(EntityId, bool)> = match &filter {
            MindFilter::None => Vec::new(),
            MindFilter::All { .. } => state.entities().map(|entity| (entity.id.clone(), false)).collect(),
            MindFilter::Only(knowers) => knowers.iter().map(|(id, interest)| (id.clone(), interest.beliefs)).collect(),
        };
        let mut previous = std::mem::take(&mut self.minds);
        self.minds = watched
            .into_iter()
            .map(|(id, has_beliefs)| {
                let kept = previous.remove(&id).filter(|mind| mind.beliefs.is_some() == has_beliefs);
                let mind = kept.unwrap_or_else(|| Mind::new(state, &id, has_beliefs));
                (id, mind)
            })
            .collect();
        self.filter = filter;
        Ok(())
    }

    /// Reads all watched minds again, without events. Called after the whole state was replaced.
    pub(super) fn reset(&mut self, state: &State) {
        for (id, mind) in &mut self.minds {
            *mind = Mind::new(state, id, mind.beliefs.is_some());
        }
    }

    /// Updates the watched minds after a write that changed the records with the keys `touched`. Returns the events. A
    /// write that restores an earlier state causes no events.
    pub(super) fn follow(&mut self, state: &State, operation: Option<&Operation>, touched: &[Key]) -> Vec<Event> {
        if self.filter == MindFilter::None {
            return Vec::new();
        }
        let mut changes = operation.into_iter().flat_map(|operation| &operation.changes);
        if changes.any(|change| matches!(change, Change::Restore(_))) {
            self.reset(state);
            return Vec::new();
        }
        let (learned, changed) = (self.learn(state, touched), self.change_beliefs(state, touched));
        let learned = (!learned.is_empty()).then_some(Event::Learned(learned));
        let changed = (!changed.is_empty()).then_some(Event::BeliefsChanged(changed));
        learned.into_iter().chain(changed).collect()
    }

    /// Returns the facts that watched knowers have newly learned, sorted by knower and fact.
    fn learn(&mut self, state: &State, touched: &[Key]) -> Vec<LearnedEdge> {
        let (mut learned, mut added, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        let mut calculator = BeliefCalculator::new(state);
        for key in touched {
            let Key::KnowledgeEdge(id) = key else { continue };
            let Some(edge) = state.knowledge(*id) else {
                removed.push(*id);
                continue;
            };
            let Some(knower) = edge.knower.entity() else { continue };
            let Some(about) = self.filter.about(knower) else { continue };
            let known_edges = self.minds.get(knower).map(|mind| &mind.edges);
            let is_known = |id: &KnowledgeId| known_edges.is_some_and(|edges| edges.contains(id));
            if is_known(id) || !edge.acquisition.gives_knowledge() {
                continue;
            }
            added.push((knower.clone(), *id));
            let was_known = state.edges_to(edge.fact).any(|(other, _)| is_known(&other));
            let Some(fact) = state.fact(edge.fact) else { continue };
            if !was_known && is_reported(fact, about) {
                learned.push(LearnedEdge {
                    knower: knower.clone(),
                    fact: edge.fact,
                    claim: claim(fact),
                    thread: state.vocabulary().behavior(fact.predicate()).thread,
                    acquisition: edge.acquisition.clone(),
                    credence: Credence::new(calculator.belief(*id, edge).min(1.0)).unwrap_or(edge.credence),
                });
            }
        }
        for (knower, id) in added {
            self.minds.entry(knower).or_default().edges.insert(id);
        }
        for id in removed {
            self.minds.values_mut().for_each(|mind| _ = mind.edges.remove(&id));
        }
        learned.sort_by(|a, b| (&a.knower, a.fact).cmp(&(&b.knower, b.fact)));
        learned.dedup_by(|a, b| a.knower == b.knower && a.fact == b.fact);
        learned
    }

    /// Returns the changed beliefs of the knowers whose beliefs are watched, sorted by knower and fact.
    fn change_beliefs(&mut self, state: &State, touched: &[Key]) -> Vec<BeliefChange> {
        let mut changes = Vec::new();
        for (knower, mind) in &mut self.minds {
            let (Some(beliefs), Some(about)) = (&mut mind.beliefs, self.filter.about(knower)) else { continue };
            for (id, before, after) in beliefs.follow(state, touched) {
                // A fact that the knower no longer knows may have been removed.
                let fact = state.fact(id).or_else(|| state.asserted(id));
                if let Some(fact) = fact.filter(|fact| is_reported(fact, about)) {
                    changes.push(BeliefChange { knower: knower.clone(), fact: id, claim: claim(fact), before, after });
                }
            }
        }
        changes
    }
}

impl Mind {
    fn new(state: &State, id: &EntityId, has_beliefs: bool) -> Self {
        let knower = Knower::Entity(id.clone());
        let edges = state.edges_of(&knower).filter(|(_, edge)| edge.acquisition.gives_knowledge());
        Self { edges: edges.map(|(id, _)| id).collect(), beliefs: has_beliefs.then(|| Beliefs::new(state, &knower)) }
    }
}

impl Beliefs {
    fn new(state: &State, knower: &Knower) -> Self {
        let view = View::new(state, knower, None);
        let reported = view.facts().map(|known| (known.id(), view.belief(known).credence)).collect();
        Self { view, reported }
    }

    /// Updates the view after a write. Returns the facts whose credence changed, with the credence before and after,
    /// sorted by fact.
    fn follow(&mut self, state: &State, touched: &[Key]) -> Vec<(FactId, Credence, Credence)> {
        let updated = match self.view.impact(state, touched) {
            ViewImpact::Unchanged => return Vec::new(),
            ViewImpact::Records(records) => self.view.update(state, &records),
            ViewImpact::Whole => None,
        };
        let changed: BTreeSet<FactId> = match updated {
            // A refutation changes the belief in the fact that it refutes, and the truth the belief in a lie.
            Some(facts) => facts
                .iter()
                .flat_map(|fact| {
                    let lies = self.view.facts_against(fact.id()).map(Known::id);
                    [Some(fact.id()), related_fact(fact)].into_iter().flatten().chain(lies)
                })
                .collect(),
            None => {
                self.view = View::new(state, &self.view.knower().clone(), None);
                self.view.facts().map(Known::id).chain(self.reported.keys().copied()).collect()
            }
        };
        let mut changes = Vec::new();
        for id in changed {
            let before = self.reported.get(&id).copied().unwrap_or(Credence::NONE);
            let after = self.view.fact(id).map_or(Credence::NONE, |known| self.view.belief(known).credence);
            if (after.get() - before.get()).abs() >= MIN_BELIEF_CHANGE {
                self.reported.insert(id, after);
                changes.push((id, before, after));
            }
        }
        changes
    }
}

fn related_fact(fact: &Fact) -> Option<FactId> {
    fact.fact_relation().map(|relation| relation.fact())
}

fn claim(fact: &Fact) -> LineClaim {
    LineClaim { subject: fact.subject().clone(), predicate: fact.predicate().clone(), object: fact.object().clone() }
}

/// Returns whether a fact is reported. If `about` is not empty, the fact must be about one of these entities. Names and
/// kinds are reported only if they are secret, because a knower learns them along with other facts.
fn is_reported(fact: &Fact, about: &BTreeSet<EntityId>) -> bool {
    let is_label = [attribute::NAME, attribute::KIND].contains(&fact.predicate().as_str());
    let is_open_label = is_label && fact.secrecy() != Secrecy::Secret;
    !is_open_label && (about.is_empty() || fact.entities().any(|id| about.contains(id)))
}
