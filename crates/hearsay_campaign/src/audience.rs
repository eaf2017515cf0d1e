//! Computes who knows each fact after an import. The knowers are the characters, groups and places that the files name,
//! and those that the audience rules add. A knower of a fact also knows the names of the entities in the fact.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_belief::{EntityLookup, default_audience};
use hearsay_model::{
    Acquisition, Audience, Credence, EntityId, Fact, FactId, FactRelation, FactStatus, GameTime, Kind, Knower,
    KnowledgeEdge, KnowledgeId, Method, Passage, PassageId, Predicate, PredicateRole, Provenance, Secrecy, State,
    Vocabulary, attribute,
};

use crate::{
    Campaign,
    campaign::{AudienceSource, CampaignFact, KnowerEntry},
    error::SourcePosition,
    justifications::{DraftEdge, TellingStep, justify_edges},
};

/// Returns the part of a warning about a relation without a definition: which relation the author probably meant, who
/// knows the facts of the relation, and how to change that.
pub(crate) fn undeclared_relation_note(vocabulary: &Vocabulary, relation: &Predicate) -> String {
    let similar_relation = vocabulary.similar_relation(relation.as_str());
    let question = similar_relation.map_or_else(String::new, |similar| format!("Did you mean {similar}? "));
    format!(
        "{question}Only its subject and object know its facts. To choose another audience, add {relation} to `predicates` \
         with an `audience`."
    )
}

/// The homes and locations of entities, for the audience rules. Secret homes and locations do not count. If an entity is
/// in the files, only the files determine its home and location. A second import then gives the same audience, even if
/// characters have moved during play. For all other entities, the home and location come from the state.
pub(crate) struct CampaignSurroundings<'a> {
    campaign: &'a Campaign,
    state: &'a State,
    homes: HashMap<&'a EntityId, &'a EntityId>,
    locations: HashMap<&'a EntityId, &'a EntityId>,
    /// For each place, the larger place to which it belongs.
    larger_places: HashMap<&'a EntityId, &'a EntityId>,
}

impl<'a> CampaignSurroundings<'a> {
    pub(crate) fn new(campaign: &'a Campaign, state: &'a State) -> Self {
        let (mut homes, mut locations, mut larger_places) = (HashMap::new(), HashMap::new(), HashMap::new());
        for CampaignFact { fact, .. } in &campaign.facts {
            let Some(place) = fact.object().entity() else { continue };
            let is_secret = fact.secrecy() == Secrecy::Secret;
            if fact.status() != FactStatus::Canon || fact.validity().is_closed() || is_secret {
                continue;
            }
            match fact.predicate() {
                name if PredicateRole::Residence.is(name) => homes.insert(fact.subject(), place),
                name if PredicateRole::Location.is(name) => locations.insert(fact.subject(), place),
                name if PredicateRole::Part.is(name) => larger_places.insert(fact.subject(), place),
                _ => None,
            };
        }
        Self { campaign, state, homes, locations, larger_places }
    }

    /// Returns the additional knowers of a name with the audience `local`. The player characters know each other's
    /// names. The name of an NPC is also known in the larger place to which the home of the NPC belongs, so the residents
    /// of the houses of a village know each other's names.
    fn acquaintances(&self, name: &Fact) -> Vec<Knower> {
        let subject = name.subject();
        if *name.predicate() != *attribute::NAME {
            return Vec::new();
        }
        let entities = &self.campaign.entities;
        let found: Vec<&EntityId> = match entities.get(subject) {
            Some(Kind::Player) => {
                entities.iter().filter(|(_, kind)| **kind == Kind::Player).map(|(id, _)| id).collect()
            }
            Some(Kind::Npc) => {
                self.homes.get(subject).and_then(|home| self.larger_places.get(home)).copied().into_iter().collect()
            }
            _ => Vec::new(),
        };
        found.into_iter().cloned().map(Knower::Entity).collect()
    }
}

impl EntityLookup for CampaignSurroundings<'_> {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        self.campaign.entities.get(id).cloned().or_else(|| self.state.kind(id))
    }

    fn home(&self, id: &EntityId) -> Option<EntityId> {
        if !self.campaign.entities.contains_key(id) {
            return EntityLookup::home(self.state, id);
        }
        self.homes.get(id).map(|place| (*place).clone())
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        if !self.campaign.entities.contains_key(id) {
            return EntityLookup::place(self.state, id);
        }
        self.homes.get(id).or_else(|| self.locations.get(id)).map(|place| (*place).clone())
    }
}

/// All knowledge edges, and all passages with their readers.
pub(crate) struct InitialKnowledge {
    pub(crate) edges: BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
    pub(crate) passages: BTreeMap<PassageId, Arc<Passage>>,
    /// Number of facts for each audience.
    pub(crate) counts: BTreeMap<&'static str, usize>,
    /// Facts that nobody knows.
    pub(crate) unknown_facts: Vec<Arc<Fact>>,
}

