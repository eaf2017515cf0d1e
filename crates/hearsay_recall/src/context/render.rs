//! Rendering of a scene context in its output forms.

use hearsay_model::escape;

use super::{
    form::{Detail, Form},
    scene_context::{Frame, Line, SceneContext, SectionKind},
};
use crate::{Markup, Page, citation::score_explanation};

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

fn render_prompt(context: &SceneContext, detail: Detail) -> String {
    let mut page = Page::new(Markup::Plain);
    if context.frame != Frame::Neither {
        page.literal("You are ").data(&context.name).literal(".\n");
    }
    // The beginning of the prompt does not depend on the question, so repetitions are left out at their later place.
    for section in &context.sections {
        let mut lines = section.lines.iter().filter(|line| !line.is_repetition).peekable();
        if lines.peek().is_some() {
            page.literal(heading(section.kind));
        }
        for line in lines {
            write_line(&mut page, line, detail);
        }
    }
    if context.frame == Frame::Full && !context.question.is_empty() {
        page.literal("You are asked: ").data(&context.question).literal("\n");
    }
    page.into_text()
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

/// Returns a line in the prompt form.
pub(crate) fn prompt_line(line: &Line, detail: Detail) -> String {
    let mut page = Page::new(Markup::Plain);
    write_line(&mut page, line, detail);
    page.into_text()
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

/// Returns the details of a line that `detail` includes: its citations and the explanation of its score.
fn line_details(line: &Line, detail: Detail) -> Vec<String> {
    let mut details = Vec::new();
    if detail != Detail::Plain {
        details.push(line.citation.line());
        details.extend(line.also.iter().map(|citation| format!("also {}", citation.line())));
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
