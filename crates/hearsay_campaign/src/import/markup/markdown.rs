//! Conversion of Markdown to blocks. Every character keeps its position in the source.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{
    hidden,
    html::{self, LABEL_LEVEL},
    style::Style,
    writer::Writer,
};
use crate::import::{
    Block, Text, Visibility,
    lexicon::{self, Meaning},
    secret,
};

/// Converts a part of a text in Markdown to blocks (paragraphs, list items, rows of tables), and appends them to
/// `blocks`. `range` is a range of bytes in `text.content`.
///
/// These parts are secret: `%% … %%`; HTML comments; callouts, elements, sections and list items whose name matches
/// [`is_secret`](secret::is_secret); and text after a label such as `**DM only:**`. These parts are removed: code
/// blocks of plug-ins (`dataview`, …), `INPUT[…]`, `VIEW[…]`, and prompts of templates.
pub fn markdown(text: &Text, range: Range<usize>, visibility: &Visibility, style: Style, blocks: &mut Vec<Block>) {
    let first = blocks.len();
    let Some(source) = text.content.get(range.clone()) else { return };
    let regions = hidden::regions(source);
    let open = hidden::blanked(source, regions.iter().map(|region| region.outer.clone()));
    let mut headings = Vec::new();
    {
        let mut writer = Writer::new(text, "", visibility.clone(), style, blocks);
        write(&open, range.start, &mut writer, &mut headings);
    }
    // The headings above the start of a region, outermost first.
    let (mut above, mut next) = (Vec::<(u8, String)>::new(), 0);
    for region in &regions {
        let Some(inner) = source.get(region.inner.clone()) else { continue };
        while let Some((_, level, heading)) =
            headings.get(next).filter(|(at, ..)| *at <= range.start + region.outer.start)
        {
            above.retain(|(held, _)| held < level);
            above.push((*level, heading.clone()));
            next += 1;
        }
        let mut writer = Writer::new(text, "", Visibility::SECRET, style, blocks);
        for (level, heading) in &above {
            writer.heading(*level, heading.clone());
        }
        // Nested secrets have no further effect, so only their marks are removed.
        let inside = hidden::regions(inner);
        let inner = hidden::unmarked(inner, &inside);
        write(&inner, range.start + region.inner.start, &mut writer, &mut Vec::new());
    }
    if !regions.is_empty() {
        blocks[first..].sort_by_key(|block| block.origin.span.start);
    }
}

/// A heading: start in bytes, level, text.
type Heading = (usize, u8, String);

fn write(source: &str, base: usize, writer: &mut Writer, headings: &mut Vec<Heading>) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut state = State::default();
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        if writer.is_cancelled() {
            break;
        }
        state.event(source, event, range, base, writer, headings);
    }
    state.flush_html(writer);
    writer.end();
}

#[derive(Default)]
struct State {
    /// Start positions and addresses of the open anchors.
    anchors: Vec<(usize, String)>,
    /// For each open list, whether the label before the list makes it secret.
    lists: Vec<bool>,
    /// The number of ignored elements that enclose the current position: code blocks of plug-ins, images, metadata
    /// definitions.
    ignored: usize,
    in_code: bool,
    /// The column names of a table.
    head: Vec<String>,
    in_head: bool,
    cell: usize,
    cell_start: usize,
    /// The number of bold elements that enclose the current position.
    bold: usize,
    bold_only: bool,
    /// HTML that the parser returns in several events.
    html: String,
    /// The current line, if the paragraph is a loose table.
    loose: Loose,
    /// Whether an earlier line of the paragraph makes the rest secret.
    sealed: bool,
}

/// The current position in a loose table. The header of a loose table has fewer cells than the table has columns.
/// Markdown does not accept such a table, but note programs show it, and templates for infoboxes use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Loose {
    /// Not a loose table.
    #[default]
    No,
    /// The line below the header: `---|---|`.
    Rule,
    /// The first cell of a row.
    First,
    /// A cell of a row after the first cell.
    Further,
}

