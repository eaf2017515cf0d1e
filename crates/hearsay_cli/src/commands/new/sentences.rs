//! Sentences of a page.

pub(super) use hearsay_model::text::sentences;

/// Returns whether a sentence begins with a pronoun that refers to an entity of the sentence before.
pub(super) fn begins_with_anaphor(sentence: &str) -> bool {
    hearsay_model::text::words(sentence).first().is_some_and(|word| hearsay_extract::is_anaphor(word))
}

/// Returns whether a text begins with an article.
pub(super) fn begins_with_article(text: &str) -> bool {
    hearsay_model::text::words(text).first().is_some_and(|word| hearsay_model::words::is_article(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pronoun_refers_to_the_sentence_before() {
        assert!(begins_with_anaphor("She hides it.") && begins_with_anaphor("Her ledger burned."));
        assert!(!begins_with_anaphor("Sheriff Bell waits."));
    }
}
