//! Words that are a complete sentence but state no fact: unreal conditions, indirect questions, orders and threats,
//! errands of the speaker, thoughts, and gestures.

use std::ops::Range;

use hearsay_model::words::{self, is_first_person};

use super::word_splitter::Word;
use crate::{
    entities::{lexicon::Gender, mentions::EntityRef},
    language::{
        conjugation::Inflections,
        function_words::{is_be_form, is_pronoun, is_time_noun},
        grammar::{Grammar, WordClass},
        word_lists::lists,
    },
};

/// Maximum number of words between a verb such as "ask" and the question word of an indirect question.
const MAX_WORDS_BEFORE_QUESTION: usize = 4;

/// Maximum number of words between a description and the name of the described entity, as in "a man called Odo".
const MAX_WORDS_BEFORE_NAME: usize = 2;

/// Maximum number of words between the speaker and a word such as "should": "I really should go".
const MAX_WORDS_BEFORE_DUTY: usize = 3;

/// The words of a statement in its line.
pub(super) struct StatementWords<'d, 'a> {
    pub(super) words: &'d [Word<'a>],
    pub(super) statement: Range<usize>,
    pub(super) grammar: &'d Grammar,
}

impl StatementWords<'_, '_> {
    fn lower(&self, word: usize) -> String {
        self.words.get(word).map(|word| word.text.to_lowercase()).unwrap_or_default()
    }

    /// Returns whether spoken words state no fact.
    pub(super) fn say_nothing(&self) -> bool {
        self.are_unreal() || self.ask_indirectly() || self.deny_future_of_hearer() || self.command_hearer()
    }

    /// Returns the range of the sentence that contains the words.
    fn sentence(&self) -> Range<usize> {
        let ends_sentence = |word: &Word<'_>| matches!(word.text, "." | "!" | "?");
        let Range { start, end } = self.statement;
        let sentence_start = self.words[..start].iter().rposition(ends_sentence).map_or(0, |at| at + 1);
        let sentence_end = self.words[end..].iter().position(ends_sentence).map_or(self.words.len(), |at| end + at);
        sentence_start..sentence_end
    }

    /// Returns whether the words say what would be under a condition: "I would go there if I were you."
    fn are_unreal(&self) -> bool {
        let Range { start, end } = self.statement;
        let is_apostrophe = |word: usize| matches!(self.words[word].text, "'" | "\u{2019}");
        let is_would = |word: usize| match self.lower(word).as_str() {
            "would" => true,
            "d" => word > 0 && is_apostrophe(word - 1),
            _ => false,
        };
        (start..end).any(is_would) && self.sentence().any(|word| self.lower(word) == "if")
    }

    /// Returns whether the words order the hearer to do something under a condition: "You'll stay here if you're wise."
    fn command_hearer(&self) -> bool {
        let word = |at: usize| self.lower(self.statement.start + at);
        let is_future = matches!(word(1).as_str(), "will" | "shall") || word(2) == "ll";
        let is_condition = |word: usize| lists().conjunctions.conditions.contains(self.lower(word).as_str());
        word(0) == "you" && is_future && self.sentence().any(is_condition)
    }

    /// Returns whether the speaker tells of an errand: "I should be getting back to the mill", "I have bars to weigh".
    pub(super) fn tell_errand(&self) -> bool {
        let Range { start, end } = self.statement;
        let is_speaker = |word: &str| is_first_person(word) && lists().statements.subjects.contains(word);
        let is_have = |word: usize| {
            let lower = self.lower(word);
            lower == "ve" || lists().auxiliaries.have_forms.contains(lower.as_str())
        };
        let is_duty = |word: usize| {
            let is_listed = lists().auxiliaries.obligations.contains(self.lower(word).as_str());
            is_listed || is_have(word) && self.lower(word + 1) == "to"
        };
        let mut opening = (start + 1..end).take(MAX_WORDS_BEFORE_DUTY);
        let is_own = is_speaker(self.lower(start).as_str());
        let goes = || (start..end).any(|word| self.is_movement(word));
        let is_base = |_: &str, form: Inflections| form.has(Inflections::BASE);
        let has_task = || end > start + 3 && self.lower(end - 2) == "to" && self.has_form(end - 1, is_base);
        is_own && (opening.clone().any(is_duty) && goes() || opening.any(is_have) && has_task())
    }

