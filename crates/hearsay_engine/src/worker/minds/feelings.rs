//! Feelings of watched minds. If a write makes a watched knower learn or forget a fact, this module finds the feelings
//! that change.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use hearsay_belief::{Feelings, StateViews};
use hearsay_model::{
    Change, EntityId, Fact, FactId, Feeling, GameTime, Knower, OpenThread, Operation, State, Vocabulary,
    lists::push_new,
};

use super::{Minds, is_reported, related_fact};
use crate::FeelingChange;

/// Feelings of the watched knowers before a write, if the write can change them.
#[derive(Default)]
pub(in crate::worker) struct EarlierFeelings {
    /// Game time before the write. The feelings before and after the write decay until this time, so that they differ
    /// only because of the write.
    now: Option<GameTime>,
    feelings: Vec<EarlierFeeling>,
}

/// Feelings of a knower towards another entity before a write.
struct EarlierFeeling {
    knower: EntityId,
    towards: EntityId,
    /// Facts that the knower learns or forgets, in the order of the changes.
    facts: Vec<FactId>,
    feelings: Feelings,
}

impl Minds {
    /// Returns the feelings that an operation can change. `state` is the state before the operation. Reads only the
    /// views of watched knowers that learn or forget a fact with an influence on feelings.
    pub(in crate::worker) fn earlier_feelings(&self, state: &State, operation: Option<&Operation>) -> EarlierFeelings {
        let mut facts: BTreeMap<(EntityId, EntityId), Vec<FactId>> = BTreeMap::new();
        let changes = operation.map_or(&[][..], |operation| &operation.changes);
        let asserted: HashMap<FactId, &Arc<Fact>> = if changes.iter().any(|change| self.is_about_watched(change)) {
            changes.iter().filter_map(|change| change.fact().map(|fact| (fact.id(), fact))).collect()
        } else {
            return EarlierFeelings::default();
        };
        let find = |id: FactId| asserted.get(&id).copied().or_else(|| state.fact(id));
        for change in changes {
            let edge = match change {
                Change::Learn(edge) => Some(edge.as_ref()),
                Change::Unlearn(id) => state.knowledge(*id).map(AsRef::as_ref),
                _ => None,
            };
            let Some((edge, knower)) = edge.and_then(|edge| Some((edge, edge.knower.entity()?))) else { continue };
            let Some(about) = self.filter.about(knower) else { continue };
            let fact = find(edge.fact).filter(|fact| edge.acquisition.gives_knowledge() && is_reported(fact, about));
            let Some(fact) = fact else { continue };
            // A refutation changes the feelings that come from the fact that it refutes.
            let related = related_fact(fact).and_then(find);
            for cause in [Some(fact), related].into_iter().flatten() {
                if let Some(towards) = felt_towards(state.vocabulary(), cause, knower) {
                    push_new(facts.entry((knower.clone(), towards.clone())).or_default(), edge.fact);
                }
            }
        }
        let (now, views) = (state.clock(), StateViews::new(state));
        let feelings = facts.into_iter().map(|((knower, towards), facts)| {
            let view = views.get(&Knower::Entity(knower.clone()), now);
            let feelings = Feelings::from_view_at(&view, &towards, now);
            EarlierFeeling { knower, towards, facts, feelings }
        });
        EarlierFeelings { now, feelings: feelings.collect() }
    }

    /// Returns whether a change adds or removes knowledge of a watched knower.
    fn is_about_watched(&self, change: &Change) -> bool {
        match change {
            Change::Learn(edge) => edge.knower.entity().is_some_and(|knower| self.filter.about(knower).is_some()),
            Change::Unlearn(_) => !self.minds.is_empty(),
            _ => false,
        }
    }
}

impl EarlierFeelings {
    /// Returns the feelings that differ from those before the write, sorted by knower and other entity. `state` is the
    /// state after the write.
    pub(in crate::worker) fn changes(self, state: &State) -> Vec<FeelingChange> {
        let (mut changes, views) = (Vec::new(), StateViews::new(state));
        for EarlierFeeling { knower, towards, facts, feelings: before } in self.feelings {
            let view = views.get(&Knower::Entity(knower.clone()), state.clock());
            let after = Feelings::from_view_at(&view, &towards, self.now);
            for feeling in Feeling::ALL {
                let levels = (before.level(feeling), after.level(feeling));
                if levels.0 == levels.1 {
                    continue;
                }
                let share =
                    |fact: &FactId| (change_by(&after, *fact, feeling) - change_by(&before, *fact, feeling)).abs();
                // Among equal shares, the first fact is the cause.
                let cause = facts.iter().rev().max_by(|a, b| share(a).total_cmp(&share(b)));
                changes.extend(cause.map(|fact| FeelingChange {
                    knower: knower.clone(),
                    towards: towards.clone(),
                    feeling,
                    before: levels.0,
                    after: levels.1,
                    fact: *fact,
                }));
            }
        }
        changes
    }
}

/// Returns the entities towards which the feelings of a knower depend on a fact.
fn felt_towards<'a>(vocabulary: &Vocabulary, fact: &'a Fact, knower: &EntityId) -> Option<&'a EntityId> {
    let (subject, object) = (fact.subject(), fact.object().entity()?);
    if vocabulary.is_deed(fact.predicate()) {
        return (subject != knower && subject != object).then_some(subject);
    }
    let behavior = vocabulary.behavior(fact.predicate());
    let is_attitude = behavior.attitude.is_some() || behavior.object_attitude.is_some() || fact.attitude().is_some();
    if !is_attitude && behavior.fear.is_none() && behavior.thread != Some(OpenThread::Debt) {
        return None;
    }
    match (subject == knower, object == knower) {
        (true, false) => Some(object),
        (false, true) => Some(subject),
        _ => None,
    }
}

/// Returns how much a fact changes a feeling.
fn change_by(feelings: &Feelings, fact: FactId, feeling: Feeling) -> f64 {
    let causes = feelings.baseline_causes.iter().chain(&feelings.causes);
    causes.filter(|cause| cause.fact == fact).map(|cause| cause.change.get(feeling)).sum()
}
