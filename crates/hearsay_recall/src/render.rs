//! The forms of a scene context.

use std::fmt::Write;

use crate::{Line, Receipt, SceneContext, Source};

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

pub(crate) fn render(context: &SceneContext, form: Form, receipts: bool) -> String {
    match form {
        Form::Text => text(context, receipts),
        Form::Markdown => markdown(context, receipts),
        // The context holds strings, numbers and lists: there is nothing in it that JSON cannot hold.
        Form::Json => serde_json::to_string_pretty(context).unwrap_or_default(),
        Form::Prompt => prompt(context, receipts),
    }
}

// Writing to a string cannot fail; `writeln!` says otherwise only because the trait is shared with files.

fn text(context: &SceneContext, receipts: bool) -> String {
    let mut out = String::new();
    for (number, section) in context.sections.iter().enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{}", section.title);
        for line in &section.lines {
            let _ = writeln!(out, "  {}{}", line.text, noted(line));
            if receipts {
                let _ = writeln!(out, "      [{}]", receipt(&line.receipt));
            }
        }
    }
    let _ = writeln!(out, "\n{}", summary(context));
    out
}

fn markdown(context: &SceneContext, receipts: bool) -> String {
    let mut out = String::new();
    for (number, section) in context.sections.iter().enumerate() {
        let (gap, level) = if number == 0 { ("", "#") } else { ("\n", "##") };
        let _ = writeln!(out, "{gap}{level} {}\n", section.title);
        for line in &section.lines {
            let _ = write!(out, "- {}{}", line.text, noted(line));
            if receipts {
                let _ = write!(out, " *[{}]*", receipt(&line.receipt));
            }
            out.push('\n');
        }
    }
    let _ = writeln!(out, "\n*{}*", summary(context));
    out
}

fn prompt(context: &SceneContext, receipts: bool) -> String {
    let mut out = format!("You are {}.\n", context.name);
    for section in &context.sections {
        if section.lines.is_empty() {
            continue;
        }
        match section.name {
            "speaker" => {}
            "knowledge" => out.push_str("You know, on this matter:\n"),
            "others" => out.push_str("You have reason to think that others here know:\n"),
            "relations" => out.push_str("Your relations:\n"),
            _ => out.push_str("The scene:\n"),
        }
        for line in &section.lines {
            let _ = write!(out, "- {}{}", line.text, noted(line));
            if receipts {
                let _ = write!(out, " [{}]", receipt(&line.receipt));
            }
            out.push('\n');
        }
    }
    if !context.question.is_empty() {
        let _ = writeln!(out, "You are asked: {}", context.question);
    }
    out
}

fn noted(line: &Line) -> String {
    if line.note.is_empty() { String::new() } else { format!(" ({})", line.note) }
}

/// A receipt in one line: how, credence, when, session, file, id.
pub(crate) fn receipt(receipt: &Receipt) -> String {
    let mut parts = vec![receipt.how.clone()];
    parts.extend(receipt.credence.map(|credence| format!("credence {credence}")));
    parts.extend(receipt.learned.as_ref().map(|learned| format!("since {learned}")));
    parts.extend(receipt.session.as_ref().map(ToString::to_string));
    parts.extend(receipt.file.clone());
    parts.extend(match receipt.source {
        Source::Fact(id) => Some(format!("fact {}", id.short())),
        Source::Passage(id) => Some(format!("passage {}", id.short())),
        Source::Scene => None,
    });
    parts.join(" \u{00B7} ")
}

fn summary(context: &SceneContext) -> String {
    let mut summary = format!("{} of {} tokens", context.tokens, context.budget);
    if context.omitted > 0 {
        let _ = write!(summary, ", {} more that bear on the question left out", context.omitted);
    }
    if !context.meaning {
        summary.push_str(", found by words and graph alone");
    }
    summary
}
