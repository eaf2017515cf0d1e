//! English words that several crates use to compare and to write texts.

mod lists;

pub use lists::{PersonalPronouns, Words, contains_word, english};

impl PersonalPronouns {
    /// Replaces a name in a clause where a pronoun reads well: as an owner, and at the end of the clause. `Odo is the
    /// nephew of Marta` becomes `Odo is her nephew`.
    fn replace_name(&self, clause: &str, name: &str) -> String {
        let continues_word = |c: char| c.is_alphanumeric() || c == '-';
        let (mut replaced, mut rest) = (String::new(), clause);
        while let Some(at) = rest.find(name).filter(|_| !name.is_empty()) {
            let (before, after) = (&rest[..at], &rest[at + name.len()..]);
            replaced.push_str(before);
            rest = after;
            let is_word = !before.ends_with(continues_word) && !after.starts_with(continues_word);
            let owned = after.strip_prefix("'s").or_else(|| after.strip_prefix("\u{2019}s")).filter(|_| is_word);
            let is_last = is_word && after.chars().all(|c| ['.', '!', '?'].contains(&c));
            match (owned, is_last) {
                (Some(owned), _) => {
                    replaced.push_str(&self.possessive);
                    rest = owned;
                }
                (None, true) => match noun_of_owner(&replaced) {
                    Some((start, noun)) => {
                        let phrase = format!("{} {noun}", self.possessive);
                        replaced.truncate(start);
                        replaced.push_str(&phrase);
                    }
                    None => replaced.push_str(&self.object),
                },
                (None, false) => replaced.push_str(name),
            }
        }
        replaced + rest
    }
}

/// Returns the noun before the name of an owner, and the start of its noun phrase: `nephew` in `Odo is the nephew of `.
fn noun_of_owner(before: &str) -> Option<(usize, &str)> {
    let (start, noun) = before.strip_suffix(" of ")?.rsplit_once(" the ")?;
    (!noun.is_empty() && noun.chars().all(char::is_lowercase)).then_some((start.len() + 1, noun))
}

/// Returns the words of one person as reported speech: `Odo says that the ferry is late.` The pronouns of the person
/// replace its name in the clause. "Odo says that Odo was in all night" sounds as if there were two of them, so a clause
/// that still names the person follows `According to Odo`.
pub fn reported_speech(name: &str, clause: &str, pronouns: Option<&PersonalPronouns>) -> String {
    let replaced = pronouns.map_or_else(|| clause.to_owned(), |pronouns| pronouns.replace_name(clause, name));
    if replaced == clause && clause.contains(name) {
        format!("According to {}, {clause}", lower_first(name))
    } else {
        format!("{} says that {replaced}", upper_first(name))
    }
}

/// Replaces the name of an owner by a pronoun in a sentence that begins with this name: "Odo is with Odo's sister" becomes
/// "Odo is with his sister". If the pronouns are unknown, the sentence has "their".
pub fn with_own_possessives(sentence: &str, name: &str, pronouns: Option<&PersonalPronouns>) -> String {
    let possessive = pronouns.map_or("their", |pronouns| pronouns.possessive.as_str());
    match sentence.strip_prefix(name).filter(|rest| rest.starts_with(' ') && !name.is_empty()) {
        Some(rest) => {
            let owners = [format!(" {name}'s "), format!(" {name}\u{2019}s ")];
            let replaced =
                owners.iter().fold(rest.to_owned(), |rest, owner| rest.replace(owner, &format!(" {possessive} ")));
            format!("{name}{replaced}")
        }
        None => sentence.to_owned(),
    }
}

/// Returns whether a word in lowercase is a pronoun of the first person, such as `me` and `our`.
pub fn is_first_person(word: &str) -> bool {
    contains_word(&english().first_person_pronouns, word) || contains_word(&english().group_pronouns, word)
}

/// Returns whether a word in lowercase is a pronoun for a person who speaks or is addressed, such as `us` and `you`.
pub fn is_first_or_second_person(word: &str) -> bool {
    is_first_person(word) || contains_word(&english().addressee_pronouns, word)
}

/// Returns whether a word in lowercase is a finite form of "be", such as `was`.
pub fn is_finite_be_form(word: &str) -> bool {
    contains_word(&english().finite_be_forms, word)
}

/// Returns whether a word can stand within a name although it is in lowercase, such as `von`.
pub fn is_name_particle(word: &str) -> bool {
    contains_word(&english().name_particles, word)
}

/// Returns whether a word in lowercase is a title that can stand before a name without being part of it, such as `lady`.
pub fn is_title(word: &str) -> bool {
    contains_word(&english().titles, word)
}

/// Returns whether a word in lowercase has the ending of an adverb, such as `quietly`.
pub fn is_adverb(word: &str) -> bool {
    has_ending(word, &english().adverb_endings)
}

/// Returns whether a word in lowercase is an article, such as `the`.
pub fn is_article(word: &str) -> bool {
    contains_word(&english().articles, word)
}

