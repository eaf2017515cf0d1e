//! Recognizes sentences about the home or the group of all player characters, such as `The three of them live on the
//! barge.`

use super::english::ENGLISH;

/// Returns what a sentence says about each player character: `lives on the barge.`
pub fn statement_about_party(sentence: &str) -> Option<String> {
    let party = &ENGLISH.words.party;
    let tokens: Vec<&str> = sentence.split(' ').collect();
    let at = subject_length(&tokens)?;
    let verb = |token: &str| {
        let base = token.strip_suffix('s').unwrap_or(token);
        party.verbs.contains(base).then(|| format!("{base}s"))
    };
    let mut stated = vec![verb(tokens[at])?];
    for pair in tokens[at..].windows(2) {
        let (before, token) = (pair[0], pair[1]);
        let next = if before == "and" { verb(token) } else { None };
        stated.push(next.unwrap_or_else(|| token.to_owned()));
    }
    Some(stated.join(" "))
}

/// Returns whether a sentence begins with words for a number of characters that the text has not named: `The four of them
/// arrive at dusk.`
pub fn begins_with_number_of_party(sentence: &str) -> bool {
    let tokens: Vec<&str> = sentence.split(' ').collect();
    subject_length(&tokens).is_some_and(|length| tokens[..length].ends_with(&["of", "them"]))
}

/// Returns the number of words at the beginning of a sentence that name all player characters.
fn subject_length(tokens: &[&str]) -> Option<usize> {
    let party = &ENGLISH.words.party;
    let plain = |token: &str| token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let length = tokens.iter().position(|token| !party.subjects.contains(plain(token).as_str()))?;
    tokens[..length].iter().any(|token| party.nouns.contains(plain(token).as_str())).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_the_party_are_found() {
        for (sentence, expected) in [
            ("The three of them live on the barge.", Some("lives on the barge.")),
            ("They all belong to the Guild and live in the mill.", Some("belongs to the Guild and lives in the mill.")),
            ("The party lives at the Gull.", Some("lives at the Gull.")),
            ("The players should hurry.", None),
            ("Odo and Juno live in the mill.", None),
            ("Live and learn.", None),
            ("", None),
        ] {
            assert_eq!(statement_about_party(sentence).as_deref(), expected, "{sentence}");
        }
        for sentence in ["The five of them reach the ford at dawn.", "Both of them are tired."] {
            assert!(begins_with_number_of_party(sentence), "{sentence}");
        }
        for sentence in
            ["They reach the ford.", "The five towns burn.", "Most of them drink.", "Odo hates both of them."]
        {
            assert!(!begins_with_number_of_party(sentence), "{sentence}");
        }
    }
}
