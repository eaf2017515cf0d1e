//! Knowledge of characters during gossip. It is the same knowledge as in their views, but facts are looked up one at a
//! time, without building a view.

use std::{cmp::Reverse, collections::BTreeSet, ops::RangeInclusive, sync::Arc};

use hearsay_model::{
    Audience, AudienceRules, Credence, EntityId, Fact, FactId, FactRelation, GameTime, Justification, Knower,
    KnowledgeEdge, KnowledgeId, PredicateRole, Secrecy, State, attribute,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    AccessPath, BELIEVED, Known, KnownEdge, Trust, View, Weigher,
    audience::is_structure,
    credence::{credence, refuted},
    learn::{basis, naming},
    trust::{experiences, first_impression},
    view::{Reach, groups, learned},
};

/// Maximum number of facts that a character considers telling in a meeting. The newest facts are chosen.
const CARRIED: usize = 32;

/// An edge of a knower, in the form that gossip needs.
struct Held {
    fact: FactId,
    id: KnowledgeId,
    edge: Arc<KnowledgeEdge>,
    learned: Option<GameTime>,
}

/// An edge to a fact that states a membership, a residence or a part-of relation.
struct Bound {
    fact: Arc<Fact>,
    id: KnowledgeId,
    learned: Option<GameTime>,
    ranked: bool,
}

/// A fact that may be told as news: the time when it was learned, the start of its validity, and its id.
pub(super) type Rumour = (GameTime, Option<GameTime>, FactId);

/// The edges of one knower.
#[derive(Default)]
struct Lore {
    /// Sorted by fact.
    held: Vec<Held>,
    /// Edges to facts that state memberships, residences and part-of relations, by the subject of the fact.
    structure: FxHashMap<EntityId, Vec<Bound>>,
    /// Facts that may be told as news, sorted.
    news: Vec<Rumour>,
    /// Facts that others told the knower, by the dense index of the teller.
    told: FxHashMap<u32, Vec<FactId>>,
    /// Facts that the knower witnessed.
    seen: Vec<FactId>,
    /// Whether the knower is a group that reserves some of its edges for certain ranks.
    ranked: bool,
}

impl Lore {
    fn of(&self, fact: FactId) -> &[Held] {
        let start = self.held.partition_point(|held| held.fact < fact);
        let len = self.held[start..].iter().take_while(|held| held.fact == fact).count();
        &self.held[start..start + len]
    }

    fn note(&mut self, state: &State, fact: &Fact, edge: &KnowledgeEdge, learned: Option<GameTime>, is_news: bool) {
        if let Some(learned) = learned.filter(|_| is_news && edge.acquisition.gives_knowledge()) {
            self.news.push((learned, fact.validity().start(), fact.id()));
        }
        let fact = fact.id();
        if let Some(by) = edge.acquisition.teller().and_then(|by| state.index_of(by)) {
            self.told.entry(by).or_default().push(fact);
        }
        if edge.acquisition.is_witnessed() {
            self.seen.push(fact);
        }
    }
}

/// The sources of the knowledge of a character. The first two sources are common lore and the character's own edges.
struct Mind {
    sources: Vec<(Option<u32>, Reach)>,
    /// Edges that are reserved for a rank that the character has reached, each with the time from which the character
    /// knows the fact.
    open: FxHashSet<(KnowledgeId, Option<GameTime>)>,
    /// Facts that state relations between the character and other entities, by the dense index of the other entity.
    bonds: Arc<FxHashMap<u32, Vec<FactId>>>,
    /// Number of `moments` that lay in the past when this entry was computed.
    epoch: usize,
}

