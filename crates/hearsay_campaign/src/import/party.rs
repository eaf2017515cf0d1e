//! Recognizes sentences about the home or the group of all player characters, such as `The three of them live on the
//! barge.`

use super::english::ENGLISH;

/// Returns what a sentence says about each player character: `lives on the barge.`
pub fn statement_about_party(sentence: &str) -> Option<String> {
    let party = &ENGLISH.words.party;
    let tokens: Vec<&str> = sentence.split(' ').collect();
    let plain = |token: &str| token.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let at = tokens.iter().position(|token| !party.subjects.contains(plain(token).as_str()))?;
    if !tokens[..at].iter().any(|token| party.nouns.contains(plain(token).as_str())) {
        return None;
    }
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
    }
}
