//! Splits a paragraph into sentences, without changing its words.

/// Abbreviations that do not end a sentence.
const ABBREVIATIONS: [&str; 12] = ["mr", "mrs", "ms", "dr", "st", "capt", "lt", "sgt", "fr", "vs", "e.g", "i.e"];

/// Returns the sentences of a paragraph. Joined with spaces, they are the paragraph.
pub(super) fn sentences(paragraph: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, _) in paragraph.match_indices(' ') {
        let (before, after) = (&paragraph[start..at], &paragraph[at + 1..]);
        let closing = before.trim_end_matches(['"', '\'', '\u{2019}', '\u{201D}', ')', '*', '_']);
        let is_end = closing.ends_with(['.', '!', '?', '\u{2026}']);
        let last = closing.rsplit(' ').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
        let is_abbreviation = closing.ends_with('.') && (ABBREVIATIONS.contains(&last.as_str()) || last.len() == 1);
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

/// Returns whether a sentence begins with a pronoun that refers to an entity of the sentence before.
pub(super) fn begins_with_anaphor(sentence: &str) -> bool {
    hearsay_model::text::words(sentence).first().is_some_and(|word| hearsay_extract::is_anaphor(word))
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
        assert!(begins_with_anaphor("She hides it.") && begins_with_anaphor("Her ledger burned."));
        assert!(!begins_with_anaphor("Sheriff Bell waits."));
    }
}
