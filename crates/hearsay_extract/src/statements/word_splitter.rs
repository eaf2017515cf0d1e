//! Splits a line into words by the same rules as `training/text.py`.

/// A word or a punctuation mark, with its byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Splits a line into runs of letters and digits, and other single characters. White space is left out.
pub(crate) fn split_words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut run: Option<usize> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_alphanumeric() {
            run.get_or_insert(at);
            continue;
        }
        if let Some(start) = run.take() {
            words.push(Word { text: &text[start..at], start, end: at });
        }
        if !c.is_whitespace() {
            let end = at + c.len_utf8();
            words.push(Word { text: &text[at..end], start: at, end });
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_divided_at_every_mark() {
        let texts = |line| split_words(line).iter().map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(texts("Vax's key, 3rd!"), ["Vax", "'", "s", "key", ",", "3rd", "!"]);
        assert_eq!(texts("  \u{201C}Ja\u{201D} "), ["\u{201C}", "Ja", "\u{201D}"]);
        assert!(split_words("").is_empty());
    }
}
