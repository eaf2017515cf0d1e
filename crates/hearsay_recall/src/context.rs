//! The scene context: a speaker's knowledge for one scene, assembled from its view within a token budget.

mod writer;

use hearsay_belief::View;
use hearsay_model::{Calendar, EntityId, GameTime, SessionId, Vocabulary};
use serde::Serialize;

use crate::{
    Channels, Citation, Detail, EntityLinker, Explanation, Form, Index, Scope, Source, TokenCounter,
    render::{heading, prompt_line, render},
};
use writer::{Answers, Writer};

/// Maximum share of the budget for the speaker, the relations, the scene and recent talk, in percent. A section's
/// unused share goes to the next section.
const SHARES: [usize; 4] = [30, 20, 15, 10];

/// The place and time at which a question is asked.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// Place of the scene.
    pub place: Option<EntityId>,
    /// Entities present besides the speaker. If empty, the entities that the speaker knows to be at the place.
    pub present: Vec<EntityId>,
    /// Time of the scene, in game time.
    pub time: Option<GameTime>,
    /// Session in play. Recent talk comes from this session, or, if it is `None`, from the hour before the time of the
    /// scene.
    pub session: Option<SessionId>,
}

/// A line of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Text of the line.
    pub text: String,
    /// The speaker's attitude to the line, addressed to the speaker: `you doubt it`. Empty if there is none.
    pub note: String,
    /// How the speaker knows it.
    pub citation: Citation,
    /// Citations of other facts and passages that say the same or nearly the same.
    pub also: Vec<Citation>,
    /// How well the line answers the question, 0.0–1.0; `None` if it is not an answer.
    pub score: Option<f32>,
    /// Score of each channel of the ranking.
    pub channels: Option<Channels>,
    /// Detailed explanation of the score.
    pub explanation: Option<Explanation>,
    /// Path along which activation spread to the line, as sentences that the speaker knows.
    pub path: Vec<String>,
}

/// A section of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// Topic of the section: `speaker`, `relations`, `scene`, `lately`, `knowledge`, `others`, `besides`.
    pub name: &'static str,
    /// Title.
    pub title: String,
    /// Lines of the section.
    pub lines: Vec<Line>,
}

/// The knowledge that a speaker may use in a scene.
///
/// The stable sections come first, so that prompt caches of language models stay valid. Speaker and relations change
/// only with the speaker's knowledge of itself. The scene changes with the place, and recent talk with every line. The
/// later sections change with the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneContext {
    /// Entity that speaks.
    pub speaker: EntityId,
    /// Name of the speaker.
    pub name: String,
    /// Text of the question.
    pub question: String,
    /// Speaker, relations, scene, recent talk, knowledge, and what others present know of that knowledge. The last
    /// section holds the lines of speaker, relations and scene that exceeded their shares but fit the budget.
    pub sections: Vec<Section>,
    /// Tokens of the prompt form. Never exceeds the budget.
    pub tokens: usize,
    /// Token budget.
    pub budget: usize,
    /// Number of facts and passages that are relevant to the question but do not fit the budget.
    pub omitted: usize,
    /// Whether the ranking used meaning.
    pub meaning: bool,
    /// Whether the ranking used the graph.
    pub graph: bool,
    /// Parts of the prompt form besides its lines, reduced if the budget is too small for all of them.
    #[serde(skip)]
    pub(crate) frame: Frame,
    /// Level of detail that the token count includes.
    #[serde(skip)]
    pub(crate) detail: Detail,
}

/// Parts of the prompt form besides its lines, as far as they fit the budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The speaker and the question.
    #[default]
    Whole,
    /// Only the speaker, because the question is too long.
    Speaker,
    /// Neither speaker nor question.
    Nothing,
}

/// Inputs of a scene context.
pub struct Request<'a> {
    /// View of the speaker.
    pub view: &'a View,
    /// Entity linker over the view.
    pub names: &'a EntityLinker,
    /// Index of words and vectors.
    pub index: &'a Index,
    /// Calendar for printing dates.
    pub calendar: &'a Calendar,
    /// Vocabulary that tells which predicates have one value at a time.
    pub vocabulary: &'a Vocabulary,
    /// Entity that speaks.
    pub speaker: &'a EntityId,
    /// Place and time.
    pub scene: &'a Scene,
    /// Question; may be empty.
    pub question: &'a str,
    /// Entities that limit the search for relevant knowledge; empty searches everything. The sections on the speaker,
    /// its relations and the scene are not limited.
    pub about: &'a [EntityId],
    /// Vector of the question.
    pub vector: Option<&'a [f32]>,
    /// Whether the ranking uses the graph.
    pub graph: bool,
    /// Maximum number of results.
    pub limit: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// Token counter.
    pub counter: &'a dyn TokenCounter,
    /// Level of detail of the prompt form, so that the token count includes its citations.
    pub detail: Detail,
}

