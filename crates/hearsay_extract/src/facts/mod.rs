//! Input and output types of the extraction.

pub(crate) mod doubt;

use hearsay_model::{Confidence, EntityId, ExtractionStage, Factuality, Kind, Object, Predicate, Span, Vocabulary};
use serde::{Deserialize, Serialize};

/// Type of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextType {
    /// Speech at the game table.
    #[default]
    Talk,
    /// Narration by the DM, or a line of a session log.
    Narration,
    /// Written description of the world.
    Lore,
}

/// Source of vectors for texts: a sentence encoder, or a cache in front of an encoder.
pub trait SentenceEncoder {
    /// Returns one vector with the Euclidean norm 1 for each text, in the same order. Returns `None` while no encoder
    /// is available.
    fn vectors(&self, texts: &[&str]) -> Option<Vec<Vec<f32>>>;
}

/// Text from which facts are extracted, with the scene in which the text is said.
#[derive(Clone, Copy, Default)]
pub struct Text<'a> {
    /// The text itself.
    pub text: &'a str,
    /// Type of the text.
    pub form: TextType,
    /// Character who says the whole text. `None` if no character says the whole text.
    pub speaker: Option<&'a EntityId>,
    /// Entities that are present when the text is said. The extractor prefers these entities if a name is ambiguous,
    /// and can understand "you" as one of them.
    pub present: &'a [EntityId],
    /// Place where the text is said; `None` if it is unknown.
    pub place: Option<&'a EntityId>,
    /// Entity whose note contains the text. This entity is the subject of sentences without a subject, such as "Owes
    /// Odo ten crowns." It is `None` if the text does not belong to the note of an entity.
    pub topic: Option<&'a EntityId>,
    /// Previous texts, oldest first. The extractor uses the last four texts to find out to whom a pronoun refers.
    pub preceding: &'a [&'a str],
    /// Character who says the last of the previous texts; `None` if no character says it. In narration after the words of
    /// an NPC, "he" and "she" refer to this NPC.
    pub previous_speaker: Option<&'a EntityId>,
    /// Sentence encoder, which is used for sentences that match no pattern. `None` if no encoder is available.
    pub encoder: Option<&'a dyn SentenceEncoder>,
}

impl<'a> Text<'a> {
    /// Creates a text without a speaker, a place, a topic, present entities or previous texts.
    pub fn new(text: &'a str, form: TextType) -> Self {
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

/// Entity that a text refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mention {
    /// An entity of the campaign, by its id.
    Known(EntityId),
    /// A new name that no entity of the campaign has. The value is an index into [`Extraction::entities`].
    New(usize),
}

/// Object of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactObject {
    /// The entity to which a relation leads.
    Entity(Mention),
    /// Value of an attribute, usually in the words of the text.
    Value(String),
}

/// Reason to doubt a fact, or sign that the fact is no longer true.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cue {
    /// Kind of the cue.
    pub kind: CueKind,
    /// Words of the cue in the text. If the kind is [`CueKind::Meaning`], this string is the name of the relation. If
    /// the kind is [`CueKind::Wording`], this string is empty.
    pub words: String,
}

/// Kinds of cues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CueKind {
    /// The text states the fact as a guess: "maybe".
    Hedge,
    /// The text states the fact as hearsay: "they say".
    Rumour,
    /// A character only thinks that the fact is true: "Odo suspects that …".
    Thought,
    /// The text is probably sarcastic: "yeah, right".
    Sarcasm,
    /// The fact was true but is no longer true: "used to".
    Past,
    /// No pattern matched. The relation was proposed because the sentence is similar in meaning to examples of the
    /// relation.
    Meaning,
    /// The wording of the whole sentence makes the fact doubtful, although the sentence contains no particular cue
    /// words.
    Wording,
}

impl std::fmt::Display for Cue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let label = match self.kind {
            CueKind::Hedge => "hedged by",
            CueKind::Rumour => "hearsay:",
            CueKind::Thought => "only thought:",
            CueKind::Sarcasm => "probably sarcastic:",
            CueKind::Past => "no longer true:",
            CueKind::Meaning => "similar in meaning to examples of",
            CueKind::Wording => return f.write_str("doubtful wording"),
        };
        write!(f, "{label} `{}`", self.words)
    }
}