/// Decides which knowers know each fact and have read each passage.
///
/// 1. The named knowers of a fact know it.
/// 2. If a fact is not secret, its audience knows it too. The files or the audience rules determine the audience. A
///    named knower gets no second edge from a rule, because that edge would override a lower credence in the files.
/// 3. A character who states a fact in a session knows that fact.
/// 4. The readers of a passage know the facts that the passage states.
/// 5. If a knower was told a fact, the knower's edge depends on the teller's edges: see [`justify_edges`].
/// 6. A knower of a fact also knows the entity names in the fact: see [`add_name_edges`].
pub(crate) fn compute_initial_knowledge(campaign: &Campaign, surroundings: &CampaignSurroundings) -> InitialKnowledge {
    let EdgeDrafts { edges, mut passages, audiences } = draft_edges(campaign, surroundings);
    let mut edges = justify_edges(campaign, edges).edges;
    add_name_edges(campaign, &mut edges);
    if let Some(unchanged_records) = &campaign.unchanged_records {
        // The records of an export also contain the knowers of its facts.
        edges.retain(|_, edge| !unchanged_records.facts.contains(&edge.fact));
        edges.extend(unchanged_records.edges.iter().map(|(id, edge)| (*id, edge.clone())));
        passages.extend(unchanged_records.passages.iter().map(|(id, passage)| (*id, passage.clone())));
    }
    let known_facts: HashSet<FactId> = edges.values().map(|edge| edge.fact).collect();
    let mut counts: BTreeMap<&'static str, usize> =
        ["common", "local", "parties", "private", "secret", "told", "nobody"].map(|name| (name, 0)).into();
    let is_unknown = |fact: &Fact| !known_facts.contains(&fact.id());
    for (campaign_fact, audience) in campaign.facts.iter().zip(audiences) {
        let name = match audience {
            _ if is_unknown(&campaign_fact.fact) => "nobody",
            Some(audience) => audience.as_str(),
            None if campaign_fact.fact.secrecy() == Secrecy::Secret => "secret",
            None => "told",
        };
        *counts.entry(name).or_default() += 1;
    }
    let facts = campaign.facts.iter().map(|campaign_fact| &campaign_fact.fact);
    let unknown_facts = facts.filter(|fact| is_unknown(fact)).cloned().collect();
    InitialKnowledge { edges, passages, counts, unknown_facts }
}

/// Returns the cycles of knowers who learned a fact only from one another.
pub(crate) fn find_telling_cycles(campaign: &Campaign) -> Vec<Vec<TellingStep>> {
    let was_told = |entry: &KnowerEntry| entry.acquisition.teller().is_some();
    if !campaign.facts.iter().any(|campaign_fact| campaign_fact.knowers.iter().any(was_told)) {
        return Vec::new();
    }
    let state = State::default();
    justify_edges(campaign, draft_edges(campaign, &CampaignSurroundings::new(campaign, &state)).edges).cycles
}

/// The knowers of each fact, before the justifications are computed.
struct EdgeDrafts {
    edges: BTreeMap<KnowledgeId, DraftEdge>,
    passages: BTreeMap<PassageId, Arc<Passage>>,
    /// For each fact, its audience in addition to the named knowers; `None` if only the named knowers know it.
    audiences: Vec<Option<Audience>>,
}

fn draft_edges(campaign: &Campaign, surroundings: &CampaignSurroundings) -> EdgeDrafts {
    let mut edges = BTreeMap::new();
    let (passages, mut reader_entries) = resolve_readers(campaign, surroundings);
    let mut audiences = Vec::with_capacity(campaign.facts.len());
    let mut speakers_by_fact: HashMap<FactId, HashSet<Knower>> = HashMap::new();
    for (index, campaign_fact) in campaign.facts.iter().enumerate() {
        let id = campaign_fact.fact.id();
        let mut knowers = HashSet::new();
        for entry in campaign_fact.knowers.iter().cloned().chain(reader_entries.remove(&index).unwrap_or_default()) {
            knowers.insert(entry.knower.clone());
            let at = entry.at;
            insert_edge(&mut edges, entry.into_edge(id), at);
        }
        let audience = effective_audience(campaign, campaign_fact);
        // A rumour from another tool's files has the credence 0.5.
        let is_rumour = campaign.findings.format.is_some() && campaign_fact.fact.status() == FactStatus::Claimed;
        let credence = if is_rumour { Credence::new(0.5).unwrap_or(Credence::FULL) } else { Credence::FULL };
        let mut default_knowers =
            audience.map_or(Vec::new(), |audience| default_audience(audience, &campaign_fact.fact, surroundings));
        if audience == Some(Audience::Local) {
            default_knowers.extend(surroundings.acquaintances(&campaign_fact.fact));
        }
        for knower in default_knowers {
            if knowers.insert(knower.clone()) {
                let edge = KnowledgeEdge { credence, ..KnowledgeEdge::authored(knower, id) };
                insert_edge(&mut edges, edge, SourcePosition::default());
            }
        }
        if !campaign_fact.speakers.is_empty() {
            speakers_by_fact.entry(id).or_default().extend(campaign_fact.speakers.iter().cloned().map(Knower::Entity));
        }
        audiences.push(audience);
    }
    add_speaker_edges(campaign, speakers_by_fact, &mut edges);
    EdgeDrafts { edges, passages, audiences }
}

