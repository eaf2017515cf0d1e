//! Nouns by which a text refers to an entity without its name: "the landlady".

use hearsay_model::{
    Predicate, ReferringExpression, Vocabulary, attribute, spelling, text,
    words::{english, is_article, without_article},
};

/// Returns whether a text can refer to an entity by the value of this attribute.
pub(crate) fn is_referring(vocabulary: &Vocabulary, predicate: &Predicate) -> bool {
    let is_description = vocabulary.behavior(predicate).reference == Some(ReferringExpression::Description);
    is_description || predicate.as_str() == attribute::DESCRIPTION
}

/// Returns the nouns of a value, with the words before them: `old ferry master` for "the old ferry master of the quay".
/// Returns an empty list if the value begins with no such words. A description must have an article before the noun.
pub(crate) fn noun_phrase(predicate: &Predicate, value: &str, names: &[&str]) -> Vec<String> {
    let name_words: Vec<String> = names.iter().flat_map(|name| text::words(name)).collect();
    let mut needs_article = predicate.as_str() == attribute::DESCRIPTION;
    for clause in value.split([',', '.', ';', ':', '(', '\n', '\u{2013}', '\u{2014}']) {
        let words = text::words(clause);
        // Only a sentence begins with the name: the "captain of the guard" can be Captain Pike.
        let name_end =
            if needs_article { words.iter().take_while(|word| name_words.contains(word)).count() } else { 0 };
        let before_noun = |word: &&String| spelling::is_stop_word(word);
        let start = name_end + words[name_end..].iter().take_while(before_noun).count();
        let is_name = needs_article && words.iter().all(|word| before_noun(&word) || name_words.contains(word));
        if is_name || start == words.len() {
            continue;
        }
        needs_article &= !words[..start].last().is_some_and(|word| is_article(word));
        let phrase = words[start..].iter().take_while(|word| !spelling::is_stop_word(word));
        return if needs_article { Vec::new() } else { phrase.cloned().collect() };
    }
    Vec::new()
}

/// Returns whether words refer to an entity with this noun phrase: "the ferry master" refers to `old ferry master`.
pub(crate) fn refers_by(reference: &str, phrase: &[String]) -> bool {
    let words = without_article(text::words(reference));
    !words.is_empty() && phrase.ends_with(&words)
}

/// Returns whether words refer to an entity with this noun phrase by another noun for the same occupation: "the innkeeper"
/// refers to `old landlady`.
pub(crate) fn refers_by_synonym(reference: &str, phrase: &[String]) -> bool {
    let words = without_article(text::words(reference));
    let (Some((noun, before)), Some((other, before_other))) = (words.split_last(), phrase.split_last()) else {
        return false;
    };
    let mut occupations = english().occupation_synonyms.iter();
    let are_synonyms = occupations.any(|nouns| {
        let contains = |noun: &String| nouns.split(' ').any(|other| other == noun);
        contains(noun) && contains(other)
    });
    are_synonyms && before_other.ends_with(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_in_the_name_can_be_the_noun() {
        for (attribute, value) in
            [("occupation", "captain of the guard"), ("description", "Captain Hanna Pike is the captain of the guard.")]
        {
            let phrase = noun_phrase(&Predicate::new(attribute).unwrap(), value, &["Captain Hanna Pike"]);
            assert!(refers_by("the captain", &phrase), "{value}");
            assert!(!refers_by("the guard", &phrase), "{value}");
        }
    }

    #[test]
    fn descriptions_have_a_noun() {
        let refers = |attribute: &str, value: &str, reference: &str| {
            refers_by(reference, &noun_phrase(&Predicate::new(attribute).unwrap(), value, &["Hanna Pike"]))
        };
        for (attribute, value, reference) in [
            ("occupation", "landlady of the Broken Wheel", "the landlady"),
            ("occupation", "old ferry master", "ferry master"),
            ("description", "Hanna Pike, the landlady. She waters the ale.", "Landlady"),
            ("description", "Hanna Pike is the sharp landlady of the inn.", "the landlady"),
            ("description", "The landlady is Hanna Pike.", "the landlady"),
        ] {
            assert!(refers(attribute, value, reference), "{value}: {reference}");
        }
        for (attribute, value, reference) in [
            ("description", "Hanna Pike is kind.", "kind"),
            ("description", "She waters the ale.", "the ale"),
            ("occupation", "old ferry master", "ferry"),
            ("occupation", "landlady of the inn", "the inn"),
            ("occupation", "landlady", "the"),
        ] {
            assert!(!refers(attribute, value, reference), "{value}: {reference}");
        }
    }

    #[test]
    fn another_noun_for_the_same_occupation_refers_to_a_person() {
        let refers = |value: &str, reference: &str| {
            refers_by_synonym(reference, &noun_phrase(&Predicate::new("occupation").unwrap(), value, &["Hanna Pike"]))
        };
        for (value, reference) in [("landlady of the Gull", "The innkeeper"), ("old innkeeper", "the old landlord")] {
            assert!(refers(value, reference), "{value}: {reference}");
        }
        for (value, reference) in [("landlady", "the old innkeeper"), ("landlady", "the smith"), ("landlady", "the")] {
            assert!(!refers(value, reference), "{value}: {reference}");
        }
    }
}