    /// Returns whether a word is a verb of motion, or a verb before "back to" and the like.
    fn is_movement(&self, word: usize) -> bool {
        let english = words::english();
        let lists = [&english.motion_verbs, &english.arrival_verbs, &english.leaving_verbs];
        let moves = |verb: &str| lists.iter().any(|list| words::contains_word(list, verb));
        let precedes_goal = words::contains_word(&english.motion_adverbs, &self.lower(word + 1))
            && words::contains_word(&english.destination_openers, &self.lower(word + 2));
        self.has_form(word, |verb, _| precedes_goal || moves(verb))
    }

    /// Returns whether a word is a form of a verb that satisfies `fits`. The arguments of `fits` are the base form of the
    /// verb and the inflections of the word.
    fn has_form(&self, word: usize, fits: impl Fn(&str, Inflections) -> bool) -> bool {
        let forms = self.grammar.verb_forms.get(&self.lower(word));
        forms.is_some_and(|forms| forms.iter().any(|(verb, form)| fits(verb, *form)))
    }

    /// Returns whether the words only say that somebody thinks of an act: "Odo thinks about going home."
    pub(super) fn only_think(&self) -> bool {
        let thinks = |word: usize| self.has_form(word, |verb, _| self.grammar.verb_properties(verb).is_thought);
        let is_act = |word: usize| {
            let is_preposition = self.grammar.word_class(&self.lower(word)).has(WordClass::PREPOSITION);
            is_preposition && self.has_form(word + 1, |_, form| form.has(Inflections::ING))
        };
        self.statement.clone().any(|word| thinks(word) && word + 2 < self.statement.end && is_act(word + 1))
    }

    /// Returns whether the words end with "this" or "that" without a noun: "Odo will pay for this."
    pub(super) fn end_with_demonstrative(&self) -> bool {
        let mut last =
            self.statement.clone().rev().filter(|at| self.words[*at].text.starts_with(char::is_alphanumeric));
        let ends = last.next().is_some_and(|at| matches!(self.lower(at).as_str(), "this" | "that"));
        ends && last.next().is_some_and(|at| self.grammar.word_class(&self.lower(at)).has(WordClass::PREPOSITION))
    }

    /// Returns whether the words tell of a past act, which is no plan: "a man asked for Odo".
    pub(super) fn are_past(&self) -> bool {
        let is_open = |word: usize| {
            let lower = self.lower(word);
            let is_modal = self.grammar.word_class(&lower).has(WordClass::MODAL);
            is_modal || lower == "to" || lists().statements.plans.contains(lower.as_str())
        };
        let is_past = |verb: &usize| {
            let has = |inflections| self.has_form(*verb, |_, form| form.has(inflections));
            let previous = verb.checked_sub(1).map(|at| self.lower(at)).unwrap_or_default();
            let is_auxiliary = self.grammar.word_class(&previous).has(WordClass::AUXILIARY) || is_be_form(&previous);
            has(Inflections::PAST) && !has(Inflections::BASE.or(Inflections::THIRD)) && !is_auxiliary
        };
        !self.statement.clone().any(is_open) && self.first_verb().is_some_and(|verb| is_past(&verb))
    }

    /// Returns whether the subject of the words is somebody or something without a name: the words "crushes the priest" in
    /// "A beam falls and crushes the priest". `names` contains the names in the line.
    pub(super) fn follow_unnamed_subject(&self, names: &[(Range<usize>, EntityRef)]) -> bool {
        let start = self.sentence().start;
        let is_oblique = |word: usize| {
            let previous = self.lower(word - 1);
            self.grammar.word_class(&previous).has(WordClass::PREPOSITION)
                || lists().verbs.naming_participles.contains(previous.as_str())
        };
        let is_subject = |word: usize| {
            let is_named = names.iter().any(|(range, _)| range.start == word) && word > start && !is_oblique(word);
            is_named || lists().statements.subjects.contains(&self.lower(word))
        };
        start < self.statement.start
            && lists().determiners.introducing.contains(self.lower(start).as_str())
            && !(start..self.statement.start).any(is_subject)
    }

