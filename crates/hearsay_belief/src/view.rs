//! The view of one knower.

mod taking;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use hearsay_model::{
    Acquisition, Attitude, Credence, Date, EntityId, Evidence, Fact, FactId, FactRelation, GameTime, Knower,
    KnowledgeEdge, KnowledgeId, Object, Passage, PassageId, Predicate, Secrecy, SessionId, State, Timestamp,
    Vocabulary,
};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use taking::Taking;
pub(crate) use taking::{Reach, groups, learned};

/// How a knowledge edge reaches the knower.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessPath {
    /// By the knower's own edge.
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
    /// When the knower received the fact by this edge: the later of learning and joining.
    pub since: Option<GameTime>,
    /// How much the edge makes the knower believe the fact, derivation included.
    pub belief: Credence,
}

/// Recency of a state: by the moment since which it holds, then by learning time, then by recording time.
///
/// Two states may be equally recent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recency {
    pub(crate) since: Option<GameTime>,
    pub(crate) learned: Option<GameTime>,
    pub(crate) recorded: Timestamp,
}

/// A known fact, with the edges by which it is known.
///
/// It exposes only data that the knower can know, not the status of the fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    fact: Arc<Fact>,
    /// Nearly always a single edge.
    known_edges: SmallVec<[KnownEdge; 1]>,
    shared: Vec<KnownEdge>,
    credence: Credence,
}

impl Known {
    pub(crate) fn new(fact: Arc<Fact>) -> Self {
        Self { fact, known_edges: SmallVec::new(), shared: Vec::new(), credence: Credence::NONE }
    }

    fn brief(&self, index: u32) -> Brief {
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

    /// Returns the subject's rank in the object.
    pub fn rank(&self) -> Option<&str> {
        self.fact.rank()
    }

    /// Returns the date since which the fact holds, as it was told. Its end is a separate fact.
    pub fn since(&self) -> Option<&Date> {
        self.fact.validity().from.as_ref()
    }

    /// Returns the recency, which orders states of one subject from oldest to latest.
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

    /// Returns the edges by which the fact is known: own edges first, then by descending belief.
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

    /// Returns whether the knower has no source for the fact: it only said so.
    pub fn is_made_up(&self) -> bool {
        self.known_edges.is_empty()
    }

    /// Returns how much the knower believes the fact, by all edges [together](crate::combine).
    ///
    /// Own observations and testimonies weigh more than the belief of the knower's place: a liar does not believe his
    /// own lie because his town does.
    #[inline]
    pub fn credence(&self) -> Credence {
        self.credence
    }

    /// Returns how the fact was learned, by the decisive edge.
    pub fn acquisition(&self) -> Option<(&Acquisition, &AccessPath)> {
        self.known_edges.first().map(|way| (&way.edge.acquisition, &way.access_path))
    }

    /// Returns whether the knower conceals the fact. Its own edges decide, if it has any, else those of its group or
    /// place.
    pub fn conceals(&self) -> bool {
        let own = self.known_edges.iter().any(|way| way.access_path == AccessPath::Own);
        self.known_edges.iter().any(|way| (!own || way.access_path == AccessPath::Own) && way.edge.conceals)
    }

    /// Returns the earliest moment at which the knower received the fact; `None` means since ever.
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

/// The data that a ranking reads of every fact of a view. Contiguous in memory, because a ranking scans all facts and
/// inspects few.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brief {
    /// The fact.
    pub id: FactId,
    /// The dense index of the fact in the state of the view.
    pub index: u32,
    /// Whether the knower has an edge of its own to the fact: it saw it, read it or was told.
    pub own: bool,
    /// Whether the fact is secret.
    pub secret: bool,
}

/// Everything that one knower knows at a moment.
#[derive(Debug, Clone)]
pub struct View {
    knower: Knower,
    as_of: Option<GameTime>,
    /// Sorted by id.
    facts: Vec<Known>,
    /// Briefs of the facts, in the same order.
    briefs: Vec<Brief>,
    passages: BTreeMap<PassageId, Heard>,
    vocabulary: Arc<Vocabulary>,
    /// Built on the first query for contradicting facts.
    rivals: OnceLock<Rivals>,
}

/// Views are equal if their content is equal. Caches do not count.
impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        self.knower == other.knower
            && self.as_of == other.as_of
            && self.facts == other.facts
            && self.passages == other.passages
            && self.vocabulary == other.vocabulary
    }
}

