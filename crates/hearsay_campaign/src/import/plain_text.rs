//! Text without markup, with its positions in the source.

use std::{fmt, ops::Range};

/// Text without markup. A byte of the text has a position in the source if the source contains this part of the text
/// literally.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct PlainText {
    /// The text.
    pub text: String,
    /// The runs, sorted. A run is a part of the text that the source contains literally. Each item contains the
    /// position of the first byte of the run in the text, and the position of the same byte in the source.
    runs: Vec<(u32, u32)>,
}

impl PlainText {
    /// Creates a text that has no positions in the source.
    pub fn without_positions(text: impl Into<String>) -> Self {
        Self { text: text.into(), runs: Vec::new() }
    }

    /// Returns the source position of the byte at `at`, or `None` if the byte has no position in the source.
    pub fn source_position(&self, at: usize) -> Option<usize> {
        let at = to_u32(at);
        let run = self.runs.partition_point(|(clean, _)| *clean <= at).checked_sub(1)?;
        let (clean, source) = *self.runs.get(run)?;
        (source != NO_POSITION).then(|| (source + (at - clean)) as usize)
    }

    /// Appends a text. If the source contains the text literally, `source` is the position of the text in the source.
    pub fn push(&mut self, text: &str, source: Option<usize>) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        if self.runs.is_empty() || self.source_position(start) != source {
            self.runs.push((to_u32(start), source.map_or(NO_POSITION, to_u32)));
        }
        self.text.push_str(text);
    }

    /// Returns the part of the text in this range of bytes, with its positions in the source.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let text = self.text.get(range.clone()).unwrap_or_default().to_owned();
        let mut slice = Self { text, runs: Vec::new() };
        if !slice.text.is_empty() {
            slice.runs.push((0, self.source_position(range.start).map_or(NO_POSITION, to_u32)));
        }
        let first = self.runs.partition_point(|(clean, _)| *clean <= to_u32(range.start));
        let inside = self.runs[first..].iter().take_while(|(clean, _)| *clean < to_u32(range.end));
        slice.runs.extend(inside.map(|(clean, source)| (clean - to_u32(range.start), *source)));
        slice
    }

    pub(super) fn extend(&mut self, other: &Self) {
        let start = to_u32(self.text.len());
        let is_continuation = other.runs.first().is_some_and(|(at, source)| {
            let next_source = self.source_position(self.text.len()).map_or(NO_POSITION, to_u32);
            *at == 0 && !self.runs.is_empty() && next_source == *source
        });
        self.runs.extend(
            other.runs.iter().skip(usize::from(is_continuation)).map(|(clean, source)| (clean + start, *source)),
        );
        self.text.push_str(&other.text);
    }

    /// Returns the text with single spaces between words and without spaces at its ends.
    pub(super) fn normalize_whitespace(self) -> Self {
        let has_single_spaces =
            !self.text.contains("  ") && !self.text.contains(|c: char| c.is_whitespace() && c != ' ');
        if has_single_spaces && self.text.trim().len() == self.text.len() {
            return self;
        }
        let mut trimmed = Self::default();
        let mut at = 0;
        for word in self.text.split_whitespace() {
            // The words are found in order, so the search starts after the previous word.
            let start = at + self.text[at..].find(word).unwrap_or(0);
            if !trimmed.text.is_empty() {
                trimmed.push(" ", self.source_position(at).filter(|_| start == at + 1));
            }
            trimmed.extend(&self.slice(start..start + word.len()));
            at = start + word.len();
        }
        trimmed
    }
}

/// The source position of text that the source does not contain.
const NO_POSITION: u32 = u32::MAX;

fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NO_POSITION)
}

impl fmt::Debug for PlainText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl From<&str> for PlainText {
    fn from(text: &str) -> Self {
        Self::without_positions(text)
    }
}