    /// Returns whether the pronoun at a word begins a sentence, and means the person without a name with whom the sentence
    /// before it begins: "A man came in. He paid." `persons` contains the described persons of the line.
    pub(super) fn mean_described_person(&self, word: usize, persons: &[(usize, Gender)]) -> bool {
        let gender = match self.lower(word).as_str() {
            "he" => Gender::He,
            "she" => Gender::She,
            _ => return false,
        };
        let Some(previous) = word.checked_sub(2).filter(|_| matches!(self.words[word - 1].text, "." | "!")) else {
            return false;
        };
        let start = StatementWords { statement: previous..previous + 1, ..*self }.sentence().start;
        let is_introduced = lists().determiners.introducing.contains(self.lower(start).as_str());
        is_introduced && persons.contains(&(start + 1, gender))
    }

    /// Returns whether the words are the condition of another clause: "the stag leads him" after "unless".
    pub(super) fn are_condition(&self) -> bool {
        let conjunction = self.statement.start.checked_sub(1).map(|word| self.lower(word));
        conjunction.is_some_and(|word| lists().conjunctions.conditions.contains(word.as_str()))
    }

    /// Returns whether "you" at a word only begins a suggestion: "You could take the cart road." A suggestion is no plan
    /// of the hearer.
    pub(super) fn suggest(&self, word: usize) -> bool {
        self.lower(word) == "you" && lists().auxiliaries.possibility.contains(self.lower(word + 1).as_str())
    }

    /// Returns whether a description that ends before `end` is followed by the name of the same entity, as in "a man
    /// called Odo". `names` contains the names in the line.
    pub(super) fn precede_name(
        &self,
        end: usize,
        names: &[(Range<usize>, EntityRef)],
        entity: Option<EntityRef>,
    ) -> bool {
        let follows = |start: usize| (end..=end + MAX_WORDS_BEFORE_NAME).contains(&start);
        names.iter().any(|(range, named)| Some(*named) == entity && follows(range.start))
    }

    /// Returns whether the words tell that somebody asks something: "I ask her who opened the gate."
    fn ask_indirectly(&self) -> bool {
        let Range { start, end } = self.statement;
        let first_verb = (start..end).find(|word| self.asks(*word));
        first_verb
            .is_some_and(|verb| (verb + 1..end).take(MAX_WORDS_BEFORE_QUESTION).any(|word| self.is_question_word(word)))
    }

    /// Returns whether the words are what somebody asks: "Odo left" in "She asks when Odo left". In "She asks Pell, who owns
    /// the mill", they describe Pell.
    pub(super) fn are_asked(&self) -> bool {
        let start = self.statement.start;
        let opener = if self.is_question_word(start) { Some(start) } else { start.checked_sub(1) };
        let Some(opener) = opener.filter(|word| self.is_question_word(*word)) else { return false };
        let follows_comma = opener > 0 && self.words[opener - 1].text == ",";
        let mut preceding = (self.sentence().start..opener).rev().take(MAX_WORDS_BEFORE_QUESTION);
        !follows_comma && preceding.any(|word| self.asks(word))
    }

    fn asks(&self, word: usize) -> bool {
        self.has_form(word, |verb, _| lists().verbs.asking.contains(verb))
    }

    fn is_question_word(&self, word: usize) -> bool {
        let lower = self.lower(word);
        lower != "that" && self.grammar.word_class(&lower).has(WordClass::RELATIVE)
            || lists().questions.indirect.contains(lower.as_str())
    }

    /// Returns whether the words deny what the hearer will do: "You will not stop me."
    fn deny_future_of_hearer(&self) -> bool {
        let start = self.statement.start;
        let follows = |at: usize, words: &[&str]| words.contains(&self.lower(start + at).as_str());
        follows(0, &["you"])
            && (follows(1, &["won"])
                || follows(1, &["will", "shall"]) && follows(2, &["not", "never"])
                || follows(2, &["ll"]) && follows(3, &["not", "never"]))
    }