/// Adds an edge for each speaker of a fact. A speaker who already knows the fact, or the other fact that it distorts,
/// gets no edge.
fn add_speaker_edges(
    campaign: &Campaign,
    mut speakers_by_fact: HashMap<FactId, HashSet<Knower>>,
    edges: &mut BTreeMap<KnowledgeId, DraftEdge>,
) {
    let mut stated_by_known: HashMap<FactId, Vec<FactId>> = HashMap::new();
    for CampaignFact { fact, .. } in
        campaign.facts.iter().filter(|campaign_fact| speakers_by_fact.contains_key(&campaign_fact.fact.id()))
    {
        stated_by_known.entry(fact.id()).or_default().push(fact.id());
        if let Some(FactRelation::Distorts(original)) = fact.fact_relation() {
            stated_by_known.entry(original).or_default().push(fact.id());
        }
    }
    for DraftEdge { edge, .. } in edges.values() {
        for fact in stated_by_known.get(&edge.fact).into_iter().flatten() {
            if let Some(speakers) = speakers_by_fact.get_mut(fact) {
                speakers.remove(&edge.knower);
            }
        }
    }
    for (fact, speakers) in speakers_by_fact {
        for speaker in speakers {
            insert_edge(edges, KnowledgeEdge::authored(speaker, fact), SourcePosition::default());
        }
    }
}

fn effective_audience(campaign: &Campaign, campaign_fact: &CampaignFact) -> Option<Audience> {
    match campaign_fact.audience_source {
        AudienceSource::NamedKnowers => None,
        AudienceSource::Stated(audience) => Some(audience),
        AudienceSource::Rules => Some(campaign.vocabulary.audience(&campaign.rules, &campaign_fact.fact)),
    }
}

/// Returns the passages with their readers. Also returns the readers of each fact that a passage states, by the index
/// of the fact.
fn resolve_readers(
    campaign: &Campaign,
    surroundings: &CampaignSurroundings,
) -> (BTreeMap<PassageId, Arc<Passage>>, HashMap<usize, Vec<KnowerEntry>>) {
    let (mut passages, mut reader_entries) =
        (BTreeMap::<PassageId, Arc<Passage>>::new(), HashMap::<usize, Vec<KnowerEntry>>::new());
    for campaign_passage in &campaign.passages {
        let mut passage = campaign_passage.passage.clone();
        // A passage has the same audience as a fact about its subject with the predicate `lore`.
        let lore = campaign_passage.subject.as_ref().and_then(|subject| {
            let provenance = Provenance::new(Method::Imported, hearsay_model::Author::Game);
            Fact::attribute(subject, attribute::LORE, passage.text.as_str(), provenance).ok()?.build().ok()
        });
        let audience = match campaign_passage.audience_source {
            AudienceSource::NamedKnowers => None,
            AudienceSource::Stated(audience) => Some(audience),
            AudienceSource::Rules => lore.as_ref().map(|lore| campaign.vocabulary.audience(&campaign.rules, lore)),
        };
        match (audience, &lore) {
            (Some(Audience::Common), _) => passage.heard_by.push(Knower::World),
            (Some(audience), Some(lore)) => passage.heard_by.extend(default_audience(audience, lore, surroundings)),
            _ => {}
        }
        passage.heard_by.sort();
        passage.heard_by.dedup();
        for fact in &campaign_passage.facts {
            let edges = passage.heard_by.iter().map(|reader| KnowerEntry {
                acquisition: Acquisition::Read { document: passage.document.clone() },
                ..KnowerEntry::authored(reader.clone(), Credence::FULL, false)
            });
            reader_entries.entry(*fact).or_default().extend(edges);
        }
        match passages.get_mut(&passage.id()) {
            Some(existing) => {
                let existing = Arc::make_mut(existing);
                existing.heard_by.extend(passage.heard_by);
                existing.heard_by.sort();
                existing.heard_by.dedup();
            }
            None => {
                passages.insert(passage.id(), Arc::new(passage));
            }
        }
    }
    (passages, reader_entries)
}

