//! Knowledge of characters during gossip. This knowledge is the same as in the views of the characters. However, facts
//! are looked up one at a time, and no view is built.

mod opinions;

use std::{cmp::Reverse, collections::BTreeSet, ops::RangeInclusive, sync::Arc};

use hearsay_model::{
    Acquisition, Audience, AudienceRules, Credence, EntityId, Fact, FactId, FactRelation, GameTime, Justification,
    Knower, KnowledgeEdge, KnowledgeId, Predicate, PredicateRole, Secrecy, State, Vocabulary, attribute,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    AccessPath, BeliefCalculator, Known, KnownEdge, View,
    audience::states_belonging,
    credence::credence,
    learn::{justifications, newest_name_and_kind},
    view::{KnowledgeSource, MemoryRules, groups, learned},
};

/// Maximum number of facts that a character considers telling in a meeting. The newest facts are chosen.
const MAX_NEWS_CANDIDATES: usize = 32;

/// An edge of a knower, with the data that gossip needs.
struct EdgeEntry {
    fact: FactId,
    id: KnowledgeId,
    edge: Arc<KnowledgeEdge>,
    learned: Option<GameTime>,
}

/// An edge to a fact that states a membership, a residence or a part-of relation.
struct BelongingEdge {
    fact: Arc<Fact>,
    id: KnowledgeId,
    learned: Option<GameTime>,
    is_ranked: bool,
}

/// A fact that can be told as news, as a tuple of the time when the fact was learned, the start of its validity, and
/// its id.
pub(super) type NewsCandidate = (GameTime, Option<GameTime>, FactId);

/// Returns whether gossip can contain a fact, according to its predicate. Nobody gossips about the place of a character,
/// so nobody gossips about its departure either.
pub(super) fn is_gossip(state: &State, fact: &Fact) -> bool {
    let vocabulary = state.vocabulary();
    let can_be_told = |predicate: &Predicate| {
        let is_place_or_group = vocabulary.belonging(predicate).is_some() || PredicateRole::Location.is(predicate);
        !is_place_or_group && vocabulary.is_embedded(predicate) && !vocabulary.behavior(predicate).visible
    };
    let predicate_of = |id| Some(state.fact(id)?.predicate());
    can_be_told(fact.predicate()) && !PredicateRole::Location.is_ended_by(fact.fact_relation(), predicate_of)
}

/// Returns whether an edge states that its knower heard a rumour, and the time at which the knower heard it is unknown.
fn is_undated_rumour(edge: &KnowledgeEdge, learned: Option<GameTime>) -> bool {
    learned.is_none() && matches!(edge.acquisition, Acquisition::Told { by: None, .. })
}

/// The edges of one knower.
#[derive(Default)]
struct KnowerEdges {
    /// The edges, sorted by fact.
    entries: Vec<EdgeEntry>,
    /// Edges to facts that state memberships, residences and part-of relations, by the subject of the fact.
    belonging_edges: FxHashMap<EntityId, Vec<BelongingEdge>>,
    /// Facts that can be told as news, sorted.
    news: Vec<NewsCandidate>,
    /// Rumours without a date that can be told as news.
    undated_rumours: Vec<FactId>,
    /// Facts that others told the knower, by the dense index of the teller.
    told_by: FxHashMap<u32, Vec<FactId>>,
    /// Facts that the knower witnessed.
    witnessed: Vec<FactId>,
    /// The knower's own distorted versions of facts that it told to others, by the distorted fact.
    told_versions: FxHashMap<FactId, FactId>,
    /// Whether the knower is a group that reserves some of its edges for certain ranks.
    has_ranked_edges: bool,
}

impl KnowerEdges {
    /// Returns the edges to a fact.
    fn entries_for(&self, fact: FactId) -> &[EdgeEntry] {
        let start = self.entries.partition_point(|entry| entry.fact < fact);
        let len = self.entries[start..].iter().take_while(|entry| entry.fact == fact).count();
        &self.entries[start..start + len]
    }

