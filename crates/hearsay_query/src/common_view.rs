//! The common view of the players: a state that contains only the records that every player character knows.
//!
//! A screen that the players can see uses only this state, so it cannot show secrets.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hearsay_belief::{View, player_characters};
use hearsay_model::{
    Acquisition, ActiveSession, ApplyError, Author, CampaignInfo, Change, Credence, Date, Entity, EntityId, Fact,
    FactId, GameSetting, Knower, KnowledgeEdge, Operation, Passage, Predicate, RecapReader, Secrecy, Session,
    SessionSetting, Setting, State, WorldSetting, attribute,
};

use crate::knowledge::players;

/// Returns a state with the records that every player character knows. If the campaign has no player characters, the
/// state contains only the name of the campaign, the calendar, the clock and the sessions.
///
/// The state contains:
///
/// - the facts that all player characters know, if they are not secret and no player character conceals them. The facts
///   contain no data that is only for the DM: see [`Fact::without_dm_data`]. The ends of facts are computed from the
///   other facts in this state,
/// - the entities in these facts whose names are also in these facts,
/// - for each fact, the edges of the parties, and the edges that all player characters have. All other edges of a
///   player character are replaced by one edge without details,
/// - the passages that all player characters heard or read, without the other hearers,
/// - the sessions, the calendar, the clock, the recaps for players, and the definitions of the campaign's own
///   predicates in these facts.
///
/// The state contains no evidence, reveals or flags, and no knowledge of other characters. It does not show the status
/// or the confidence of a fact. The result does not depend on this data.
///
/// This function computes a view of each player character, so call it on a background thread.
///
/// # Errors
/// Returns an error if a record is not valid in the reduced state.
pub fn common_view(state: &State) -> Result<State, ApplyError> {
    let characters = player_characters(state);
    let views: Vec<View> = characters.iter().map(|id| View::new(state, &Knower::Entity(id.clone()), None)).collect();
    let mut reducer = Reducer { state, views, nameable: characters.iter().cloned().collect(), characters };
    reducer.add_names();
    let facts = reducer.facts();
    let mut changes: Vec<Change> = reducer.nameable.iter().cloned().map(Entity::new).map(Change::AddEntity).collect();
    changes.extend(reducer.sessions().map(Change::SetSession));
    changes.extend(reducer.settings(&facts).map(Change::Set));
    changes.extend(facts.iter().cloned().map(|fact| Change::AssertFact(Arc::new(fact))));
    changes.extend(reducer.edges(&facts).into_iter().map(|edge| Change::Learn(Arc::new(edge))));
    changes.extend(reducer.passages().map(|passage| Change::AddPassage(Arc::new(passage))));
    let mut common = State::default();
    common.apply(Operation::new(Author::Game, "the common view of the players", changes))?;
    Ok(common)
}

struct Reducer<'a> {
    state: &'a State,
    characters: Vec<EntityId>,
    /// The views of the player characters, in the order of `characters`.
    views: Vec<View>,
    /// The player characters, and the entities whose names all of them know.
    nameable: BTreeSet<EntityId>,
}

