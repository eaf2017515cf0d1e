//! The scene context: sections of lines, each with its citations.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::Known;
use hearsay_model::{Credence, EntityId, Feeling, Object, Predicate};
use serde::{Serialize, Serializer};

use super::{asked_relation::AskedRelation, form::Detail, remark::Remark, secrecy::LineSecrecy};
use crate::{Channels, Citation, Explanation, LinkedEntity, Source};

/// Content of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineClaim {
    /// Entity that the fact is about.
    pub subject: EntityId,
    /// Predicate of the fact.
    pub predicate: Predicate,
    /// Object of the fact: an entity or a value.
    pub object: Object,
}

impl LineClaim {
    /// Returns the content of a known fact.
    pub fn from_known(known: &Known) -> Self {
        Self { subject: known.subject().clone(), predicate: known.predicate().clone(), object: known.object().clone() }
    }
}

/// Feelings of the speaker towards an entity in the scene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineFeelings {
    /// Entity in the scene.
    pub towards: EntityId,
    /// The noticeable feelings that have the same main cause, each from −100 to 100.
    pub levels: BTreeMap<Feeling, i8>,
    /// Whether the line exists only to state the feelings. Otherwise, the line states the relation that causes them.
    #[serde(skip)]
    pub(crate) has_own_line: bool,
}

impl LineFeelings {
    /// Returns the same feelings for the line of the relation that causes them.
    pub(crate) fn on_relation_line(self) -> Self {
        Self { has_own_line: false, ..self }
    }
}

/// A line of a scene context.
///
/// The output forms print the text, the [note](Self::note), the citations and the explanation of the score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Text of the line: the statement of a fact, the words of a passage, or a sentence about the scene.
    pub text: String,
    /// Content of the fact; `None` for passages and for lines about the scene that state no fact.
    pub claim: Option<LineClaim>,
    /// Statement of the fact. It differs from the text if the text is a value with a label, such as `Occupation: fisher`.
    /// `None` if the claim is `None`.
    #[serde(skip)]
    pub statement: Option<String>,
    /// The statement of a relation to the speaker, beginning with the speaker: "Ulf is a parent of Berta" for "Berta is a
    /// child of Ulf". `None` if the statement itself is good English with "me" as the object.
    #[serde(skip)]
    pub(crate) inverse_statement: Option<String>,
    /// Feelings that the line states. The claim and the citation of the line are those of their main cause. `None` for
    /// other lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feelings: Option<LineFeelings>,
    /// The speaker's credence in the fact, reduced by the refutations that the speaker knows. Refutations do not reduce
    /// [`Citation::credence`]. `None` for passages, for the scene, and for facts that the speaker invented.
    pub credence: Option<Credence>,
    /// Whether the speaker may tell the content of the line, and to whom.
    pub secrecy: LineSecrecy,
    /// Remarks to the speaker about the line.
    pub remarks: Vec<Remark>,
    /// Source of the line, and how the speaker learned the content of the line.
    pub citation: Citation,
    /// Citations of other facts and passages with the same or nearly the same content, and of earlier
    /// [episodes](Remark::Repeated).
    pub also: Vec<Citation>,
    /// Relevance of the line to the question, 0.0–1.0; `None` for lines without a rank, such as the scene and recent
    /// talk.
    pub score: Option<f32>,
    /// Score of each ranking channel (words, meaning and graph). `None` if `score` is `None`.
    pub channels: Option<Channels>,
    /// Detailed explanation of the score; `None` if `score` is `None`.
    pub explanation: Option<Explanation>,
    /// Path through the graph to the line, as the statements of the facts on the path. Empty if no path is known.
    pub path: Vec<String>,
    /// When the speaker learned the fact, in words such as "yesterday" or "9 days ago". `None` if the speaker learned
    /// the fact more than 60 days ago, through a group or place, or at an unknown time.
    #[serde(skip)]
    pub age: Option<String>,
    /// Whether an earlier section of the context also states the fact. The knowledge section repeats such a fact, so it
    /// contains all answers to the question. The output forms print the fact only once.
    #[serde(skip)]
    pub is_repetition: bool,
    /// Whether the main content of the line is the presence of an entity in the scene. The line may also state a fact
    /// about the entity.
    #[serde(skip)]
    pub(crate) states_presence: bool,
}

