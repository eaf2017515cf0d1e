//! Foundry's markup in texts: `@UUID[…]{label}`, the older forms of links, and dice rolls.

use super::{document::Doc, library::Library, target::Meant};
use crate::import::{Target, markup::Inline};

/// The replacement for a name that players must not see.
const UNKNOWN: &str = "(unknown)";

/// Returns the links and dice rolls in a text.
pub(super) fn inline(library: &Library, from: &Doc, text: &str) -> Vec<Inline> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find(['@', '[', '&'])).map(|start| at + start) {
        at = start + 1;
        let Some(rest) = text.get(start..) else { break };
        let inline = if rest.starts_with("[[") {
            roll(rest)
        } else if rest.starts_with(['@', '&']) {
            enricher(library, from, rest)
        } else {
            None
        };
        if let Some((length, target, label)) = inline {
            found.push(Inline { range: start..start + length, target, label });
            at = start + length;
        }
    }
    found
}

type Read = (usize, Option<Target>, String);

/// Parses `[[/check athletics 15]]{label}`. A dice roll is not a link.
fn roll(text: &str) -> Option<Read> {
    let end = text.find("]]").filter(|end| *end < 400)?;
    let (label, behind) = label(text.get(end + 2..)?);
    let inner = text.get(2..end)?.trim();
    let shown = inner.strip_prefix('/').map_or(inner, |command| command.split_once(' ').map_or("", |(_, rest)| rest));
    Some((end + 2 + behind, None, label.unwrap_or(shown.trim()).to_owned()))
}

/// Parses `@Name[argument]{label}`.
fn enricher(library: &Library, from: &Doc, text: &str) -> Option<Read> {
    let name: String = text.chars().skip(1).take_while(char::is_ascii_alphanumeric).collect();
    let behind = text.get(1 + name.len()..)?;
    if name.is_empty() || !behind.starts_with('[') {
        return None;
    }
    let end = behind.find(']').filter(|end| *end < 600)?;
    let argument = behind.get(1..end)?.trim();
    let (label, more) = label(behind.get(end + 1..)?);
    let length = 1 + name.len() + end + 1 + more;
    let read = |target, shown: String| Some((length, target, shown));
    let plain = label.unwrap_or_default().to_owned();
    let uuid = match name.as_str() {
        "UUID" => argument.to_owned(),
        "Actor" | "JournalEntry" | "Item" => format!("{name}.{argument}"),
        "JournalEntryPage" => format!(".JournalEntryPage.{argument}"),
        "Compendium" => format!("Compendium.{}", argument.trim_start_matches("Compendium.")),
        "Embed" => return read(None, plain),
        // Other markup, such as a check or a table, is replaced by its label. Markup that begins with `&` and has no
        // label is replaced by its argument.
        _ if text.starts_with('&') => return read(None, label.unwrap_or(argument).to_owned()),
        _ => return read(None, plain),
    };
    match library.meant(&uuid, from) {
        Meant::Note { key, name, hidden } => {
            let shown = match label {
                Some(label) => label.to_owned(),
                None if hidden && !library.access(from).seen.is_secret() => UNKNOWN.to_owned(),
                None => name,
            };
            read(Some(Target::Key(key)), shown)
        }
        Meant::Nothing => read(None, plain),
        // Before Foundry had UUIDs, a link could contain a document's name instead of its id.
        Meant::Unknown if name != "UUID" && !is_id(argument) => {
            read(Some(Target::Name(argument.to_owned())), label.unwrap_or(argument).to_owned())
        }
        // Without a label, the name of the missing document is unknown.
        Meant::Unknown if plain.is_empty() => read(None, plain),
        Meant::Unknown => read(Some(Target::Key(uuid)), plain),
    }
}

/// Returns the label in braces at the beginning of a text, and its length including the braces.
fn label(text: &str) -> (Option<&str>, usize) {
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
