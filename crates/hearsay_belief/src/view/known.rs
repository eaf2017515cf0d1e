//! A known fact or passage, and how it reaches the knower.

use std::sync::Arc;

use hearsay_model::{
    Acquisition, Attitude, Credence, Date, EntityId, Evidence, Fact, FactId, FactRelation, GameTime, KnowledgeEdge,
    KnowledgeId, Object, Passage, Predicate, Secrecy, SessionId, Timestamp, Vocabulary,
};
use smallvec::SmallVec;

/// How a knowledge edge reaches the knower.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessPath {
    /// Through the knower's own edge.
    Own,
    /// As a member of a group.
    Member(EntityId),
    /// As a resident of a place.
    Resident(EntityId),
    /// As common lore.
    Common,
}

/// An edge to a known fact, and how it reaches the knower.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownEdge {
    /// The id of the edge.
    pub id: KnowledgeId,
    /// The edge.
    pub edge: Arc<KnowledgeEdge>,
    /// How the edge reaches the knower.
    pub access_path: AccessPath,
    /// When the knower received the fact through this edge: when the fact was learned or the knower joined the group or
    /// place, whichever is later.
    pub since: Option<GameTime>,
    /// How much the edge makes the knower believe the fact, computed along its derivation.
    pub belief: Credence,
}

/// Recency of a fact. Facts are compared by the start of their validity, then by learning time, then by recording time.
///
/// Two facts may be equally recent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recency {
    pub(crate) since: Option<GameTime>,
    pub(crate) learned: Option<GameTime>,
    pub(crate) recorded: Timestamp,
}

/// A known fact, with the edges through which it is known.
///
/// This type gives access only to data that the knower can know, and not to the status of the fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub(super) fact: Arc<Fact>,
    /// Nearly always a single edge.
    pub(super) known_edges: SmallVec<[KnownEdge; 1]>,
    pub(super) shared: Vec<KnownEdge>,
    pub(super) credence: Credence,
}

impl Known {
    pub(crate) fn new(fact: Arc<Fact>) -> Self {
        Self { fact, known_edges: SmallVec::new(), shared: Vec::new(), credence: Credence::NONE }
    }

    pub(super) fn brief(&self, index: u32) -> Brief {
        let own = self.known_edges.first().is_some_and(|way| way.access_path == AccessPath::Own);
        Brief { id: self.id(), index, own, secret: self.is_secret() }
    }

    /// Returns the id of the fact.
    #[inline]
    pub fn id(&self) -> FactId {
        self.fact.id()
    }

    /// Returns the entity that the fact is about.
    #[inline]
    pub fn subject(&self) -> &EntityId {
        self.fact.subject()
    }

    /// Returns the predicate.
    #[inline]
    pub fn predicate(&self) -> &Predicate {
        self.fact.predicate()
    }

    /// Returns the object.
    #[inline]
    pub fn object(&self) -> &Object {
        self.fact.object()
    }

    /// Returns the relation to another fact.
    #[inline]
    pub fn fact_relation(&self) -> Option<FactRelation> {
        self.fact.fact_relation()
    }

    /// Returns the sentence that states the fact.
    #[inline]
    pub fn statement(&self) -> &str {
        self.fact.statement()
    }

