//! Rendering of a scene context in its output forms.

use hearsay_model::{EntityId, escape, spelling::is_common_word, text, words};

use super::{
    form::{Detail, Form},
    grammatical_person::{Person, in_person},
    remark::Remark,
    scene_context::{Frame, Line, SceneContext, Section, SectionKind},
    secrecy::LineSecrecy,
};
use crate::{Markup, Page, citation::score_explanation};

/// Maximum number of citations of a line that the output forms print, apart from the main citation. JSON contains all
/// citations.
const MAX_OTHER_CITATIONS: usize = 3;

impl SceneContext {
    /// Renders the context in one of its forms. The prompt contains citations only if `detail` includes them.
    pub fn render(&self, form: Form, detail: impl Into<Detail>) -> String {
        render(self, form, detail.into())
    }
}

pub(crate) fn render(context: &SceneContext, form: Form, detail: Detail) -> String {
    match form {
        Form::Text => render_text(context, detail),
        Form::Markdown => render_markdown(context, detail),
        // Serialization cannot fail: a context contains only strings, numbers and lists.
        Form::Json => escape::json(&serde_json::to_string_pretty(context).unwrap_or_default()).into_owned(),
        Form::Prompt => render_prompt(context, detail),
    }
}

fn render_text(context: &SceneContext, detail: Detail) -> String {
    let mut page = Page::new(Markup::Plain);
    for (number, section) in context.unique_sections().iter().enumerate() {
        page.literal(if number == 0 { "" } else { "\n" }).data(&section.title).literal("\n");
        for line in &section.lines {
            page.literal("  ").data(&line.text);
            write_note(&mut page, line);
            page.literal("\n");
            for extra in line_details(line, detail) {
                page.literal("      ").remark(&extra).literal("\n");
            }
        }
    }
    write_summary(page.literal("\n"), context);
    page.literal("\n");
    page.into_text()
}

fn render_markdown(context: &SceneContext, detail: Detail) -> String {
    let mut page = Page::new(Markup::Markdown);
    for (number, section) in context.unique_sections().iter().enumerate() {
        page.literal(if number == 0 { "# " } else { "\n## " }).data(&section.title).literal("\n\n");
        for line in &section.lines {
            write_line(&mut page, line, detail);
        }
    }
    write_summary(page.literal("\n*"), context);
    page.literal("*\n");
    page.into_text()
}

/// Words after the name of the speaker in the prompt form.
pub(crate) const INSTRUCTION: &str = " Answer in the first person. Say only what you know from this text. If it does not contain \
                           the answer, say that you do not know.\n";

/// Headings of the lines that the speaker conceals, and of the lines that the speaker invented, in the prompt form. The
/// first heading of each pair is for lines before the recent talk, which do not depend on the question.
const SECRET_HEADINGS: [&str; 2] = [
    "You keep these secret. Do not say them, and do not hint at them, even if you are asked:\n",
    "You keep these secret too. Do not say them, and do not hint at them:\n",
];
const LIE_HEADINGS: [&str; 2] =
    ["These are lies that you told. Stay with them:\n", "These are lies that you told, too. Stay with them:\n"];

fn render_prompt(context: &SceneContext, detail: Detail) -> String {
    let (mut page, _) = system_prompt(context, detail);
    if context.frame == Frame::Full && !context.question.is_empty() {
        page.literal("You are asked: ").data(&context.question).literal("\n");
    }
    page.into_text()
}

/// Writes the prompt form without the question. Also returns the number of bytes that do not depend on the recent talk
/// and the question.
fn system_prompt(context: &SceneContext, detail: Detail) -> (Page, usize) {
    let mut page = Page::new(Markup::Plain);
    if context.frame != Frame::Neither {
        page.literal("You are ").data(&context.name).literal(".").literal(INSTRUCTION);
    }
    let mut stable_bytes = page.len();
    for (is_stable, heading, lines) in prompt_sections(context) {
        page.literal(heading);
        for line in lines {
            write_prompt_line(&mut page, line, &context.name, detail);
        }
        if is_stable {
            stable_bytes = page.len();
        }
    }
    (page, stable_bytes)
}

/// The prompt form, split into the parts of a chat with a language model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatParts {
    /// The system message: a description of the speaker and of its knowledge.
    pub system: String,
    /// Number of bytes at the start of `system` that do not depend on the recent talk and the question. Consecutive
    /// questions share this part as long as the speaker and the scene do not change.
    pub stable_bytes: usize,
    /// The question, on one line.
    pub question: String,
}

