//! Facts that knowers learned in a session.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{dead_entity, player_characters};
use hearsay_model::{
    Acquisition, Belonging, EntityId, Fact, FactId, FactStatus, GameTime, Key, Knower, KnowledgeEdge, Position,
    Session, SessionId, State,
};
use serde::Serialize;

use crate::facts::{describe_acquisition_to_dm, is_label};

/// Facts that one knower learned in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnerRow {
    /// Knower that learned the facts.
    pub knower: Knower,
    /// Name of the knower.
    pub name: String,
    /// Whether the knower is a player character, or a party of player characters.
    pub player: bool,
    /// Learned facts, earliest first.
    pub facts: Vec<LearnedRow>,
}

/// A fact that a knower learned in a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearnedRow {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the knower learned the fact, in words: `told by odo-brandt`.
    pub acquisition: String,
    /// Game time at which the knower learned the fact, as text; `None` if the time is unknown.
    pub when: Option<String>,
    /// Status of the fact.
    pub status: FactStatus,
}

/// Facts that a knower learned. Each value contains when and how the knower learned the fact first.
type LearnedFacts<'a> = BTreeMap<FactId, (Occurrence, &'a Acquisition)>;

/// When a knower learned a fact: the game time, and the operation that recorded it. The game time alone does not tell which
/// of two lines of a scene comes first.
type Occurrence = (Option<GameTime>, Option<Position>);

/// Returns the facts learned in a session, grouped by learner. Leaves out facts that the learner only heard again.
pub(super) fn learned_by_knower(state: &State, session: &Session) -> Vec<LearnerRow> {
    let players: BTreeSet<EntityId> =
        player_characters(state).into_iter().chain(session.present.iter().cloned()).collect();
    let is_party = |id: &EntityId| {
        let mut links = state.links(id).filter(|link| !link.is_forward());
        state.kind(id) == Some(hearsay_model::Kind::Party)
            && links.any(|link| is_membership(state, link.fact()) && players.contains(link.other()))
    };
    let mut rows: BTreeMap<(bool, &Knower), LearnedFacts> = BTreeMap::new();
    let edges = state
        .all_knowledge()
        .filter(|(_, edge)| edge.session.as_ref() == Some(&session.id) && edge.acquisition.gives_knowledge());
    for (id, edge) in edges {
        // Nobody learns of the own death.
        let is_own_death =
            |fact: &Fact| dead_entity(state, fact).is_some_and(|dead| edge.knower.entity() == Some(dead));
        let is_left_out = |fact: &Arc<Fact>| is_label(fact.predicate()) || is_own_death(fact);
        if state.fact(edge.fact).is_none_or(is_left_out) || was_known(state, session, edge) {
            continue;
        }
        let is_player = edge.knower.entity().is_some_and(|id| players.contains(id) || is_party(id));
        let facts = rows.entry((!is_player, &edge.knower)).or_default();
        let learned = (edge.learned_at(), state.first_recorded(&Key::KnowledgeEdge(id)));
        let earliest = facts.entry(edge.fact).or_insert((learned, &edge.acquisition));
        if learned < earliest.0 {
            *earliest = (learned, &edge.acquisition);
        }
    }
    let row = |((is_not_player, knower), facts): ((bool, &Knower), LearnedFacts)| {
        let mut facts: Vec<_> = facts.into_iter().collect();
        facts.sort_by_key(|(id, ((learned_at, _), _))| (*learned_at, *id));
        let fact = |(id, ((learned_at, _), acquisition)): (FactId, (Occurrence, &Acquisition))| {
            let fact = state.fact(id)?;
            Some(LearnedRow {
                fact: id,
                statement: fact.statement().to_owned(),
                acquisition: describe_acquisition_to_dm(state, acquisition),
                when: learned_at.map(|time| state.calendar().format(time)),
                status: fact.status(),
            })
        };
        LearnerRow {
            knower: knower.clone(),
            name: knower.entity().map_or("everybody", |id| state.name_or_id(id)).to_owned(),
            player: !is_not_player,
            facts: facts.into_iter().filter_map(fact).collect(),
        }
    };
    rows.into_iter().map(row).collect()
}

/// Returns whether the knower of an edge knew the fact before the session. A knower who only heard of a fact before
/// learns something new by witnessing the fact.
fn was_known(state: &State, session: &Session, edge: &KnowledgeEdge) -> bool {
    let number = |id: &SessionId| state.session(id).and_then(|session| session.number);
    let is_earlier = |other: &KnowledgeEdge| match (&other.session, other.learned_at(), edge.learned_at()) {
        (_, Some(earlier), Some(later)) => earlier < later,
        (Some(other), ..) => number(other) < session.number,
        (None, earlier, _) => earlier.is_none(),
    };
    let is_new = |other: &KnowledgeEdge| edge.acquisition.is_witnessed() && !other.acquisition.is_witnessed();
    state.known_by(edge.fact).any(|other| {
        other.knower == edge.knower
            && other.session.as_ref() != Some(&session.id)
            && other.acquisition.gives_knowledge()
            && is_earlier(other)
            && !is_new(other)
    })
}

/// Returns whether a fact is a membership in a group.
pub(super) fn is_membership(state: &State, fact: &Fact) -> bool {
    state.vocabulary().belonging(fact.predicate()) == Some(Belonging::Member)
}
