//! Builds blocks from the output of a markup parser.

use std::{ops::Range, sync::Arc};

use super::{
    hidden::{find_template_leftovers, inline_field},
    link_syntax::LinkSyntax,
};
use crate::import::{
    Block, LinkTarget, NoteLink, PlainText, SourceText, Visibility, knowers::has_secret_remark, quote, secret,
};

/// Creates blocks from the output of a markup parser. The parser adds words, links and headings in the order of the
/// text, and ends each block.
pub struct BlockWriter<'a> {
    text: &'a SourceText,
    field: Arc<str>,
    style: LinkSyntax<'a>,
    blocks: &'a mut Vec<Block>,
    headings: Vec<(u8, String)>,
    heading_path: Arc<[String]>,
    /// Whether one of the current headings marks its section as secret.
    has_secret_heading: bool,
    /// Whether the current block is marked as secret.
    is_block_secret: bool,
    /// The stack of visibilities, outermost first.
    visibility: Vec<Visibility>,
    current: PlainText,
    /// Whether the current block has only whitespace so far.
    is_blank: bool,
    /// Whether the current block has a colon followed by a space, and the number of bytes that were already searched.
    colon: (bool, usize),
    /// The anchors in the current block: their ranges in bytes, and their targets.
    anchors: Vec<(Range<usize>, LinkTarget)>,
    /// The bytes of the current block that are code.
    verbatim: Vec<Range<usize>>,
    /// The length of the label at the start of the current block, in bytes.
    label: Option<usize>,
    /// The length of the bold text at the start of the current block, in bytes. This text is a label if a colon
    /// follows.
    possible_label: Option<usize>,
    /// The range of the source that the current block covers, in bytes.
    span: Option<Range<usize>>,
}

impl<'a> BlockWriter<'a> {
    /// Creates a writer that appends blocks to `blocks`. All blocks are at least as secret as `visibility`.
    pub fn new(
        text: &'a SourceText,
        field: impl Into<Arc<str>>,
        visibility: Visibility,
        link_syntax: LinkSyntax<'a>,
        blocks: &'a mut Vec<Block>,
    ) -> Self {
        Self {
            text,
            field: field.into(),
            style: link_syntax,
            blocks,
            headings: Vec::new(),
            heading_path: Arc::default(),
            has_secret_heading: false,
            is_block_secret: false,
            visibility: vec![visibility],
            current: PlainText::default(),
            is_blank: true,
            colon: (false, 0),
            anchors: Vec::new(),
            verbatim: Vec::new(),
            label: None,
            possible_label: None,
            span: None,
        }
    }

    /// Returns whether a caller has cancelled the reading.
    pub(super) fn is_cancelled(&self) -> bool {
        self.text.is_cancelled()
    }

    /// Turns the text that the current block has so far into its label, such as `Status` in `**Status:** …`, or the
    /// first cell of a row.
    pub fn set_label(&mut self) {
        if self.label.is_none() {
            self.label = Some(self.position());
        }
    }

    /// Turns the text that the current block has so far into its label, if a colon comes next.
    pub(super) fn set_possible_label(&mut self) {
        if self.possible_label.is_none() {
            self.possible_label = Some(self.position());
        }
    }

    /// Marks the whole current block as DM-only.
    pub fn mark_secret(&mut self) {
        self.is_block_secret = true;
    }

    /// Returns whether the current block only announces that the next text is DM-only: `GM notes`, `Secret:`.
    pub(super) fn announces_secret(&self) -> bool {
        let text = self.current_text().trim();
        match text.strip_suffix(':') {
            Some(label) => label.len() < 60 && !label.contains(':') && secret::is_secret(label),
            None => text.len() < 60 && secret::is_only_secret_mark(text),
        }
    }

    /// Ends the current headings of this level and of all deeper levels.
    pub fn end_headings(&mut self, level: u8) {
        self.headings.retain(|(heading_level, _)| *heading_level < level);
        self.update_heading_path();
    }

    /// Discards the current block without adding it.
    pub fn discard_block(&mut self) {
        self.is_block_secret = false;
        let _ = self.take_current();
        self.anchors.clear();
        self.verbatim.clear();
        (self.label, self.possible_label, self.span) = (None, None, None);
    }

    fn take_current(&mut self) -> PlainText {
        (self.is_blank, self.colon) = (true, (false, 0));
        std::mem::take(&mut self.current)
    }

