//! Occasions: when and where something is learned, and who is there.

use std::sync::Arc;

use hearsay_model::{
    Date, EntityId, Fact, FactId, GameTime, How, Kind, Knowledge, SessionId, Standing, State, attribute, predicate,
    text,
};

/// When and where something is learned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Occasion {
    /// When, in game time; since ever, when nothing is said.
    pub time: Option<Date>,
    /// Where.
    pub place: Option<EntityId>,
    /// In which session.
    pub session: Option<SessionId>,
}

impl Occasion {
    /// The present of a state: what its game clock shows.
    pub fn now(state: &State) -> Self {
        let time = state.clock().map(|time| Date { raw: state.calendar().print(time), time: Some(time) });
        Self { time, ..Self::default() }
    }

    /// An edge of somebody who learns a fact on this occasion.
    pub(crate) fn edge(&self, knower: &EntityId, fact: FactId, how: How) -> Knowledge {
        let (learned, session) = (self.time.clone(), self.session.clone());
        Knowledge { how, learned, session, ..Knowledge::authored(knower.clone().into(), fact) }
    }

    /// The moment, where it can be placed.
    pub fn moment(&self) -> Option<GameTime> {
        self.time.as_ref().and_then(|date| date.time)
    }
}

/// Whether a canon fact holds at a moment; or now, when none is given.
pub(crate) fn holds(fact: &Fact, moment: Option<GameTime>) -> bool {
    fact.standing() == Standing::Canon && fact.validity().holds_at(moment)
}

/// What says that somebody is dead: a canon `condition`.
const DEAD: [&str; 5] = ["dead", "deceased", "died", "killed", "slain"];

/// Whether somebody is dead at a moment: by a canon `condition` such as `dead` that holds then.
pub fn is_dead(state: &State, id: &EntityId, moment: Option<GameTime>) -> bool {
    let holding = state.facts_with_subject(id, attribute::CONDITION).at(moment);
    holding.filter(|fact| fact.standing() == Standing::Canon).any(|fact| says_dead(fact))
}

fn says_dead(fact: &Fact) -> bool {
    fact.object().text().is_some_and(|words| DEAD.contains(&text::normal(words).as_str()))
}

/// What says that somebody is dead, at some moment.
pub(crate) fn deaths<'s>(state: &'s State, id: &EntityId) -> impl Iterator<Item = &'s Arc<Fact>> + use<'s> {
    let conditions = state.facts_with_subject(id, attribute::CONDITION).all();
    conditions.filter(|fact| fact.standing() == Standing::Canon && says_dead(fact))
}

/// The characters who are at a place at a moment, by canon LOCATED_AT; the living ones. Sorted. Those in a part of the
/// place are elsewhere.
pub fn present(state: &State, place: &EntityId, moment: Option<GameTime>) -> Vec<EntityId> {
    let mut here: Vec<EntityId> = state
        .facts_with_object(place, predicate::LOCATED_AT)
        .at(moment)
        .filter(|fact| fact.standing() == Standing::Canon)
        .map(|fact| fact.subject().clone())
        .filter(|id| state.kind(id).is_some_and(|kind| kind.is_character()) && !is_dead(state, id, moment))
        .collect();
    here.sort();
    here.dedup();
    here
}

/// Whether an entity can know anything: no thing, document or event can.
pub(crate) fn can_know(state: &State, id: &EntityId) -> bool {
    state.kind(id).as_ref().is_none_or(Kind::can_know)
}
