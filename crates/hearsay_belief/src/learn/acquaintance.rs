//! Facts that a character learns at once when it meets others or comes to a place.

use std::collections::BTreeSet;

use hearsay_model::{
    Acquisition, Audience, AudienceRules, Credence, EntityId, Fact, FactId, FactStatus, GameTime, Knower, Secrecy,
    State, attribute,
};

use super::recorder::{LearningRecorder, newest_name_and_kind};
use crate::{Occasion, StateViews, learn::Learning};

/// The entities that a character meets or hears of on an occasion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acquaintance {
    /// Entities that the character sees. The character learns the visible facts of each entity whose name it knows.
    pub met: BTreeSet<EntityId>,
    /// Entities whose names the character hears or reads. The character learns their names and kinds.
    pub named: BTreeSet<EntityId>,
    /// Aliases that the character hears or reads, as facts about the entities in `named`. The character learns them.
    pub aliases: BTreeSet<FactId>,
    /// Places where the character is. The character learns their names, their kinds and their visible facts. A new edge
    /// to the name of the place records each visit.
    pub visited: BTreeSet<EntityId>,
}

/// Records that a character meets entities and learns their [visible](hearsay_model::Behavior::visible) facts. The
/// character learns only facts that are canon and that are neither secret nor private. It does not learn a fact that a
/// knower conceals.
pub fn meet(state: &State, knower: &EntityId, acquaintance: &Acquaintance, occasion: &Occasion) -> Learning {
    let mut recorder = LearningRecorder::new(StateViews::new(state), occasion);
    let view = recorder.view(&knower.clone().into());
    let rules = state.audience_rules();
    let Acquaintance { met, named, aliases, visited } = acquaintance;
    let entities: BTreeSet<&EntityId> = met.iter().chain(named).chain(visited).filter(|id| *id != knower).collect();
    for id in entities {
        let is_visited = visited.contains(id);
        let is_seen = is_visited || met.contains(id);
        let mut facts: Vec<&Fact> = Vec::new();
        if is_visited || named.contains(id) {
            facts.extend(newest_name_and_kind(state, id).map(|(_, fact)| fact));
            let own_aliases = state.facts_with_subject(id, attribute::ALIAS).open();
            facts.extend(own_aliases.filter(|fact| aliases.contains(&fact.id())).map(AsRef::as_ref));
        }
        let is_name_known = || view.facts_with_subject(id).any(|known| known.is_name());
        if is_seen && (!facts.is_empty() || is_name_known()) {
            facts.extend(visible_facts(state, id, occasion.moment()));
        }
        facts.sort_by_key(|fact| fact.id());
        facts.dedup_by_key(|fact| fact.id());
        let records_visit = |fact: &Fact| is_visited && fact.is_name();
        let is_new = |fact: &Fact| view.fact(fact.id()).is_none() || records_visit(fact);
        for fact in facts.into_iter().filter(|fact| is_open(state, &rules, fact) && is_new(fact)) {
            let acquisition = if is_seen { Acquisition::Witnessed } else { Acquisition::told(None) };
            let edge = recorder.new_edge(Knower::Entity(knower.clone()), fact, acquisition);
            // Two sessions can be at the same game time. The edge then keeps the first session.
            let earlier = state.knowledge(edge.id());
            if earlier.is_none_or(|earlier| earlier.session.is_none() || earlier.session == edge.session) {
                recorder.learn(&view, edge, Credence::FULL);
            }
        }
    }
    recorder.learning
}

/// Returns the [visible](hearsay_model::Behavior::visible) facts about an entity that everybody who sees the entity
/// perceives: facts that are canon and neither secret nor private, and that no knower conceals.
pub fn visible_facts<'s>(state: &'s State, id: &EntityId, moment: Option<GameTime>) -> Vec<&'s Fact> {
    let (vocabulary, rules) = (state.vocabulary(), state.audience_rules());
    let attributes = vocabulary.attributes().map(|attribute| &attribute.name);
    let visible = attributes.filter(|name| vocabulary.behavior(name).visible);
    let facts = visible.flat_map(|name| state.facts_with_subject(id, name.as_str()).at(moment));
    facts.map(|fact| &**fact).filter(|fact| is_open(state, &rules, fact)).collect()
}

fn is_open(state: &State, rules: &AudienceRules, fact: &Fact) -> bool {
    fact.status() == FactStatus::Canon
        && fact.secrecy() != Secrecy::Secret
        && state.vocabulary().audience(rules, fact) != Audience::Private
        && state.known_by(fact.id()).all(|edge| !edge.conceals)
}
