//! Computes who knows each fact at first: the knowers that the files name, and the audience that the audience rules
//! give. A knower of a fact also knows the entity names in it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_belief::{EntityLookup, default_audience};
use hearsay_model::{
    Acquisition, Audience, Credence, EntityId, Fact, FactId, FactRelation, FactStatus, GameTime, Kind, Knower,
    KnowledgeEdge, KnowledgeId, Method, Passage, PassageId, Predicate, PredicateRole, Provenance, Secrecy, State,
    attribute,
};

use crate::{
    Campaign,
    campaign::{Learned, Reach, Stated},
    error::Place,
    justifications::{Draft, Step, chain},
};

/// The homes and locations of entities, for the audience rules. If an entity is in the files, only the files determine
/// its home and location. A second import then gives the same audience, even if characters have moved during play. For
/// all other entities, the home and location come from the state.
pub(crate) struct Around<'a> {
    campaign: &'a Campaign,
    state: &'a State,
    homes: HashMap<&'a EntityId, &'a EntityId>,
    locations: HashMap<&'a EntityId, &'a EntityId>,
}

impl<'a> Around<'a> {
    pub(crate) fn new(campaign: &'a Campaign, state: &'a State) -> Self {
        let (mut homes, mut locations) = (HashMap::new(), HashMap::new());
        for Stated { fact, .. } in &campaign.facts {
            let Some(place) = fact.object().entity() else { continue };
            if fact.status() != FactStatus::Canon || fact.validity().is_closed() {
                continue;
            }
            match fact.predicate() {
                name if PredicateRole::Residence.is(name) => homes.insert(fact.subject(), place),
                name if PredicateRole::Location.is(name) => locations.insert(fact.subject(), place),
                _ => None,
            };
        }
        Self { campaign, state, homes, locations }
    }
}

impl EntityLookup for Around<'_> {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        self.campaign.entities.get(id).cloned().or_else(|| self.state.kind(id))
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        if !self.campaign.entities.contains_key(id) {
            return EntityLookup::place(self.state, id);
        }
        self.homes.get(id).or_else(|| self.locations.get(id)).map(|place| (*place).clone())
    }
}

/// All knowledge edges, and all passages with their readers.
pub(crate) struct Known {
    pub(crate) edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
    pub(crate) passages: BTreeMap<PassageId, Arc<Passage>>,
    /// Number of facts for each audience.
    pub(crate) counts: BTreeMap<&'static str, usize>,
}

/// Decides which knowers know each fact and have read each passage.
///
/// 1. The named knowers of a fact know it.
/// 2. An open fact is also known to its audience. The files state the audience, or it follows from the audience rules.
///    A named knower gets no second edge from a rule, because that edge would override a lower credence in the files.
/// 3. A character who states a fact in a session knows that fact.
/// 4. The readers of a passage know the facts that the passage states.
/// 5. If a knower was told a fact, the knower's edge depends on the teller's edges: see [`chain`].
/// 6. A knower of a fact also knows the entity names in the fact: see [`names`].
pub(crate) fn who_knows(campaign: &Campaign, around: &Around) -> Known {
    let Drafts { edges, passages, reached } = drafts(campaign, around);
    let mut edges = chain(campaign, edges).edges;
    names(campaign, &mut edges);
    let known: HashSet<FactId> = edges.values().map(|edge| edge.fact).collect();
    let mut counts: BTreeMap<&'static str, usize> =
        ["common", "local", "parties", "private", "secret", "told", "nobody"].map(|name| (name, 0)).into();
    for (stated, audience) in campaign.facts.iter().zip(reached) {
        let name = match audience {
            _ if !known.contains(&stated.fact.id()) => "nobody",
            Some(audience) => audience.as_str(),
            None if stated.fact.secrecy() == Secrecy::Secret => "secret",
            None => "told",
        };
        *counts.entry(name).or_default() += 1;
    }
    Known { edges, passages, counts }
}

/// Returns the cycles of knowers who learned a fact only from one another.
pub(crate) fn circles(campaign: &Campaign) -> Vec<Vec<Step>> {
    let told = |learned: &Learned| learned.acquisition.teller().is_some();
    if !campaign.facts.iter().any(|stated| stated.learned.iter().any(told)) {
        return Vec::new();
    }
    let state = State::default();
    chain(campaign, drafts(campaign, &Around::new(campaign, &state)).edges).circles
}

/// The knowers of each fact, before the justifications are computed.
struct Drafts {
    edges: BTreeMap<KnowledgeId, Draft>,
    passages: BTreeMap<PassageId, Arc<Passage>>,
    /// For each fact, its audience in addition to the named knowers; `None` if only the named knowers know it.
    reached: Vec<Option<Audience>>,
}

