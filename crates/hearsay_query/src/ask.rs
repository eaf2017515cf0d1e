//! Questions to characters, and their answers.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use hearsay_belief::{
    Known, RevealEvaluation, RevealableFacts, View, hides_from, learn::visible_facts, revealable_facts,
};
use hearsay_model::{
    ActiveSession, EntityId, Fact, GameTime, Kind, Knower, Position, Predicate, PredicateRole, ReferringExpression,
    SessionId, State,
};
use hearsay_recall::{
    ApproximateTokens, ContextRequest, Detail, EntityLinker, Index, Scene, SceneContext, TokenCounter,
};
use serde::{Deserialize, Serialize};

use crate::{
    QueryError,
    ids::{require_entities, require_session},
    referring::noun_phrase,
    reveals,
    session::{attending_in_scene, is_masked, is_masked_for, scene_characters, scene_moment, sessions_in_order},
    views::ViewCache,
};

/// A question to a character.
pub struct Ask {
    /// Character that answers the question.
    pub speaker: EntityId,
    /// Text of the question.
    pub question: String,
    /// Place of the conversation. If `None`, the place is the current place of the session being played, if the speaker
    /// is in its scene. Otherwise, it is the place where the speaker believes to be, or the speaker's home if the
    /// speaker knows no such place.
    pub place: Option<EntityId>,
    /// Listeners and other entities that are present with the speaker. If the list is empty and the speaker is in the
    /// scene of the session being played, the default is the other characters in this scene. Otherwise, the default is the
    /// entities that the speaker believes to be at the place. The characters who attend the session being played are at
    /// the current place of the session, and at no other place.
    pub present: Vec<EntityId>,
    /// Number of other listeners, whom the speaker does not know. If it is not 0, an empty list in `present` has no
    /// default.
    pub strangers: usize,
    /// Entities that the question is about. The answer contains only facts and passages that concern these entities or
    /// their direct neighbours. If the list is empty, the answer may concern any entity.
    pub about: Vec<EntityId>,
    /// Predicates whose facts the answer omits, even if the speaker knows these facts.
    pub hidden: Arc<BTreeSet<Predicate>>,
    /// Session of the recent talk: the answer contains the last lines of this session that the speaker heard. `None`
    /// means the session being played, if the speaker heard a line of it. Otherwise, the answer contains the last lines
    /// that the speaker heard in the last hour of game time.
    pub session: Option<SessionId>,
    /// Game time at which the speaker answers. `None` means the game clock.
    pub as_of: Option<GameTime>,
    /// Maximum number of tokens of the context. `None` means the value in the settings.
    pub budget: Option<usize>,
    /// Maximum number of facts and passages together. `None` means the value in the settings.
    pub limit: Option<usize>,
    /// Maximum time, counted from the call of `Memory::ask`, to wait for the vector of the question. If the sentence
    /// encoder needs more time, facts and passages are ranked by keywords and graph only. `None` means the value in the
    /// settings.
    pub deadline: Option<Duration>,
    /// Token counter. `None` means [`ApproximateTokens`].
    pub counter: Option<Box<dyn TokenCounter + Send>>,
    /// Additional details to show with each line of the context, such as citations. The tokens of these details are
    /// part of the budget.
    pub detail: Detail,
}

impl Ask {
    /// Creates a question to a character at the character's current place and the current game time.
    pub fn new(speaker: EntityId, question: impl Into<String>) -> Self {
        Self {
            speaker,
            question: question.into(),
            place: None,
            present: Vec::new(),
            strangers: 0,
            about: Vec::new(),
            hidden: Arc::default(),
            session: None,
            as_of: None,
            budget: None,
            limit: None,
            deadline: None,
            counter: None,
            detail: Detail::Plain,
        }
    }

    /// Answers the question from `state`, which may be an earlier state, and returns the context. Facts and passages
    /// are ranked by keywords and graph, but not by meaning. The function indexes every text of the state, so call it
    /// on a background thread.
    ///
    /// # Errors
    /// Returns an error if an entity or the session does not exist.
    pub fn context_in_state(&self, state: &State, settings: &RecallSettings) -> Result<SceneContext, QueryError> {
        let (index, reveals) = (Index::new(state.corpus()), reveals::evaluations(state));
        let sources = AnswerSources { state, index: &index, reveals: &reveals };
        self.context(&sources, &mut ViewCache::default(), None, true, settings)
    }

