//! What a reader of Markdown does not see: comments and secrets, templates and plug-ins.

use std::ops::Range;

use crate::notes::secret;

/// A stretch of the source that is for the DM alone, with its marks and without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) outer: Range<usize>,
    pub(super) inner: Range<usize>,
}

/// The stretches of a source that are for the DM alone, in their order, none within another. What is not closed goes on to
/// the end.
pub(super) fn regions(source: &str) -> Vec<Region> {
    let finders: [fn(&str, usize) -> Option<Region>; 8] =
        [comment, html_comment, secret_element, secret_callout, secret_fence, secret_container, secret_tag, spoiler];
    // What each of them finds next. None of them looks twice at the same stretch.
    let mut next: Vec<Option<Region>> = finders.iter().map(|find| find(source, 0)).collect();
    let code = fences(source);
    let (mut regions, mut at) = (Vec::new(), 0);
    loop {
        for (held, find) in next.iter_mut().zip(finders) {
            if held.as_ref().is_some_and(|region| region.outer.start < at) {
                *held = find(source, at);
            }
        }
        let Some(region) = next.iter().flatten().min_by_key(|region| region.outer.start).cloned() else { break };
        let fence = code.get(code.partition_point(|fence| fence.end <= region.outer.start));
        // A block of code may itself be for the DM.
        match fence.filter(|fence| fence.start <= region.outer.start && fence.end != region.outer.end) {
            Some(fence) => at = fence.end.max(at + 1),
            None => {
                at = region.outer.end.max(at + 1);
                regions.push(region);
            }
        }
    }
    regions
}

fn comment(source: &str, from: usize) -> Option<Region> {
    let start = from + source.get(from..)?.find("%%")?;
    Some(enclosed(source, start, "%%", "%%"))
}

fn html_comment(source: &str, from: usize) -> Option<Region> {
    let start = from + source.get(from..)?.find("<!--")?;
    Some(enclosed(source, start, "<!--", "-->"))
}

/// From an opening mark to its closing mark, or to the end.
fn enclosed(source: &str, start: usize, open: &str, close: &str) -> Region {
    let inner = start + open.len();
    match source.get(inner..).and_then(|rest| rest.find(close)) {
        Some(length) => Region { outer: start..inner + length + close.len(), inner: inner..inner + length },
        None => Region { outer: start..source.len(), inner: inner..source.len() },
    }
}

/// `<div class="spoiler">…</div>` and the like.
fn secret_element(source: &str, from: usize) -> Option<Region> {
    let mut at = from;
    loop {
        let start = at + source.get(at..)?.find('<')?;
        at = start + 1;
        let rest = &source[start..];
        let name: String = rest[1..].chars().take_while(char::is_ascii_alphanumeric).collect();
        let itself = secret::is_secret(&name);
        if !itself && !["div", "section", "aside", "span", "details", "p", "blockquote"].contains(&name.as_str()) {
            continue;
        }
        // No tag is longer.
        let Some(length) = rest.bytes().take(2_000).position(|byte| byte == b'>') else { continue };
        let tag = &rest[..length];
        let marked = ["class", "data-visibility", "id"].iter().any(|name| {
            let value = tag.split_once(&format!("{name}=")).map(|(_, value)| value);
            let value = value.map(|value| match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
                _ => value.split_whitespace().next().unwrap_or_default(),
            });
            value.is_some_and(|value| value.split_whitespace().any(secret::is_secret))
        });
        let summary = name == "details" && {
            let body = rest.get(length + 1..).unwrap_or_default();
            let summary = body.find("</summary>").and_then(|end| body.get(..end)).unwrap_or_default();
            secret::is_secret(&super::html_to_text(summary))
        };
        if !(itself || marked || summary) {
            continue;
        }
        let inner = start + length + 1;
        let (open, close) = (format!("<{name}"), format!("</{name}"));
        let mut depth = 1;
        let marks = source.get(inner..).unwrap_or_default().match_indices('<').map(|(at, _)| inner + at);
        for at in marks {
            let rest = &source[at..];
            if rest.starts_with(&open) {
                depth += 1;
            } else if rest.starts_with(&close) {
                depth -= 1;
            }
            if depth == 0 {
                let outer = rest.find('>').map_or(source.len(), |length| at + length + 1);
                return Some(Region { outer: start..outer, inner: inner..at });
            }
        }
        return Some(Region { outer: start..source.len(), inner: inner.min(source.len())..source.len() });
    }
}

