//! What the graph shows.

use hearsay_model::{EntityId, FactId};
use serde::{Deserialize, Serialize};

use crate::names::Named;

/// Entities that are shown at most.
pub const MOST_NODES: usize = 200;

/// The furthest that a neighbourhood reaches.
pub const DEEPEST: usize = 3;

/// Which part of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphRequest {
    /// Around whom; the whole campaign, when nobody is named.
    pub center: Option<EntityId>,
    /// How far around: 1 to [`DEEPEST`].
    pub depth: usize,
    /// Only these relations; all, when none is named.
    pub predicates: Vec<String>,
    /// As this knower sees it; the DM's truth, when nobody is named.
    pub knower: Option<EntityId>,
}

impl Default for GraphRequest {
    fn default() -> Self {
        Self { center: None, depth: 1, predicates: Vec::new(), knower: None }
    }
}

/// A part of the graph.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphModel {
    /// Around whom.
    pub center: Option<Named>,
    /// As whom.
    pub knower: Option<Named>,
    /// The entities. At most [`MOST_NODES`], those with most relations.
    pub nodes: Vec<Node>,
    /// What joins them, each pair once.
    pub edges: Vec<Edge>,
    /// How many entities found no room.
    pub more: usize,
    /// The relations that there are, the most frequent first, with how many there are.
    pub predicates: Vec<(String, usize)>,
}

/// An entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Who or what.
    pub who: Named,
    /// How many relations it has in all.
    pub degree: usize,
    /// Whether many relations meet in it.
    pub hub: bool,
    /// Relations between it and the center.
    pub distance: usize,
    /// Whether players may see it.
    pub safe: bool,
}

/// What joins two entities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The one: a place among the nodes.
    pub a: usize,
    /// The other, which comes later.
    pub b: usize,
    /// The relations, by id.
    pub relations: Vec<Relation>,
}

/// A relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// The fact.
    pub fact: FactId,
    /// Its predicate.
    pub predicate: String,
    /// Whether it leads from the one to the other, rather than back.
    pub forward: bool,
    /// The sentence that states it.
    pub statement: String,
    /// Whether it is a secret, or somebody keeps it to itself.
    pub secret: bool,
    /// Whether players may see it.
    pub safe: bool,
}

impl Edge {
    /// Whether all that joins them is secret.
    pub fn is_secret(&self) -> bool {
        self.relations.iter().all(|relation| relation.secret)
    }

    /// Whether something that joins them is secret.
    pub fn has_secret(&self) -> bool {
        self.relations.iter().any(|relation| relation.secret)
    }
}

/// A relation's name as people read it: `is a member of` for `MEMBER_OF`.
pub fn label(predicate: &str) -> String {
    predicate.to_lowercase().replace('_', " ")
}