    /// Returns all entities of the fact: subject, object and mentions.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.fact.entities()
    }

    /// Returns the attitude of the subject towards the object.
    pub fn attitude(&self) -> Option<Attitude> {
        self.fact.attitude()
    }

    /// Returns the rank that the subject has in the group that is the object.
    pub fn rank(&self) -> Option<&str> {
        self.fact.rank()
    }

    /// Returns the start of the fact's validity. The end is not available here: another fact states it.
    pub fn since(&self) -> Option<&Date> {
        self.fact.validity().from.as_ref()
    }

    /// Returns the recency, which orders facts about one subject from the oldest to the latest.
    pub fn recency(&self) -> Recency {
        Recency {
            since: self.since().and_then(|date| date.time),
            learned: self.learned(),
            recorded: self.fact.provenance().recorded,
        }
    }

    /// Returns whether the fact is secret.
    #[inline]
    pub fn is_secret(&self) -> bool {
        self.fact.secrecy() == Secrecy::Secret
    }

    /// Returns the evidence, for a citation.
    pub fn evidence(&self) -> &[Evidence] {
        &self.fact.provenance().evidence
    }

    /// Returns the session in which the fact was learned or recorded, for a citation.
    pub fn session(&self) -> Option<&SessionId> {
        let learned = self.known_edges.iter().find_map(|way| way.edge.session.as_ref());
        learned.or(self.fact.provenance().session.as_ref())
    }

    /// Returns the edges through which the fact is known. The knower's own edges come first. Apart from that, edges
    /// with higher belief come first.
    #[inline]
    pub fn known_edges(&self) -> &[KnownEdge] {
        &self.known_edges
    }

    /// Returns the knower's own records of passing the fact on. `co_present` of each edge lists the hearers.
    ///
    /// A fact that the knower made up has no other edges.
    pub fn shared(&self) -> &[KnownEdge] {
        &self.shared
    }

    /// Returns whether the knower made the fact up: it told others the fact, but has no source for it.
    pub fn is_made_up(&self) -> bool {
        self.known_edges.is_empty()
    }

    /// Returns how much the knower believes the fact, from all edges [together](crate::combine).
    ///
    /// The knower's own observations and testimonies weigh more than the belief of its group or place. A liar, for
    /// example, does not believe the lie because the whole town believes it.
    #[inline]
    pub fn credence(&self) -> Credence {
        self.credence
    }

    /// Returns how the fact was learned, from the first of the [edges](Self::known_edges).
    pub fn acquisition(&self) -> Option<(&Acquisition, &AccessPath)> {
        self.known_edges.first().map(|way| (&way.edge.acquisition, &way.access_path))
    }

    /// Returns whether the knower conceals the fact. If the knower has its own edges, they decide. Otherwise the edges
    /// of its groups and places decide.
    pub fn conceals(&self) -> bool {
        let own = self.known_edges.iter().any(|way| way.access_path == AccessPath::Own);
        self.known_edges.iter().any(|way| (!own || way.access_path == AccessPath::Own) && way.edge.conceals)
    }

    /// Returns the earliest moment at which the knower received the fact; `None` means that the knower has always known
    /// it.
    pub fn learned(&self) -> Option<GameTime> {
        self.known_edges.iter().chain(&self.shared).map(|way| way.since).min().flatten()
    }
}

/// A passage that the knower heard or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The passage.
    pub passage: Arc<Passage>,
    /// How the passage reaches the knower.
    pub access_path: AccessPath,
}

/// The data that a ranking reads of every fact of a view. Briefs are contiguous in memory, because a ranking scans all
/// facts and uses few.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brief {
    /// The fact.
    pub id: FactId,
    /// The dense index of the fact in the state of the view.
    pub index: u32,
    /// Whether the knower has its own edge to the fact: it saw or read the fact, or was told it.
    pub own: bool,
    /// Whether the fact is secret.
    pub secret: bool,
}

/// Returns whether two facts contradict each other.
pub(crate) fn are_against(vocabulary: &Vocabulary, a: &Known, b: &Known) -> bool {
    let refutes = |a: &Known, b: &Known| a.fact_relation() == Some(FactRelation::Refutes(b.id()));
    if refutes(a, b) || refutes(b, a) {
        return true;
    }
    if a.subject() != b.subject() || a.id() == b.id() {
        return false;
    }
    let (same_predicate, same_object) = (a.predicate() == b.predicate(), a.object() == b.object());
    (same_predicate && !same_object && vocabulary.is_functional(a.predicate()))
        || (same_object && vocabulary.are_opposites(a.predicate(), b.predicate()))
}
