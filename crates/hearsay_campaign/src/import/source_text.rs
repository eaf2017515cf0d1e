//! Decodes text files. Every byte of the decoded text maps to a position in the file.

use std::{ops::Range, sync::Arc};

use super::{FileId, Origin};
use crate::CancelToken;

/// The encoding of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    /// UTF-8 with a byte order mark of three bytes.
    Utf8WithBom,
    Utf16,
}

/// The decoded content of a text file, or of a part of it.
#[derive(Debug, Clone)]
pub struct SourceText {
    /// The index of the file in [`Notes::files`](super::Notes::files).
    pub file: FileId,
    /// The decoded content, without the byte order mark.
    pub content: String,
    encoding: Encoding,
    /// The start of each line, as a byte position in `content`.
    lines: Vec<u32>,
    /// For UTF-16, the number of 16-bit units before every 256th byte of `content`.
    utf16_units: Vec<u32>,
    /// For a text that is only a part of a file: the line and the byte range of that part. Every position in the text
    /// maps to this line and this range.
    part: Option<(u32, Range<usize>)>,
    /// The flag that cancels reading.
    cancel: CancelToken,
}

const UNIT_STEP_BYTES: usize = 256;

impl SourceText {
    /// Creates a text that is only a part of a file, such as a field of a document. Every position in the text maps to
    /// the line `line` and to the bytes `span` of the file.
    pub fn from_part(file: FileId, content: String, line: u32, span: Range<usize>) -> Self {
        Self { part: Some((line, span)), ..Self::new(file, content) }
    }

    /// Creates a text from the decoded content of a file.
    pub fn new(file: FileId, content: String) -> Self {
        let encoding = Encoding::Utf8;
        let ends = content.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX))).collect();
        Self { file, content, encoding, lines, utf16_units: Vec::new(), part: None, cancel: CancelToken::default() }
    }

    /// Sets the flag that stops reading.
    #[must_use]
    pub(crate) fn with_cancel(self, cancel: &CancelToken) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Returns whether a caller has cancelled the reading. The result is then incomplete and must be dropped.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(crate) fn cancel_token(&self) -> &CancelToken {
        &self.cancel
    }

    /// Decodes the bytes of a file. Supports UTF-8 with or without a byte order mark, and UTF-16 with a byte order
    /// mark.
    ///
    /// # Errors
    /// Returns the reason and a hint if the bytes are not text.
    pub fn decode(file: FileId, bytes: Vec<u8>) -> Result<Self, String> {
        let (content, encoding) = match &bytes[..] {
            [0xEF, 0xBB, 0xBF, rest @ ..] => (decode_utf8(rest)?.to_owned(), Encoding::Utf8WithBom),
            [0xFF, 0xFE, rest @ ..] => (decode_utf16(rest, u16::from_le_bytes)?, Encoding::Utf16),
            [0xFE, 0xFF, rest @ ..] => (decode_utf16(rest, u16::from_be_bytes)?, Encoding::Utf16),
            _ => {
                decode_utf8(&bytes)?;
                (String::from_utf8(bytes).map_err(|error| error.to_string())?, Encoding::Utf8)
            }
        };
        let mut text = Self { encoding, ..Self::new(file, content) };
        if encoding == Encoding::Utf16 {
            let mut units = 0;
            for (at, c) in text.content.char_indices() {
                while text.utf16_units.len() * UNIT_STEP_BYTES <= at {
                    text.utf16_units.push(units);
                }
                units += u32::from(c.len_utf16() == 2) + 1;
            }
        }
        Ok(text)
    }

    /// Returns the line of the file that contains the byte `content[at]`, counted from 1.
    pub fn line(&self, at: usize) -> u32 {
        if let Some((line, _)) = self.part {
            return line;
        }
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        u32::try_from(self.lines.partition_point(|start| *start <= at)).unwrap_or(u32::MAX)
    }

    /// Returns the position in the file, in bytes, of the byte `content[at]`.
    pub fn file_position(&self, at: usize) -> usize {
        match self.encoding {
            Encoding::Utf8 => at,
            Encoding::Utf8WithBom => at + 3,
            Encoding::Utf16 => {
                let mut step = at / UNIT_STEP_BYTES;
                // A count is only valid if its byte is the start of a character. Otherwise the previous count is used.
                while step > 0
                    && (step >= self.utf16_units.len() || !self.content.is_char_boundary(step * UNIT_STEP_BYTES))
                {
                    step -= 1;
                }
                let before = self.utf16_units.get(step).map_or(0, |units| *units as usize);
                let rest = self.content.get(step * UNIT_STEP_BYTES..at).unwrap_or_default();
                2 + 2 * (before + rest.encode_utf16().count())
            }
        }
    }

    /// Returns the origin of a byte range of the content. The origin contains a quote and a hash of `source`.
    pub(super) fn origin_with_source(&self, field: impl Into<Arc<str>>, span: Range<usize>, source: &str) -> Origin {
        if let Some((line, part_span)) = &self.part {
            return Origin::new(self.file, *line, field, part_span.clone(), source);
        }
        Origin::new(
            self.file,
            self.line(span.start),
            field,
            self.file_position(span.start)..self.file_position(span.end),
            source,
        )
    }
}

fn decode_utf8(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        format!("line {line} is not UTF-8 text; save the file as UTF-8")
    })
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let invalid = || "the file is not valid UTF-16 text; save the file as UTF-8".to_owned();
    if bytes.len() % 2 == 1 {
        return Err(invalid());
    }
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| invalid())
}
