//! The knowers of each fact at the start: named holders, the audience rules, and the names in known facts.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use hearsay_belief::{Surroundings, knowers};
use hearsay_model::{
    Audience, Bearing, Credence, EntityId, Fact, FactId, GameTime, How, Kind, Knower, Knowledge, KnowledgeId, Method,
    Passage, PassageId, Predicate, Provenance, Secrecy, Standing, State, attribute, predicate,
};

use crate::{
    Campaign,
    campaign::{Learned, Reach, Stated},
    error::Place,
    sources::{Draft, Step, chain},
};

/// The entities of a campaign about to be imported, and besides them those of the state. Of an entity that the files
/// have, only the files count: importing them again must give the same audience, wherever people have moved in play.
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
            if fact.standing() != Standing::Canon || fact.validity().is_closed() {
                continue;
            }
            match fact.predicate().as_str() {
                predicate::RESIDENT_OF => homes.insert(fact.subject(), place),
                predicate::LOCATED_AT => locations.insert(fact.subject(), place),
                _ => None,
            };
        }
        Self { campaign, state, homes, locations }
    }
}

impl Surroundings for Around<'_> {
    fn kind(&self, id: &EntityId) -> Option<Kind> {
        self.campaign.entities.get(id).cloned().or_else(|| self.state.kind(id))
    }

    fn place(&self, id: &EntityId) -> Option<EntityId> {
        if !self.campaign.entities.contains_key(id) {
            return Surroundings::place(self.state, id);
        }
        self.homes.get(id).or_else(|| self.locations.get(id)).map(|place| (*place).clone())
    }
}

/// All knowledge edges, and all texts with their readers.
pub(crate) struct Known {
    pub(crate) edges: BTreeMap<KnowledgeId, Arc<Knowledge>>,
    pub(crate) passages: BTreeMap<PassageId, Arc<Passage>>,
    /// The number of facts by audience.
    pub(crate) counts: BTreeMap<&'static str, usize>,
}

/// Decides who knows each fact and who has read each text.
///
/// 1. Those who are named (`known_by`, `heard_by`, the hearers of a line, …) know a fact as it is said of them.
/// 2. A fact that is not a secret reaches the audience that it is marked with, or else that of the rules. Whoever is
///    named too knows it as named: an edge by rule would outweigh a smaller credence.
/// 3. Whoever says a fact in a session knows it.
/// 4. The readers of a text have read the facts that it states.
/// 5. What was told rests on what the teller knew it by: see [`chain`].
/// 6. Who knows a fact knows the names in it: see [`names`].
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

/// Returns the circles of knowers who have a fact only from one another.
pub(crate) fn circles(campaign: &Campaign) -> Vec<Vec<Step>> {
    let told = |learned: &Learned| matches!(learned.how, How::Told { by: Some(_), .. });
    if !campaign.facts.iter().any(|stated| stated.learned.iter().any(told)) {
        return Vec::new();
    }
    let state = State::default();
    chain(campaign, drafts(campaign, &Around::new(campaign, &state)).edges).circles
}

