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

/// Grammatical role of a pronoun of the first person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FirstPerson {
    /// "I", "me", "myself".
    Personal,
    /// "my", "mine".
    Possessive,
}

/// Returns the role of a singular pronoun of the first person; `None` for other words. The word must be in lowercase.
pub(crate) fn first_person(word: &str) -> Option<FirstPerson> {
    match word {
        "i" | "me" | "myself" => Some(FirstPerson::Personal),
        "my" | "mine" => Some(FirstPerson::Possessive),
        _ => None,
    }
}

/// Returns whether a word can refer to an entity outside the sentence, such as "he", "you" or "there". The function
/// returns `false` for the singular pronouns of the first person, such as "I". The word must be in lowercase.
pub fn is_anaphor(word: &str) -> bool {
    is_pronoun(word)
        && first_person(word).is_none()
        && !matches!(word, "who" | "whom" | "whose" | "which" | "oneself" | "ourselves" | "yourself")
        && !["some", "any", "every", "no"].iter().any(|start| word.starts_with(start))
}

/// Returns whether a word negates a sentence or a part of it. The word must be in lowercase.
pub(crate) fn is_negation(word: &str) -> bool {
    matches!(
        word,
        "not"
            | "n't"
            | "cannot"
            | "never"
            | "no"
            | "none"
            | "nobody"
            | "noone"
            | "nothing"
            | "nowhere"
            | "neither"
            | "nor"
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
