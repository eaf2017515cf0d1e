//! Words before the colon of a typed line that contain a verb of speech, as in `Lotti whispers to Ysolde: Not here.`, and
//! clauses of narration that report words.

use std::{iter, ops::Range};

use hearsay_model::{EntityId, State, text, words};
use hearsay_query::QueryError;

use super::{
    hearers::resolve_hearers,
    name_phrases::name_ranges,
    narration::before_quotation,
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames},
};
use crate::presence::require_speaker;

/// Maximum number of words before the colon.
pub(super) const MAX_WORDS: usize = 20;

/// Maximum number of words at the start of spoken words up to a pronoun of the first person: "enough, *I* did it".
const MAX_OPENING_WORDS: usize = 5;

/// Dashes that can separate a deed of a character from its words.
const DASHES: [&str; 3] = [" - ", " \u{2013} ", " \u{2014} "];

/// The words before the colon of a line, and the words that are said.
pub(super) struct Introduction<'a> {
    /// Words before the verb of speech. They begin with the name of the speaker.
    subject: Vec<&'a str>,
    /// Words that begin with the names of the hearers. Empty if the line names no hearers.
    hearers: Vec<&'a str>,
    /// Whether the hearers directly follow the verb, as in `Lotti tells Ysolde: Not here.`, or the name of the speaker, as in
    /// `Lotti to Ysolde: Not here.`
    has_direct_hearers: bool,
    /// Whether only the speaker and the named hearers hear the words.
    is_confidential: bool,
    /// Whether there is a verb of speech.
    has_verb: bool,
    /// Whether the words are confidential only if the hearers are characters, as with "hisses to".
    is_hushed: bool,
    /// Words that are said.
    pub(super) said: &'a str,
}

impl<'a> Introduction<'a> {
    /// Finds the verb of speech before the first colon of a line, or before a dash if the words after it are certainly
    /// spoken. The verb can be missing before a hearer, as in `Lotti to Ysolde: Not here.` Returns `None` if the line
    /// introduces no words.
    pub(super) fn find(line: &'a str) -> Option<Self> {
        let (head, said) = match line.split_once(':') {
            Some((head, said)) => (head, said.trim()),
            None => split_dash(line).filter(|(_, said)| is_spoken(said))?,
        };
        let head: Vec<&str> = head.split_whitespace().collect();
        if said.is_empty() || head.len() > MAX_WORDS {
            return None;
        }
        Self::with_verb(&head, said).or_else(|| Self::without_verb(&head, said))
    }

