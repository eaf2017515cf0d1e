//! Answers questions to a character: assembles the scene context, which is the list of relevant facts that the
//! character knows.

use std::time::Duration;

use hearsay_engine::Memory;
use hearsay_model::{Credence, EntityId, SessionId};
use hearsay_query::ask::Ask;
use hearsay_recall::{Line, LineSecrecy, SceneContext, Section, SectionKind, Source};

use crate::{
    error::ToolError,
    outputs::{RecallOutput, RecalledLine},
};

/// Maximum time to wait for the sentence encoder.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Maximum number of facts and lines that a client may ask for.
pub(crate) const MAX_LIMIT: usize = 100;

/// A question to a character, with resolved names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) present: Vec<EntityId>,
    pub(crate) place: Option<EntityId>,
    pub(crate) about: Vec<EntityId>,
    /// Maximum number of lines of the answer. `None` means that the settings limit the lines that answer the question,
    /// and nothing limits the other lines.
    pub(crate) limit: Option<usize>,
    /// Session whose last lines are part of the context.
    pub(crate) session: Option<SessionId>,
}

/// Returns the limit that a client gave, or an error if it is out of range.
pub(crate) fn checked_limit(limit: Option<usize>, default: usize) -> Result<usize, ToolError> {
    match limit {
        None => Ok(default),
        Some(limit @ 1..=MAX_LIMIT) => Ok(limit),
        Some(limit) => Err(ToolError::new(format!("`limit` is {limit}; pass a number from 1 to {MAX_LIMIT}"))),
    }
}

/// Returns the scene context of a character.
pub(crate) fn scene_context(
    memory: &Memory,
    character: &EntityId,
    question: Question,
) -> Result<SceneContext, ToolError> {
    let limit = question.limit.map(|limit| checked_limit(Some(limit), MAX_LIMIT)).transpose()?;
    let ask = Ask {
        place: question.place,
        present: question.present,
        about: question.about,
        session: question.session,
        limit,
        deadline: Some(MAX_WAIT),
        ..Ask::new(character.clone(), question.text)
    };
    Ok(memory.ask(ask)?.wait()?.context)
}

/// Answers a question to a character. If the question has a limit, the lines that answer it take precedence over the
/// lines about the character and the scene.
pub(crate) fn recall(memory: &Memory, character: &EntityId, question: Question) -> Result<RecallOutput, ToolError> {
    let limit = question.limit.unwrap_or(usize::MAX);
    let context = scene_context(memory, character, question)?;
    let sections = context.unique_sections();
    let is_answer = |section: &&Section| section.kind == SectionKind::Knowledge;
    let answers: usize = sections.iter().filter(is_answer).map(|section| section.lines.len()).sum();
    let mut free = limit.saturating_sub(answers);
    let (mut lines, mut omitted) = (Vec::new(), context.omitted);
    for section in &sections {
        let count = if is_answer(&section) { section.lines.len() } else { section.lines.len().min(free) };
        if !is_answer(&section) {
            free -= count;
        }
        omitted += section.lines.len() - count;
        // The latest lines of recent talk come last.
        let first = if section.kind == SectionKind::RecentTalk { section.lines.len() - count } else { 0 };
        lines.extend(section.lines[first..first + count].iter().map(|line| recalled_line(section.kind, line)));
    }
    Ok(RecallOutput { character: context.name, lines, omitted })
}

/// Number of digits of a fact id in a text.
const ID_DIGITS: usize = 8;

/// Returns the lines of an answer as text. Each line names how the character knows it and, for a fact, the start of its
/// id. The text contains no file names, because they belong to the DM.
pub(crate) fn recall_text(output: &RecallOutput) -> String {
    let mut text = format!("{}\n", output.character);
    let mut section = "";
    for line in &output.lines {
        if line.section != section {
            section = &line.section;
            text.push_str(&format!("\n{}:\n", section.replace('_', " ")));
        }
        let note = if line.note.is_empty() { String::new() } else { format!(" ({})", line.note) };
        let id = line.fact.as_deref().and_then(|id| id.get(..ID_DIGITS));
        let id = id.map_or_else(String::new, |id| format!("; fact {id}"));
        text.push_str(&format!("- {}{note} [{}{id}]\n", line.text, line.how_known));
    }
    if output.omitted > 0 {
        text.push_str(&format!("\n{} more are left out; raise `limit`, or ask a narrower question\n", output.omitted));
    }
    text
}

fn recalled_line(section: SectionKind, line: &Line) -> RecalledLine {
    let section = match section {
        SectionKind::Speaker => "speaker",
        SectionKind::Relations => "relations",
        SectionKind::Scene => "scene",
        SectionKind::RecentTalk => "recent_talk",
        SectionKind::Knowledge => "knowledge",
        SectionKind::Further => "further",
    };
    let secrecy = match &line.secrecy {
        LineSecrecy::Open => "open",
        LineSecrecy::Concealed => "concealed",
        LineSecrecy::MayTell { .. } => "some_listeners",
    };
    RecalledLine {
        section: section.to_owned(),
        text: line.text.clone(),
        fact: match line.citation.source {
            Source::Fact(id) => Some(id.to_string()),
            Source::Passage(_) | Source::Scene => None,
        },
        how_known: line.citation.describe_acquisition(),
        learned: line.citation.learned.clone(),
        credence: line.credence.map(Credence::get),
        secrecy: secrecy.to_owned(),
        note: line.note(),
        score: line.score.map(rounded),
    }
}

/// Returns a score with two decimal places, so that the JSON is short.
pub(crate) fn rounded(score: f32) -> f64 {
    (f64::from(score) * 100.0).round() / 100.0
}
