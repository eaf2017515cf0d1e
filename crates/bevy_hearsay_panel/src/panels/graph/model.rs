//! The data that the graph panel displays.

use hearsay_model::{EntityId, FactId};
use serde::{Deserialize, Serialize};

use crate::names::NamedEntity;

/// Maximum number of entities that the panel displays.
pub const MAX_NODES: usize = 200;

/// Maximum of [`GraphRequest::depth`].
pub const MAX_DEPTH: usize = 3;

/// The part of the graph to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphRequest {
    /// Entity at the center of the neighbourhood to read; `None` for the whole campaign.
    pub center: Option<EntityId>,
    /// Maximum number of relations on the path from the center to an entity: 1 to [`MAX_DEPTH`].
    pub depth: usize,
    /// Predicates of the relations to show. If the list is empty, all relations are shown.
    pub predicates: Vec<String>,
    /// Knower whose view is shown. The view has only the relations that the knower knows. With `None`, the graph has
    /// all relations that are true at the current game time.
    pub knower: Option<EntityId>,
}

impl Default for GraphRequest {
    fn default() -> Self {
        Self { center: None, depth: 1, predicates: Vec::new(), knower: None }
    }
}

/// The part of the graph that the panel shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphModel {
    /// Entity at the center of the neighbourhood; `None` for the whole campaign.
    pub center: Option<NamedEntity>,
    /// Knower whose view is shown. The view has only the relations that the knower knows. With `None`, the graph has
    /// all relations that are true at the current game time.
    pub knower: Option<NamedEntity>,
    /// The displayed entities, at most [`MAX_NODES`]. If this part of the graph has more entities, the entities with
    /// the most relations are displayed.
    pub nodes: Vec<Node>,
    /// The edges between the nodes, one per pair of entities.
    pub edges: Vec<Edge>,
    /// Number of entities in this part of the graph that are not displayed.
    pub more: usize,
    /// The predicates that the filter offers, each with the number of relations, most frequent first.
    pub predicates: Vec<(String, usize)>,
}

/// A node of the graph. Each node represents one entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The entity of the node.
    pub entity: NamedEntity,
    /// Number of relations of the entity, including relations that are not displayed.
    pub degree: usize,
    /// Whether the node is a hub. A hub has at least 8 relations, and is among the 10 % of the displayed nodes with the
    /// most relations.
    pub hub: bool,
    /// Number of relations on the shortest path from the center to this entity; 0 if there is no center.
    pub distance: usize,
}

/// A connection between two entities: all relations between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Index of the first node in [`GraphModel::nodes`].
    pub a: usize,
    /// Index of the second node in [`GraphModel::nodes`], greater than `a`.
    pub b: usize,
    /// The relations between the two entities, sorted by fact id.
    pub relations: Vec<EdgeRelation>,
}

/// A relation between the two entities of an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeRelation {
    /// Id of the fact that states the relation.
    pub fact: FactId,
    /// Predicate of the fact.
    pub predicate: String,
    /// Whether the node `a` of the edge is the subject of the relation, and the node `b` is the object. If false, `b`
    /// is the subject.
    pub forward: bool,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the relation is secret or concealed by a knower.
    pub secret: bool,
}

impl Edge {
    /// Returns whether all relations of the edge are secret.
    pub fn is_secret(&self) -> bool {
        self.relations.iter().all(|relation| relation.secret)
    }

    /// Returns whether any relation of the edge is secret.
    pub fn has_secret(&self) -> bool {
        self.relations.iter().any(|relation| relation.secret)
    }
}

/// Returns the name of a predicate for display, such as `member of` for `MEMBER_OF`.
pub fn relation_label(predicate: &str) -> String {
    predicate.to_lowercase().replace('_', " ")
}