impl State {
    fn event(
        &mut self,
        source: &str,
        event: Event,
        range: Range<usize>,
        base: usize,
        writer: &mut Writer,
        headings: &mut Vec<Heading>,
    ) {
        if !matches!(event, Event::Html(_) | Event::End(TagEnd::HtmlBlock)) {
            self.flush_html(writer);
        }
        let at = base + range.start;
        match event {
            Event::Start(tag) => self.start(tag, &range, base, writer),
            Event::End(tag) => self.end(tag, at, writer, headings),
            _ if self.ignored > 0 => {}
            Event::Text(words) => {
                // Escaped text such as `&amp;` differs from its source, so its characters have no positions in the
                // source.
                let same = source.get(range.clone()) == Some(&*words);
                if self.bold == 0 && !words.trim().is_empty() {
                    self.bold_only = false;
                }
                match same && words.len() == range.len() {
                    _ if self.loose == Loose::Rule => {}
                    true if self.loose != Loose::No && !self.in_code => {
                        let escaped = source.get(..range.start).is_some_and(|before| before.ends_with('\\'));
                        let behind = source.get(range.end..).unwrap_or_default();
                        let last = behind.chars().find(|c| *c == '\n' || !c.is_whitespace()).is_none_or(|c| c == '\n');
                        self.cells(&words, last, at, escaped, writer);
                    }
                    true if self.in_code => writer.code(&words, Some(at)),
                    true => writer.words(&words, Some(at)),
                    false => {
                        writer.take_up(at..base + range.end);
                        writer.words(&words, None);
                    }
                }
            }
            Event::Code(words) => {
                self.bold_only = false;
                let noise = hidden::is_noise(&words);
                if !noise {
                    writer.take_up(at..base + range.end);
                    writer.code(&words, None);
                }
            }
            Event::InlineHtml(tag) => {
                if tag.starts_with("<br") {
                    writer.words("\n", None);
                }
            }
            Event::Html(part) => self.html.push_str(&part),
            Event::SoftBreak | Event::HardBreak => {
                let next = source.get(range.end..).unwrap_or_default();
                if self.loose != Loose::No {
                    if self.loose == Loose::Rule {
                        writer.forget()
                    } else {
                        _ = writer.end()
                    }
                    self.loose = Loose::First;
                    return;
                }
                if is_rule_of_table(next) && writer.so_far().contains('|') {
                    writer.forget();
                    self.loose = Loose::Rule;
                    return;
                }
                // A line that begins with a label begins a new block. After a secret line, the rest of the paragraph is
                // secret.
                if begins_with_label(next) {
                    let outer = writer.is_open_to_all();
                    let hides = writer.end().is_some_and(|block| block.visibility.is_secret());
                    if hides && outer {
                        writer.open(&Visibility::SECRET);
                        self.sealed = true;
                    }
                    return;
                }
                // A line with an inline field becomes a separate block.
                let fields = hidden::inline_field(next).is_some()
                    || hidden::inline_field(writer.so_far().rsplit('\n').next().unwrap_or_default()).is_some();
                if fields {
                    writer.end();
                } else {
                    writer.words("\n", None);
                }
            }
            Event::Rule => {
                writer.end();
            }
            Event::FootnoteReference(_) | Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag, range: &Range<usize>, base: usize, writer: &mut Writer) {
        match tag {
            Tag::Paragraph => {
                self.bold_only = true;
            }
            Tag::Heading { .. } | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::FootnoteDefinition(_) => {
                writer.end();
            }
            Tag::CodeBlock(kind) => {
                writer.end();
                let plugin = matches!(&kind, CodeBlockKind::Fenced(language) if hidden::is_plugin(language));
                self.ignored += usize::from(plugin);
                self.in_code = true;
            }
            Tag::List(_) => {
                let label = writer.so_far().trim().trim_end_matches(':').to_owned();
                let block = writer.end();
                let block_is_secret = block.is_some_and(|block| block.visibility.is_secret());
                let hides = !label.is_empty() && (block_is_secret || label.len() < 60 && secret::is_secret(&label));
                if hides {
                    writer.open(&Visibility::SECRET);
                }
                self.lists.push(hides);
            }
            Tag::Item => {
                writer.end();
                self.bold_only = false;
            }
            Tag::Table(_) => {
                writer.end();
                self.head.clear();
            }
            Tag::TableHead => {
                self.in_head = true;
                self.cell = 0;
            }
            Tag::TableRow => {
                writer.end();
                self.cell = 0;
            }
            Tag::TableCell => {
                if !self.in_head && self.cell > 0 {
                    let written = writer.so_far().trim_end();
                    let mark = match () {
                        () if written.is_empty() => "",
                        () if self.cell == 1 && self.head.len() <= 2 && written.ends_with(':') => " ",
                        () if self.cell == 1 && self.head.len() <= 2 => ": ",
                        () => "; ",
                    };
                    writer.words(mark, None);
                    // A cell in a secret column makes its whole row secret.
                    if self.head.get(self.cell).is_some_and(|head| secret::is_secret(head)) {
                        writer.hide();
                    }
                    if self.head.len() > 2
                        && let Some(head) = self.head.get(self.cell).filter(|head| !head.is_empty())
                    {
                        writer.words(&format!("{head}: "), None);
                    }
                }
                self.cell_start = writer.position();
            }
            Tag::Strong => {
                self.bold += 1;
            }
            Tag::Link { dest_url, .. } => self.anchors.push((writer.position(), dest_url.to_string())),
            Tag::Image { .. } | Tag::MetadataBlock(_) => {
                self.ignored += 1;
                writer.take_up(base + range.start..base + range.end);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, at: usize, writer: &mut Writer, headings: &mut Vec<Heading>) {
        match tag {
            TagEnd::Heading(level) => {
                let level = match level {
                    HeadingLevel::H1 => 1,
                    HeadingLevel::H2 => 2,
                    HeadingLevel::H3 => 3,
                    HeadingLevel::H4 => 4,
                    HeadingLevel::H5 => 5,
                    HeadingLevel::H6 => 6,
                };
                let heading = writer.end_as_heading(level);
                headings.push((at, level, heading));
            }
            TagEnd::Paragraph => {
                let written = writer.so_far().trim();
                let label = written.trim_end_matches(':');
                let alone = !label.is_empty() && label.len() < 80 && !label.contains('\n');
                let announces = writer.announces_secret();
                if alone && (self.bold_only && !label.contains(": ") || announces) && self.lists.is_empty() {
                    let heading = writer.end_as_heading(LABEL_LEVEL).trim_end_matches(':').to_owned();
                    writer.heading(LABEL_LEVEL, heading.clone());
                    headings.push((at, LABEL_LEVEL, heading));
                } else {
                    writer.end();
                }
                self.bold_only = false;
                self.loose = Loose::No;
                if std::mem::take(&mut self.sealed) {
                    writer.close();
                }
            }
            TagEnd::Item if self.sealed => {
                writer.end();
                self.sealed = false;
                writer.close();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::TableRow | TagEnd::FootnoteDefinition => {
                writer.end();
            }
            TagEnd::CodeBlock => {
                writer.end();
                self.in_code = false;
                self.ignored = 0;
            }
            TagEnd::List(_) => {
                writer.end();
                if self.lists.pop() == Some(true) {
                    writer.close();
                }
            }
            TagEnd::TableHead => {
                self.in_head = false;
                writer.forget();
            }
            TagEnd::TableCell => {
                let cell = writer.so_far().get(self.cell_start..).unwrap_or_default().trim().to_owned();
                if self.in_head {
                    self.head.push(cell);
                } else if self.cell == 0 && !cell.is_empty() {
                    writer.label();
                }
                self.cell += 1;
            }
            TagEnd::Strong => {
                self.bold = self.bold.saturating_sub(1);
                if self.bold == 0 && writer.so_far().trim_end().ends_with(':') {
                    writer.label();
                } else if self.bold == 0 {
                    writer.maybe_label();
                }
            }
            TagEnd::Link => {
                if let Some((start, address)) = self.anchors.pop() {
                    writer.anchor(start, &address);
                }
            }
            TagEnd::Image | TagEnd::MetadataBlock(_) => self.ignored = self.ignored.saturating_sub(1),
            _ => {}
        }
    }

    /// Adds words of a table row, and splits them into cells. A pipe within a link does not separate cells. `last` is
    /// true if the words are the last words in their line.
    fn cells(&mut self, words: &str, last: bool, at: usize, escaped: bool, writer: &mut Writer) {
        let (mut start, mut seen) = (0, 0);
        let mut in_link = opens_link(writer.so_far());
        for (pipe, _) in words.match_indices('|') {
            let (before, rest) =
                (words.get(start..pipe).unwrap_or_default(), words.get(pipe + 1..).unwrap_or_default());
            let part = words.get(seen..pipe).unwrap_or_default();
            in_link = opens_link(part) || in_link && !part.contains("]]");
            seen = pipe;
            if in_link || escaped && pipe == 0 {
                continue;
            }
            writer.words(before, Some(at + start));
            start = pipe + 1;
            let empty = writer.is_blank();
            match self.loose {
                // A pipe before the first cell or after the last cell does not separate cells.
                _ if empty || last && rest.trim().is_empty() => {}
                Loose::First => {
                    writer.label();
                    let mark = if writer.so_far().trim_end().ends_with(':') { " " } else { ": " };
                    writer.words(mark, None);
                }
                _ => writer.words("; ", None),
            }
            if !empty {
                self.loose = Loose::Further;
            }
        }
        writer.words(words.get(start..).unwrap_or_default(), Some(at + start));
    }

    fn flush_html(&mut self, writer: &mut Writer) {
        if !self.html.is_empty() {
            let html = std::mem::take(&mut self.html);
            html::write(&html, writer);
        }
    }
}

/// Returns whether a text ends within an open link: `… [[Bob`. A link has at most 1,000 bytes.
fn opens_link(text: &str) -> bool {
    let mut from = text.len().saturating_sub(1_000);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let text = &text[from..];
    text.rfind("[[").is_some_and(|open| !text[open..].contains("]]"))
}

/// Returns the first line of a text without the quotation marks `>` before it.
fn line_of(source: &str) -> &str {
    source.split('\n').next().unwrap_or_default().trim_start_matches(['>', ' ', '\t']).trim_end()
}

/// Returns whether a line is a table rule, such as `---|:---:|`.
fn is_rule_of_table(source: &str) -> bool {
    let line = line_of(source);
    line.contains('|') && line.contains("---") && line.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '))
}

/// Returns whether a line begins with a bold label (`**Allies:** …`, `__Allies__: …`), or with a label before links
/// (`Allies: [[Bob]]`).
fn begins_with_label(source: &str) -> bool {
    let line = line_of(source);
    let plain = line.split_once(':').is_some_and(|(label, rest)| {
        let links = rest.trim_start().starts_with('[') && label.split_whitespace().count() <= 3;
        links && matches!(lexicon::meaning(label), Meaning::Relation(_))
    });
    if plain {
        return true;
    }
    ["**", "__"].iter().any(|mark| {
        let Some((label, rest)) = line.strip_prefix(mark).and_then(|rest| rest.split_once(mark)) else { return false };
        let inner = label.trim_end().strip_suffix(':');
        let named = inner.unwrap_or(label).trim();
        (inner.is_some() || rest.starts_with(':')) && !named.is_empty() && named.len() <= 60
    })
}
