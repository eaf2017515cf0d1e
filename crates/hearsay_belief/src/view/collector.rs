//! Collection of the knowledge that reaches a knower.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_model::{
    Belonging, EntityId, Fact, FactId, GameTime, Knower, KnowledgeEdge, KnowledgeId, KnownFact, Passage, PassageId,
    PassageSnapshot, State, Vocabulary, attribute, text,
};
use rustc_hash::FxHashMap;

use super::known::{AccessPath, FactSummary, Known, KnownEdge, ReceivedPassage};
use crate::{
    audience::states_belonging,
    credence::{BeliefCalculator, WeighedEdge, combined_belief, credence},
};

/// A source of knowledge: a knower whose facts reach the knower of the view, with the access path and the time span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnowledgeSource {
    pub(crate) from: Knower,
    pub(crate) access_path: AccessPath,
    pub(crate) period: MembershipPeriod,
    /// The knower's rank in the source, if the source is a group of which the knower is a direct member.
    pub(super) rank: Option<String>,
}

impl KnowledgeSource {
    /// Creates a source whose entire knowledge reaches the knower.
    pub(crate) fn all(from: Knower, access_path: AccessPath) -> Self {
        Self { from, access_path, period: MembershipPeriod::ALWAYS, rank: None }
    }

    /// Returns the edge as it reaches the knower; `None` if the knower does not receive it before the given moment.
    pub(super) fn received(
        &self,
        as_of: Option<GameTime>,
        id: KnowledgeId,
        edge: &Arc<KnowledgeEdge>,
        fact: &Fact,
    ) -> Option<KnownEdge> {
        let since = self.period.receives(learned(edge, fact)).filter(|since| is_past(as_of, *since))?;
        let access_path = self.access_path.clone();
        Some(KnownEdge { id, edge: Arc::clone(edge), access_path, since, belief: edge.credence })
    }

    /// Returns whether the source passes on an edge only to members of some ranks.
    pub(super) fn reserves(&self, edge: &KnowledgeEdge) -> bool {
        edge.rank.is_some() && self.access_path != AccessPath::Own
    }

    /// Returns whether a passage, which the source received at the given time, reaches the knower before the moment of
    /// the view.
    fn delivers(&self, as_of: Option<GameTime>, received: Option<GameTime>) -> bool {
        self.period.receives(received).is_some_and(|since| is_past(as_of, since))
    }
}

/// Returns whether a moment is not after the moment of a view.
fn is_past(as_of: Option<GameTime>, moment: Option<GameTime>) -> bool {
    as_of.is_none_or(|now| moment.is_none_or(|moment| moment <= now))
}

/// Returns the passages that the sources heard, each with the most direct access path. `facts` are the facts that the
/// knower knows.
pub(super) fn received_passages(
    passages: &PassageSnapshot,
    as_of: Option<GameTime>,
    knower: &Knower,
    sources: &[KnowledgeSource],
    facts: &[Known],
) -> BTreeMap<PassageId, ReceivedPassage> {
    let mut heard: Vec<(PassageId, &AccessPath, &Arc<Passage>)> = Vec::new();
    for source in sources {
        let received = passages.received_by(&source.from);
        let delivered = received.filter(|(_, _, received)| source.delivers(as_of, *received));
        heard.extend(delivered.map(|(id, passage, _)| (id, &source.access_path, passage)));
    }
    heard.sort_unstable_by_key(|(id, access_path, _)| (*id, *access_path));
    heard.dedup_by_key(|(id, ..)| *id);
    let received = |(id, access_path, passage)| (id, as_received(knower, facts, passage, access_path));
    heard.into_iter().map(received).collect()
}

/// Returns a passage with its most direct access path; `None` if no source heard it.
pub(super) fn received_passage(
    state: &State,
    as_of: Option<GameTime>,
    knower: &Knower,
    sources: &[KnowledgeSource],
    facts: &[Known],
    id: PassageId,
) -> Option<ReceivedPassage> {
    let passage = state.passage(id)?;
    let delivers = |source: &&KnowledgeSource| {
        passage.received_at(&source.from).is_some_and(|received| source.delivers(as_of, received))
    };
    let access_path = sources.iter().filter(delivers).map(|source| &source.access_path).min()?;
    Some(as_received(knower, facts, passage, access_path))
}

