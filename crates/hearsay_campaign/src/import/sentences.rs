//! Splits a paragraph into sentences, without changing its words.

use super::english::ENGLISH;

/// Returns the sentences of a paragraph. Joined with spaces, they are the paragraph.
pub fn sentences(paragraph: &str) -> Vec<&str> {
    let abbreviations = &ENGLISH.words.function_words.abbreviations;
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, _) in paragraph.match_indices(' ') {
        let (before, after) = (&paragraph[start..at], &paragraph[at + 1..]);
        let closing = before.trim_end_matches(['"', '\'', '\u{2019}', '\u{201D}', ')', '*', '_']);
        let is_end = closing.ends_with(['.', '!', '?', '\u{2026}']);
        let last = closing.rsplit(' ').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
        let is_abbreviation = closing.ends_with('.') && (abbreviations.contains(&last) || last.len() == 1);
        let first = after.chars().find(|c| c.is_alphanumeric());
        if is_end && !is_abbreviation && first.is_some_and(|first| !first.is_lowercase()) {
            sentences.push(before);
            start = at + 1;
        }
    }
    sentences.push(&paragraph[start..]);
    sentences.retain(|sentence| !sentence.trim().is_empty());
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_split_without_loss() {
        for expected in [
            &["Mr. Bell waits.", "He drinks!", "\"Who is it?\" she asks."][..],
            &["It costs 3.50 crowns.", "J. Hask pays."],
            &["One clause only"],
            &[],
        ] {
            assert_eq!(sentences(&expected.join(" ")), expected);
        }
    }
}