    /// Returns whether the words say nothing about an entity but its own name: "I'm Tib", said by Tib. `names` contains
    /// the names in the line.
    fn are_name_of(&self, names: &[(Range<usize>, EntityRef)], entity: EntityRef) -> bool {
        let is_name = |word: usize| names.iter().any(|(range, named)| *named == entity && range.contains(&word));
        let is_filler = |word: usize| {
            let lower = self.lower(word);
            is_be_form(&lower)
                || is_pronoun(&lower)
                || self.grammar.word_class(&lower).has(WordClass::DETERMINER)
                || lists().statements.introductions.contains(&lower)
                || !lower.starts_with(char::is_alphanumeric)
        };
        self.statement.clone().any(is_name) && self.statement.clone().all(|word| is_name(word) || is_filler(word))
    }

    /// Returns whether the words only say who somebody is: "It is Odo with a lamp." In "It is Odo who lit the lamp", they say
    /// more.
    pub(super) fn only_identify(&self, names: &[(Range<usize>, EntityRef)]) -> bool {
        let Range { start, end } = self.statement;
        let verb = self.lower(start + 1);
        let name = match verb.as_str() {
            "'" | "\u{2019}" if self.lower(start + 2) == "s" => start + 3,
            verb if is_be_form(verb) => start + 2,
            _ => return false,
        };
        let tells_more = |word: usize| self.grammar.word_class(&self.lower(word)).has(WordClass::RELATIVE);
        let is_name = names.iter().any(|(range, _)| range.start == name);
        let word = self.lower(name);
        let is_owner = lists().pronouns.independent_possessives.contains(word.as_str());
        let is_last_pronoun = name + 1 == end && is_pronoun(&word) && !is_owner;
        self.lower(start) == "it" && (is_name || is_last_pronoun) && !(name..end).any(tells_more)
    }

    /// Returns whether the words say nothing but the name of their subject or, if they have named it before, end with its
    /// name, which then belongs to other words.
    pub(super) fn only_repeat_name(
        &self,
        names: &[(Range<usize>, EntityRef)],
        subject: EntityRef,
        is_named_again: bool,
    ) -> bool {
        self.are_name_of(names, subject) || is_named_again && self.end_with_name_of(names, subject)
    }

    /// Returns whether the words end with the name of an entity that is the object of no word: "laid the stones, Odo".
    fn end_with_name_of(&self, names: &[(Range<usize>, EntityRef)], entity: EntityRef) -> bool {
        let Range { start, end } = self.statement;
        let last = names.iter().find(|(range, named)| *named == entity && range.end == end && range.start > start);
        let governs = |word: usize| {
            let lower = self.lower(word);
            let governing = WordClass::PREPOSITION.or(WordClass::CONJUNCTION).or(WordClass::DETERMINER);
            is_be_form(&lower) || self.grammar.word_class(&lower).has(governing.or(WordClass::TITLE))
        };
        last.is_some_and(|(range, _)| !governs(range.start - 1))
    }

    /// Returns whether the words say that somebody told something, but not what: "Odo told us before he left." `names`
    /// contains the names in the line.
    pub(super) fn tell_nothing(&self, names: &[(Range<usize>, EntityRef)]) -> bool {
        let is_tell = |word: &usize| {
            let forms = self.grammar.verb_forms.get(&self.lower(*word));
            forms.is_some_and(|forms| forms.iter().any(|(base, _)| base == "tell"))
        };
        let Some(verb) = self.first_verb().filter(is_tell) else { return false };
        let begins_time = |word: &usize| lists().conjunctions.times.contains(self.lower(*word).as_str());
        let end = (verb + 1..self.statement.end).find(begins_time).unwrap_or(self.statement.end);
        let is_hearer = |word: usize| {
            let is_named = names.iter().any(|(range, _)| range.contains(&word));
            is_named || is_pronoun(&self.lower(word)) || !self.words[word].text.starts_with(char::is_alphanumeric)
        };
        verb + 1 < end && (verb + 1..end).all(is_hearer)
    }

    /// Returns whether the words end with a time, but its description follows them: "Odo burned the mill the night" before
    /// "the barge sank".
    pub(super) fn end_before_description(&self) -> bool {
        let end = self.statement.end;
        let is_word = self.words.get(end).is_some_and(|next| next.text.starts_with(char::is_alphanumeric));
        is_word && self.statement.len() > 2 && self.lower(end - 2) == "the" && is_time_noun(&self.lower(end - 1))
    }

