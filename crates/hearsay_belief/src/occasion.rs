//! Occasions: when and where knowers learn facts, and which characters are present.

use std::sync::Arc;

use hearsay_model::{
    Acquisition, Date, EntityId, Fact, FactId, FactStatus, GameTime, Kind, Knower, KnowledgeEdge, PredicateRole,
    Secrecy, SessionId, State,
};

use crate::View;

/// Time, place and session in which knowers learn facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Occasion {
    /// The game time at which the knowers learn the facts; `None` means that they have always known the facts.
    pub time: Option<Date>,
    /// The place where the knowers learn the facts; `None` if the place is unknown.
    pub place: Option<EntityId>,
    /// The session in which the knowers learn the facts; `None` if they do not learn them in a session.
    pub session: Option<SessionId>,
}

impl Occasion {
    /// Creates an occasion at the current time of the game clock.
    pub fn now(state: &State) -> Self {
        let time = state.clock().map(|time| Date { raw: state.calendar().format(time), time: Some(time) });
        Self { time, ..Self::default() }
    }

    /// Creates an edge for a knower that learns a fact on this occasion.
    pub(crate) fn new_edge(&self, knower: impl Into<Knower>, fact: FactId, acquisition: Acquisition) -> KnowledgeEdge {
        let (learned, session) = (self.time.clone(), self.session.clone());
        KnowledgeEdge { acquisition, learned, session, ..KnowledgeEdge::authored(knower.into(), fact) }
    }

    /// Returns the game time; `None` if there is no date, or if its text is not a date on the campaign's calendar.
    pub fn moment(&self) -> Option<GameTime> {
        self.time.as_ref().and_then(|date| date.time)
    }
}

/// Returns whether a fact is canon and valid at a moment. If the moment is `None`, the fact must be canon and have no
/// end date.
pub(crate) fn is_canon_at(fact: &Fact, moment: Option<GameTime>) -> bool {
    fact.status() == FactStatus::Canon && fact.validity().holds_at(moment)
}

/// Returns whether an entity is dead at a moment. An entity is dead if a canon fact that states a `condition` such as
/// `dead` is valid at this moment.
pub fn is_dead(state: &State, id: &EntityId, moment: Option<GameTime>) -> bool {
    state.vocabulary().death_attributes().iter().any(|name| {
        let valid_facts = state.facts_with_subject(id, name.as_str()).at(moment);
        valid_facts.filter(|fact| fact.status() == FactStatus::Canon).any(|fact| states_death(state, fact))
    })
}

/// Returns whether a fact states that its subject is dead.
pub fn states_death(state: &State, fact: &Fact) -> bool {
    state.vocabulary().behavior(fact.predicate()).means_death(fact.object())
}

/// Returns all canon facts that state the death of an entity, whatever the game time of the death.
pub(crate) fn death_facts<'s>(state: &'s State, id: &EntityId) -> impl Iterator<Item = &'s Arc<Fact>> + use<'s> {
    let id = id.clone();
    let conditions = state
        .vocabulary()
        .death_attributes()
        .iter()
        .flat_map(move |name| state.facts_with_subject(&id, name.as_str()).all());
    conditions.filter(|fact| fact.status() == FactStatus::Canon && states_death(state, fact))
}

/// Returns the living characters that are at a place at a moment, sorted. Canon LOCATED_AT facts state the locations of
/// the characters.
///
/// Characters in a part of the place are not included.
pub fn characters_at(state: &State, place: &EntityId, moment: Option<GameTime>) -> Vec<EntityId> {
    let mut characters: Vec<EntityId> = state
        .facts_with_object(place, PredicateRole::Location.name())
        .at(moment)
        .filter(|fact| fact.status() == FactStatus::Canon)
        .map(|fact| fact.subject().clone())
        .filter(|id| state.kind(id).is_some_and(|kind| kind.is_character()) && !is_dead(state, id, moment))
        .collect();
    characters.sort();
    characters.dedup();
    characters
}

/// Returns whether a character hides from a knower at a moment: all canon facts that state its location are secret, and
/// the knower knows none of them.
pub(crate) fn hides_from(state: &State, id: &EntityId, view: &View, moment: Option<GameTime>) -> bool {
    let locations = state.facts_with_subject(id, PredicateRole::Location.name()).at(moment);
    let mut locations = locations.filter(|fact| fact.status() == FactStatus::Canon).peekable();
    locations.peek().is_some()
        && locations.all(|fact| fact.secrecy() == Secrecy::Secret && view.fact(fact.id()).is_none())
}

/// Returns whether an entity can know anything. Items, documents and events cannot.
pub(crate) fn can_know(state: &State, id: &EntityId) -> bool {
    state.kind(id).as_ref().is_none_or(Kind::can_know)
}
