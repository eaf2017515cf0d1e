//! Finds the DM-only regions of a text in linear time.

use std::{collections::HashMap, ops::Range};

use super::region::Region;
use crate::import::{markup::tags::without_tags, secret};

/// Returns the DM-only regions of a source, sorted and without overlaps. An unclosed region extends to the end.
pub(crate) fn regions<'s>(source: &'s str) -> Vec<Region> {
    type FindRegion<'s> = fn(&mut RegionFinder<'s>, usize) -> Option<RegionStart<'s>>;
    let finders: [FindRegion<'s>; 8] = [
        RegionFinder::find_comment,
        RegionFinder::find_html_comment,
        RegionFinder::find_element,
        RegionFinder::find_callout,
        RegionFinder::find_fence,
        RegionFinder::find_container,
        RegionFinder::find_tag,
        RegionFinder::find_spoiler,
    ];
    let mut finder = RegionFinder::new(source);
    // The next match of each finder. A match within another region is skipped, so the end of a match is searched only
    // when the match is used.
    let mut next: Vec<Option<RegionStart>> = finders.iter().map(|find| find(&mut finder, 0)).collect();
    let (mut regions, mut at) = (Vec::new(), 0);
    loop {
        for (region_start, find) in next.iter_mut().zip(finders) {
            if region_start.as_ref().is_some_and(|start| start.at < at) {
                *region_start = find(&mut finder, at);
            }
        }
        let Some(start) = next.iter().flatten().min_by_key(|start| start.at) else { break };
        let region = finder.find_region_end(start.at, start.end);
        // A region within a code block is skipped, unless the code block itself is the region.
        match finder.enclosing_code(region.outer.start).filter(|fence| fence.end != region.outer.end) {
            Some(fence) => at = fence.end.max(at + 1),
            None => {
                at = region.outer.end.max(at + 1);
                regions.push(region);
            }
        }
    }
    regions
}

/// The start of a region, and how to find its end.
#[derive(Debug, Clone, Copy)]
struct RegionStart<'s> {
    at: usize,
    end: RegionEnd<'s>,
}

#[derive(Debug, Clone, Copy)]
enum RegionEnd<'s> {
    /// The region ends at this closing mark. The number is the length of the opening mark in bytes.
    Mark(usize, &'static str),
    /// The region ends at the closing tag of the element with this name. The number is the byte at which its content
    /// begins.
    Element(&'s str, usize),
    /// The region ends with the last of the quoted lines after this byte.
    Quote(usize),
    /// The end of the region is known, and so is the range between its marks.
    Known { outer: usize, inner: (usize, usize) },
}

/// Cached positions of marks such as `%%` in a text. If the positions of the queries ascend, each byte is searched at
/// most once for each mark.
#[derive(Debug)]
pub(crate) struct MarkPositions<'s> {
    source: &'s str,
    /// For each mark, the position at which the last search began, and the result of that search.
    cache: HashMap<String, (usize, Option<usize>)>,
}

/// Maximum number of different marks that are searched in one text. No hand-written text has more.
const MAX_MARKS: usize = 1_000;

impl<'s> MarkPositions<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self { source, cache: HashMap::new() }
    }

    /// Returns the first position of a mark at or after the byte `from`.
    pub(crate) fn next(&mut self, mark: &str, from: usize) -> Option<usize> {
        if let Some((since, found)) = self.cache.get(mark)
            && *since <= from
            && found.is_none_or(|at| at >= from)
        {
            return *found;
        }
        if self.cache.len() >= MAX_MARKS && !self.cache.contains_key(mark) {
            return None;
        }
        let found = self.source.get(from..)?.find(mark).map(|at| from + at);
        self.cache.insert(mark.to_owned(), (from, found));
        found
    }
}

/// Maximum length of an HTML tag, and of the summary of a `<details>` element, in bytes.
const MAX_TAG_BYTES: usize = 2_000;

/// Maximum number of lines at the start of a block that are searched for its title.
const MAX_HEAD_LINES: usize = 20;

struct RegionFinder<'s> {
    source: &'s str,
    marks: MarkPositions<'s>,
    /// Ranges of fenced code.
    code: Vec<Range<usize>>,
    /// For each mark in [`BLOCK_MARKS`], the lines that close a block, sorted.
    closing_lines: [Vec<Range<usize>>; 3],
}

