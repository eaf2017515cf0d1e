//! Splits texts into paragraphs, and paragraphs into sentences of limited length.

use crate::token::{Sort, Token, tokens};

/// Maximum length of a paragraph in bytes, and maximum number of tokens in a sentence.
const MOST_BYTES: usize = 4_000;
const MOST_TOKENS: usize = 90;

/// Maximum depth of nested quotations that are read as speech.
pub(crate) const MOST_DEPTH: usize = 2;

/// Sentence: its tokens, and the tokens of each quotation in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sentence {
    pub(crate) tokens: Vec<Token>,
    pub(crate) quotes: Vec<Vec<Token>>,
}

/// Returns the byte ranges of a text that are read separately: paragraphs, lines of a list, and parts of very long
/// paragraphs.
pub(crate) fn paragraphs(text: &str) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let start = at;
        let limit = floor(text, start.saturating_add(MOST_BYTES));
        let window = &text[start..limit];
        let mut from = 0;
        let mut end = None;
        while let Some(line) = window[from..].find('\n').map(|at| from + at) {
            if ends_paragraph(&window[..line], &window[line + 1..]) {
                end = Some(start + line + 1);
                break;
            }
            from = line + 1;
        }
        at = match end {
            Some(end) => end,
            None if limit == text.len() => limit,
            None => start + cut(window),
        };
        Some(start..at)
    })
}

/// Returns whether a paragraph ends between two lines. If the next line begins in lowercase, it may continue a wrapped
/// paragraph.
fn ends_paragraph(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let next = after.trim_start_matches([' ', '\t', '\r']).chars().next();
    let open = before.ends_with(|c: char| c.is_alphanumeric() || c == ',');
    !(open && next.is_some_and(|c| c.is_lowercase()))
}

/// Returns the byte at which a long paragraph is cut: after the last sentence, clause or word in its second half, or
/// elsewhere if there is none.
fn cut(window: &str) -> usize {
    let half = floor(window, window.len() / 2);
    for marks in [&[". ", "! ", "? "][..], &["; ", ", ", ": "], &[" "]] {
        let found = marks.iter().filter_map(|mark| window[half..].rfind(mark).map(|at| half + at + mark.len())).max();
        if let Some(at) = found {
            return at;
        }
    }
    window.len()
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Splits a part of a text into sentences. `offset` is the byte at which the part begins in the whole text.
pub(crate) fn sentences(text: &str, offset: usize, is_abbreviation: impl Fn(&str) -> bool) -> Vec<Sentence> {
    split(tokens(text, offset), 0, &is_abbreviation)
}

/// Splits tokens into sentences and separates their quotations. `depth` is the number of quotations around the tokens.
pub(crate) fn split(tokens: Vec<Token>, depth: usize, is_abbreviation: &impl Fn(&str) -> bool) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut current = Sentence::default();
    let mut tokens = tokens.into_iter().peekable();
    let mut opened: Option<(char, Token, Vec<Token>)> = None;
    while let Some(token) = tokens.next() {
        // Collects the tokens of an open quotation until its closing mark.
        if let Some((close, _, inner)) = opened.as_mut() {
            let mark = token.norm.chars().next().unwrap_or_default();
            let closes = token.sort == Sort::Mark
                && mark == *close
                && (mark != '\'' || (token.glued && !tokens.peek().is_some_and(|next| next.glued && next.is_word())));
            if !closes {
                inner.push(token);
                continue;
            }
            if let Some((_, open, inner)) = opened.take() {
                let ends = close_quote(&mut current, open, inner, token.end, depth);
                let next_is_new = tokens.peek().is_some_and(|next| next.is_mark("\"\u{201C}"));
                if ends && next_is_new {
                    finish(&mut current, &mut sentences);
                }
            }
            continue;
        }
        if token.sort == Sort::Mark
            && let Some(close) = closing(&token, current.tokens.last(), tokens.peek())
        {
            opened = Some((close, token, Vec::new()));
            continue;
        }
        let stop = token.is_mark(".!?\u{2026};");
        let glued_next = tokens.peek().is_some_and(|next| next.glued && !next.is_mark("\"'\u{201D})"));
        let after_abbreviation = token.is(".")
            && token.glued
            && current.tokens.last().is_some_and(|last| {
                is_abbreviation(&last.norm) || (last.capital && last.norm.chars().count() == 1 && !last.is("i"))
            })
            && tokens.peek().is_some_and(|next| next.capital || next.sort == Sort::Number || next.is_mark(","));
        if after_abbreviation {
            continue;
        }
        current.tokens.push(token);
        let full = current.tokens.len() >= MOST_TOKENS
            && (current.tokens.last().is_some_and(|last| last.is_mark(",:\u{2014}"))
                || current.tokens.len() >= 2 * MOST_TOKENS);
        if (stop && !glued_next) || full {
            finish(&mut current, &mut sentences);
        }
    }
    // The text ends before the quotation is closed.
    if let Some((_, open, inner)) = opened {
        let end = inner.last().map_or(open.end, |last| last.end);
        close_quote(&mut current, open, inner, end, depth);
    }
    finish(&mut current, &mut sentences);
    sentences
}