/// The newest name and kind of an entity, and all its names and kinds.
struct Naming {
    newest: Vec<(&'static str, FactId)>,
    all: Vec<(&'static str, FactId)>,
}

pub(super) struct Minds<'s> {
    state: &'s State,
    rules: AudienceRules,
    ids: Vec<Option<&'s EntityId>>,
    world: Lore,
    lores: Vec<Option<Box<Lore>>>,
    minds: Vec<Option<Box<Mind>>>,
    weigher: Weigher<'s>,
    /// Cache: whether a fact may be told as news.
    worth: FxHashMap<FactId, bool>,
    /// The facts that refute or end a fact, by the id of the refuted or ended fact.
    fact_relations: FxHashMap<FactId, Vec<FactId>>,
    names: FxHashMap<EntityId, Arc<Naming>>,
    /// Moments within the step at which a membership begins or becomes known, sorted.
    moments: Vec<GameTime>,
}

impl<'s> Minds<'s> {
    pub(super) fn new(state: &'s State, ids: Vec<Option<&'s EntityId>>, within: RangeInclusive<GameTime>) -> Self {
        let mut fact_relations: FxHashMap<FactId, Vec<FactId>> = FxHashMap::default();
        let mut moments = BTreeSet::new();
        for fact in state.facts() {
            if let Some(FactRelation::Refutes(other) | FactRelation::Ends(other)) = fact.fact_relation() {
                fact_relations.entry(other).or_default().push(fact.id());
            }
            if is_structure(state.vocabulary(), fact) || *fact.predicate() == *attribute::RANKS {
                let learned = state.known_by(fact.id()).filter_map(|edge| learned(edge, fact));
                moments.extend(learned.chain(fact.validity().start()).filter(|moment| within.contains(moment)));
            }
        }
        let moments = moments.into_iter().collect();
        let mut lores = Vec::new();
        lores.resize_with(ids.len(), || None);
        let mut minds = Vec::new();
        minds.resize_with(ids.len(), || None);
        let mut all = Self {
            state,
            rules: state.audience_rules(),
            ids,
            world: Lore::default(),
            lores,
            minds,
            weigher: Weigher::new(state),
            worth: FxHashMap::default(),
            fact_relations,
            names: FxHashMap::default(),
            moments,
        };
        all.world = all.lore(&Knower::World);
        all
    }

    fn lore(&mut self, knower: &Knower) -> Lore {
        let mut lore = Lore::default();
        for (id, edge) in self.state.edges_of(knower) {
            let Some(fact) = self.state.fact(edge.fact) else { continue };
            let (learned, ranked) = (learned(edge, fact), edge.rank.is_some());
            let is_news = *knower != Knower::World && learned.is_some() && self.is_worth(fact);
            lore.note(self.state, fact, edge, learned, is_news);
            if is_structure(self.state.vocabulary(), fact) {
                let bound = Bound { fact: Arc::clone(fact), id, learned, ranked };
                lore.structure.entry(fact.subject().clone()).or_default().push(bound);
            }
            if ranked {
                lore.ranked = true;
                self.note_moment(learned);
            }
            lore.held.push(Held { fact: fact.id(), id, edge: Arc::clone(edge), learned });
        }
        lore.held.sort_unstable_by_key(|held| (held.fact, held.id));
        lore.news.sort_unstable();
        lore
    }

    /// Returns whether a fact may ever be told as news.
    fn is_worth(&mut self, fact: &Fact) -> bool {
        if let Some(known) = self.worth.get(&fact.id()) {
            return *known;
        }
        let vocabulary = self.state.vocabulary();
        let name = fact.predicate();
        let worth = fact.secrecy() == Secrecy::Open
            && vocabulary.belonging(name).is_none()
            && !PredicateRole::Location.is(name)
            && vocabulary.is_embedded(name)
            && vocabulary.audience(&self.rules, fact) != Audience::Private
            && self.world.of(fact.id()).is_empty();
        self.worth.insert(fact.id(), worth);
        worth
    }

    /// Prepares to look up a character's knowledge at a moment.
    pub(super) fn wake(&mut self, who: u32, now: GameTime) {
        let Some(id) = self.ids[who as usize] else { return };
        self.load(who, id);
        let epoch = self.moments.partition_point(|moment| *moment <= now);
        let mind = self.minds[who as usize].as_ref();
        if mind.is_some_and(|mind| mind.epoch == epoch) {
            return;
        }
        let bonds = mind.map(|mind| Arc::clone(&mind.bonds)).unwrap_or_else(|| self.bonds(who));
        let own = Knower::Entity(id.clone());
        let all = vec![
            (None, Reach::all(Knower::World, AccessPath::Common)),
            (Some(who), Reach::all(own.clone(), AccessPath::Own)),
        ];
        let mut mind = Mind { sources: all, open: FxHashSet::default(), bonds, epoch };
        self.join(id, &mut mind, now);
        // Whether the character has access to an edge that is reserved for a rank depends on the lists of ranks that
        // the character knows. Only a full view can determine this.
        let mut sources = mind.sources.iter().skip(2).filter_map(|(source, _)| *source);
        if sources.any(|source| self.lores[source as usize].as_ref().is_some_and(|lore| lore.ranked)) {
            let view = View::of(self.state, &own, Some(now));
            let known_edges = view.facts().flat_map(Known::known_edges);
            mind.open = known_edges
                .filter(|way| way.access_path != AccessPath::Own && way.edge.rank.is_some())
                .map(|way| (way.id, way.since))
                .collect();
            self.join(id, &mut mind, now);
        }
        self.minds[who as usize] = Some(Box::new(mind));
    }

