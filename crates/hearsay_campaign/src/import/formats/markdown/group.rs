//! Files with several entities, one per heading.

use std::ops::Range;

use hearsay_model::{Kind, slug};

use super::identity::{self, Identity};
use crate::import::{Block, Text, english::ENGLISH, lexicon, markup, secret};

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

/// Returns the sections of a text after the byte position `from`.
pub(super) fn sections(content: &str, from: usize) -> Vec<Section> {
    let open = markup::without_secrets(content.get(from..).unwrap_or_default());
    let (mut sections, mut at, mut fence) = (Vec::<Section>::new(), from, None::<&str>);
    // The indices of the sections that contain the current line, outermost first.
    let mut going: Vec<usize> = Vec::new();
    for line in open.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim_start();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = match fence {
                None => Some(mark),
                Some(held) if held == mark => None,
                held => held,
            };
        }
        let level = line.len() - line.trim_start_matches('#').len();
        if fence.is_some() || !(1..=6).contains(&level) || !line[level..].starts_with([' ', '\t']) {
            continue;
        }
        let title = plain(&line[level..]);
        while going.last().is_some_and(|last| sections[*last].level >= level) {
            if let Some(last) = going.pop() {
                sections[last].end = start;
            }
        }
        let parent = going.last().copied();
        going.push(sections.len());
        let above = parent.is_some_and(|parent| sections[parent].secret);
        let secret = above || secret::is_secret(&title);
        let heading = start..start + line.trim_end().len();
        sections.push(Section { level, title, heading, end: content.len(), parent, secret });
    }
    sections
}

/// Returns a heading without its markup.
fn plain(heading: &str) -> String {
    let heading = heading.trim().trim_end_matches('#').trim();
    let heading =
        heading.rsplit_once(" {").filter(|(_, rest)| rest.ends_with('}')).map_or(heading, |(before, _)| before);
    heading.replace("**", "").replace("__", "").trim_matches(['*', '_', ' ']).to_owned()
}

/// A heading that names an entity.
#[derive(Debug)]
pub(super) struct Headed {
    /// The index of the section with this heading.
    pub(super) section: usize,
    pub(super) identity: Identity,
}

/// Returns the headings that name entities.
///
/// Headings of the same level form a group: all below one parent heading, or all in the file. The headings of a group
/// name entities if at least two of them, and at least half of those that may be names, have a sign of an entity. A
/// sign is a line in italics below the heading, a field such as `**Status:**`, a skull, or a nickname in quotes.
/// Headings below a heading such as `Key locations` name entities even without a sign.
pub(super) fn entities(text: &Text, sections: &[Section], blocks: &[Block], page: &str) -> Vec<Headed> {
    // A file with this many headings is not a group of entities.
    if sections.len() > 2_000 {
        return Vec::new();
    }
    let content = &text.content;
    let named: Vec<bool> = sections
        .iter()
        .map(|section| section.level > 1 && may_be_name(&section.title) && section.title != page)
        .collect();
    let known = |block: &&Block| block.label.as_deref().is_some_and(lexicon::is_known);
    let mut labelled: Vec<usize> = blocks.iter().filter(known).map(|block| block.origin.span.start as usize).collect();
    labelled.sort_unstable();
    let signs: Vec<bool> =
        (0..sections.len()).map(|n| named[n] && has_sign(text, content, sections, &labelled, n)).collect();
    let mut chosen = vec![false; sections.len()];
    for level in 2..=4 {
        let here = |n: &usize| sections[*n].level == level && named[*n];
        let all: Vec<usize> = (0..sections.len()).filter(here).collect();
        let marked = all.iter().filter(|n| signs[**n]).count();
        let whole = marked >= 2 && marked * 2 >= all.len();
        for &n in &all {
            let siblings: Vec<usize> =
                all.iter().copied().filter(|other| sections[*other].parent == sections[n].parent).collect();
            let marked = siblings.iter().filter(|n| signs[**n]).count();
            // If the title of a file announces entities, the headings below the title name entities. Deeper headings
            // with signs of entities take precedence.
            let announces = |parent: &usize| {
                let deeper = || (0..sections.len()).any(|other| signs[other] && sections[other].level > level);
                announced(&sections[*parent].title).is_some() && (sections[*parent].level > 1 || !deeper())
            };
            let listed = sections[n].parent.filter(announces).is_some();
            // A heading that only groups entities is not an entity.
            let gathers = (0..sections.len()).any(|other| signs[other] && sections[other].parent == Some(n));
            chosen[n] = (whole || listed || marked >= 2 && marked * 2 >= siblings.len()) && (signs[n] || !gathers);
        }
    }
    // A heading within an entity is a part of its text.
    let mut headed = Vec::new();
    for n in (0..sections.len()).filter(|n| chosen[*n]) {
        let mut parent = sections[n].parent;
        let mut within = false;
        while let Some(number) = parent {
            within |= chosen[number];
            parent = sections[number].parent;
        }
        if !within {
            headed.push(Headed { section: n, identity: identity::of(&sections[n].title) });
        }
    }
    headed
}

/// Returns the kind of the entities under a heading: `Key locations`, `Organizations mentioned`, `NPCs`, `Residents`.
pub(super) fn announced(title: &str) -> Option<Kind> {
    // Words in parentheses are a remark. A possessive names the owner, not the kind.
    let words = hearsay_model::text::words(title.split('(').next().unwrap_or_default());
    let of = |word: &String| {
        let plural = || word.ends_with('s').then(|| lexicon::kind(word)).flatten();
        ENGLISH.kinds.headings.kind(word).or_else(plural)
    };
    if words.len() > 4 { None } else { words.iter().rev().find_map(of) }
}

/// Returns whether a heading may be a name, and not the title of a part of a text.
fn may_be_name(title: &str) -> bool {
    let identity = identity::of(title);
    let name = identity.name.trim();
    let words: Vec<&str> = name.split_whitespace().collect();
    let first = name.chars().next();
    let slugs: Vec<String> = slug(name).split('-').map(str::to_owned).collect();
    let part = |word: &String| ENGLISH.words.headings.parts.contains(word);
    !words.is_empty()
        && words.len() <= 7
        && first.is_some_and(|c| c.is_uppercase() || c.is_alphabetic() && !c.is_lowercase())
        && !title.contains("[[")
        && !title.contains(['?', '!'])
        && !title.ends_with(':')
        && !slugs.first().is_some_and(part)
        && !slugs.last().is_some_and(part)
        && !(words.len() == 1 && lexicon::is_known(name))
}

/// Returns whether a heading has a sign of an entity. `labelled` contains the start of each line with a label in the
/// file, sorted.
fn has_sign(text: &Text, content: &str, sections: &[Section], labelled: &[usize], n: usize) -> bool {
    let section = &sections[n];
    let own_end = sections.get(n + 1).map_or(section.end, |next| next.heading.start.min(section.end));
    let body = content.get(section.heading.end..own_end).unwrap_or_default();
    let first = body.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let italic = |mark: char| {
        let inner = first.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        inner.is_some_and(|inner| inner.len() > 2 && !inner.starts_with(mark) && !inner.contains(mark))
    };
    let identity = identity::of(&section.title);
    let range = text.on_disk(section.heading.end)..text.on_disk(own_end);
    let next = labelled.get(labelled.partition_point(|at| *at < range.start));
    let labelled = next.is_some_and(|at| range.contains(at));
    italic('*') || italic('_') || labelled || identity.state.is_some() || !identity.aliases.is_empty()
}
