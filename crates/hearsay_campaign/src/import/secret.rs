//! Recognizes the words with which authors mark text as DM-only.

use hearsay_model::slug;

use super::english::ENGLISH;

/// Maximum number of words from `only` to the verb of knowing: `only she and her brother know`.
const MAX_LIMIT_WORDS: usize = 8;

/// Returns whether a heading, folder, class, callout or field name marks its content as DM-only, such as `Secrets`, `DM
/// only`, `gmNotes`, `spoiler-text` or `True identity`.
///
/// The emoji of a lock and of a finger on the lips are marks too. A mark can be at any position in the label, so the
/// content of a folder with the name Hidden Valley is also secret. In case of doubt, text is secret.
pub fn is_secret(label: &str) -> bool {
    if label.contains(['\u{1F512}', '\u{1F510}', '\u{1F50F}', '\u{1F92B}']) {
        return true;
    }
    let words = split_words(label);
    if words.is_empty() {
        return false;
    }
    let is_negated = words.iter().any(|word| ["non", "not", "no"].contains(&word.as_str()));
    let secret_words = &ENGLISH.words.secret;
    let has_sequence = secret_words.sequences.iter().any(|sequence| sequence.occurs_in(&words));
    has_sequence || words == ["truth"] || !is_negated && words.iter().any(|word| secret_words.words.contains(word))
}

/// Returns whether a label consists only of a mark of secrecy, such as `GM notes` or `For the DM`.
pub fn is_only_secret_mark(label: &str) -> bool {
    let words = split_words(label);
    let secret_words = &ENGLISH.words.secret;
    let is_mark_word = |word: &String| secret_words.words.contains(word) || secret_words.companions.contains(word);
    is_secret(label) && !label.starts_with('#') && words.iter().all(is_mark_word)
}

/// Returns whether a sentence contains words that make it a secret, such as `secretly`, `nobody knows` or `only she and
/// her brother know`.
pub fn states_secrecy(text: &str) -> bool {
    let lowercase = text.to_lowercase();
    // Most texts contain none of these words, so the check usually ends here.
    if !["secret", "unbeknownst", "know"].iter().any(|word| lowercase.contains(word)) {
        return false;
    }
    let words = hearsay_model::text::words(text);
    ENGLISH.words.secret.phrases.iter().any(|phrase| phrase.occurs_in(&words)) || limits_knowers(&words)
}

/// Returns whether a text contains words such as `only` or `nobody but`, and a verb of knowing soon after them.
fn limits_knowers(words: &[String]) -> bool {
    let knower_words = &ENGLISH.words.knowers;
    let mut openers = knower_words.exceptions().chain(["only".to_owned()]);
    openers.any(|opener| {
        let opener: Vec<&str> = opener.split(' ').collect();
        let start = words.windows(opener.len()).position(|window| window.iter().eq(opener.iter()));
        start.is_some_and(|at| words[at..].iter().take(MAX_LIMIT_WORDS).any(|word| knower_words.verbs.contains(word)))
    })
}

/// Returns whether a sentence about the knowers of a secret adds them to the one whose secret it is: `Odo knows it too.`
pub fn adds_knowers(sentence: &str) -> bool {
    let words = hearsay_model::text::words(sentence);
    ENGLISH.words.secret.additions.iter().any(|addition| addition.occurs_in(&words))
}

/// Splits a label into words, including those of `camelCase` and `snake_case`.
fn split_words(label: &str) -> Vec<String> {
    let mut words = String::with_capacity(label.len() + 8);
    let mut previous = ' ';
    for c in label.chars() {
        if c.is_uppercase() && previous.is_lowercase() {
            words.push(' ');
        }
        words.push(c);
        previous = c;
    }
    slug(&words).split('-').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn signs_of_secrecy_are_known() {
        for secret in [
            "Secrets",
            "secret",
            "DM Only",
            "gmNotes",
            "GM-Notes",
            "dm_notes",
            "spoiler",
            "True Identity",
            "For the DM",
        ] {
            assert!(is_secret(secret), "{secret}");
        }
        for secret in [
            "She is secretly a wolf.",
            "Only the three of them know of it.",
            "Nobody knows why.",
            "No one except her uncle knows.",
        ] {
            assert!(super::states_secrecy(secret), "{secret}");
        }
        for open in ["The secretary knows the town.", "Nobody in the village knows the road.", "None but the brave go."]
        {
            assert!(!super::states_secrecy(open), "{open}");
        }
        for open in ["Notes", "Admin", "Secretary", "Description", "", "Domain", "Non-secret"] {
            assert!(!is_secret(open), "{open}");
        }
    }
}
