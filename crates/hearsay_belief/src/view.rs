//! The view of one knower.

mod taking;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use hearsay_model::{
    Attitude, Bearing, Credence, Date, EntityId, Evidence, Fact, FactId, GameTime, How, Knower, Knowledge, KnowledgeId,
    Object, Passage, PassageId, Predicate, Secrecy, SessionId, State, Timestamp, Vocabulary,
};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use taking::Taking;
pub(crate) use taking::{Reach, groups, learned};

/// By which way an edge of knowledge reaches the knower.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Via {
    /// By an edge of its own.
    Own,
    /// As a member of a group.
    Member(EntityId),
    /// As a resident of a place.
    Resident(EntityId),
    /// As everybody does.
    Common,
}

/// One way in which a fact is known: an edge, and how it reaches the knower.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The edge's id.
    pub id: KnowledgeId,
    /// The edge.
    pub edge: Arc<Knowledge>,
    /// How it reaches the knower.
    pub via: Via,
    /// Since when the knower has it by this way: the later of learning and joining.
    pub since: Option<GameTime>,
    /// How much it makes the knower believe, with the chain behind it counted in.
    pub belief: Credence,
}

/// How late a state of something is: by the moment from which it is so, then by when it was learned, then by when it was
/// recorded. Two states may be equally late.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Recency {
    pub(crate) since: Option<GameTime>,
    pub(crate) learned: Option<GameTime>,
    pub(crate) recorded: Timestamp,
}

/// A fact that is known, with the ways in which it is.
///
/// It shows what the knower can know of the fact, not what the world says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    fact: Arc<Fact>,
    /// Nearly always one.
    ways: SmallVec<[Way; 1]>,
    shared: Vec<Way>,
    credence: Credence,
}

impl Known {
    pub(crate) fn new(fact: Arc<Fact>) -> Self {
        Self { fact, ways: SmallVec::new(), shared: Vec::new(), credence: Credence::NONE }
    }

    fn brief(&self, index: u32) -> Brief {
        let own = self.ways.first().is_some_and(|way| way.via == Via::Own);
        Brief { id: self.id(), index, own, secret: self.is_secret() }
    }

    /// The fact's id.
    #[inline]
    pub fn id(&self) -> FactId {
        self.fact.id()
    }

    /// Whom or what it is about.
    #[inline]
    pub fn subject(&self) -> &EntityId {
        self.fact.subject()
    }

    /// What it says of the subject.
    #[inline]
    pub fn predicate(&self) -> &Predicate {
        self.fact.predicate()
    }

    /// What it points at.
    #[inline]
    pub fn object(&self) -> &Object {
        self.fact.object()
    }

    /// What it has to do with another fact.
    #[inline]
    pub fn bearing(&self) -> Option<Bearing> {
        self.fact.bearing()
    }

    /// The sentence that states it.
    #[inline]
    pub fn statement(&self) -> &str {
        self.fact.statement()
    }

    /// All entities of the fact: subject, object, mentions.
    pub fn entities(&self) -> impl Iterator<Item = &EntityId> {
        self.fact.entities()
    }

    /// How the subject feels about the object.
    pub fn attitude(&self) -> Option<Attitude> {
        self.fact.attitude()
    }

    /// The subject's rank in the object.
    pub fn rank(&self) -> Option<&str> {
        self.fact.rank()
    }

    /// Since when it is so, as it was told. Its end is a fact of its own.
    pub fn since(&self) -> Option<&Date> {
        self.fact.validity().from.as_ref()
    }

    /// Orders states of one thing, the latest last.
    pub fn recency(&self) -> Recency {
        Recency {
            since: self.since().and_then(|date| date.time),
            learned: self.learned(),
            recorded: self.fact.provenance().recorded,
        }
    }

    /// Whether it is meant as a secret.
    #[inline]
    pub fn is_secret(&self) -> bool {
        self.fact.secrecy() == Secrecy::Secret
    }

    /// Where it was written down, for a receipt.
    pub fn evidence(&self) -> &[Evidence] {
        &self.fact.provenance().evidence
    }

    /// The session it was recorded in, for a receipt.
    pub fn session(&self) -> Option<&SessionId> {
        let learned = self.ways.iter().find_map(|way| way.edge.session.as_ref());
        learned.or(self.fact.provenance().session.as_ref())
    }

    /// The ways in which it is known: own ones first, then the strongest.
    #[inline]
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// The knower's own records of having passed it on: the company of each edge is whom it told. What it made up it has
    /// in no other way.
    pub fn shared(&self) -> &[Way] {
        &self.shared
    }

