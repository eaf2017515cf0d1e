//! Conversion of Markdown to blocks. Every character keeps its position in the source.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{
    hidden,
    html::{self, LABEL_LEVEL},
    link_syntax::LinkSyntax,
    writer::BlockWriter,
};
use crate::import::{
    Block, SourceText, Visibility,
    lexicon::{self, Meaning},
    secret,
};

/// Converts a part of a text in Markdown to blocks (paragraphs, list items, rows of tables), and appends them to
/// `blocks`. `range` is a range of bytes in `text.content`.
///
/// Text in `%% … %%` and in HTML comments is secret, and so is text after a label such as `**DM only:**`. A callout,
/// element, section or list item is secret if its name matches [`is_secret`](secret::is_secret). Code blocks of
/// plug-ins (such as `dataview`), `INPUT[…]`, `VIEW[…]` and prompts of templates are removed.
pub fn markdown(
    text: &SourceText,
    range: Range<usize>,
    visibility: &Visibility,
    link_syntax: LinkSyntax,
    blocks: &mut Vec<Block>,
) {
    let first = blocks.len();
    let Some(source) = text.content.get(range.clone()) else { return };
    let source = &hidden::replace_with_spaces(source, block_references(source));
    let regions = hidden::regions(source);
    let public_source = hidden::replace_with_spaces(source, regions.iter().map(|region| region.outer.clone()));
    let mut headings = Vec::new();
    {
        let mut writer = BlockWriter::new(text, "", visibility.clone(), link_syntax, blocks);
        write(&public_source, range.start, &mut writer, &mut headings);
    }
    // The headings above the start of a region, outermost first.
    let (mut headings_above, mut next) = (Vec::<(u8, String)>::new(), 0);
    for region in &regions {
        let Some(inner) = source.get(region.inner.clone()) else { continue };
        while let Some((_, level, heading)) =
            headings.get(next).filter(|(at, ..)| *at <= range.start + region.outer.start)
        {
            headings_above.retain(|(heading_level, _)| heading_level < level);
            headings_above.push((*level, heading.clone()));
            next += 1;
        }
        let mut writer = BlockWriter::new(text, "", Visibility::SECRET, link_syntax, blocks);
        for (level, heading) in &headings_above {
            writer.add_heading(*level, heading.clone());
        }
        // Nested secrets have no further effect, so only their marks are removed.
        let nested_regions = hidden::regions(inner);
        let inner = hidden::replace_marks_with_spaces(inner, &nested_regions);
        write(&inner, range.start + region.inner.start, &mut writer, &mut Vec::new());
    }
    if !regions.is_empty() {
        blocks[first..].sort_by_key(|block| block.origin.span.start);
    }
}

/// Returns the ranges of Obsidian's block references: ` ^name` at the end of a line.
fn block_references(source: &str) -> impl Iterator<Item = Range<usize>> {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    source
        .split_inclusive('\n')
        .scan(0, |position, line| {
            let start = *position;
            *position += line.len();
            Some((start, line.trim_end()))
        })
        .filter_map(move |(start, line)| {
            let (before, name) = line.rsplit_once(" ^")?;
            is_name(name).then(|| start + before.len()..start + line.len())
        })
}

/// A heading: start in bytes, level, text.
type HeadingPosition = (usize, u8, String);

fn write(source: &str, base: usize, writer: &mut BlockWriter, headings: &mut Vec<HeadingPosition>) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut state = MarkdownState::default();
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        if writer.is_cancelled() {
            break;
        }
        state.handle_event(source, event, range, base, writer, headings);
    }
    state.flush_html(writer);
    writer.end_block();
}

#[derive(Default)]
struct MarkdownState {
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
    loose_table: LooseTable,
    /// Whether an earlier line of the paragraph makes the rest secret.
    is_rest_secret: bool,
}

/// The current position in a loose table. The header of a loose table has fewer cells than the table has columns.
/// Markdown does not accept such a table, but note programs show it, and templates for infoboxes use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum LooseTable {
    /// Not a loose table.
    #[default]
    None,
    /// The line below the header: `---|---|`.
    Rule,
    /// The first cell of a row.
    First,
    /// A cell of a row after the first cell.
    Later,
}

