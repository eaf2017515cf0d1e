//! Hidden parts of Markdown: comments, secrets, templates and plug-ins.

mod finder;
mod region;

use std::{collections::HashSet, ops::Range, sync::LazyLock};

use serde::Deserialize;

use crate::import::word_lists::parse_table;

pub(super) use finder::{MarkPositions, regions};
pub(super) use region::Region;

/// Replaces these ranges of the source with spaces, and keeps line breaks. All other text keeps its position.
pub(super) fn replace_with_spaces(source: &str, ranges: impl Iterator<Item = Range<usize>>) -> String {
    let mut replaced = String::with_capacity(source.len());
    let mut at = 0;
    for range in ranges {
        let (Some(before), Some(within)) = (source.get(at..range.start), source.get(range.clone())) else { continue };
        replaced.push_str(before);
        replaced.extend(within.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        at = range.end;
    }
    replaced.push_str(source.get(at..).unwrap_or_default());
    replaced
}

/// Replaces the opening and closing marks of these regions with spaces, and keeps the content of the regions.
pub(super) fn replace_marks_with_spaces(source: &str, regions: &[Region]) -> String {
    let marks =
        regions.iter().flat_map(|region| [region.outer.start..region.inner.start, region.inner.end..region.outer.end]);
    replace_with_spaces(source, marks.filter(|range| !range.is_empty()))
}

/// The file `data/plugins.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plugins {
    languages: HashSet<String>,
}

static PLUGINS: LazyLock<Plugins> =
    LazyLock::new(|| parse_table("plugins.toml", include_str!("../../../data/plugins.toml")));

/// Returns whether a code block in this language belongs to a plug-in and is not text.
pub(super) fn is_plugin(language: &str) -> bool {
    let language = language.split_whitespace().next().unwrap_or_default().trim_matches(['{', '}', '.']);
    let word = language.to_ascii_lowercase();
    PLUGINS.languages.contains(&word)
}

/// Returns whether inline code is markup of a plug-in: `INPUT[…]`, `VIEW[…]`, `= this.name`, `$= …`, `dice: 1d20`.
pub(super) fn is_plugin_code(code: &str) -> bool {
    let code = code.trim();
    ["INPUT[", "VIEW[", "BUTTON[", "= ", "=", "$=", "dice:", "dice-mod:", "calendarium"]
        .iter()
        .any(|start| code.starts_with(start))
}

/// Returns the ranges of template leftovers in a text: `INPUT[…]`, `VIEW[…]`, `<% … %>`, `{{title}}`. The mark of a
/// callout at the beginning is a leftover too. The ranges are sorted and do not overlap.
pub(super) fn find_template_leftovers(text: &str) -> Vec<Range<usize>> {
    const MARKS: [(&str, &str); 5] = [("INPUT[", "]"), ("VIEW[", "]"), ("BUTTON[", "]"), ("<%", "%>"), ("{{", "}}")];
    let (mut found, mut at) = (Vec::new(), 0);
    // The text may begin with the mark of a callout, such as `[!note]-`.
    let start = text.len() - text.trim_start().len();
    if let Some(rest) = text[start..].strip_prefix("[!")
        && let Some(end) = rest.find(']').filter(|end| *end < 60 && !rest[..*end].contains('\n'))
    {
        let has_fold_mark = rest[end + 1..].starts_with(['+', '-']);
        at = start + 2 + end + 1 + usize::from(has_fold_mark);
        found.push(start..at);
    }
    for (start, _) in text.match_indices(['I', 'V', 'B', '<', '{']) {
        let rest = &text[start..];
        let Some((open, close)) = MARKS.iter().find(|(open, _)| start >= at && rest.starts_with(open)) else {
            continue;
        };
        // A mark counts only if it is closed within this number of bytes.
        let mut max_end = rest.len().min(2_000);
        while !rest.is_char_boundary(max_end) {
            max_end -= 1;
        }
        let inner = &rest[open.len()..max_end];
        // Nested brackets are matched: `INPUT[list(option([[a]]))]`.
        let end = match *close {
            "]" => find_closing_bracket(inner),
            close => inner.find(close).map(|end| end + close.len()),
        };
        if let Some(end) = end {
            at = start + open.len() + end;
            found.push(start..at);
        }
    }
    found
}

/// Returns the position after the `]` that closes a `[` directly before the text.
fn find_closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += match c {
            '[' => 1,
            ']' => -1,
            _ => 0,
        };
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// Returns the name and value of a line such as `key:: value`.
pub(crate) fn inline_field(line: &str) -> Option<(&str, &str)> {
    let line = line.split('\n').next()?;
    let (name, value) = line.split_once("::")?;
    let name = name.trim().trim_start_matches(['-', '*', '+', '>', ' ']).trim_matches(['*', '_']);
    let is_field = !name.is_empty()
        && name.len() <= 48
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\''))
        && name.split_whitespace().count() <= 5;
    is_field.then(|| (name, value.trim()))
}