/// The marks that begin and end blocks. [`RegionFinder::closing_lines`] uses the same indices.
const BLOCK_MARKS: [&str; 3] = ["```", "~~~", ":::"];

impl<'s> RegionFinder<'s> {
    fn new(source: &'s str) -> Self {
        let mut closing: [Vec<Range<usize>>; 3] = Default::default();
        for (start, line) in lines_from(source, 0) {
            let text = trim_line(line);
            let end = start + line.len();
            for (mark, lines) in BLOCK_MARKS.iter().zip(&mut closing) {
                let is_closing = match *mark {
                    ":::" => text.trim_matches(':').is_empty() && line.contains(mark),
                    _ => text.starts_with(mark) && text.trim_matches(['`', '~', ' ']).is_empty(),
                };
                if is_closing {
                    lines.push(start..end);
                }
            }
        }
        Self { source, marks: MarkPositions::new(source), code: code_fences(source), closing_lines: closing }
    }

    /// Returns the range of the fenced code that contains a byte.
    fn enclosing_code(&self, at: usize) -> Option<Range<usize>> {
        let fence = self.code.get(self.code.partition_point(|fence| fence.end <= at))?;
        (fence.start <= at).then(|| fence.clone())
    }

    /// Returns the end of the fenced code that contains a byte. Ignores unclosed code that extends to the end of the
    /// text.
    fn enclosing_code_end(&self, at: usize) -> Option<usize> {
        self.enclosing_code(at).map(|fence| fence.end).filter(|end| *end < self.source.len())
    }

    /// Returns the start and the end of the line that closes a block whose content begins at `from`. If no line closes
    /// the block, both values are the end of the source.
    fn find_closing_line(&self, block: usize, from: usize) -> (usize, usize) {
        let lines = &self.closing_lines[block];
        let line = lines.get(lines.partition_point(|line| line.start < from));
        line.map_or((self.source.len(), self.source.len()), |line| (line.start, line.end))
    }

    fn find_region_end(&mut self, start: usize, end: RegionEnd) -> Region {
        let length = self.source.len();
        match end {
            RegionEnd::Mark(open, close) => {
                let inner = start + open;
                match self.marks.next(close, inner) {
                    Some(end) => Region { outer: start..end + close.len(), inner: inner..end },
                    None => Region { outer: start..length, inner: inner..length },
                }
            }
            RegionEnd::Element(name, inner) => self.element_region(start, name, inner),
            RegionEnd::Quote(mut end) => {
                while let Some(next) = self.source.get(end + 1..) {
                    if !next.trim_start_matches([' ', '\t']).starts_with('>') {
                        break;
                    }
                    end += 1 + next.find('\n').unwrap_or(next.len());
                }
                Region { outer: start..end, inner: start..end }
            }
            RegionEnd::Known { outer, inner: (from, to) } => Region { outer: start..outer, inner: from.min(to)..to },
        }
    }

