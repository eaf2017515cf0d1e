//! The forms of a scene context.

use hearsay_model::escape;

use crate::{Line, Markup, Page, SceneContext, context::Frame, receipt::why};

/// A form of a scene context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// For people, on a terminal.
    #[default]
    Text,
    /// For people, as Markdown.
    Markdown,
    /// As data, one pretty-printed object.
    Json,
    /// For a language model: compact.
    Prompt,
}

/// What stands beside the lines of a scene context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    #[default]
    Plain,
    /// How each line is known.
    Receipts,
    /// That, and why it is told in answer to the question: what each channel says, and the way through the graph.
    Explained,
}

/// With receipts, or without.
impl From<bool> for Detail {
    fn from(receipts: bool) -> Self {
        if receipts { Self::Receipts } else { Self::Plain }
    }
}

pub(crate) fn render(context: &SceneContext, form: Form, detail: Detail) -> String {
    match form {
        Form::Text => text(context, detail),
        Form::Markdown => markdown(context, detail),
        // The context holds strings, numbers and lists: there is nothing in it that JSON cannot hold.
        Form::Json => escape::json(&serde_json::to_string_pretty(context).unwrap_or_default()).into_owned(),
        Form::Prompt => prompt(context, detail),
    }
}

fn text(context: &SceneContext, detail: Detail) -> String {
    let mut page = Page::new(Markup::Plain);
    for (number, section) in context.sections.iter().enumerate() {
        page.own(if number == 0 { "" } else { "\n" }).data(&section.title).own("\n");
        for line in &section.lines {
            page.own("  ").data(&line.text);
            note(&mut page, line);
            page.own("\n");
            for beside in beside(line, detail) {
                page.own("      ").remark(&beside).own("\n");
            }
        }
    }
    summary(page.own("\n"), context);
    page.own("\n");
    page.into_text()
}

fn markdown(context: &SceneContext, detail: Detail) -> String {
    let mut page = Page::new(Markup::Markdown);
    for (number, section) in context.sections.iter().enumerate() {
        page.own(if number == 0 { "# " } else { "\n## " }).data(&section.title).own("\n\n");
        for line in &section.lines {
            write_line(&mut page, line, detail);
        }
    }
    summary(page.own("\n*"), context);
    page.own("*\n");
    page.into_text()
}

fn prompt(context: &SceneContext, detail: Detail) -> String {
    let mut page = Page::new(Markup::Plain);
    if context.frame != Frame::Nothing {
        page.own("You are ").data(&context.name).own(".\n");
    }
    for section in context.sections.iter().filter(|section| !section.lines.is_empty()) {
        page.own(heading(section.name));
        for line in &section.lines {
            write_line(&mut page, line, detail);
        }
    }
    if context.frame == Frame::Whole && !context.question.is_empty() {
        page.own("You are asked: ").data(&context.question).own("\n");
    }
    page.into_text()
}

/// What stands above a section of the prompt form.
pub(crate) fn heading(section: &str) -> &'static str {
    match section {
        "speaker" => "",
        "relations" => "Your relations:\n",
        "lately" => "Said lately, in your hearing:\n",
        "knowledge" => "You know, on this matter:\n",
        "others" => "You have reason to think that others here know:\n",
        "besides" => "Besides:\n",
        _ => "The scene:\n",
    }
}

/// A line of the prompt form.
pub(crate) fn prompt_line(line: &Line, detail: Detail) -> String {
    let mut page = Page::new(Markup::Plain);
    write_line(&mut page, line, detail);
    page.into_text()
}

/// A line as an item of a list, with all that stands beside it.
fn write_line(page: &mut Page, line: &Line, detail: Detail) {
    page.own("- ").data(&line.text);
    note(page, line);
    for beside in beside(line, detail) {
        page.own(" ").remark(&beside);
    }
    page.own("\n");
}

fn note(page: &mut Page, line: &Line) {
    if !line.note.is_empty() {
        page.own(" ").remark(&line.note);
    }
}

/// What stands beside a line: how it is known, how else, and why it is told.
fn beside(line: &Line, detail: Detail) -> Vec<String> {
    let mut beside = Vec::new();
    if detail != Detail::Plain {
        beside.push(line.receipt.line());
        beside.extend(line.also.iter().map(|receipt| format!("also {}", receipt.line())));
    }
    if let (Detail::Explained, Some(score), Some(channels)) = (detail, line.score, &line.channels) {
        beside.push(why(score, channels, &line.path));
    }
    beside
}

fn summary(page: &mut Page, context: &SceneContext) {
    page.number(context.tokens).own(" of ").number(context.budget).own(" tokens");
    if context.omitted > 0 {
        page.own(", ").number(context.omitted).own(" more that bear on the question left out");
    }
    page.own(match (context.meaning, context.graph) {
        (true, true) => "",
        (false, true) => ", found by words and graph alone",
        (true, false) => ", found by words and meaning alone",
        (false, false) => ", found by words alone",
    });
}