fn drafts(campaign: &Campaign, around: &Around) -> Drafts {
    let mut edges = BTreeMap::new();
    let (passages, mut read) = readers(campaign, around);
    let mut reached = Vec::with_capacity(campaign.facts.len());
    let mut said: HashMap<FactId, HashSet<Knower>> = HashMap::new();
    for (number, stated) in campaign.facts.iter().enumerate() {
        let id = stated.fact.id();
        let mut known = HashSet::new();
        for learned in stated.learned.iter().cloned().chain(read.remove(&number).unwrap_or_default()) {
            known.insert(learned.knower.clone());
            let at = learned.at;
            put(&mut edges, learned.of(id), at);
        }
        let audience = audience_of(campaign, stated);
        // A rumour from another tool's files has the credence 0.5.
        let rumoured = campaign.findings.format.is_some() && stated.fact.status() == FactStatus::Claimed;
        let credence = if rumoured { Credence::new(0.5).unwrap_or(Credence::FULL) } else { Credence::FULL };
        let by_rule = audience.map_or(Vec::new(), |audience| default_audience(audience, &stated.fact, around));
        for knower in by_rule {
            if known.insert(knower.clone()) {
                let edge = KnowledgeEdge { credence, ..KnowledgeEdge::authored(knower, id) };
                put(&mut edges, edge, Place::default());
            }
        }
        if !stated.speakers.is_empty() {
            said.entry(id).or_default().extend(stated.speakers.iter().cloned().map(Knower::Entity));
        }
        reached.push(audience);
    }
    speakers(campaign, said, &mut edges);
    Drafts { edges, passages, reached }
}

/// Adds an edge for each speaker of a fact. A speaker who already knows the fact, or the other fact that it distorts,
/// gets no edge.
fn speakers(campaign: &Campaign, mut said: HashMap<FactId, HashSet<Knower>>, edges: &mut BTreeMap<KnowledgeId, Draft>) {
    let mut wanted: HashMap<FactId, Vec<FactId>> = HashMap::new();
    for Stated { fact, .. } in campaign.facts.iter().filter(|stated| said.contains_key(&stated.fact.id())) {
        wanted.entry(fact.id()).or_default().push(fact.id());
        if let Some(FactRelation::Distorts(original)) = fact.fact_relation() {
            wanted.entry(original).or_default().push(fact.id());
        }
    }
    for Draft { edge, .. } in edges.values() {
        for fact in wanted.get(&edge.fact).into_iter().flatten() {
            if let Some(speakers) = said.get_mut(fact) {
                speakers.remove(&edge.knower);
            }
        }
    }
    for (fact, speakers) in said {
        for speaker in speakers {
            put(edges, KnowledgeEdge::authored(speaker, fact), Place::default());
        }
    }
}

fn audience_of(campaign: &Campaign, stated: &Stated) -> Option<Audience> {
    match stated.reach {
        Reach::Named => None,
        Reach::Only(audience) => Some(audience),
        Reach::Rules => Some(campaign.vocabulary.audience(&campaign.rules, &stated.fact)),
    }
}

/// Returns the passages with their readers, and the readers of each fact by the fact's index.
fn readers(campaign: &Campaign, around: &Around) -> (BTreeMap<PassageId, Arc<Passage>>, HashMap<usize, Vec<Learned>>) {
    let (mut passages, mut read) = (BTreeMap::<PassageId, Arc<Passage>>::new(), HashMap::<usize, Vec<Learned>>::new());
    for text in &campaign.passages {
        let mut passage = text.passage.clone();
        // A passage has the same audience as a lore fact about its subject.
        let lore = text.subject.as_ref().and_then(|subject| {
            let provenance = Provenance::new(Method::Imported, hearsay_model::Author::Game);
            Fact::attribute(subject, attribute::LORE, passage.text.as_str(), provenance).ok()?.build().ok()
        });
        let audience = match text.reach {
            Reach::Named => None,
            Reach::Only(audience) => Some(audience),
            Reach::Rules => lore.as_ref().map(|lore| campaign.vocabulary.audience(&campaign.rules, lore)),
        };
        match (audience, &lore) {
            (Some(Audience::Common), _) => passage.heard_by.push(Knower::World),
            (Some(audience), Some(lore)) => passage.heard_by.extend(default_audience(audience, lore, around)),
            _ => {}
        }
        passage.heard_by.sort();
        passage.heard_by.dedup();
        for fact in &text.facts {
            let edges = passage.heard_by.iter().map(|reader| Learned {
                acquisition: Acquisition::Read { document: passage.document.clone() },
                ..Learned::authored(reader.clone(), Credence::FULL, false)
            });
            read.entry(*fact).or_default().extend(edges);
        }
        match passages.get_mut(&passage.id()) {
            Some(same) => {
                let same = Arc::make_mut(same);
                same.heard_by.extend(passage.heard_by);
                same.heard_by.sort();
                same.heard_by.dedup();
            }
            None => {
                passages.insert(passage.id(), Arc::new(passage));
            }
        }
    }
    (passages, read)
}

