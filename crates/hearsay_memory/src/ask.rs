//! Questions to characters, and their answers.

use std::time::Duration;

use hearsay_belief::View;
use hearsay_model::{EntityId, GameTime, Knower, Position, State};
use hearsay_recall::{ApproximateTokens, Detail, Index, Request, Scene, SceneContext, TokenCounter};
use serde::Serialize;

use crate::{MemoryError, RecallSettings, edit::resolve, mind::Minds, query::find_session};

/// A question to a character.
pub struct Ask {
    /// Character that is asked: an id or a name.
    pub speaker: String,
    /// Text of the question.
    pub question: String,
    /// Place of the conversation: an id or a name. Default: the speaker's place, as far as the speaker knows it.
    pub place: Option<String>,
    /// Other entities that are present: ids or names.
    pub present: Vec<String>,
    /// Entities that the question is about: ids or names. The answer contains only facts and passages that concern
    /// these entities or their direct neighbours. If empty, there is no such restriction.
    pub about: Vec<String>,
    /// Session that is being played: its id or number. The answer contains the last lines of this session that the
    /// speaker heard. If unset, it contains the lines of the last hour of game time.
    pub session: Option<String>,
    /// Game time at which the speaker answers. Default: now.
    pub as_of: Option<GameTime>,
    /// Token budget of the context. Default: from the settings.
    pub budget: Option<usize>,
    /// Maximum number of facts and passages. Default: from the settings.
    pub limit: Option<usize>,
    /// Time from asking after which the question is answered without meaning. Default: from the settings.
    pub deadline: Option<Duration>,
    /// Token counter. Default: [`ApproximateTokens`].
    pub counter: Option<Box<dyn TokenCounter + Send>>,
    /// Details that the prompt form has beside its lines. They count towards the budget.
    pub detail: Detail,
}

impl Ask {
    /// Creates a question to a character, here and now.
    pub fn new(speaker: impl Into<String>, question: impl Into<String>) -> Self {
        Self {
            speaker: speaker.into(),
            question: question.into(),
            place: None,
            present: Vec::new(),
            about: Vec::new(),
            session: None,
            as_of: None,
            budget: None,
            limit: None,
            deadline: None,
            counter: None,
            detail: Detail::Plain,
        }
    }

    /// Returns the context for another state, such as that of an earlier position, by words and graph alone. Indexes
    /// every text of the state, so call it on a background thread.
    ///
    /// # Errors
    /// When a name is unknown.
    pub fn context_of(&self, state: &State, settings: &RecallSettings) -> Result<SceneContext, MemoryError> {
        self.context(state, &Index::of(state), &mut Minds::default(), None, true, settings)
    }

    /// Assembles the context from the given state and index.
    pub(crate) fn context(
        &self,
        state: &State,
        index: &Index,
        minds: &mut Minds,
        vector: Option<&[f32]>,
        graph: bool,
        settings: &RecallSettings,
    ) -> Result<SceneContext, MemoryError> {
        let speaker = resolve(state, &self.speaker)?;
        let place = self.place.as_deref().map(|place| resolve(state, place)).transpose()?;
        let all = |names: &[String]| names.iter().map(|name| resolve(state, name)).collect::<Result<Vec<_>, _>>();
        let (present, about) = (all(&self.present)?, all(&self.about)?);
        let session = self.session.as_deref().map(|session| find_session(state, session)).transpose()?;
        let session = session.map(|session| session.id.clone());
        let mind = minds.of(state, Some(&Knower::Entity(speaker.clone())), self.as_of);
        let place = place.or_else(|| known_place(&mind.view, &speaker));
        let scene = Scene { place, present, time: self.as_of.or_else(|| state.clock()), session };
        Ok(SceneContext::assemble(&Request {
            view: &mind.view,
            names: &mind.names,
            index,
            calendar: state.calendar(),
            vocabulary: state.vocabulary(),
            speaker: &speaker,
            scene: &scene,
            question: &self.question,
            about: &about,
            vector,
            graph,
            limit: self.limit.unwrap_or(settings.limit),
            budget: self.budget.unwrap_or(settings.budget),
            counter: self.counter.as_deref().map_or(&ApproximateTokens, |counter| counter as &dyn TokenCounter),
            detail: self.detail,
        }))
    }
}

/// Returns the speaker's place in its own view: the newest place by the date on which the speaker learned it.
fn known_place(view: &View, speaker: &EntityId) -> Option<EntityId> {
    let here = view
        .facts()
        .filter(|known| known.subject() == speaker && *known.predicate() == *hearsay_model::predicate::LOCATED_AT);
    let newest = here.max_by_key(|known| (known.recency(), known.id()))?;
    newest.object().entity().cloned()
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Context that the speaker may use.
    pub context: SceneContext,
    /// Number of texts in the campaign without a vector. These are found by words and graph alone.
    pub pending_vectors: usize,
    /// Parts that the answer lacks because time ran out or the encoder failed: `meaning`, `graph`.
    pub cut: Vec<&'static str>,
    /// Journal position of the answer.
    pub position: Position,
}
