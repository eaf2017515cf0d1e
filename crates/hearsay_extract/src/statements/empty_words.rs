//! Words that are a complete sentence but state no fact: unreal conditions, indirect questions, threats, and gestures.

use std::ops::Range;

use super::word_splitter::Word;
use crate::{
    conjugation::Inflections,
    function_words::{is_be_form, is_pronoun},
    grammar::{Grammar, WordClass},
    mentions::EntityRef,
};

/// Maximum number of words between a verb such as "ask" and the question word of an indirect question.
const MAX_WORDS_BEFORE_QUESTION: usize = 4;

/// Maximum number of words between a description and the name of the described entity, as in "a man called Odo".
const MAX_WORDS_BEFORE_NAME: usize = 2;

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
        self.are_unreal() || self.ask_indirectly() || self.deny_future_of_hearer()
    }

    /// Returns whether the words say what would be under a condition: "I would go there if I were you."
    fn are_unreal(&self) -> bool {
        let ends_sentence = |word: &Word<'_>| matches!(word.text, "." | "!" | "?");
        let Range { start, end } = self.statement;
        let sentence_start = self.words[..start].iter().rposition(ends_sentence).map_or(0, |at| at + 1);
        let sentence_end = self.words[end..].iter().position(ends_sentence).map_or(self.words.len(), |at| end + at);
        let is_apostrophe = |word: usize| matches!(self.words[word].text, "'" | "\u{2019}");
        let is_would = |word: usize| match self.lower(word).as_str() {
            "would" => true,
            "d" => word > 0 && is_apostrophe(word - 1),
            _ => false,
        };
        (start..end).any(is_would) && (sentence_start..sentence_end).any(|word| self.lower(word) == "if")
    }

    /// Returns whether the words are the condition of another clause: "the stag leads him" after "unless".
    pub(super) fn are_condition(&self) -> bool {
        let conjunction = self.statement.start.checked_sub(1).map(|word| self.lower(word));
        conjunction.is_some_and(|word| matches!(word.as_str(), "if" | "unless" | "whether"))
    }

    /// Returns whether "you" at a word only begins a suggestion: "You could take the cart road." A suggestion is no plan
    /// of the hearer.
    pub(super) fn suggest(&self, word: usize) -> bool {
        self.lower(word) == "you" && matches!(self.lower(word + 1).as_str(), "could" | "may" | "might")
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
        let asks = |word: &usize| {
            let forms = self.grammar.verb_forms.get(&self.lower(*word));
            forms.is_some_and(|forms| forms.iter().any(|(base, _)| matches!(base.as_str(), "ask" | "wonder")))
        };
        let is_question_word = |word: usize| {
            let lower = self.lower(word);
            lower != "that" && self.grammar.word_class(&lower).has(WordClass::RELATIVE)
                || matches!(lower.as_str(), "what" | "when" | "why" | "how" | "if" | "whether")
        };
        let Range { start, end } = self.statement;
        let first_verb = (start..end).find(asks);
        first_verb.is_some_and(|verb| (verb + 1..end).take(MAX_WORDS_BEFORE_QUESTION).any(is_question_word))
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
    pub(super) fn are_name_of(&self, names: &[(Range<usize>, EntityRef)], entity: EntityRef) -> bool {
        let is_name = |word: usize| names.iter().any(|(range, named)| *named == entity && range.contains(&word));
        let is_filler = |word: usize| {
            let lower = self.lower(word);
            is_be_form(&lower)
                || is_pronoun(&lower)
                || self.grammar.word_class(&lower).has(WordClass::DETERMINER)
                || ["m", "s", "re", "name", "called"].contains(&lower.as_str())
                || !lower.starts_with(char::is_alphanumeric)
        };
        self.statement.clone().any(is_name) && self.statement.clone().all(|word| is_name(word) || is_filler(word))
    }

    /// Returns whether the words are about a movement without a goal: "comes in", "goes upstairs". Only particles follow
    /// the verb.
    pub(super) fn are_gesture(&self) -> bool {
        let Range { start, end } = self.statement;
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
        let Some(verb) = (start..end).find(is_verb) else { return false };
        let is_particle = |word: usize| {
            let is_word = self.words[word].text.starts_with(char::is_alphanumeric);
            let class = self.grammar.word_class(&self.lower(word));
            !is_word || class.has(WordClass::PREPOSITION.or(WordClass::ADVERB))
        };
        verb + 1 < end && (verb + 1..end).all(is_particle)
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
        ] {
            assert_eq!(check(text, |words| words.say_nothing()), expected, "{text}");
        }
        for (text, expected) in [
            ("Mirela comes in", true),
            ("the sheriff goes upstairs", true),
            ("Odo is inside", false),
            ("Odo goes to the mill", false),
            ("Odo sold the mill", false),
        ] {
            assert_eq!(check(text, |words| words.are_gesture()), expected, "{text}");
        }
    }
}
