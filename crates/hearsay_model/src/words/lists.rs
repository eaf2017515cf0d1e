//! Lists of English words. The lists are read once, from `data/words.toml`.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// Lists of English words, one list for each purpose.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Words that have a capital letter only at the start of a sentence, such as `The`. [`lower_first`](super::lower_first) writes these
    /// words in lowercase. Any other first word may be a name.
    pub openers: Vec<String>,
    /// Words that are ignored when two sentences are compared.
    pub fillers: Vec<String>,
    /// Words that negate a statement, apart from the words that end in `n't`.
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
    /// Verbs of speech that are heard from afar, such as `shouts`.
    pub loud_verbs: Vec<String>,
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
    /// Words for the subject of a question, such as `who`.
    pub subject_interrogatives: Vec<String>,
    /// Short answers with which a speaker names itself as the subject of a question, such as `i did`.
    pub own_answers: Vec<String>,
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
    /// Phrases with this meaning that follow other words, such as `without being @` (see `unnoticed_phrases`).
    pub unwitnessed_manners: Vec<String>,
    /// Objects that can follow the `unwitnessed_clauses` and the `unwitnessed_manners`, such as `it`.
    pub unwitnessed_objects: Vec<String>,
    /// Clauses of narration about something that only the named and the acting persons notice, such as `only * sees`.
    pub sole_witness_clauses: Vec<String>,
    /// Phrases that name the only characters who notice a line, such as `only to *`.
    pub private_addressees: Vec<String>,
    /// Phrases for what perhaps only the named characters notice, such as `under the table`.
    pub private_circumstances: Vec<String>,
    /// Words after the name of a character who dies, such as `dead`.
    pub death_states: Vec<String>,
    /// Verbs before the name of a character who dies, such as `kills`.
    pub killing_verbs: Vec<String>,
    /// Phrases with a word for death that state no death, such as `dead tired`.
    pub death_idioms: Vec<String>,
    /// Words of sentences about a death that does not happen, or only may happen, such as `almost`.
    pub death_doubts: Vec<String>,
    /// Verbs of perception. Each entry contains all forms of a verb: `see sees saw seeing`.
    pub perception_verbs: Vec<String>,
    /// Verbs with which a secret says where a thing is, such as `hides`.
    pub hiding_verbs: Vec<String>,
    /// Words after one of the `hiding_verbs` that begin the place of the thing, such as `behind`.
    pub hiding_place_openers: Vec<String>,
    /// Phrases of narration in which somebody only looks for a thing, such as `looks for`.
    pub seeking_phrases: Vec<String>,
    /// Verbs of narration in which somebody finds a thing, such as `finds`.
    pub finding_verbs: Vec<String>,
    /// Phrases with which a speaker admits a deed or accuses a hearer of it, such as `it was me`.
    pub admission_phrases: Vec<String>,
    /// Words with which a character tells a secret in other words. Each entry contains forms of words with the same meaning:
    /// `will testament`.
    pub synonyms: Vec<String>,
    /// Words after a verb of perception with which the verb states no perception: "doesn't see *why*".
    pub perception_idioms: Vec<String>,
    /// Words that can precede the subject of a sentence of narration, such as `then`.
    pub clause_openers: Vec<String>,
    /// Words that begin a clause about the time or the reason of a main clause, such as `when`.
    pub circumstance_conjunctions: Vec<String>,
    /// Verbs whose subject need not perceive what narration tells, such as `sleeps`.
    pub inactive_verbs: Vec<String>,
    /// Verbs in the present tense with which narration can tell of the dead, such as `lies`, and adverbs with the same ending.
    pub lifeless_verbs: Vec<String>,
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
    /// Phrases with which a person goes along with another person who leaves, for whom a `*` stands, such as `follows *`.
    pub companion_phrases: Vec<String>,
    /// Verbs that alone state that a person leaves, such as `departs` and `sets out`.
    pub leaving_verbs: Vec<String>,
    /// Words that can follow one of the `leaving_verbs`: "leaves *with* the others".
    pub leaving_followers: Vec<String>,
    /// Phrases with which a person leaves for an unknown place, and not only for a short time, such as `runs away`.
    pub flight_phrases: Vec<String>,
    /// Words after one of the `flight_phrases` with which the person stays near or comes back soon, such as `kitchen`.
    pub nearby_words: Vec<String>,
    /// Words at the start of a line in square brackets, before the place to which the scene moves, such as `at`.
    pub place_openers: Vec<String>,
    /// Words at the start of narration before the name of the place where it happens, such as `at`.
    pub scene_openers: Vec<String>,
    /// Phrases at the start of narration that happens between two places, such as `on the way`.
    pub way_phrases: Vec<String>,
    /// Phrases about the time with which a sentence of narration can begin, such as `that night`.
    pub time_openers: Vec<String>,
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
    /// Subjects that stand for the whole party, and perhaps also for the others in the scene, such as `everybody`.
    pub everybody_subjects: Vec<String>,
    /// Subjects that stand for the whole party, such as `the group`.
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
    /// Those of the `declared_verbs` that words can follow which the character says: "I bow and *say* I never saw the boat".
    pub declared_speech_verbs: Vec<String>,
    /// Pronouns of the first person for the subject of a sentence, such as `we`.
    pub first_person_subjects: Vec<String>,
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
    /// Verbs that do not say whether quoted words are true, such as `says` for `lies`.
    pub plain_speech_verbs: BTreeMap<String, String>,
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
}

#[expect(clippy::panic, reason = "the file is part of the program, and a test parses it")]
static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("../../data/words.toml")).unwrap_or_else(|error| panic!("data/words.toml: {error}"))
});

/// Returns the lists of English words.
pub fn english() -> &'static Words {
    &WORDS
}

/// Returns whether a list contains a word.
pub fn contains_word(list: &[String], word: &str) -> bool {
    list.iter().any(|other| other == word)
}
