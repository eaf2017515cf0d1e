//! Questions to characters, and their answers.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use hearsay_belief::{RevealEvaluation, RevealableFacts, View, revealable_facts};
use hearsay_model::{EntityId, GameTime, Kind, Knower, Position, Predicate, PredicateRole, SessionId, State};
use hearsay_recall::{ApproximateTokens, ContextRequest, Detail, Index, Scene, SceneContext, TokenCounter};
use serde::{Deserialize, Serialize};

use crate::{
    QueryError,
    ids::{require_entities, require_session},
    reveals,
    session::{attending_in_scene, sessions_in_order},
    views::ViewCache,
};

/// A question to a character.
pub struct Ask {
    /// Character that answers the question.
    pub speaker: EntityId,
    /// Text of the question.
    pub question: String,
    /// Place of the conversation. If `None`, the place is the current place of the session being played, if the speaker
    /// attends this session. Otherwise, it is the place where the speaker believes to be, or the speaker's home if the
    /// speaker knows no such place.
    pub place: Option<EntityId>,
    /// Listeners and other entities that are present with the speaker. If the list is empty, the default is the
    /// entities that the speaker sees at the place. The characters who attend the session being played are at the
    /// current place of the session, and at no other place.
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
        let (place, present) = self.scene_of(state, &cached_view.view);
        let time = self.as_of.or_else(|| state.clock());
        let (session, sessions) = (self.session_of_talk(state, &cached_view.view), sessions_in_order(state));
        let scene = Scene { place, present, strangers: self.strangers, time, session, sessions };
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

    /// Returns the place of the scene, and the characters who are present. An empty list means that the context
    /// determines the characters who are present.
    ///
    /// A character who attends the session being played is at the place of the session, unless its location is another
    /// place. If the scene is at the place of the session, these characters are present, and the entities that the
    /// speaker observes at this place. A scene at another place does not contain these characters.
    fn scene_of(&self, state: &State, view: &View) -> (Option<EntityId>, Vec<EntityId>) {
        let playing = state.active_session().filter(|_| self.as_of.is_none());
        let session_place = playing.and_then(|playing| playing.place.as_ref());
        let attending = playing.map(|playing| attending_in_scene(state, playing)).unwrap_or_default();
        let is_attending = attending.contains(&self.speaker);
        let speaker_place = match session_place.filter(|_| is_attending) {
            Some(place) => Some(place.clone()),
            None => known_place(view, &self.speaker),
        };
        let place = self.place.clone().or(speaker_place);
        let has_default = self.present.is_empty() && self.strangers == 0;
        if !has_default || place.is_none() || session_place.is_none() {
            return (place, self.present.clone());
        }
        let is_at_session = place.as_ref() == session_place;
        // At the place of the session, neither a character who left the scene nor a player character whose player is
        // away is in the scene.
        let has_left = |id: &EntityId| playing.is_some_and(|playing| playing.absent.get(id) == session_place);
        let is_absent = |id: &EntityId| match attending.contains(id) {
            true => !is_at_session,
            false => is_at_session && (state.kind(id) == Some(Kind::Player) || has_left(id)),
        };
        let seen = place.iter().flat_map(|place| view.observed_at(place));
        let seen = seen.filter(|known| !self.hidden.contains(known.predicate()));
        let mut present: Vec<EntityId> = seen.map(|known| known.subject().clone()).collect();
        present.retain(|id| !is_absent(id));
        if is_at_session {
            present.extend(attending.iter().filter(|id| state.entity(id).is_some()).cloned());
        } else {
            // For an empty list, the context would add the characters who attend the session.
            present.push(self.speaker.clone());
        }
        present.sort();
        present.dedup();
        (place, present)
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