    /// Returns whether the words end with "him" or "her" as the object of their first verb: "Odo has often seen her".
    pub(super) fn end_with_object(&self, word: usize) -> bool {
        let is_verbal = |at: usize| {
            let lower = self.lower(at);
            self.grammar.verb_forms.contains_key(&lower) || self.grammar.word_class(&lower).has(WordClass::ADVERB)
        };
        let is_mark = |at: usize| !self.words[at].text.starts_with(char::is_alphanumeric);
        matches!(self.lower(word).as_str(), "him" | "her")
            && (word + 1..self.statement.end).all(is_mark)
            && self.first_verb().is_some_and(|verb| verb < word && (verb..word).all(is_verbal))
    }

    /// Returns whether the words tell of an act that is going on, and so of no plan: "we are looking for Odo".
    pub(super) fn are_ongoing(&self) -> bool {
        let is_ongoing = |word: usize| {
            let forms = self.grammar.verb_forms.get(&self.lower(word));
            let previous = word.checked_sub(1).map(|at| self.lower(at)).unwrap_or_default();
            self.lower(word) != "going"
                && forms.is_some_and(|forms| forms.iter().any(|(_, form)| form.has(Inflections::ING)))
                && (is_be_form(&previous) || lists().auxiliaries.short_forms.contains(previous.as_str()))
        };
        self.statement.clone().any(is_ongoing)
    }

    /// Returns whether the words are about a movement without a goal: "comes in", "does not look up", "leaves without a
    /// word". Only particles follow the verb, and words about the manner after "without".
    pub(super) fn are_gesture(&self) -> bool {
        let Some(verb) = self.negated_verb().or_else(|| self.first_verb()) else { return false };
        let is_plain = |word: usize| !self.words[word].text.starts_with(char::is_uppercase);
        let is_manner = |word: &usize| {
            self.lower(*word) == "without" && self.is_movement(verb) && (*word..self.statement.end).all(is_plain)
        };
        let end = (verb + 1..self.statement.end).find(is_manner).unwrap_or(self.statement.end);
        if end < self.statement.end && verb + 1 == end {
            return true;
        }
        let is_particle = |word: usize| {
            let is_word = self.words[word].text.starts_with(char::is_alphanumeric);
            let class = self.grammar.word_class(&self.lower(word));
            !is_word || class.has(WordClass::PREPOSITION.or(WordClass::ADVERB))
        };
        verb + 1 < end && (verb + 1..end).all(is_particle)
    }

    /// Returns the verb after a negated form of "do" that is the first verb: "look" in "does not look up". The text is split
    /// at apostrophes.
    fn negated_verb(&self) -> Option<usize> {
        let is_do = |word: &str| lists().auxiliaries.do_forms.contains(word);
        let auxiliary = |word: usize| match self.lower(word).as_str() {
            "not" => word.checked_sub(1).filter(|at| is_do(&self.lower(*at))),
            "t" => word.checked_sub(2).filter(|at| self.lower(*at).strip_suffix('n').is_some_and(is_do)),
            _ => None,
        };
        let (negation, auxiliary) = self.statement.clone().find_map(|word| Some((word, auxiliary(word)?)))?;
        if self.first_verb().is_some_and(|first| first < auxiliary) {
            return None;
        }
        let is_adverb = |word: &usize| self.grammar.word_class(&self.lower(*word)).has(WordClass::ADVERB);
        let verb = (negation + 1..self.statement.end).find(|word| !is_adverb(word))?;
        self.has_form(verb, |_, form| form.has(Inflections::BASE)).then_some(verb)
    }