    /// Whether the knower has it from nowhere: it said so, and that is all.
    pub fn is_made_up(&self) -> bool {
        self.ways.is_empty()
    }

    /// How much the knower believes it, by all [ways](crate::combine) together.
    ///
    /// What somebody saw or was told weighs more than what the place believes: a liar does not take up his own lie
    /// because his town does.
    #[inline]
    pub fn credence(&self) -> Credence {
        self.credence
    }

    /// How it was learned, by the way that counts.
    pub fn how(&self) -> Option<(&How, &Via)> {
        self.ways.first().map(|way| (&way.edge.how, &way.via))
    }

    /// Whether the knower keeps it to itself: as its own edges say, if it has any; else as its group or place keeps it.
    pub fn conceals(&self) -> bool {
        let own = self.ways.iter().any(|way| way.via == Via::Own);
        self.ways.iter().any(|way| (!own || way.via == Via::Own) && way.edge.conceals)
    }

    /// The earliest moment from which the knower has it; `None` when it has it since ever.
    pub fn learned(&self) -> Option<GameTime> {
        self.ways.iter().chain(&self.shared).map(|way| way.since).min().flatten()
    }
}

/// A passage that was heard or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The passage.
    pub passage: Arc<Passage>,
    /// How it reaches the knower.
    pub via: Via,
}

/// What a ranking asks of every fact of a view, side by side in memory: it looks at all, and at few more closely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brief {
    /// The fact.
    pub id: FactId,
    /// Its dense index in the state that the view was taken of.
    pub index: u32,
    /// Whether the knower has it by an edge of its own: saw it, read it or was told.
    pub own: bool,
    /// Whether it is meant as a secret.
    pub secret: bool,
}

/// All that one knower knows at a moment.
#[derive(Debug, Clone)]
pub struct View {
    knower: Knower,
    as_of: Option<GameTime>,
    /// By id.
    facts: Vec<Known>,
    /// The same in brief, in the same order.
    briefs: Vec<Brief>,
    passages: BTreeMap<PassageId, Heard>,
    vocabulary: Arc<Vocabulary>,
    /// Made when it is first asked what speaks against something.
    rivals: OnceLock<Rivals>,
}

/// Two views are equal when they hold the same, whatever was asked of them.
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

/// Where in a view the facts stand that may speak against one.
#[derive(Debug, Clone, Default)]
struct Rivals {
    /// By subject; in the order of the view.
    by_subject: FxHashMap<EntityId, Vec<u32>>,
    /// By the fact that they bear on; in the order of the view.
    by_bearing: FxHashMap<FactId, Vec<u32>>,
}

impl View {
    /// What a knower knows at a moment of game time, or at the end of all that is known.
    ///
    /// 1. What it has an edge to, learned by then; and common lore.
    /// 2. Of that, the canon memberships, residences and parts (a group within a group, a place within a place) of
    ///    which it knows: what such a group or place learned before the knower left it is known from the later of
    ///    joining and learning, for good. Repeated until nothing is added.
    /// 3. Then what such a group keeps for a rank, if the knower has reached it by the latest list of ranks that it knows by
    ///    then; and again from 2, until nothing is added.
    /// 4. Passages that it, one of these groups or places during the stay, or everybody heard.
    pub fn of(state: &State, knower: &Knower, as_of: Option<GameTime>) -> Self {
        let mut taking = Taking::new(state, as_of);
        let mut sources = vec![Reach::all(Knower::World, Via::Common)];
        if matches!(knower, Knower::Entity(_)) {
            sources.push(Reach::all(knower.clone(), Via::Own));
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

    /// Whose view it is.
    pub fn knower(&self) -> &Knower {
        &self.knower
    }

    /// The moment at which it is taken.
    pub fn as_of(&self) -> Option<GameTime> {
        self.as_of
    }

    /// A fact, if it is known.
    pub fn fact(&self, id: FactId) -> Option<&Known> {
        self.facts.get(self.place_of(id)?)
    }

    fn place_of(&self, id: FactId) -> Option<usize> {
        self.briefs.binary_search_by_key(&id, |brief| brief.id).ok()
    }

    /// All facts that are known, by id, in brief.
    #[inline]
    pub fn briefs(&self) -> &[Brief] {
        &self.briefs
    }

    /// The fact at a place among [all](Self::facts).
    #[inline]
    pub fn fact_at(&self, place: usize) -> Option<&Known> {
        self.facts.get(place)
    }

    /// All facts that are known, by id.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Known> {
        self.facts.iter()
    }

    /// The facts that have an entity as subject or object, or mention it. By id.
    pub fn facts_about<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        self.facts.iter().filter(move |known| known.entities().any(|entity| entity == id))
    }

