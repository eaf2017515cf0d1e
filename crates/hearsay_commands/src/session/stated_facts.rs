//! Recorded facts that a line of the log states: its hearers learn them.

use std::sync::Arc;

use hearsay_belief::{
    Occasion, StateViews, is_dead,
    learn::{self, HeardStatement, Sincerity},
};
use hearsay_model::{Change, Credence, EntityId, Fact, FactId, Knower, Passage, Secrecy, State};
use hearsay_query::ids::require_fact;

use super::extracted_facts::{cites, open_copies_of_secrets, other_readings};
use crate::CommandError;

/// Returns the changes with which the hearers of a line learn the stated facts. If the extraction has already
/// read the line, the changes also withdraw the extracted facts with the same content, and make the extracted facts
/// secret that state a secret in other words. If a recorded line has already told a fact to all its hearers, nobody
/// learns the fact again, unless the operation marks the line as a lie (`becomes_lie`). Hearers who are dead at the time of the line learn nothing.
///
/// # Errors
/// Returns an error if a fact does not exist, or if a hearer of narration cannot learn facts.
pub(super) fn stated_facts(
    views: &StateViews,
    stated: &[FactId],
    becomes_lie: bool,
    passage: &Passage,
) -> Result<Vec<Change>, CommandError> {
    let (state, mut changes) = (views.state(), Vec::new());
    if stated.is_empty() {
        return Ok(changes);
    }
    let (time, place, session) = (passage.time.clone(), passage.place.clone(), passage.session.clone());
    let occasion = Occasion { time, place, session };
    let facts = stated.iter().map(|fact| require_fact(state, *fact)).collect::<Result<Vec<_>, _>>()?;
    let readings = other_readings(state, passage.id(), &facts);
    let copies = open_copies_of_secrets(state, passage.id(), &facts).filter(|copy| !readings.contains(copy));
    changes.extend(copies.map(|fact| Change::SetSecrecy { fact, secrecy: Secrecy::Secret }));
    changes.extend(readings.iter().copied().map(Change::RetractFact));
    let Some(speaker) = passage.speaker.as_ref() else {
        let hearers = passage.heard_by.iter().filter_map(Knower::entity);
        let witnesses: Vec<EntityId> = hearers.filter(|id| !is_dead(state, id, occasion.moment())).cloned().collect();
        if witnesses.is_empty() {
            return Ok(changes);
        }
        let facts: Vec<Arc<Fact>> = facts.into_iter().cloned().collect();
        changes.extend(learn::witness(state, &facts, &witnesses, &occasion)?.changes);
        return Ok(changes);
    };
    let view = views.get(&Knower::Entity(speaker.clone()), occasion.moment());
    for fact in facts {
        if !becomes_lie && is_told_to_all(state, fact, passage) {
            continue;
        }
        let statement = HeardStatement {
            speaker,
            view: &view,
            alias: passage.speaker_alias.as_deref(),
            citing: None,
            hearers: &passage.heard_by,
            fact,
            restates: None,
            sincerity: Sincerity::from_lie_mark(passage.lie),
            certainty: Credence::FULL,
        };
        changes.extend(learn::overhear(views, &statement, &occasion).changes);
    }
    Ok(changes)
}

/// Returns whether a recorded line that a character speaks has already told a fact to all its hearers.
pub fn is_told_to_all(state: &State, fact: &Fact, passage: &Passage) -> bool {
    let (Some(speaker), id) = (&passage.speaker, passage.id()) else { return false };
    let is_told = |hearer: &Knower| {
        state.recorded_edges(fact.id()).any(|(edge_id, edge)| {
            let is_same_occasion = edge.session == passage.session && edge.learned == passage.time;
            let is_from_line = state.is_recorded_with(edge_id, id) || (is_same_occasion && cites(fact, id));
            edge.knower == *hearer && edge.acquisition.teller() == Some(speaker) && is_from_line
        })
    };
    let mut hearers = passage.heard_by.iter().filter(|hearer| hearer.entity() != Some(speaker)).peekable();
    state.passage(id).is_some() && hearers.peek().is_some() && hearers.all(is_told)
}