/// Fact that a text states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExtractedFact {
    /// Entity that the fact is about.
    pub subject: Mention,
    /// Relation or attribute.
    pub predicate: Predicate,
    /// Entity or value that the predicate assigns to the subject.
    pub object: FactObject,
    /// Words that name the relation, if the predicate is the general relation `RELATED_TO`. `None` for all other
    /// predicates.
    pub relation: Option<String>,
    /// Sentence that states the fact, with names instead of ids.
    pub statement: String,
    /// Byte range of the words in the text that state the fact.
    pub span: Span,
    /// Quotation of the words at [`ExtractedFact::span`].
    pub quote: String,
    /// Probability that the text states this fact.
    pub confidence: Confidence,
    /// Character who states the fact. `None` if the fact is stated by the text itself, and not by a character.
    pub stated_by: Option<Mention>,
    /// Characters to whom the fact was told, as far as the text names them.
    pub told_to: Vec<Mention>,
    /// Whether the text says that the fact is not true. A denied fact can refute another fact.
    pub denied: bool,
    /// Whether the fact is no longer true.
    pub ended: bool,
    /// Assertion status of the fact.
    pub factuality: Factuality,
    /// Known entities that the statement names besides the subject and the object. Sorted and unique.
    pub participants: Vec<EntityId>,
    /// Cues: reasons to doubt the fact, and signs that it is no longer true.
    pub cues: Vec<Cue>,
    /// Stage of the extraction that found the fact.
    pub stage: ExtractionStage,
}

impl ExtractedFact {
    /// Returns the subject and the object; `None` if one of them is a name that no known entity has.
    pub fn known_parts(&self) -> Option<(&EntityId, Object)> {
        let Mention::Known(subject) = &self.subject else { return None };
        match &self.object {
            FactObject::Value(value) => Some((subject, Object::Value(value.as_str().into()))),
            FactObject::Entity(Mention::Known(object)) => Some((subject, Object::Entity(object.clone()))),
            FactObject::Entity(Mention::New(_)) => None,
        }
    }

    /// Returns whether the fact says no more than that two entities have to do with each other.
    pub fn is_unspecified_relation(&self) -> bool {
        matches!(self.relation.as_deref(), Some("" | UNSPECIFIED_RELATION))
    }

    /// Returns the entity that is dead according to the fact. Decides like
    /// [`Behavior::dead_entity`](hearsay_model::Behavior::dead_entity) for a recorded fact. Returns `None` if the fact
    /// states no death.
    pub fn dead_entity(&self, vocabulary: &Vocabulary) -> Option<&Mention> {
        let behavior = vocabulary.behavior(&self.predicate);
        match &self.object {
            FactObject::Entity(object) => behavior.fatal.then_some(object),
            FactObject::Value(value) => {
                behavior.means_death(&Object::Value(value.as_str().into())).then_some(&self.subject)
            }
        }
    }
}

/// Wording of a relation whose type is unknown.
pub(crate) const UNSPECIFIED_RELATION: &str = "has to do with";

/// Name in a text that no known entity has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewEntity {
    /// Name, with the spelling of the text.
    pub name: String,
    /// Probable kind of the entity. `None` if the kind is unclear.
    pub kind: Option<Kind>,
    /// Byte range of the first occurrence of the name.
    pub span: Span,
    /// Probability that the words are a name.
    pub confidence: Confidence,
}

/// Occurrence of the name of a known entity in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameOccurrence {
    /// Entity that the text names.
    pub entity: EntityId,
    /// Byte range of the name.
    pub span: Span,
}

/// Result of an extraction: facts, new names and mentions of known entities.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extraction {
    /// Facts, in the order of their words in the text.
    pub facts: Vec<ExtractedFact>,
    /// Names that no known entity has.
    pub entities: Vec<NewEntity>,
    /// Occurrences of the names of known entities.
    pub mentions: Vec<NameOccurrence>,
    /// Whether a sentence contains words addressed to the program, as in a prompt injection. The facts of such a
    /// sentence are extracted, but must be reviewed by the DM.
    pub addresses_program: bool,
}