fn finish(current: &mut Sentence, sentences: &mut Vec<Sentence>) {
    if current.tokens.iter().any(|token| token.sort != Sort::Mark) {
        sentences.push(std::mem::take(current));
    } else {
        *current = Sentence::default();
    }
}

/// Returns the closing mark if a token opens a quotation, and otherwise `None`.
fn closing(token: &Token, before: Option<&Token>, next: Option<&Token>) -> Option<char> {
    let opens = !token.glued || before.is_none_or(|before| before.is_mark("(\u{2014},:"));
    let next_glued = next.is_some_and(|next| next.glued);
    match token.norm.as_str() {
        "\u{201C}" => Some('\u{201D}'),
        "\u{201E}" => Some('\u{201C}'),
        "\u{00AB}" => Some('\u{00BB}'),
        "\"" => Some('"'),
        "\u{2018}" if opens && next_glued => Some('\''),
        "'" if opens && next_glued && next.is_some_and(|next| next.capital) => Some('\''),
        _ => None,
    }
}

/// Adds a quotation to the sentence. Speech becomes one token; a quoted name or word is added as ordinary words.
///
/// Returns whether the sentence can end after the quotation.
fn close_quote(current: &mut Sentence, open: Token, inner: Vec<Token>, end: usize, depth: usize) -> bool {
    let words = inner.iter().filter(|token| token.sort != Sort::Mark).count();
    let ends = inner.last().is_some_and(|last| last.is_mark(".!?,\u{2026}\u{2014}"));
    let introduced = current.tokens.last().is_none_or(|last| last.is_mark(",:"));
    let is_speech = depth < MOST_DEPTH && words > 0 && (ends || (introduced && words > 2));
    if !is_speech {
        current.tokens.extend(inner);
        return false;
    }
    let index = current.quotes.len();
    let token =
        Token { start: open.start, end, norm: String::new(), sort: Sort::Quote(index), capital: false, glued: false };
    current.tokens.push(token);
    current.quotes.push(inner);
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_should() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = sentences(text, 0, |word| ["mr", "st"].contains(&word))
                .iter()
                .map(|sentence| {
                    let (first, last) = (&sentence.tokens[0], &sentence.tokens[sentence.tokens.len() - 1]);
                    text[first.start..last.end].to_owned()
                })
                .collect();
            assert_eq!(found, expected);
        };
        check("Odo left. Bram stayed!", &["Odo left.", "Bram stayed!"]);
        check("Mr. Tip came. He has 4.5 crowns.", &["Mr. Tip came.", "He has 4.5 crowns."]);
        check("\"I owe him,\" said Odo. Bram left.", &["\"I owe him,\" said Odo.", "Bram left."]);
        check("\"I left. He stayed.\" \"Why?\"", &["\"I left. He stayed.\"", "\"Why?\""]);
        check("an open \"quote without", &["an open \"quote without"]);
    }

    #[test]
    fn long_text_is_read_in_parts_that_leave_nothing_out() {
        for text in ["x".repeat(30_000), "word ".repeat(9_000), "\u{1F600}".repeat(5_000)] {
            let mut at = 0;
            for part in paragraphs(&text) {
                assert_eq!(part.start, at);
                assert!(part.len() <= MOST_BYTES);
                at = part.end;
            }
            assert_eq!(at, text.len());
        }
    }
}