    /// Adds a moment at which the knowledge of characters may change. Characters that were prepared for an earlier
    /// moment will be prepared again.
    fn note_moment(&mut self, moment: Option<GameTime>) {
        let Some(moment) = moment else { return };
        if let Err(at) = self.moments.binary_search(&moment) {
            self.moments.insert(at, moment);
        }
    }

    fn load(&mut self, who: u32, id: &EntityId) {
        if self.lores[who as usize].is_none() {
            self.lores[who as usize] = Some(Box::new(self.lore(&Knower::Entity(id.clone()))));
        }
    }

    /// Adds the groups and places to which a character belongs, as far as it knows, until there are no more to add.
    fn join(&mut self, id: &EntityId, mind: &mut Mind, now: GameTime) {
        loop {
            let found = groups(self.state.vocabulary(), id, |member| {
                let mut facts: Vec<&Fact> = Vec::new();
                for (source, reach) in &mind.sources {
                    let bounds = self.source(*source).and_then(|lore| lore.structure.get(member));
                    for bound in bounds.into_iter().flatten() {
                        let since = reach.stay.receives(bound.learned).filter(|since| *since <= Some(now));
                        let closed = bound.ranked && reach.access_path != AccessPath::Own;
                        if since.is_some_and(|since| !closed || mind.open.contains(&(bound.id, since))) {
                            facts.push(&bound.fact);
                        }
                    }
                }
                facts.sort_unstable_by_key(|fact| fact.id());
                facts.dedup_by_key(|fact| fact.id());
                facts
            });
            let before = mind.sources.len();
            for reach in found {
                let there = mind.sources.iter().any(|(_, other)| *other == reach);
                let group = reach.from.entity().and_then(|group| Some((group.clone(), self.state.index_of(group)?)));
                if let Some((group, index)) = group.filter(|_| !there) {
                    self.load(index, &group);
                    mind.sources.push((Some(index), reach));
                }
            }
            if mind.sources.len() == before {
                return;
            }
        }
    }

    fn bonds(&self, who: u32) -> Arc<FxHashMap<u32, Vec<FactId>>> {
        let mut bonds: FxHashMap<u32, Vec<FactId>> = FxHashMap::default();
        for link in self.state.links_at(who) {
            bonds.entry(link.other_index()).or_default().push(link.fact().id());
        }
        Arc::new(bonds)
    }

    fn source(&self, source: Option<u32>) -> Option<&Lore> {
        source.map_or(Some(&self.world), |index| self.lores[index as usize].as_deref())
    }

    /// Returns the edges through which a character knows a fact at a moment, each with its access path and the time
    /// when the character received the fact. Includes edges that only record that the character told others.
    fn held(
        &self,
        who: u32,
        fact: FactId,
        now: GameTime,
    ) -> impl Iterator<Item = (&Held, &AccessPath, Option<GameTime>)> {
        let mind = self.minds[who as usize].as_deref();
        mind.into_iter().flat_map(move |mind| {
            let sources = mind.sources.iter().filter_map(|(source, reach)| Some((self.source(*source)?, reach)));
            sources.flat_map(move |(lore, reach)| {
                lore.of(fact).iter().filter_map(move |held| {
                    let since = reach.stay.receives(held.learned).filter(|since| *since <= Some(now))?;
                    let closed = held.edge.rank.is_some() && reach.access_path != AccessPath::Own;
                    (!closed || mind.open.contains(&(held.id, since))).then_some((held, &reach.access_path, since))
                })
            })
        })
    }

    fn knows(&self, who: u32, fact: FactId, now: GameTime) -> bool {
        self.held(who, fact, now).any(|(held, ..)| held.edge.acquisition.gives_knowledge())
    }

    /// Returns a fact as a character knows it at a moment.
    pub(super) fn known(&mut self, who: u32, fact: FactId, now: GameTime) -> Option<Known> {
        let known_edges: Vec<KnownEdge> = self
            .held(who, fact, now)
            .map(|(held, access_path, since)| {
                let (edge, belief) = (Arc::clone(&held.edge), held.edge.credence);
                KnownEdge { id: held.id, edge, access_path: access_path.clone(), since, belief }
            })
            .collect();
        if known_edges.is_empty() {
            return None;
        }
        Known::by(self.state.fact(fact)?, known_edges, &mut self.weigher)
    }

