//! Moves: a character goes to another place. Decides who learns the new location, and who learns that the earlier
//! location has ended.

use std::sync::Arc;

use hearsay_belief::{Known, StateViews, characters_at, learn};
use hearsay_model::{
    Acquisition, ActiveSession, Author, Change, Date, EntityId, Evidence, Fact, FactRelation, FactStatus, GameTime,
    Kind, Knower, KnowledgeEdge, Method, Passage, PredicateRole, Provenance, Secrecy, SessionSetting, Setting, State,
    Timestamp, attribute, text,
};

use crate::{
    CommandError,
    presence::{is_masked, scene_characters, scene_moment},
};

/// Returns whether a character who sees another character come or go knows who this is. It then knows the name of the
/// other, or where the other was or lives, or it heard this name in the session being played. Otherwise, a fact about the
/// location would tell the name of a stranger. The player characters know each other. A character who speaks under a
/// secret name is a stranger to all others.
///
/// All arrivals and departures follow this rule, whether the DM records the move, accepts it or changes the scene.
pub(crate) fn recognizes(
    views: &StateViews<'_>,
    knower: &EntityId,
    other: &EntityId,
    moment: Option<GameTime>,
) -> bool {
    let state = views.state();
    let is_player = |id: &EntityId| state.kind(id) == Some(Kind::Player);
    if knower == other || (is_player(knower) && is_player(other)) {
        return true;
    }
    if is_masked(state, other) {
        return false;
    }
    let (knower, name) = (Knower::Entity(knower.clone()), state.open_name(other));
    // A nickname or a first name does not tell the whole name.
    let is_named =
        |line: &Passage| name.is_some_and(|name| text::contains_name(&text::words(&line.text), &text::words(name)));
    let names_other = |line: &Arc<Passage>| {
        line.mentions.contains(other) && line.has_participant(&knower) && !line.is_out_of_character() && is_named(line)
    };
    let has_heard_name = state
        .active_session()
        .is_some_and(|playing| state.passages_in_session(Some(&playing.session)).any(|(_, line)| names_other(line)));
    if has_heard_name {
        return true;
    }
    let view = views.get(&knower, moment);
    let states_place = |known: &Known| {
        let predicate = known.predicate();
        !known.is_secret() && (PredicateRole::Location.is(predicate) || PredicateRole::Residence.is(predicate))
    };
    name.is_some_and(|name| view.knows_name(other, name)) || view.facts_with_subject(other).any(states_place)
}

/// Returns the changes by which knowers learn a fact at a time, as a statement of the DM. They conceal a secret. The
/// knowledge belongs to no session, so that recaps do not list the fact.
pub(crate) fn learn_fact(
    fact: &Fact,
    knowers: impl IntoIterator<Item = impl Into<Knower>>,
    time: Option<&Date>,
) -> Vec<Change> {
    let conceals = fact.secrecy() == Secrecy::Secret;
    let edge = |knower: Knower| {
        let edge = KnowledgeEdge::authored(knower, fact.id());
        Change::Learn(Arc::new(KnowledgeEdge { learned: time.cloned(), conceals, ..edge }))
    };
    knowers.into_iter().map(Into::into).map(edge).collect()
}

/// Returns the changes by which characters learn that a location has ended. Only those learn it who know the location:
/// the end alone would tell the others where somebody was. Only its subject learns the end of a secret location.
pub(crate) fn learn_end(
    views: &StateViews<'_>,
    location: &Fact,
    until: &Date,
    mut knowers: Vec<EntityId>,
    now: Timestamp,
) -> Result<Vec<Change>, CommandError> {
    let knows_location =
        |id: &EntityId| views.get(&Knower::Entity(id.clone()), until.time).fact(location.id()).is_some();
    knowers.retain(|id| id == location.subject() || location.secrecy() != Secrecy::Secret);
    knowers.retain(knows_location);
    knowers.sort();
    knowers.dedup();
    if knowers.is_empty() {
        return Ok(Vec::new());
    }
    let provenance = Provenance { recorded: now, ..Provenance::new(Method::Authored, Author::Dm) };
    let ending = learn::ending(location, until.clone(), provenance)?;
    let learned = learn_fact(&ending, knowers, Some(until));
    Ok(std::iter::once(Change::AssertFact(ending)).chain(learned).collect())
}

