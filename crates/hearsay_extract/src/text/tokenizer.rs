//! Tokenizer: splits a text into words, numbers and punctuation marks with their byte positions.

use hearsay_model::text::normalize;

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    Punctuation,
    /// A quotation, which is read separately. The number is the index of the quotation in the sentence.
    Quote(usize),
}

/// Word, part of a word ("does", "n't"), number or punctuation mark.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The text of the token in lowercase and with straight quotes.
    pub(crate) norm: String,
    pub(crate) kind: TokenKind,
    pub(crate) is_capitalized: bool,
    /// Whether the token directly follows the token before, without a space.
    pub(crate) is_attached: bool,
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.norm == word
    }

    pub(crate) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    pub(crate) fn is_punctuation(&self, marks: &str) -> bool {
        self.kind == TokenKind::Punctuation && marks.contains(self.norm.as_str())
    }
}

/// Returns the normalized tokens of a cue.
pub(crate) fn normalized_tokens(text: &str) -> Vec<String> {
    tokenize(text, 0).into_iter().map(|token| token.norm).collect()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2018}' | '\u{201B}' | '\u{02BC}' | '`' | '\u{00B4}')
}

fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

/// Endings that become separate tokens.
const CLITICS: [&str; 7] = ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"];

/// Splits a text into tokens. `offset` is added to all byte positions.
pub(crate) fn tokenize(text: &str, offset: usize) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut chars = text.char_indices().peekable();
    let mut last_end = usize::MAX;
    while let Some((start, c)) = chars.next() {
        if c.is_whitespace() || c.is_control() || matches!(c, '*' | '_' | '#' | '\\' | '|' | '~' | '\u{FEFF}') {
            continue;
        }
        let mut end = start + c.len_utf8();
        let glued = start == last_end;
        if c.is_alphanumeric() {
            let digit = c.is_ascii_digit();
            while let Some(&(at, next)) = chars.peek() {
                let after = text[at + next.len_utf8()..].chars().next();
                let inside = is_apostrophe(next) || is_hyphen(next) || (digit && matches!(next, ',' | '.' | ':'));
                let joins = |c: char| {
                    if digit && matches!(next, ',' | '.' | ':') { c.is_ascii_digit() } else { c.is_alphanumeric() }
                };
                if next.is_alphanumeric() || is_combining_accent(next) || (inside && after.is_some_and(joins)) {
                    end = at + next.len_utf8();
                    chars.next();
                } else {
                    break;
                }
            }
            // "w/ Odo" means "with Odo".
            if matches!(&text[start..end], "w" | "W") && text[end..].starts_with('/') {
                chars.next();
                end += 1;
                let (start, end) = (offset + start, offset + end);
                tokens.push(Token {
                    start,
                    end,
                    norm: "with".into(),
                    kind: TokenKind::Word,
                    is_capitalized: false,
                    is_attached: glued,
                });
                last_end = end - offset;
                continue;
            }
            // The apostrophe of "hidin'" and "Dockers'" becomes a separate token.
            push_word(&mut tokens, &text[start..end], start, offset, glued);
        } else {
            let norm = match c {
                '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{00AB}' | '\u{00BB}' => c.to_string(),
                '\u{2026}' => "\u{2026}".into(),
                '\u{2013}' | '\u{2014}' | '\u{2015}' => "\u{2014}".into(),
                '@' => "at".into(),
                c if is_apostrophe(c) => {
                    if c == '\u{2018}' {
                        "\u{2018}".into()
                    } else {
                        "'".into()
                    }
                }
                c => c.to_string(),
            };
            let mut norm = norm;
            // Consecutive dots or hyphens form one token.
            while let Some(&(at, next)) = chars.peek() {
                if next == c && matches!(c, '.' | '-' | '!' | '?') {
                    end = at + next.len_utf8();
                    norm = if c == '.' {
                        "\u{2026}".into()
                    } else if c == '-' {
                        "\u{2014}".into()
                    } else {
                        c.to_string()
                    };
                    chars.next();
                } else {
                    break;
                }
            }
            // " - " is a dash.
            if norm == "-" && !glued && chars.peek().is_none_or(|(_, next)| next.is_whitespace()) {
                norm = "\u{2014}".into();
            }
            tokens.push(Token {
                start: offset + start,
                end: offset + end,
                kind: if c == '@' { TokenKind::Word } else { TokenKind::Punctuation },
                norm,
                is_capitalized: false,
                is_attached: glued,
            });
        }
        last_end = end;
    }
    tokens
}

/// Appends "longer" to the last token if that token is "no". Returns whether the token was "no".
fn join_no_longer(tokens: &mut [Token], end: usize) -> bool {
    let joins = tokens.last().is_some_and(|last| last.is("no"));
    if joins && let Some(last) = tokens.last_mut() {
        last.norm = "no longer".into();
        last.end = end;
    }
    joins
}

/// Returns whether a character is a combining accent.
fn is_combining_accent(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}')
}

/// Adds a word to the tokens. Endings such as "n't" and "'s" become separate tokens.
fn push_word(tokens: &mut Vec<Token>, word: &str, start: usize, offset: usize, glued: bool) {
    let norm = normalize(word);
    if norm == "longer" && join_no_longer(tokens, offset + start + word.len()) {
        return;
    }
    let capital = word.chars().next().is_some_and(char::is_uppercase);
    let kind = if norm.starts_with(|c: char| c.is_ascii_digit()) { TokenKind::Number } else { TokenKind::Word };
    let mut push = |norm: &str, from: usize, to: usize, glued: bool, capital: bool, kind: TokenKind| {
        tokens.push(Token {
            start: offset + start + from,
            end: offset + start + to,
            norm: norm.to_owned(),
            kind,
            is_capitalized: capital,
            is_attached: glued,
        });
    };
    if norm == "cannot" {
        push("can", 0, 3, glued, capital, TokenKind::Word);
        push("not", 3, word.len(), true, false, TokenKind::Word);
        return;
    }
    if norm == "gonna" {
        push("going", 0, 3, glued, capital, TokenKind::Word);
        push("to", 3, word.len(), true, false, TokenKind::Word);
        return;
    }
    let ending = CLITICS.iter().find(|ending| norm.len() > ending.len() && norm.ends_with(**ending));
    let Some(ending) = ending else {
        push(&norm, 0, word.len(), glued, capital, kind);
        return;
    };
    // The ending has as many characters in the original word as in the normalized word.
    let count = ending.chars().count();
    let Some((cut, _)) = word.char_indices().rev().nth(count - 1) else {
        push(&norm, 0, word.len(), glued, capital, kind);
        return;
    };
    let head = normalize(&word[..cut]);
    if head.is_empty() {
        push(&norm, 0, word.len(), glued, capital, kind);
        return;
    }
    let head = match (head.as_str(), *ending) {
        ("wo", "n't") => "will",
        ("ca", "n't") => "can",
        ("sha", "n't") => "shall",
        ("ai", "n't") => "is",
        (head, _) => head,
    };
    push(head, 0, cut, glued, capital, kind);
    let tail = match *ending {
        "n't" => "not",
        "'re" => "are",
        "'ve" => "have",
        "'ll" => "will",
        "'m" => "am",
        tail => tail,
    };
    push(tail, cut, word.len(), true, false, TokenKind::Word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart() {
        let check = |text: &str, expected: &[&str]| assert_eq!(normalized_tokens(text), expected, "{text}");
        check("Pell doesn\u{2019}t know.", &["pell", "does", "not", "know", "."]);
        check("K'tann's half-elf won't", &["k'tann", "'s", "half-elf", "will", "not"]);
        check("4,100 souls... \"Yes\"", &["4,100", "souls", "\u{2026}", "\"", "yes", "\""]);
        check("the Dockers' Union", &["the", "dockers", "'", "union"]);
        check("**Bold** \u{0}x", &["bold", "x"]);
        check("w/ Odo - who", &["with", "odo", "\u{2014}", "who"]);
    }
}