    /// Adds an edge to the lists of news, of testimonies and of observations.
    fn index_edge(
        &mut self,
        state: &State,
        fact: &Fact,
        edge: &KnowledgeEdge,
        learned: Option<GameTime>,
        is_news: bool,
    ) {
        match learned.filter(|_| edge.acquisition.gives_knowledge()) {
            Some(learned) if is_news => self.news.push((learned, fact.validity().start(), fact.id())),
            None if is_news && is_undated_rumour(edge, learned) => self.undated_rumours.push(fact.id()),
            _ => {}
        }
        let is_own_version = fact.provenance().speaker.as_ref() == edge.knower.entity();
        // A lie is no version of a fact: its record has no source.
        let was_told = !edge.acquisition.gives_knowledge() && edge.has_basis();
        if let Some(FactRelation::Distorts(original)) = fact.fact_relation().filter(|_| is_own_version && was_told) {
            let version = self.told_versions.entry(original).or_insert(fact.id());
            *version = (*version).min(fact.id());
        }
        let fact = fact.id();
        if let Some(teller) = edge.acquisition.teller().and_then(|teller| state.index_of(teller)) {
            self.told_by.entry(teller).or_default().push(fact);
        }
        if edge.acquisition.is_witnessed() {
            self.witnessed.push(fact);
        }
    }
}

/// The sources of the knowledge of a character. The first two sources are common lore and the character's own edges.
struct KnowledgeAccess {
    sources: Vec<(Option<u32>, KnowledgeSource)>,
    /// Edges that are reserved for a rank that the character has reached, each with the time from which the character
    /// knows the fact.
    accessible_ranked_edges: FxHashSet<(KnowledgeId, Option<GameTime>)>,
    /// Facts that state relations between the character and other entities, by the dense index of the other entity.
    facts_by_related_entity: Arc<FxHashMap<u32, Vec<FactId>>>,
    /// Number of [moments](CharacterKnowledge::moments) that lay in the past when this entry was computed.
    epoch: usize,
}

/// The newest name and kind of an entity, and all its names and kinds.
struct NamingFacts {
    newest: Vec<(&'static str, FactId)>,
    all: Vec<(&'static str, FactId)>,
}

/// The knowledge of all characters, loaded and cached when it is needed.
pub(super) struct CharacterKnowledge<'s> {
    state: &'s State,
    audience_rules: AudienceRules,
    ids: Vec<Option<&'s EntityId>>,
    common_lore: KnowerEdges,
    /// The edges of each knower, by the dense index of the knower; `None` if not loaded yet.
    edges: Vec<Option<Box<KnowerEdges>>>,
    /// The sources of each character's knowledge, by the dense index of the character; `None` if not loaded yet.
    access: Vec<Option<Box<KnowledgeAccess>>>,
    calculator: BeliefCalculator<'s>,
    /// Cache: whether a fact can be told as news.
    news_eligibility: FxHashMap<FactId, bool>,
    /// The facts that refute or end a fact, by the id of the refuted or ended fact.
    fact_relations: FxHashMap<FactId, Vec<FactId>>,
    naming_facts: FxHashMap<EntityId, Arc<NamingFacts>>,
    /// How each character forgets, by the dense index of the character. Computed at the first query.
    memory_rules: FxHashMap<u32, MemoryRules>,
    /// Cache: the facts with a character as subject that change feelings, each with the dense index of the object.
    deeds: FxHashMap<u32, Arc<Vec<(FactId, u32)>>>,
    /// Distorted facts of this step that are not in the state yet.
    new_facts: FxHashMap<FactId, Arc<Fact>>,
    /// Moments within the step at which a membership begins or becomes known, sorted.
    moments: Vec<GameTime>,
    /// The age of a rumour without a date, in minutes of game time.
    undated_age: i64,
}

impl<'s> CharacterKnowledge<'s> {
    pub(super) fn new(
        state: &'s State,
        ids: Vec<Option<&'s EntityId>>,
        within: RangeInclusive<GameTime>,
        undated_age: i64,
    ) -> Self {
        let mut fact_relations: FxHashMap<FactId, Vec<FactId>> = FxHashMap::default();
        let mut moments = BTreeSet::new();
        for fact in state.facts() {
            if let Some(FactRelation::Refutes(other) | FactRelation::Ends(other)) = fact.fact_relation() {
                fact_relations.entry(other).or_default().push(fact.id());
            }
            if states_belonging(state.vocabulary(), fact) || *fact.predicate() == *attribute::RANKS {
                let learned = state.known_by(fact.id()).filter_map(|edge| learned(edge, fact));
                moments.extend(learned.chain(fact.validity().start()).filter(|moment| within.contains(moment)));
            }
        }
        let moments = moments.into_iter().collect();
        let mut edges = Vec::new();
        edges.resize_with(ids.len(), || None);
        let mut access = Vec::new();
        access.resize_with(ids.len(), || None);
        let mut knowledge = Self {
            state,
            audience_rules: state.audience_rules(),
            ids,
            common_lore: KnowerEdges::default(),
            edges,
            access,
            calculator: BeliefCalculator::new(state),
            news_eligibility: FxHashMap::default(),
            fact_relations,
            naming_facts: FxHashMap::default(),
            memory_rules: FxHashMap::default(),
            deeds: FxHashMap::default(),
            new_facts: FxHashMap::default(),
            moments,
            undated_age,
        };
        knowledge.common_lore = knowledge.read_edges(&Knower::World);
        knowledge
    }