impl MarkdownState {
    fn handle_event(
        &mut self,
        source: &str,
        event: Event,
        range: Range<usize>,
        base: usize,
        writer: &mut BlockWriter,
        headings: &mut Vec<HeadingPosition>,
    ) {
        if !matches!(event, Event::Html(_) | Event::End(TagEnd::HtmlBlock)) {
            self.flush_html(writer);
        }
        let at = base + range.start;
        match event {
            Event::Start(tag) => self.start_tag(tag, &range, base, writer),
            Event::End(tag) => self.end_tag(tag, at, writer, headings),
            _ if self.ignored > 0 => {}
            Event::Text(words) => {
                // Escaped text such as `&amp;` differs from its source, so its characters have no positions in the
                // source.
                let is_literal = source.get(range.clone()) == Some(&*words);
                if self.bold == 0 && !words.trim().is_empty() {
                    self.bold_only = false;
                }
                match is_literal && words.len() == range.len() {
                    _ if self.loose_table == LooseTable::Rule => {}
                    true if self.loose_table != LooseTable::None && !self.in_code => {
                        let is_escaped = source.get(..range.start).is_some_and(|before| before.ends_with('\\'));
                        let after = source.get(range.end..).unwrap_or_default();
                        let is_last =
                            after.chars().find(|c| *c == '\n' || !c.is_whitespace()).is_none_or(|c| c == '\n');
                        self.add_cells(&words, is_last, at, is_escaped, writer);
                    }
                    true if self.in_code => writer.add_code(&words, Some(at)),
                    true => writer.add_words(&words, Some(at)),
                    false => {
                        writer.extend_span(at..base + range.end);
                        writer.add_words(&words, None);
                    }
                }
            }
            Event::Code(words) => {
                self.bold_only = false;
                let is_plugin_code = hidden::is_plugin_code(&words);
                if !is_plugin_code {
                    writer.extend_span(at..base + range.end);
                    writer.add_code(&words, None);
                }
            }
            Event::InlineHtml(tag) => {
                if tag.starts_with("<br") {
                    writer.add_words("\n", None);
                }
            }
            Event::Html(part) => self.html.push_str(&part),
            Event::SoftBreak | Event::HardBreak => {
                let next = source.get(range.end..).unwrap_or_default();
                if self.loose_table != LooseTable::None {
                    if self.loose_table == LooseTable::Rule {
                        writer.discard_block()
                    } else {
                        _ = writer.end_block()
                    }
                    self.loose_table = LooseTable::First;
                    return;
                }
                if is_table_rule(next) && writer.current_text().contains('|') {
                    writer.discard_block();
                    self.loose_table = LooseTable::Rule;
                    return;
                }
                // A line that begins with a label begins a new block. After a secret line, the rest of the paragraph is
                // secret.
                if begins_with_label(next) {
                    let is_public = writer.is_public();
                    let is_secret = writer.end_block().is_some_and(|block| block.visibility.is_secret());
                    if is_secret && is_public {
                        writer.push_visibility(&Visibility::SECRET);
                        self.is_rest_secret = true;
                    }
                    return;
                }
                // A line with an inline field becomes a separate block.
                let has_inline_field = hidden::inline_field(next).is_some()
                    || hidden::inline_field(writer.current_text().rsplit('\n').next().unwrap_or_default()).is_some();
                if has_inline_field {
                    writer.end_block();
                } else {
                    writer.add_words("\n", None);
                }
            }
            Event::Rule => {
                writer.end_block();
            }
            Event::FootnoteReference(_) | Event::TaskListMarker(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start_tag(&mut self, tag: Tag, range: &Range<usize>, base: usize, writer: &mut BlockWriter) {
        match tag {
            Tag::Paragraph => {
                self.bold_only = true;
            }
            Tag::Heading { .. } | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::FootnoteDefinition(_) => {
                writer.end_block();
            }
            Tag::CodeBlock(kind) => {
                writer.end_block();
                let is_plugin = matches!(&kind, CodeBlockKind::Fenced(language) if hidden::is_plugin(language));
                self.ignored += usize::from(is_plugin);
                self.in_code = true;
            }
            Tag::List(_) => {
                let label = writer.current_text().trim().trim_end_matches(':').to_owned();
                let block = writer.end_block();
                let block_is_secret = block.is_some_and(|block| block.visibility.is_secret());
                let is_secret_list =
                    !label.is_empty() && (block_is_secret || label.len() < 60 && secret::is_secret(&label));
                if is_secret_list {
                    writer.push_visibility(&Visibility::SECRET);
                }
                self.lists.push(is_secret_list);
            }
            Tag::Item => {
                writer.end_block();
                self.bold_only = false;
            }
            Tag::Table(_) => {
                writer.end_block();
                self.head.clear();
            }
            Tag::TableHead => {
                self.in_head = true;
                self.cell = 0;
            }
            Tag::TableRow => {
                writer.end_block();
                self.cell = 0;
            }
            Tag::TableCell => {
                if !self.in_head && self.cell > 0 {
                    let text = writer.current_text().trim_end();
                    let separator = match () {
                        () if text.is_empty() => "",
                        () if self.cell == 1 && self.head.len() <= 2 && text.ends_with(':') => " ",
                        () if self.cell == 1 && self.head.len() <= 2 => ": ",
                        () => "; ",
                    };
                    writer.add_words(separator, None);
                    // A cell in a secret column makes its whole row secret.
                    if self.head.get(self.cell).is_some_and(|head| secret::is_secret(head)) {
                        writer.mark_secret();
                    }
                    if self.head.len() > 2
                        && let Some(head) = self.head.get(self.cell).filter(|head| !head.is_empty())
                    {
                        writer.add_words(&format!("{head}: "), None);
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
                writer.extend_span(base + range.start..base + range.end);
            }
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd, at: usize, writer: &mut BlockWriter, headings: &mut Vec<HeadingPosition>) {
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
                let text = writer.current_text().trim();
                let label = text.trim_end_matches(':');
                let is_only_label = !label.is_empty() && label.len() < 80 && !label.contains('\n');
                let announces_secret = writer.announces_secret();
                if is_only_label
                    && (self.bold_only && !label.contains(": ") || announces_secret)
                    && self.lists.is_empty()
                {
                    let heading = writer.end_as_heading(LABEL_LEVEL).trim_end_matches(':').to_owned();
                    writer.add_heading(LABEL_LEVEL, heading.clone());
                    headings.push((at, LABEL_LEVEL, heading));
                } else {
                    writer.end_block();
                }
                self.bold_only = false;
                self.loose_table = LooseTable::None;
                if std::mem::take(&mut self.is_rest_secret) {
                    writer.pop_visibility();
                }
            }
            TagEnd::Item if self.is_rest_secret => {
                writer.end_block();
                self.is_rest_secret = false;
                writer.pop_visibility();
            }
            TagEnd::BlockQuote(_) | TagEnd::Item | TagEnd::TableRow | TagEnd::FootnoteDefinition => {
                writer.end_block();
            }
            TagEnd::CodeBlock => {
                writer.end_block();
                self.in_code = false;
                self.ignored = 0;
            }
            TagEnd::List(_) => {
                writer.end_block();
                if self.lists.pop() == Some(true) {
                    writer.pop_visibility();
                }
            }
            TagEnd::TableHead => {
                self.in_head = false;
                writer.discard_block();
            }
            TagEnd::TableCell => {
                let cell = writer.current_text().get(self.cell_start..).unwrap_or_default().trim().to_owned();
                if self.in_head {
                    self.head.push(cell);
                } else if self.cell == 0 && !cell.is_empty() {
                    writer.set_label();
                }
                self.cell += 1;
            }
            TagEnd::Strong => {
                self.bold = self.bold.saturating_sub(1);
                if self.bold == 0 && writer.current_text().trim_end().ends_with(':') {
                    writer.set_label();
                } else if self.bold == 0 {
                    writer.set_possible_label();
                }
            }
            TagEnd::Link => {
                if let Some((start, address)) = self.anchors.pop() {
                    writer.add_anchor(start, &address);
                }
            }
            TagEnd::Image | TagEnd::MetadataBlock(_) => self.ignored = self.ignored.saturating_sub(1),
            _ => {}
        }
    }

    /// Adds words of a table row, and splits them into cells. A pipe within a link does not separate cells. `is_last`
    /// is true if the words are the last words in their line.
    fn add_cells(&mut self, words: &str, is_last: bool, at: usize, is_escaped: bool, writer: &mut BlockWriter) {
        let (mut start, mut checked) = (0, 0);
        let mut in_link = opens_link(writer.current_text());
        for (pipe, _) in words.match_indices('|') {
            let (before, rest) =
                (words.get(start..pipe).unwrap_or_default(), words.get(pipe + 1..).unwrap_or_default());
            let part = words.get(checked..pipe).unwrap_or_default();
            in_link = opens_link(part) || in_link && !part.contains("]]");
            checked = pipe;
            if in_link || is_escaped && pipe == 0 {
                continue;
            }
            writer.add_words(before, Some(at + start));
            start = pipe + 1;
            let is_empty = writer.is_blank();
            match self.loose_table {
                // A pipe before the first cell or after the last cell does not separate cells.
                _ if is_empty || is_last && rest.trim().is_empty() => {}
                LooseTable::First => {
                    writer.set_label();
                    let separator = if writer.current_text().trim_end().ends_with(':') { " " } else { ": " };
                    writer.add_words(separator, None);
                }
                _ => writer.add_words("; ", None),
            }
            if !is_empty {
                self.loose_table = LooseTable::Later;
            }
        }
        writer.add_words(words.get(start..).unwrap_or_default(), Some(at + start));
    }

    fn flush_html(&mut self, writer: &mut BlockWriter) {
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
fn first_line(source: &str) -> &str {
    source.split('\n').next().unwrap_or_default().trim_start_matches(['>', ' ', '\t']).trim_end()
}

/// Returns whether a line is a table rule, such as `---|:---:|`.
fn is_table_rule(source: &str) -> bool {
    let line = first_line(source);
    line.contains('|') && line.contains("---") && line.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '))
}

/// Returns whether a line begins with a bold label (`**Allies:** …`, `__Allies__: …`), or with a label before links
/// (`Allies: [[Bob]]`).
fn begins_with_label(source: &str) -> bool {
    let line = first_line(source);
    let is_plain_label = line.split_once(':').is_some_and(|(label, rest)| {
        let has_links = rest.trim_start().starts_with('[') && label.split_whitespace().count() <= 3;
        has_links && matches!(lexicon::meaning(label), Meaning::Relation(_))
    });
    if is_plain_label {
        return true;
    }
    ["**", "__"].iter().any(|mark| {
        let Some((label, rest)) = line.strip_prefix(mark).and_then(|rest| rest.split_once(mark)) else { return false };
        let inner = label.trim_end().strip_suffix(':');
        let label_text = inner.unwrap_or(label).trim();
        (inner.is_some() || rest.starts_with(':')) && !label_text.is_empty() && label_text.len() <= 60
    })
}
