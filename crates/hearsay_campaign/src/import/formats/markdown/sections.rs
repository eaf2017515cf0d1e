//! Files with several entities, one per heading.

use std::ops::Range;

use super::title::{self, TitleParts};
use crate::import::{Block, SourceText, lexicon, markup, secret};

/// A heading and its content, up to the next heading of the same or a higher level.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) level: usize,
    /// The title without markup, but with its emoji.
    pub(super) title: String,
    /// The range of the heading in the text, in bytes.
    pub(super) heading: Range<usize>,
    /// The end of the section, in bytes.
    pub(super) end: usize,
    pub(super) parent: Option<usize>,
    /// Whether the section is in a DM-only region.
    pub(super) secret: bool,
}

/// Returns the sections of a text after the byte position `start_byte`.
pub(super) fn find_sections(content: &str, start_byte: usize) -> Vec<Section> {
    let public_text = markup::without_secrets(content.get(start_byte..).unwrap_or_default());
    let (mut sections, mut at, mut fence) = (Vec::<Section>::new(), start_byte, None::<&str>);
    // The indices of the sections that contain the current line, outermost first.
    let mut open_sections: Vec<usize> = Vec::new();
    for line in public_text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim_start();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = match fence {
                None => Some(mark),
                Some(open_fence) if open_fence == mark => None,
                open_fence => open_fence,
            };
        }
        let level = line.len() - line.trim_start_matches('#').len();
        if fence.is_some() || !(1..=6).contains(&level) || !line[level..].starts_with([' ', '\t']) {
            continue;
        }
        let title = heading_text(&line[level..]);
        while open_sections.last().is_some_and(|last| sections[*last].level >= level) {
            if let Some(last) = open_sections.pop() {
                sections[last].end = start;
            }
        }
        let parent = open_sections.last().copied();
        open_sections.push(sections.len());
        let is_parent_secret = parent.is_some_and(|parent| sections[parent].secret);
        let is_secret = is_parent_secret || secret::is_secret(&title);
        let heading = start..start + line.trim_end().len();
        sections.push(Section { level, title, heading, end: content.len(), parent, secret: is_secret });
    }
    sections
}

/// Returns a heading without its markup.
fn heading_text(heading: &str) -> String {
    let heading = heading.trim().trim_end_matches('#').trim();
    let heading =
        heading.rsplit_once(" {").filter(|(_, rest)| rest.ends_with('}')).map_or(heading, |(before, _)| before);
    heading.replace("**", "").replace("__", "").trim_matches(['*', '_', ' ']).to_owned()
}

/// A heading that names an entity.
#[derive(Debug)]
pub(super) struct EntityHeading {
    /// The index of the section with this heading.
    pub(super) section: usize,
    pub(super) title_parts: TitleParts,
}

/// Deepest level of headings that name entities because of their signs. Deeper headings usually divide the text about one
/// entity.
const MAX_SIGN_LEVEL: usize = 4;

/// Returns whether a section is the only section of the first level, so its heading is the title of the file.
pub(super) fn is_file_title(sections: &[Section], n: usize) -> bool {
    sections[n].level == 1 && sections.iter().filter(|section| section.level == 1).count() == 1
}

