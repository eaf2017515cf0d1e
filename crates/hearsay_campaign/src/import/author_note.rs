//! Recognizes working notes of the author, such as `TODO name the inn`, which state nothing about the game world.

use hearsay_model::text::words;

use super::english::ENGLISH;

/// Returns whether a sentence is a working note of the author.
pub fn is_author_note(sentence: &str) -> bool {
    let words = words(sentence);
    ENGLISH.words.author_notes.anywhere.iter().any(|sequence| sequence.occurs_in(&words))
}

/// Returns whether a remark in brackets is a working note of the author. A question in brackets is also such a note. The
/// remark is given without its brackets.
pub fn is_author_remark(remark: &str) -> bool {
    let words = words(remark);
    is_author_note(remark)
        || remark.contains('?')
        || ENGLISH.words.author_notes.in_brackets.iter().any(|sequence| sequence.occurs_in(&words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn working_notes_are_told_from_text_about_the_world() {
        for note in ["TODO: name the inn.", "Dunno why.", "I haven't decided who did it!!"] {
            assert!(is_author_note(note), "{note}");
        }
        for remark in ["plays both sides, TODO decide if Maud knows", "in the mill?", "don\u{2019}t overdo it"] {
            assert!(is_author_remark(remark), "{remark}");
        }
        for text in ["He decided to leave.", "Nobody likes him.", ""] {
            assert!(!is_author_note(text), "{text}");
        }
        for remark in ["customs", "the miller's son", "since 398"] {
            assert!(!is_author_remark(remark), "{remark}");
        }
    }
}
