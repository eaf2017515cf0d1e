//! Divides a text into sentences while the language model writes the text. The ends of the sentences are positions in the
//! text, and a line break also ends a sentence, so [`hearsay_model::text::sentences`] cannot replace these functions.

use unicode_segmentation::UnicodeSegmentation;

/// Shortest text that is checked on its own, in characters. Shorter sentences, such as "No.", are checked together with
/// the next sentence.
const MIN_CHARS: usize = 12;

/// Returns the length of the complete sentences at the start of a text, in bytes. A sentence is complete when the next
/// one has begun.
pub(super) fn complete_sentences(text: &str) -> usize {
    let bounds: Vec<(usize, &str)> = text.split_sentence_bound_indices().collect();
    let Some(((last_start, _), _)) = bounds.split_last() else { return 0 };
    let complete = &text[..*last_start];
    if ends_sentence(complete) && complete.trim().chars().count() >= MIN_CHARS { complete.len() } else { 0 }
}

/// Returns the length of the sentences that end before a position, in bytes.
pub(super) fn sentences_before(text: &str, position: usize) -> usize {
    let ends = text.split_sentence_bound_indices().map(|(at, sentence)| at + sentence.len());
    ends.take_while(|end| *end <= position).last().unwrap_or_default()
}

/// Returns whether a text ends with the punctuation of a sentence.
fn ends_sentence(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(['"', '\u{201D}', '\u{2019}', '\'', ')', '*']);
    text.ends_with(['.', '!', '?', '\u{2026}'])
}

/// Returns the text up to the end of its last complete sentence. If it has none, returns the whole text.
pub(super) fn up_to_last_sentence(text: &str) -> &str {
    let mut end = 0;
    for (at, sentence) in text.split_sentence_bound_indices() {
        if ends_sentence(sentence) {
            end = at + sentence.len();
        }
    }
    if end == 0 { text } else { &text[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_complete_when_the_next_one_begins() {
        let complete = |text: &'static str| &text[..complete_sentences(text)];
        assert_eq!(complete("The ledger is in the cellar."), "");
        assert_eq!(complete("The ledger is in the cellar. I"), "The ledger is in the cellar. ");
        assert_eq!(complete("No. The ledger is"), "");
        assert_eq!(complete("No. The ledger is gone. Ask"), "No. The ledger is gone. ");
        assert_eq!(complete("\u{201C}Who asks that?\u{201D} She frowned"), "\u{201C}Who asks that?\u{201D} ");
        assert_eq!(complete(""), "");
    }

    #[test]
    fn the_sentences_before_a_position_are_whole() {
        let text = "I saw him. He went to the quay.";
        assert_eq!(
            [0, 5, 11, 20].map(|position| &text[..sentences_before(text, position)]),
            ["", "", "I saw him. ", "I saw him. "]
        );
    }

    #[test]
    fn a_text_that_was_cut_off_ends_after_its_last_sentence() {
        assert_eq!(up_to_last_sentence("I saw him. He went to the"), "I saw him. ");
        assert_eq!(up_to_last_sentence("He went to the"), "He went to the");
    }
}
