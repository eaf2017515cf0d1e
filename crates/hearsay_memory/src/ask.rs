//! Questions to characters, and their answers.

use std::time::Duration;

use hearsay_belief::View;
use hearsay_model::{EntityId, GameTime, Knower, Position, State};
use hearsay_recall::{ApproximateTokens, Detail, Index, Request, Scene, SceneContext, TokenCounter};
use serde::Serialize;

use crate::{MemoryError, RecallSettings, edit::resolve, mind::Minds, query::find_session};

/// A question to a character.
pub struct Ask {
    /// Who is asked: an id or a name.
    pub speaker: String,
    /// What is asked.
    pub question: String,
    /// Where: an id or a name. Where the speaker is known to be, when nothing is said.
    pub place: Option<String>,
    /// Who else is there: ids or names.
    pub present: Vec<String>,
    /// Whom and what the question is about: ids or names. Only what concerns them, or is at most one relation away from
    /// them, is told in answer; everything, when nothing is said.
    pub about: Vec<String>,
    /// The session that is played: its id or number. What was said in it last, in the speaker's hearing, is told; what was
    /// said within the last hour of game time, when nothing is said.
    pub session: Option<String>,
    /// As of when, in game time; now, when nothing is said.
    pub as_of: Option<GameTime>,
    /// Tokens that the context may have; as the settings say, when nothing is said.
    pub budget: Option<usize>,
    /// Facts and passages at most; as the settings say, when nothing is said.
    pub limit: Option<usize>,
    /// After how long it is answered without meaning, counted from asking; as the settings say, when nothing is said.
    pub deadline: Option<Duration>,
    /// How tokens are counted; by [`ApproximateTokens`], when nothing is said.
    pub counter: Option<Box<dyn TokenCounter + Send>>,
    /// What the prompt form is to have beside its lines, and is counted with.
    pub detail: Detail,
}

impl Ask {
    /// A question to a character, here and now.
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

    /// The context by a state other than the present one, such as that of an earlier position: by words and graph alone.
    /// Every text is indexed for it, so do it beside the worker.
    ///
    /// # Errors
    /// When nobody is called so.
    pub fn context_of(&self, state: &State, settings: &RecallSettings) -> Result<SceneContext, MemoryError> {
        self.context(state, &Index::of(state), &mut Minds::default(), None, true, settings)
    }

    /// Assembles the context from what is there.
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

/// Where the speaker knows itself to be: the newest place by the date it was told.
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
    /// What the speaker may say.
    pub context: SceneContext,
    /// Texts of the campaign that have no vector yet: they are found by words and graph alone.
    pub pending_vectors: usize,
    /// What the answer goes without, though it was to have it, because the time was up or the encoder failed: `meaning`,
    /// `graph`.
    pub cut: Vec<&'static str>,
    /// The journal position at which it was answered.
    pub position: Position,
}