/// Returns the words of a name in lowercase without an article at their start. A name of one word stays as it is.
pub fn without_article(mut name: Vec<String>) -> Vec<String> {
    if name.len() > 1 && is_article(&name[0]) {
        name.remove(0);
    }
    name
}

/// Returns a sentence in a form that can follow other words. If the first word is in the list of
/// [openers](Words::openers), it is written in lowercase. Any other first word stays unchanged, because it may be a
/// name.
pub fn lower_first(sentence: &str) -> String {
    let (first, rest) = sentence.split_once(' ').unwrap_or((sentence, ""));
    let first = if contains_word(&english().openers, first) { first.to_lowercase() } else { first.to_owned() };
    format!("{first} {rest}").trim_end().to_owned()
}

/// Returns a text with its first letter as a capital.
pub fn upper_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns a number with its noun: `1 fact`, `2 facts`.
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Joins names: `A`, `A and B`, `A, B and C`. Returns an empty text if there are none.
pub fn join_names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins at most `max` names like [`join_names`], and counts the other names: `A, B and 1 other`.
pub fn join_first_names<S: AsRef<str>>(names: &[S], max: usize) -> String {
    let first: Vec<&str> = names.iter().take(max).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(max) {
        0 => join_names(&first),
        1 => format!("{} and 1 other", first.join(", ")),
        others => format!("{} and {others} others", first.join(", ")),
    }
}

/// Returns a sentence in the past tense: `Jory is a clerk.` becomes `Jory was a clerk.` The sentence must start with
/// the name of its subject, followed by a verb in the list of [past forms](Words::past_forms). Otherwise, returns
/// `None`.
pub fn past_tense(sentence: &str, subject: &str) -> Option<String> {
    let rest = sentence.strip_prefix(subject)?.strip_prefix(' ')?;
    let (verb, rest) = rest.split_once(' ')?;
    let past = english().past_forms.get(verb)?;
    Some(format!("{subject} {past} {rest}"))
}

/// Returns whether a word in lower case is in the list of [past forms](Words::past_forms).
pub fn is_past_form(word: &str) -> bool {
    english().past_forms.values().any(|past| past == word)
}

/// Returns whether a word in lower case can be a verb in the past tense: it is in the list of
/// [past forms](Words::past_forms), or has one of the [endings](Words::past_endings).
pub fn is_past_verb(word: &str) -> bool {
    is_past_form(word) || has_ending(word, &english().past_endings)
}

/// Returns whether a word has one of the endings.
pub fn has_ending(word: &str, endings: &[String]) -> bool {
    endings.iter().any(|ending| word.ends_with(ending.as_str()))
}

/// Returns whether a word in lower case can be the participle of a verb in the progressive, such as `wiping`.
pub fn is_progressive_form(word: &str) -> bool {
    has_ending(word, &english().progressive_endings) && !contains_word(&english().progressive_lookalikes, word)
}

/// Returns a noun with its indefinite article: `an NPC`, `a location`. The first letters of the noun decide between `a`
/// and `an`. An abbreviation in capitals is read letter by letter. A noun with an article, such as `the landlady`, and an
/// office, such as `captain of the watch`, stay unchanged.
pub fn with_article(noun: &str) -> String {
    let first = noun.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_office = english().office_marks.iter().any(|mark| noun.contains(&format!(" {mark} ")));
    if is_office || noun.split_whitespace().next().is_some_and(is_determiner) {
        return noun.to_owned();
    }
    let begins_with = |list: &[String]| list.iter().any(|beginning| first.to_lowercase().starts_with(beginning));
    let is_abbreviation = first.chars().count() > 1 && first.chars().all(char::is_uppercase);
    let has_vowel_sound = if is_abbreviation {
        first.starts_with(['A', 'E', 'F', 'H', 'I', 'L', 'M', 'N', 'O', 'R', 'S', 'X'])
    } else if first.to_lowercase().starts_with(['a', 'e', 'i', 'o', 'u']) {
        !begins_with(&english().consonant_sounds)
    } else {
        begins_with(&english().vowel_sounds)
    };
    format!("{} {noun}", if has_vowel_sound { "an" } else { "a" })
}

/// Returns whether a word stands for the article of the noun after it, such as `the` and `His`.
pub fn is_determiner(word: &str) -> bool {
    contains_word(&english().determiners, &word.to_lowercase())
}

/// Maximum number of words in a [definite noun](definite_noun).
const MAX_NOUN_WORDS: usize = 4;

/// Returns the noun of a short description with the definite article: `the landlady` for `landlady of the Broken Wheel,
/// a widow`. Returns `None` if the noun has too many words.
pub fn definite_noun(description: &str) -> Option<String> {
    let phrase = description.split([',', '.', ';', ':', '(']).next().unwrap_or_default();
    let mut words: Vec<&str> = phrase.split_whitespace().take_while(|word| *word != "of").collect();
    if words.first().is_some_and(|first| is_determiner(first)) {
        words.remove(0);
    }
    (1..=MAX_NOUN_WORDS).contains(&words.len()).then(|| format!("the {}", words.join(" ")))
}

