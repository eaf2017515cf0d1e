//! Function words of English: pronouns, forms of "be", and words that open a spoken sentence.

/// Returns whether a word is an English pronoun, such as "she" or "themselves". The word must be in lowercase.
pub fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "i" | "me"
            | "my"
            | "mine"
            | "myself"
            | "you"
            | "your"
            | "yours"
            | "yourself"
            | "he"
            | "him"
            | "his"
            | "himself"
            | "she"
            | "her"
            | "hers"
            | "herself"
            | "it"
            | "its"
            | "itself"
            | "we"
            | "us"
            | "our"
            | "ours"
            | "ourselves"
            | "they"
            | "them"
            | "their"
            | "theirs"
            | "themselves"
            | "themself"
            | "who"
            | "whom"
            | "whose"
            | "which"
            | "there"
            | "nobody"
            | "noone"
            | "everyone"
            | "everybody"
            | "someone"
            | "somebody"
            | "anyone"
            | "anybody"
            | "nothing"
            | "something"
            | "everything"
            | "anything"
            | "oneself"
    )
}

/// Returns whether a word is a form of "be". The word must be in lowercase.
pub(crate) fn is_be_form(word: &str) -> bool {
    matches!(word, "be" | "am" | "is" | "are" | "was" | "were" | "been" | "being")
}

/// Returns whether a word often opens a spoken sentence, such as "so" or "well".
pub(crate) fn is_discourse_marker(word: &str) -> bool {
    matches!(
        word,
        "so" | "and"
            | "but"
            | "oh"
            | "well"
            | "wait"
            | "hang"
            | "on"
            | "okay"
            | "ok"
            | "right"
            | "uh"
            | "um"
            | "er"
            | "hey"
            | "now"
            | "then"
            | "yeah"
            | "yes"
            | "no"
            | "nah"
            | "sorry"
            | "actually"
            | "look"
            | "listen"
            | "honestly"
            | "hm"
            | "hmm"
            | "ah"
            | "like"
            | "also"
            | "anyway"
            | "because"
            | "cause"
            | "guys"
            | "alright"
            | "hold"
    )
}
