//! The scene context: sections of lines, each with its citations.

use hearsay_model::EntityId;
use serde::Serialize;

use super::form::Detail;
use crate::{Channels, Citation, Explanation, Source};

/// A line of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Text of the line.
    pub text: String,
    /// Note to the speaker about the line, such as `you doubt it`. Empty if there is no note.
    pub note: String,
    /// Source of the line, and how the speaker learned it.
    pub citation: Citation,
    /// Citations of other facts and passages that say the same or nearly the same.
    pub also: Vec<Citation>,
    /// How well the line answers the question, 0.0–1.0; `None` if the line is not an answer.
    pub score: Option<f32>,
    /// Score of each channel of the ranking; `None` if the line is not an answer.
    pub channels: Option<Channels>,
    /// Detailed explanation of the score; `None` if the line is not an answer.
    pub explanation: Option<Explanation>,
    /// Path through the graph along which activation spread to the line, as the statements of the facts on the path.
    pub path: Vec<String>,
}

/// A section of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Identifier of the section: `speaker`, `relations`, `scene`, `lately` (recent talk), `knowledge`, `others`
    /// (knowledge of the other entities in the scene) or `besides` (further lines).
    pub name: &'static str,
    /// Title, shown as a heading.
    pub title: String,
    /// Lines of the section.
    pub lines: Vec<Line>,
}

/// The knowledge that a speaker may use in a scene.
///
/// The stable sections come first, so that prompt caches of language models stay valid. The sections on the speaker and
/// its relations change only when the speaker learns something about itself. The section on the scene changes with the
/// scene. Recent talk changes with every spoken line. The later sections change with the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneContext {
    /// Entity that speaks.
    pub speaker: EntityId,
    /// Name of the speaker.
    pub name: String,
    /// Text of the question.
    pub question: String,
    /// Sections in this order: speaker, relations, scene, recent talk, knowledge, knowledge of the other entities in
    /// the scene, and further lines. The last section contains lines on the speaker, relations and scene that exceeded
    /// the share of their section but fit the whole budget.
    pub sections: Vec<Section>,
    /// Number of tokens of the prompt form; never more than `budget`.
    pub tokens: usize,
    /// Maximum number of tokens of the prompt form.
    pub budget: usize,
    /// Number of facts and passages that are relevant to the question but do not fit the budget.
    pub omitted: usize,
    /// Whether the ranking used vectors.
    pub meaning: bool,
    /// Whether the ranking used the graph.
    pub graph: bool,
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
    /// Neither speaker nor question.
    Neither,
}

impl SceneContext {
    /// Returns all lines.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.sections.iter().flat_map(|section| &section.lines)
    }

    /// Returns the sources of all lines, including the sources in [`Line::also`].
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        self.lines().flat_map(|line| std::iter::once(&line.citation).chain(&line.also)).map(|citation| citation.source)
    }
}
