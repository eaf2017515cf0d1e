//! Properties of single words of a sentence: word class, inflections, base form, and whether the word can be part of a
//! noun group.

use super::{Chunker, PrecedingPart};
use crate::{
    language::{
        conjugation::Inflections,
        function_words::{is_be_form, is_pronoun},
        grammar::WordClass,
        word_lists::lists,
    },
    text::tokenizer::{Token, TokenKind},
};

/// Derives the base form of a past form that is not in the verb lists, such as "sponged" or "hemmed".
fn guess_base_form(word: &str) -> String {
    let stem = word.strip_suffix("ed").unwrap_or(word);
    let letters: Vec<char> = stem.chars().collect();
    match letters[..] {
        [.., a, b] if a == b && !"lsz".contains(b) => stem[..stem.len() - b.len_utf8()].to_owned(),
        [.., b] if "cgsuvz".contains(b) => format!("{stem}e"),
        _ => stem.to_owned(),
    }
}

impl Chunker<'_> {
    pub(crate) fn word_class(&self, at: usize) -> WordClass {
        self.tokens.get(at).map_or(WordClass::default(), |token| self.grammar.word_class(&token.norm))
    }

    pub(crate) fn norm(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.norm.as_str())
    }

    /// Returns whether a coordinator such as "and" is directly before a token: "Tilda and me".
    pub(crate) fn follows_additive(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|previous| lists().conjunctions.additive.contains(self.norm(previous)))
    }

    pub(crate) fn is_name(&self, at: usize) -> bool {
        self.name_at.get(at).is_some_and(Option::is_some)
    }

    pub(crate) fn inflections(&self, at: usize) -> Option<Inflections> {
        let word = self.norm(at);
        let Some(forms) = self.grammar.verb_forms.get(word) else {
            // A past form of a verb that is not in the lists: "fostered".
            let is_regular_past = word.len() > 5
                && word.ends_with("ed")
                && !word.contains('-')
                && !self.is_adjective(at)
                && !self.tokens[at].is_capitalized
                && !lists().verbs.no_past_forms.contains(word);
            return is_regular_past.then(|| Inflections::PAST.or(Inflections::PARTICIPLE));
        };
        forms.iter().map(|(_, form)| *form).reduce(Inflections::or)
    }

    /// Returns the base form of the verb at a token. If the word belongs to several verbs, the verb for which the word
    /// has the form `inflection` is preferred.
    pub(crate) fn lemma(&self, at: usize, inflection: Inflections) -> String {
        let forms = self.grammar.verb_forms.get(self.norm(at)).map_or(&[][..], Vec::as_slice);
        let matching_form = forms.iter().find(|(_, form)| form.has(inflection)).or(forms.first());
        matching_form.map_or_else(|| guess_base_form(self.norm(at)), |(lemma, _)| lemma.clone())
    }

    pub(crate) fn skip_adverbs(&self, mut at: usize) -> usize {
        while at < self.tokens.len() && !self.is_name(at) && (self.is_adverb(at) || self.is_negation(at)) {
            at += 1;
        }
        at
    }

    pub(crate) fn is_adverb(&self, at: usize) -> bool {
        let word = self.norm(at);
        self.tokens.get(at).is_some_and(Token::is_word)
            && !self.is_name(at)
            && (word == "no longer"
                || self.word_class(at).has(WordClass::ADVERB)
                || (word.len() > 4
                    && word.ends_with("ly")
                    && !self.grammar.attribute_adjectives.contains_key(word)
                    && !self.grammar.verb_forms.contains_key(word)
                    && !lists().adverbs.no_adverbs.contains(word)))
    }

    pub(crate) fn is_negation(&self, at: usize) -> bool {
        lists().adverbs.negative.contains(self.norm(at)) && !self.is_name(at)
    }

    pub(crate) fn is_adjective(&self, at: usize) -> bool {
        let word = self.norm(at);
        self.word_class(at).has(WordClass::ADJECTIVE) || self.grammar.attribute_adjectives.contains_key(word)
    }

    /// Returns whether a word ends a noun group.
    pub(crate) fn is_closed_class(&self, at: usize) -> bool {
        let word = self.norm(at);
        !self.is_name(at)
            && (self.word_class(at).has(WordClass::CLOSED)
                || is_pronoun(word)
                || is_be_form(word)
                || lists().speech.no_noun_words.contains(word))
    }

    /// Returns whether a word can be part of a noun group.
    pub(crate) fn is_nominal(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        if self.is_name(at) {
            return true;
        }
        // Example: "joined the guild last year"
        if matches!(token.norm.as_str(), "last" | "next")
            && lists().times.after_last.contains(self.norm(at + 1))
            && at > 0
            && self.is_name(at - 1)
        {
            return false;
        }
        match token.kind {
            TokenKind::Number => true,
            TokenKind::Word => {
                !self.is_closed_class(at)
                    && (!self.is_adverb(at) || self.is_adjective(at))
                    && !self.is_verb(at, PrecedingPart::Modifiers)
            }
            _ => false,
        }
    }

    pub(crate) fn is_nominal_ahead(&self, at: usize) -> bool {
        let at = self.skip_adverbs(at);
        self.is_nominal(at)
    }
}
