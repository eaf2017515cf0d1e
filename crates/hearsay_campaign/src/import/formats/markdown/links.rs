//! Finds links in Markdown. For two-part links such as `[[a|b]]`, also detects which part is the target.

use std::collections::HashSet;

use super::{
    note_files::{EXTENSIONS, is_page, split_front_matter},
    words::MARKDOWN_WORDS,
};
use crate::{
    AliasOrder, Folder, FolderEntry, ReadOptions,
    import::{LinkTarget, markup::InlineLink, resolve},
    names::name_key,
};

/// Which part of `[[a|b]]` and which part of `[[a:b]]` is the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LinkOrders {
    bar: AliasOrder,
    /// `None` if a colon does not separate two parts of a link.
    colon: Option<AliasOrder>,
}

/// The names of all notes, and the order of the parts of links.
#[derive(Debug)]
pub(super) struct NoteNames {
    keys: HashSet<String>,
    pub(super) orders: LinkOrders,
}

/// Maximum number of two-part links that are checked to find the order of the parts.
const MAX_SAMPLED_LINKS: usize = 4_000;

impl NoteNames {
    /// Reads all files to find the names of the notes and the order of the parts of links.
    pub(super) fn collect(folder: &Folder, options: &ReadOptions) -> Self {
        let mut keys = HashSet::new();
        let mut link_parts: Vec<(char, String, String)> = Vec::new();
        for entry in folder.files().filter(|entry| is_page(entry)) {
            keys.insert(name_key(entry.stem()));
            let bytes = folder.head(entry, folder.limits().file_bytes);
            let text = String::from_utf8_lossy(&bytes);
            collect_names(entry, &text, &mut keys);
            if link_parts.len() < MAX_SAMPLED_LINKS {
                link_parts.extend(two_part_links(&text));
            }
        }
        let count_votes = |separator: char| {
            let (mut target_first, mut target_last) = (0, 0);
            for (_, a, b) in link_parts.iter().filter(|(link_separator, ..)| *link_separator == separator) {
                let page = |part: &str| {
                    name_key(part.split('#').next().unwrap_or_default().rsplit('/').next().unwrap_or_default())
                };
                match (keys.contains(&page(a)), keys.contains(&page(b))) {
                    (true, false) => target_first += 1,
                    (false, true) => target_last += 1,
                    _ => {}
                }
            }
            (target_first, target_last)
        };
        let (bar_votes, colon_votes) = (count_votes('|'), count_votes(':'));
        let order_of = |(target_first, target_last): (usize, usize)| {
            if target_last > target_first { AliasOrder::LabelFirst } else { AliasOrder::TargetFirst }
        };
        let orders = LinkOrders {
            bar: options.alias_order.unwrap_or(order_of(bar_votes)),
            colon: (colon_votes.0 + colon_votes.1 > 0).then(|| options.alias_order.unwrap_or(order_of(colon_votes))),
        };
        Self { keys, orders }
    }

    fn is_note_name(&self, name: &str) -> bool {
        self.keys.contains(&name_key(name))
    }

    /// Returns the links in a text.
    pub(super) fn find_links(&self, text: &str) -> Vec<InlineLink> {
        let mut links = Vec::new();
        let mut at = 0;
        while let Some(start) = text.get(at..).and_then(|rest| rest.find("[[")).map(|start| at + start) {
            let Some(length) = text[start + 2..].find("]]") else { break };
            let inner = &text[start + 2..start + 2 + length];
            if let Some(nested) = inner.rfind("[[") {
                at = start + 2 + nested;
                continue;
            }
            let mut end = start + 2 + length + 2;
            at = end;
            if inner.contains('\n') && inner.len() > 120 || inner.trim().is_empty() {
                continue;
            }
            let is_embedded = text[..start].ends_with('!');
            let start = if is_embedded { start - 1 } else { start };
            if resolve::is_dice(inner) {
                // A dice roll may have a label: `[[/save CON 14]]{DC 14 save}`.
                let rest = &text[end..];
                let label = label_in_braces(rest);
                let visible = label.map_or_else(|| inner.trim().trim_start_matches('/').to_owned(), str::to_owned);
                end += label.map_or(0, |label| label.len() + 2);
                at = end;
                links.push(InlineLink { range: start..end, target: None, label: visible });
                continue;
            }
            let (target, label) = self.split_link(inner);
            let is_media_file = target.rsplit_once('.').is_some_and(|(_, extension)| is_media(extension));
            let name = target.trim();
            if is_media_file || name.is_empty() {
                links.push(InlineLink { range: start..end, target: None, label: String::new() });
            } else {
                let target = Some(LinkTarget::Name(name.to_owned()));
                links.push(InlineLink { range: start..end, target, label: label.trim().to_owned() });
            }
        }
        links.extend(find_foundry_links(text));
        links.sort_by_key(|link| link.range.start);
        links
    }

