//! The view of one knower.

use std::{collections::BTreeMap, sync::Arc};

use hearsay_model::{
    Attitude, Bearing, Credence, Date, EntityId, Evidence, Fact, FactId, GameTime, How, Knower, Knowledge, KnowledgeId,
    Object, Passage, PassageId, Predicate, Secrecy, SessionId, State, Timestamp, Vocabulary, attribute, predicate,
};

use crate::{
    audience::is_structure,
    credence::{Weighed, Weigher, combine, credence},
};

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
    ways: Vec<Way>,
    shared: Vec<Way>,
    credence: Credence,
}

impl Known {
    /// The fact's id.
    pub fn id(&self) -> FactId {
        self.fact.id()
    }

    /// Whom or what it is about.
    pub fn subject(&self) -> &EntityId {
        self.fact.subject()
    }

    /// What it says of the subject.
    pub fn predicate(&self) -> &Predicate {
        self.fact.predicate()
    }

    /// What it points at.
    pub fn object(&self) -> &Object {
        self.fact.object()
    }

    /// What it has to do with another fact.
    pub fn bearing(&self) -> Option<Bearing> {
        self.fact.bearing()
    }

    /// The sentence that states it.
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
    pub fn ways(&self) -> &[Way] {
        &self.ways
    }

    /// The knower's own records of having passed it on: the company of each edge is whom it told.
    pub fn shared(&self) -> &[Way] {
        &self.shared
    }

    /// How much the knower believes it, by all [ways](crate::combine) together.
    ///
    /// What somebody saw or was told weighs more than what the place believes: a liar does not take up his own lie
    /// because his town does.
    pub fn credence(&self) -> Credence {
        self.credence
    }

    /// How it was learned, by the way that counts.
    pub fn how(&self) -> Option<(&How, &Via)> {
        self.ways.first().map(|way| (&way.edge.how, &way.via))
    }

    /// Whether the knower keeps it to itself.
    pub fn conceals(&self) -> bool {
        self.ways.iter().any(|way| way.via == Via::Own && way.edge.conceals)
    }

    /// The earliest moment from which the knower has it; `None` when it has it since ever.
    pub fn learned(&self) -> Option<GameTime> {
        self.ways.iter().map(|way| way.since).min().flatten()
    }
}

impl Known {
    fn unknown(fact: &Arc<Fact>) -> Self {
        Self { fact: Arc::clone(fact), ways: Vec::new(), shared: Vec::new(), credence: Credence::NONE }
    }

    /// A fact as it is known in certain ways, if it is known.
    pub(crate) fn by(fact: &Arc<Fact>, ways: impl IntoIterator<Item = Way>, weigher: &mut Weigher) -> Option<Self> {
        let mut known = Self::unknown(fact);
        ways.into_iter().for_each(|way| known.add(way));
        known.settle(weigher);
        (!known.ways.is_empty()).then_some(known)
    }

    fn add(&mut self, way: Way) {
        // Whom a group has told is no matter of its members.
        match (&way.edge.how, &way.via) {
            (How::Shared, Via::Own) => self.shared.push(way),
            (How::Shared, _) => {}
            _ => self.ways.push(way),
        }
    }

    /// Sorts the ways, and weighs them.
    fn settle(&mut self, weigher: &mut Weigher) {
        for way in &mut self.ways {
            if !way.edge.sources.is_empty() {
                way.belief = credence(weigher.belief(way.id, &way.edge));
            }
        }
        self.ways.sort_by(|a, b| {
            let rank = |way: &Way| (way.via != Via::Own, std::cmp::Reverse(way.belief));
            rank(a).cmp(&rank(b)).then_with(|| a.via.cmp(&b.via)).then_with(|| a.id.cmp(&b.id))
        });
        self.ways.dedup_by(|a, b| a.id == b.id && a.via == b.via && a.since == b.since);
        self.shared.sort_by_key(|way| (way.since, way.id));
        self.credence = match &self.ways[..] {
            [only] => only.belief,
            ways => {
                let weighed = |way| {
                    let Way { id, edge, via, belief, .. }: &Way = way;
                    Weighed { id: *id, edge, belief: belief.get(), own: *via == Via::Own }
                };
                let shared: Vec<&Knowledge> = self.shared.iter().map(|way| &*way.edge).collect();
                credence(combine(&ways.iter().map(weighed).collect::<Vec<_>>(), &shared))
            }
        };
    }
}

