//! Construction of blocks by a markup parser.

use std::{ops::Range, sync::Arc};

use super::{
    hidden::{inline_field, noise},
    style::Style,
};
use crate::import::{Block, Clean, Link, Target, Text, Visibility, quote, secret};

/// Returns whether the text contains a remark in brackets that marks it as DM-only: `(DM only) …`, `… [secret:: …]`.
fn remarked(text: &str) -> bool {
    text.match_indices(['(', '[']).any(|(at, _)| {
        let close = if text[at..].starts_with('(') { ')' } else { ']' };
        // A longer text is not a remark.
        let mut most = text.len().min(at + 65);
        while !text.is_char_boundary(most) {
            most += 1;
        }
        let inner = text[at + 1..most].split(close).next().unwrap_or_default();
        match inner.split_once("::") {
            Some((name, _)) => name.len() <= 48 && secret::is_secret(name),
            None => {
                let around = text[..at].trim().is_empty() || text[at + 1 + inner.len()..].trim().len() <= 2;
                inner.len() <= 40 && around && secret::is_nothing_but_secret(inner)
            }
        }
    })
}

/// Creates blocks from the output of a markup parser. The parser adds words, links and headings in the order of the
/// text, and ends each block.
pub struct Writer<'a> {
    text: &'a Text,
    field: Arc<str>,
    style: Style<'a>,
    blocks: &'a mut Vec<Block>,
    headings: Vec<(u8, String)>,
    path: Arc<[String]>,
    /// Whether one of the current headings marks its section as secret.
    hidden: bool,
    /// Whether the current block is marked as secret.
    hidden_now: bool,
    /// The stack of visibilities, outermost first.
    visibility: Vec<Visibility>,
    now: Clean,
    /// Whether the current block has only whitespace so far.
    blank: bool,
    /// Whether the current block has a colon followed by a space, and the number of bytes that were already searched.
    colon: (bool, usize),
    /// The anchors in the current block: their ranges in bytes, and their targets.
    anchors: Vec<(Range<usize>, Target)>,
    /// The bytes of the current block that are code.
    verbatim: Vec<Range<usize>>,
    /// The length of the label at the start of the current block, in bytes.
    label: Option<usize>,
    /// The length of the bold text at the start of the current block, in bytes. This text is a label if a colon
    /// follows.
    maybe_label: Option<usize>,
    /// The range of the source that the current block covers, in bytes.
    span: Option<Range<usize>>,
}

impl<'a> Writer<'a> {
    /// Creates a writer that appends blocks to `blocks`. All blocks are at least as secret as `visibility`.
    pub fn new(
        text: &'a Text,
        field: impl Into<Arc<str>>,
        visibility: Visibility,
        style: Style<'a>,
        blocks: &'a mut Vec<Block>,
    ) -> Self {
        Self {
            text,
            field: field.into(),
            style,
            blocks,
            headings: Vec::new(),
            path: Arc::default(),
            hidden: false,
            hidden_now: false,
            visibility: vec![visibility],
            now: Clean::default(),
            blank: true,
            colon: (false, 0),
            anchors: Vec::new(),
            verbatim: Vec::new(),
            label: None,
            maybe_label: None,
            span: None,
        }
    }

    /// Returns whether the caller has cancelled.
    pub(super) fn is_cancelled(&self) -> bool {
        self.text.is_cancelled()
    }

    /// Makes the text that the current block has so far its label, such as `Status` in `**Status:** …`, or the first
    /// cell of a row.
    pub fn label(&mut self) {
        if self.label.is_none() {
            self.label = Some(self.position());
        }
    }

    /// Makes the text that the current block has so far its label, if a colon comes next.
    pub(super) fn maybe_label(&mut self) {
        if self.maybe_label.is_none() {
            self.maybe_label = Some(self.position());
        }
    }

    /// Marks the whole current block as DM-only.
    pub fn hide(&mut self) {
        self.hidden_now = true;
    }

    /// Returns whether the current block only announces that the next text is DM-only: `GM notes`, `Secret:`.
    pub(super) fn announces_secret(&self) -> bool {
        let written = self.so_far().trim();
        match written.strip_suffix(':') {
            Some(label) => label.len() < 60 && !label.contains(':') && secret::is_secret(label),
            None => written.len() < 60 && secret::is_nothing_but_secret(written),
        }
    }

    /// Ends the current headings of this level and of all deeper levels.
    pub fn end_heading(&mut self, level: u8) {
        self.headings.retain(|(held, _)| *held < level);
        self.follow_headings();
    }

    /// Discards the current block without adding it.
    pub fn forget(&mut self) {
        self.hidden_now = false;
        let _ = self.take();
        self.anchors.clear();
        self.verbatim.clear();
        (self.label, self.maybe_label, self.span) = (None, None, None);
    }

