//! Moves: a character goes to another place. Decides who learns the new location.

use std::sync::Arc;

use hearsay_belief::characters_at;
use hearsay_model::{
    Acquisition, ActiveSession, Change, EntityId, Evidence, Fact, FactId, FactStatus, GameTime, Knower, KnowledgeEdge,
    Passage, PredicateRole, Secrecy, SessionSetting, Setting, State,
};

use crate::presence::scene_characters;

/// A move, as stated by a fact about the location of a character that has no end.
#[derive(Clone, Copy)]
pub(crate) struct Move<'a> {
    state: &'a State,
    fact: &'a Fact,
    place: &'a EntityId,
}

impl<'a> Move<'a> {
    /// Returns the move that a fact states. Returns `None` if the fact states no location of a character, or if its end
    /// is recorded.
    pub(crate) fn from_fact(state: &'a State, fact: &'a Fact) -> Option<Self> {
        let is_character = state.kind(fact.subject()).is_some_and(|kind| kind.is_character());
        let is_move = PredicateRole::Location.is(fact.predicate()) && is_character && !fact.validity().is_closed();
        let place = fact.object().entity().filter(|_| is_move)?;
        Some(Self { state, fact, place })
    }

    /// Returns the characters who know the new location: the character who moves, and the characters at the new place.
    pub(crate) fn knowers(&self) -> Vec<EntityId> {
        self.knowers_at(self.fact.validity().start())
    }

    fn knowers_at(&self, moment: Option<GameTime>) -> Vec<EntityId> {
        let Self { state, place, .. } = *self;
        let mut knowers = match state.active_session().filter(|playing| playing.place.as_ref() == Some(place)) {
            Some(playing) => scene_characters(state, playing, Some(place), moment),
            None => characters_at(state, place, moment),
        };
        knowers.push(self.fact.subject().clone());
        knowers
    }

    /// If the character left the scene at the new place, returns the change by which the character is there again.
    pub(crate) fn end_of_absence(&self) -> Option<Change> {
        let playing = self.state.active_session()?;
        if playing.absent.get(self.fact.subject()) != Some(self.place) {
            return None;
        }
        let mut absent = playing.absent.clone();
        absent.remove(self.fact.subject());
        let playing = ActiveSession { absent, ..playing.clone() };
        Some(Change::Set(Setting::Session(SessionSetting::Playing(playing))))
    }

    /// Returns the changes by which characters learn the move after the DM accepts its fact, which was found in a line of a
    /// session. The character who moves learns the fact. If the line is narration, the characters at the new place and
    /// the characters who move there in the same line learn it too. `recorded` is the id of the fact before the decision.
    pub(crate) fn accepted(&self, recorded: FactId) -> Vec<Change> {
        let Some(line) = self.lines().max_by_key(|line| line.line) else { return Vec::new() };
        let mut knowers = vec![self.fact.subject().clone()];
        if line.speaker.is_none() && self.fact.secrecy() != Secrecy::Secret {
            knowers.extend(self.companions(line));
            knowers.extend(self.knowers_at(line.time.as_ref().and_then(|date| date.time)));
        }
        knowers.sort();
        knowers.dedup();
        let is_known = |id: &EntityId| {
            let is_own = |edge: &Arc<KnowledgeEdge>| edge.knower.entity() == Some(id);
            self.state.known_by(recorded).any(|edge| is_own(edge) && edge.acquisition.gives_knowledge())
        };
        let edge = |knower: EntityId| KnowledgeEdge {
            acquisition: Acquisition::Witnessed,
            learned: line.time.clone(),
            session: line.session.clone(),
            ..KnowledgeEdge::authored(Knower::Entity(knower), self.fact.id())
        };
        let edges = knowers.into_iter().filter(|id| !is_known(id)).map(|id| Change::Learn(edge(id).into()));
        edges.chain(self.end_of_absence()).collect()
    }

    /// Returns the place where the character is according to a later record, if the move was found in a line of a session.
    /// `ended` contains the changes with which the move ends the earlier locations.
    pub(crate) fn later_place(&self, ended: &[Change]) -> Option<&'a EntityId> {
        let predicate = self.fact.predicate();
        self.lines().next().filter(|_| self.state.is_functional(predicate))?;
        let is_ended = |location: &Fact| {
            ended.iter().any(|change| matches!(change, Change::EndFact { fact, .. } if *fact == location.id()))
        };
        let locations = self.state.values(self.fact.subject(), predicate).into_iter();
        let mut places =
            locations.filter(|location| !is_ended(location)).filter_map(|location| location.object().entity());
        places.find(|place| *place != self.place)
    }

    /// Returns the lines of sessions in which the fact was found.
    fn lines(&self) -> impl Iterator<Item = &'a Passage> {
        let state = self.state;
        let passages = self.fact.provenance().evidence.iter().filter_map(Evidence::passage);
        let passages = passages.filter_map(move |id| state.passage(id)).map(|passage| &**passage);
        passages.filter(|passage| passage.session.is_some() && !passage.is_out_of_character())
    }

    /// Returns the other characters who move to the same place in the same line.
    fn companions(&self, line: &Passage) -> Vec<EntityId> {
        let line = line.id();
        let is_companion = |fact: &&Arc<Fact>| {
            let mut passages = fact.provenance().evidence.iter().filter_map(Evidence::passage);
            PredicateRole::Location.is(fact.predicate())
                && fact.object().entity() == Some(self.place)
                && fact.status() != FactStatus::Rejected
                && passages.any(|id| id == line)
        };
        let movers = self.state.facts_of(self.place).filter(is_companion).map(|fact| fact.subject());
        movers.filter(|id| self.state.kind(id).is_some_and(|kind| kind.is_character())).cloned().collect()
    }
}
