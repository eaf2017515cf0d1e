//! The scene context: what one speaker may say in a scene, assembled from its view within a token budget.

mod writer;

use hearsay_belief::View;
use hearsay_model::{Calendar, EntityId, GameTime, SessionId, Vocabulary};
use serde::Serialize;

use crate::{
    Channels, Detail, Explanation, Form, Index, Names, Receipt, Scope, Source, TokenCounter,
    render::{heading, prompt_line, render},
};
use writer::{Answers, Writer};

/// The share of the budget that speaker, relations, scene and what was said lately may take, in percent. What one does
/// not need is there for the next.
const SHARES: [usize; 4] = [30, 20, 15, 10];

/// Where and when a question is asked.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The place.
    pub place: Option<EntityId>,
    /// Who is there besides the speaker; those whom the speaker knows to be at the place, when nobody is named.
    pub present: Vec<EntityId>,
    /// The moment, in game time.
    pub time: Option<GameTime>,
    /// The session that is played. What was said in it is told as said lately; when nothing is said, what was said in the
    /// hour before the moment.
    pub session: Option<SessionId>,
}

/// A line of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// What is known.
    pub text: String,
    /// What the speaker makes of it, addressed to the speaker: `you doubt it`. Empty where there is nothing to say.
    pub note: String,
    /// How it is known.
    pub receipt: Receipt,
    /// How else it is known: other facts and passages that say the same, or nearly.
    pub also: Vec<Receipt>,
    /// Why it is told in answer to the question, and how well it fits, 0.0–1.0.
    pub score: Option<f32>,
    /// What each channel of the ranking said.
    pub channels: Option<Channels>,
    /// The same in full.
    pub explanation: Option<Explanation>,
    /// The facts by which the walk through the graph came there, as sentences that the speaker knows.
    pub path: Vec<String>,
}

/// A part of a scene context.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Section {
    /// What it is about: `speaker`, `relations`, `scene`, `lately`, `knowledge`, `others`, `besides`.
    pub name: &'static str,
    /// Its heading.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// What a speaker may say in a scene. The stable part comes first, so that the prompt caches of language models hold:
/// speaker and relations change only with what the speaker knows of itself, the scene with the place, what was said lately
/// with every line, and what follows with the question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SceneContext {
    /// Who speaks.
    pub speaker: EntityId,
    /// What the speaker is called.
    pub name: String,
    /// What was asked.
    pub question: String,
    /// Speaker, relations, scene, what was said lately, knowledge, what others who are there know of that, and what else
    /// there was room for of the first three.
    pub sections: Vec<Section>,
    /// Tokens of the prompt form. Never more than the budget.
    pub tokens: usize,
    /// Tokens that it may have.
    pub budget: usize,
    /// How many facts and passages bear on the question but found no room.
    pub omitted: usize,
    /// Whether meaning took part in the ranking.
    pub meaning: bool,
    /// Whether the graph did.
    pub graph: bool,
    /// What the prompt form has besides its lines, where a budget is too small for all of it.
    #[serde(skip)]
    pub(crate) frame: Frame,
    /// What the tokens were counted with.
    #[serde(skip)]
    pub(crate) detail: Detail,
}

/// What the prompt form has besides its lines: each as far as there is room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Who speaks, and what is asked.
    #[default]
    Whole,
    /// Who speaks: the question is too long.
    Speaker,
    /// Nothing.
    Nothing,
}

/// What a scene context is made from.
pub struct Request<'a> {
    /// What the speaker knows.
    pub view: &'a View,
    /// The names in the view.
    pub names: &'a Names,
    /// Words and vectors.
    pub index: &'a Index,
    /// For printing dates.
    pub calendar: &'a Calendar,
    /// For what has one state at a time.
    pub vocabulary: &'a Vocabulary,
    /// Who speaks.
    pub speaker: &'a EntityId,
    /// Where and when.
    pub scene: &'a Scene,
    /// What is asked.
    pub question: &'a str,
    /// Whom and what it is about: what bears on it is looked for there. Everywhere, when nothing is said. What the speaker
    /// is, its relations and the scene are told in any case.
    pub about: &'a [EntityId],
    /// The question's vector.
    pub vector: Option<&'a [f32]>,
    /// Whether the graph is walked.
    pub graph: bool,
    /// At most so many results.
    pub limit: usize,
    /// At most so many tokens.
    pub budget: usize,
    /// How tokens are counted.
    pub counter: &'a dyn TokenCounter,
    /// Whether the prompt form is to have receipts, so that they are counted.
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

    /// Writes what does not depend on the question. Returns the lines beyond their sections' shares.
    fn begin(&mut self, writer: &mut Writer, request: &Request) -> Vec<Line> {
        let (mut room, mut left) = (0, Vec::new());
        let sections = [writer.speaker(&self.name), writer.relations(), writer.scene(), writer.lately()];
        for (mut section, share) in sections.into_iter().zip(SHARES) {
            room += request.budget.saturating_mul(share) / 100;
            // Of what was said lately, the last is told first of all, and then stands last.
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

    /// Leaves out what does not even fit by itself: the question, and who speaks.
    fn frame(&mut self, counter: &dyn TokenCounter) {
        for frame in [Frame::Whole, Frame::Speaker, Frame::Nothing] {
            self.frame = frame;
            self.tokens = self.count(counter);
            if self.tokens <= self.budget {
                break;
            }
        }
    }

    /// Drops lines from the end until the prompt form keeps to the budget. Returns them.
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

    /// Adds a line to the last section, if there is room for it. What is too long leaves its room to what follows.
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

    /// The context in one of its forms. Receipts stay out of the prompt unless asked for.
    pub fn render(&self, form: Form, detail: impl Into<Detail>) -> String {
        render(self, form, detail.into())
    }

    /// All its lines.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.sections.iter().flat_map(|section| &section.lines)
    }

    /// Everything that a line is made from.
    pub fn sources(&self) -> impl Iterator<Item = Source> {
        self.lines().flat_map(|line| std::iter::once(&line.receipt).chain(&line.also)).map(|receipt| receipt.source)
    }
}