/// Returns a passage as the knower of `facts` received it. If the speaker of the passage uses a secret name and the
/// knower does not know whose name it is, the speaker is hidden.
fn as_received(knower: &Knower, facts: &[Known], passage: &Arc<Passage>, access_path: &AccessPath) -> ReceivedPassage {
    let alias = passage.speaker.as_ref().zip(passage.speaker_alias.as_ref());
    let is_masked = alias.is_some_and(|(speaker, alias)| {
        knower.entity() != Some(speaker) && !facts.iter().any(|known| knows_name(known, speaker, alias))
    });
    let passage = if is_masked { Arc::new(passage.without_speaker()) } else { Arc::clone(passage) };
    ReceivedPassage { passage, access_path: access_path.clone() }
}

/// A span of game time. The span includes the start and excludes the end. `None` means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MembershipPeriod {
    from: Option<GameTime>,
    until: Option<GameTime>,
}

impl MembershipPeriod {
    const ALWAYS: Self = Self { from: None, until: None };

    fn and(self, other: Self) -> Self {
        let until = match (self.until, other.until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { from: self.from.max(other.from), until }
    }

    /// Returns the time at which a member with this membership period receives a fact that the group learned at the
    /// given time. Returns `None` if the group learned the fact too late. `Some(None)` means that the member has always
    /// known the fact.
    pub(crate) fn receives(self, learned: Option<GameTime>) -> Option<Option<GameTime>> {
        let begins_before_it_ends = self.until.is_none_or(|until| self.from.is_none_or(|from| from < until));
        let in_time = self.until.is_none_or(|until| learned.is_none_or(|learned| learned < until));
        (begins_before_it_ends && in_time).then(|| self.from.max(learned))
    }
}

/// An edge that a group reserves for some of its ranks.
struct Ranked {
    known_edge: KnownEdge,
    index: u32,
    fact: Arc<Fact>,
    /// The knower's rank in the group; `None` if the knower has no rank.
    knower_rank: Option<String>,
}

/// The knowledge collected so far.
pub(super) struct Collector<'s> {
    state: &'s State,
    as_of: Option<GameTime>,
    facts: Vec<Known>,
    /// The dense index of each fact in `facts`, in the same order.
    indices: Vec<u32>,
    /// Index of each fact in `facts`, by the dense index of the fact.
    places: FxHashMap<u32, u32>,
    /// Known facts that state memberships, residences and part-of relations.
    structure: Vec<Arc<Fact>>,
    ranks: Vec<Arc<Fact>>,
    /// Edges that are reserved for ranks and that, according to the knowledge collected so far, the knower cannot know.
    ranked: Vec<Ranked>,
}

impl<'s> Collector<'s> {
    pub(super) fn new(state: &'s State, as_of: Option<GameTime>) -> Self {
        let (facts, indices, places, structure, ranked) = Default::default();
        Self { state, as_of, facts, indices, places, structure, ranks: Vec::new(), ranked }
    }

    /// Collects the knowledge of a source, as far as it reaches the knower in the membership period of the source.
    pub(super) fn collect_from(&mut self, source: &KnowledgeSource) {
        for KnownFact { id, edge, index, fact } in self.state.known_facts(&source.from) {
            let Some(known_edge) = source.received(self.as_of, id, edge, fact) else { continue };
            if source.reserves(edge) {
                let knower_rank = source.rank.clone();
                self.ranked.push(Ranked { known_edge, index, fact: Arc::clone(fact), knower_rank });
            } else {
                self.add(known_edge, index, fact);
            }
        }
    }

    fn add(&mut self, known_edge: KnownEdge, index: u32, fact: &Arc<Fact>) {
        // Members do not receive the edges that only record whom their group told.
        if !known_edge.edge.acquisition.gives_knowledge() && known_edge.access_path != AccessPath::Own {
            return;
        }
        let place = *self.places.entry(index).or_insert_with(|| {
            self.facts.push(Known::new(Arc::clone(fact)));
            self.indices.push(index);
            self.facts.len() as u32 - 1
        });
        let known = &mut self.facts[place as usize];
        // A membership that the knower only claimed, without knowing it, does not count.
        if known.known_edges.is_empty() && known_edge.edge.acquisition.gives_knowledge() {
            if states_belonging(self.state.vocabulary(), fact) {
                self.structure.push(Arc::clone(fact));
            } else if *fact.predicate() == *attribute::RANKS {
                self.ranks.push(Arc::clone(fact));
            }
        }
        known.add(known_edge);
    }