/// The knowers of each fact, before the sources are known.
struct Drafts {
    edges: BTreeMap<KnowledgeId, Draft>,
    passages: BTreeMap<PassageId, Arc<Passage>>,
    /// The audience of each fact that follows from a rule.
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
        // What notes tell as a rumour is half believed.
        let rumoured = campaign.findings.format.is_some() && stated.fact.standing() == Standing::Claimed;
        let credence = if rumoured { Credence::new(0.5).unwrap_or(Credence::FULL) } else { Credence::FULL };
        let by_rule = audience.map_or(Vec::new(), |audience| knowers(audience, &stated.fact, around));
        for knower in by_rule {
            if known.insert(knower.clone()) {
                let edge = Knowledge { credence, ..Knowledge::authored(knower, id) };
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

/// Makes the speakers of a fact know it, unless they know the fact that it distorts.
fn speakers(campaign: &Campaign, mut said: HashMap<FactId, HashSet<Knower>>, edges: &mut BTreeMap<KnowledgeId, Draft>) {
    let mut wanted: HashMap<FactId, Vec<FactId>> = HashMap::new();
    for Stated { fact, .. } in campaign.facts.iter().filter(|stated| said.contains_key(&stated.fact.id())) {
        wanted.entry(fact.id()).or_default().push(fact.id());
        if let Some(Bearing::Distorts(original)) = fact.bearing() {
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
            put(edges, Knowledge::authored(speaker, fact), Place::default());
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

/// Returns the texts with their readers, and the readers of each fact by its index.
fn readers(campaign: &Campaign, around: &Around) -> (BTreeMap<PassageId, Arc<Passage>>, HashMap<usize, Vec<Learned>>) {
    let (mut passages, mut read) = (BTreeMap::<PassageId, Arc<Passage>>::new(), HashMap::<usize, Vec<Learned>>::new());
    for text in &campaign.passages {
        let mut passage = text.passage.clone();
        // A text is for whom a sentence of lore about its subject is.
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
            (Some(audience), Some(lore)) => passage.heard_by.extend(knowers(audience, lore, around)),
            _ => {}
        }
        passage.heard_by.sort();
        passage.heard_by.dedup();
        for fact in &text.facts {
            let edges = passage.heard_by.iter().map(|reader| Learned {
                how: How::Read { document: passage.document.clone() },
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

/// Adds an edge. An edge of the same id replaces the earlier one, but stays concealed if the earlier one was.
fn put(edges: &mut BTreeMap<KnowledgeId, Draft>, mut edge: Knowledge, at: Place) {
    let id = edge.id();
    if let Some(before) = edges.get(&id) {
        edge.conceals |= before.edge.conceals;
    }
    edges.insert(id, Draft { edge: Arc::new(edge), at });
}

/// Who knows a fact knows the names in it: the open `name` and `kind` of its subject, its object and all that it
/// mentions. A group or place that knows a fact knows the names for its members. The names are learned in the same
/// breath as the first fact that holds them. Secret names and aliases are never learned in this way.
fn names(campaign: &Campaign, edges: &mut BTreeMap<KnowledgeId, Arc<Knowledge>>) {
    let mut called: HashMap<&EntityId, Vec<FactId>> = HashMap::new();
    let mut facts: HashMap<FactId, &Fact> = HashMap::new();
    for Stated { fact, .. } in &campaign.facts {
        facts.insert(fact.id(), fact);
        let name: &Predicate = fact.predicate();
        if (*name == *attribute::NAME || *name == *attribute::KIND) && fact.secrecy() != Secrecy::Secret {
            called.entry(fact.subject()).or_default().push(fact.id());
        }
    }
    // Since when each knower has a name.
    let mut known: HashMap<(&Knower, FactId), Option<GameTime>> = HashMap::new();
    // The first way in which each knower came upon each entity.
    let mut met: BTreeMap<(&Knower, &EntityId), &Knowledge> = BTreeMap::new();
    for edge in edges.values().map(Arc::as_ref).filter(|edge| edge.how != How::Shared) {
        let Some(fact) = facts.get(&edge.fact) else { continue };
        if *fact.predicate() == *attribute::NAME || *fact.predicate() == *attribute::KIND {
            let since = known.entry((&edge.knower, edge.fact)).or_insert_with(|| when(edge));
            *since = when(edge).min(*since);
        }
        if !fact.standing().is_in_world() {
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
            let how = match &edge.how {
                How::Deduced { .. } => How::Authored,
                how => how.clone(),
            };
            let (learned, session) = (edge.learned.clone(), edge.session.clone());
            let learned = Learned { how, learned, session, ..Learned::authored(knower.clone(), Credence::FULL, false) };
            added.push(learned.of(*name));
        }
    }
    edges.extend(added.into_iter().map(|edge| (edge.id(), Arc::new(edge))));
}

fn when(edge: &Knowledge) -> Option<GameTime> {
    edge.learned.as_ref().and_then(|date| date.time)
}

/// The NPCs of a campaign that would know nothing but their own name and kind: neither by edges of their own nor as
/// members or residents. Sorted.
pub(crate) fn know_nothing(campaign: &Campaign, edges: &BTreeMap<KnowledgeId, Arc<Knowledge>>) -> Vec<EntityId> {
    let mut own_names: HashSet<FactId> = HashSet::new();
    let mut groups: HashMap<&EntityId, Vec<&EntityId>> = HashMap::new();
    for Stated { fact, .. } in &campaign.facts {
        let name = fact.predicate().as_str();
        if [attribute::NAME, attribute::KIND].contains(&name) {
            own_names.insert(fact.id());
        }
        if let Some(group) = fact.object().entity()
            && [predicate::MEMBER_OF, predicate::RESIDENT_OF].contains(&name)
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