    fn take(&mut self) -> Clean {
        (self.blank, self.colon) = (true, (false, 0));
        std::mem::take(&mut self.now)
    }

    /// Returns the label of the current block.
    fn labelled(&mut self, now: &str) -> Option<String> {
        let (label, maybe) = (self.label.take(), self.maybe_label.take());
        let followed = |at: &usize| now.get(*at..).is_some_and(|rest| rest.trim_start().starts_with(':'));
        let end = label.or(maybe.filter(followed)).or_else(|| {
            let (name, _) = inline_field(now)?;
            Some(now.find(name)? + name.len())
        })?;
        let label = now.get(..end)?.trim().trim_end_matches(':').trim();
        let fits = !label.is_empty() && label.len() <= 60 && label.split_whitespace().count() <= 6;
        fits.then(|| label.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Returns who may know the current block.
    fn seen(&self, label: Option<&str>) -> Visibility {
        let visibility = self.visibility.last().cloned().unwrap_or_default();
        let hidden = self.hidden || self.hidden_now || label.is_some_and(secret::is_secret);
        if hidden { Visibility::SECRET.within(&visibility) } else { visibility }
    }

    /// Appends words to the current block. If the source contains the words literally, `source` is their position in
    /// the source, in bytes.
    pub fn words(&mut self, words: &str, source: Option<usize>) {
        if let Some(at) = source {
            self.take_up(at..at + words.len());
        }
        self.blank &= words.trim().is_empty();
        self.now.push(words, source);
    }

    /// Returns whether the current block has only whitespace so far.
    pub(super) fn is_blank(&self) -> bool {
        self.blank
    }

    /// Returns whether the current block has a colon followed by a space so far.
    pub(super) fn has_colon(&mut self) -> bool {
        let (found, seen) = self.colon;
        let text = &self.now.text;
        // The colon may be the last byte that was searched before.
        let found = found || text.get(seen.saturating_sub(1)..).unwrap_or(text).contains(": ");
        self.colon = (found, text.len());
        found
    }

    /// Appends words that are not searched for links, such as code.
    pub fn code(&mut self, words: &str, source: Option<usize>) {
        let start = self.now.text.len();
        self.words(words, source);
        self.verbatim.push(start..self.now.text.len());
    }

    /// Returns the length of the current block in bytes. Pass this length to [`anchor`](Self::anchor) as the start.
    pub fn position(&self) -> usize {
        self.now.text.len()
    }

    /// Turns the text from byte `start` to the end of the current block into a link to this address.
    pub fn anchor(&mut self, start: usize, address: &str) {
        if let Some(target) = (self.style.address)(address) {
            self.anchors.push((start..self.position(), target));
        }
    }

    /// Extends the range of the source that the current block covers, so that it includes the range `source`.
    pub fn take_up(&mut self, source: Range<usize>) {
        self.span = Some(match self.span.take() {
            None => source,
            Some(span) => span.start.min(source.start)..span.end.max(source.end),
        });
    }

    /// Returns the text that the current block has so far. The block continues.
    pub fn so_far(&self) -> &str {
        &self.now.text
    }

    /// Ends the current block and finds the links in it. Returns the block, so that the caller can change it. Returns
    /// `None` if the block is empty.
    pub fn end(&mut self) -> Option<&mut Block> {
        let now = self.take();
        let (anchors, verbatim) = (std::mem::take(&mut self.anchors), std::mem::take(&mut self.verbatim));
        let span = self.span.take().unwrap_or(0..0);
        let label = self.labelled(&now.text);
        // A label that marks a secret need not be bold.
        let begins = now.text.split_once(':').map(|(label, _)| label).filter(|label| label.len() <= 40);
        let visibility = self.seen(label.as_deref().or(begins));
        self.hidden_now = false;
        let (clean, mut links) = self.linked(&now, &anchors, &verbatim, &visibility, &span);
        let mut visibility = visibility;
        if !visibility.is_secret() && (secret::is_told_as_secret(&clean.text) || remarked(&clean.text)) {
            visibility = Visibility::SECRET.within(&visibility);
            links.iter_mut().for_each(|link| link.visibility = visibility.clone());
        }
        if !clean.text.chars().any(char::is_alphanumeric) && links.is_empty() {
            return None;
        }
        let mut origin = self.text.origin(self.place(), span);
        if origin.quote.is_empty() {
            origin.quote = quote(&clean.text).into();
        }
        let headings = self.path.clone();
        links.shrink_to_fit();
        let block = Block { headings, label, text: clean, speaker: None, links, origin, visibility };
        self.blocks.push(block);
        self.blocks.last_mut()
    }

    /// Ends the current block and makes its text a heading for the following blocks. Levels are 1 to 6, and 7 for a
    /// label. Returns the text of the heading.
    pub fn end_as_heading(&mut self, level: u8) -> String {
        let now = self.take();
        let (anchors, verbatim) = (std::mem::take(&mut self.anchors), std::mem::take(&mut self.verbatim));
        (self.label, self.maybe_label, self.span) = (None, None, None);
        let visibility = self.seen(None);
        self.hidden_now = false;
        let (clean, _) = self.linked(&now, &anchors, &verbatim, &visibility, &(0..0));
        self.heading(level, clean.text.clone());
        clean.text
    }

    /// Adds a heading for the following blocks. Current headings of the same level or a deeper level end.
    pub fn heading(&mut self, level: u8, heading: String) {
        self.headings.retain(|(held, _)| *held < level);
        self.headings.push((level, heading));
        self.follow_headings();
    }

    fn follow_headings(&mut self) {
        self.path = self.headings.iter().map(|(_, heading)| heading.clone()).collect();
        self.hidden = self.path.iter().any(|heading| secret::is_secret(heading));
    }

    /// Returns the current headings with their levels, outermost first.
    pub fn headings(&self) -> &[(u8, String)] {
        &self.headings
    }

    /// Makes the following blocks at least as secret as `visibility`, until the matching call of
    /// [`close`](Self::close).
    pub fn open(&mut self, visibility: &Visibility) {
        let outer = self.visibility.last().cloned().unwrap_or_default();
        self.visibility.push(visibility.within(&outer));
    }

    /// Returns whether the following text is open, because neither the current visibility nor a heading is secret.
    pub(super) fn is_open_to_all(&self) -> bool {
        !self.hidden && self.visibility.last().is_none_or(|visibility| !visibility.is_secret())
    }

    /// Ends the visibility that the last call of [`open`](Self::open) began.
    pub fn close(&mut self) {
        if self.visibility.len() > 1 {
            self.visibility.pop();
        }
    }

    fn place(&self) -> Arc<str> {
        match self.headings.last() {
            None => self.field.clone(),
            Some((_, heading)) if self.field.is_empty() => heading.as_str().into(),
            Some((_, heading)) => format!("{}#{heading}", self.field).into(),
        }
    }

    /// Returns the text of a block with each link replaced by its label, and the links.
    fn linked(
        &self,
        now: &Clean,
        anchors: &[(Range<usize>, Target)],
        verbatim: &[Range<usize>],
        visibility: &Visibility,
        whole: &Range<usize>,
    ) -> (Clean, Vec<Link>) {
        let mut found: Vec<(Range<usize>, Option<Target>, Option<String>)> =
            anchors.iter().map(|(range, target)| (range.clone(), Some(target.clone()), None)).collect();
        // Both lists are sorted and have no overlaps.
        let taken = |range: &Range<usize>| {
            let code = verbatim.get(verbatim.partition_point(|other| other.end <= range.start));
            let anchor = anchors.get(anchors.partition_point(|(other, _)| other.end <= range.start));
            code.is_some_and(|other| other.start < range.end)
                || anchor.is_some_and(|(other, _)| other.start < range.end)
        };
        let inline = (self.style.inline)(&now.text).into_iter().filter(|link| !taken(&link.range));
        found.extend(inline.map(|link| (link.range, link.target, Some(link.label))));
        let noise = noise(&now.text).into_iter().filter(|range| !taken(range));
        found.extend(noise.map(|range| (range, None, Some(String::new()))));
        found.sort_by_key(|(range, ..)| range.start);
        let (mut clean, mut links, mut at) = (Clean::default(), Vec::new(), 0);
        // If the position of a link is unknown, the origin of the link is that of the whole block.
        let mut whole_origin = None;
        for (range, target, label) in found {
            if range.start < at || now.text.get(range.clone()).is_none() {
                continue;
            }
            clean.extend(&now.slice(at..range.start));
            let written = &now.text[range.clone()];
            let shown = label.clone().unwrap_or_else(|| written.to_owned());
            let start = now.source(range.start);
            match &label {
                // The label usually occurs within the text of the link.
                Some(label) => {
                    let within = written.rfind(label.as_str()).and_then(|within| now.source(range.start + within));
                    clean.push(label, within.or(start));
                }
                None => clean.extend(&now.slice(range.clone())),
            }
            if let Some(target) = target {
                let mut origin = match (start, now.source(range.end.saturating_sub(1))) {
                    (Some(start), Some(end)) if end >= start => self.text.origin(self.place(), start..end + 1),
                    _ => whole_origin.get_or_insert_with(|| self.text.origin(self.place(), whole.clone())).clone(),
                };
                if origin.quote.is_empty() {
                    origin.quote = quote(&shown).into();
                }
                let visibility = visibility.clone();
                links.push(Link { target, label: Some(shown), relation: None, origin, visibility });
            }
            at = range.end;
        }
        clean.extend(&now.slice(at..now.text.len()));
        (clean.trimmed(), links)
    }
}
