//! Finds the position of a quote in a text.

use hearsay_model::Span;

/// Text in a normalised form for the comparison with quotes: lowercase, with single spaces, straight quotation marks
/// and plain hyphens. `from` maps each byte of the normalised text to its byte position in the original text.
pub(crate) struct Quotable<'a> {
    text: &'a str,
    plain: String,
    from: Vec<u32>,
}

fn plain(c: char) -> char {
    match c {
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' | '`' | '\u{00B4}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{00AB}' | '\u{00BB}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c if c.is_whitespace() || c.is_control() => ' ',
        c => c,
    }
}

/// Normalises a text. Calls `push` with each piece of the result and the byte position of its original character.
fn each(text: &str, mut push: impl FnMut(usize, &str)) {
    let mut blank = true;
    let mut buffer = [0; 4];
    for (at, c) in text.char_indices() {
        match plain(c) {
            ' ' => {
                if !blank {
                    push(at, " ");
                }
                blank = true;
            }
            '\u{2026}' => {
                blank = false;
                push(at, "...");
            }
            // Formatting marks and invisible characters are dropped.
            '*' | '_' | '\u{00AD}' | '\u{200B}'..='\u{200D}' | '\u{FEFF}' => {}
            c => {
                blank = false;
                for c in c.to_lowercase() {
                    push(at, c.encode_utf8(&mut buffer));
                }
            }
        }
    }
}

impl<'a> Quotable<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut quotable =
            Self { text, plain: String::with_capacity(text.len()), from: Vec::with_capacity(text.len()) };
        each(text, |at, piece| {
            quotable.plain.push_str(piece);
            quotable.from.extend(std::iter::repeat_n(at as u32, piece.len()));
        });
        quotable
    }

    /// Returns the byte range of a quote in the text. Returns `None` if the quote has no letter or digit, or does not
    /// occur as whole words.
    pub(crate) fn find(&self, quote: &str) -> Option<Span> {
        let mut wanted = String::with_capacity(quote.len());
        each(quote, |_, piece| wanted.push_str(piece));
        // Models often add quotation marks around a quote or a punctuation mark at its end.
        let wanted = wanted.trim().trim_matches(['"', '\'']).trim_end_matches(['.', ',', ';', ':']).trim();
        if !wanted.contains(char::is_alphanumeric) {
            return None;
        }
        let mut from = 0;
        while let Some(at) = self.plain[from..].find(wanted).map(|at| from + at) {
            let end = at + wanted.len();
            let joined = |left: Option<char>, right: Option<char>| {
                left.is_some_and(char::is_alphanumeric) && right.is_some_and(char::is_alphanumeric)
            };
            let inside = joined(self.plain[..at].chars().next_back(), wanted.chars().next())
                || joined(wanted.chars().next_back(), self.plain[end..].chars().next());
            if !inside {
                let start = self.from.get(at).copied()? as usize;
                let last = self.from.get(end - 1).copied()? as usize;
                let width = self.text[last..].chars().next().map_or(0, char::len_utf8);
                return Some(Span { start, end: last + width });
            }
            from = at + wanted.chars().next().map_or(1, char::len_utf8);
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
            let found = Quotable::new(text).find(quote).map(|span| &text[span.start..span.end]);
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
            match Quotable::new(&text).find(&quote) {
                Some(span) => prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end) && span.start < span.end),
                None => {
                    let mut form = String::new();
                    each(&quote, |_, piece| form.push_str(piece));
                    prop_assert!(!form.contains(char::is_alphanumeric), "{} in {}", quote, text);
                }
            }
        }
    }
}