    /// Assembles the context for answering the question from the given sources.
    ///
    /// # Errors
    /// Returns an error if an entity or the session does not exist.
    pub fn context(
        &self,
        sources: &AnswerSources,
        view_cache: &mut ViewCache,
        vector: Option<&[f32]>,
        graph: bool,
        settings: &RecallSettings,
    ) -> Result<SceneContext, QueryError> {
        let AnswerSources { state, index, reveals } = *sources;
        let speaker = &self.speaker;
        require_entities(state, std::iter::once(speaker).chain(&self.place).chain(&self.present).chain(&self.about))?;
        if let Some(session) = &self.session {
            require_session(state, session)?;
        }
        let cached_view = view_cache.get_or_compute(state, Some(&Knower::Entity(speaker.clone())), self.as_of);
        let time = self.as_of.or_else(|| state.clock());
        let (session, sessions) = (self.session_of_talk(state, &cached_view.view), sessions_in_order(state));
        let scene = Scene { time, session, sessions, ..self.scene_of(state, &cached_view.view, &cached_view.names) };
        // Reveals are evaluated at the current game time only.
        let is_current = self.as_of.is_none() || self.as_of == state.clock();
        let revealable = if is_current { revealable_facts(reveals, speaker) } else { RevealableFacts::new() };
        Ok(SceneContext::assemble(&ContextRequest {
            view: &cached_view.view,
            names: &cached_view.names,
            index,
            calendar: state.calendar(),
            vocabulary: state.vocabulary(),
            speaker,
            scene: &scene,
            question: &self.question,
            about: &self.about,
            revealable: &revealable,
            hidden: &self.hidden,
            vector,
            graph,
            min_episodes: settings.min_episodes,
            limit: self.limit.unwrap_or(settings.limit),
            budget: self.budget.unwrap_or(settings.budget),
            counter: self.counter.as_deref().map_or(&ApproximateTokens, |counter| counter as &dyn TokenCounter),
            detail: self.detail,
        }))
    }
}

impl Ask {
    /// Returns the session from which the recent talk is taken: the given session, or else the session being played, if
    /// the speaker heard a line of it.
    fn session_of_talk(&self, state: &State, view: &View) -> Option<SessionId> {
        let playing = || {
            let playing = &state.active_session().filter(|_| self.as_of.is_none())?.session;
            let mut heard = view.passages().map(|(_, heard)| &heard.passage);
            heard.any(|passage| passage.session.as_ref() == Some(playing)).then(|| playing.clone())
        };
        self.session.clone().or_else(playing)
    }

    /// Returns the place of the scene, and who is present. If nobody is present, the context determines who is.
    ///
    /// A character in the scene of the session being played is at the place of this session, and sees the characters in
    /// the scene, whatever it believes. For another speaker, the scene is what the speaker believes.
    fn scene_of(&self, state: &State, view: &View, names: &EntityLinker) -> Scene {
        let playing = state.active_session().filter(|_| self.as_of.is_none());
        let played = playing.and_then(|playing| Some((playing, playing.place.as_ref()?)));
        let played = played.map(|(playing, place)| {
            let moment = scene_moment(state, playing);
            (playing, place, scene_characters(state, playing, Some(place), moment), moment)
        });
        let own_scene = played.as_ref().filter(|(_, _, characters, _)| characters.contains(&self.speaker));
        let place = match (&self.place, own_scene) {
            (Some(place), _) => Some(place.clone()),
            (None, Some((_, place, ..))) => Some((*place).clone()),
            (None, None) => known_place(view, &self.speaker),
        };
        let mut scene = Scene { place, present: self.present.clone(), strangers: self.strangers, ..Scene::default() };
        let is_own = own_scene.is_some_and(|(_, place, ..)| scene.place.as_ref() == Some(*place));
        if let (Some(place), Some((playing, _, characters, moment))) = (scene.place.clone(), &played)
            && self.present.is_empty()
            && self.strangers == 0
        {
            let seen = view.observed_at(&place).filter(|known| !self.hidden.contains(known.predicate()));
            let seen: Vec<EntityId> = seen.map(|known| known.subject().clone()).collect();
            if is_own {
                self.add_played_scene(state, view, (&seen, characters), *moment, &mut scene);
            } else {
                scene.present = self.believed_scene(state, playing, &place, seen);
            }
        }
        let moment = played.as_ref().and_then(|(.., moment)| *moment);
        let unnamed = scene.present.iter().filter(|id| **id != self.speaker && names.name(id).is_none());
        let references = unnamed.filter_map(|id| {
            let is_seen = is_own && !is_masked(state, id);
            let visible = if is_seen { visible_facts(state, id, moment) } else { Vec::new() };
            Some((id.clone(), self.reference_to(state, view, id, &visible)?))
        });
        scene.references = references.collect();
        scene
    }

    /// Adds the characters in the scene of the session being played, and the things that the speaker believes to be there.
    /// `seen` contains the entities that the speaker believes to be there. Characters who hide from the speaker are left
    /// out. A character under a secret name is a stranger, unless the speaker knows who it is.
    fn add_played_scene(
        &self,
        state: &State,
        view: &View,
        (seen, characters): (&[EntityId], &[EntityId]),
        moment: Option<GameTime>,
        scene: &mut Scene,
    ) {
        let is_thing = |id: &&EntityId| !state.is_character(id);
        scene.present = seen.iter().filter(is_thing).cloned().collect();
        let is_player = |id: &EntityId| state.kind(id) == Some(Kind::Player);
        for id in characters.iter().filter(|id| **id == self.speaker || !hides_from(state, id, view, moment)) {
            let is_recognized = is_player(id) && is_player(&self.speaker);
            if is_recognized || !is_masked_for(state, id, view) {
                scene.present.push(id.clone());
            } else {
                scene.strangers += 1;
            }
        }
        scene.present.sort();
        scene.present.dedup();
    }

