//! Clauses of narration: their subjects, and the words after these subjects.

use hearsay_extract::Language;
use hearsay_model::{
    EntityId, State,
    text::{self, SENTENCE_ENDS},
    words,
};

use super::{
    motion::is_prospect,
    places::opening_count,
    speakers::{MAX_REFERENCE_WORDS, SpeakerIdentity, SpeakerNames},
    subjects::{
        Subject, ends_clause, exception_count, is_conjunction, opening_phrase_count, opens_clause, unnamed_subject,
    },
};

/// Maximum number of words between the conjunction after a name and the verb: "Yasmira and *her four guards* leave".
const MAX_COMPANION_WORDS: usize = 3;

/// A clause of narration with a subject.
pub(super) struct Clause<'s, 'w> {
    pub(super) subject: Subject,
    /// The words after the subject.
    pub(super) predicate: &'s [&'w str],
    pub(super) begins_sentence: bool,
}

/// Returns the clauses of a sentence that have one character as their named subject. Each is returned as this character, and
/// the words after its name. Clauses that say only what will or may happen are omitted.
pub(super) fn named_clauses<'s, 'w>(
    names: &SpeakerNames<'_>,
    state: &State,
    sentence: &'s [&'w str],
) -> Vec<(EntityId, &'s [&'w str])> {
    let reader = ClauseReader::new(names, state);
    let clauses = reader.clauses(sentence).into_iter().filter(|clause| !is_prospect(clause.predicate));
    let named = clauses.filter_map(|Clause { subject, predicate, .. }| match subject {
        Subject::Named(mut ids) if ids.len() == 1 => ids.pop().map(|id| (id, predicate)),
        _ => None,
    });
    named.collect()
}

/// Returns the character with whose name words begin, and the words after its name, if these words tell what the character
/// does and nobody else does anything.
pub(super) fn only_deed<'s, 'w>(
    names: &SpeakerNames<'_>,
    state: &State,
    sentence: &'s [&'w str],
) -> Option<(EntityId, &'s [&'w str])> {
    let reader = ClauseReader::new(names, state);
    let mut named = named_clauses(names, state, sentence);
    let (id, predicate) = named.pop().filter(|_| named.is_empty())?;
    let is_only = reader.clauses(sentence).len() == 1;
    let has_end = predicate.iter().any(|word| word.ends_with(SENTENCE_ENDS));
    (is_only && !has_end && reader.begins_with_verb(predicate, false)).then_some((id, predicate))
}

/// Returns the characters with whose names a text begins, and who are the subject of its first clause.
pub(super) fn first_subjects(names: &SpeakerNames<'_>, state: &State, narration: &str) -> Vec<EntityId> {
    let reader = ClauseReader::new(names, state);
    let narration: Vec<&str> = narration.split_whitespace().collect();
    match reader.subject(&narration) {
        Some((Subject::Named(ids), _)) => ids,
        _ => Vec::new(),
    }
}

/// Finds the clauses of narration.
pub(super) struct ClauseReader<'a> {
    pub(super) state: &'a State,
    names: &'a SpeakerNames<'a>,
    language: Language,
}

impl<'a> ClauseReader<'a> {
    pub(super) fn new(names: &'a SpeakerNames<'a>, state: &'a State) -> Self {
        Self { state, names, language: Language::english() }
    }

