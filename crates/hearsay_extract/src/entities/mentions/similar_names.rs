//! Finds words that are spelt similarly to the name of an entity of the campaign, and short forms of names.

use hearsay_model::spelling::is_common_word;

use super::{EntityRef, MentionFinder, NameMention, has_common_suffix, is_pronoun};
use crate::{entities::lexicon::NameType, language::grammar::WordClass, text::tokenizer::Token};

/// Maximum number of words that are compared with a name for similar spelling.
const MAX_SIMILAR_NAME_WORDS: usize = 3;

/// Minimum number of letters of a short form of a name.
const MIN_SHORT_NAME_LETTERS: usize = 3;

impl MentionFinder<'_> {
    /// Returns the person whom a speaker addresses by the beginning of a name: "The doctor is dead, Bran." The word stands
    /// at the start or the end of a sentence, and a comma sets it off.
    pub(super) fn find_short_address(&self, tokens: &[Token], at: usize) -> Option<NameMention> {
        let token = &tokens[at];
        let is_comma = |at: usize| tokens.get(at).is_some_and(|token| token.is_punctuation(","));
        let ends_sentence = |at: usize| tokens.get(at).is_none_or(|token| token.is_punctuation(".!?\u{2026}"));
        let is_first = Self::is_sentence_start(tokens, at) && is_comma(at + 1);
        let is_last = at > 0 && is_comma(at - 1) && ends_sentence(at + 1);
        let can_be_short_name = token.is_word()
            && token.is_capitalized
            && token.norm.chars().count() >= MIN_SHORT_NAME_LETTERS
            && !self.word_class(token).has(WordClass::TITLE)
            && !is_common_word(&token.norm)
            && !self.is_ordinary_word(tokens, at);
        if !self.is_speech || !(is_first || is_last) || !can_be_short_name {
            return None;
        }
        Some(NameMention {
            start: at,
            end: at + 1,
            entity: EntityRef::Known(self.lexicon.person_with_beginning(&token.norm)?),
            name_type: NameType::Part,
            is_fuzzy: true,
            is_ambiguous: false,
        })
    }

    /// Returns the person whom a speaker addresses by a title: "I promise you, captain, …". The title belongs to exactly one
    /// of the persons who are present.
    pub(super) fn find_title_address(&self, tokens: &[Token], at: usize) -> Option<NameMention> {
        let token = &tokens[at];
        let is_mark = |token: &Token| token.is_punctuation(",.!?\u{2026}");
        let (previous, next) = (at.checked_sub(1).map(|at| &tokens[at]), tokens.get(at + 1));
        let is_set_off = previous.is_none_or(is_mark) && next.is_none_or(is_mark);
        if !(self.is_speech && is_set_off && self.word_class(token).has(WordClass::TITLE)) {
            return None;
        }
        let is_meant = |entity: &u32| {
            Some(*entity) != self.scene.speaker && self.lexicon.entities[*entity as usize].has_title(&token.norm)
        };
        let mut addressed = self.scene.present.iter().copied().filter(is_meant);
        let entity = addressed.next().filter(|_| addressed.next().is_none())?;
        Some(NameMention {
            start: at,
            end: at + 1,
            entity: EntityRef::Known(entity),
            name_type: NameType::Description,
            is_fuzzy: false,
            is_ambiguous: false,
        })
    }

    /// Returns a known name that is spelt similarly to the words at a token.
    pub(super) fn find_similar(&self, tokens: &[Token], at: usize) -> Option<NameMention> {
        let first = &tokens[at];
        if !first.is_word() || self.is_ordinary_word(tokens, at) {
            return None;
        }
        for count in (1..=MAX_SIMILAR_NAME_WORDS).rev() {
            let end = at + count;
            if end > tokens.len() || tokens[at..end].iter().any(|token| !token.is_word() || token.is("'s")) {
                continue;
            }
            if (count > 1 && self.is_ordinary_word(tokens, end - 1))
                || tokens[at..end].iter().any(|token| self.word_class(token).has(WordClass::NEGATION))
            {
                continue;
            }
            let words: Vec<String> = tokens[at..end].iter().map(|token| token.norm.replace('-', "")).collect();
            // A known name that is not used as a name here is not misspelt.
            if words.concat().chars().count() < 4 || !self.lexicon.candidates(&words.join(" ")).is_empty() {
                continue;
            }
            if let Some(entity) = self.lexicon.find_similar(&words) {
                return Some(NameMention {
                    start: at,
                    end,
                    entity: EntityRef::Known(entity),
                    name_type: NameType::Part,
                    is_fuzzy: true,
                    is_ambiguous: false,
                });
            }
        }
        None
    }

    /// Returns whether a word is an ordinary word of the language and not a misspelt name.
    fn is_ordinary_word(&self, tokens: &[Token], at: usize) -> bool {
        let token = &tokens[at];
        let word = token.norm.as_str();
        let grammar = self.grammar;
        let class = grammar.word_class(word);
        let is_capitalized_inside = token.is_capitalized && !Self::is_sentence_start(tokens, at);
        let classes_of_name_words = WordClass::TITLE
            .or(WordClass::PLACE_NOUN)
            .or(WordClass::THING_NOUN)
            .or(WordClass::GROUP_NOUN)
            .or(WordClass::EVENT_NOUN)
            .or(WordClass::ADJECTIVE)
            .or(WordClass::KIN);
        if !class.is_subset_of(classes_of_name_words) {
            return true;
        }
        let is_known_word = class != WordClass::default()
            || is_pronoun(word)
            || grammar.verb_forms.contains_key(word)
            || is_common_word(word)
            || grammar.attribute_nouns.contains_key(word)
            || grammar.attribute_nouns.contains_key(word.trim_end_matches('s'))
            || grammar.attribute_adjectives.contains_key(word)
            || grammar.noun_patterns.contains_key(word)
            || grammar.attribute_labels.contains_key(word)
            || grammar.possession_nouns.contains_key(word)
            || has_common_suffix(word);
        is_known_word && !is_capitalized_inside
    }
}
