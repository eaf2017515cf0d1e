//! Subjects of clauses of narration, as in `Odo and Pell leave`, `They leave` or `All four of you leave`.

use hearsay_model::{
    EntityId,
    words::{self, PersonalPronouns},
};

/// Maximum number of words of a subject without a name: "the rest of the party".
const MAX_SUBJECT_WORDS: usize = 5;

/// Subject of a clause.
pub(super) enum Subject {
    /// Characters with these names.
    Named(Vec<EntityId>),
    /// One person, to whom a pronoun refers.
    Person(String),
    /// Several persons who were named before, or the whole party.
    Group,
    /// This number of persons who were named before, or the whole party: "the three of them".
    Counted(usize),
    /// The whole party.
    Party,
    /// The whole party, and perhaps also the others in the scene: "everybody".
    Everybody,
    /// The whole party, which has this number of player characters: "all three of you".
    CountedParty(usize),
    /// The party without these characters: "everybody but Odo".
    PartyWithout(Vec<EntityId>),
    /// Those of the party whom the text does not name: "the others".
    Others,
    /// A subject with an exception that no name states: "everybody but the cook".
    Unknown,
}

/// Returns the subject without a name with which words begin, and the number of its words: three for "The whole party".
pub(super) fn unnamed_subject(clause: &[&str]) -> Option<(Subject, usize)> {
    let english = words::english();
    (1..=MAX_SUBJECT_WORDS).rev().find_map(|count| {
        let mut phrase = clause.get(..count)?.join(" ").to_lowercase();
        let has_exception = exception_count(&clause[count..]) > 0;
        // "Everybody, except Odo, leaves."
        if has_exception && phrase.ends_with(',') {
            phrase.pop();
        }
        let is_listed = |list: &[String]| words::contains_word(list, &phrase);
        let is_all = is_listed(&english.party_subjects) || (has_exception && is_listed(&english.excepted_subjects));
        let subject = if is_listed(&english.everybody_subjects) {
            Subject::Everybody
        } else if is_all {
            Subject::Party
        } else if is_listed(&english.group_subjects) {
            Subject::Group
        } else if is_listed(&english.other_subjects) {
            Subject::Others
        } else if is_listed(&english.person_pronouns) {
            Subject::Person(phrase)
        } else {
            counted_subject(&phrase)?
        };
        Some((subject, count))
    })
}

/// Returns the subject with a number that a phrase states: four of the party for "all four of you".
fn counted_subject(phrase: &str) -> Option<Subject> {
    let english = words::english();
    let phrase: Vec<&str> = phrase.split(' ').collect();
    let number = |word: &str| {
        let listed = english.number_words.iter().position(|number| number == word).map(|at| at + 1);
        listed.or_else(|| word.parse().ok())
    };
    let counted = |pattern: &String| {
        let pattern: Vec<&str> = pattern.split(' ').collect();
        let mut pairs = pattern.iter().zip(&phrase);
        let is_match = pattern.len() == phrase.len() && pairs.all(|(part, word)| part == word || *part == "#");
        let at = pattern.iter().position(|part| *part == "#").filter(|_| is_match)?;
        number(phrase[at])
    };
    let is_dual = || words::contains_word(&english.dual_subjects, &phrase.join(" "));
    let count = english.counted_subjects.iter().find_map(counted).or_else(|| is_dual().then_some(2))?;
    let is_party = phrase.iter().any(|word| words::is_first_or_second_person(word));
    Some(if is_party { Subject::CountedParty(count) } else { Subject::Counted(count) })
}

/// Returns the number of words before the names of persons whom a subject does not mean: two for "except for Odo", and zero
/// if the words begin with no exception.
pub(super) fn exception_count(words: &[&str]) -> usize {
    let is_next = |phrase: &&String| {
        let mut parts = phrase.split(' ').zip(words);
        phrase.split(' ').count() <= words.len() && parts.all(|(part, word)| word.to_lowercase() == part)
    };
    let phrases = words::english().exception_phrases.iter().filter(is_next);
    phrases.map(|phrase| phrase.split(' ').count()).max().unwrap_or_default()
}

/// Returns the number of words of the longest of several phrases with which a sentence begins: two for "That night Odo leaves".
/// A comma can follow the phrase.
pub(super) fn opening_phrase_count(sentence: &[&str], phrases: &[String]) -> Option<usize> {
    let counts = phrases.iter().filter_map(|phrase| {
        let count = phrase.split(' ').count();
        let opening = sentence.get(..count)?.join(" ").to_lowercase();
        (opening.trim_end_matches(',') == phrase).then_some(count)
    });
    counts.max()
}

/// Returns whether a clause can begin after a word.
pub(super) fn ends_clause(word: &str) -> bool {
    let (word, english) = (word.to_lowercase(), words::english());
    word.ends_with(',') || is_conjunction(&word) || words::contains_word(&english.clause_openers, &word)
}

/// Returns whether a word joins the names of a list.
pub(super) fn is_conjunction(word: &str) -> bool {
    words::contains_word(&words::english().name_conjunctions, word)
}

/// Returns whether a subject can follow a word at the start of a sentence, as in "Suddenly, Pike laughs".
pub(super) fn opens_clause(word: &str) -> bool {
    let word = word.trim_end_matches(',').to_lowercase();
    is_clause_opener(&word) || words::is_adverb(&word)
}

/// Returns whether a word such as "meanwhile" can precede the subject of a sentence and is no adverb of manner.
pub(super) fn is_clause_opener(word: &str) -> bool {
    words::contains_word(&words::english().clause_openers, &word.to_lowercase())
}

/// Returns the pronouns for one person that have a property.
pub(super) fn person_pronouns(has_property: impl Fn(&PersonalPronouns) -> bool) -> Option<&'static PersonalPronouns> {
    let english = words::english();
    let is_person = |pronouns: &PersonalPronouns| words::contains_word(&english.person_pronouns, &pronouns.subject);
    english.personal_pronouns.iter().find(|pronouns| is_person(pronouns) && has_property(pronouns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_about_the_time_can_begin_a_sentence() {
        let openers = &words::english().time_openers;
        let count = |line: &str| opening_phrase_count(&line.split(' ').collect::<Vec<_>>(), openers);
        assert_eq!(count("That night Wren leaves."), Some(2));
        assert_eq!(count("Later that evening, Wren leaves."), Some(3));
        assert_eq!(count("That knight leaves."), None);
    }

    #[test]
    fn a_number_of_persons_is_read() {
        let count = |phrase: &str| match unnamed_subject(&phrase.split(' ').collect::<Vec<_>>()) {
            Some((Subject::CountedParty(count), _)) => format!("party of {count}"),
            Some((Subject::Counted(count), _)) => format!("group of {count}"),
            Some((Subject::Party, _)) => "party".to_owned(),
            Some((Subject::Others, _)) => "others".to_owned(),
            _ => "none".to_owned(),
        };
        for (phrase, expected) in [
            ("All five of you leave", "party of 5"),
            ("The 3 of us leave", "party of 3"),
            ("You two leave", "party of 2"),
            ("Both of them leave", "group of 2"),
            ("the six of them leave", "group of 6"),
            ("You all leave", "party"),
            ("All except Wren leave", "party"),
            ("All leave", "none"),
            ("The rest of the party leaves", "others"),
            ("The rest leaves", "others"),
            ("The four horses leave", "none"),
        ] {
            assert_eq!(count(phrase), expected, "{phrase}");
        }
    }
}