impl Eq for View {}

/// Positions in a view of the facts that may contradict a fact.
#[derive(Debug, Clone, Default)]
struct Rivals {
    /// By subject, in the order of the view.
    by_subject: FxHashMap<EntityId, Vec<u32>>,
    /// By related fact, in the order of the view.
    by_related_fact: FxHashMap<FactId, Vec<u32>>,
}

impl View {
    /// Returns everything that a knower knows at a moment of game time; `None` means the end of all recorded time.
    ///
    /// 1. Facts to which the knower has an edge, learned by then, and common lore.
    /// 2. Of these, the canon memberships, residences and parts (a group within a group, a place within a place) add
    ///    the knowledge of those groups and places. The knower receives the facts that they learned before it left,
    ///    from the later of joining and learning, and keeps them. Repeated until nothing is added.
    /// 3. Facts that such a group reserves for a rank, if the knower has reached the rank by the latest list of ranks
    ///    that it knows by then. Then again from step 2, until nothing is added.
    /// 4. Passages heard by the knower, by one of these groups or places during the stay, or by everyone.
    pub fn of(state: &State, knower: &Knower, as_of: Option<GameTime>) -> Self {
        let mut taking = Taking::new(state, as_of);
        let mut sources = vec![Reach::all(Knower::World, AccessPath::Common)];
        if matches!(knower, Knower::Entity(_)) {
            sources.push(Reach::all(knower.clone(), AccessPath::Own));
        }
        let mut taken = 0;
        loop {
            for source in &sources[taken..] {
                taking.take(source);
            }
            taken = sources.len();
            for group in knower.entity().into_iter().flat_map(|id| taking.groups(id)) {
                if !sources.contains(&group) {
                    sources.push(group);
                }
            }
            if taken == sources.len() && !taking.take_ranked() {
                break;
            }
        }
        let passages = taking.hear(knower, &sources);
        let vocabulary = Arc::clone(state.vocabulary());
        let (facts, briefs) = taking.settled();
        Self { knower: knower.clone(), as_of, facts, briefs, passages, vocabulary, rivals: OnceLock::new() }
    }

    /// Returns the owner of the view.
    pub fn knower(&self) -> &Knower {
        &self.knower
    }

    /// Returns the moment of the view.
    pub fn as_of(&self) -> Option<GameTime> {
        self.as_of
    }

    /// Returns a fact, if it is known.
    pub fn fact(&self, id: FactId) -> Option<&Known> {
        self.facts.get(self.place_of(id)?)
    }

    fn place_of(&self, id: FactId) -> Option<usize> {
        self.briefs.binary_search_by_key(&id, |brief| brief.id).ok()
    }

    /// Returns the briefs of all known facts, by id.
    #[inline]
    pub fn briefs(&self) -> &[Brief] {
        &self.briefs
    }

    /// Returns the fact at a position of [`facts`](Self::facts).
    #[inline]
    pub fn fact_at(&self, place: usize) -> Option<&Known> {
        self.facts.get(place)
    }

