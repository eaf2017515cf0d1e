//! Lists of English words that several crates use to compare texts. The lists are read once, from `data/words.toml`.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// Lists of English words, one list for each purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Words that have a capital letter only at the start of a sentence, such as `The`. [`lower_first`] writes these
    /// words in lowercase. Any other first word may be a name.
    pub openers: Vec<String>,
    /// Words that are ignored when two sentences are compared.
    pub fillers: Vec<String>,
    /// Words that negate a statement. Words that end in `n't` also negate a statement, but the list does not contain
    /// them.
    pub negations: Vec<String>,
    /// Names that mean the DM, such as `gm` or `narrator`.
    pub narrators: Vec<String>,
    /// Marks of a line that no character says, such as `ooc`.
    pub out_of_character_marks: Vec<String>,
    /// Words in brackets after the name of a speaker, before the names of the hearers, such as `whispers to`.
    pub hearer_openers: Vec<String>,
    /// Verbs between a speaker and a colon, such as `says`.
    pub speech_verbs: Vec<String>,
    /// Verbs of speech before the name of a hearer.
    pub address_verbs: Vec<String>,
    /// Verbs between a speaker and a colon that make the words confidential, such as `whispers`.
    pub whisper_verbs: Vec<String>,
    /// Verbs that make the words confidential only before one of the `hearer_phrases`, such as `hisses`.
    pub hushed_verbs: Vec<String>,
    /// Phrases that introduce confidential words without a verb of speech, such as `takes * aside`. A `*` stands for the
    /// names of the hearers.
    pub aside_phrases: Vec<String>,
    /// Words near a verb of speech that make the words confidential, such as `in private`.
    pub confidential_manners: Vec<String>,
    /// Words after a verb of speech that begin the words that narration reports, such as `that`.
    pub reported_openers: Vec<String>,
    /// Words after a verb of speech before the topic of words that narration reports, such as `about`.
    pub topic_openers: Vec<String>,
    /// Further words that begin a clause before a verb of speech, which can have another subject, such as `as`.
    pub subordinators: Vec<String>,
    /// Verbs that say at whom somebody looks, and not to whom somebody speaks, such as `glances`.
    pub regard_verbs: Vec<String>,
    /// Pronouns of the first person singular, such as `me`.
    pub first_person_pronouns: Vec<String>,
    /// Short forms with such a pronoun, without the apostrophe, such as `im`.
    pub first_person_contractions: Vec<String>,
    /// Words with which only spoken words begin, such as `please`.
    pub spoken_openers: Vec<String>,
    /// Words before a colon with which the words after it are read, written, heard or thought, such as `letter`.
    pub unspoken_words: Vec<String>,
    /// Words after a verb of speech that begin a phrase about how, where or to whom somebody speaks, such as `across`.
    pub speech_manner_openers: Vec<String>,
    /// Endings of adverbs, such as `ly`.
    pub adverb_endings: Vec<String>,
    /// Phrases that name the hearers after a verb of speech. A `*` stands for the names.
    pub hearer_phrases: Vec<String>,
    /// Phrases that name the hearers after a verb of speech, and that make the words confidential, such as `in * ear`.
    pub ear_phrases: Vec<String>,
    /// Pronouns for the speaker, such as `himself`.
    pub reflexives: Vec<String>,
    /// Phrases of narration about persons who do not notice what happens. A `*` stands for the names of the persons, and
    /// a `@` for a form of one of the `perception_verbs`.
    pub unnoticed_phrases: Vec<String>,
    /// Clauses of narration about something that nobody but the acting persons notices, such as `nobody sees`.
    pub unwitnessed_clauses: Vec<String>,
    /// Phrases with the same meaning that can follow other words of a clause, such as `without being @`. A `@` stands for a
    /// form of one of the `perception_verbs`.
    pub unwitnessed_manners: Vec<String>,
    /// Objects that can follow the `unwitnessed_clauses` and the `unwitnessed_manners`, such as `it`.
    pub unwitnessed_objects: Vec<String>,
    /// Clauses of narration about something that only the named and the acting persons notice, such as `only * sees`.
    pub sole_witness_clauses: Vec<String>,
    /// Verbs of perception. Each entry contains all forms of a verb: `see sees saw seeing`.
    pub perception_verbs: Vec<String>,
    /// Words after a verb of perception with which the verb states no perception: "doesn't see *why*".
    pub perception_idioms: Vec<String>,
    /// Words that can precede the subject of a sentence of narration, such as `then`.
    pub clause_openers: Vec<String>,
    /// Words that begin a clause about the time or the reason of a main clause, such as `when`.
    pub circumstance_conjunctions: Vec<String>,
    /// Verbs whose subject need not perceive what narration tells, such as `sleeps`.
    pub inactive_verbs: Vec<String>,
    /// Verbs for a state and not for a deed, such as `owes`.
    pub stative_verbs: Vec<String>,
    /// Those of the `stative_verbs` that also form the perfect, such as `has`.
    pub perfect_auxiliaries: Vec<String>,
    /// Words at the end of a clause with a form of "be" with which the subject is or comes there, such as `back`.
    pub presence_adverbs: Vec<String>,
    /// Phrases at the start of what narration says about one person that only this person notices, such as `wonders`.
    pub thought_phrases: Vec<String>,
    /// Phrases with which others notice a thought, or a deed with it, such as `aloud`.
    pub visible_thought_phrases: Vec<String>,
    /// Verbs of motion, such as `walks` and `makes her way`. With one of the `departure_particles`, they state that a person leaves.
    pub motion_verbs: Vec<String>,
    /// Verbs that state that a person comes to a place, such as `arrives`.
    pub arrival_verbs: Vec<String>,
    /// Adverbs between a verb of motion and a particle: "goes *back* upstairs".
    pub motion_adverbs: Vec<String>,
    /// Verbs of motion with an object, such as `follows`: "follows *him* out".
    pub pursuit_verbs: Vec<String>,
    /// Verbs that send a person away if one of the `removal_particles` follows, such as `throws`: "throws *Odo* out".
    pub removal_verbs: Vec<String>,
    /// Words after one of the `removal_verbs` and a person that state that the person leaves, such as `out`.
    pub removal_particles: Vec<String>,
    /// Places that are no part of a scene with others, such as `bedroom`. A person who goes there leaves the scene.
    pub private_places: Vec<String>,
    /// Words after a verb of motion that begin a way to a place, such as `along`: "walks *along* the river to the mill".
    pub way_openers: Vec<String>,
    /// Phrases after a verb of motion with which a person comes out of a place, such as `out of`.
    pub emergence_phrases: Vec<String>,
    /// Beginnings of the words after a subject that say only what will or may happen, such as `is going to`.
    pub prospect_phrases: Vec<String>,
    /// Verbs that take a person along to a place, such as `brings`.
    pub escort_verbs: Vec<String>,
    /// Words before the names of persons whom somebody takes along, such as `with`.
    pub company_openers: Vec<String>,
    /// Verbs with which a person comes into the scene if one of the `entry_particles` follows, such as `bursts`.
    pub entry_verbs: Vec<String>,
    /// Words after a verb of motion or one of the `entry_verbs` with which a person comes into the scene, such as `in`.
    pub entry_particles: Vec<String>,
    /// Words that can follow the name of a person who comes along, such as `behind`.
    pub company_followers: Vec<String>,
    /// Words between a verb of motion and the place to which a person goes, such as `to`.
    pub destination_openers: Vec<String>,
    /// Words after a verb of motion that state that a person leaves, such as `away`.
    pub departure_particles: Vec<String>,
    /// Nouns that stand for the place of the scene, such as `room`.
    pub scene_nouns: Vec<String>,
    /// Words directly before the place to which a person goes, such as `makes for`.
    pub goal_phrases: Vec<String>,
    /// Phrases with which a person goes along with somebody who leaves, such as `tags along`. A `*` stands for the person
    /// who leaves.
    pub companion_phrases: Vec<String>,
    /// Verbs that alone state that a person leaves, such as `departs` and `sets out`.
    pub leaving_verbs: Vec<String>,
    /// Words that can follow one of the `leaving_verbs`: "leaves *with* the others".
    pub leaving_followers: Vec<String>,
    /// Words at the start of a line in square brackets, before the name of the place to which the scene moves, such as
    /// `at`.
    pub place_openers: Vec<String>,
    /// Words at the start of narration before the name of the place where it happens, such as `at`.
    pub scene_openers: Vec<String>,
    /// Phrases before the `scene_openers`, according to which the narration happens elsewhere, such as `meanwhile`.
    pub meanwhile_phrases: Vec<String>,
    /// Words in lowercase that can stand within a name, such as `von`.
    pub name_particles: Vec<String>,
    /// Titles and other words that can stand before a name without being part of it, such as `captain`.
    pub titles: Vec<String>,
    /// Abbreviations that do not end a sentence, such as `mr`.
    pub abbreviations: Vec<String>,
    /// Short forms of titles. Each entry contains all forms of a title: `doctor doc dr`.
    pub title_forms: Vec<String>,
    /// Pronouns that can be the subject of a sentence about one person, such as `he`.
    pub person_pronouns: Vec<String>,
    /// Pronouns for several persons, one of whom speaks, such as `us`.
    pub group_pronouns: Vec<String>,
    /// Pronouns for the person who is addressed, such as `you`.
    pub addressee_pronouns: Vec<String>,
    /// Subjects that stand for several persons who were named before, or for the whole party, such as `they`.
    pub group_subjects: Vec<String>,
    /// Subjects that stand for the whole party, such as `everybody`.
    pub party_subjects: Vec<String>,
    /// Subjects that stand for the whole party only before an exception, such as `all`: "*all* but Odo".
    pub excepted_subjects: Vec<String>,
    /// Words before the names of persons whom a subject does not mean, such as `but`: "everybody *but* Odo".
    pub exception_phrases: Vec<String>,
    /// Subjects that stand for a number of persons, such as `the # of you`. A `#` stands for one of the `number_words`.
    pub counted_subjects: Vec<String>,
    /// Words for the numbers from one on.
    pub number_words: Vec<String>,
    /// Subjects that stand for two persons, such as `both`.
    pub dual_subjects: Vec<String>,
    /// Subjects that stand for those of the party whom the text does not name, such as `the others`.
    pub other_subjects: Vec<String>,
    /// Pronouns that stand for one person.
    pub personal_pronouns: Vec<PersonalPronouns>,
    /// Words between the last two names of a list, such as `and`.
    pub name_conjunctions: Vec<String>,
    /// Phrases that players use to talk about the rules, the dice and the evening. A `#` stands for a number, and a `$`
    /// for the end of a clause.
    pub game_phrases: Vec<String>,
    /// Greetings and farewells with which a character begins a short line, such as `good night`.
    pub greetings: Vec<String>,
    /// Beginnings of words that start with a consonant letter but a vowel sound, such as `hour`.
    pub vowel_sounds: Vec<String>,
    /// Beginnings of words that start with a vowel letter but a consonant sound, such as `unit`.
    pub consonant_sounds: Vec<String>,
    /// Articles, such as `the`.
    pub articles: Vec<String>,
    /// Words at the start of a noun that stand for its article, such as `his`.
    pub determiners: Vec<String>,
    /// Words within the name of an office that needs no article, such as `of the`: "captain of the watch".
    pub office_marks: Vec<String>,
    /// Nouns for one occupation. Each entry contains nouns with the same meaning: `innkeeper landlady`.
    pub occupation_synonyms: Vec<String>,
    /// First words of questions whose answer names another person, thing or place, such as `who`.
    pub entity_questions: Vec<String>,
    /// Beginnings of questions about the events of an entity, such as `what happened to`. The name of the entity follows.
    pub event_questions: Vec<String>,
    /// Beginnings of questions about an entity as a whole, such as `who is`. The name of the entity follows.
    pub overview_questions: Vec<String>,
    /// Forms of "be" after a subject, and at the start of questions whether an entity has a property, such as `is`.
    pub finite_be_forms: Vec<String>,
    /// Endings of verbs in the third person, such as `s`.
    pub third_person_endings: Vec<String>,
    /// Endings of verbs in the past tense, such as `ed`.
    pub past_endings: Vec<String>,
    /// Endings of participles in the progressive, such as `ing`: "is wip*ing* a mug".
    pub progressive_endings: Vec<String>,
    /// Nouns that have one of the `progressive_endings` and can follow a form of "be", such as `nothing`.
    pub progressive_lookalikes: Vec<String>,
    /// Words before an infinitive, such as `to`.
    pub infinitive_marks: Vec<String>,
    /// First words of questions whose answer is a time, such as `when`.
    pub time_questions: Vec<String>,
    /// Words that say when something happens, such as `night`.
    pub time_words: Vec<String>,
    /// Phrases of narration about what a person only intends, such as `thinks about`.
    pub intention_phrases: Vec<String>,
    /// Verbs with which a player states an action of the own character, such as `ask`: "I *ask* Odo for the key".
    pub declared_verbs: Vec<String>,
    /// Forms of verbs that state a promise, such as `promises`.
    pub promise_verbs: Vec<String>,
    /// Words that transcription programs use as labels of unknown speakers, as in `Speaker 1`.
    pub speaker_labels: Vec<String>,
    /// Words before the name of a speaker who introduces himself or herself, such as `my name is`.
    pub introductions: Vec<String>,
    /// Beginnings of questions that ask who knows something.
    pub knower_questions: Vec<String>,
    /// Words that may occur between the beginning of a question (see `knower_questions`) and its subject: "who knows
    /// *about* the fire".
    pub subject_openers: Vec<String>,
    /// Past forms of verbs in the third person, such as `was` for `is`.
    pub past_forms: BTreeMap<String, String>,
}

/// Pronouns that stand for one person: `she`, `her` and `her`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersonalPronouns {
    /// Pronoun for the subject of a sentence.
    pub subject: String,
    /// Pronoun for the object of a sentence.
    pub object: String,
    /// Pronoun for the owner of something.
    pub possessive: String,
    /// Genders for which the pronouns stand, such as `female`.
    pub genders: Vec<String>,
}

impl PersonalPronouns {
    /// Returns the pronouns that a recorded value states, such as `she/her` or `female`. Returns `None` if the value
    /// begins with another word.
    pub fn from_recorded(value: &str) -> Option<&'static Self> {
        let first = value.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty())?.to_lowercase();
        english()
            .personal_pronouns
            .iter()
            .find(|pronouns| pronouns.subject == first || contains_word(&pronouns.genders, &first))
    }

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

#[expect(clippy::panic, reason = "the file is part of the program, and a test parses it")]
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("../data/words.toml")).unwrap_or_else(|error| panic!("data/words.toml: {error}"))
});

/// Returns the lists of English words.
pub fn english() -> &'static Words {
    &WORDS
}

/// Returns whether a list contains a word.
pub fn contains_word(list: &[String], word: &str) -> bool {
    list.iter().any(|other| other == word)
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