impl Line {
    /// Merges lines with the same content. The first line represents the others; their sources are cited too.
    pub(super) fn merge(mut lines: impl Iterator<Item = Self>) -> Option<Self> {
        let mut merged = lines.next()?;
        for line in lines {
            merged.secrecy = merged.secrecy.and(line.secrecy);
            merged.remarks.extend(line.remarks.into_iter().filter(|remark| matches!(remark, Remark::Repeated { .. })));
            merged.also.push(line.citation);
            merged.also.extend(line.also);
        }
        Some(merged)
    }

    /// Returns whether the line states more than its fact, so another line with this fact does not replace it.
    pub(crate) fn has_own_content(&self) -> bool {
        self.states_presence || self.states_feelings()
    }

    /// Returns whether the line exists only to state feelings. Such a line cites a fact, but need not state the fact.
    pub fn states_feelings(&self) -> bool {
        self.feelings.as_ref().is_some_and(|feelings| feelings.has_own_line)
    }

    /// Returns whether the speaker invented the content of the line.
    pub fn is_lie(&self) -> bool {
        self.remarks.contains(&Remark::MadeUp)
    }

    /// Returns the sources of the line, including those in [`also`](Self::also).
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        std::iter::once(&self.citation).chain(&self.also).map(|citation| citation.source)
    }

    /// Returns a note to the speaker with the remarks and the secrecy in words: `you doubt it; you keep it to
    /// yourself`. The note is empty if the speaker may tell the line to anyone and the line has no remarks.
    pub fn note(&self) -> String {
        let remarks = self.remarks.iter().map(Remark::text);
        remarks.chain(self.secrecy.note()).collect::<Vec<_>>().join("; ")
    }
}

/// Kind of a section of a scene context, in the order of the sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// Facts that describe the speaker.
    Speaker,
    /// Relations of the speaker.
    Relations,
    /// Time, place and participants of the scene.
    Scene,
    /// The last lines that the speaker heard.
    RecentTalk,
    /// Facts and passages that are relevant to the question.
    Knowledge,
    /// Further lines on the speaker, its relations and the scene, which do not fit in the token budgets of these
    /// sections.
    Further,
}

/// A section of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Kind of the section. Each kind occurs at most once in a context.
    pub kind: SectionKind,
    /// Title, shown as a heading.
    pub title: String,
    /// Lines of the section.
    pub lines: Vec<Line>,
}

/// The knowledge that a speaker may use in a scene.
///
/// The sections that change least often come first. A language model can then reuse its prompt cache. The sections on
/// the speaker and its relations change only if the speaker learns a fact about itself. The section on the scene
/// changes with the scene. Recent talk changes with every spoken line. The later sections change with the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneContext {
    /// Entity that speaks.
    pub speaker: EntityId,
    /// Name of the speaker.
    pub name: String,
    /// Text of the question.
    pub question: String,
    /// Sections that contain lines, in the order of [`SectionKind`]. The serialized form contains the result of
    /// [`unique_sections`](Self::unique_sections) instead.
    #[serde(serialize_with = "serialize_unique_sections")]
    pub sections: Vec<Section>,
    /// Number of tokens of the prompt form; never more than `budget`.
    pub tokens: usize,
    /// Maximum number of tokens of the prompt form.
    pub budget: usize,
    /// Number of relevant facts and passages that do not fit the token budget.
    pub omitted: usize,
    /// Whether the ranking used vectors.
    pub meaning: bool,
    /// Whether the ranking used the graph.
    pub graph: bool,
    /// Names of the entities in the scene, as far as the speaker knows them.
    #[serde(skip)]
    pub listeners: BTreeMap<EntityId, String>,
    /// Names of the subjects of the lines, as far as the speaker knows them.
    #[serde(skip)]
    pub subject_names: BTreeMap<EntityId, String>,
    /// Entities that the question names, as far as the speaker knows their names.
    #[serde(skip)]
    pub named: Vec<LinkedEntity>,
    /// Relations that words of the question name, by these words: `father`, `older brother`.
    #[serde(skip)]
    pub asked_relations: BTreeMap<String, AskedRelation>,
    /// Recorded pronouns of the entities in the lines, as far as the speaker knows them. Empty if the question names no
    /// relation.
    #[serde(skip)]
    pub pronouns: BTreeMap<EntityId, String>,
    /// The speaker and the entities in the scene whose first name means nobody else, as far as the speaker knows.
    #[serde(skip)]
    pub(crate) with_unique_first_name: BTreeSet<EntityId>,
    /// The parts of the prompt form, other than lines, that fit the budget.
    #[serde(skip)]
    pub(crate) frame: Frame,
    /// Level of detail that the token count includes.
    #[serde(skip)]
    pub(crate) detail: Detail,
}

