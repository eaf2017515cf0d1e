//! Text without markup, with its positions in the source.

use std::{fmt, ops::Range};

/// Text without markup. A byte of the text has a position in the source if the source contains this part of the text
/// literally.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Clean {
    /// The text.
    pub text: String,
    /// The runs, sorted. A run is a part of the text that the source contains literally. It consists of the position of
    /// its first byte in the text, and the position of the same byte in the source.
    runs: Vec<(u32, u32)>,
}

impl Clean {
    /// Creates a text that has no positions in the source.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), runs: Vec::new() }
    }

    /// Returns the source position of the byte at `at`, or `None` if the byte has no position in the source.
    pub fn source(&self, at: usize) -> Option<usize> {
        let at = small(at);
        let run = self.runs.partition_point(|(clean, _)| *clean <= at).checked_sub(1)?;
        let (clean, source) = *self.runs.get(run)?;
        (source != NOWHERE).then(|| (source + (at - clean)) as usize)
    }

    /// Appends a text. If the source contains the text literally, `source` is its position in the source.
    pub fn push(&mut self, text: &str, source: Option<usize>) {
        if text.is_empty() {
            return;
        }
        let here = self.text.len();
        if self.runs.is_empty() || self.source(here) != source {
            self.runs.push((small(here), source.map_or(NOWHERE, small)));
        }
        self.text.push_str(text);
    }

    /// Returns the part of the text in this range of bytes, with its positions in the source.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let text = self.text.get(range.clone()).unwrap_or_default().to_owned();
        let mut slice = Self { text, runs: Vec::new() };
        if !slice.text.is_empty() {
            slice.runs.push((0, self.source(range.start).map_or(NOWHERE, small)));
        }
        let first = self.runs.partition_point(|(clean, _)| *clean <= small(range.start));
        let inside = self.runs[first..].iter().take_while(|(clean, _)| *clean < small(range.end));
        slice.runs.extend(inside.map(|(clean, source)| (clean - small(range.start), *source)));
        slice
    }

    pub(super) fn extend(&mut self, other: &Self) {
        let here = small(self.text.len());
        let joins = other.runs.first().is_some_and(|(at, source)| {
            let goes_on = self.source(self.text.len()).map_or(NOWHERE, small);
            *at == 0 && !self.runs.is_empty() && goes_on == *source
        });
        self.runs.extend(other.runs.iter().skip(usize::from(joins)).map(|(clean, source)| (clean + here, *source)));
        self.text.push_str(&other.text);
    }

    /// Returns the text with single spaces between words and without spaces at its ends.
    pub(super) fn trimmed(self) -> Self {
        let single = !self.text.contains("  ") && !self.text.contains(|c: char| c.is_whitespace() && c != ' ');
        if single && self.text.trim().len() == self.text.len() {
            return self;
        }
        let mut trimmed = Self::default();
        let mut at = 0;
        for word in self.text.split_whitespace() {
            // The words are found in order, so the search starts after the previous word.
            let start = at + self.text[at..].find(word).unwrap_or(0);
            if !trimmed.text.is_empty() {
                trimmed.push(" ", self.source(at).filter(|_| start == at + 1));
            }
            trimmed.extend(&self.slice(start..start + word.len()));
            at = start + word.len();
        }
        trimmed
    }
}

/// The source position of text that the source does not contain.
const NOWHERE: u32 = u32::MAX;

fn small(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NOWHERE)
}

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl From<&str> for Clean {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}