    /// Returns the first finite verb of the words that is neither an auxiliary nor a form of "be".
    fn first_verb(&self) -> Option<usize> {
        let is_verb = |word: &usize| {
            let lower = self.lower(*word);
            let forms = self.grammar.verb_forms.get(&lower);
            !self.words[*word].text.starts_with(char::is_uppercase)
                && !is_be_form(&lower)
                && !self.grammar.word_class(&lower).has(WordClass::AUXILIARY.or(WordClass::MODAL))
                && forms.is_some_and(|forms| {
                    forms.iter().any(|(_, form)| form.has(Inflections::THIRD.or(Inflections::PAST)))
                })
        };
        self.statement.clone().find(is_verb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Language, statements::word_splitter::split_words};

    #[test]
    fn a_person_who_says_only_its_name_states_nothing() {
        let (language, tib) = (Language::english(), EntityRef::Known(0));
        for (text, name, expected) in [
            ("I'm Tib", 3..4, true),
            ("My name is Tib", 3..4, true),
            ("I'm Tib the baker", 3..4, false),
            ("I am not Tib", 3..4, false),
            ("I am the abbot", 9..10, false),
        ] {
            let words = split_words(text);
            let statement = StatementWords { words: &words, statement: 0..words.len(), grammar: &language.grammar };
            assert_eq!(statement.are_name_of(&[(name, tib)], tib), expected, "{text}");
        }
    }

    #[test]
    fn a_question_of_somebody_states_nothing() {
        let language = Language::english();
        for (text, start, expected) in [
            ("Odo asks Pell how the miller died", 4, true),
            ("Odo asks Pell how the miller died", 3, true),
            ("Odo wonders why the barge sank", 3, true),
            ("Odo asks who sank the barge", 3, true),
            ("Odo asks Pell, who sank the barge, for a coin", 5, false),
            ("Odo knows how the miller died", 3, false),
            ("Odo asks. When the bell rang, Pell left", 4, false),
        ] {
            let words = split_words(text);
            let statement = StatementWords { words: &words, statement: start..words.len(), grammar: &language.grammar };
            assert_eq!(statement.are_asked(), expected, "{text}");
        }
    }

    #[test]
    fn words_that_only_show_who_somebody_is_state_nothing() {
        let (language, tib) = (Language::english(), EntityRef::Known(0));
        for (text, name, expected) in [
            ("It is Tib with a lamp", 2..3, true),
            ("It's Tib", 3..4, true),
            ("It is Tib who lit the lamp", 2..3, false),
            ("It was cold, Tib says", 4..5, false),
            ("It was you", 3..4, true),
            ("It is hers", 3..4, false),
        ] {
            let words = split_words(text);
            let statement = StatementWords { words: &words, statement: 0..words.len(), grammar: &language.grammar };
            assert_eq!(statement.only_identify(&[(name, tib)]), expected, "{text}");
        }
    }

    #[test]
    fn a_name_at_the_end_is_an_object_or_belongs_to_other_words() {
        let (language, tib) = (Language::english(), EntityRef::Known(0));
        for (text, expected) in [("He mended the roof Tib", true), ("He lies to Tib", false)] {
            let words = split_words(text);
            let name = (words.len() - 1..words.len(), tib);
            let statement = StatementWords { words: &words, statement: 0..words.len(), grammar: &language.grammar };
            assert_eq!(statement.only_repeat_name(&[name], tib, true), expected, "{text}");
        }
    }

    #[test]
    fn a_gesture_that_is_not_made_states_nothing() {
        let language = Language::english();
        for (text, expected) in [
            ("Tib does not look up", true),
            ("Tib doesn't come in", true),
            ("Tib looks up", true),
            ("Tib does not look at the lamp", false),
            ("Tib does not know", false),
            ("Tib mends the roof and does not look up", false),
        ] {
            let words = split_words(text);
            let statement = StatementWords { words: &words, statement: 0..words.len(), grammar: &language.grammar };
            assert_eq!(statement.are_gesture(), expected, "{text}");
        }
    }

    #[test]
    fn a_condition_and_a_suggestion_state_nothing() {
        let language = Language::english();
        let (text, odo) = ("You could wait unless the stag leads a man called Odo", EntityRef::Known(0));
        let words = split_words(text);
        let part = |statement| StatementWords { words: &words, statement, grammar: &language.grammar };
        assert!(part(4..11).are_condition() && !part(0..3).are_condition());
        assert!(part(0..3).suggest(0) && !part(0..3).suggest(1));
        let names = [(10..11, odo)];
        for end in [8, 9, 10] {
            assert!(part(4..11).precede_name(end, &names, Some(odo)), "{end}");
        }
        assert!(!part(4..11).precede_name(6, &names, Some(odo)) && !part(4..11).precede_name(9, &names, None));
    }

    #[test]
    fn words_that_only_tell_of_telling_or_lack_their_end_state_nothing() {
        let language = Language::english();
        let names = [(0..1, EntityRef::Known(0)), (2..3, EntityRef::Known(1))];
        for (text, end, expected) in [
            ("Odo told us before he left", 6, true),
            ("Odo told Pell", 3, true),
            ("Odo told Pell the price", 5, false),
            ("Odo told us that he left", 6, false),
            ("Odo left before Pell told us", 6, false),
        ] {
            let words = split_words(text);
            let statement = StatementWords { words: &words, statement: 0..end, grammar: &language.grammar };
            assert_eq!(statement.tell_nothing(&names), expected, "{text}");
        }
        let words = split_words("Odo burned the mill the night the barge sank");
        for (end, expected) in [(6, true), (4, false), (9, false)] {
            let statement = StatementWords { words: &words, statement: 0..end, grammar: &language.grammar };
            assert_eq!(statement.end_before_description(), expected, "{end}");
        }
        for (text, word, expected) in
            [("Odo has heard her", 3, true), ("Odo fears that they saw her", 5, false), ("Odo heard of her", 3, false)]
        {
            let words = split_words(text);
            let statement = StatementWords { words: &words, statement: 0..word + 1, grammar: &language.grammar };
            assert_eq!(statement.end_with_object(word), expected, "{text}");
        }
        for (text, expected) in [("We're looking for Odo", true), ("We are going to the mill", false)] {
            let words = split_words(text);
            let statement = StatementWords { words: &words, statement: 0..words.len(), grammar: &language.grammar };
            assert_eq!(statement.are_ongoing(), expected, "{text}");
        }
    }

    #[test]
    fn conditions_questions_threats_and_gestures_state_nothing() {
        let language = Language::english();
        let check = |text: &str, is_empty: fn(&StatementWords<'_, '_>) -> bool| {
            let words = split_words(text);
            is_empty(&StatementWords { words: &words, statement: 0..words.len(), grammar: &language.grammar })
        };
        for (text, expected) in [
            ("I would go to the mill if I were you", true),
            ("If I were you, I'd sell the mill", true),
            ("Odo would sell the mill", false),
            ("I ask her who opened the gate", true),
            ("I wonder whether Odo sold the mill", true),
            ("Odo asked me for the key", false),
            ("You will not stop me", true),
            ("You won't leave this room", true),
            ("You will find the key under the hearth", false),
            ("You'll keep quiet if you're wise", true),
        ] {
            assert_eq!(check(text, |words| words.say_nothing()), expected, "{text}");
        }
        for (text, expected) in [
            ("Mirela comes in", true),
            ("the sheriff leaves without a word", true),
            ("the sheriff leaves without Odo", false),
            ("the sheriff goes upstairs", true),
            ("Odo is inside", false),
            ("Odo goes to the mill", false),
            ("Odo sold the mill", false),
        ] {
            assert_eq!(check(text, |words| words.are_gesture()), expected, "{text}");
        }
    }

    #[test]
    fn errands_thoughts_and_words_without_a_noun_state_nothing() {
        let language = Language::english();
        let check = |text: &str, is_empty: fn(&StatementWords<'_, '_>) -> bool| {
            let words = split_words(text);
            is_empty(&StatementWords { words: &words, statement: 0..words.len(), grammar: &language.grammar })
        };
        for (text, expected) in [
            ("I should be getting back to the mill", true),
            ("We have to go to the mill", true),
            ("I have letters to write", true),
            ("My brother should go to the mill", false),
            ("I have gone to the mill", false),
            ("I have a key", false),
        ] {
            assert_eq!(check(text, |words| words.tell_errand()), expected, "{text}");
        }
        for (text, expected) in [("Odo thinks about going to the mill", true), ("Odo thinks of Mirela", false)] {
            assert_eq!(check(text, |words| words.only_think()), expected, "{text}");
        }
        for (text, expected) in [("Odo will pay for this", true), ("Odo will pay for this mill", false)] {
            assert_eq!(check(text, |words| words.end_with_demonstrative()), expected, "{text}");
        }
        for (text, expected) in
            [("a man asked for Odo", true), ("they asked Odo to leave", false), ("Odo will ask for it", false)]
        {
            assert_eq!(check(text, |words| words.are_past()), expected, "{text}");
        }
    }
}