    /// Returns the label of the current block.
    fn take_label_text(&mut self, current: &str) -> Option<String> {
        let (label, possible_label) = (self.label.take(), self.possible_label.take());
        let is_followed_by_colon =
            |at: &usize| current.get(*at..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        let end = label.or(possible_label.filter(is_followed_by_colon)).or_else(|| {
            let (name, _) = inline_field(current)?;
            Some(current.find(name)? + name.len())
        })?;
        let label = current.get(..end)?.trim().trim_end_matches(':').trim();
        let is_label = !label.is_empty() && label.len() <= 60 && label.split_whitespace().count() <= 6;
        is_label.then(|| label.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Returns the visibility of the current block.
    fn current_visibility(&self, label: Option<&str>) -> Visibility {
        let visibility = self.visibility.last().cloned().unwrap_or_default();
        let is_secret = self.has_secret_heading || self.is_block_secret || label.is_some_and(secret::is_secret);
        if is_secret { Visibility::SECRET.within(&visibility) } else { visibility }
    }

    /// Appends words to the current block. If the source contains the words literally, `source` is their position in
    /// the source, in bytes.
    pub fn add_words(&mut self, words: &str, source: Option<usize>) {
        if let Some(at) = source {
            self.extend_span(at..at + words.len());
        }
        self.is_blank &= words.trim().is_empty();
        self.current.push(words, source);
    }

    /// Returns whether the current block has only whitespace so far.
    pub(super) fn is_blank(&self) -> bool {
        self.is_blank
    }

    /// Returns whether the current block has a colon followed by a space so far.
    pub(super) fn has_colon(&mut self) -> bool {
        let (has_colon, searched) = self.colon;
        let text = &self.current.text;
        // The colon may be the last byte that was searched before.
        let has_colon = has_colon || text.get(searched.saturating_sub(1)..).unwrap_or(text).contains(": ");
        self.colon = (has_colon, text.len());
        has_colon
    }

    /// Appends words that are not searched for links, such as code.
    pub fn add_code(&mut self, words: &str, source: Option<usize>) {
        let start = self.current.text.len();
        self.add_words(words, source);
        self.verbatim.push(start..self.current.text.len());
    }

    /// Returns the length of the current block in bytes. Pass this length to [`add_anchor`](Self::add_anchor) as the
    /// start.
    pub fn position(&self) -> usize {
        self.current.text.len()
    }

    /// Turns the text from byte `start` to the end of the current block into a link to this address.
    pub fn add_anchor(&mut self, start: usize, address: &str) {
        if let Some(target) = (self.style.address)(address) {
            self.anchors.push((start..self.position(), target));
        }
    }

    /// Extends the range of the source that the current block covers, so that it includes the range `source`.
    pub fn extend_span(&mut self, source: Range<usize>) {
        self.span = Some(match self.span.take() {
            None => source,
            Some(span) => span.start.min(source.start)..span.end.max(source.end),
        });
    }

    /// Returns the text of the current block so far. Does not end the block.
    pub fn current_text(&self) -> &str {
        &self.current.text
    }

    /// Ends the current block and finds the links in it. Returns the block, so that the caller can change it. Returns
    /// `None` if the block is empty.
    pub fn end_block(&mut self) -> Option<&mut Block> {
        let current = self.take_current();
        let (anchors, verbatim) = (std::mem::take(&mut self.anchors), std::mem::take(&mut self.verbatim));
        let span = self.span.take().unwrap_or(0..0);
        let label = self.take_label_text(&current.text);
        // A label that marks a secret need not be bold.
        let leading_label = current.text.split_once(':').map(|(label, _)| label).filter(|label| label.len() <= 40);
        let visibility = self.current_visibility(label.as_deref().or(leading_label));
        self.is_block_secret = false;
        let (text, mut links) = self.resolve_links(&current, &anchors, &verbatim, &visibility, &span);
        let mut visibility = visibility;
        if !visibility.is_secret() && (secret::states_secrecy(&text.text) || has_secret_remark(&text.text)) {
            visibility = Visibility::SECRET.within(&visibility);
            links.iter_mut().for_each(|link| link.visibility = visibility.clone());
        }
        if !text.text.chars().any(char::is_alphanumeric) && links.is_empty() {
            return None;
        }
        let mut origin = self.text.origin(self.field_path(), span);
        if origin.quote.is_empty() {
            origin.quote = quote(&text.text).into();
        }
        let headings = self.heading_path.clone();
        links.shrink_to_fit();
        let block = Block { headings, label, text, speaker: None, links, origin, visibility };
        self.blocks.push(block);
        self.blocks.last_mut()
    }

    /// Ends the current block and makes its text a heading for the following blocks. Levels are 1 to 6, and 7 for a
    /// label. Returns the text of the heading.
    pub fn end_as_heading(&mut self, level: u8) -> String {
        let current = self.take_current();
        let (anchors, verbatim) = (std::mem::take(&mut self.anchors), std::mem::take(&mut self.verbatim));
        (self.label, self.possible_label, self.span) = (None, None, None);
        let visibility = self.current_visibility(None);
        self.is_block_secret = false;
        let (text, _) = self.resolve_links(&current, &anchors, &verbatim, &visibility, &(0..0));
        self.add_heading(level, text.text.clone());
        text.text
    }

    /// Adds a heading for the following blocks. Ends the current headings of the same level and of deeper levels.
    pub fn add_heading(&mut self, level: u8, heading: String) {
        self.headings.retain(|(heading_level, _)| *heading_level < level);
        self.headings.push((level, heading));
        self.update_heading_path();
    }

    fn update_heading_path(&mut self) {
        self.heading_path = self.headings.iter().map(|(_, heading)| heading.clone()).collect();
        self.has_secret_heading = self.heading_path.iter().any(|heading| secret::is_secret(heading));
    }

    /// Returns the current headings with their levels, outermost first.
    pub fn headings(&self) -> &[(u8, String)] {
        &self.headings
    }

    /// Makes the following blocks at least as secret as `visibility`, until the matching call of
    /// [`pop_visibility`](Self::pop_visibility).
    pub fn push_visibility(&mut self, visibility: &Visibility) {
        let outer = self.visibility.last().cloned().unwrap_or_default();
        self.visibility.push(visibility.within(&outer));
    }

    /// Returns whether the following text is open, because neither the current visibility nor a heading is secret.
    pub(super) fn is_public(&self) -> bool {
        !self.has_secret_heading && self.visibility.last().is_none_or(|visibility| !visibility.is_secret())
    }

    /// Ends the visibility that the last call of [`push_visibility`](Self::push_visibility) began.
    pub fn pop_visibility(&mut self) {
        if self.visibility.len() > 1 {
            self.visibility.pop();
        }
    }

    fn field_path(&self) -> Arc<str> {
        match self.headings.last() {
            None => self.field.clone(),
            Some((_, heading)) if self.field.is_empty() => heading.as_str().into(),
            Some((_, heading)) => format!("{}#{heading}", self.field).into(),
        }
    }

    /// Returns the text of a block with each link replaced by its label, and the links.
    fn resolve_links(
        &self,
        current: &PlainText,
        anchors: &[(Range<usize>, LinkTarget)],
        verbatim: &[Range<usize>],
        visibility: &Visibility,
        block_span: &Range<usize>,
    ) -> (PlainText, Vec<NoteLink>) {
        let mut replacements: Vec<(Range<usize>, Option<LinkTarget>, Option<String>)> =
            anchors.iter().map(|(range, target)| (range.clone(), Some(target.clone()), None)).collect();
        // The ranges in `verbatim` and in `anchors` are sorted and do not overlap.
        let is_taken = |range: &Range<usize>| {
            let code = verbatim.get(verbatim.partition_point(|other| other.end <= range.start));
            let anchor = anchors.get(anchors.partition_point(|(other, _)| other.end <= range.start));
            code.is_some_and(|other| other.start < range.end)
                || anchor.is_some_and(|(other, _)| other.start < range.end)
        };
        let inline = (self.style.inline)(&current.text).into_iter().filter(|link| !is_taken(&link.range));
        replacements.extend(inline.map(|link| (link.range, link.target, Some(link.label))));
        let leftovers = find_template_leftovers(&current.text).into_iter().filter(|range| !is_taken(range));
        replacements.extend(leftovers.map(|range| (range, None, Some(String::new()))));
        replacements.sort_by_key(|(range, ..)| range.start);
        let (mut clean, mut links, mut at) = (PlainText::default(), Vec::new(), 0);
        // If the position of a link is unknown, the origin of the link is that of the whole block.
        let mut whole_origin = None;
        for (range, target, label) in replacements {
            if range.start < at || current.text.get(range.clone()).is_none() {
                continue;
            }
            clean.extend(&current.slice(at..range.start));
            let source_text = &current.text[range.clone()];
            let visible_text = label.clone().unwrap_or_else(|| source_text.to_owned());
            let start = current.source_position(range.start);
            match &label {
                // The label usually occurs within the text of the link.
                Some(label) => {
                    let label_start = source_text
                        .rfind(label.as_str())
                        .and_then(|label_start| current.source_position(range.start + label_start));
                    clean.push(label, label_start.or(start));
                }
                None => clean.extend(&current.slice(range.clone())),
            }
            if let Some(target) = target {
                let mut origin = match (start, current.source_position(range.end.saturating_sub(1))) {
                    (Some(start), Some(end)) if end >= start => self.text.origin(self.field_path(), start..end + 1),
                    _ => whole_origin
                        .get_or_insert_with(|| self.text.origin(self.field_path(), block_span.clone()))
                        .clone(),
                };
                if origin.quote.is_empty() {
                    origin.quote = quote(&visible_text).into();
                }
                let visibility = visibility.clone();
                links.push(NoteLink { target, label: Some(visible_text), relation: None, origin, visibility });
            }
            at = range.end;
        }
        clean.extend(&current.slice(at..current.text.len()));
        (clean.normalize_whitespace(), links)
    }
}