/// The parts of the prompt form that are not lines: the speaker and the question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The speaker and the question.
    #[default]
    Full,
    /// Only the speaker, because the question is too long.
    SpeakerOnly,
    /// Neither the speaker nor the question.
    Neither,
}

impl SceneContext {
    /// Returns all lines.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.sections.iter().flat_map(|section| &section.lines)
    }

    /// Returns the lines of a section; empty if the context has no such section.
    pub fn section_lines(&self, kind: SectionKind) -> &[Line] {
        self.sections.iter().find(|section| section.kind == kind).map_or(&[][..], |section| section.lines.as_slice())
    }

    /// Returns the sources of all lines, including the sources in [`Line::also`].
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        self.lines().flat_map(Line::sources)
    }

    /// Returns the sections without repetitions. If both the knowledge section and an earlier section state a fact, the
    /// earlier section omits the fact. The exceptions are earlier lines that state the presence of an entity in the
    /// scene, or feelings towards an entity, and earlier lines that put a label before the statement. The statement alone
    /// does not say whom it describes, so the knowledge section omits it.
    pub fn unique_sections(&self) -> Vec<Section> {
        unique_sections(&self.sections)
    }
}

fn unique_sections(sections: &[Section]) -> Vec<Section> {
    let lines = || sections.iter().flat_map(|section| &section.lines);
    let sources = |is_wanted: fn(&Line) -> bool| -> BTreeSet<Source> {
        lines().filter(|line| is_wanted(line)).flat_map(Line::sources).collect()
    };
    let (repeated, with_presence) = (sources(|line| line.is_repetition), sources(|line| line.states_presence));
    let labelled: BTreeSet<Source> = lines()
        .filter(|line| !line.is_repetition && lines().any(|other| other.is_repetition && is_label_of(line, other)))
        .flat_map(Line::sources)
        .collect();
    let is_unique = |line: &Line| match (line.is_repetition, line.has_own_content()) {
        (true, _) => !line.sources().any(|source| with_presence.contains(&source) || labelled.contains(&source)),
        (false, true) => true,
        (false, false) => !line.sources().any(|source| repeated.contains(&source) && !labelled.contains(&source)),
    };
    let unique = |section: &Section| Section {
        lines: section.lines.iter().filter(|line| is_unique(line)).cloned().collect(),
        ..section.clone()
    };
    sections.iter().map(unique).filter(|section| !section.lines.is_empty()).collect()
}

/// Returns whether a line states the same fact as another line, with a label before the same words.
fn is_label_of(line: &Line, other: &Line) -> bool {
    let [labelled, plain] = [line, other].map(|line| line.text.trim_end_matches('.'));
    let has_label = labelled.strip_suffix(plain).is_some_and(|label| label.ends_with(": "));
    has_label && !line.has_own_content() && line.sources().any(|source| other.sources().any(|other| other == source))
}

fn serialize_unique_sections<S: Serializer>(sections: &[Section], serializer: S) -> Result<S::Ok, S::Error> {
    unique_sections(sections).serialize(serializer)
}
