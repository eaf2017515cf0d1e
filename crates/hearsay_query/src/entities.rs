//! Details of an entity, and the names of all entities.

use std::cmp::Reverse;

use hearsay_belief::graph::{self, Identity, Traversal};
use hearsay_model::{EntityId, Fact, Kind, PredicateRole, State, text};
use serde::Serialize;

use crate::{
    QueryError,
    facts::{FactRow, fact_row},
    ids::require_entity,
};

/// An entity and the facts about it. `R` is the row of a fact: [`FactRow`] for the DM, and
/// [`ViewFactRow`](crate::known_facts::ViewFactRow) for a knower.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityPage<R = FactRow> {
    /// Id of the entity.
    pub id: EntityId,
    /// Primary name of the entity; `None` if the entity has no name.
    pub name: Option<String>,
    /// Kind of the entity; `None` if the kind is unknown.
    pub kind: Option<Kind>,
    /// Other names of the entity.
    pub aliases: Vec<String>,
    /// Facts that state attributes of the entity, such as its occupation.
    pub attributes: Vec<R>,
    /// Facts that state relations from or to the entity.
    pub relations: Vec<R>,
}

impl<R> EntityPage<R> {
    pub(crate) fn from_identity(id: &EntityId, identity: Identity, row: impl Fn(&Fact) -> Option<R>) -> Self {
        let rows = |facts: &[&Fact]| facts.iter().filter_map(|fact| row(fact)).collect();
        let mut aliases: Vec<String> = Vec::new();
        // Several facts can state the same name, for example a secret and the words of a character.
        for alias in identity.aliases.iter().filter_map(|fact| fact.object().text()) {
            if !aliases.iter().any(|other| text::normalize(other) == text::normalize(alias)) {
                aliases.push(alias.to_owned());
            }
        }
        Self {
            id: id.clone(),
            name: identity.name.map(str::to_owned),
            kind: identity.kind.clone(),
            aliases,
            attributes: rows(&identity.attributes),
            relations: rows(&identity.relations),
        }
    }
}

/// Returns an entity with all facts about it, except the departures of characters, which repeat what the past location
/// says. [`view_entity_page`](crate::known_facts::view_entity_page()) returns the
/// facts that one knower knows.
///
/// # Errors
/// Returns an error if the entity does not exist.
pub fn entity_page(state: &State, id: &EntityId) -> Result<EntityPage, QueryError> {
    require_entity(state, id)?;
    let identity = graph::identity(state, id, &Traversal::default());
    let is_departure = |fact: &Fact| {
        PredicateRole::Location.is_ended_by(fact.fact_relation(), |ended| Some(state.fact(ended)?.predicate()))
    };
    Ok(EntityPage::from_identity(id, identity, |fact| (!is_departure(fact)).then(|| fact_row(state, fact))))
}

/// Returns at most `limit` different names that people may say at the table. The names of the player characters come
/// first. Then come the names of the other characters and the place of the scene, and then all other names. In each of
/// these three groups, the names of the entities with the most facts come first. Secret names are omitted.
pub fn spoken_names(state: &State, limit: usize) -> Vec<String> {
    let playing = state.active_session();
    let is_in_scene =
        |id: &EntityId| playing.is_some_and(|playing| playing.here.contains(id) || playing.place.as_ref() == Some(id));
    let importance = |id: &EntityId| match state.kind(id) {
        Some(Kind::Player) => 0,
        _ if is_in_scene(id) => 1,
        _ => 2,
    };
    let mut ids: Vec<&EntityId> = state.entities().map(|entity| &entity.id).collect();
    ids.sort_by_cached_key(|id| (importance(id), Reverse(state.facts_of(id).count())));
    let mut names: Vec<String> = Vec::new();
    for name in ids.into_iter().flat_map(|id| state.open_names(id)) {
        if names.len() == limit {
            break;
        }
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}
