//! The forms of a scene context.

use std::fmt::Write;

use crate::{Line, SceneContext, context::Frame, receipt::why};

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
        Form::Json => serde_json::to_string_pretty(context).unwrap_or_default(),
        Form::Prompt => prompt(context, detail),
    }
}

// Writing to a string cannot fail; `writeln!` says otherwise only because the trait is shared with files.

fn text(context: &SceneContext, detail: Detail) -> String {
    let mut out = String::new();
    for (number, section) in context.sections.iter().enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{}", section.title);
        for line in &section.lines {
            let _ = writeln!(out, "  {}{}", line.text, noted(line));
            for beside in beside(line, detail) {
                let _ = writeln!(out, "      [{beside}]");
            }
        }
    }
    let _ = writeln!(out, "\n{}", summary(context));
    out
}

fn markdown(context: &SceneContext, detail: Detail) -> String {
    let mut out = String::new();
    for (number, section) in context.sections.iter().enumerate() {
        let (gap, level) = if number == 0 { ("", "#") } else { ("\n", "##") };
        let _ = writeln!(out, "{gap}{level} {}\n", section.title);
        for line in &section.lines {
            let _ = write!(out, "- {}{}", line.text, noted(line));
            for beside in beside(line, detail) {
                let _ = write!(out, " *[{beside}]*");
            }
            out.push('\n');
        }
    }
    let _ = writeln!(out, "\n*{}*", summary(context));
    out
}

fn prompt(context: &SceneContext, detail: Detail) -> String {
    let mut out = String::new();
    if context.frame != Frame::Nothing {
        let _ = writeln!(out, "You are {}.", context.name);
    }
    for section in context.sections.iter().filter(|section| !section.lines.is_empty()) {
        out.push_str(heading(section.name));
        for line in &section.lines {
            out.push_str(&prompt_line(line, detail));
        }
    }
    if context.frame == Frame::Whole && !context.question.is_empty() {
        let _ = writeln!(out, "You are asked: {}", context.question);
    }
    out
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
    let mut out = format!("- {}{}", line.text, noted(line));
    for beside in beside(line, detail) {
        let _ = write!(out, " [{beside}]");
    }
    out.push('\n');
    out
}

fn noted(line: &Line) -> String {
    if line.note.is_empty() { String::new() } else { format!(" ({})", line.note) }
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

fn summary(context: &SceneContext) -> String {
    let mut summary = format!("{} of {} tokens", context.tokens, context.budget);
    if context.omitted > 0 {
        let _ = write!(summary, ", {} more that bear on the question left out", context.omitted);
    }
    summary.push_str(match (context.meaning, context.graph) {
        (true, true) => "",
        (false, true) => ", found by words and graph alone",
        (true, false) => ", found by words and meaning alone",
        (false, false) => ", found by words alone",
    });
    summary
}