    /// Returns the target and the label of a link, from the text between its brackets.
    pub(super) fn split_link<'t>(&self, inner: &'t str) -> (&'t str, &'t str) {
        let inner_unescaped = inner;
        if let Some((a, b)) = inner_unescaped.split_once('|') {
            let a = a.trim_end_matches('\\');
            return match self.orders.bar {
                AliasOrder::TargetFirst => (a, b),
                AliasOrder::LabelFirst => (b, a),
            };
        }
        if let Some(order) = self.orders.colon
            && let Some((a, b)) = inner.split_once(':')
            && !self.is_note_name(inner)
            && !a.trim().is_empty()
            && !b.trim().is_empty()
        {
            return match order {
                AliasOrder::TargetFirst => (a, b),
                AliasOrder::LabelFirst => (b, a),
            };
        }
        (inner, visible_text(inner))
    }

    /// Returns the target of the address in a Markdown link. Returns `None` for an address outside the folder, and for
    /// a file that is not a note.
    pub(super) fn address_target(address: &str) -> Option<LinkTarget> {
        let address = address.trim();
        if address.contains("://")
            || address.starts_with("mailto:")
            || address.starts_with("data:")
            || address.is_empty()
        {
            return None;
        }
        let decoded = decode_percent(address);
        let page = decoded.split('#').next().unwrap_or_default();
        let file = page.rsplit('/').next().unwrap_or_default();
        let is_note = match file.rsplit_once('.') {
            Some((_, extension)) => EXTENSIONS.contains(&extension.to_lowercase().as_str()),
            None => page.is_empty() || page.contains('/') || address.starts_with('#'),
        };
        is_note.then_some(LinkTarget::Name(decoded))
    }
}

/// Returns the visible text of a link without a label: the last part of the path, or the heading if there is no path.
fn visible_text(inner: &str) -> &str {
    let page = inner.split('#').next().unwrap_or_default();
    match page.rsplit('/').next() {
        Some("") | None => inner.trim_start_matches('#'),
        Some(name) => name.trim_end_matches(".md"),
    }
}

fn is_media(extension: &str) -> bool {
    let extension = extension.to_lowercase();
    MARKDOWN_WORDS.media.contains(&extension)
}

/// Returns the label in braces at the beginning of a text. A label has at most 500 bytes.
fn label_in_braces(rest: &str) -> Option<&str> {
    let label = rest.strip_prefix('{')?;
    let end = label.bytes().take(500).position(|byte| byte == b'}')?;
    label.get(..end)
}

/// Finds `@UUID[JournalEntry.x.JournalEntryPage.y]{label}`. Foundry writes links in this form in Markdown too.
fn find_foundry_links(text: &str) -> Vec<InlineLink> {
    let mut links = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('@')).map(|start| at + start) {
        at = start + 1;
        let rest = &text[start + 1..];
        let kind = &rest[..rest.bytes().take(20).take_while(u8::is_ascii_alphanumeric).count()];
        let Some(rest) = rest[kind.len()..].strip_prefix('[').filter(|_| !kind.is_empty()) else { continue };
        let Some(length) = rest.bytes().take(500).position(|byte| byte == b']') else { continue };
        let (id, rest) = (&rest[..length], &rest[length + 1..]);
        let label = label_in_braces(rest);
        let end = text.len() - rest.len() + label.map_or(0, |label| label.len() + 2);
        at = end;
        let key = id.split('#').next().unwrap_or_default().rsplit('.').next().unwrap_or_default().trim();
        let is_document = ["UUID", "Actor", "Item", "JournalEntry", "Scene", "Compendium", "RollTable"].contains(&kind);
        let target = (is_document && !key.is_empty()).then(|| LinkTarget::Key(key.to_owned()));
        let visible = label.unwrap_or(if is_document { key } else { "" }).to_owned();
        links.push(InlineLink { range: start..end, target, label: visible });
    }
    links
}

/// Collects the names of the note in a file: the title, name and aliases in the front matter, and the first heading.
/// For an index file, the name of its folder is also a name of the note.
fn collect_names(entry: &FolderEntry, text: &str, keys: &mut HashSet<String>) {
    let text = text.trim_start_matches('\u{FEFF}');
    let mut add_key = |name: &str| {
        let name = name_key(name.trim().trim_matches(['"', '\'', '[', ']', ',']));
        if !name.is_empty() {
            keys.insert(name);
        }
    };
    let mut in_aliases = false;
    let mut body = text;
    if let Some((front, rest)) = split_front_matter(text) {
        for line in text.get(front).unwrap_or_default().lines() {
            if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| in_aliases) {
                add_key(item);
                continue;
            }
            let Some((key, value)) = line.split_once(':') else { continue };
            in_aliases = ["aliases", "alias"].contains(&key.trim().to_lowercase().as_str());
            if ["title", "name"].contains(&key.trim().to_lowercase().as_str()) {
                // Escapes such as `"Day\u2019s End"` are parsed properly later. For counting, an approximation is
                // enough.
                add_key(&value.replace("\\u2019", "'"));
            } else if in_aliases {
                value.split(',').for_each(&mut add_key);
            }
        }
        body = text.get(rest..).unwrap_or_default();
    }
    if let Some(heading) = body.lines().find_map(|line| line.strip_prefix("# ")) {
        add_key(heading);
    }
    if ["index", "_index", "readme"].contains(&entry.stem().to_lowercase().as_str())
        && let Some(folder) = entry.folders().next_back()
    {
        add_key(folder);
    }
}

/// Returns the two-part links in a text. Each item contains the separator, the first part and the second part.
fn two_part_links(text: &str) -> impl Iterator<Item = (char, String, String)> {
    text.split("[[").skip(1).filter_map(|rest| {
        let (inner, _) = rest.split_once("]]").filter(|(inner, _)| inner.len() < 200)?;
        let separator = if inner.contains('|') { '|' } else { ':' };
        let (a, b) = inner.split_once(separator)?;
        Some((separator, a.trim_end_matches('\\').to_owned(), b.to_owned()))
    })
}

fn decode_percent(address: &str) -> String {
    if !address.contains('%') {
        return address.to_owned();
    }
    let bytes = address.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let hex =
            address.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        decoded.push(hex.unwrap_or(*byte));
        at += if hex.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