/// What a group keeps for some of its ranks.
struct Ranked {
    way: Way,
    fact: Arc<Fact>,
    /// The rank of the knower in the group.
    held: Option<String>,
}

/// A passage that was heard or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The passage.
    pub passage: Arc<Passage>,
    /// How it reaches the knower.
    pub via: Via,
}

/// All that one knower knows at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    knower: Knower,
    as_of: Option<GameTime>,
    facts: BTreeMap<FactId, Known>,
    passages: BTreeMap<PassageId, Heard>,
    vocabulary: Arc<Vocabulary>,
}

/// Whose knowledge reaches the knower, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) from: Knower,
    pub(crate) via: Via,
    pub(crate) stay: Stay,
    /// The knower's rank there, if it is a member itself.
    rank: Option<String>,
}

impl Reach {
    /// All that somebody ever learns.
    pub(crate) fn all(from: Knower, via: Via) -> Self {
        Self { from, via, stay: Stay::ALWAYS, rank: None }
    }
}

/// A stretch of game time: from a moment up to, not including, another. `None` is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stay {
    from: Option<GameTime>,
    until: Option<GameTime>,
}

impl Stay {
    pub(crate) const ALWAYS: Self = Self { from: None, until: None };

    fn and(self, other: Self) -> Self {
        let until = match (self.until, other.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { from: self.from.max(other.from), until }
    }

    /// Since when something learned then is known to one who stays so long; nothing, when it was learned too late.
    pub(crate) fn receives(self, learned: Option<GameTime>) -> Option<Option<GameTime>> {
        let begins_before_it_ends = self.until.is_none_or(|until| self.from.is_none_or(|from| from < until));
        let in_time = self.until.is_none_or(|until| learned.is_none_or(|learned| learned < until));
        (begins_before_it_ends && in_time).then(|| self.from.max(learned))
    }
}

impl View {
    /// What a knower knows at a moment of game time, or at the end of all that is known.
    ///
    /// 1. What it has an edge to, learned by then; and common lore.
    /// 2. Of that, the canon memberships, residences and parts (a group within a group, a place within a place) of
    ///    which it knows: what such a group or place learned before the knower left it is known from the later of
    ///    joining and learning, for good. Repeated until nothing is added.
    /// 3. Passages that it, one of these groups or places during the stay, or everybody heard.
    pub fn of(state: &State, knower: &Knower, as_of: Option<GameTime>) -> Self {
        let (facts, passages) = (BTreeMap::new(), BTreeMap::new());
        let mut view =
            Self { knower: knower.clone(), as_of, facts, passages, vocabulary: Arc::clone(state.vocabulary()) };
        let mut sources = vec![Reach::all(Knower::World, Via::Common)];
        if matches!(knower, Knower::Entity(_)) {
            sources.push(Reach::all(knower.clone(), Via::Own));
        }
        let (mut taken, mut ranked) = (0, Vec::new());
        loop {
            for source in &sources[taken..] {
                view.take(state, source, &mut ranked);
            }
            taken = sources.len();
            for group in knower.entity().into_iter().flat_map(|id| view.groups(id)) {
                if !sources.contains(&group) {
                    sources.push(group);
                }
            }
            if taken == sources.len() && !view.take_ranked(&mut ranked) {
                break;
            }
        }
        view.hear(state, &sources);
        let mut weigher = Weigher::new(state);
        view.facts.retain(|_, known| {
            known.settle(&mut weigher);
            !known.ways.is_empty()
        });
        view
    }

