//! Reads lines of limited length, because a file may consist of one endless line.

use std::io::{self, BufRead, Read};

/// Maximum length of one line in bytes; 64 MiB. A text of 16 MiB fits into a line even if all of its characters are
/// escaped.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// Returns the lines of a reader, without their line endings.
///
/// # Errors
/// An item is an error if the line cannot be read, is longer than 64 MiB, or is not UTF-8.
pub(crate) fn bounded_lines(reader: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    lines_up_to(reader, MAX_LINE_BYTES)
}

fn lines_up_to(mut reader: impl BufRead, max_bytes: u64) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut bytes = Vec::new();
        match reader.by_ref().take(max_bytes + 1).read_until(b'\n', &mut bytes) {
            Err(error) => return Some(Err(error)),
            Ok(0) => return None,
            Ok(read_bytes) if read_bytes as u64 > max_bytes => {
                let reason = format!("the line is longer than {max_bytes} bytes");
                return Some(Err(io::Error::new(io::ErrorKind::FileTooLarge, reason)));
            }
            Ok(_) => {}
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
            if bytes.last() == Some(&b'\r') {
                bytes.pop();
            }
        }
        Some(String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "the line is not UTF-8")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_an_end() {
        let lines = |text: &'static [u8]| {
            let shown = |line: io::Result<String>| line.unwrap_or_else(|error| error.to_string());
            lines_up_to(text, 6).map(shown).take(4).collect::<Vec<_>>()
        };
        assert_eq!(lines(b"one\r\n\ntwo\n"), ["one", "", "two"]);
        assert_eq!(lines(b"12345\n1234567\n")[..2], ["12345", "the line is longer than 6 bytes"]);
        assert_eq!(lines(b"a\n\xFF\n"), ["a", "the line is not UTF-8"]);
    }
}