impl Reducer<'_> {
    /// Returns whether all player characters know a fact, the fact is not secret, and no player character conceals the
    /// fact.
    fn is_common(&self, fact: &Fact) -> bool {
        let is_known = |view: &View| view.fact(fact.id()).is_some_and(|known| !known.conceals());
        fact.status().is_knowable()
            && fact.secrecy() != Secrecy::Secret
            && !self.views.is_empty()
            && self.views.iter().all(is_known)
    }

    fn add_names(&mut self) {
        let is_name = |fact: &&Arc<Fact>| *fact.predicate() == *attribute::NAME;
        let names = self.state.facts().filter(is_name).filter(|fact| self.is_common(fact));
        let named: Vec<EntityId> = names.map(|fact| fact.subject().clone()).collect();
        self.nameable.extend(named);
    }

    fn is_nameable(&self, id: &EntityId) -> bool {
        self.nameable.contains(id)
    }

    /// Returns the common facts, and the kinds of the player characters. The facts are in the order of their assertion,
    /// so that the newest value of an attribute stays the newest.
    fn facts(&self) -> Vec<Fact> {
        let is_kind_of_character = |fact: &Fact| {
            let kind = self.state.newest(fact.subject(), attribute::KIND);
            self.characters.contains(fact.subject()) && kind.is_some_and(|kind| kind.id() == fact.id())
        };
        let is_included = |fact: &Fact| {
            let is_about_nameable =
                self.is_nameable(fact.subject()) && fact.object().entity().is_none_or(|id| self.is_nameable(id));
            is_about_nameable && (self.is_common(fact) || is_kind_of_character(fact))
        };
        let included = self.state.facts_by_assertion().into_iter().filter(|fact| is_included(fact));
        let mut facts: Vec<Fact> = included.map(|fact| fact.without_dm_data()).collect();
        for (index, end) in self.ends(&facts) {
            facts[index] = facts[index].clone().with_end(end);
        }
        facts
    }

    /// Returns the ends of facts that follow from the other common facts, each with the index of the ended fact. For
    /// example, a later value of a functional predicate ends the earlier value.
    fn ends(&self, facts: &[Fact]) -> Vec<(usize, Date)> {
        let mut values: BTreeMap<(&EntityId, &Predicate), Vec<usize>> = BTreeMap::new();
        for (index, fact) in facts.iter().enumerate().filter(|(_, fact)| self.state.is_functional(fact.predicate())) {
            values.entry((fact.subject(), fact.predicate())).or_default().push(index);
        }
        let start = |index: usize| facts[index].validity().start();
        let mut ends = Vec::new();
        for indices in values.values_mut() {
            indices.sort_by_key(|index| (start(*index), *index));
            for pair in indices.windows(2).filter(|pair| start(pair[1]) > start(pair[0])) {
                ends.extend(facts[pair[1]].validity().from.clone().map(|end| (pair[0], end)));
            }
        }
        ends
    }

    fn edges(&self, facts: &[Fact]) -> Vec<KnowledgeEdge> {
        let included: BTreeSet<FactId> = facts.iter().map(Fact::id).collect();
        let parties: Vec<EntityId> = players(self.state)
            .into_iter()
            .filter(|id| !self.characters.contains(id) && self.is_nameable(id))
            .collect();
        let mut edges = Vec::new();
        for fact in facts {
            let recorded: Vec<&Arc<KnowledgeEdge>> = self.state.known_by(fact.id()).collect();
            if recorded.iter().any(|edge| edge.knower == Knower::World) {
                edges.push(KnowledgeEdge::authored(Knower::World, fact.id()));
                continue;
            }
            for edge in &recorded {
                if edge.knower.entity().is_some_and(|knower| parties.contains(knower)) {
                    edges.push(self.reduced_edge(edge, &included));
                }
            }
            for character in &self.characters {
                let own = recorded.iter().filter(|edge| edge.knower.entity() == Some(character));
                let joint: Vec<KnowledgeEdge> = own
                    .filter(|edge| self.is_joint(edge, character))
                    .map(|edge| self.reduced_edge(edge, &included))
                    .collect();
                if joint.is_empty() {
                    edges.push(KnowledgeEdge::authored(Knower::Entity(character.clone()), fact.id()));
                }
                edges.extend(joint);
            }
        }
        let mut ids = BTreeSet::new();
        edges.retain(|edge| ids.insert(edge.id()));
        edges
    }

    /// Returns whether all other player characters were present when a player character learned a fact.
    fn is_joint(&self, edge: &KnowledgeEdge, character: &EntityId) -> bool {
        self.characters.iter().all(|other| other == character || edge.co_present.contains(other))
    }

    fn reduced_edge(&self, edge: &KnowledgeEdge, included: &BTreeSet<FactId>) -> KnowledgeEdge {
        let public = |id: &Option<EntityId>| id.clone().filter(|id| self.is_nameable(id));
        let acquisition = match &edge.acquisition {
            Acquisition::Told { by, citing } => Acquisition::Told { by: public(by), citing: public(citing) },
            Acquisition::Read { document } => Acquisition::Read { document: public(document) },
            Acquisition::Deduced { from } if !from.iter().all(|fact| included.contains(fact)) => Acquisition::Authored,
            other => other.clone(),
        };
        let co_present = edge.co_present.iter().filter(|id| self.characters.contains(id)).cloned().collect();
        let (knower, learned, session) = (edge.knower.clone(), edge.learned.clone(), edge.session.clone());
        let (credence, conceals, sources, rank) = (Credence::FULL, false, Vec::new(), None);
        KnowledgeEdge {
            knower,
            fact: edge.fact,
            acquisition,
            learned,
            credence,
            conceals,
            session,
            co_present,
            sources,
            rank,
        }
    }

    fn passages(&self) -> impl Iterator<Item = Passage> {
        let first = self.views.first().into_iter().flat_map(View::passages);
        let is_received = |id| self.views.iter().all(|view| view.passage(id).is_some());
        let received = first.filter(move |(id, _)| is_received(*id));
        received.map(|(id, heard)| {
            let passage = &*heard.passage;
            let sees_speaker = |view: &View| view.passage(id).is_some_and(|heard| heard.passage.speaker.is_some());
            let speaker = passage.speaker.clone();
            let speaker = speaker.filter(|id| self.is_nameable(id) && self.views.iter().all(sees_speaker));
            let is_character = |knower: &Knower| knower.entity().is_some_and(|id| self.characters.contains(id));
            let mut readers = passage.readers.clone();
            readers.retain(|reader| is_character(&reader.knower));
            let mut heard_by: Vec<Knower> =
                passage.heard_by.iter().filter(|knower| is_character(knower)).cloned().collect();
            let has_received = |id: &EntityId| readers.iter().any(|reader| reader.knower.entity() == Some(id));
            // A player character can receive a passage as a member of a group or as a resident of a place.
            let others = self.characters.iter().filter(|id| !has_received(id) && Some(*id) != speaker.as_ref());
            heard_by.extend(others.cloned().map(Knower::Entity));
            heard_by.sort();
            heard_by.dedup();
            Passage {
                speaker,
                speaker_alias: None,
                title: None,
                place: passage.place.clone().filter(|place| self.is_nameable(place)),
                document: passage.document.clone().filter(|document| self.is_nameable(document)),
                heard_by,
                readers,
                mentions: Vec::new(),
                evidence: Vec::new(),
                confidential: false,
                lie: false,
                ..passage.clone()
            }
        })
    }

    fn sessions(&self) -> impl Iterator<Item = Session> {
        self.state
            .sessions()
            .map(|session| Session { present: self.only_players(&session.present), ..Session::clone(session) })
    }

    fn only_players(&self, ids: &[EntityId]) -> Vec<EntityId> {
        ids.iter().filter(|id| self.characters.contains(id)).cloned().collect()
    }

    fn settings(&self, facts: &[Fact]) -> impl Iterator<Item = Setting> {
        let used: BTreeSet<Predicate> = facts.iter().map(|fact| fact.predicate().clone()).collect();
        self.state.settings().filter_map(move |setting| match &**setting {
            Setting::World(WorldSetting::Campaign(campaign)) => {
                let name = campaign.name.clone();
                Some(Setting::World(WorldSetting::Campaign(CampaignInfo { name, ..CampaignInfo::default() })))
            }
            Setting::World(WorldSetting::Predicate(definition)) if !used.contains(&definition.name) => None,
            Setting::World(WorldSetting::Attribute(definition)) if !used.contains(&definition.name) => None,
            Setting::Session(SessionSetting::Playing(playing)) => {
                let place = playing.place.clone().filter(|place| self.is_nameable(place));
                let (here, absent) = (self.only_players(&playing.here), BTreeMap::new());
                let playing = ActiveSession { here, absent, place, ..playing.clone() };
                Some(Setting::Session(SessionSetting::Playing(playing)))
            }
            Setting::Session(SessionSetting::Recap(recap)) if recap.reader == RecapReader::Dm => None,
            Setting::World(WorldSetting::Calendar(_) | WorldSetting::Predicate(_) | WorldSetting::Attribute(_))
            | Setting::Game(GameSetting::Clock(_))
            | Setting::Session(SessionSetting::Recap(_)) => Some(Setting::clone(setting)),
            Setting::World(WorldSetting::Audience(_) | WorldSetting::Minds(_))
            | Setting::Game(GameSetting::Reveal(_) | GameSetting::Flag { .. })
            | Setting::Review(_)
            | Setting::Engine(_) => None,
        })
    }
}