/// Adds an edge. The new edge replaces an earlier edge with the same id. If the earlier edge conceals the fact, the new
/// edge conceals it too.
fn put(edges: &mut BTreeMap<KnowledgeId, Draft>, mut edge: KnowledgeEdge, at: Place) {
    let id = edge.id();
    if let Some(before) = edges.get(&id) {
        edge.conceals |= before.edge.conceals;
    }
    edges.insert(id, Draft { edge: Arc::new(edge), at });
}

/// Adds edges for the entity names in known facts.
///
/// A knower of a fact also knows the open `name` and `kind` of the subject, of the object and of each entity that the
/// fact mentions. If a group or place knows the fact, it knows the names on behalf of its members. A knower learns
/// these names together with the first fact that contains them. Secret names and aliases are never learned in this way.
fn names(campaign: &Campaign, edges: &mut BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>) {
    let mut called: HashMap<&EntityId, Vec<FactId>> = HashMap::new();
    let mut facts: HashMap<FactId, &Fact> = HashMap::new();
    for Stated { fact, .. } in &campaign.facts {
        facts.insert(fact.id(), fact);
        let name: &Predicate = fact.predicate();
        if (*name == *attribute::NAME || *name == *attribute::KIND) && fact.secrecy() != Secrecy::Secret {
            called.entry(fact.subject()).or_default().push(fact.id());
        }
    }
    // The game time at which each knower learned each name.
    let mut known: HashMap<(&Knower, FactId), Option<GameTime>> = HashMap::new();
    // The first edge through which each knower heard of each entity.
    let mut met: BTreeMap<(&Knower, &EntityId), &KnowledgeEdge> = BTreeMap::new();
    for edge in edges.values().map(Arc::as_ref).filter(|edge| edge.acquisition.gives_knowledge()) {
        let Some(fact) = facts.get(&edge.fact) else { continue };
        if *fact.predicate() == *attribute::NAME || *fact.predicate() == *attribute::KIND {
            let since = known.entry((&edge.knower, edge.fact)).or_insert_with(|| when(edge));
            *since = when(edge).min(*since);
        }
        if !fact.status().is_knowable() {
            continue;
        }
        for entity in fact.entities() {
            let first = met.entry((&edge.knower, entity)).or_insert(edge);
            if when(edge) < when(first) {
                *first = edge;
            }
        }
    }
    let mut added = Vec::new();
    for ((knower, entity), edge) in met {
        for name in called.get(entity).into_iter().flatten() {
            let in_time = |knower| known.get(&(knower, *name)).is_some_and(|since| *since <= when(edge));
            if in_time(knower) || in_time(&Knower::World) {
                continue;
            }
            let acquisition = edge.acquisition.without_premises();
            let (learned, session) = (edge.learned.clone(), edge.session.clone());
            let learned =
                Learned { acquisition, learned, session, ..Learned::authored(knower.clone(), Credence::FULL, false) };
            added.push(learned.of(*name));
        }
    }
    edges.extend(added.into_iter().map(|edge| (edge.id(), Arc::new(edge))));
}

fn when(edge: &KnowledgeEdge) -> Option<GameTime> {
    edge.learned.as_ref().and_then(|date| date.time)
}

/// Returns the NPCs of a campaign that know nothing except names and kinds, sorted by id. An NPC also counts as knowing
/// the facts of its groups and its home.
pub(crate) fn know_nothing(campaign: &Campaign, edges: &BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>) -> Vec<EntityId> {
    let mut own_names: HashSet<FactId> = HashSet::new();
    let mut groups: HashMap<&EntityId, Vec<&EntityId>> = HashMap::new();
    for Stated { fact, .. } in &campaign.facts {
        let name = fact.predicate().as_str();
        if [attribute::NAME, attribute::KIND].contains(&name) {
            own_names.insert(fact.id());
        }
        if let Some(group) = fact.object().entity()
            && campaign.vocabulary.behavior(fact.predicate()).is_direct_belonging()
        {
            groups.entry(fact.subject()).or_default().push(group);
        }
    }
    let knowing: HashSet<&EntityId> =
        edges.values().filter(|edge| !own_names.contains(&edge.fact)).filter_map(|edge| edge.knower.entity()).collect();
    let npcs = campaign.entities.iter().filter(|(_, kind)| **kind == Kind::Npc).map(|(id, _)| id);
    let knows = |id: &EntityId| {
        knowing.contains(id) || groups.get(id).into_iter().flatten().any(|group| knowing.contains(*group))
    };
    npcs.filter(|id| !knows(id)).cloned().collect()
}
