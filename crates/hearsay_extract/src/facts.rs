//! What goes in, and what comes out.

use hearsay_model::{Confidence, EntityId, Kind, Predicate, Span};
use serde::{Deserialize, Serialize};

use crate::meaning::Meaning;

/// What sort of text it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Said at the table.
    #[default]
    Talk,
    /// What the DM tells, or a line of a log.
    Narration,
    /// Written about the world.
    Lore,
}

/// A text with its scene.
#[derive(Clone, Copy, Default)]
pub struct Text<'a> {
    /// The words.
    pub text: &'a str,
    /// What sort of text it is.
    pub form: Form,
    /// The character who says all of it, if one does.
    pub speaker: Option<&'a EntityId>,
    /// Who is there: they narrow down who is meant, and may be spoken to.
    pub present: &'a [EntityId],
    /// Where it is said.
    pub place: Option<&'a EntityId>,
    /// The texts just before it, the latest last, for pronouns.
    pub before: &'a [&'a str],
    /// The meaning of sentences, where a model is at hand.
    pub meaning: Option<&'a dyn Meaning>,
}

impl<'a> Text<'a> {
    /// A text without a scene.
    pub fn new(text: &'a str, form: Form) -> Self {
        Self { text, form, ..Self::default() }
    }
}

impl std::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text")
            .field("text", &self.text)
            .field("form", &self.form)
            .field("speaker", &self.speaker)
            .finish()
    }
}

/// Who or what is meant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mention {
    /// An entity of the world.
    Known(EntityId),
    /// A name that nobody has: its place in [`Extraction::entities`].
    New(usize),
}

/// What a fact says of its subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stated {
    /// An entity.
    Entity(Mention),
    /// A value, in the text's own words.
    Value(String),
}

/// Why a fact is doubted, or what else was seen in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cue {
    /// What sort of cue it is.
    pub kind: CueKind,
    /// Its words in the text.
    pub words: String,
}

/// Sorts of cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CueKind {
    /// It is said as a guess: "maybe".
    Hedge,
    /// It is hearsay: "they say".
    Rumour,
    /// Somebody thinks so: "Odo suspects that …".
    Thought,
    /// It is hardly meant: "yeah, right".
    Sarcasm,
    /// It was so, and is so no longer: "used to".
    Past,
    /// The sentence does not mean what its words usually state.
    Meaning,
    /// All its words together make it doubtful; the cue has none of its own.
    Wording,
}

impl std::fmt::Display for Cue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            CueKind::Hedge => "hedged by",
            CueKind::Rumour => "hearsay:",
            CueKind::Thought => "only thought:",
            CueKind::Sarcasm => "hardly meant:",
            CueKind::Past => "over:",
            CueKind::Meaning => "read by its meaning:",
            CueKind::Wording => return f.write_str("doubtful as it is worded"),
        };
        write!(f, "{what} `{}`", self.words)
    }
}

/// A fact that a text states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtractedFact {
    /// What it is about.
    pub subject: Mention,
    /// The relation or attribute.
    pub predicate: Predicate,
    /// What it says of the subject.
    pub object: Stated,
    /// For RELATED_TO: the words of the relation.
    pub relation: Option<String>,
    /// One sentence that states it, without ids.
    pub statement: String,
    /// The bytes of the text that state it.
    pub span: Span,
    /// These bytes: the text's own words.
    pub quote: String,
    /// How sure it is that the text says this.
    pub confidence: Confidence,
    /// Who says so, if a character does.
    pub stated_by: Option<Mention>,
    /// Those to whom it was said, where the text says so.
    pub told_to: Vec<Mention>,
    /// Whether the text says that it is not so. It is then no fact, but may refute one.
    pub denied: bool,
    /// Whether it is so no longer.
    pub over: bool,
    /// What lowered the confidence, or was seen besides.
    pub cues: Vec<Cue>,
}

/// A name that no entity has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewEntity {
    /// The name as it stands in the text.
    pub name: String,
    /// What it is likely the name of.
    pub kind: Option<Kind>,
    /// The bytes where it first stands.
    pub span: Span,
    /// How sure it is that this is a name.
    pub confidence: Confidence,
}

/// An entity that a text names, where it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Naming {
    /// The entity.
    pub entity: EntityId,
    /// The bytes of the name.
    pub span: Span,
}

/// What a text states.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// The facts, in the order of their words.
    pub facts: Vec<ExtractedFact>,
    /// The names that nobody has.
    pub entities: Vec<NewEntity>,
    /// Where known entities are named.
    pub mentions: Vec<Naming>,
    /// Whether a sentence contains words that speak to the program. Its facts are extracted, but wait for the DM.
    pub addresses_program: bool,
}