impl SceneContext {
    /// Returns the prompt form as the system message and the question of a chat.
    pub fn chat_parts(&self) -> ChatParts {
        let (page, stable_bytes) = system_prompt(self, Detail::Plain);
        ChatParts { system: page.into_text(), stable_bytes, question: escape::line(self.question.trim()).into_owned() }
    }
}

impl SceneContext {
    /// Returns a line as the speaker would say it to a listener. A relation to the speaker begins with the speaker: "I am a
    /// parent of Berta", not "Berta is a child of me". In the statement of a fact, pronouns replace the names of
    /// the speaker and the listener. In a statement about the speaker or the listener, they also replace the first names. In
    /// other statements, they replace a first name that means nobody else. The words of a passage do not change.
    pub fn spoken(&self, line: &Line, listener: Option<&EntityId>) -> String {
        let Some(claim) = &line.claim else { return line.text.clone() };
        let is_about = |id: &EntityId| claim.subject == *id || claim.object.entity() == Some(id);
        let has_first_names = is_about(&self.speaker) || listener.is_some_and(is_about);
        let replaced = |text: &str, id: &EntityId, name: &str, person: Person| {
            let written = name_in(text, name);
            let is_clear = || self.with_unique_first_name.contains(id) && stands_alone(text, written);
            in_person(text, if has_first_names || is_clear() { written } else { name }, person)
        };
        let is_statement = line.statement.as_ref() == Some(&line.text);
        let text = line.inverse_statement.as_ref().filter(|_| is_statement).unwrap_or(&line.text);
        let own = replaced(text, &self.speaker, &self.name, Person::First);
        let listener = listener.and_then(|id| Some((id, self.listeners.get(id)?)));
        listener.map_or_else(|| own.clone(), |(id, name)| replaced(&own, id, name, Person::Second))
    }
}

impl SceneContext {
    /// Returns whether a line contains the name or the first name of a listener.
    pub fn names_listener(&self, line: &Line, listener: &EntityId) -> bool {
        self.listeners.get(listener).is_some_and(|name| {
            let written = text::words(name_in(&line.text, name));
            text::contains_name(&text::words(&line.text), &written)
        })
    }
}

/// Returns the form of a name that a statement contains: the whole name, or else the first name. A title is no first
/// name.
fn name_in<'n>(statement: &str, name: &'n str) -> &'n str {
    let first = name.split(' ').next().unwrap_or_default();
    let word = first.to_lowercase();
    let is_first_name = !is_common_word(&word) && !words::contains_word(&words::english().titles, &word);
    if is_first_name && !statement.contains(name) { first } else { name }
}

/// Returns whether a first name is nowhere in a text a part of a longer name, such as `Wilma's Rest` and `Old Wilma`. The
/// first word of the text is no part of a name that follows it.
fn stands_alone(text: &str, first_name: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let is_capitalized = |word: &str| word.starts_with(char::is_uppercase);
    let is_part = |at: usize| {
        let follows_name = at > 1 && is_capitalized(words[at - 1]) && words[at - 1].ends_with(char::is_alphanumeric);
        let is_before_name = words.get(at + 1).is_some_and(|next| is_capitalized(next));
        follows_name || is_before_name && text::without_possessive(words[at]) == first_name
    };
    !(0..words.len()).any(|at| words[at].starts_with(first_name) && is_part(at))
}