    /// Collects the edges to which the knower's ranks give access. Returns whether there were any.
    pub(super) fn collect_ranked(&mut self) -> bool {
        let mut ranked = std::mem::take(&mut self.ranked);
        let opened: Vec<Ranked> = ranked.extract_if(.., |ranked| self.reaches(ranked)).collect();
        self.ranked = ranked;
        for Ranked { known_edge, index, fact, .. } in &opened {
            self.add(known_edge.clone(), *index, fact);
        }
        !opened.is_empty()
    }

    /// Returns whether the knower has the required rank, according to the latest list of the group's ranks that the
    /// knower knows.
    fn reaches(&self, Ranked { known_edge, knower_rank, .. }: &Ranked) -> bool {
        let (Some(knower_rank), Some(wanted)) = (knower_rank, &known_edge.edge.rank) else { return false };
        let same = |a: &str, b: &str| text::normalize(a) == text::normalize(b);
        let lists = self.ranks.iter().filter(|fact| Some(fact.subject()) == known_edge.edge.knower.entity());
        let latest = lists.max_by_key(|fact| (fact.validity().start(), fact.provenance().recorded, fact.id()));
        let at_least = |list: &str| {
            let place = |rank: &str| list.split(',').position(|other| same(other, rank));
            matches!((place(knower_rank), place(wanted)), (Some(knower_rank), Some(wanted)) if knower_rank >= wanted)
        };
        same(knower_rank, wanted) || latest.and_then(|fact| fact.object().text()).is_some_and(at_least)
    }

    /// Returns the collected facts with their computed beliefs, sorted by id.
    pub(super) fn with_beliefs(self) -> (Vec<Known>, Vec<FactSummary>) {
        let Self { state, facts, indices, .. } = self;
        let mut calculator = BeliefCalculator::new(state);
        let compute_belief = |(mut known, index): (Known, u32)| {
            known.compute_belief(&mut calculator);
            (known.summary(index), Some(known))
        };
        let (mut summaries, mut facts): (Vec<FactSummary>, Vec<Option<Known>>) =
            facts.into_iter().zip(indices).map(compute_belief).unzip();
        // Sort the contiguous ids first, so that each fact is moved only once.
        let mut order: Vec<(FactId, u32)> = summaries.iter().map(|summary| summary.id).zip(0..).collect();
        order.sort_unstable();
        let facts = order.iter().filter_map(|(_, place)| facts[*place as usize].take()).collect();
        summaries.sort_unstable_by_key(|summary| summary.id);
        (facts, summaries)
    }

    /// Returns the groups and places to which the entity belongs, as far as it knows.
    pub(super) fn groups(&self, id: &EntityId) -> Vec<KnowledgeSource> {
        let mut structure: BTreeMap<&EntityId, Vec<&Fact>> = BTreeMap::new();
        for fact in &self.structure {
            structure.entry(fact.subject()).or_default().push(fact);
        }
        groups(self.state.vocabulary(), id, |member| structure.get(member).cloned().unwrap_or_default())
    }
}

/// Returns whether a known fact states that an entity has a name.
pub(super) fn knows_name(known: &Known, id: &EntityId, name: &str) -> bool {
    let said = || known.object().text().is_some_and(|said| text::normalize(said) == text::normalize(name));
    known.is_name() && known.subject() == id && !known.is_made_up() && said()
}

/// Returns the time at which the knower learned the fact of an edge. If the edge has no time, returns the start of the
/// fact's validity, because nobody knows a fact before it is true.
pub(crate) fn learned(edge: &KnowledgeEdge, fact: &Fact) -> Option<GameTime> {
    edge.learned_at().or_else(|| fact.validity().start())
}