    /// Takes over what somebody knows, as far as it reaches one who stays with them so long. What is for certain ranks
    /// waits, until it is known how those lie.
    fn take(&mut self, state: &State, Reach { from, via, stay, rank }: &Reach, ranked: &mut Vec<Ranked>) {
        for (id, edge) in state.edges_of(from) {
            let Some(fact) = state.fact(edge.fact) else { continue };
            let Some(since) = stay.receives(learned(edge, fact)).filter(|since| self.is_past(*since)) else { continue };
            let way = Way { id, edge: Arc::clone(edge), via: via.clone(), since, belief: edge.credence };
            match &edge.rank {
                Some(_) if *via != Via::Own => ranked.push(Ranked { way, fact: Arc::clone(fact), held: rank.clone() }),
                _ => self.add(way, fact),
            }
        }
    }

    fn add(&mut self, way: Way, fact: &Arc<Fact>) {
        self.facts.entry(fact.id()).or_insert_with(|| Known::unknown(fact)).add(way);
    }

    /// Takes what the knower's ranks open to it. Whether there was any.
    fn take_ranked(&mut self, ranked: &mut Vec<Ranked>) -> bool {
        let open = |ranked: &mut Ranked| match (&ranked.held, &ranked.way.edge.rank) {
            (Some(held), Some(wanted)) => self.reaches(&ranked.way.edge.knower, held, wanted),
            _ => false,
        };
        let opened: Vec<Ranked> = ranked.extract_if(.., open).collect();
        for Ranked { way, fact, .. } in &opened {
            self.add(way.clone(), fact);
        }
        !opened.is_empty()
    }

    /// Whether a rank in a group is at least another, by the group's ranks as far as the knower knows them.
    fn reaches(&self, group: &Knower, held: &str, wanted: &str) -> bool {
        let same = |a: &str, b: &str| hearsay_model::text::normal(a) == hearsay_model::text::normal(b);
        let lists = self
            .facts
            .values()
            .filter(|known| Some(known.subject()) == group.entity() && *known.predicate() == *attribute::RANKS);
        let at_least = |list: &str| {
            let place = |rank: &str| list.split(',').position(|other| same(other, rank));
            matches!((place(held), place(wanted)), (Some(held), Some(wanted)) if held >= wanted)
        };
        let latest = lists.max_by_key(|known| (known.recency(), known.id()));
        same(held, wanted) || latest.and_then(|known| known.object().text()).is_some_and(at_least)
    }

    /// Takes the passages that the sources heard, each by the source nearest to the knower.
    fn hear(&mut self, state: &State, sources: &[Reach]) {
        for Reach { from, via, stay, .. } in sources {
            for (id, passage) in state.passages_of(from) {
                let said = passage.time.as_ref().and_then(|date| date.time);
                if !stay.receives(said).is_some_and(|since| self.is_past(since)) {
                    continue;
                }
                let heard = self.passages.entry(id);
                let heard = heard.or_insert_with(|| Heard { passage: Arc::clone(passage), via: via.clone() });
                if *via < heard.via {
                    heard.via = via.clone();
                }
            }
        }
    }

    fn is_past(&self, moment: Option<GameTime>) -> bool {
        self.as_of.is_none_or(|now| moment.is_none_or(|moment| moment <= now))
    }

    /// The groups and places that the knower belongs to by what it knows.
    fn groups(&self, id: &EntityId) -> Vec<Reach> {
        let mut structure: BTreeMap<&EntityId, Vec<&Fact>> = BTreeMap::new();
        for known in self.facts.values().filter(|known| is_structure(&known.fact)) {
            structure.entry(known.subject()).or_default().push(&known.fact);
        }
        groups(id, |member| structure.get(member).cloned().unwrap_or_default())
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
        self.facts.get(&id)
    }

    /// All facts that are known, by id.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Known> {
        self.facts.values()
    }