/// `> [!secret] Title` with the quoted lines that follow it.
fn secret_callout(source: &str, from: usize) -> Option<Region> {
    let mut at = from;
    loop {
        let start = at + source.get(at..)?.find("[!")?;
        at = start + 2;
        let quoted = source[from..start].trim_end_matches(['>', ' ', '\t']);
        let line_start = from + quoted.len();
        if !source[line_start..start].contains('>') || !(quoted.is_empty() || quoted.ends_with('\n')) {
            continue;
        }
        let line = source[start..].split('\n').next().unwrap_or_default();
        if !secret::is_secret(line) {
            continue;
        }
        let mut end = start + line.len();
        while let Some(next) =
            source.get(end + 1..).filter(|next| next.trim_start_matches([' ', '\t']).starts_with('>'))
        {
            end += 1 + next.split('\n').next().map_or(0, str::len);
        }
        return Some(Region { outer: line_start..end, inner: line_start..end });
    }
}

/// The lines of a source from a byte on, with where they begin.
fn lines_from(source: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    source.get(from..).unwrap_or_default().split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

/// A line without the marks of quotations and lists in front of it, where it begins the line.
fn bare(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>']).trim_end()
}

/// A block of a plug-in whose language or title says so: three backticks and `ad-secret`.
fn secret_fence(source: &str, from: usize) -> Option<Region> {
    // Within a line no block begins.
    let begins = from == 0 || source.get(..from).is_some_and(|before| before.ends_with('\n'));
    let mut lines = lines_from(source, from).skip(usize::from(!begins)).peekable();
    while let Some((start, line)) = lines.next() {
        let opening = bare(line);
        let Some(mark) = ["```", "~~~"].into_iter().find(|mark| opening.starts_with(mark)) else { continue };
        let mut hides = secret::is_secret(opening.trim_start_matches(['`', '~']));
        let (inner, mut head) = (start + line.len(), true);
        let mut end = (source.len(), source.len());
        for (at, line) in lines.by_ref() {
            let text = bare(line);
            if text.starts_with(mark) && text.trim_matches(['`', '~', ' ']).is_empty() {
                end = (at, at + line.len());
                break;
            }
            head = head && text.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.contains(' '));
            hides |= head && text.strip_prefix("title:").is_some_and(secret::is_secret);
        }
        if hides {
            return Some(Region { outer: start..end.1, inner: inner.min(end.0)..end.0 });
        }
    }
    None
}

/// `:::gm` up to `:::`.
fn secret_container(source: &str, from: usize) -> Option<Region> {
    source.get(from..).filter(|rest| rest.contains(":::"))?;
    let mut lines = lines_from(source, from);
    while let Some((start, line)) = lines.next() {
        if !bare(line).strip_prefix(":::").is_some_and(secret::is_secret) {
            continue;
        }
        let inner = start + line.len();
        let close = lines.by_ref().find(|(_, line)| bare(line).trim_matches(':').is_empty() && line.contains(":::"));
        let end = close.map_or((source.len(), source.len()), |(at, line)| (at, at + line.len()));
        return Some(Region { outer: start..end.1, inner: inner.min(end.0)..end.0 });
    }
    None
}

/// `[secret]…[/secret]`, `{{< gm >}}…{{< /gm >}}`.
fn secret_tag(source: &str, from: usize) -> Option<Region> {
    const MARKS: [(&str, &str); 3] = [("{{<", ">}}"), ("{{%", "%}}"), ("[", "]")];
    let mut at = from;
    loop {
        let start = at + source.get(at..)?.find(['[', '{'])?;
        at = start + 1;
        let rest = &source[start..];
        let Some((open, close)) = MARKS.iter().find(|(open, _)| rest.starts_with(open)) else { continue };
        let Some((name, body)) = rest[open.len()..].split_once(close).filter(|(name, _)| name.len() <= 30) else {
            continue;
        };
        let name = name.split([' ', '=']).find(|word| !word.is_empty()).unwrap_or_default();
        if name.starts_with(['/', '!', '[', '^']) || !secret::is_secret(name) {
            continue;
        }
        let inner = source.len() - body.len();
        let end = ["/", " /"].iter().filter_map(|slash| {
            let (length, _) = body.match_indices(&format!("{open}{slash}{name}")).next()?;
            Some((inner + length, inner + length + body[length..].find(close)? + close.len()))
        });
        if let Some((within, outer)) = end.min() {
            return Some(Region { outer: start..outer, inner: inner..within });
        }
    }
}

/// `||…||` within a line that is no row of a table.
fn spoiler(source: &str, from: usize) -> Option<Region> {
    let mut at = from;
    loop {
        let start = at + source.get(at..)?.find("||")?;
        at = start + 2;
        let line = source[..start].rfind('\n').map_or(0, |end| end + 1);
        if bare(&source[line..start]).contains('|') {
            continue;
        }
        let Some((inner, rest)) = source[start + 2..].split('\n').next()?.split_once("||") else { continue };
        if !inner.is_empty() && !inner.contains('|') && !rest.contains('|') {
            let end = start + 2 + inner.len();
            return Some(Region { outer: start..end + 2, inner: start + 2..end });
        }
    }
}

