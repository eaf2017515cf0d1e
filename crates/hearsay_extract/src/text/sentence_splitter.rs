//! Splits texts into paragraphs, and paragraphs into sentences of limited length.

use crate::text::tokenizer::{Token, TokenKind, tokenize};

/// Maximum length of a paragraph in bytes, and maximum number of tokens in a sentence.
const MAX_PARAGRAPH_BYTES: usize = 4_000;
const MAX_SENTENCE_TOKENS: usize = 90;

/// Maximum depth of nested quotations that are read as speech.
pub(crate) const MAX_QUOTE_DEPTH: usize = 2;

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
        let limit = floor_char_boundary(text, start.saturating_add(MAX_PARAGRAPH_BYTES));
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
            None => start + cut_position(window),
        };
        Some(start..at)
    })
}

/// Returns whether a paragraph ends between two lines. If the next line begins in lowercase, it may continue a wrapped
/// paragraph.
fn ends_paragraph(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let next = after.trim_start_matches([' ', '\t', '\r']).chars().next();
    let is_unfinished = before.ends_with(|c: char| c.is_alphanumeric() || c == ',');
    !(is_unfinished && next.is_some_and(|c| c.is_lowercase()))
}

/// Returns the byte at which a long paragraph is cut: after the last sentence, clause or word in its second half, or
/// elsewhere if there is none.
fn cut_position(window: &str) -> usize {
    let half = floor_char_boundary(window, window.len() / 2);
    for separators in [&[". ", "! ", "? "][..], &["; ", ", ", ": "], &[" "]] {
        let cut = separators
            .iter()
            .filter_map(|separator| window[half..].rfind(separator).map(|at| half + at + separator.len()))
            .max();
        if let Some(at) = cut {
            return at;
        }
    }
    window.len()
}

fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Splits a part of a text into sentences. `offset` is the byte at which the part begins in the whole text.
pub(crate) fn split_text(text: &str, offset: usize, is_abbreviation: impl Fn(&str) -> bool) -> Vec<Sentence> {
    split_tokens(tokenize(text, offset), 0, &is_abbreviation)
}

/// Splits tokens into sentences and separates their quotations. `depth` is the number of quotations around the tokens.
pub(crate) fn split_tokens(tokens: Vec<Token>, depth: usize, is_abbreviation: &impl Fn(&str) -> bool) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut current = Sentence::default();
    let mut tokens = tokens.into_iter().peekable();
    let mut open_quote: Option<(char, Token, Vec<Token>)> = None;
    while let Some(token) = tokens.next() {
        // Collects the tokens of an open quotation until its closing mark.
        if let Some((close, _, inner)) = open_quote.as_mut() {
            let mark = token.norm.chars().next().unwrap_or_default();
            let is_closing = token.kind == TokenKind::Punctuation
                && mark == *close
                && (mark != '\''
                    || (token.is_attached && !tokens.peek().is_some_and(|next| next.is_attached && next.is_word())));
            if !is_closing {
                inner.push(token);
                continue;
            }
            if let Some((_, open, inner)) = open_quote.take() {
                let ends = close_quote(&mut current, open, inner, token.end, depth);
                let next_is_new = tokens.peek().is_some_and(|next| next.is_punctuation("\"\u{201C}"));
                if ends && next_is_new {
                    finish_sentence(&mut current, &mut sentences);
                }
            }
            continue;
        }
        if token.kind == TokenKind::Punctuation
            && let Some(close) = closing_quote(&token, current.tokens.last(), tokens.peek())
        {
            open_quote = Some((close, token, Vec::new()));
            continue;
        }
        let is_sentence_end = token.is_punctuation(".!?\u{2026};");
        let next_is_attached =
            tokens.peek().is_some_and(|next| next.is_attached && !next.is_punctuation("\"'\u{201D})"));
        let after_abbreviation = token.is(".")
            && token.is_attached
            && current.tokens.last().is_some_and(|last| {
                is_abbreviation(&last.norm) || (last.is_capitalized && last.norm.chars().count() == 1 && !last.is("i"))
            })
            && tokens
                .peek()
                .is_some_and(|next| next.is_capitalized || next.kind == TokenKind::Number || next.is_punctuation(","));
        if after_abbreviation {
            continue;
        }
        current.tokens.push(token);
        let is_too_long = current.tokens.len() >= MAX_SENTENCE_TOKENS
            && (current.tokens.last().is_some_and(|last| last.is_punctuation(",:\u{2014}"))
                || current.tokens.len() >= 2 * MAX_SENTENCE_TOKENS);
        if (is_sentence_end && !next_is_attached) || is_too_long {
            finish_sentence(&mut current, &mut sentences);
        }
    }
    // The text ends before the quotation is closed.
    if let Some((_, open, inner)) = open_quote {
        let end = inner.last().map_or(open.end, |last| last.end);
        close_quote(&mut current, open, inner, end, depth);
    }
    finish_sentence(&mut current, &mut sentences);
    sentences
}

fn finish_sentence(current: &mut Sentence, sentences: &mut Vec<Sentence>) {
    if current.tokens.iter().any(|token| token.kind != TokenKind::Punctuation) {
        sentences.push(std::mem::take(current));
    } else {
        *current = Sentence::default();
    }
}

/// Returns the closing mark if a token opens a quotation, and otherwise `None`.
fn closing_quote(token: &Token, before: Option<&Token>, next: Option<&Token>) -> Option<char> {
    let opens = !token.is_attached || before.is_none_or(|before| before.is_punctuation("(\u{2014},:"));
    let next_glued = next.is_some_and(|next| next.is_attached);
    match token.norm.as_str() {
        "\u{201C}" => Some('\u{201D}'),
        "\u{201E}" => Some('\u{201C}'),
        "\u{00AB}" => Some('\u{00BB}'),
        "\"" => Some('"'),
        "\u{2018}" if opens && next_glued => Some('\''),
        "'" if opens && next_glued && next.is_some_and(|next| next.is_capitalized) => Some('\''),
        _ => None,
    }
}

/// Adds a quotation to the sentence. Speech becomes one token; a quoted name or word is added as ordinary words.
///
/// Returns whether the sentence can end after the quotation.
fn close_quote(current: &mut Sentence, open: Token, inner: Vec<Token>, end: usize, depth: usize) -> bool {
    let words = inner.iter().filter(|token| token.kind != TokenKind::Punctuation).count();
    let ends = inner.last().is_some_and(|last| last.is_punctuation(".!?,\u{2026}\u{2014}"));
    let introduced = current.tokens.last().is_none_or(|last| last.is_punctuation(",:"));
    let is_speech = depth < MAX_QUOTE_DEPTH && words > 0 && (ends || (introduced && words > 2));
    if !is_speech {
        current.tokens.extend(inner);
        return false;
    }
    let index = current.quotes.len();
    let token = Token {
        start: open.start,
        end,
        norm: String::new(),
        kind: TokenKind::Quote(index),
        is_capitalized: false,
        is_attached: false,
    };
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
            let found: Vec<String> = split_text(text, 0, |word| ["mr", "st"].contains(&word))
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
                assert!(part.len() <= MAX_PARAGRAPH_BYTES);
                at = part.end;
            }
            assert_eq!(at, text.len());
        }
    }
}
