//! Foundry's markup in texts: `@UUID[…]{label}`, the older forms of links, and dice rolls.

use super::{document::Doc, library::Library, target::LinkDestination};
use crate::import::{LinkTarget, markup::InlineLink};

/// The replacement for a name that players must not see.
const HIDDEN_LABEL: &str = "(unknown)";

/// Returns the links and dice rolls in a text.
pub(super) fn find_inline_links(library: &Library, source_doc: &Doc, text: &str) -> Vec<InlineLink> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(['@', '[', '&'])).map(|start| at + start) {
        at = start + 1;
        let Some(rest) = text.get(start..) else { break };
        let inline = if rest.starts_with("[[") {
            parse_roll(rest)
        } else if rest.starts_with(['@', '&']) {
            parse_enricher(library, source_doc, rest)
        } else {
            None
        };
        if let Some((length, target, label)) = inline {
            found.push(InlineLink { range: start..start + length, target, label });
            at = start + length;
        }
    }
    found
}

type ParsedLink = (usize, Option<LinkTarget>, String);

/// Parses `[[/check athletics 15]]{label}`. A dice roll is not a link.
fn parse_roll(text: &str) -> Option<ParsedLink> {
    let end = text.find("]]").filter(|end| *end < 400)?;
    let (label, label_length) = parse_label(text.get(end + 2..)?);
    let inner = text.get(2..end)?.trim();
    let text = inner.strip_prefix('/').map_or(inner, |command| command.split_once(' ').map_or("", |(_, rest)| rest));
    Some((end + 2 + label_length, None, label.unwrap_or(text.trim()).to_owned()))
}

/// Parses `@Name[argument]{label}`.
fn parse_enricher(library: &Library, source_doc: &Doc, text: &str) -> Option<ParsedLink> {
    let name: String = text.chars().skip(1).take_while(char::is_ascii_alphanumeric).collect();
    let after_name = text.get(1 + name.len()..)?;
    if name.is_empty() || !after_name.starts_with('[') {
        return None;
    }
    let end = after_name.find(']').filter(|end| *end < 600)?;
    let argument = after_name.get(1..end)?.trim();
    let (label, label_length) = parse_label(after_name.get(end + 1..)?);
    let length = 1 + name.len() + end + 1 + label_length;
    let parsed = |target, text: String| Some((length, target, text));
    let label_text = label.unwrap_or_default().to_owned();
    let uuid = match name.as_str() {
        "UUID" => argument.to_owned(),
        "Actor" | "JournalEntry" | "Item" => format!("{name}.{argument}"),
        "JournalEntryPage" => format!(".JournalEntryPage.{argument}"),
        "Compendium" => format!("Compendium.{}", argument.trim_start_matches("Compendium.")),
        "Embed" => return parsed(None, label_text),
        // Other markup, such as a check or a table, is replaced by its label. Markup that begins with `&` and has no
        // label is replaced by its argument.
        _ if text.starts_with('&') => return parsed(None, label.unwrap_or(argument).to_owned()),
        _ => return parsed(None, label_text),
    };
    match library.resolve(&uuid, source_doc) {
        LinkDestination::Note { key, name, hidden } => {
            let text = match label {
                Some(label) => label.to_owned(),
                None if hidden && !library.access(source_doc).existence.is_secret() => HIDDEN_LABEL.to_owned(),
                None => name,
            };
            parsed(Some(LinkTarget::Key(key)), text)
        }
        LinkDestination::NoEntity => parsed(None, label_text),
        // Before Foundry had UUIDs, a link could contain a document's name instead of its id.
        LinkDestination::Missing if name != "UUID" && !is_id(argument) => {
            parsed(Some(LinkTarget::Name(argument.to_owned())), label.unwrap_or(argument).to_owned())
        }
        // Without a label, the name of the missing document is unknown.
        LinkDestination::Missing if label_text.is_empty() => parsed(None, label_text),
        LinkDestination::Missing => parsed(Some(LinkTarget::Key(uuid)), label_text),
    }
}

/// Returns the label in braces at the beginning of a text, and its length including the braces.
fn parse_label(text: &str) -> (Option<&str>, usize) {
    let Some(rest) = text.strip_prefix('{') else { return (None, 0) };
    match rest.find('}') {
        Some(end) => (rest.get(..end).map(str::trim).filter(|label| !label.is_empty()), end + 2),
        None => (None, 0),
    }
}

/// Returns whether a text has the form of a Foundry id.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