/// Words for a person whose name the readers of a text do not know.
pub const STRANGER: &str = "a stranger";

#[cfg(test)]
mod tests {
    use super::{
        PersonalPronouns, contains_word, count, definite_noun, english, is_first_or_second_person, join_first_names,
        lower_first, past_tense, reported_speech, with_article, without_article,
    };

    #[test]
    fn the_speaker_and_the_hearer_have_pronouns() {
        for word in ["mine", "us", "ourselves", "yours"] {
            assert!(is_first_or_second_person(word), "{word}");
        }
        for word in ["theirs", "him", "mint"] {
            assert!(!is_first_or_second_person(word), "{word}");
        }
    }

    #[test]
    fn an_article_is_removed_from_a_name_of_several_words() {
        let names = ["the gilded gull", "an odd fellow", "the", "thea marsh"];
        let shortened = names.map(|name| without_article(name.split(' ').map(str::to_owned).collect()).join(" "));
        assert_eq!(shortened, ["gilded gull", "odd fellow", "the", "thea marsh"]);
    }

    #[test]
    fn a_number_has_the_right_form_of_its_noun() {
        assert_eq!([0, 1, 2].map(|number| count(number, "fact", "facts")), ["0 facts", "1 fact", "2 facts"]);
    }

    #[test]
    fn the_file_is_whole() {
        assert!(contains_word(&english().fillers, "the") && !contains_word(&english().fillers, "ledger"));
    }

    #[test]
    fn reported_speech_has_pronouns_for_the_speaker() {
        for (pronouns, clause, expected) in [
            ("she/her", "Kasimir is the nephew of Marta Kolb.", "Marta Kolb says that Kasimir is her nephew."),
            ("female", "Marta Kolb's brother owes Marta Kolb", "Marta Kolb says that her brother owes her"),
            ("they/them", "the Guild pays Marta Kolb.", "Marta Kolb says that the Guild pays them."),
            ("she/her", "the ferry is late.", "Marta Kolb says that the ferry is late."),
            ("she/her", "Odo left when Marta Kolb came.", "According to Marta Kolb, Odo left when Marta Kolb came."),
            ("unknown", "the Guild pays Marta Kolb.", "According to Marta Kolb, the Guild pays Marta Kolb."),
        ] {
            let pronouns = PersonalPronouns::from_recorded(pronouns);
            assert_eq!(reported_speech("Marta Kolb", clause, pronouns), expected);
        }
    }

    #[test]
    fn the_article_follows_the_sound() {
        let nouns = ["NPC", "DM", "player character", "item", "Event", "heirloom", "union hall", "uncle", "GPS"];
        let articles = ["an", "a", "a", "an", "an", "an", "a", "an", "a"];
        for (noun, article) in nouns.into_iter().zip(articles) {
            assert_eq!(with_article(noun), format!("{article} {noun}"));
        }
        for noun in ["the landlady", "A retired smuggler", "one of the guards", "captain of the proctors"] {
            assert_eq!(with_article(noun), noun);
        }
        assert_eq!(with_article("one-eyed sailor"), "a one-eyed sailor");
    }

    #[test]
    fn a_short_description_has_a_definite_noun() {
        for (description, noun) in [
            ("landlady of the Broken Wheel", Some("the landlady")),
            ("the old ferryman, a drunkard", Some("the old ferryman")),
            ("keeps the books and the keys for her brother", None),
            ("", None),
        ] {
            assert_eq!(definite_noun(description).as_deref(), noun);
        }
    }

    #[test]
    fn names_above_the_maximum_are_counted() {
        let joined = |max| join_first_names(&["Ada", "Ben", "Cora"], max);
        assert_eq!(joined(3), "Ada, Ben and Cora");
        assert_eq!(joined(2), "Ada, Ben and 1 other");
        assert_eq!(joined(1), "Ada and 2 others");
        assert_eq!(join_first_names::<String>(&[], 3), "");
    }

    #[test]
    fn only_words_that_are_no_names_become_lowercase() {
        assert_eq!(lower_first("The mill is haunted."), "the mill is haunted.");
        assert_eq!(lower_first("Mill Lane is long."), "Mill Lane is long.");
    }

    #[test]
    fn only_a_known_verb_after_the_subject_is_put_in_the_past() {
        let past = |sentence| past_tense(sentence, "Old Pell");
        assert_eq!(past("Old Pell works for the guild.").as_deref(), Some("Old Pell worked for the guild."));
        assert_eq!(past("Old Pell was a sailor."), None);
        assert_eq!(past("Old Pellham is a sailor."), None);
        assert_eq!(past("The friend of Old Pell is a sailor."), None);
    }
}