    /// Returns the facts that a character learned from `oldest` to `latest` and that may be news. The newest fact comes
    /// first.
    pub(super) fn news(&self, who: u32, oldest: GameTime, latest: GameTime) -> Vec<Rumour> {
        let Some(mind) = self.minds[who as usize].as_deref() else { return Vec::new() };
        let mut news: Vec<Rumour> = Vec::new();
        for lore in mind.sources.iter().skip(1).filter_map(|(source, _)| self.source(*source)) {
            let known = &lore.news[..lore.news.partition_point(|(learned, ..)| *learned <= latest)];
            news.extend(known.iter().rev().take_while(|(learned, ..)| *learned >= oldest).take(CARRIED));
        }
        news.sort_unstable_by_key(|(learned, _, fact)| (*fact, *learned));
        news.dedup_by_key(|(.., fact)| *fact);
        news.sort_unstable_by_key(|(learned, began, fact)| (Reverse((*learned, *began)), *fact));
        news.truncate(CARRIED);
        news
    }

    /// Returns when the character, or a group or place through which it knows a fact, first learned the fact. Only
    /// edges that reached the character at or before the time `known_by` count.
    pub(super) fn learned(&self, who: u32, fact: FactId, known_by: GameTime) -> Option<GameTime> {
        let known_edges = self.held(who, fact, known_by).filter(|(held, ..)| held.edge.acquisition.gives_knowledge());
        known_edges.map(|(held, ..)| held.learned).min().flatten()
    }

    /// Returns the trust of one character in another at a moment.
    pub(super) fn trust(&mut self, who: u32, other: u32, now: GameTime) -> Trust {
        let (Some(mind), Some(lore)) = (self.minds[who as usize].as_deref(), self.lores[who as usize].as_deref())
        else {
            return Trust { first: Credence::NONE, experiences: Vec::new() };
        };
        let (Some(id), Some(other_id)) = (self.ids[who as usize], self.ids[other as usize]) else {
            return Trust { first: Credence::NONE, experiences: Vec::new() };
        };
        let between = mind.bonds.get(&other).cloned().unwrap_or_default();
        let (mut told, mut seen) = (Vec::new(), Vec::new());
        if let Some(facts) = lore.told.get(&other).filter(|_| !lore.seen.is_empty()) {
            told.clone_from(facts);
            seen.clone_from(&lore.seen);
        }
        let mut known = |mut facts: Vec<FactId>| -> Vec<Known> {
            facts.sort_unstable();
            facts.dedup();
            facts.into_iter().filter_map(|fact| self.known(who, fact, now)).collect()
        };
        let (between, told, seen) = (known(between), known(told), known(seen));
        let first = credence(first_impression(self.state.vocabulary(), id, other_id, &between));
        let (told, seen): (Vec<_>, Vec<_>) = (told.iter().collect(), seen.iter().collect());
        Trust { first, experiences: experiences(&told, &seen, other_id, self.state.vocabulary()) }
    }

    /// Returns how much a character believes a fact, after refutations. Returns zero if the character knows that the
    /// fact has ended.
    pub(super) fn conviction(&mut self, who: u32, known: &Known, now: GameTime) -> f64 {
        let (mut refutations, mut outweighed) = (Vec::new(), false);
        for id in self.fact_relations.get(&known.id()).cloned().unwrap_or_default() {
            let Some(other) = self.known(who, id, now) else { continue };
            let certain = other.credence().get() >= BELIEVED;
            let past = other.since().and_then(|date| date.time).is_none_or(|since| since <= now);
            match other.fact_relation() {
                Some(FactRelation::Ends(_)) if certain && past => return 0.0,
                Some(FactRelation::Refutes(_)) => {
                    refutations.push((other.credence().get(), other.learned()));
                    outweighed |= certain;
                }
                _ => {}
            }
        }
        let belief = refuted((known.credence().get(), known.learned()), refutations);
        // A fact is not told, not even as a rumour, if the character believes a refutation of the fact more than the
        // fact.
        if outweighed && belief < BELIEVED { 0.0 } else { belief }
    }

