//! Neighbours of an entity, and paths between two entities.

use hearsay_belief::{
    View,
    graph::{self, Direction, Traversal},
};
use hearsay_model::{EntityId, FactId, GameTime, Predicate, State};
use serde::Serialize;

use crate::{
    QueryError,
    ids::{require_entities, require_entity},
    views::view_of,
};

/// Filter for a traversal of the graph: which relations the traversal follows, and whose knowledge it uses.
#[derive(Debug, Clone, Default)]
pub struct TraversalFilter {
    /// Direction in which relations are followed.
    pub direction: Direction,
    /// The traversal follows only relations with these predicates. If the list is empty, the traversal follows all
    /// relations.
    pub predicates: Vec<String>,
    /// Knower whose view the traversal uses. If `None`, the traversal uses the canon and claimed facts of the campaign
    /// that have no end date.
    pub knower: Option<EntityId>,
    /// Game time of the knower's view. If `None`, the view contains everything that the knower has learned so far.
    pub as_of: Option<GameTime>,
}

/// An entity that a traversal of the graph reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NeighbourRow {
    /// Id of the entity.
    pub id: EntityId,
    /// Name of the entity. In a knower's view, the name that the knower knows, or the id if the knower knows no name.
    pub name: String,
    /// Number of relations on the shortest path from the start entity to this entity.
    pub distance: usize,
    /// Sentence that states the last relation on the shortest path.
    pub statement: String,
    /// Predicate of the last relation on the shortest path.
    pub predicate: Predicate,
    /// Direction in which the shortest path follows its last relation: `out` from subject to object, or `in` from
    /// object to subject.
    pub direction: &'static str,
    /// Id of the fact that states the last relation on the shortest path.
    pub fact: FactId,
}

/// Returns at most `limit` entities that are at most `depth` relations away from an entity.
///
/// # Errors
/// Returns an error if an entity does not exist, or if a predicate is invalid.
pub fn neighbours(
    state: &State,
    from: &EntityId,
    filter: &TraversalFilter,
    depth: usize,
    limit: usize,
) -> Result<Vec<NeighbourRow>, QueryError> {
    require_entity(state, from)?;
    let view = view_of(state, filter.knower.as_ref(), filter.as_of)?;
    let predicates = filter.predicates.iter().map(|name| Predicate::new(name)).collect::<Result<Vec<_>, _>>()?;
    let traversal = Traversal { direction: filter.direction, predicates, view: view.as_ref() };
    let name_of = entity_names(state, view.as_ref());
    let row = |neighbour: graph::Neighbour| NeighbourRow {
        id: neighbour.id.clone(),
        name: name_of(neighbour.id),
        distance: neighbour.distance,
        statement: neighbour.fact.statement().to_owned(),
        predicate: neighbour.fact.predicate().clone(),
        direction: if neighbour.forward { "out" } else { "in" },
        fact: neighbour.fact.id(),
    };
    Ok(graph::neighbours(state, from, &traversal, depth, limit).into_iter().map(row).collect())
}

fn entity_names<'a>(state: &'a State, view: Option<&View>) -> impl Fn(&EntityId) -> String + 'a {
    let linker = view.map(hearsay_recall::EntityLinker::new);
    move |id| match &linker {
        Some(linker) => linker.name(id).unwrap_or(id.as_str()).to_owned(),
        None => state.name_or_id(id).to_owned(),
    }
}

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepRow {
    /// Entity at the end of the step.
    pub to: EntityId,
    /// Name of the entity at the end of the step.
    pub name: String,
    /// Sentence that states the relation between the two entities of the step.
    pub statement: String,
    /// Id of the fact that states the relation.
    pub fact: FactId,
}

/// Returns the shortest path between two entities; `None` if there is no path with at most `max_steps` steps.
///
/// # Errors
/// Returns an error if an entity does not exist, or if a predicate is invalid.
pub fn path(
    state: &State,
    from: &EntityId,
    to: &EntityId,
    filter: &TraversalFilter,
    max_steps: usize,
) -> Result<Option<Vec<StepRow>>, QueryError> {
    require_entities(state, [from, to])?;
    let view = view_of(state, filter.knower.as_ref(), filter.as_of)?;
    let predicates = filter.predicates.iter().map(|name| Predicate::new(name)).collect::<Result<Vec<_>, _>>()?;
    let traversal = Traversal { direction: filter.direction, predicates, view: view.as_ref() };
    let name_of = entity_names(state, view.as_ref());
    let steps = graph::path(state, from, to, &traversal, max_steps);
    Ok(steps.map(|steps| {
        let row = |step: graph::Step| StepRow {
            to: step.to.clone(),
            name: name_of(step.to),
            statement: step.fact.statement().to_owned(),
            fact: step.fact.id(),
        };
        steps.into_iter().map(row).collect()
    }))
}
