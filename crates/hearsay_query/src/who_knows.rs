//! Finds the knowers of a fact.

use std::collections::BTreeSet;

use hearsay_belief::{AccessPath, View};
use hearsay_model::{EntityId, Fact, FactId, FactStatus, GameTime, Knower, KnowledgeEdge, State, lists::distinct};
use serde::Serialize;

use crate::{
    QueryError,
    facts::NameFn,
    ids::require_fact,
    knowledge::{describe_edge_with_names, known_edges, time_text},
};

/// All knowers of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhoKnows {
    /// Id of the fact.
    pub fact: FactId,
    /// Sentence that states the fact.
    pub statement: String,
    /// Status of the fact.
    pub status: FactStatus,
    /// Whether the fact is common lore.
    pub everybody: bool,
    /// Groups and places that know the fact and share it with their members and residents. Sorted by id.
    pub groups: Vec<HolderRow>,
    /// Characters that know the fact, sorted by id. Omits characters that know the fact only as common lore.
    pub characters: Vec<HolderRow>,
    /// Characters that the fact concerns but that do not know the fact. Sorted by id.
    pub unaware: Vec<EntityId>,
}

/// A knower of a fact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HolderRow {
    /// Id of the knower.
    pub knower: EntityId,
    /// Name of the knower.
    pub name: String,
    /// The knower's credence in the fact, 0.0–1.0. Known refutations lower this value.
    pub credence: f64,
    /// How the knower learned the fact, in words: one text for each edge, each text once. The edges of the knower itself come first,
    /// and the edges of its groups and places follow. In both parts, the edges with the highest credence come first.
    pub acquisition: Vec<String>,
    /// Game time at which the knower learned the fact, as text; `None` if the knower always knew the fact.
    pub since: Option<String>,
    /// Whether the knower conceals the fact.
    pub conceals: bool,
}

/// Returns all knowers of a fact at a game time. The function may compute a view of every character, so call it on a
/// background thread.
///
/// # Errors
/// Returns an error if the fact does not exist.
pub fn who_knows(state: &State, fact: FactId, moment: Option<GameTime>) -> Result<WhoKnows, QueryError> {
    who_knows_with_names(state, fact, moment, &EntityId::to_string)
}

/// Returns the same as [`who_knows`], with names in the texts. `name_of` returns the names of the entities.
///
/// # Errors
/// Returns the errors of [`who_knows`].
pub fn who_knows_with_names(
    state: &State,
    fact: FactId,
    moment: Option<GameTime>,
    name_of: NameFn,
) -> Result<WhoKnows, QueryError> {
    let fact = require_fact(state, fact)?;
    let edges = || state.known_by(fact.id());
    let everybody = edges().any(|edge| edge.knower == Knower::World && is_known_at(edge, fact, moment));
    let mut candidates: BTreeSet<EntityId> = edges().filter_map(|edge| edge.knower.entity().cloned()).collect();
    let is_group = |id: &EntityId| !state.is_character(id);
    // Members and residents may know the fact through their group or place.
    if candidates.iter().any(is_group) {
        candidates.extend(state.entities().map(|entity| entity.id.clone()).filter(|id| !is_group(id)));
    }
    let (mut groups, mut characters) = (Vec::new(), Vec::new());
    for id in candidates {
        let view = View::new(state, &Knower::Entity(id.clone()), moment);
        let Some(known) = view.fact(fact.id()) else { continue };
        if known_edges(known).iter().all(|known_edge| known_edge.access_path == AccessPath::Common) {
            continue;
        }
        let rows = if is_group(&id) { &mut groups } else { &mut characters };
        rows.push(HolderRow {
            name: state.name_or_id(&id).to_owned(),
            credence: view.belief(known).credence.get(),
            acquisition: distinct(known_edges(known).iter().map(|edge| describe_edge_with_names(edge, name_of))),
            since: time_text(state, known.learned()),
            conceals: known.conceals(),
            knower: id,
        });
    }
    let mut unaware: Vec<EntityId> = fact.entities().filter(|id| !is_group(id)).cloned().collect();
    unaware.retain(|id| !everybody && characters.iter().all(|row| row.knower != *id));
    unaware.sort();
    unaware.dedup();
    let (statement, status) = (fact.statement().to_owned(), fact.status());
    Ok(WhoKnows { fact: fact.id(), statement, status, everybody, groups, characters, unaware })
}

pub(crate) fn is_known_at(edge: &KnowledgeEdge, fact: &Fact, moment: Option<GameTime>) -> bool {
    let learned = edge.learned_at().or_else(|| fact.validity().start());
    moment.is_none_or(|now| learned.is_none_or(|learned| learned <= now))
}