/// Returns the changes by which the characters in the scene being played learn that others have left it. `ended` contains
/// the changes that end the earlier locations, and `movers` the characters who leave. Nobody learns that a character has
/// left who was not in the scene. A character does not learn that a stranger has left (see [`recognizes`]).
pub(crate) fn departure(
    views: &StateViews<'_>,
    ended: &[Change],
    movers: &[EntityId],
    now: Timestamp,
) -> Result<Vec<Change>, CommandError> {
    let state = views.state();
    let Some(playing) = state.active_session() else { return Ok(Vec::new()) };
    let Some(place) = &playing.place else { return Ok(Vec::new()) };
    let (moment, mut changes) = (scene_moment(state, playing), Vec::new());
    for change in ended {
        let Change::EndFact { fact, until } = change else { continue };
        let Some(location) = state.fact(*fact) else { continue };
        if location.object().entity() != Some(place) {
            continue;
        }
        let mut present = scene_characters(state, playing, Some(place), moment);
        if present.contains(location.subject()) {
            present.retain(|id| !movers.contains(id) && recognizes(views, id, location.subject(), moment));
            changes.extend(learn_end(views, location, until, present, now)?);
        }
    }
    Ok(changes)
}

/// Returns the changes that are necessary if a character returns to a place at the game time at which it came there
/// before. Its location is then the same fact as before, so the end of this fact is withdrawn. Characters who know the
/// end, and who do not learn the return, forget that the character was there, because they do not know that it returned.
pub(crate) fn withdrawn_ends(state: &State, location: &Fact, knowers: &[EntityId]) -> Vec<Change> {
    let texts = state.facts_with_subject(location.subject(), attribute::LORE).all();
    let is_end = |fact: &&Arc<Fact>| {
        fact.fact_relation() == Some(FactRelation::Ends(location.id())) && fact.provenance().author == Author::Dm
    };
    let mut changes = Vec::new();
    for end in texts.filter(is_end) {
        for (id, edge) in state.recorded_edges(end.id()) {
            changes.push(Change::Unlearn(id));
            let is_unaware = edge.knower.entity().is_some_and(|id| !knowers.contains(id));
            let known = state.recorded_edges(location.id()).filter(|(_, known)| known.knower == edge.knower);
            changes.extend(known.filter(|_| is_unaware).map(|(id, _)| Change::Unlearn(id)));
        }
        changes.push(Change::RetractFact(end.id()));
    }
    changes
}

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

    /// Returns the characters who know the new location: the character who moves, and the characters at the new place to
    /// whom it is no stranger (see [`recognizes`]).
    pub(crate) fn knowers(&self) -> Vec<EntityId> {
        self.knowers_at(&StateViews::new(self.state), self.fact.validity().start())
    }

    fn knowers_at(&self, views: &StateViews<'_>, moment: Option<GameTime>) -> Vec<EntityId> {
        let Self { state, fact, place } = *self;
        let mut knowers = match state.active_session().filter(|playing| playing.place.as_ref() == Some(place)) {
            Some(playing) => scene_characters(state, playing, Some(place), moment),
            None => characters_at(state, place, moment),
        };
        knowers.retain(|id| recognizes(views, id, fact.subject(), moment));
        knowers.push(fact.subject().clone());
        knowers
    }

    /// Returns the changes that follow from the move, besides the end of the earlier locations in `ended`. The characters
    /// in the scene that is left learn the departure, unless the new location is secret. A return withdraws the recorded
    /// end of the same location. If the character left the scene at the new place, it is there again. `knowers` contains
    /// the characters who know the new location.
    pub(crate) fn consequences(
        &self,
        ended: &[Change],
        knowers: &[EntityId],
        now: Timestamp,
    ) -> Result<Vec<Change>, CommandError> {
        let Self { state, fact, .. } = *self;
        let mut changes = match fact.secrecy() {
            Secrecy::Secret => Vec::new(),
            _ => departure(&StateViews::new(state), ended, std::slice::from_ref(fact.subject()), now)?,
        };
        changes.extend(withdrawn_ends(state, fact, knowers));
        changes.extend(self.end_of_absence());
        Ok(changes)
    }

    /// If the character left the scene at the new place, returns the change by which the character is there again.
    fn end_of_absence(&self) -> Option<Change> {
        let playing = self.state.active_session()?;
        if playing.absent.get(self.fact.subject()) != Some(self.place) {
            return None;
        }
        let mut absent = playing.absent.clone();
        absent.remove(self.fact.subject());
        let playing = ActiveSession { absent, ..playing.clone() };
        Some(Change::Set(Setting::Session(SessionSetting::Playing(playing))))
    }

    /// Returns the changes that follow if the fact of the move becomes canon: its [consequences](Self::consequences), and
    /// the changes by which characters learn a move that was found in a line of a session. The character who moves learns
    /// the fact. If the line is narration, the characters at the new place and the characters who move there in the same
    /// line learn it too, except those to whom the character is a stranger. `edges` are the edges to the fact so far, and
    /// `ended` contains the changes that end the earlier locations.
    pub(crate) fn accepted<'e>(
        &self,
        edges: impl Iterator<Item = &'e Arc<KnowledgeEdge>>,
        ended: &[Change],
        now: Timestamp,
    ) -> Result<Vec<Change>, CommandError> {
        let line = self.lines().max_by_key(|line| line.line);
        let mut learners = line.map(|line| self.knowers_of_line(line)).unwrap_or_default();
        let known = edges.filter(|edge| edge.acquisition.gives_knowledge());
        let known_by: Vec<EntityId> = known.filter_map(|edge| edge.knower.entity().cloned()).collect();
        learners.retain(|id| !known_by.contains(id));
        let edge = |knower: &EntityId| KnowledgeEdge {
            acquisition: Acquisition::Witnessed,
            learned: line.and_then(|line| line.time.clone()),
            session: line.and_then(|line| line.session.clone()),
            ..KnowledgeEdge::authored(Knower::Entity(knower.clone()), self.fact.id())
        };
        let mut changes: Vec<Change> = learners.iter().map(|knower| Change::Learn(edge(knower).into())).collect();
        let knowers: Vec<EntityId> = learners.iter().chain(&known_by).cloned().collect();
        changes.extend(self.consequences(ended, &knowers, now)?);
        Ok(changes)
    }

    /// Returns the characters who learn the move because it was found in a line of a session.
    fn knowers_of_line(&self, line: &Passage) -> Vec<EntityId> {
        let mover = self.fact.subject();
        let mut knowers = vec![mover.clone()];
        if line.speaker.is_none() && self.fact.secrecy() != Secrecy::Secret {
            let (views, moment) = (StateViews::new(self.state), line.said_at());
            let companions = self.companions(line).into_iter();
            knowers.extend(companions.filter(|id| recognizes(&views, id, mover, moment)));
            knowers.extend(self.knowers_at(&views, moment));
        }
        knowers.sort();
        knowers.dedup();
        knowers
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

    /// Returns whether the move was found in a line of the session being played, or no session is being played.
    pub(crate) fn may_change_scene(&self) -> bool {
        let is_played = |session| self.lines().any(|line| line.session.as_ref() == Some(session));
        self.state.active_session().is_none_or(|playing| is_played(&playing.session))
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