/// Adds an edge. The new edge replaces an earlier edge with the same id. If the earlier edge conceals the fact, the new
/// edge conceals it too.
fn insert_edge(edges: &mut BTreeMap<KnowledgeId, DraftEdge>, mut edge: KnowledgeEdge, at: SourcePosition) {
    let id = edge.id();
    if let Some(previous) = edges.get(&id) {
        edge.conceals |= previous.edge.conceals;
    }
    edges.insert(id, DraftEdge { edge: Arc::new(edge), at });
}

/// Adds edges for the entity names in known facts.
///
/// A knower of a fact also knows the open `name` and `kind` of the subject, of the object and of each entity that the
/// fact mentions. If a group or place knows the fact, it knows the names on behalf of its members. A knower learns
/// these names together with the first fact that contains them. Secret names and aliases are never learned in this way.
fn add_name_edges(campaign: &Campaign, edges: &mut BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>) {
    let mut name_facts: HashMap<&EntityId, Vec<FactId>> = HashMap::new();
    let mut facts: HashMap<FactId, &Fact> = HashMap::new();
    for CampaignFact { fact, .. } in &campaign.facts {
        facts.insert(fact.id(), fact);
        let name: &Predicate = fact.predicate();
        if (*name == *attribute::NAME || *name == *attribute::KIND) && fact.secrecy() != Secrecy::Secret {
            name_facts.entry(fact.subject()).or_default().push(fact.id());
        }
    }
    // The game time at which each knower learned each name.
    let mut acquired_at: HashMap<(&Knower, FactId), Option<GameTime>> = HashMap::new();
    // The first edge through which each knower heard of each entity.
    let mut first_mentions: BTreeMap<(&Knower, &EntityId), &KnowledgeEdge> = BTreeMap::new();
    for edge in edges.values().map(Arc::as_ref).filter(|edge| edge.acquisition.gives_knowledge()) {
        let Some(fact) = facts.get(&edge.fact) else { continue };
        if *fact.predicate() == *attribute::NAME || *fact.predicate() == *attribute::KIND {
            let since = acquired_at.entry((&edge.knower, edge.fact)).or_insert_with(|| edge.learned_at());
            *since = edge.learned_at().min(*since);
        }
        if !fact.status().is_knowable() {
            continue;
        }
        for entity in fact.entities() {
            let first = first_mentions.entry((&edge.knower, entity)).or_insert(edge);
            if edge.learned_at() < first.learned_at() {
                *first = edge;
            }
        }
    }
    let mut added = Vec::new();
    for ((knower, entity), edge) in first_mentions {
        for name in name_facts.get(entity).into_iter().flatten() {
            let is_known_in_time =
                |knower| acquired_at.get(&(knower, *name)).is_some_and(|since| *since <= edge.learned_at());
            if is_known_in_time(knower) || is_known_in_time(&Knower::World) {
                continue;
            }
            let acquisition = edge.acquisition.without_premises();
            let (learned, session) = (edge.learned.clone(), edge.session.clone());
            let learned = KnowerEntry {
                acquisition,
                learned,
                session,
                ..KnowerEntry::authored(knower.clone(), Credence::FULL, false)
            };
            added.push(learned.into_edge(*name));
        }
    }
    edges.extend(added.into_iter().map(|edge| (edge.id(), Arc::new(edge))));
}

/// Returns the NPCs of a campaign that know nothing except names and kinds, sorted by id. An NPC also counts as knowing
/// the facts of its groups and its home.
pub(crate) fn npcs_without_knowledge(
    campaign: &Campaign,
    edges: &BTreeMap<KnowledgeId, Arc<KnowledgeEdge>>,
) -> Vec<EntityId> {
    let mut name_and_kind_facts: HashSet<FactId> = HashSet::new();
    let mut groups: HashMap<&EntityId, Vec<&EntityId>> = HashMap::new();
    for CampaignFact { fact, .. } in &campaign.facts {
        let name = fact.predicate().as_str();
        if [attribute::NAME, attribute::KIND].contains(&name) {
            name_and_kind_facts.insert(fact.id());
        }
        if let Some(group) = fact.object().entity()
            && campaign.vocabulary.behavior(fact.predicate()).is_direct_belonging()
        {
            groups.entry(fact.subject()).or_default().push(group);
        }
    }
    let informed_entities: HashSet<&EntityId> = edges
        .values()
        .filter(|edge| !name_and_kind_facts.contains(&edge.fact))
        .filter_map(|edge| edge.knower.entity())
        .collect();
    let npcs = campaign.entities.iter().filter(|(_, kind)| **kind == Kind::Npc).map(|(id, _)| id);
    let is_informed = |id: &EntityId| {
        informed_entities.contains(id)
            || groups.get(id).into_iter().flatten().any(|group| informed_entities.contains(*group))
    };
    npcs.filter(|id| !is_informed(id)).cloned().collect()
}