    /// Reads the edges of a knower from the state.
    fn read_edges(&mut self, knower: &Knower) -> KnowerEdges {
        let mut edges = KnowerEdges::default();
        for (id, edge) in self.state.edges_of(knower) {
            let Some(fact) = self.state.fact(edge.fact) else { continue };
            let (learned, is_ranked) = (learned(edge, fact), edge.rank.is_some());
            let can_be_news = learned.is_some() || is_undated_rumour(edge, learned);
            let is_news = *knower != Knower::World && can_be_news && self.is_eligible_as_news(fact);
            edges.index_edge(self.state, fact, edge, learned, is_news);
            if states_belonging(self.state.vocabulary(), fact) {
                let edge = BelongingEdge { fact: Arc::clone(fact), id, learned, is_ranked };
                edges.belonging_edges.entry(fact.subject().clone()).or_default().push(edge);
            }
            if is_ranked {
                edges.has_ranked_edges = true;
                self.add_moment(learned);
            }
            edges.entries.push(EdgeEntry { fact: fact.id(), id, edge: Arc::clone(edge), learned });
        }
        edges.entries.sort_unstable_by_key(|entry| (entry.fact, entry.id));
        edges.news.sort_unstable();
        edges
    }

    pub(super) fn state(&self) -> &'s State {
        self.state
    }

