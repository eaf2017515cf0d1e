//! The sentences of narration, and the words before a quotation.

use hearsay_model::text::SENTENCE_ENDS;

/// Characters that begin a quotation. The words after them are not narration.
const QUOTATION_MARKS: [char; 3] = ['"', '\u{201C}', '\u{201E}'];

/// Characters that begin a quotation at the start of a word with a capital letter. They can also be apostrophes.
const SINGLE_QUOTATION_MARKS: [char; 2] = ['\'', '\u{2018}'];

/// Returns the words of each sentence of a text.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.split(SENTENCE_ENDS).map(|sentence| sentence.split_whitespace().collect())
}

/// Returns the words of each sentence of narration before the first quotation.
pub(super) fn narrated_sentences(narration: &str) -> impl Iterator<Item = Vec<&str>> {
    sentences(before_quotation(narration))
}

/// Returns the words of narration before the first quotation.
pub(in crate::session) fn before_quotation(narration: &str) -> &str {
    let begins_quotation = |at: usize, mark: char| {
        let opens_word = || narration[..at].chars().next_back().is_none_or(char::is_whitespace);
        let precedes_capital = || narration[at + mark.len_utf8()..].starts_with(char::is_uppercase);
        QUOTATION_MARKS.contains(&mark)
            || (SINGLE_QUOTATION_MARKS.contains(&mark) && opens_word() && precedes_capital())
    };
    let quotation = narration.char_indices().find(|(at, mark)| begins_quotation(*at, *mark));
    quotation.map_or(narration, |(at, _)| &narration[..at])
}
