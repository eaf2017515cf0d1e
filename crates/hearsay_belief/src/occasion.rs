//! Occasions: when and where knowers learn facts, and which characters are present.

use std::sync::Arc;

use hearsay_model::{
    Acquisition, Date, EntityId, Fact, FactGroup, FactId, FactStatus, GameTime, Kind, Knower, KnowledgeEdge,
    PredicateRole, Secrecy, SessionId, State,
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

/// Returns whether an entity is dead at a moment. An entity is dead if a canon fact that states its death is valid at
/// this moment: a `condition` such as `dead`, or a fatal relation such as KILLED whose object is the entity.
pub fn is_dead(state: &State, id: &EntityId, moment: Option<GameTime>) -> bool {
    valid_death_fact(state, id, moment).is_some()
}

/// Returns the canon fact that states the death of an entity and is valid at a moment; `None` if the entity is not
/// [dead](is_dead).
pub fn valid_death_fact<'s>(state: &'s State, id: &EntityId, moment: Option<GameTime>) -> Option<&'s Arc<Fact>> {
    possible_death_facts(state, id)
        .flat_map(|facts| facts.at(moment))
        .find(|fact| fact.status() == FactStatus::Canon && dead_entity(state, fact) == Some(id))
}

/// Returns the entity that is dead according to a fact. Returns `None` if the fact states no death.
pub fn dead_entity<'f>(state: &State, fact: &'f Fact) -> Option<&'f EntityId> {
    state.vocabulary().behavior(fact.predicate()).dead_entity(fact.subject(), fact.object())
}

/// Returns the groups of facts that can state the death of an entity.
fn possible_death_facts<'s>(state: &'s State, id: &EntityId) -> impl Iterator<Item = FactGroup<'s>> {
    let vocabulary = state.vocabulary();
    let conditions = vocabulary.death_attributes().iter().map(move |name| state.facts_with_subject(id, name.as_str()));
    let deeds = vocabulary.fatal_relations().iter().map(move |name| state.facts_with_object(id, name.as_str()));
    conditions.chain(deeds)
}

/// Returns all canon facts that state the death of an entity, whatever the game time of the death.
pub(crate) fn death_facts<'s>(state: &'s State, id: &EntityId) -> impl Iterator<Item = &'s Arc<Fact>> {
    let facts = possible_death_facts(state, id).flat_map(|facts| facts.all());
    facts.filter(move |fact| fact.status() == FactStatus::Canon && dead_entity(state, fact) == Some(id))
}

/// Returns the place of an entity at a moment: its location or, if it has no location, its home. Canon facts state the
/// location and the home. If several facts state a place, the latest fact counts. A secret home does not count, and
/// neither does a home that the entity [left](left_home) for an unknown place.
pub fn place_at(state: &State, id: &EntityId, moment: Option<GameTime>) -> Option<EntityId> {
    if let Some(location) = location_at(state, id, moment) {
        return Some(location.clone());
    }
    let home = home_at(state, id, moment)?;
    last_stay_at_home(state, id, home, moment).is_none().then(|| home.clone())
}

/// Returns the home of an entity at a moment. If several facts state a home, the latest fact counts. A secret home does not
/// count.
pub fn home_at<'s>(state: &'s State, id: &EntityId, moment: Option<GameTime>) -> Option<&'s EntityId> {
    let home = latest_value(state, id, PredicateRole::Residence, moment);
    home.filter(|home| home.secrecy() != Secrecy::Secret)?.object().entity()
}

/// Returns the location that ended when an entity left its home for an unknown place. This is the location that ended
/// last, if it is the home. Returns `None` if the entity is at home, or if it has a location.
pub fn left_home<'s>(state: &'s State, id: &EntityId, moment: Option<GameTime>) -> Option<&'s Arc<Fact>> {
    if location_at(state, id, moment).is_some() {
        return None;
    }
    last_stay_at_home(state, id, home_at(state, id, moment)?, moment)
}