impl Request<'_> {
    fn scope(&self) -> Option<Scope> {
        (!self.about.is_empty()).then(|| Scope::around(self.view, self.names, self.about))
    }
}

impl SceneContext {
    /// Assembles the context of a request.
    pub fn assemble(request: &Request) -> Self {
        let mut writer = Writer::new(request);
        let name = request.names.name(request.speaker).unwrap_or("Somebody").to_owned();
        let mut context = Self {
            speaker: request.speaker.clone(),
            name,
            question: request.question.to_owned(),
            sections: Vec::new(),
            tokens: 0,
            budget: request.budget,
            omitted: 0,
            meaning: request.vector.is_some(),
            graph: request.graph,
            frame: Frame::default(),
            detail: request.detail,
        };
        context.frame(request.counter);
        let mut left = context.begin(&mut writer, request);
        left.extend(context.fit(request.counter));
        let ranked = writer.ranked();
        let Answers { lines, all } = writer.knowledge(&ranked);
        context.open("knowledge", "What bears on the question");
        let mut told = 0;
        for line in lines {
            let says = 1 + line.also.len();
            told += if context.try_push(line, request.limit, request.counter) { says } else { 0 };
        }
        context.omitted = all - told;
        context.open("others", "What the others here know");
        for line in writer.others(&ranked.best) {
            context.try_push(line, request.limit, request.counter);
        }
        context.open("besides", "Besides");
        for line in left {
            context.try_push(line, usize::MAX, request.counter);
        }
        context.sections.retain(|section| !section.lines.is_empty());
        context
    }

    /// Writes the sections that do not depend on the question. Returns the lines beyond their sections' shares.
    fn begin(&mut self, writer: &mut Writer, request: &Request) -> Vec<Line> {
        let (mut room, mut left) = (0, Vec::new());
        let sections = [writer.speaker(&self.name), writer.relations(), writer.scene(), writer.lately()];
        for (mut section, share) in sections.into_iter().zip(SHARES) {
            room += request.budget.saturating_mul(share) / 100;
            // The latest talk claims the budget first, but is printed last.
            let lately = section.name == "lately";
            let mut lines = std::mem::take(&mut section.lines);
            if lately {
                lines.reverse();
            }
            let mut above = request.counter.count(heading(section.name));
            for line in lines {
                let cost = above + request.counter.count(&prompt_line(&line, self.detail));
                if cost <= room {
                    (room, above) = (room - cost, 0);
                    writer.note_said(&line);
                    section.lines.push(line);
                } else if !lately {
                    left.push(line);
                }
            }
            if lately {
                section.lines.reverse();
            }
            self.sections.push(section);
        }
        left
    }

    fn open(&mut self, name: &'static str, title: &str) {
        self.sections.push(Section { name, title: title.to_owned(), lines: Vec::new() });
    }

    fn count(&self, counter: &dyn TokenCounter) -> usize {
        counter.count(&render(self, Form::Prompt, self.detail))
    }

    /// Leaves out the question, and then the speaker, if they do not fit the budget by themselves.
    fn frame(&mut self, counter: &dyn TokenCounter) {
        for frame in [Frame::Whole, Frame::Speaker, Frame::Nothing] {
            self.frame = frame;
            self.tokens = self.count(counter);
            if self.tokens <= self.budget {
                break;
            }
        }
    }

    /// Drops lines from the end until the prompt form fits the budget. Returns the dropped lines, except recent talk.
    fn fit(&mut self, counter: &dyn TokenCounter) -> Vec<Line> {
        let mut dropped = Vec::new();
        self.tokens = self.count(counter);
        while self.tokens > self.budget {
            let last = self.sections.iter_mut().rev().find_map(|section| Some((section.name, section.lines.pop()?)));
            let Some((name, line)) = last else { break };
            dropped.extend(Some(line).filter(|_| name != "lately"));
            self.tokens = self.count(counter);
        }
        dropped.reverse();
        dropped
    }

    /// Adds a line to the last section if it fits the budget. Returns whether it does; after a line that is too long,
    /// shorter lines may still fit.
    fn try_push(&mut self, line: Line, limit: usize, counter: &dyn TokenCounter) -> bool {
        let Some(section) = self.sections.last_mut().filter(|section| section.lines.len() < limit) else {
            return false;
        };
        section.lines.push(line);
        let tokens = self.count(counter);
        if tokens <= self.budget {
            self.tokens = tokens;
            return true;
        }
        if let Some(section) = self.sections.last_mut() {
            section.lines.pop();
        }
        false
    }

    /// Renders the context in one of its forms. The prompt contains citations only if `detail` includes them.
    pub fn render(&self, form: Form, detail: impl Into<Detail>) -> String {
        render(self, form, detail.into())
    }

    /// Returns all lines.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.sections.iter().flat_map(|section| &section.lines)
    }

    /// Returns the sources of all lines, including those of repeated statements.
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        self.lines().flat_map(|line| std::iter::once(&line.citation).chain(&line.also)).map(|citation| citation.source)
    }
}
