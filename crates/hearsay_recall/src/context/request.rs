//! Inputs of a scene context.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::{RevealableFacts, View};
use hearsay_model::{Calendar, EntityId, GameTime, Predicate, SessionId, Vocabulary};

use super::form::Detail;
use crate::{EntityLinker, Index, Scope, TokenCounter};

/// The situation in which a question is asked.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// Place of the scene; `None` if the place is unknown.
    pub place: Option<EntityId>,
    /// Entities other than the speaker that take part in the scene. If the list is empty, all entities that the speaker
    /// believes to be at `place` take part.
    pub present: Vec<EntityId>,
    /// Number of other listeners, whom the speaker does not know. If it is not 0, an empty list in `present` means that
    /// nobody else takes part.
    pub strangers: usize,
    /// Words such as `The landlady` for entities in `present` whose names the speaker does not know. Others without a
    /// name are strangers.
    pub references: BTreeMap<EntityId, String>,
    /// Game time of the scene; `None` if the time is unknown.
    pub time: Option<GameTime>,
    /// Current session, from which recent talk is taken. If `None`, recent talk is taken from the hour of game time
    /// before `time`.
    pub session: Option<SessionId>,
    /// Sessions of the campaign in the order in which they were played. This order sorts lines of the same game time.
    pub sessions: Vec<SessionId>,
}

/// Inputs of a scene context.
pub struct ContextRequest<'a> {
    /// The speaker's view.
    pub view: &'a View,
    /// Entity linker for the speaker's view.
    pub names: &'a EntityLinker,
    /// Recall index: words and vectors of all facts and passages.
    pub index: &'a Index,
    /// Calendar for printing dates.
    pub calendar: &'a Calendar,
    /// Vocabulary, which defines the functional predicates and the attributes that describe a speaker or a place.
    pub vocabulary: &'a Vocabulary,
    /// Entity that speaks.
    pub speaker: &'a EntityId,
    /// Situation in which the question is asked.
    pub scene: &'a Scene,
    /// Question; may be empty.
    pub question: &'a str,
    /// Entities to which the search for relevant knowledge is limited. If the list is empty, the search covers the
    /// whole view. The sections on the speaker, its relations and the scene do not depend on this list.
    pub about: &'a [EntityId],
    /// Facts that the speaker conceals but may tell now, because the condition of a reveal is met. The caller computes
    /// these facts, because a condition can depend on facts that are not in the speaker's view.
    pub revealable: &'a RevealableFacts,
    /// Predicates whose facts the context omits, even if the speaker knows these facts.
    pub hidden: &'a BTreeSet<Predicate>,
    /// Vector of the question; `None` turns off ranking by meaning.
    pub vector: Option<&'a [f32]>,
    /// Whether the ranking uses the graph.
    pub graph: bool,
    /// Number of days from which facts with the same content that began on different days share one line. 0 means that
    /// each of these facts has its own line.
    pub min_episodes: usize,
    /// Maximum number of lines in the knowledge section.
    pub limit: usize,
    /// Maximum number of tokens of the prompt form.
    pub budget: usize,
    /// Counter for the tokens of the prompt form.
    pub counter: &'a dyn TokenCounter,
    /// Level of detail of the prompt form. The token count includes the citations of this level.
    pub detail: Detail,
}

impl ContextRequest<'_> {
    pub(super) fn scope(&self) -> Option<Scope> {
        (!self.about.is_empty()).then(|| Scope::around(self.view, self.names, self.about))
    }
}