    /// Returns all known facts, by id.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Known> {
        self.facts.iter()
    }

    /// Returns the facts that have an entity as subject or object or mention it, by id.
    pub fn facts_about<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        self.facts.iter().filter(move |known| known.entities().any(|entity| entity == id))
    }

    /// Returns the facts that another entity told the knower, by id.
    pub fn told_by<'a>(&'a self, other: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        let told = move |way: &KnownEdge| matches!(&way.edge.acquisition, Acquisition::Told { by: Some(by), .. } if by == other);
        self.facts
            .iter()
            .filter(move |known| known.known_edges.iter().any(|way| way.access_path == AccessPath::Own && told(way)))
    }

    /// Returns the facts that contradict a fact, as far as the knower can tell, by id.
    ///
    /// These are facts that refute it or that it refutes, other objects of a functional predicate, and opposite
    /// relations between the same two entities.
    pub fn against<'a>(&'a self, fact: &'a Known) -> impl Iterator<Item = &'a Known> {
        let rivals = self.rivals();
        let of = |places: Option<&'a Vec<u32>>| places.map_or(&[][..], Vec::as_slice);
        let mut places: Vec<u32> = of(rivals.by_subject.get(fact.subject())).to_vec();
        places.extend(of(rivals.by_related_fact.get(&fact.id())));
        let bears_on = fact.fact_relation().and_then(|fact_relation| self.place_of(fact_relation.fact()));
        places.extend(bears_on.map(|place| place as u32));
        places.sort_unstable();
        places.dedup();
        let others = places.into_iter().map(|place| &self.facts[place as usize]);
        others.filter(move |other| self.are_against(fact, other))
    }

    /// Returns the facts that refute, end, cover or distort a fact, by id.
    pub fn relations_to(&self, fact: FactId) -> impl Iterator<Item = &Known> {
        let places = self.rivals().by_related_fact.get(&fact).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| &self.facts[*place as usize])
    }

    fn rivals(&self) -> &Rivals {
        self.rivals.get_or_init(|| {
            let mut rivals = Rivals::default();
            for (place, known) in (0_u32..).zip(&self.facts) {
                rivals.by_subject.entry(known.subject().clone()).or_default().push(place);
                if let Some(fact_relation) = known.fact_relation() {
                    rivals.by_related_fact.entry(fact_relation.fact()).or_default().push(place);
                }
            }
            rivals
        })
    }

    /// Returns whether two facts contradict each other.
    pub fn are_against(&self, a: &Known, b: &Known) -> bool {
        are_against(&self.vocabulary, a, b)
    }

    /// Returns the vocabulary of the campaign.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns whether the knower knows that an entity has a name, open or secret.
    pub fn knows_name(&self, id: &EntityId, name: &str) -> bool {
        self.knower.entity() == Some(id) || self.facts.iter().any(|known| taking::knows_name(known, id, name))
    }

    /// Returns the passages that state a fact which the knower conceals. Quoting such a passage would reveal the fact.
    pub fn concealed_passages(&self) -> BTreeSet<PassageId> {
        let concealed = self.facts.iter().filter(|known| known.conceals());
        let evidence = concealed.flat_map(|known| known.evidence());
        let passages = evidence.filter_map(|evidence| match evidence {
            Evidence::Passage { passage, .. } => Some(*passage),
            Evidence::File { .. } | Evidence::Excerpt(_) => None,
        });
        passages.collect()
    }

    /// Returns a passage, if the knower heard or read it.
    pub fn passage(&self, id: PassageId) -> Option<&Heard> {
        self.passages.get(&id)
    }

    /// Returns all passages that the knower heard or read, by id.
    pub fn passages(&self) -> impl ExactSizeIterator<Item = (PassageId, &Heard)> {
        self.passages.iter().map(|(id, heard)| (*id, heard))
    }

    /// Returns the DM's view: all facts that are part of the world, without edges. Used for questions without a
    /// speaker.
    pub fn of_dm(state: &State) -> Self {
        let facts = state.indexed_facts().filter(|(_, fact)| fact.status().is_in_world());
        let (facts, briefs) = facts
            .map(|(index, fact)| {
                let known = Known::new(Arc::clone(fact));
                let brief = known.brief(index);
                (known, brief)
            })
            .unzip();
        let heard = |passage: &Arc<Passage>| Heard { passage: Arc::clone(passage), access_path: AccessPath::Own };
        let passages = state.passages().map(|(id, passage)| (id, heard(passage))).collect();
        let vocabulary = Arc::clone(state.vocabulary());
        Self { knower: Knower::World, as_of: None, facts, briefs, passages, vocabulary, rivals: OnceLock::new() }
    }
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

#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
