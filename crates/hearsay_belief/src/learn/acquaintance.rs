//! What a character perceives at once when it meets others, or comes to a place.

use std::collections::BTreeSet;

use hearsay_model::{Acquisition, Audience, Credence, EntityId, Fact, FactStatus, Knower, Secrecy, State};

use super::recorder::{LearningRecorder, newest_name_and_kind};
use crate::{Occasion, learn::Learning};

/// The entities that a character meets or hears of on an occasion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acquaintance {
    /// Entities that the character sees: it learns their visible facts, if it knows their names.
    pub met: BTreeSet<EntityId>,
    /// Entities whose names the character hears or reads: it learns their names and kinds.
    pub named: BTreeSet<EntityId>,
}

/// Records what a character perceives of the entities that it meets: the [visible](hearsay_model::Behavior::visible)
/// facts that are canon, neither secret nor private, and that nobody conceals.
pub fn meet(state: &State, knower: &EntityId, acquaintance: &Acquaintance, occasion: &Occasion) -> Learning {
    let mut recorder = LearningRecorder::new(state, occasion);
    let view = recorder.view(knower);
    let rules = state.audience_rules();
    let is_open = |fact: &Fact| {
        fact.status() == FactStatus::Canon
            && fact.secrecy() != Secrecy::Secret
            && state.vocabulary().audience(&rules, fact) != Audience::Private
            && state.known_by(fact.id()).all(|edge| !edge.conceals)
    };
    let visible: Vec<_> = state.vocabulary().attributes().map(|attribute| &attribute.name).collect();
    let visible = visible.into_iter().filter(|name| state.vocabulary().behavior(name).visible).collect::<Vec<_>>();
    for id in acquaintance.met.union(&acquaintance.named).filter(|id| *id != knower) {
        let mut facts: Vec<&Fact> = Vec::new();
        if acquaintance.named.contains(id) {
            facts.extend(newest_name_and_kind(state, id).map(|(_, fact)| fact));
        }
        let names_known = || view.facts_with_subject(id).any(|known| known.is_name());
        if acquaintance.met.contains(id) && (!facts.is_empty() || names_known()) {
            let moment = occasion.moment();
            let current = visible.iter().flat_map(|name| state.facts_with_subject(id, name.as_str()).at(moment));
            facts.extend(current.map(AsRef::as_ref));
        }
        facts.sort_by_key(|fact| fact.id());
        facts.dedup_by_key(|fact| fact.id());
        for fact in facts.into_iter().filter(|fact| is_open(fact) && view.fact(fact.id()).is_none()) {
            let edge = recorder.new_edge(Knower::Entity(knower.clone()), fact, Acquisition::Witnessed);
            recorder.learn(&view, edge, Credence::FULL);
        }
    }
    recorder.learning
}