    /// Returns the clauses of a sentence with a subject.
    pub(super) fn clauses<'s, 'w>(&self, sentence: &'s [&'w str]) -> Vec<Clause<'s, 'w>> {
        let mut starts: Vec<(Subject, usize, usize)> = Vec::new();
        let time_opening = opening_phrase_count(sentence, &words::english().time_openers);
        let opening = time_opening.or_else(|| opening_count(self.state, sentence));
        for at in 0..sentence.len() {
            let is_inside_subject = starts.last().is_some_and(|(_, _, end)| at < *end);
            let begins_clause = at == 0 || Some(at) == opening || ends_clause(sentence[at - 1]);
            if is_inside_subject || !begins_clause {
                continue;
            }
            let Some((subject, rest)) = self.subject(&sentence[at..]) else { continue };
            let is_plural = match &subject {
                Subject::Named(ids) => ids.len() > 1,
                Subject::Person(_) => false,
                _ => true,
            };
            // In "nods to Ben and Odo", the second name begins no clause.
            if at == 0
                || Some(at) == opening
                || matches!(subject, Subject::Unknown)
                || self.begins_with_verb(rest, is_plural)
            {
                starts.push((subject, at, sentence.len() - rest.len()));
            }
        }
        let ends: Vec<usize> = starts.iter().skip(1).map(|(_, at, _)| *at).chain([sentence.len()]).collect();
        let clause = |((subject, at, from), to): ((Subject, usize, usize), usize)| Clause {
            subject,
            predicate: &sentence[from..to],
            begins_sentence: at == 0 || Some(at) == time_opening,
        };
        starts.into_iter().zip(ends).map(clause).collect()
    }

    /// Returns the subject with which words begin, and the words after it. Adverbs and words such as "then" can precede
    /// the subject.
    fn subject<'s, 'w>(&self, words: &'s [&'w str]) -> Option<(Subject, &'s [&'w str])> {
        let (mut found, mut rest) = (Vec::new(), words);
        loop {
            let mut counts = (1..=rest.len().saturating_sub(1).min(MAX_REFERENCE_WORDS)).rev();
            let named = counts.find_map(|count| Some((self.character(&rest[..count])?, &rest[count..])));
            let (first, others) = rest.split_first()?;
            match named {
                Some((id, after)) => {
                    found.push(id);
                    let has_comma = rest[rest.len() - after.len() - 1].ends_with(',');
                    match after.split_first() {
                        Some((word, after)) if is_conjunction(word) => rest = after,
                        // The names of a list follow the comma: "Kell, Tamsin and Idris leave".
                        _ => match has_comma.then(|| self.subject(after)).flatten() {
                            Some((Subject::Named(others), after)) if others.len() > 1 => {
                                found.extend(others);
                                return Some((Subject::Named(found), after));
                            }
                            _ => return Some((Subject::Named(found), after)),
                        },
                    }
                }
                None if !found.is_empty() => return Some((Subject::Named(found), self.without_companions(rest))),
                None => match self.unnamed(rest) {
                    Some(unnamed) => return Some(unnamed),
                    None if opens_clause(first) => rest = others,
                    None => return None,
                },
            }
        }
    }

    /// Returns the subject without a name with which words begin, and the words after it and its exceptions. If the
    /// exceptions have no names, the words after them are unclear, so no words follow.
    fn unnamed<'s, 'w>(&self, words: &'s [&'w str]) -> Option<(Subject, &'s [&'w str])> {
        let (subject, count) = unnamed_subject(words)?;
        let rest = &words[count..];
        let exception_count = exception_count(rest);
        if exception_count == 0 || matches!(subject, Subject::Person(_)) {
            return Some((subject, rest));
        }
        Some(match self.subject(&rest[exception_count..]) {
            Some((Subject::Named(ids), rest)) => (Subject::PartyWithout(ids), rest),
            _ => (Subject::Unknown, &rest[rest.len()..]),
        })
    }

    /// Returns the words after companions who have no name: "leave" for "her four guards leave".
    fn without_companions<'s, 'w>(&self, words: &'s [&'w str]) -> &'s [&'w str] {
        let is_verb = |at: usize| words.get(at).is_some_and(|word| self.is_verb(word, true));
        match (0..=MAX_COMPANION_WORDS).find(|at| is_verb(*at) && !is_verb(at + 1)) {
            Some(at) => &words[at..],
            None => words,
        }
    }

    pub(super) fn begins_with_verb(&self, words: &[&str], is_plural: bool) -> bool {
        let verb = words.iter().find(|word| !words::is_adverb(&word.to_lowercase()));
        verb.is_some_and(|word| self.is_verb(word, is_plural))
    }

    fn is_verb(&self, word: &str, is_plural: bool) -> bool {
        let (word, english) = (plain_word(word), words::english());
        let is_listed = [
            &english.motion_verbs,
            &english.pursuit_verbs,
            &english.leaving_verbs,
            &english.inactive_verbs,
            &english.stative_verbs,
            &english.speech_verbs,
        ]
        .into_iter()
        .any(|list| words::contains_word(list, &word));
        let is_companion =
            || english.companion_phrases.iter().any(|phrase| phrase.split(' ').next() == Some(word.as_str()));
        let is_be = words::is_finite_be_form(&word);
        is_listed || is_be || is_companion() || word.ends_with("n't") || self.language.is_finite_verb(&word, is_plural)
    }

    /// Returns the character to whom a few words refer. The words must not be possessive, as in "Pike's gun", and only
    /// the last word can have a comma. A title before the name is ignored, unless it is part of the name.
    pub(super) fn character(&self, reference: &[&str]) -> Option<EntityId> {
        let (last, others) = reference.split_last()?;
        let is_part = |word: &&str| word.ends_with([',', ':']);
        let is_possessive = |word: &&str| text::without_possessive(word) != *word;
        if is_possessive(last) || others.iter().any(|word| is_part(word) || is_possessive(word)) || last.ends_with(':')
        {
            return None;
        }
        match self.names.identify_typed(reference.join(" ").trim_end_matches(',')) {
            SpeakerIdentity::Character(id) => self.state.is_character(&id).then_some(id),
            SpeakerIdentity::Unknown => {
                let (title, name) = reference.split_first()?;
                let is_title = words::is_title(&plain_word(title));
                if is_title { self.character(name) } else { None }
            }
            _ => None,
        }
    }
}

/// Returns the first word of a text in normal form, without punctuation.
fn plain_word(text: &str) -> String {
    text::words(text).into_iter().next().unwrap_or_default()
}
