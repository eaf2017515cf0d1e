//! Finds the position of a quote in a text.

use hearsay_model::Span;

/// Text in a normalised form for the comparison with quotes: lowercase, with single spaces, straight quotation marks
/// and plain hyphens. `byte_positions` maps each byte of the normalised text to its byte position in the original text.
pub(crate) struct NormalizedText<'a> {
    text: &'a str,
    normalized: String,
    byte_positions: Vec<u32>,
}

fn normalized_char(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' | '`' | '\u{00B4}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{00AB}' | '\u{00BB}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_whitespace() || c.is_control() => ' ',
        c => c,
    }
}

/// Normalises a text. Calls `push` with each piece of the result and the byte position of its original character.
fn normalize(text: &str, mut push: impl FnMut(usize, &str)) {
    let mut last_is_space = true;
    let mut buffer = [0; 4];
    for (at, c) in text.char_indices() {
        match normalized_char(c) {
            ' ' => {
                if !last_is_space {
                    push(at, " ");
                }
                last_is_space = true;
            }
            '\u{2026}' => {
                last_is_space = false;
                push(at, "...");
            }
            // Formatting marks and invisible characters are dropped.
            '*' | '_' | '\u{00AD}' | '\u{200B}'..='\u{200D}' | '\u{FEFF}' => {}
            c => {
                last_is_space = false;
                for c in c.to_lowercase() {
                    push(at, c.encode_utf8(&mut buffer));
                }
            }
        }
    }
}

impl<'a> NormalizedText<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut normalized = Self {
            text,
            normalized: String::with_capacity(text.len()),
            byte_positions: Vec::with_capacity(text.len()),
        };
        normalize(text, |at, piece| {
            normalized.normalized.push_str(piece);
            normalized.byte_positions.extend(std::iter::repeat_n(at as u32, piece.len()));
        });
        normalized
    }

    /// Returns the byte range of a quote in the text. Returns `None` if the quote has no letter or digit, or does not
    /// occur as whole words.
    pub(crate) fn find(&self, quote: &str) -> Option<Span> {
        let mut normalized_quote = String::with_capacity(quote.len());
        normalize(quote, |_, piece| normalized_quote.push_str(piece));
        // Models often add quotation marks around a quote or a punctuation mark at its end.
        let normalized_quote =
            normalized_quote.trim().trim_matches(['"', '\'']).trim_end_matches(['.', ',', ';', ':']).trim();
        if !normalized_quote.contains(char::is_alphanumeric) {
            return None;
        }
        let mut from = 0;
        while let Some(at) = self.normalized[from..].find(normalized_quote).map(|at| from + at) {
            let end = at + normalized_quote.len();
            let is_same_word = |left: Option<char>, right: Option<char>| {
                left.is_some_and(char::is_alphanumeric) && right.is_some_and(char::is_alphanumeric)
            };
            let is_inside_word =
                is_same_word(self.normalized[..at].chars().next_back(), normalized_quote.chars().next())
                    || is_same_word(normalized_quote.chars().next_back(), self.normalized[end..].chars().next());
            if !is_inside_word {
                let start = self.byte_positions.get(at).copied()? as usize;
                let last = self.byte_positions.get(end - 1).copied()? as usize;
                let width = self.text[last..].chars().next().map_or(0, char::len_utf8);
                return Some(Span { start, end: last + width });
            }
            from = at + normalized_quote.chars().next().map_or(1, char::len_utf8);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quotes_are_found_as_they_are_read() {
        let check = |text: &str, quote: &str, expected: Option<&str>| {
            let found = NormalizedText::new(text).find(quote).map(|span| &text[span.start..span.end]);
            assert_eq!(found, expected, "{quote} in {text}");
        };
        check(
            "The smith\u{2019}s  debt\nis paid.",
            "the smith's debt is paid",
            Some("The smith\u{2019}s  debt\nis paid"),
        );
        check(
            "He said \u{201C}Run!\u{201D} and ran.",
            "\"He said \"Run!\" and ran.\"",
            Some("He said \u{201C}Run!\u{201D} and ran"),
        );
        check("Wait\u{2026} no", "wait... no", Some("Wait\u{2026} no"));
        check("a **bold** word", "a bold word", Some("a **bold** word"));
        check("We start now. Art is here.", "art", Some("Art"));
        check("We start now.", "art", None);
        check("Odo owns it.", "Odo has it.", None);
        check("Odo owns it.", " \"...\" ", None);
        check("ÉÉ owns", "éé OWNS", Some("ÉÉ owns"));
        check("", "x", None);
    }

    proptest! {
        #[test]
        fn what_stands_in_a_text_is_found(text in "\\PC{0,60}", start in 0_usize..60, length in 1_usize..30) {
            let words: Vec<&str> = text.split_whitespace().collect();
            let quote = words.iter().skip(start % words.len().max(1)).take(length).copied().collect::<Vec<_>>().join(" ");
            match NormalizedText::new(&text).find(&quote) {
                Some(span) => prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end) && span.start < span.end),
                None => {
                    let mut form = String::new();
                    normalize(&quote, |_, piece| form.push_str(piece));
                    prop_assert!(!form.contains(char::is_alphanumeric), "{} in {}", quote, text);
                }
            }
        }
    }
}
