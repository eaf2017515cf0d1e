//! Details of an entity or a fact.

use hearsay_belief::graph::{self, Traversal};
use hearsay_model::{EntityId, Fact, GameTime, Kind, State};
use serde::Serialize;

use crate::{
    QueryError,
    facts::{FactRow, fact_row},
    resolve::{find_fact, resolve},
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

/// The entity or fact that [`show`] returns.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// An entity.
    Entity(EntityPage),
    /// A fact.
    Fact(FactRow),
}

/// Returns an entity or a fact. An entity is given by id or name. A fact is given by id, by the beginning of its id, or
/// by handle. If a knower is given, the result for an entity contains only facts known to this knower.
///
/// # Errors
/// Returns an error if no entity or fact matches, or if several match.
pub fn show(
    state: &State,
    reference: &str,
    knower: Option<&str>,
    as_of: Option<GameTime>,
) -> Result<Shown, QueryError> {
    let view = view_of(state, knower, as_of)?;
    let id = match resolve(state, reference) {
        Ok(id) => id,
        Err(unknown) => {
            let fact = find_fact(state, reference).map_err(|_| unknown)?;
            return Ok(Shown::Fact(fact_row(state, &fact)));
        }
    };
    let identity = graph::identity(state, &id, &Traversal { view: view.as_ref(), ..Traversal::default() });
    let rows = |facts: &[&Fact]| facts.iter().map(|fact| fact_row(state, fact)).collect();
    Ok(Shown::Entity(EntityPage {
        name: identity.name.map(str::to_owned),
        kind: identity.kind.clone(),
        aliases: identity.aliases.iter().filter_map(|fact| fact.object().text()).map(str::to_owned).collect(),
        attributes: rows(&identity.attributes),
        relations: rows(&identity.relations),
        id,
    }))
}
