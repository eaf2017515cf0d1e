//! Details of an entity.

use hearsay_belief::graph::{self, Traversal};
use hearsay_model::{EntityId, Fact, GameTime, Kind, State};
use serde::Serialize;

use crate::{
    QueryError,
    facts::{FactRow, fact_row},
    ids::require_entity,
    views::view_of,
};

/// An entity with all facts about it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityPage {
    /// Id of the entity.
    pub id: EntityId,
    /// Primary name of the entity; `None` if the entity has no name.
    pub name: Option<String>,
    /// Kind of the entity.
    pub kind: Option<Kind>,
    /// Other names of the entity.
    pub aliases: Vec<String>,
    /// Facts that state attributes of the entity, such as its occupation.
    pub attributes: Vec<FactRow>,
    /// Facts that state relations from or to the entity.
    pub relations: Vec<FactRow>,
}

/// Returns an entity with all facts about it. If a knower is given, the result contains only facts known to this knower.
///
/// # Errors
/// Returns an error if the entity or the knower does not exist.
pub fn entity_page(
    state: &State,
    id: &EntityId,
    knower: Option<&EntityId>,
    as_of: Option<GameTime>,
) -> Result<EntityPage, QueryError> {
    let view = view_of(state, knower, as_of)?;
    require_entity(state, id)?;
    let identity = graph::identity(state, id, &Traversal { view: view.as_ref(), ..Traversal::default() });
    let rows = |facts: &[&Fact]| facts.iter().map(|fact| fact_row(state, fact)).collect();
    Ok(EntityPage {
        id: id.clone(),
        name: identity.name.map(str::to_owned),
        kind: identity.kind.clone(),
        aliases: identity.aliases.iter().filter_map(|fact| fact.object().text()).map(str::to_owned).collect(),
        attributes: rows(&identity.attributes),
        relations: rows(&identity.relations),
    })
}