/// Returns the location that ended last before a moment, if it is the home.
fn last_stay_at_home<'s>(
    state: &'s State,
    id: &EntityId,
    home: &EntityId,
    moment: Option<GameTime>,
) -> Option<&'s Arc<Fact>> {
    let has_ended = |fact: &&Arc<Fact>| {
        let validity = fact.validity();
        let has_begun = validity.start().is_none_or(|start| moment.is_none_or(|now| start <= now));
        fact.status() == FactStatus::Canon && has_begun && !validity.holds_at(moment)
    };
    let locations = state.facts_with_subject(id, PredicateRole::Location.name()).all().filter(has_ended);
    let last = locations.max_by_key(|fact| {
        let validity = fact.validity();
        (validity.end(), validity.start(), fact.provenance().recorded, fact.id())
    })?;
    (last.object().entity() == Some(home)).then_some(last)
}

/// Returns the recorded location of an entity at a moment. Returns `None` if the entity has no location, also if it is at
/// home (see [`place_at`]).
pub fn location_at<'s>(state: &'s State, id: &EntityId, moment: Option<GameTime>) -> Option<&'s EntityId> {
    latest_value(state, id, PredicateRole::Location, moment)?.object().entity()
}

/// Returns the canon fact that is valid at a moment and states the value of a predicate. Of several facts, the latest
/// fact counts. Of several facts with the same date, the fact that was recorded last counts.
fn latest_value<'s>(
    state: &'s State,
    id: &EntityId,
    role: PredicateRole,
    moment: Option<GameTime>,
) -> Option<&'s Arc<Fact>> {
    let facts = state.facts_with_subject(id, role.name()).at(moment);
    let canon = facts.filter(|fact| fact.status() == FactStatus::Canon);
    canon.max_by_key(|fact| (fact.validity().start(), fact.provenance().recorded, fact.id()))
}

/// Returns whether an entity is at another place than a scene: whether its location at the moment of the scene is
/// another place. Returns `false` if the entity has no location, or if its current location begins after the moment,
/// because a scene in the past does not move the entity.
pub fn is_elsewhere(state: &State, id: &EntityId, scene: &EntityId, moment: Option<GameTime>) -> bool {
    let is_elsewhere = latest_value(state, id, PredicateRole::Location, moment)
        .is_some_and(|location| location.object().entity() != Some(scene));
    is_elsewhere && !moves_after(state, id, moment)
}

/// Returns whether the current location of an entity begins after a moment.
pub fn moves_after(state: &State, id: &EntityId, moment: Option<GameTime>) -> bool {
    let locations = state.values(id, PredicateRole::Location.predicate());
    moment.is_some() && locations.iter().any(|fact| fact.validity().start() > moment)
}

/// Returns the living characters that are at a place at a moment, sorted: the characters whose location is the place,
/// and the characters without a location whose home is the place (see [`place_at`]).
///
/// Characters in a part of the place are not included.
pub fn characters_at(state: &State, place: &EntityId, moment: Option<GameTime>) -> Vec<EntityId> {
    let subjects = |role: PredicateRole| {
        let facts = state.facts_with_object(place, role.name()).at(moment);
        facts.filter(|fact| fact.status() == FactStatus::Canon).map(|fact| fact.subject())
    };
    let residents = subjects(PredicateRole::Residence);
    let at_home = residents.filter(|id| place_at(state, id, moment).as_ref() == Some(place));
    let mut characters: Vec<EntityId> = subjects(PredicateRole::Location)
        .chain(at_home)
        .filter(|id| state.is_character(id) && !is_dead(state, id, moment))
        .cloned()
        .collect();
    characters.sort();
    characters.dedup();
    characters
}

/// Returns whether a character hides from a knower at a moment: all canon facts that state its location are secret, and
/// the knower knows none of them.
pub fn hides_from(state: &State, id: &EntityId, view: &View, moment: Option<GameTime>) -> bool {
    let locations = state.facts_with_subject(id, PredicateRole::Location.name()).at(moment);
    let mut locations = locations.filter(|fact| fact.status() == FactStatus::Canon).peekable();
    locations.peek().is_some()
        && locations.all(|fact| fact.secrecy() == Secrecy::Secret && view.fact(fact.id()).is_none())
}

/// Returns whether an entity can know anything. Items, documents and events cannot.
pub(crate) fn can_know(state: &State, id: &EntityId) -> bool {
    state.kind(id).as_ref().is_none_or(Kind::can_know)
}
