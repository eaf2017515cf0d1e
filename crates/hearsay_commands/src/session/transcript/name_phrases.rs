//! Phrases in which a `*` stands for names, such as `without * noticing`.

use std::ops::Range;

/// Returns the ranges of words for which the `*` of a phrase can stand, in order. If the phrase begins with the `*`, a
/// range contains all words before the rest of the phrase. If the phrase ends with the `*`, a range contains all
/// following words. The words must be in normal form.
pub(super) fn name_ranges(words: &[String], phrase: &str) -> Vec<Range<usize>> {
    let (before, after) = phrase.split_once('*').unwrap_or((phrase, ""));
    let (before, after): (Vec<&str>, Vec<&str>) =
        (before.split_whitespace().collect(), after.split_whitespace().collect());
    let has_at = |at: usize, part: &[&str]| {
        let window = words.get(at..at + part.len()).unwrap_or_default();
        window.len() == part.len() && window.iter().zip(part).all(|(word, other)| word == other)
    };
    let last_start = if before.is_empty() { 0 } else { words.len() };
    let starts = (0..=last_start).filter(|at| has_at(*at, &before)).map(|at| at + before.len());
    let end = |start: usize| match after.is_empty() {
        true => Some(words.len()).filter(|end| *end > start),
        false => (start + 1..words.len()).find(|at| has_at(*at, &after)),
    };
    starts.filter_map(|start| Some(start..end(start)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_begin_and_end_a_phrase() {
        for (line, phrase, expected) in [
            ("wil steals it without corvin tull noticing", "without * noticing", vec!["corvin tull"]),
            ("corvin tull sees nothing at all", "* sees nothing", vec!["corvin tull"]),
            ("wil leaves unseen by corvin tull", "unseen by *", vec!["corvin tull"]),
            ("to wil to ansa", "to *", vec!["wil to ansa", "ansa"]),
            ("without noticing", "without * noticing", vec![]),
            ("sees nothing", "* sees nothing", vec![]),
            ("unseen by", "unseen by *", vec![]),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found: Vec<String> =
                name_ranges(&words, phrase).into_iter().map(|range| words[range].join(" ")).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