    /// The facts that have an entity as subject or object, or mention it. By id.
    pub fn facts_about<'a>(&'a self, id: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        self.facts.values().filter(move |known| known.entities().any(|entity| entity == id))
    }

    /// The facts that somebody told the knower. By id.
    pub fn told_by<'a>(&'a self, other: &'a EntityId) -> impl Iterator<Item = &'a Known> {
        let told = move |way: &Way| matches!(&way.edge.how, How::Told { by: Some(by), .. } if by == other);
        self.facts.values().filter(move |known| known.ways.iter().any(|way| way.via == Via::Own && told(way)))
    }

    /// The facts that cannot be so together with a fact, as far as the knower can tell: those that refute it or that it
    /// refutes, another object of a functional predicate, an opposite relation between the same two. By id.
    pub fn against<'a>(&'a self, fact: &'a Known) -> impl Iterator<Item = &'a Known> {
        self.facts.values().filter(move |other| self.are_against(fact, other))
    }

    /// Whether two facts cannot both be so.
    pub fn are_against(&self, a: &Known, b: &Known) -> bool {
        are_against(&self.vocabulary, a, b)
    }

    /// The predicates and attributes of the campaign.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
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
        let facts = state.facts().filter(|fact| fact.standing().is_in_world());
        let facts = facts.map(|fact| (fact.id(), Known::unknown(fact))).collect();
        let heard = |passage: &Arc<Passage>| Heard { passage: Arc::clone(passage), via: Via::Own };
        let passages = state.passages().map(|(id, passage)| (id, heard(passage))).collect();
        let vocabulary = Arc::clone(state.vocabulary());
        Self { knower: Knower::World, as_of: None, facts, passages, vocabulary }
    }
}

/// When an edge came to be. What is known since ever is known since it began: nobody knows the future.
pub(crate) fn learned(edge: &Knowledge, fact: &Fact) -> Option<GameTime> {
    edge.learned_at().or_else(|| fact.validity().start())
}

/// The groups and places that somebody belongs to by the structure that it knows of each member, in the order of the
/// facts' ids: each with the way and the stay. Sorted, each once.
pub(crate) fn groups<'f>(id: &EntityId, mut structure: impl FnMut(&EntityId) -> Vec<&'f Fact>) -> Vec<Reach> {
    let mut reached: BTreeMap<(EntityId, Stay, Option<String>), Via> = BTreeMap::new();
    let mut open = vec![(id.clone(), Stay::ALWAYS, None::<bool>)];
    while let Some((member, stay, resident)) = open.pop() {
        for fact in structure(&member) {
            let Some(group) = fact.object().entity() else { continue };
            let resides = *fact.predicate() == *predicate::RESIDENT_OF;
            // A character is no part of anything; a group or place is, and hands its own way on.
            let resident = match resident {
                None if *fact.predicate() == *predicate::PART_OF => continue,
                None => resides,
                Some(resident) => resident,
            };
            let validity = fact.validity();
            let until = match validity.end() {
                // An end that the calendar does not understand lies in the past. All that can be placed before it
                // is what the group has known since ever.
                None if validity.is_closed() => {
                    Some(GameTime(validity.start().map_or(i64::MIN, |from| from.0.saturating_add(1))))
                }
                end => end,
            };
            let stay = stay.and(Stay { from: validity.start(), until });
            // A rank is the member's own; what lies above its group has none for it.
            let rank = fact.rank().filter(|_| member == *id).map(str::to_owned);
            let key = (group.clone(), stay, rank);
            if group != id && !reached.contains_key(&key) {
                let via = if resident { Via::Resident(group.clone()) } else { Via::Member(group.clone()) };
                reached.insert(key, via);
                open.push((group.clone(), stay, Some(resident)));
            }
        }
    }
    let reach = |((group, stay, rank), via): (_, Via)| Reach { from: Knower::Entity(group), via, stay, rank };
    reached.into_iter().map(reach).collect()
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
mod tests;