    /// The facts that somebody told the knower. By id.
    pub fn told_by<'a>(&'a self, other: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        let told = move |way: &Way| matches!(&way.edge.how, How::Told { by: Some(by), .. } if by == other);
        self.facts.iter().filter(move |known| known.ways.iter().any(|way| way.via == Via::Own && told(way)))
    }

    /// The facts that cannot be so together with a fact, as far as the knower can tell: those that refute it or that it
    /// refutes, another object of a functional predicate, an opposite relation between the same two. By id.
    pub fn against<'a>(&'a self, fact: &'a Known) -> impl Iterator<Item = &'a Known> {
        let rivals = self.rivals();
        let of = |places: Option<&'a Vec<u32>>| places.map_or(&[][..], Vec::as_slice);
        let mut places: Vec<u32> = of(rivals.by_subject.get(fact.subject())).to_vec();
        places.extend(of(rivals.by_bearing.get(&fact.id())));
        let bears_on = fact.bearing().and_then(|bearing| self.place_of(bearing.fact()));
        places.extend(bears_on.map(|place| place as u32));
        places.sort_unstable();
        places.dedup();
        let others = places.into_iter().map(|place| &self.facts[place as usize]);
        others.filter(move |other| self.are_against(fact, other))
    }

    /// The facts that bear on a fact: that refute it, end it, cover it, or retell it wrongly. By id.
    pub fn bearing_on(&self, fact: FactId) -> impl Iterator<Item = &Known> {
        let places = self.rivals().by_bearing.get(&fact).map_or(&[][..], Vec::as_slice);
        places.iter().map(|place| &self.facts[*place as usize])
    }

    fn rivals(&self) -> &Rivals {
        self.rivals.get_or_init(|| {
            let mut rivals = Rivals::default();
            for (place, known) in (0_u32..).zip(&self.facts) {
                rivals.by_subject.entry(known.subject().clone()).or_default().push(place);
                if let Some(bearing) = known.bearing() {
                    rivals.by_bearing.entry(bearing.fact()).or_default().push(place);
                }
            }
            rivals
        })
    }

    /// Whether two facts cannot both be so.
    pub fn are_against(&self, a: &Known, b: &Known) -> bool {
        are_against(&self.vocabulary, a, b)
    }

    /// The predicates and attributes of the campaign.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Whether the knower knows that somebody has a name: an open one or a secret one.
    pub fn knows_name(&self, id: &EntityId, name: &str) -> bool {
        self.knower.entity() == Some(id) || self.facts.iter().any(|known| taking::knows_name(known, id, name))
    }

    /// The passages that state something which the knower keeps to itself: whoever tells them, tells that.
    pub fn concealed_passages(&self) -> BTreeSet<PassageId> {
        let concealed = self.facts.iter().filter(|known| known.conceals());
        let evidence = concealed.flat_map(|known| known.evidence());
        let passages = evidence.filter_map(|evidence| match evidence {
            Evidence::Passage { passage, .. } => Some(*passage),
            Evidence::File { .. } | Evidence::Excerpt(_) => None,
        });
        passages.collect()
    }

    /// A passage, if it was heard.
    pub fn passage(&self, id: PassageId) -> Option<&Heard> {
        self.passages.get(&id)
    }

    /// All passages that were heard or read, by id.
    pub fn passages(&self) -> impl ExactSizeIterator<Item = (PassageId, &Heard)> {
        self.passages.iter().map(|(id, heard)| (*id, heard))
    }

    /// The DM's view: everything that is part of the world, by edges of nobody. Used where a question is asked without
    /// a speaker.
    pub fn of_dm(state: &State) -> Self {
        let facts = state.indexed_facts().filter(|(_, fact)| fact.standing().is_in_world());
        let (facts, briefs) = facts
            .map(|(index, fact)| {
                let known = Known::new(Arc::clone(fact));
                let brief = known.brief(index);
                (known, brief)
            })
            .unzip();
        let heard = |passage: &Arc<Passage>| Heard { passage: Arc::clone(passage), via: Via::Own };
        let passages = state.passages().map(|(id, passage)| (id, heard(passage))).collect();
        let vocabulary = Arc::clone(state.vocabulary());
        Self { knower: Knower::World, as_of: None, facts, briefs, passages, vocabulary, rivals: OnceLock::new() }
    }
}

/// Whether two facts cannot both be so.
pub(crate) fn are_against(vocabulary: &Vocabulary, a: &Known, b: &Known) -> bool {
    let refutes = |a: &Known, b: &Known| a.bearing() == Some(Bearing::Refutes(b.id()));
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