    /// Finds the verb of speech in the words after the subject of a clause of narration that reports words, as in `Lotti
    /// whispers to Ysolde that Odo is late.` `is_quoted` is `true` if a quotation follows the clause. Returns `None` if the
    /// clause reports no words.
    pub(super) fn in_clause(predicate: &[&'a str], is_quoted: bool) -> Option<Self> {
        let english = words::english();
        let is_in = |list: &[String], word: &str| words::contains_word(list, &normal_word(word));
        let is_verb = |at: &usize| is_whisper(predicate, *at) || is_in(&english.speech_verbs, predicate[*at]);
        let verb = (0..predicate.len()).find(is_verb)?;
        let mut end = verb;
        while end < predicate.len() {
            match confidential_manner(&predicate[end..]) {
                Some(length) => end += length,
                None if is_in(&english.reported_openers, predicate[end]) => break,
                None => end += 1,
            }
        }
        let has_topic = predicate[verb..].iter().any(|word| is_in(&english.topic_openers, word));
        if end == predicate.len() && !has_topic && !is_quoted {
            return None;
        }
        let head: Vec<&str> = iter::once("").chain(predicate[..end].iter().copied()).collect();
        let between = &predicate[..verb];
        let is_main = !between.iter().any(|word| is_subordinator(&normal_word(word)));
        Self::with_verb(&head, "").filter(|_| is_main && can_precede_verb(between, true))
    }

    /// Finds the verb of speech in words that begin with a name.
    fn with_verb(head: &[&'a str], said: &'a str) -> Option<Self> {
        let english = words::english();
        let is_speech = |word: &str| words::contains_word(&english.speech_verbs, &normal_word(word));
        let verb = (1..head.len()).find(|at| is_whisper(head, *at) || is_speech(head[*at]))?;
        let (mut before, mut after) = (head[1..verb].to_vec(), head[verb + 1..].to_vec());
        let has_manners = [remove_confidential_manners(&mut before), remove_confidential_manners(&mut after)];
        after.retain(|word| !is_adverb(word));
        let normal: Vec<String> = after.iter().map(|word| normal_word(word)).collect();
        let ear = english.ear_phrases.iter().find_map(|phrase| name_ranges(&normal, phrase).pop());
        let (is_whispered, is_hushed) = (is_whisper(head, verb), is_hushed_verb(head[verb]));
        let is_loud = words::contains_word(&english.loud_verbs, &normal_word(head[verb]));
        let has_ear = ear.is_some();
        let is_confidential =
            is_whispered || has_manners.contains(&true) || has_ear || (!is_loud && takes_aside(&before));
        let mut other_ranges = english.hearer_phrases.iter().flat_map(|phrase| name_ranges(&normal, phrase));
        let names = ear.or_else(|| other_ranges.next());
        let opens_manner = |word: &String| words::contains_word(&english.speech_manner_openers, word);
        let has_direct_hearers = !is_whispered && !normal.first().is_none_or(opens_manner);
        let hearers = match names {
            _ if has_direct_hearers => after,
            Some(names) if has_ear => after[names].iter().copied().map(text::without_possessive).collect(),
            Some(names) => after[names].to_vec(),
            None => Vec::new(),
        };
        let (subject, has_verb) = (head[..verb].to_vec(), true);
        Some(Self { subject, hearers, has_direct_hearers, is_confidential, has_verb, is_hushed, said })
    }

    /// Finds the hearers in words that begin with a name, as in `Lotti to Ysolde: Not here.` and `Lotti takes Ysolde aside: Not
    /// here.` Confidential words need no hearers: `Lotti, under her breath: Not here.`
    fn without_verb(head: &[&'a str], said: &'a str) -> Option<Self> {
        let english = words::english();
        let named = |head: &[&str], phrases: &[String]| {
            let normal: Vec<String> = head.iter().map(|word| normal_word(word)).collect();
            phrases.iter().find_map(|phrase| {
                let names = name_ranges(&normal, phrase).into_iter().next()?;
                let (before, _) = phrase.split_once('*')?;
                let opener = names.start.checked_sub(before.split_whitespace().count())?;
                (opener > 0).then_some((opener, names))
            })
        };
        let (has_verb, is_hushed) = (false, false);
        if let Some((opener, names)) = named(head, &english.aside_phrases) {
            let (subject, hearers) = (head[..opener].to_vec(), head[names].to_vec());
            let (has_direct_hearers, is_confidential) = (true, true);
            return Some(Self { subject, hearers, has_direct_hearers, is_confidential, has_verb, is_hushed, said });
        }
        let mut head = head.to_vec();
        let is_confidential = remove_confidential_manners(&mut head);
        let (subject, hearers) = match named(&head, &english.hearer_phrases) {
            Some((opener, names)) => (head[..opener].to_vec(), head[names].to_vec()),
            None if is_confidential && !head.is_empty() => (head, Vec::new()),
            None => return None,
        };
        let has_direct_hearers = !hearers.is_empty();
        Some(Self { subject, hearers, has_direct_hearers, is_confidential, has_verb, is_hushed, said })
    }

    /// Finds the speaker. Returns the name of the speaker and its identity. Returns `None` if the words before the verb do
    /// not begin with the name of a character or of the DM. The name can be ambiguous.
    pub(super) fn speaker(&self, names: &SpeakerNames<'_>) -> Option<(String, SpeakerIdentity)> {
        let max_words = self.subject.len().min(MAX_REFERENCE_WORDS);
        (1..=max_words).rev().find_map(|count| {
            let (name, between) = self.subject.split_at(count);
            let name = name.join(" ");
            if !can_precede_verb(between, name.ends_with(',')) {
                return None;
            }
            let name = name.trim_end_matches(',');
            let identity = names.identify_typed(name);
            let is_speaker = !matches!(identity, SpeakerIdentity::Nobody | SpeakerIdentity::Unknown);
            is_speaker.then(|| (name.to_owned(), identity))
        })
    }

    /// Returns the words before the verb, which may contain a misspelled name.
    pub(super) fn subject(&self) -> String {
        self.subject.join(" ")
    }

    /// Returns whether the line introduces words. A line such as `Lotti says nothing: she is afraid.` does not.
    pub(super) fn introduces_words(&self, state: &State) -> bool {
        let can_hear = |id: &EntityId| require_speaker(state, id).is_ok();
        let hearers = self.hearers.join(" ");
        let has_hearers =
            || resolve_hearers(state, hearers.trim_end_matches(',')).is_ok_and(|hearers| hearers.iter().all(can_hear));
        !self.has_direct_hearers || (self.has_verb && self.is_confidential) || has_hearers()
    }

    /// Returns whether the words may also be said aloud, so that unknown hearers are no error: "hisses to the crowd".
    pub(super) fn may_be_aloud(&self) -> bool {
        self.is_hushed
    }

    /// Returns whether only the named hearers hear the words.
    pub(super) fn is_confidential(&self) -> bool {
        self.is_confidential
    }

    /// Returns the only other character whom the words before the verb name, if the words are confidential and the line names
    /// no hearers after the verb, as in `Lotti tugs at Ysolde's sleeve and whispers: Not here.` Returns `None` if the speaker
    /// only looks at this character, or if the character is dead.
    pub(super) fn approached(&self, names: &SpeakerNames<'_>, speaker: &EntityId) -> Option<EntityId> {
        let english = words::english();
        let is_pronoun = |word: &str| {
            let word = normal_word(word);
            english.personal_pronouns.iter().any(|pronouns| pronouns.object == word || pronouns.possessive == word)
        };
        let names_hearers = match self.hearers[..] {
            [] => false,
            [word] => !is_pronoun(word),
            _ => true,
        };
        let is_regard = |word: &&str| words::contains_word(&english.regard_verbs, &normal_word(word));
        if !self.is_confidential || names_hearers || self.subject.iter().any(is_regard) {
            return None;
        }
        let mut others = named_characters(names, &self.subject);
        others.retain(|id| id != speaker);
        others.dedup();
        others.pop().filter(|id| others.is_empty() && names.can_hear(id))
    }

    /// Returns the hearers to whom the speaker confides the words. Returns an empty list if the words are not
    /// confidential, if the line names no hearers, or if the speaker speaks to itself.
    ///
    /// # Errors
    /// Returns an error if no entity has one of the names, or if several entities have one of the names.
    pub(super) fn confidants(&self, state: &State) -> Result<Vec<EntityId>, QueryError> {
        if !self.is_confidential || self.hearers.is_empty() || self.is_to_self() {
            return Ok(Vec::new());
        }
        // Other words can follow the names: "whispers to Ysolde about the key".
        let count = self.hearers.len();
        let resolve_first =
            |count: usize| resolve_hearers(state, self.hearers[..count].join(" ").trim_end_matches(','));
        // "Ysolde's brother" is not Ysolde.
        let is_possessive = |word: &str| text::without_possessive(word) != word;
        let is_owner = |count: usize| count < self.hearers.len() && is_possessive(self.hearers[count - 1]);
        let found = (1..=count).rev().filter(|count| !is_owner(*count)).find_map(|count| resolve_first(count).ok());
        found.map_or_else(|| resolve_first(count), Ok)
    }

    /// Returns whether the speaker confides the words to itself, so that nobody else hears them.
    pub(super) fn is_to_self(&self) -> bool {
        let is_reflexive = |word: &&str| words::contains_word(&words::english().reflexives, &normal_word(word));
        self.is_confidential && self.hearers.first().is_some_and(is_reflexive)
    }
}

/// Returns whether a word is a verb that makes words confidential: a verb such as "whispers", or a verb such as "hisses"
/// before a hearer.
fn is_whisper(words: &[&str], at: usize) -> bool {
    let english = words::english();
    let following = words.get(at + 1).map(|word| normal_word(word));
    let precedes_hearer = || {
        let mut openers = english.hearer_phrases.iter().map(|phrase| phrase.split(' ').next());
        openers.any(|opener| opener.is_some() && opener == following.as_deref())
    };
    words::contains_word(&english.whisper_verbs, &normal_word(words[at]))
        || (is_hushed_verb(words[at]) && precedes_hearer())
}

/// Returns whether the words between the name of the speaker and the verb of speech say that the speaker takes somebody with
/// a name aside: "pulls Ysolde into the pantry and".
fn takes_aside(between: &[&str]) -> bool {
    let normal: Vec<String> = between.iter().map(|word| normal_word(word)).collect();
    let is_name = |word: &&str| word.starts_with(char::is_uppercase) && !word.ends_with(',');
    let is_named = |range: Range<usize>| between[range].iter().all(is_name);
    words::english().aside_phrases.iter().flat_map(|phrase| name_ranges(&normal, phrase)).any(is_named)
}

fn is_hushed_verb(word: &str) -> bool {
    words::contains_word(&words::english().hushed_verbs, &normal_word(word))
}

/// Returns a word in normal form, without commas.
pub(super) fn normal_word(word: &str) -> String {
    text::normalize(word.trim_matches(','))
}

/// Returns whether a word is an adverb. A word with a capital letter may be a name, such as `Sally`.
fn is_adverb(word: &str) -> bool {
    let word = word.trim_matches(',');
    word.chars().all(char::is_lowercase) && words::is_adverb(word)
}

/// Returns whether words can stand between the name of the speaker and the verb of speech, as in `Lotti quietly says`,
/// `Lotti leans over and whispers` and `Lotti, grinning, says`. `has_comma` is `true` if a comma follows the name.
fn can_precede_verb(between: &[&str], has_comma: bool) -> bool {
    let Some(last) = between.last() else { return true };
    let mut others = between.to_vec();
    remove_confidential_manners(&mut others);
    let has_sentence_end = between.iter().any(|word| word.ends_with(['.', '!', '?', ';']));
    let english = words::english();
    let is_conjunction = words::contains_word(&english.name_conjunctions, &normal_word(last));
    let is_opener = |word: &str| words::contains_word(&english.clause_openers, &normal_word(word));
    others.iter().all(|word| is_adverb(word) || is_opener(word))
        || (!has_sentence_end && (is_conjunction || (has_comma && last.ends_with(','))))
}

/// Removes the phrases that make words confidential, such as `in private`. Returns whether there was such a phrase.
fn remove_confidential_manners(part: &mut Vec<&str>) -> bool {
    let (length, mut at) = (part.len(), 0);
    while at < part.len() {
        match confidential_manner(&part[at..]) {
            Some(count) => {
                part.drain(at..at + count);
            }
            None => at += 1,
        }
    }
    part.len() < length
}

/// Returns the number of words of the longest phrase that makes words confidential and with which words begin.
fn confidential_manner(part: &[&str]) -> Option<usize> {
    let manners = words::english().confidential_manners.iter();
    let begins = manners.filter_map(|manner| {
        let manner: Vec<&str> = manner.split(' ').collect();
        let window = part.get(..manner.len())?;
        window.iter().zip(&manner).all(|(word, other)| normal_word(word) == **other).then_some(manner.len())
    });
    begins.max()
}

/// Returns a text without the phrases between commas that only say that nobody else hears it: "Odo tells Pell that the ferry
/// is late" for "Odo tells Pell, so nobody else hears, that the ferry is late".
pub(crate) fn without_confidential_asides(text: &str) -> String {
    let is_aside = |part: &str| {
        let part: Vec<&str> = part.split_whitespace().collect();
        !part.is_empty() && confidential_manner(&part) == Some(part.len())
    };
    let (mut kept, mut follows_aside) = (String::new(), true);
    for part in text.split(',') {
        let is_first = kept.is_empty();
        if !is_first && is_aside(part) {
            follows_aside = true;
            continue;
        }
        if !follows_aside {
            kept.push(',');
        }
        kept.push_str(part);
        follows_aside = false;
    }
    kept
}

/// Splits a line at its first dash between spaces. Returns the words before and after the dash.
pub(super) fn split_dash(line: &str) -> Option<(&str, &str)> {
    let (at, dash) = DASHES.iter().filter_map(|dash| Some((line.find(dash)?, dash))).min()?;
    Some((&line[..at], line[at + dash.len()..].trim()))
}

/// Returns whether words after a deed of a character are certainly spoken by this character: they are quoted, or they begin
/// in the first person singular or with a word such as `please`.
pub(super) fn is_spoken(said: &str) -> bool {
    let english = words::english();
    if before_quotation(said.trim()).is_empty() {
        return true;
    }
    let opening: Vec<String> = text::words(before_quotation(said)).into_iter().take(MAX_OPENING_WORDS).collect();
    let is_first_person = |word: &String| {
        let pronoun = word.split('\'').next().unwrap_or_default();
        let lists = [&english.first_person_pronouns, &english.first_person_contractions];
        lists.into_iter().any(|list| words::contains_word(list, pronoun))
    };
    let is_opener = opening.first().is_some_and(|word| words::contains_word(&english.spoken_openers, word));
    is_opener || opening.iter().any(is_first_person)
}

/// Returns whether a word begins a clause that can have another subject, such as "as" and "that".
pub(super) fn is_subordinator(word: &str) -> bool {
    let english = words::english();
    let lists = [&english.subordinators, &english.reported_openers, &english.circumstance_conjunctions];
    lists.into_iter().any(|list| words::contains_word(list, word))
}

/// Returns the characters whose names occur in words, in order. A name begins with a capital letter.
pub(in crate::session) fn named_characters(names: &SpeakerNames<'_>, part: &[&str]) -> Vec<EntityId> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < part.len() {
        let is_name = part[at].starts_with(char::is_uppercase);
        let max_words = if is_name { MAX_REFERENCE_WORDS.min(part.len() - at) } else { 0 };
        let named = (1..=max_words).rev().find_map(|count| {
            let name = text::words(&part[at..at + count].join(" ")).join(" ");
            Some((names.speaking_character(&name)?, count))
        });
        match named {
            Some((id, count)) => {
                found.push(id);
                at += count;
            }
            None => at += 1,
        }
    }
    found
}