/// Returns the groups and places to which an entity belongs, each with access path and period. The result is sorted and
/// contains no duplicates.
///
/// `structure` returns the facts known to the entity that state the memberships, residences and part-of relations of a
/// given member.
pub(crate) fn groups<'f>(
    vocabulary: &Vocabulary,
    id: &EntityId,
    mut structure: impl FnMut(&EntityId) -> Vec<&'f Fact>,
) -> Vec<KnowledgeSource> {
    let mut reached: BTreeSet<(EntityId, MembershipPeriod, Option<String>, AccessPath)> = BTreeSet::new();
    let mut open = vec![(id.clone(), MembershipPeriod::ALWAYS, None::<bool>)];
    while let Some((member, period, resident)) = open.pop() {
        for fact in structure(&member) {
            let Some(group) = fact.object().entity() else { continue };
            let belonging = vocabulary.belonging(fact.predicate());
            // Only a group or place can be part of something, so the entity itself is skipped. A larger group or place
            // is reached in the same way as its part: through membership or residence.
            let resident = match resident {
                None if belonging == Some(Belonging::Part) => continue,
                None => belonging == Some(Belonging::Resident),
                Some(resident) => resident,
            };
            let validity = fact.validity();
            let until = match validity.end() {
                // An end that is not a date on the calendar counts as past. Only facts that the group has always known
                // certainly precede this end.
                None if validity.is_closed() => {
                    Some(GameTime(validity.start().map_or(i64::MIN, |from| from.0.saturating_add(1))))
                }
                end => end,
            };
            let period = period.and(MembershipPeriod { from: validity.start(), until });
            // Only a direct member has a rank. The member has no rank in a larger group that contains its group.
            let rank = fact.rank().filter(|_| member == *id).map(str::to_owned);
            let access_path =
                if resident { AccessPath::Resident(group.clone()) } else { AccessPath::Member(group.clone()) };
            if group != id && reached.insert((group.clone(), period, rank, access_path)) {
                open.push((group.clone(), period, Some(resident)));
            }
        }
    }
    let source =
        |(group, period, rank, access_path)| KnowledgeSource { from: Knower::Entity(group), access_path, period, rank };
    reached.into_iter().map(source).collect()
}

impl Known {
    /// Creates a known fact from its edges; `None` if no edge gives knowledge of the fact.
    pub(crate) fn from_edges(
        fact: &Arc<Fact>,
        known_edges: impl IntoIterator<Item = KnownEdge>,
        calculator: &mut BeliefCalculator,
    ) -> Option<Self> {
        let mut known = Self::new(Arc::clone(fact));
        known_edges.into_iter().for_each(|known_edge| known.add(known_edge));
        known.compute_belief(calculator);
        (!known.known_edges.is_empty()).then_some(known)
    }

    /// Adds an edge. Drops edges that only record whom a group told, because its members do not receive them.
    pub(super) fn add(&mut self, known_edge: KnownEdge) {
        match &known_edge.access_path {
            _ if known_edge.edge.acquisition.gives_knowledge() => self.known_edges.push(known_edge),
            AccessPath::Own => self.shared.push(known_edge),
            _ => {}
        }
    }

    /// Sorts the edges and computes their belief.
    pub(super) fn compute_belief(&mut self, calculator: &mut BeliefCalculator) {
        for known_edge in &mut self.known_edges {
            if !known_edge.edge.sources.is_empty() {
                known_edge.belief = credence(calculator.belief(known_edge.id, &known_edge.edge));
            }
        }
        self.known_edges.sort_by(|a, b| {
            let rank = |known_edge: &KnownEdge| {
                (known_edge.access_path != AccessPath::Own, std::cmp::Reverse(known_edge.belief))
            };
            rank(a).cmp(&rank(b)).then_with(|| (&a.access_path, a.id, a.since).cmp(&(&b.access_path, b.id, b.since)))
        });
        self.known_edges.dedup_by(|a, b| a.id == b.id && a.access_path == b.access_path && a.since == b.since);
        self.shared.sort_by_key(|known_edge| (known_edge.since, known_edge.id));
        self.credence = match &self.known_edges[..] {
            [only] if self.shared.is_empty() => only.belief,
            known_edges => {
                let weighed = |known_edge| {
                    let KnownEdge { id, edge, access_path, belief, .. }: &KnownEdge = known_edge;
                    WeighedEdge { id: *id, edge, belief: belief.get(), is_own: *access_path == AccessPath::Own }
                };
                let shared: Vec<&KnowledgeEdge> = self.shared.iter().map(|known_edge| &*known_edge.edge).collect();
                credence(combined_belief(&known_edges.iter().map(weighed).collect::<Vec<_>>(), &shared))
            }
        };
    }
}
