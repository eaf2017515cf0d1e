//! Text files: decoded, and with the place in the file for every byte.

use std::{ops::Range, sync::Arc};

use super::{FileId, Origin};
use crate::Cancel;

/// How a text file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// With a mark of three bytes.
    Marked,
    Utf16,
}

/// A text file that was read.
#[derive(Debug, Clone)]
pub struct Text {
    /// Its number in the notes.
    pub file: FileId,
    /// Its content, without the mark at the beginning.
    pub content: String,
    encoding: Encoding,
    /// Where lines begin.
    lines: Vec<u32>,
    /// For UTF-16, how many of its units come before each 256th byte.
    units: Vec<u32>,
    /// The line and the bytes of the file that all of it stands for, where it is no file of its own.
    within: Option<(u32, Range<usize>)>,
    /// Ends reading it.
    cancel: Cancel,
}

const STEP: usize = 256;

impl Text {
    /// Takes a text that is no file of its own: a field of a document, which stands on this line and takes up these bytes of
    /// the file. All that is found in it is found there.
    pub fn within(file: FileId, content: String, line: u32, span: Range<usize>) -> Self {
        Self { within: Some((line, span)), ..Self::new(file, content) }
    }

    /// Takes a text as the content of a file.
    pub fn new(file: FileId, content: String) -> Self {
        let encoding = Encoding::Utf8;
        let ends = content.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX))).collect();
        Self { file, content, encoding, lines, units: Vec::new(), within: None, cancel: Cancel::default() }
    }

    /// The same, until somebody asks to stop.
    #[must_use]
    pub(crate) fn until(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Whether somebody asked to stop: what is made of it is dropped.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Decodes a file.
    ///
    /// # Errors
    /// When it is no text: why, and what to do.
    pub fn decode(file: FileId, bytes: Vec<u8>) -> Result<Self, String> {
        let (content, encoding) = match &bytes[..] {
            [0xEF, 0xBB, 0xBF, rest @ ..] => (utf8(rest)?.to_owned(), Encoding::Marked),
            [0xFF, 0xFE, rest @ ..] => (utf16(rest, u16::from_le_bytes)?, Encoding::Utf16),
            [0xFE, 0xFF, rest @ ..] => (utf16(rest, u16::from_be_bytes)?, Encoding::Utf16),
            _ => {
                utf8(&bytes)?;
                (String::from_utf8(bytes).map_err(|error| error.to_string())?, Encoding::Utf8)
            }
        };
        let mut text = Self { encoding, ..Self::new(file, content) };
        if encoding == Encoding::Utf16 {
            let mut units = 0;
            for (at, c) in text.content.char_indices() {
                while text.units.len() * STEP <= at {
                    text.units.push(units);
                }
                units += u32::from(c.len_utf16() == 2) + 1;
            }
        }
        Ok(text)
    }

    /// The line, from 1, on which a byte of the content stands.
    pub fn line(&self, at: usize) -> u32 {
        if let Some((line, _)) = self.within {
            return line;
        }
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        u32::try_from(self.lines.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    /// Where a byte of the content stands in the file on the disk.
    pub fn on_disk(&self, at: usize) -> usize {
        match self.encoding {
            Encoding::Utf8 => at,
            Encoding::Marked => at + 3,
            Encoding::Utf16 => {
                let mut known = at / STEP;
                // The mark counts from a letter's beginning: begin a step earlier where it lies within one.
                while known > 0 && (known >= self.units.len() || !self.content.is_char_boundary(known * STEP)) {
                    known -= 1;
                }
                let before = self.units.get(known).map_or(0, |units| *units as usize);
                let rest = self.content.get(known * STEP..at).unwrap_or_default();
                2 + 2 * (before + rest.encode_utf16().count())
            }
        }
    }

    /// A place in this file, with what is written there.
    pub fn origin(&self, field: impl Into<Arc<str>>, span: Range<usize>) -> Origin {
        let source = self.content.get(span.clone()).unwrap_or_default();
        let mut origin = self.place(field, span, source);
        // What is quoted may come before others than the DM.
        const MARKS: [&str; 9] = ["%%", "<", "[!", "||", "[/", "{{", ":::", "```", "~~~"];
        if MARKS.iter().any(|mark| source.contains(mark)) {
            origin.quote = super::quote(&crate::text::without_secrets(source)).into();
        }
        origin
    }

    fn place(&self, field: impl Into<Arc<str>>, span: Range<usize>, source: &str) -> Origin {
        if let Some((line, whole)) = &self.within {
            return Origin::new(self.file, *line, field, whole.clone(), source);
        }
        Origin::new(self.file, self.line(span.start), field, self.on_disk(span.start)..self.on_disk(span.end), source)
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        format!("line {line} is not UTF-8 text: save the file as UTF-8")
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let broken = || "the file is broken UTF-16 text: save it as UTF-8".to_owned();
    if bytes.len() % 2 == 1 {
        return Err(broken());
    }
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| broken())
}