    pub(super) fn vocabulary(&self) -> &'s Vocabulary {
        self.state.vocabulary()
    }

    /// Returns a fact of the state, or a new distorted fact of this step.
    pub(super) fn fact(&self, id: FactId) -> Option<&Arc<Fact>> {
        self.state.fact(id).or_else(|| self.new_facts.get(&id))
    }

    /// Adds a distorted fact that a character tells. Returns whether the fact is not in the state yet and was not added
    /// before.
    pub(super) fn add_fact(&mut self, fact: &Arc<Fact>) -> bool {
        self.state.fact(fact.id()).is_none() && self.new_facts.insert(fact.id(), Arc::clone(fact)).is_none()
    }

    /// Returns the distorted version of a fact that a character has told.
    pub(super) fn told_version(&self, character: u32, original: FactId) -> Option<FactId> {
        self.edges[character as usize].as_ref()?.told_versions.get(&original).copied()
    }

    /// Returns whether a teller has told a fact to a hearer.
    pub(super) fn has_told(&self, teller: u32, hearer: &EntityId, fact: FactId) -> bool {
        self.tellings(teller, fact).any(|(told, _)| told == hearer)
    }

    /// Returns the entities to which a teller has told a fact, each with the time of the telling.
    pub(super) fn tellings(&self, teller: u32, fact: FactId) -> impl Iterator<Item = (&EntityId, Option<GameTime>)> {
        let edges = self.edges[teller as usize].as_ref();
        let records = edges.into_iter().flat_map(move |edges| edges.entries_for(fact));
        let records = records.filter(|entry| !entry.edge.acquisition.gives_knowledge());
        records.flat_map(|entry| entry.edge.co_present.iter().map(move |hearer| (hearer, entry.learned)))
    }

    /// Returns whether a fact can be told as news at any time.
    pub(super) fn is_eligible_as_news(&mut self, fact: &Fact) -> bool {
        if let Some(is_eligible) = self.news_eligibility.get(&fact.id()) {
            return *is_eligible;
        }
        let vocabulary = self.state.vocabulary();
        let is_eligible = fact.secrecy() == Secrecy::Open
            && is_gossip(self.state, fact)
            && vocabulary.audience(&self.audience_rules, fact) != Audience::Private
            && self.common_lore.entries_for(fact.id()).is_empty();
        self.news_eligibility.insert(fact.id(), is_eligible);
        is_eligible
    }

    pub(super) fn audience_rules(&self) -> &AudienceRules {
        &self.audience_rules
    }

    /// Prepares the lookup of a character's knowledge at a moment.
    pub(super) fn prepare(&mut self, character: u32, now: GameTime) {
        let Some(id) = self.ids[character as usize] else { return };
        self.load_edges(character, id);
        let epoch = self.moments.partition_point(|moment| *moment <= now);
        let previous = self.access[character as usize].as_ref();
        if previous.is_some_and(|previous| previous.epoch == epoch) {
            return;
        }
        let facts_by_related_entity = previous
            .map(|previous| Arc::clone(&previous.facts_by_related_entity))
            .unwrap_or_else(|| self.facts_by_related_entity(character));
        let own = Knower::Entity(id.clone());
        let sources = vec![
            (None, KnowledgeSource::all(Knower::World, AccessPath::Common)),
            (Some(character), KnowledgeSource::all(own.clone(), AccessPath::Own)),
        ];
        let accessible_ranked_edges = FxHashSet::default();
        let mut access = KnowledgeAccess { sources, accessible_ranked_edges, facts_by_related_entity, epoch };
        self.add_group_sources(id, &mut access, now);
        // Whether the character has access to an edge that is reserved for a rank depends on the lists of ranks that
        // the character knows. Only a full view can determine this.
        let mut groups = access.sources.iter().skip(2).filter_map(|(group, _)| *group);
        if groups.any(|group| self.edges[group as usize].as_ref().is_some_and(|edges| edges.has_ranked_edges)) {
            let view = View::new(self.state, &own, Some(now));
            let known_edges = view.facts().flat_map(Known::known_edges);
            access.accessible_ranked_edges = known_edges
                .filter(|known_edge| known_edge.access_path != AccessPath::Own && known_edge.edge.rank.is_some())
                .map(|known_edge| (known_edge.id, known_edge.since))
                .collect();
            self.add_group_sources(id, &mut access, now);
        }
        self.access[character as usize] = Some(Box::new(access));
    }

    /// Adds a moment at which the knowledge of characters may change. Characters that were prepared for an earlier
    /// moment will be prepared again.
    fn add_moment(&mut self, moment: Option<GameTime>) {
        let Some(moment) = moment else { return };
        if let Err(at) = self.moments.binary_search(&moment) {
            self.moments.insert(at, moment);
        }
    }

    /// Reads the edges of a character or group, unless they are already loaded.
    fn load_edges(&mut self, character: u32, id: &EntityId) {
        if self.edges[character as usize].is_none() {
            self.edges[character as usize] = Some(Box::new(self.read_edges(&Knower::Entity(id.clone()))));
        }
    }

    /// Adds the groups and places to which a character belongs, as far as it knows, until there are no more to add.
    fn add_group_sources(&mut self, id: &EntityId, access: &mut KnowledgeAccess, now: GameTime) {
        loop {
            let reachable = groups(self.state.vocabulary(), id, |member| {
                let mut facts: Vec<&Fact> = Vec::new();
                for (index, source) in &access.sources {
                    let edges = self.source_edges(*index).and_then(|edges| edges.belonging_edges.get(member));
                    for edge in edges.into_iter().flatten() {
                        let since = source.period.receives(edge.learned).filter(|since| *since <= Some(now));
                        let is_reserved = edge.is_ranked && source.access_path != AccessPath::Own;
                        let is_accessible = |since: Option<GameTime>| {
                            !is_reserved || access.accessible_ranked_edges.contains(&(edge.id, since))
                        };
                        if since.is_some_and(is_accessible) {
                            facts.push(&edge.fact);
                        }
                    }
                }
                facts.sort_unstable_by_key(|fact| fact.id());
                facts.dedup_by_key(|fact| fact.id());
                facts
            });
            let previous_count = access.sources.len();
            for source in reachable {
                let is_known = access.sources.iter().any(|(_, other)| *other == source);
                let group = source.from.entity().and_then(|group| Some((group.clone(), self.state.index_of(group)?)));
                if let Some((group, index)) = group.filter(|_| !is_known) {
                    self.load_edges(index, &group);
                    access.sources.push((Some(index), source));
                }
            }
            if access.sources.len() == previous_count {
                return;
            }
        }
    }

    /// Returns the facts that relate a character to other entities, by the dense index of the other entity.
    fn facts_by_related_entity(&self, character: u32) -> Arc<FxHashMap<u32, Vec<FactId>>> {
        let mut facts: FxHashMap<u32, Vec<FactId>> = FxHashMap::default();
        for link in self.state.links_at(character) {
            facts.entry(link.other_index()).or_default().push(link.fact().id());
        }
        Arc::new(facts)
    }

    /// Returns the edges of a source of knowledge. `None` means common lore.
    fn source_edges(&self, knower_index: Option<u32>) -> Option<&KnowerEdges> {
        knower_index.map_or(Some(&self.common_lore), |index| self.edges[index as usize].as_deref())
    }

    /// Returns the edges through which a character knows a fact at a moment, each with its access path and the time
    /// when the character received the fact. Includes edges that only record that the character told others.
    fn edges_to(
        &self,
        character: u32,
        fact: FactId,
        now: GameTime,
    ) -> impl Iterator<Item = (&EdgeEntry, &AccessPath, Option<GameTime>)> {
        let access = self.access[character as usize].as_deref();
        access.into_iter().flat_map(move |access| {
            let sources =
                access.sources.iter().filter_map(|(index, source)| Some((self.source_edges(*index)?, source)));
            sources.flat_map(move |(edges, source)| {
                edges.entries_for(fact).iter().filter_map(move |entry| {
                    let since = source.period.receives(entry.learned).filter(|since| *since <= Some(now))?;
                    let is_reserved = entry.edge.rank.is_some() && source.access_path != AccessPath::Own;
                    (!is_reserved || access.accessible_ranked_edges.contains(&(entry.id, since))).then_some((
                        entry,
                        &source.access_path,
                        since,
                    ))
                })
            })
        })
    }

    /// Returns the dense indices of a character and of the groups and places through which it knows facts.
    pub(super) fn source_indices(&self, character: u32) -> impl Iterator<Item = u32> {
        let access = self.access[character as usize].as_deref();
        access.into_iter().flat_map(|access| access.sources.iter().filter_map(|(index, _)| *index))
    }

    pub(super) fn knows(&self, character: u32, fact: FactId, now: GameTime) -> bool {
        self.edges_to(character, fact, now).any(|(entry, ..)| entry.edge.acquisition.gives_knowledge())
    }

    /// Returns a fact as a character knows it at a moment.
    pub(super) fn known(&mut self, character: u32, fact: FactId, now: GameTime) -> Option<Known> {
        let known_edges: Vec<KnownEdge> = self
            .edges_to(character, fact, now)
            .map(|(entry, access_path, since)| {
                let (edge, belief) = (Arc::clone(&entry.edge), entry.edge.credence);
                KnownEdge { id: entry.id, edge, access_path: access_path.clone(), since, belief }
            })
            .collect();
        if known_edges.is_empty() {
            return None;
        }
        let fact = Arc::clone(self.fact(fact)?);
        Known::from_edges(&fact, known_edges, &mut self.calculator)
    }

    /// Returns the facts that a character learned from `oldest` to `latest` and that can be told as news. The newest
    /// fact comes first.
    pub(super) fn news(&self, character: u32, oldest: GameTime, latest: GameTime) -> Vec<NewsCandidate> {
        let Some(access) = self.access[character as usize].as_deref() else { return Vec::new() };
        let mut news: Vec<NewsCandidate> = Vec::new();
        for edges in access.sources.iter().skip(1).filter_map(|(index, _)| self.source_edges(*index)) {
            let known = &edges.news[..edges.news.partition_point(|(learned, ..)| *learned <= latest)];
            news.extend(known.iter().rev().take_while(|(learned, ..)| *learned >= oldest).take(MAX_NEWS_CANDIDATES));
            let undated = self.undated_moment(latest);
            news.extend(edges.undated_rumours.iter().map(|fact| (undated, None, *fact)));
        }
        news.sort_unstable_by_key(|(learned, _, fact)| (*fact, *learned));
        news.dedup_by_key(|(.., fact)| *fact);
        news.sort_unstable_by_key(|(learned, start, fact)| (Reverse((*learned, *start)), *fact));
        news.truncate(MAX_NEWS_CANDIDATES);
        news
    }

    /// Returns when the character, or a group or place through which it knows a fact, first learned the fact. Edges
    /// that reached the character after the time `known_by` are ignored.
    pub(super) fn first_learned(&self, character: u32, fact: FactId, known_by: GameTime) -> Option<GameTime> {
        let known_edges =
            self.edges_to(character, fact, known_by).filter(|(entry, ..)| entry.edge.acquisition.gives_knowledge());
        let learned = |entry: &EdgeEntry| match is_undated_rumour(&entry.edge, entry.learned) {
            true => Some(self.undated_moment(known_by)),
            false => entry.learned,
        };
        known_edges.map(|(entry, ..)| learned(entry)).min().flatten()
    }

    /// Returns the moment at which a character learned a rumour without a date, as seen at another moment.
    fn undated_moment(&self, moment: GameTime) -> GameTime {
        GameTime(moment.0.saturating_sub(self.undated_age))
    }

    /// Returns whether a fact concerns a third entity that both characters know by name.
    pub(super) fn concerns_both(&mut self, fact: &Fact, a: u32, b: u32, now: GameTime) -> bool {
        let both = [self.ids[a as usize], self.ids[b as usize]];
        fact.entities().any(|id| {
            !both.contains(&Some(id)) && {
                let names = self.naming_facts(id);
                [a, b].into_iter().all(|character| self.knows_naming_fact(character, &names, attribute::NAME, now))
            }
        })
    }

    /// Returns whether a character knows one of the facts that state the attribute `name` (name or kind).
    fn knows_naming_fact(&self, character: u32, names: &NamingFacts, name: &str, now: GameTime) -> bool {
        names.all.iter().any(|(other, fact)| *other == name && self.knows(character, *fact, now))
    }

    /// Returns the facts that state the name and kind of an entity.
    fn naming_facts(&mut self, id: &EntityId) -> Arc<NamingFacts> {
        if let Some(names) = self.naming_facts.get(id) {
            return Arc::clone(names);
        }
        let newest = newest_name_and_kind(self.state, id).map(|(name, fact)| (name, fact.id())).collect();
        let mut all = Vec::new();
        for fact in self.state.facts_of(id).filter(|fact| fact.subject() == id) {
            let attribute = [attribute::NAME, attribute::KIND].into_iter().find(|name| *fact.predicate() == **name);
            all.extend(attribute.map(|name| (name, fact.id())));
        }
        let names = Arc::new(NamingFacts { newest, all });
        self.naming_facts.insert(id.clone(), Arc::clone(&names));
        names
    }

    /// Returns the names and kinds of entities that are told together with a fact: those that the teller knows and the
    /// hearer does not. Each entry of the result has the id of the fact that states the name or kind, and the
    /// justifications for this fact.
    pub(super) fn names_to_tell(
        &mut self,
        fact: &Fact,
        teller: u32,
        hearer: u32,
        now: GameTime,
    ) -> Vec<(FactId, Vec<Justification>)> {
        let entities: BTreeSet<&EntityId> = fact.entities().collect();
        let mut names_to_tell = Vec::new();
        for id in entities {
            let names = self.naming_facts(id);
            for (name, fact) in &names.newest {
                if self.knows_naming_fact(hearer, &names, name, now) {
                    continue;
                }
                let known = self.known(teller, *fact, now);
                names_to_tell.extend(known.map(|known| (*fact, justifications(&known).collect())));
            }
        }
        names_to_tell
    }

    /// Returns the credence that an edge alone gives its knower in the fact of the edge.
    pub(super) fn belief(&mut self, id: KnowledgeId, edge: &KnowledgeEdge) -> Credence {
        credence(self.calculator.belief(id, edge))
    }

    /// Records that a character learned a fact. Returns the id of the edge.
    pub(super) fn learn(&mut self, character: u32, edge: &Arc<KnowledgeEdge>) -> KnowledgeId {
        let (id, learned) = (edge.id(), edge.learned_at());
        self.calculator.add_edge(id, Arc::clone(edge));
        let is_news = self.news_eligibility.get(&edge.fact).copied().unwrap_or_default();
        let fact = self.state.fact(edge.fact).or_else(|| self.new_facts.get(&edge.fact));
        if let (Some(edges), Some(fact)) = (&mut self.edges[character as usize], fact) {
            let key = (edge.fact, id);
            let at = edges.entries.partition_point(|entry| (entry.fact, entry.id) < key);
            if edges.entries.get(at).is_none_or(|entry| (entry.fact, entry.id) != key) {
                edges.entries.insert(at, EdgeEntry { fact: edge.fact, id, edge: Arc::clone(edge), learned });
                edges.index_edge(self.state, fact, edge, learned, is_news);
                // Sort the list only if it contains news that was learned after the new fact, which is rare.
                if let [.., before, last] = &edges.news[..]
                    && last < before
                {
                    edges.news.sort_unstable();
                }
            }
        }
        id
    }
}
