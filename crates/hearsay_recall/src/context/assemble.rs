//! Assembly of a scene context within its token budget.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_belief::Known;
use hearsay_model::{EntityId, ReferringExpression};

use super::{
    asked_relation::asked_relations,
    form::Form,
    render::{heading, prompt_line, render},
    request::ContextRequest,
    scene_context::{Frame, Line, SceneContext, Section, SectionKind},
    writer::{Answers, Writer},
};
use crate::{Source, TokenCounter};

/// Maximum shares of the budget for the sections on the speaker, relations, scene and recent talk, in percent. If a
/// section does not use its whole share, the next section can use the rest.
const SECTION_SHARES: [usize; 4] = [30, 20, 15, 10];

impl SceneContext {
    /// Assembles the context of a request.
    pub fn assemble(request: &ContextRequest) -> Self {
        let mut writer = Writer::new(request);
        let name = request.names.name(request.speaker).unwrap_or("Somebody").to_owned();
        let with_name = |id: &EntityId| Some((id.clone(), request.names.name(id)?.to_owned()));
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
            listeners: request.scene.present.iter().filter_map(with_name).collect(),
            subject_names: BTreeMap::new(),
            named: request.names.mentioned_entities(request.question),
            asked_relations: asked_relations(request.question, request.vocabulary),
            pronouns: BTreeMap::new(),
            with_unique_first_name: with_unique_first_name(request),
            frame: Frame::default(),
            detail: request.detail,
        };
        context.choose_frame(request.counter);
        let mut leftover = context.write_stable_sections(&mut writer, request);
        leftover.extend(context.drop_excess_lines(request.counter));
        let stated = context.lines().filter(|line| !line.states_feelings()).flat_map(Line::sources);
        let stated: BTreeSet<Source> = stated.filter(|source| *source != Source::Scene).collect();
        let Answers { lines, total } = writer.knowledge(&writer.ranked());
        context.open_section(SectionKind::Knowledge, "Relevant to the question");
        let mut written = 0;
        for mut line in lines {
            let source_count = 1 + line.also.len();
            let is_repetition = line.sources().any(|source| stated.contains(&source));
            line.is_repetition = is_repetition;
            written += if context.try_push(line, request.limit, request.counter) { source_count } else { 0 };
        }
        context.omitted = total - written;
        let answers: BTreeSet<Source> =
            context.section_lines(SectionKind::Knowledge).iter().flat_map(Line::sources).collect();
        context.open_section(SectionKind::Further, "Besides");
        for line in leftover {
            if !line.has_own_content() && line.sources().any(|source| answers.contains(&source)) {
                continue;
            }
            context.try_push(line, usize::MAX, request.counter);
        }
        context.sections.retain(|section| !section.lines.is_empty());
        let subjects = context.lines().filter_map(|line| line.claim.as_ref()).map(|claim| &claim.subject);
        context.subject_names = subjects.filter_map(with_name).collect();
        if !context.asked_relations.is_empty() {
            context.pronouns = context.known_pronouns(request);
        }
        context
    }

    /// Writes the sections that do not depend on the question. Returns the lines that exceeded the share of their
    /// section, except lines of recent talk.
    fn write_stable_sections(&mut self, writer: &mut Writer, request: &ContextRequest) -> Vec<Line> {
        let (mut available, mut leftover) = (0, Vec::new());
        let sections = [writer.speaker(&self.name), writer.relations(), writer.scene(), writer.recent_talk()];
        for (mut section, share) in sections.into_iter().zip(SECTION_SHARES) {
            available += request.budget.saturating_mul(share) / 100;
            // The budget share of recent talk is given to the latest lines first, but the lines are printed in order.
            let is_recent_talk = section.kind == SectionKind::RecentTalk;
            let mut lines = std::mem::take(&mut section.lines);
            if is_recent_talk {
                lines.reverse();
            }
            let mut heading_tokens = request.counter.count(heading(section.kind));
            for line in lines {
                let cost = heading_tokens + request.counter.count(&prompt_line(&line, &self.name, self.detail));
                if cost <= available {
                    (available, heading_tokens) = (available - cost, 0);
                    writer.mark_written(&line);
                    section.lines.push(line);
                } else if !is_recent_talk {
                    leftover.push(line);
                }
            }
            if is_recent_talk {
                section.lines.reverse();
            }
            self.sections.push(section);
        }
        leftover
    }

    /// Returns the recorded pronouns of the entities in the lines, as far as the speaker knows them.
    fn known_pronouns(&self, request: &ContextRequest) -> BTreeMap<EntityId, String> {
        let claims = self.lines().filter_map(|line| line.claim.as_ref());
        let ids = claims.flat_map(|claim| std::iter::once(&claim.subject).chain(claim.object.entity()));
        let ids: BTreeSet<&EntityId> = ids.collect();
        let is_pronoun = |known: &&Known| {
            request.vocabulary.behavior(known.predicate()).reference == Some(ReferringExpression::Pronoun)
        };
        let pronouns = |id: &EntityId| {
            let known = request.view.facts_with_subject(id).find(is_pronoun)?;
            Some((id.clone(), known.object().text()?.to_owned()))
        };
        ids.into_iter().filter_map(pronouns).collect()
    }

    fn open_section(&mut self, kind: SectionKind, title: &str) {
        self.sections.push(Section { kind, title: title.to_owned(), lines: Vec::new() });
    }

    fn count(&self, counter: &dyn TokenCounter) -> usize {
        counter.count(&render(self, Form::Prompt, self.detail))
    }

    /// Chooses the largest [frame](Frame) (the parts of the prompt that are not lines) that fits the budget before any
    /// lines are added. Leaves out the question first, and then also the speaker.
    fn choose_frame(&mut self, counter: &dyn TokenCounter) {
        for frame in [Frame::Full, Frame::SpeakerOnly, Frame::Neither] {
            self.frame = frame;
            self.tokens = self.count(counter);
            if self.tokens <= self.budget {
                break;
            }
        }
    }

    /// Drops lines from the end until the prompt form fits the budget. Returns the dropped lines, except lines of
    /// recent talk.
    fn drop_excess_lines(&mut self, counter: &dyn TokenCounter) -> Vec<Line> {
        let mut dropped = Vec::new();
        self.tokens = self.count(counter);
        while self.tokens > self.budget {
            let last = self.sections.iter_mut().rev().find_map(|section| Some((section.kind, section.lines.pop()?)));
            let Some((kind, line)) = last else { break };
            dropped.extend(Some(line).filter(|_| kind != SectionKind::RecentTalk));
            self.tokens = self.count(counter);
        }
        dropped.reverse();
        dropped
    }

    /// Adds a line to the last section if it fits the budget. Returns whether the line fits. After a line that is too
    /// long, shorter lines may still fit.
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
}

/// Returns the speaker and the entities in the scene whose first name means nobody else, as far as the speaker knows.
fn with_unique_first_name(request: &ContextRequest) -> BTreeSet<EntityId> {
    let is_unique = |id: &&EntityId| {
        let first = request.names.name(id).and_then(|name| name.split(' ').next());
        first.is_some_and(|first| request.names.exact_mentions(first).as_slice() == std::slice::from_ref(*id))
    };
    std::iter::once(request.speaker).chain(&request.scene.present).filter(is_unique).cloned().collect()
}