    /// Returns who is present at a place according to the beliefs of a speaker who is not in the scene of the session being
    /// played. The characters who attend this session are present only at its place.
    fn believed_scene(
        &self,
        state: &State,
        playing: &ActiveSession,
        place: &EntityId,
        mut present: Vec<EntityId>,
    ) -> Vec<EntityId> {
        let attending = attending_in_scene(state, playing);
        let is_at_session = playing.place.as_ref() == Some(place);
        // At the place of the session, neither a character who left the scene nor a player character whose player is
        // away is in the scene.
        present.retain(|id| match attending.contains(id) {
            true => is_at_session,
            false => {
                let has_left = state.kind(id) == Some(Kind::Player) || playing.absent.get(id) == Some(place);
                !is_at_session || !has_left
            }
        });
        if is_at_session {
            present.extend(attending.into_iter().filter(|id| state.entity(id).is_some()));
        } else {
            // For an empty list, the context would add the characters who attend the session.
            present.push(self.speaker.clone());
        }
        present.sort();
        present.dedup();
        present
    }

    /// Returns the words by which the speaker refers to a character whose name it does not know, such as `The landlady`.
    /// They state the occupation, if the speaker knows or sees it and does not keep it secret. `visible` contains the facts
    /// that the speaker sees.
    fn reference_to(&self, state: &State, view: &View, id: &EntityId, visible: &[&Fact]) -> Option<String> {
        let is_noun = |predicate: &Predicate| {
            let behavior = state.vocabulary().behavior(predicate);
            let is_description = behavior.reference == Some(ReferringExpression::Description);
            behavior.visible && is_description && !self.hidden.contains(predicate)
        };
        let is_current = |known: &&Known| {
            let is_open = !known.is_secret() && !known.conceals();
            is_open && !known.is_disbelieved() && !view.is_superseded(known.id()) && view.known_end(known).is_none()
        };
        let known = view.facts_with_subject(id).filter(|known| is_noun(known.predicate())).filter(is_current);
        let known = known.max_by_key(|known| (known.credence(), known.recency()));
        let known = known.map(|known| (known.predicate(), known.object()));
        let mut seen = visible.iter().map(|fact| (fact.predicate(), fact.object()));
        let (predicate, value) = known.or_else(|| seen.find(|(predicate, _)| is_noun(predicate)))?;
        let noun = noun_phrase(predicate, value.text()?, &[]).join(" ");
        (!noun.is_empty()).then(|| format!("The {noun}"))
    }
}

/// Data from which a question is answered.
#[derive(Clone, Copy)]
pub struct AnswerSources<'a> {
    /// State of the campaign.
    pub state: &'a State,
    /// Search index of the state.
    pub index: &'a Index,
    /// Evaluations of the reveals. You can omit reveals whose conditions are not met.
    pub reveals: &'a [RevealEvaluation],
}

/// Returns the speaker's current place according to the speaker's own view: its
/// [observed location](View::observed_location), or else its home.
fn known_place(view: &View, speaker: &EntityId) -> Option<EntityId> {
    let home = || {
        let homes = view.facts_with_subject(speaker).filter(|known| PredicateRole::Residence.is(known.predicate()));
        homes.max_by_key(|known| (known.recency(), known.id())).filter(|home| view.known_end(home).is_none())
    };
    view.observed_location(speaker).or_else(home)?.object().entity().cloned()
}

/// The answer to a question: a scene context for the speaker, and information about how it was computed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Scene context: the facts and passages that the speaker knows and may use in the answer.
    pub context: SceneContext,
    /// Number of texts in the campaign that have no vector yet. Only keyword and graph search can find these texts.
    pub pending_vectors: usize,
    /// Ranking methods that were skipped: `meaning`, `graph` or both. A method is skipped if there is no time left or
    /// if the sentence encoder fails.
    pub cut: Vec<&'static str>,
    /// Journal position of the state from which the answer was computed.
    pub position: Position,
}

/// Settings for answering questions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecallSettings {
    /// Token budget of a scene context.
    pub budget: usize,
    /// Maximum number of facts and passages in a scene context.
    pub limit: usize,
    /// Number of days from which facts with the same content that began on different days share one line of a scene
    /// context. 0 means that each of these facts has its own line.
    pub min_episodes: usize,
    /// Time in milliseconds after which a question is answered without ranking by meaning.
    pub deadline_ms: u64,
    /// Time in milliseconds after which a question is answered by keyword search alone, without ranking by meaning or
    /// graph.
    pub hard_deadline_ms: u64,
}

impl Default for RecallSettings {
    fn default() -> Self {
        Self { budget: 1200, limit: 16, min_episodes: 3, deadline_ms: 50, hard_deadline_ms: 150 }
    }
}

impl RecallSettings {
    /// Returns the time after which a question is answered without ranking by meaning.
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// Returns the time after which a question is answered by keyword search alone, without ranking by meaning or
    /// graph.
    pub fn hard_deadline(&self) -> Duration {
        Duration::from_millis(self.hard_deadline_ms)
    }
}
