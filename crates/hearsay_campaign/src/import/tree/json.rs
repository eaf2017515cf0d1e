//! JSON with the position of every value. Accepts a byte order mark and trailing commas, because other tools write
//! them.

use super::value::{Data, Tree, to_u32};
use crate::{Limits, cancel::CANCELLED, import::SourceText};

pub(super) fn parse(text: &SourceText, limits: &Limits) -> Result<Tree, String> {
    let mut parser = Parser { text, source: text.content.as_bytes(), at: 0, end: text.content.len(), limits };
    let value = parser.parse_value(0)?;
    parser.skip_whitespace();
    if parser.at < parser.end {
        return Err(parser.error("trailing data after the JSON value"));
    }
    Ok(value)
}

pub(super) fn lines<'a>(
    text: &'a SourceText,
    limits: &'a Limits,
) -> impl Iterator<Item = Result<Tree, (u32, String)>> + use<'a> {
    let mut at = 0;
    text.content.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        if line.trim().is_empty() {
            return None;
        }
        let mut parser = Parser { text, source: text.content.as_bytes(), at: start, end: at, limits };
        let value = parser.parse_value(0).and_then(|value| {
            parser.skip_whitespace();
            if parser.at < parser.end { Err(parser.error("trailing data after the JSON value")) } else { Ok(value) }
        });
        Some(value.map_err(|reason| (text.line(start), reason)))
    })
}

struct Parser<'a> {
    text: &'a SourceText,
    source: &'a [u8],
    at: usize,
    end: usize,
    limits: &'a Limits,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied().filter(|_| self.at < self.end)
    }

    fn skip_whitespace(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn error(&self, message: &str) -> String {
        format!("line {}: invalid JSON: {message}; export the file again", self.text.line(self.at.min(self.end)))
    }

    /// Parses a value. The limit on depth protects the stack, because this function calls itself for nested values.
    fn parse_value(&mut self, depth: usize) -> Result<Tree, String> {
        self.skip_whitespace();
        let start = self.at;
        if depth > self.limits.depth {
            let max_depth = self.limits.depth;
            return Err(format!(
                "line {}: lists and objects are nested more than {max_depth} levels deep",
                self.text.line(start)
            ));
        }
        if self.limits.cancel.is_cancelled() {
            return Err(CANCELLED.to_owned());
        }
        let data = match self.peek() {
            None => return Err(self.error("unexpected end of the file")),
            Some(b'{') => self.parse_map(depth)?,
            Some(b'[') => self.parse_list(depth)?,
            Some(b'"') => Data::Text(self.parse_string()?.into()),
            Some(b't') => self.parse_literal("true", Data::Flag(true))?,
            Some(b'f') => self.parse_literal("false", Data::Flag(false))?,
            Some(b'n') => self.parse_literal("null", Data::Null)?,
            Some(b'-' | b'0'..=b'9') => {
                while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')) {
                    self.at += 1;
                }
                Data::Number(self.text.content.get(start..self.at).unwrap_or_default().into())
            }
            Some(_) => return Err(self.error("expected a value")),
        };
        let span = to_u32(self.text.file_position(start))..to_u32(self.text.file_position(self.at));
        Ok(Tree { span, line: self.text.line(start), data })
    }

    fn parse_literal(&mut self, word: &str, data: Data) -> Result<Data, String> {
        if self.source.get(self.at..self.end).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.at += word.len();
            return Ok(data);
        }
        Err(self.error("expected a value"))
    }

    fn parse_map(&mut self, depth: usize) -> Result<Data, String> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            self.skip_whitespace();
            match self.peek() {
                Some(b'}') => break,
                Some(b'"') => {}
                Some(b',') if !entries.is_empty() => {
                    self.at += 1;
                    continue;
                }
                None => return Err(self.error("unexpected end of the file")),
                Some(_) => return Err(self.error("expected a key in quotes")),
            }
            let key = self.parse_string()?;
            self.skip_whitespace();
            if self.peek() != Some(b':') {
                return Err(self.error("expected a colon after the key"));
            }
            self.at += 1;
            entries.push((key.into(), self.parse_value(depth + 1)?));
            self.skip_whitespace();
            if !matches!(self.peek(), Some(b',' | b'}')) {
                return Err(self.error("expected a comma"));
            }
        }
        self.at += 1;
        Ok(Data::Map(entries))
    }

    fn parse_list(&mut self, depth: usize) -> Result<Data, String> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.skip_whitespace();
            match self.peek() {
                Some(b']') => break,
                Some(b',') if !items.is_empty() => {
                    self.at += 1;
                    continue;
                }
                None => return Err(self.error("unexpected end of the file")),
                Some(_) => {}
            }
            items.push(self.parse_value(depth + 1)?);
            self.skip_whitespace();
            if !matches!(self.peek(), Some(b',' | b']')) {
                return Err(self.error("expected a comma"));
            }
        }
        self.at += 1;
        Ok(Data::List(items))
    }

    fn parse_string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut out = String::new();
        let mut start = self.at;
        loop {
            match self.peek() {
                None => return Err(self.error("a string has no closing quote")),
                Some(b'"') => {
                    out.push_str(self.text.content.get(start..self.at).unwrap_or_default());
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    out.push_str(self.text.content.get(start..self.at).unwrap_or_default());
                    self.at += 1;
                    self.parse_escape(&mut out)?;
                    start = self.at;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn parse_escape(&mut self, out: &mut String) -> Result<(), String> {
        let byte = self.peek().ok_or_else(|| self.error("a string has no closing quote"))?;
        self.at += 1;
        match byte {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => {}
            b'b' | b'f' => out.push(' '),
            b'"' | b'\\' | b'/' => out.push(char::from(byte)),
            b'u' => {
                let first = self.parse_hex()?;
                let pair = (0xD800..0xDC00).contains(&first) && self.source.get(self.at..self.at + 2) == Some(b"\\u");
                let code = if pair {
                    self.at += 2;
                    let second = self.parse_hex()?;
                    0x10000 + ((first - 0xD800) << 10) + (second.wrapping_sub(0xDC00) & 0x3FF)
                } else {
                    first
                };
                out.push(char::from_u32(code).unwrap_or('\u{FFFD}'));
            }
            _ => return Err(self.error("a string has an unknown escape sequence")),
        }
        Ok(())
    }

    fn parse_hex(&mut self) -> Result<u32, String> {
        let digits = self.text.content.get(self.at..self.at + 4).filter(|_| self.at + 4 <= self.end);
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at += 4;
        code.ok_or_else(|| self.error("a string has an unknown escape sequence"))
    }
}
