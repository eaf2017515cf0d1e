//! The model of the graph.

use hearsay_model::{EntityId, FactId};
use serde::{Deserialize, Serialize};

use crate::names::NamedEntity;

/// Maximum number of displayed entities.
pub const MAX_NODES: usize = 200;

/// Maximum depth of a neighbourhood.
pub const MAX_DEPTH: usize = 3;

/// The part of the graph to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphRequest {
    /// Center of the neighbourhood. `None`: the whole campaign.
    pub center: Option<EntityId>,
    /// Depth of the neighbourhood: 1 to [`MAX_DEPTH`].
    pub depth: usize,
    /// Predicates to show. If the list is empty, all predicates are shown.
    pub predicates: Vec<String>,
    /// Knower whose known relations are shown. `None`: all relations that are true now.
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
    /// Center of the neighbourhood; `None` for the whole campaign.
    pub center: Option<NamedEntity>,
    /// The knower whose known relations are shown; `None` for all relations that are true now.
    pub knower: Option<NamedEntity>,
    /// The displayed entities, at most [`MAX_NODES`]. If there are more, those with the most relations are displayed.
    pub nodes: Vec<Node>,
    /// The edges, one per pair of entities.
    pub edges: Vec<Edge>,
    /// Number of omitted entities.
    pub more: usize,
    /// The predicates that the filter offers, each with the number of relations, most frequent first.
    pub predicates: Vec<(String, usize)>,
}

/// A node of the graph, which stands for one entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// The entity of the node.
    #[serde(rename = "who")]
    pub entity: NamedEntity,
    /// Total number of relations of the entity, displayed or not.
    pub degree: usize,
    /// Whether the node is a hub: one of the nodes with the most relations.
    pub hub: bool,
    /// Number of relations on the shortest path to the center.
    pub distance: usize,
    /// Whether players may see the entity.
    pub safe: bool,
}

/// A connection between two entities: all relations between them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Index of the first node.
    pub a: usize,
    /// Index of the second node, greater than `a`.
    pub b: usize,
    /// The relations, sorted by fact id.
    pub relations: Vec<Relation>,
}

/// A relation between the two entities of an edge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// Id of the fact that states the relation.
    pub fact: FactId,
    /// Predicate of the fact.
    pub predicate: String,
    /// Whether the relation leads from `a` to `b`.
    pub forward: bool,
    /// Sentence that states the fact.
    pub statement: String,
    /// Whether the relation is secret or concealed by a knower.
    pub secret: bool,
    /// Whether players may see the relation.
    pub safe: bool,
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