    /// Returns whether a character has reason to think that another character knows a fact.
    pub(super) fn supposes(&self, who: u32, other: u32, known: &Known, now: GameTime) -> bool {
        let Some(id) = self.ids[other as usize] else { return false };
        let belongs = |group: &EntityId| {
            let mut links = self.state.links_at(other).filter(|link| link.is_forward() && link.other() == group);
            links.any(|link| {
                let behavior = self.state.vocabulary().behavior(link.fact().predicate());
                behavior.is_direct_belonging() && self.knows(who, link.fact().id(), now)
            })
        };
        let knows = |way: &KnownEdge| match &way.access_path {
            AccessPath::Own => {
                way.edge.co_present.contains(id) || way.edge.acquisition.people().any(|person| person == id)
            }
            AccessPath::Member(group) | AccessPath::Resident(group) => belongs(group),
            AccessPath::Common => true,
        };
        known.known_edges().iter().any(knows) || known.shared().iter().any(|way| way.edge.co_present.contains(id))
    }

    /// Returns whether a fact concerns a third entity that both characters know by name.
    pub(super) fn concerns_both(&mut self, fact: &Fact, one: u32, other: u32, now: GameTime) -> bool {
        let both = [self.ids[one as usize], self.ids[other as usize]];
        fact.entities().any(|id| {
            !both.contains(&Some(id)) && {
                let names = self.naming(id);
                [one, other].into_iter().all(|who| self.knows_as(who, &names, attribute::NAME, now))
            }
        })
    }

    fn knows_as(&self, who: u32, names: &Naming, name: &str, now: GameTime) -> bool {
        names.all.iter().any(|(other, fact)| *other == name && self.knows(who, *fact, now))
    }

    fn naming(&mut self, id: &EntityId) -> Arc<Naming> {
        if let Some(names) = self.names.get(id) {
            return Arc::clone(names);
        }
        let newest = naming(self.state, id).map(|(name, fact)| (name, fact.id())).collect();
        let mut all = Vec::new();
        for fact in self.state.facts_of(id).filter(|fact| fact.subject() == id) {
            let named = [attribute::NAME, attribute::KIND].into_iter().find(|name| *fact.predicate() == **name);
            all.extend(named.map(|name| (name, fact.id())));
        }
        let names = Arc::new(Naming { newest, all });
        self.names.insert(id.clone(), Arc::clone(&names));
        names
    }

    /// Returns the names and kinds of entities that are told together with a fact: those that the teller knows and the
    /// hearer does not. Each comes with its justifications.
    pub(super) fn names(
        &mut self,
        fact: &Fact,
        teller: u32,
        hearer: u32,
        now: GameTime,
    ) -> Vec<(FactId, Vec<Justification>)> {
        let entities: BTreeSet<&EntityId> = fact.entities().collect();
        let mut found = Vec::new();
        for id in entities {
            let names = self.naming(id);
            for (name, fact) in &names.newest {
                if self.knows_as(hearer, &names, name, now) {
                    continue;
                }
                let known = self.known(teller, *fact, now);
                found.extend(known.map(|known| (*fact, basis(&known).collect())));
            }
        }
        found
    }

    /// Returns how much an edge alone makes its knower believe its fact.
    pub(super) fn belief(&mut self, id: KnowledgeId, edge: &KnowledgeEdge) -> Credence {
        credence(self.weigher.belief(id, edge))
    }

    /// Records that a character learned a fact. Returns the id of the edge.
    pub(super) fn learn(&mut self, who: u32, edge: &Arc<KnowledgeEdge>) -> KnowledgeId {
        let (id, learned) = (edge.id(), edge.learned_at());
        self.weigher.add(id, Arc::clone(edge));
        let is_news = self.worth.get(&edge.fact).copied().unwrap_or_default();
        if let (Some(lore), Some(fact)) = (&mut self.lores[who as usize], self.state.fact(edge.fact)) {
            let key = (edge.fact, id);
            let at = lore.held.partition_point(|held| (held.fact, held.id) < key);
            if lore.held.get(at).is_none_or(|held| (held.fact, held.id) != key) {
                lore.held.insert(at, Held { fact: edge.fact, id, edge: Arc::clone(edge), learned });
                lore.note(self.state, fact, edge, learned, is_news);
                // Sort the list only if it contains news that was learned after the new fact, which is rare.
                if let [.., before, last] = &lore.news[..]
                    && last < before
                {
                    lore.news.sort_unstable();
                }
            }
        }
        id
    }
}