/// Returns the headings that name entities.
///
/// Headings of the same level form a group: all below one parent heading, or all in the file. The headings of a group
/// name entities if at least two of them, and at least half of those that may be names, have a sign of an entity. A
/// sign is a line in italics below the heading, a field such as `**Status:**`, a skull, or a nickname in quotes.
/// Headings below a heading such as `Key locations` name entities even without a sign.
pub(super) fn find_entity_headings(
    text: &SourceText,
    sections: &[Section],
    blocks: &[Block],
    page_name: &str,
) -> Vec<EntityHeading> {
    // A file with this many headings is not a group of entities.
    if sections.len() > 2_000 {
        return Vec::new();
    }
    let content = &text.content;
    let is_name: Vec<bool> = sections
        .iter()
        .map(|section| section.level > 1 && may_be_name(&section.title) && section.title != page_name)
        .collect();
    let is_known = |block: &&Block| block.label.as_deref().is_some_and(lexicon::is_known);
    let mut label_starts: Vec<usize> =
        blocks.iter().filter(is_known).map(|block| block.origin.span.start as usize).collect();
    label_starts.sort_unstable();
    let has_signs: Vec<bool> =
        (0..sections.len()).map(|n| is_name[n] && has_sign(text, content, sections, &label_starts, n)).collect();
    let mut chosen = vec![false; sections.len()];
    for level in 2..=6 {
        let is_candidate = |n: &usize| sections[*n].level == level && is_name[*n];
        let candidates: Vec<usize> = (0..sections.len()).filter(is_candidate).collect();
        let marked_count = candidates.iter().filter(|n| has_signs[**n]).count();
        let is_group = level <= MAX_SIGN_LEVEL && marked_count >= 2 && marked_count * 2 >= candidates.len();
        for &n in &candidates {
            let siblings: Vec<usize> =
                candidates.iter().copied().filter(|other| sections[*other].parent == sections[n].parent).collect();
            let marked_count = siblings.iter().filter(|n| has_signs[**n]).count();
            // If the heading above announces entities, such as `Key locations`, the headings below it name entities.
            // Exception: the title of the file has no such effect if deeper headings have signs of entities.
            let announces_entities = |parent: &usize| {
                let has_deeper_signs =
                    || (0..sections.len()).any(|other| has_signs[other] && sections[other].level > level);
                lexicon::announced_kind(&sections[*parent].title).is_some()
                    && (!is_file_title(sections, *parent) || !has_deeper_signs())
            };
            let is_announced = sections[n].parent.filter(announces_entities).is_some();
            // A heading that only groups entities is not an entity.
            let groups_entities =
                (0..sections.len()).any(|other| has_signs[other] && sections[other].parent == Some(n));
            let has_marked_siblings =
                level <= MAX_SIGN_LEVEL && marked_count >= 2 && marked_count * 2 >= siblings.len();
            chosen[n] = (is_group || is_announced || has_marked_siblings) && (has_signs[n] || !groups_entities);
        }
    }
    // A heading within an entity is a part of its text.
    let mut headings = Vec::new();
    for n in (0..sections.len()).filter(|n| chosen[*n]) {
        let mut parent = sections[n].parent;
        let mut is_within_entity = false;
        while let Some(number) = parent {
            is_within_entity |= chosen[number];
            parent = sections[number].parent;
        }
        if !is_within_entity {
            headings.push(EntityHeading { section: n, title_parts: title::parse_title(&sections[n].title) });
        }
    }
    headings
}

/// Returns whether a heading may be a name, and not the title of a part of a text.
fn may_be_name(title: &str) -> bool {
    let title_parts = title::parse_title(title);
    let name = title_parts.name.trim();
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = name.chars().next();
    !words.is_empty()
        && words.len() <= 7
        && first.is_some_and(|c| c.is_uppercase() || c.is_alphabetic() && !c.is_lowercase())
        && !title.contains("[[")
        && !title.contains(['?', '!'])
        && !title.ends_with(':')
        && !lexicon::is_part_title(name)
        && !(words.len() == 1 && lexicon::is_known(name))
}

/// Returns whether a heading has a sign of an entity. `label_starts` contains the start of each line with a label in
/// the file, sorted.
fn has_sign(text: &SourceText, content: &str, sections: &[Section], label_starts: &[usize], n: usize) -> bool {
    let section = &sections[n];
    let own_end = sections.get(n + 1).map_or(section.end, |next| next.heading.start.min(section.end));
    let body = content.get(section.heading.end..own_end).unwrap_or_default();
    let first = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let is_italic = |mark: char| {
        let inner = first.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| inner.len() > 2 && !inner.starts_with(mark) && !inner.contains(mark))
    };
    let title_parts = title::parse_title(&section.title);
    let range = text.file_position(section.heading.end)..text.file_position(own_end);
    let next = label_starts.get(label_starts.partition_point(|at| *at < range.start));
    let has_label = next.is_some_and(|at| range.contains(at));
    is_italic('*') || is_italic('_') || has_label || title_parts.state.is_some() || !title_parts.aliases.is_empty()
}
