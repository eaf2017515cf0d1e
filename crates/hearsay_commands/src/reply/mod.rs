//! Checks of replies: a check compares the words that a character is about to say with the knowledge of this character.
//!
//! A language model or a writer makes a *draft* of a reply. The check finds the parts of the draft that state a fact
//! that the speaker knows, or contradict a belief of the speaker. It also finds the parts that reveal a concealed
//! secret, or contain a name that the speaker does not know. The check uses no language model. It reads only the
//! speaker's view, so the result contains only data that the speaker knows. The only exception is the optional details
//! for the DM ([`DraftReply::for_dm`]).

mod apply;
mod candidates;
mod decide;
mod names;
mod reading;
mod restatement;
mod words;

use std::fmt;

use hearsay_model::{EntityId, FactId, Span};
use serde::Serialize;

pub use candidates::{ReplyCandidates, ReplySources};
pub use names::view_lexicon;
pub use reading::DraftReading;

/// A draft of the words that a character is about to say.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftReply {
    /// Character that says the words.
    pub speaker: EntityId,
    /// Characters that hear the words. If the list is empty, the check assumes a listener whom the speaker does not know.
    pub listeners: Vec<EntityId>,
    /// Words of the draft.
    pub text: String,
    /// Lines that the speaker has just heard, such as the question, oldest first. The speaker may repeat names from
    /// these lines.
    pub heard: Vec<String>,
    /// Whether the result contains details that only the DM may see. These are the unmet conditions for telling a
    /// secret, and whether a name that is unknown to the speaker exists in the campaign. The words then also reveal a secret
    /// if they describe an entity of the secret in a way that the speaker does not know.
    pub for_dm: bool,
}

impl DraftReply {
    /// Creates a draft without heard lines and without details for the DM.
    pub fn new(speaker: EntityId, listeners: Vec<EntityId>, text: impl Into<String>) -> Self {
        Self { speaker, listeners, text: text.into(), heard: Vec::new(), for_dm: false }
    }
}

/// Kind of a finding in a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The words reveal a fact that the speaker conceals from at least one listener.
    RevealsSecret,
    /// The words contradict a fact that the speaker believes.
    Contradicts,
    /// The words contain a name that the speaker does not know.
    UnknownName,
    /// The words repeat a lie that the speaker told earlier.
    RepeatsLie,
    /// The words state a fact that, in the opinion of the speaker, the listeners already know.
    KnownToListeners,
    /// The words state a fact that the speaker knows and may tell.
    Supported,
}

impl FindingKind {
    /// Returns whether the finding is a problem: the character should not say the words.
    pub fn is_problem(self) -> bool {
        matches!(self, Self::RevealsSecret | Self::Contradicts | Self::UnknownName)
    }

    /// Returns the kind as lowercase text, with underscores between words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RevealsSecret => "reveals_secret",
            Self::Contradicts => "contradicts",
            Self::UnknownName => "unknown_name",
            Self::RepeatsLie => "repeats_lie",
            Self::KnownToListeners => "known_to_listeners",
            Self::Supported => "supported",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A fact to which a finding refers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CitedFact {
    /// Id of the fact.
    pub fact: FactId,
    /// Handle (short name) of the fact; `None` if it has no handle.
    pub handle: Option<String>,
    /// Sentence that states the fact.
    pub statement: String,
    /// How the speaker knows the fact, such as "told by Odo Brandt".
    pub how_known: String,
}

/// A finding in a draft: a part of the words, and their relation to the knowledge of the speaker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplyFinding {
    /// Kind of the finding.
    pub kind: FindingKind,
    /// Whether the finding is a problem: the character should not say the words.
    pub is_problem: bool,
    /// Position of the words in the draft, in bytes.
    pub span: Span,
    /// The words.
    pub words: String,
    /// Explanation of the finding, as a sentence that addresses the speaker.
    pub reason: String,
    /// Facts to which the finding refers, best match first.
    pub facts: Vec<CitedFact>,
    /// Listeners to whom the speaker may not tell the secret. Empty if the finding is of another kind, and if the draft
    /// names no listeners.
    pub not_for: Vec<EntityId>,
    /// How certain the finding is, 0.0–1.0.
    pub score: f32,
    /// Details for the DM: the unmet conditions for telling the secret, or the entity with the unknown name. Empty
    /// unless [`DraftReply::for_dm`] is `true`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub for_dm: Vec<String>,
}

/// Result of the check of a draft.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ReplyCheck {
    /// Findings, in the order of the words. Findings at the same position are in the order of [`FindingKind`].
    pub findings: Vec<ReplyFinding>,
}

impl ReplyFinding {
    /// Creates a finding for words that state a fact that the speaker may state. `kind` must be
    /// [`RepeatsLie`](FindingKind::RepeatsLie), [`KnownToListeners`](FindingKind::KnownToListeners) or
    /// [`Supported`](FindingKind::Supported). `span` is the position of `words` in the draft.
    pub fn stated(kind: FindingKind, fact: CitedFact, span: Span, words: impl Into<String>, score: f32) -> Self {
        let clause = match kind {
            FindingKind::RepeatsLie => "you made this up",
            FindingKind::KnownToListeners => "your listeners know this",
            _ => "you know this",
        };
        let reason = format!("{clause}: {}", fact.statement);
        Self { facts: vec![fact], score, ..Self::new(kind, span, words, reason) }
    }

    /// Creates a finding that refers to no facts.
    fn new(kind: FindingKind, span: Span, words: impl Into<String>, reason: String) -> Self {
        Self {
            kind,
            is_problem: kind.is_problem(),
            span,
            words: words.into(),
            reason,
            facts: Vec::new(),
            not_for: Vec::new(),
            score: 0.0,
            for_dm: Vec::new(),
        }
    }
}

impl ReplyCheck {
    /// Returns whether the draft has no problems.
    pub fn is_fine(&self) -> bool {
        !self.findings.iter().any(|finding| finding.is_problem)
    }

    /// Returns the findings of a kind.
    pub fn of_kind(&self, kind: FindingKind) -> impl Iterator<Item = &ReplyFinding> {
        self.findings.iter().filter(move |finding| finding.kind == kind)
    }
}
