//! Decides whether `'s` is the possessive marker or a short form of "is".

use super::{Chunk, Chunker};
use crate::{
    language::{conjugation::Inflections, function_words::is_pronoun, grammar::WordClass, word_lists::lists},
    text::tokenizer::TokenKind,
};

impl Chunker<'_> {
    /// Returns whether the noun group before a token follows a form of "be".
    fn follows_copula(&self, at: usize) -> bool {
        let is_after_copula =
            matches!(self.chunks.items.last(), Some(Chunk::VerbGroup(vg)) if self.chunks.verb_groups[*vg].is_copula);
        let from = match self.chunks.items.last() {
            Some(Chunk::VerbGroup(vg)) => self.chunks.verb_groups[*vg].end,
            _ => return false,
        };
        is_after_copula
            && self.is_name(at - 1)
            && (from..at).all(|at| self.is_name(at) || self.word_class(at).has(WordClass::DETERMINER))
    }

    fn is_verb_form(&self, at: usize) -> bool {
        self.inflections(at)
            .is_some_and(|form| form.has(Inflections::ING.or(Inflections::PARTICIPLE).or(Inflections::PAST)))
    }

    /// Returns whether a token is the possessive `'s` or `'`, and not a short form of "is".
    pub(crate) fn is_possessive(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        if token.is("'") && token.is_attached && at > 0 && self.tokens[at - 1].norm.ends_with('s') {
            return self.is_nominal(at + 1);
        }
        if !token.is("'s") {
            return false;
        }
        let previous = at.checked_sub(1).map_or("", |at| self.norm(at));
        if is_pronoun(previous) || lists().questions.before_is.contains(previous) {
            return false;
        }
        let next = at + 1;
        // Example: "Finn's my cousin"
        if lists().pronouns.possessive_determiners.contains(self.norm(next)) {
            return false;
        }
        // Example: "was the Landlord's doing"
        if self.norm(next) == "doing" && self.follows_copula(at) {
            return true;
        }
        // Example: "the Kestrel is Ilvane's now"
        if self.follows_copula(at) && (self.is_adverb(next) || !self.is_nominal(next)) && !self.is_verb_form(next) {
            return true;
        }
        if self.is_name(next) {
            // "Orm's Thrand's kid" means "Orm is Thrand's kid".
            let end = self.name_at[next].map_or(next, |name| self.names[name].end);
            if at > 0 && self.is_name(at - 1) && self.norm(end) == "'s" && self.is_nominal(end + 1) {
                return false;
            }
            // "Her brother's Tob" means "her brother is Tob".
            return !self.grammar.noun_patterns.contains_key(previous)
                && !self.grammar.attribute_labels.contains_key(previous);
        }
        self.is_possessive_before(next)
    }

    /// Returns whether `'s` before a token that is no name is the possessive marker.
    fn is_possessive_before(&self, next: usize) -> bool {
        let Some(after) = self.tokens.get(next) else { return true };
        if after.kind == TokenKind::Punctuation {
            return !after.is_punctuation(",")
                || self.tokens.get(next + 1).is_none_or(|token| {
                    !token.is_word() || self.is_closed_class(next + 1) || self.inflections(next + 1).is_some()
                });
        }
        if matches!(self.norm(next), "very" | "own") {
            return true;
        }
        if self.is_closed_class(next) || self.is_adverb(next) {
            return self.is_adverb(next)
                && self.is_nominal_ahead(next + 1)
                && self.word_class(next).has(WordClass::ADJECTIVE);
        }
        let is_numeral = |word: &str| word.split('-').all(|part| self.grammar.word_class(part).has(WordClass::NUMBER));
        if after.kind == TokenKind::Number || is_numeral(self.norm(next)) {
            return self.is_nominal(next + 1) && !matches!(self.norm(next + 1), "years" | "year");
        }
        if self.grammar.attribute_adjectives.contains_key(self.norm(next))
            && !self.grammar.noun_patterns.contains_key(self.norm(next))
        {
            // Example: "Maud's scared stiff of him"
            if self.word_class(next + 2).has(WordClass::PREPOSITION)
                && self.grammar.attribute_adjectives.contains_key(self.norm(next + 1))
            {
                return false;
            }
            return self.is_nominal(next + 1);
        }
        if let Some(form) = self.inflections(next) {
            return self.is_possessive_before_verb(next, form);
        }
        !self.is_adjective(next) || self.grammar.noun_patterns.contains_key(self.norm(next)) || self.is_noun(next + 1)
    }

    /// Returns whether `'s` before a verb form is the possessive marker. The base form can be a noun: "Odo's walk".
    fn is_possessive_before_verb(&self, at: usize, form: Inflections) -> bool {
        let is_participle = form.has(Inflections::PAST.or(Inflections::PARTICIPLE).or(Inflections::ING));
        if form.has(Inflections::BASE) || !is_participle {
            return true;
        }
        let is_ing_form = form.has(Inflections::ING) && !form.has(Inflections::PAST);
        let nouns = WordClass::THING_NOUN.or(WordClass::GROUP_NOUN).or(WordClass::PLACE_NOUN);
        let precedes_noun = !is_ing_form || self.word_class(at + 1).has(nouns);
        !self.is_name(at + 1) && self.is_noun(at + 1) && precedes_noun
    }

    /// Returns whether a token is a noun and no verb.
    fn is_noun(&self, at: usize) -> bool {
        let word = self.norm(at);
        let is_known_noun = self.grammar.attribute_labels.contains_key(word)
            || self.grammar.possession_nouns.contains_key(word)
            || self.grammar.noun_patterns.contains_key(word)
            || self.grammar.attribute_nouns.contains_key(word);
        self.is_nominal(at) && (self.inflections(at).is_none() || self.is_name(at) || is_known_noun)
    }
}