    /// Returns the first position of a mark outside of code, at or after the byte `from`.
    fn find_outside_code(&mut self, mark: &str, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            let start = self.marks.next(mark, at)?;
            match self.enclosing_code_end(start) {
                Some(end) => at = end,
                None => return Some(start),
            }
        }
    }

    fn find_comment(&mut self, from: usize) -> Option<RegionStart<'s>> {
        Some(RegionStart { at: self.find_outside_code("%%", from)?, end: RegionEnd::Mark(2, "%%") })
    }

    fn find_html_comment(&mut self, from: usize) -> Option<RegionStart<'s>> {
        Some(RegionStart { at: self.find_outside_code("<!--", from)?, end: RegionEnd::Mark(4, "-->") })
    }

    /// Finds `<div class="spoiler">…</div>` and similar elements.
    fn find_element(&mut self, from: usize) -> Option<RegionStart<'s>> {
        let mut at = from;
        loop {
            let start = self.find_outside_code("<", at)?;
            at = start + 1;
            let rest = &self.source[start..];
            let name_end = rest[1..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(rest.len(), |end| end + 1);
            let name = &rest[1..name_end];
            at = at.max(start + name_end);
            let is_secret_element = name.len() <= 40 && secret::is_secret(name);
            if !is_secret_element && !["div", "section", "aside", "span", "details", "p", "blockquote"].contains(&name)
            {
                continue;
            }
            let Some(close) = self.marks.next(">", start).filter(|close| close - start < MAX_TAG_BYTES) else {
                continue;
            };
            let inner = close + 1;
            if is_secret_element
                || is_secret_tag(&self.source[start..close])
                || name == "details" && self.is_summary_secret(inner)
            {
                return Some(RegionStart { at: start, end: RegionEnd::Element(name, inner) });
            }
        }
    }

    fn is_summary_secret(&mut self, inner: usize) -> bool {
        let end = self.marks.next("</summary>", inner).filter(|end| end - inner < MAX_TAG_BYTES);
        let summary = end.and_then(|end| self.source.get(inner..end)).unwrap_or_default();
        secret::is_secret(&without_tags(summary))
    }

    fn element_region(&self, start: usize, name: &str, inner: usize) -> Region {
        let mut depth = 1;
        let marks = self.source.get(inner..).unwrap_or_default().match_indices('<').map(|(at, _)| inner + at);
        for at in marks {
            let rest = &self.source[at + 1..];
            if rest.starts_with(name) {
                depth += 1;
            } else if rest.strip_prefix('/').is_some_and(|rest| rest.starts_with(name)) {
                depth -= 1;
            }
            if depth == 0 {
                let outer = rest.find('>').map_or(self.source.len(), |length| at + 1 + length + 1);
                return Region { outer: start..outer, inner: inner..at };
            }
        }
        Region { outer: start..self.source.len(), inner: inner.min(self.source.len())..self.source.len() }
    }

    /// Finds `> [!secret] Title` with the following quoted lines.
    fn find_callout(&mut self, from: usize) -> Option<RegionStart<'s>> {
        let source = self.source;
        let mut at = from;
        loop {
            let start = self.find_outside_code("[!", at)?;
            at = start + 2;
            let quoted = source[from..start].trim_end_matches(['>', ' ', '\t']);
            let line_start = from + quoted.len();
            if !source[line_start..start].contains('>') || !(quoted.is_empty() || quoted.ends_with('\n')) {
                continue;
            }
            let line = source[start..].split('\n').next().unwrap_or_default();
            if secret::is_secret(line) {
                return Some(RegionStart { at: line_start, end: RegionEnd::Quote(start + line.len()) });
            }
        }
    }

    /// Finds a code block of a plug-in whose language or title is secret, such as three backticks with `ad-secret`.
    fn find_fence(&mut self, from: usize) -> Option<RegionStart<'s>> {
        let source = self.source;
        // A block must begin at the start of a line.
        let is_line_start = from == 0 || source.get(..from).is_some_and(|before| before.ends_with('\n'));
        let mut lines = lines_from(source, from).skip(usize::from(!is_line_start)).peekable();
        while let Some((start, line)) = lines.next() {
            let opening = trim_line(line);
            let Some(block) = BLOCK_MARKS[..2].iter().position(|mark| opening.starts_with(mark)) else { continue };
            let inner = start + line.len();
            let (close, end) = self.find_closing_line(block, inner);
            let mut is_secret = secret::is_secret(opening.trim_start_matches(['`', '~']));
            for (_, line) in lines_from(source, inner).take(MAX_HEAD_LINES).take_while(|(at, _)| *at < close) {
                let text = trim_line(line);
                if !text.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.contains(' ')) {
                    break;
                }
                is_secret |= text.strip_prefix("title:").is_some_and(secret::is_secret);
            }
            if is_secret {
                return Some(RegionStart { at: start, end: RegionEnd::Known { outer: end, inner: (inner, close) } });
            }
            while lines.next_if(|(at, _)| *at < end).is_some() {}
        }
        None
    }

    /// Finds `:::gm` up to `:::`.
    fn find_container(&mut self, from: usize) -> Option<RegionStart<'s>> {
        self.marks.next(":::", from)?;
        for (start, line) in lines_from(self.source, from) {
            let is_opening = trim_line(line).strip_prefix(":::").is_some_and(secret::is_secret);
            if is_opening && self.enclosing_code_end(start).is_none() {
                let inner = start + line.len();
                let (close, end) = self.find_closing_line(2, inner);
                return Some(RegionStart { at: start, end: RegionEnd::Known { outer: end, inner: (inner, close) } });
            }
        }
        None
    }

    /// Finds `[secret]…[/secret]` and `{{< gm >}}…{{< /gm >}}`.
    fn find_tag(&mut self, from: usize) -> Option<RegionStart<'s>> {
        const MARKS: [(&str, &str); 3] = [("{{<", ">}}"), ("{{%", "%}}"), ("[", "]")];
        const MAX_NAME_BYTES: usize = 30;
        let mut at = from;
        loop {
            let (bracket, brace) = (self.find_outside_code("[", at), self.find_outside_code("{{", at));
            let start = bracket.into_iter().chain(brace).min()?;
            at = start + 1;
            let rest = &self.source[start..];
            let Some((open, close)) = MARKS.iter().find(|(open, _)| rest.starts_with(open)) else { continue };
            let name_at = start + open.len();
            let Some(name_end) = self.marks.next(close, name_at).filter(|end| end - name_at <= MAX_NAME_BYTES) else {
                continue;
            };
            let name = &self.source[name_at..name_end];
            let name = name.split([' ', '=']).find(|word| !word.is_empty()).unwrap_or_default();
            if name.starts_with(['/', '!', '[', '^']) || !secret::is_secret(name) {
                continue;
            }
            let inner = name_end + close.len();
            let end = ["/", " /"].iter().filter_map(|slash| {
                let within = self.marks.next(&format!("{open}{slash}{name}"), inner)?;
                Some((within, self.marks.next(close, within)? + close.len()))
            });
            if let Some((within, outer)) = end.min() {
                return Some(RegionStart { at: start, end: RegionEnd::Known { outer, inner: (inner, within) } });
            }
        }
    }

    /// Finds `||…||` within a line that is not a row of a table.
    fn find_spoiler(&mut self, from: usize) -> Option<RegionStart<'s>> {
        let source = self.source;
        let mut at = from;
        loop {
            let start = self.find_outside_code("||", at)?;
            // Only the first mark of a line can have no bar before it, so the search continues on the next line.
            at = source[start..].find('\n').map_or(source.len(), |end| start + end);
            let line = source[..start].rfind('\n').map_or(0, |end| end + 1);
            if trim_line(&source[line..start]).contains('|') {
                continue;
            }
            let Some((inner, rest)) = source[start + 2..at.max(start + 2)].split_once("||") else { continue };
            if !inner.is_empty() && !inner.contains('|') && !rest.contains('|') {
                let end = start + 2 + inner.len();
                return Some(RegionStart {
                    at: start,
                    end: RegionEnd::Known { outer: end + 2, inner: (start + 2, end) },
                });
            }
        }
    }
}

/// Returns whether a class, id or visibility in a tag marks its element as DM-only.
fn is_secret_tag(tag: &str) -> bool {
    ["class", "data-visibility", "id"].iter().any(|name| {
        let value = tag.split_once(&format!("{name}=")).map(|(_, value)| value);
        let value = value.map(|value| match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
            _ => value.split_whitespace().next().unwrap_or_default(),
        });
        value.is_some_and(|value| value.split_whitespace().any(secret::is_secret))
    })
}

/// Returns the lines of a source with their start positions, beginning at the byte `from`.
fn lines_from(source: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    source.get(from..).unwrap_or_default().split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

/// Removes spaces and the quotation mark `>` from the start of a line, and spaces from its end.
fn trim_line(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>']).trim_end()
}

/// Returns the ranges of fenced code.
fn code_fences(source: &str) -> Vec<Range<usize>> {
    let (mut fences, mut open, mut at) = (Vec::new(), None::<(usize, &str)>, 0);
    for line in source.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some((at, mark)),
            (Some((start, open_mark)), Some(mark)) if open_mark == mark => {
                fences.push(start..at + line.len());
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    fences.extend(open.map(|(start, _)| start..source.len()));
    fences
}