/// Returns the sections of the prompt form. Each item states whether the section stays the same for the next question,
/// and contains the heading and the lines. Lines that the speaker conceals, and lines that the speaker invented, are in
/// separate sections.
pub(crate) fn prompt_sections(context: &SceneContext) -> Vec<(bool, &'static str, Vec<&Line>)> {
    let (stable, others): (Vec<&Section>, Vec<&Section>) =
        context.sections.iter().partition(|section| section.kind < SectionKind::RecentTalk);
    let mut sections: Vec<(bool, &'static str, Vec<&Line>)> = Vec::new();
    for (number, part) in [stable, others].into_iter().enumerate() {
        let is_stable = number == 0;
        // The beginning of the prompt does not depend on the question, so repetitions are left out at their later place.
        for section in &part {
            let open = section.lines.iter().filter(|line| !line.is_repetition && !is_secret(line) && !line.is_lie());
            sections.push((is_stable, heading(section.kind), open.collect()));
        }
        let all = || part.iter().flat_map(|section| &section.lines).filter(|line| !line.is_repetition);
        sections.push((is_stable, SECRET_HEADINGS[number], all().filter(|line| is_secret(line)).collect()));
        sections.push((is_stable, LIE_HEADINGS[number], all().filter(|line| line.is_lie()).collect()));
    }
    sections.retain(|(_, _, lines)| !lines.is_empty());
    sections
}

/// Returns whether the speaker conceals the line from everyone. A line that says who is present stays in the scene.
fn is_secret(line: &Line) -> bool {
    line.secrecy == LineSecrecy::Concealed && !line.states_presence && !line.is_lie()
}

/// Returns the note on a line in the prompt form. The note says when the speaker learned the line, and omits
/// information that the heading of its section already states.
pub(crate) fn prompt_note(line: &Line) -> String {
    let remarks = line.remarks.iter().filter(|remark| **remark != Remark::MadeUp).map(Remark::text);
    let secrecy = line.secrecy.note().filter(|_| !is_secret(line));
    line.age.iter().cloned().chain(remarks).chain(secrecy).collect::<Vec<_>>().join("; ")
}

/// Returns the text of a line in the prompt form: statements of facts address the speaker.
pub(crate) fn prompt_text(line: &Line, name: &str) -> String {
    if line.claim.is_some() { in_person(&line.text, name, Person::Second) } else { line.text.clone() }
}

/// Returns the heading of a section in the prompt form.
pub(crate) fn heading(section: SectionKind) -> &'static str {
    match section {
        SectionKind::Speaker => "",
        SectionKind::Relations => "Your relations:\n",
        SectionKind::Scene => "The scene:\n",
        SectionKind::RecentTalk => "Said lately, in your hearing:\n",
        SectionKind::Knowledge => "You know, on this matter:\n",
        SectionKind::Further => "Besides:\n",
    }
}

/// Returns a line in the prompt form. `name` is the name of the speaker.
pub(crate) fn prompt_line(line: &Line, name: &str, detail: Detail) -> String {
    let mut page = Page::new(Markup::Plain);
    write_prompt_line(&mut page, line, name, detail);
    page.into_text()
}

fn write_prompt_line(page: &mut Page, line: &Line, name: &str, detail: Detail) {
    page.literal("- ").data(&prompt_text(line, name));
    let note = prompt_note(line);
    if !note.is_empty() {
        page.literal(" ").remark(&note);
    }
    for extra in line_details(line, detail) {
        page.literal(" ").remark(&extra);
    }
    page.literal("\n");
}

/// Writes a line as a list item, with its note and details.
fn write_line(page: &mut Page, line: &Line, detail: Detail) {
    page.literal("- ").data(&line.text);
    write_note(page, line);
    for extra in line_details(line, detail) {
        page.literal(" ").remark(&extra);
    }
    page.literal("\n");
}

fn write_note(page: &mut Page, line: &Line) {
    let note = line.note();
    if !note.is_empty() {
        page.literal(" ").remark(&note);
    }
}

/// Returns the citations of a line as text: the main citation, and the first of the others.
pub(crate) fn citation_lines(line: &Line) -> Vec<String> {
    let mut lines = vec![line.citation.line()];
    lines.extend(line.also.iter().take(MAX_OTHER_CITATIONS).map(|citation| format!("also {}", citation.line())));
    if let more @ 1.. = line.also.len().saturating_sub(MAX_OTHER_CITATIONS) {
        lines.push(format!("also {more} more"));
    }
    lines
}

/// Returns the details of a line that `detail` includes: its citations and the explanation of its score.
fn line_details(line: &Line, detail: Detail) -> Vec<String> {
    let mut details = Vec::new();
    if detail != Detail::Plain {
        details.extend(citation_lines(line));
    }
    if let (Detail::Explained, Some(score), Some(channels)) = (detail, line.score, &line.channels) {
        details.push(score_explanation(score, channels, &line.path));
    }
    details
}

fn write_summary(page: &mut Page, context: &SceneContext) {
    page.number(context.tokens).literal(" of ").number(context.budget).literal(" tokens");
    if context.omitted > 0 {
        page.literal(", ").number(context.omitted).literal(" more relevant facts and passages left out");
    }
    page.literal(match (context.meaning, context.graph) {
        (true, true) => "",
        (false, true) => ", found by words and the graph only",
        (true, false) => ", found by words and meaning alone",
        (false, false) => ", found by words alone",
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_first_name_within_a_longer_name_does_not_stand_alone() {
        for (statement, is_alone) in [
            ("Runa keeps the bees.", true),
            ("The hives belong to Runa.", true),
            ("The mead is in Runa's cellar. Runa sells it.", true),
            ("The hives stand at Runa's Rest.", false),
            ("Everybody fears Old Runa.", false),
            ("The hives belong to Runa Marsh.", false),
        ] {
            assert_eq!(stands_alone(statement, "Runa"), is_alone, "{statement}");
        }
    }
}