/// Fenced code.
fn fences(source: &str) -> Vec<Range<usize>> {
    let (mut fences, mut open, mut at) = (Vec::new(), None::<(usize, &str)>, 0);
    for line in source.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (open, mark) {
            (None, Some(mark)) => open = Some((at, mark)),
            (Some((start, held)), Some(mark)) if held == mark => {
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

/// The source with these stretches turned into spaces, so that all else stays where it is.
pub(super) fn blanked(source: &str, ranges: impl Iterator<Item = Range<usize>>) -> String {
    let mut blanked = String::with_capacity(source.len());
    let mut at = 0;
    for range in ranges {
        let (Some(before), Some(within)) = (source.get(at..range.start), source.get(range.clone())) else { continue };
        blanked.push_str(before);
        blanked.extend(within.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        at = range.end;
    }
    blanked.push_str(source.get(at..).unwrap_or_default());
    blanked
}

/// The source with the marks of these stretches turned into spaces, but not what is within them. The signs of callouts go
/// too.
pub(super) fn unmarked(source: &str, regions: &[Region]) -> String {
    let marks =
        regions.iter().flat_map(|region| [region.outer.start..region.inner.start, region.inner.end..region.outer.end]);
    blanked(source, marks.filter(|range| !range.is_empty()))
}

/// Whether code of this language is for a plug-in, and no text.
pub(super) fn is_plugin(language: &str) -> bool {
    let language = language.split_whitespace().next().unwrap_or_default().trim_matches(['{', '}', '.']);
    let word = language.to_ascii_lowercase();
    [
        "dataview",
        "dataviewjs",
        "leaflet",
        "statblock",
        "encounter",
        "initiative",
        "tasks",
        "query",
        "base",
        "button",
        "templater",
        "js-engine",
        "meta-bind",
        "meta-bind-embed",
        "meta-bind-button",
        "meta-bind-js-view",
        "timeline",
        "calendarium",
        "mermaid",
        "css",
        "js",
        "javascript",
        "json",
        "yaml",
        "html",
        "chart",
        "excalidraw",
        "ad-statblock",
    ]
    .contains(&word.as_str())
}

/// Whether inline code is a field of a plug-in: `INPUT[…]`, `VIEW[…]`, `= this.name`, `$= …`, `dice: 1d20`.
pub(super) fn is_noise(code: &str) -> bool {
    let code = code.trim();
    ["INPUT[", "VIEW[", "BUTTON[", "= ", "=", "$=", "dice:", "dice-mod:", "calendarium"]
        .iter()
        .any(|start| code.starts_with(start))
}

/// What templates leave behind in a text: `INPUT[…]`, `VIEW[…]`, `<% … %>`, `{{title}}`. In their order, none within
/// another.
pub(super) fn noise(text: &str) -> Vec<Range<usize>> {
    const MARKS: [(&str, &str); 5] = [("INPUT[", "]"), ("VIEW[", "]"), ("BUTTON[", "]"), ("<%", "%>"), ("{{", "}}")];
    let (mut found, mut at) = (Vec::new(), 0);
    // The sign of a callout.
    let start = text.len() - text.trim_start().len();
    if let Some(rest) = text[start..].strip_prefix("[!")
        && let Some(end) = rest.find(']').filter(|end| *end < 60 && !rest[..*end].contains('\n'))
    {
        let fold = rest[end + 1..].starts_with(['+', '-']);
        at = start + 2 + end + 1 + usize::from(fold);
        found.push(start..at);
    }
    for (start, _) in text.match_indices(['I', 'V', 'B', '<', '{']) {
        let rest = &text[start..];
        let Some((open, close)) = MARKS.iter().find(|(open, _)| start >= at && rest.starts_with(open)) else {
            continue;
        };
        // What is not closed soon is none.
        let mut most = rest.len().min(2_000);
        while !rest.is_char_boundary(most) {
            most -= 1;
        }
        let inner = &rest[open.len()..most];
        // Brackets within count: `INPUT[list(option([[a]]))]`.
        let end = match *close {
            "]" => bracketed(inner),
            close => inner.find(close).map(|end| end + close.len()),
        };
        if let Some(end) = end {
            at = start + open.len() + end;
            found.push(start..at);
        }
    }
    found
}

/// Behind the bracket that closes what is open at the beginning.
fn bracketed(text: &str) -> Option<usize> {
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

/// The name and the value of a line such as `key:: value`.
pub(super) fn inline_field(line: &str) -> Option<(&str, &str)> {
    let line = line.split('\n').next()?;
    let (name, value) = line.split_once("::")?;
    let name = name.trim().trim_start_matches(['-', '*', '+', '>', ' ']).trim_matches(['*', '_']);
    let fits = !name.is_empty()
        && name.len() <= 48
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '\''))
        && name.split_whitespace().count() <= 5;
    fits.then(|| (name, value.trim()))
}
