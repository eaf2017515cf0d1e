//! Decides whether a word is used as a verb in its context.

use super::{Chunk, Chunker, PrecedingPart};
use crate::{
    language::{
        conjugation::Inflections,
        function_words::{is_be_form, is_pronoun},
        grammar::WordClass,
        word_lists::lists,
    },
    text::tokenizer::TokenKind,
};

impl Chunker<'_> {
    /// Returns whether a word is used as a verb in its context.
    pub(crate) fn is_verb(&self, at: usize, preceding: PrecedingPart) -> bool {
        let Some(form) = self.inflections(at) else { return false };
        let token = &self.tokens[at];
        if self.is_name(at) || !token.is_word() {
            return false;
        }
        // "Father" in "whose father" is a noun. "Went missing" describes a state.
        let previous_word = at.checked_sub(1).map_or("", |at| self.norm(at));
        let is_state = lists().auxiliaries.go_forms.contains(previous_word) && token.is("missing");
        // Examples: "trust between them", "hands like shovels"
        let next_word = self.norm(at + 1);
        let is_relational = next_word == "between" && form.has(Inflections::BASE);
        let is_body_part = next_word == "like"
            && previous_word == "and"
            && self.grammar.possession_nouns.contains_key(token.norm.as_str());
        if previous_word == "whose" || is_state || is_relational || is_body_part {
            return false;
        }
        if lists().auxiliaries.have_and_do.contains(token.norm.as_str()) {
            return true;
        }
        let previous = at.checked_sub(1);
        let is_clause_start = previous.is_none_or(|at| {
            self.tokens[at].kind == TokenKind::Punctuation || matches!(self.tokens[at].kind, TokenKind::Quote(_))
        });
        if token.is_capitalized && !is_clause_start {
            return false;
        }
        match preceding {
            PrecedingPart::Modifiers => false,
            PrecedingPart::Head { plural } => self.is_verb_after_noun(at, form, plural),
            PrecedingPart::Nothing => self.is_verb_without_noun(at, form),
        }
    }

    /// Returns whether a word is the verb of the noun directly before it. `plural` says whether the noun is plural.
    fn is_verb_after_noun(&self, at: usize, form: Inflections, plural: bool) -> bool {
        let token = &self.tokens[at];
        // Example: "hands like shovels"
        if token.is("like") && !at.checked_sub(1).is_some_and(|at| self.is_name(at) || is_pronoun(self.norm(at))) {
            return false;
        }
        if form.has(Inflections::PAST.or(Inflections::PARTICIPLE)) {
            return true;
        }
        if form.has(Inflections::ING) {
            return true;
        }
        let next = self.skip_adverbs(at + 1);
        let verb_follows = is_be_form(self.norm(next))
            || self.word_class(next).has(WordClass::MODAL)
            || lists().auxiliaries.inflected.contains(self.norm(next));
        if form.has(Inflections::THIRD) {
            // Example: "What Odo wants is the ledger"
            let is_in_cleft =
                (1..5).any(|distance| matches!(at.checked_sub(distance).map(|at| self.norm(at)), Some("what" | "all")));
            return !verb_follows || is_in_cleft;
        }
        plural && form.has(Inflections::BASE) && !verb_follows
    }

    /// Returns whether a word is a verb, if the noun group before it has ended or there is none.
    fn is_verb_without_noun(&self, at: usize, form: Inflections) -> bool {
        let token = &self.tokens[at];
        let Some(previous) = at.checked_sub(1) else {
            // In "Whispers follow her", the first word is a noun.
            let next = self.grammar.verb_forms.get(self.norm(at + 1)).is_some_and(|_| !self.is_name(at + 1));
            return !(form.has(Inflections::THIRD) && next);
        };
        // In "pours drinks", the second word is not a verb, because a verb does not follow another verb.
        if let Some(Chunk::VerbGroup(last)) = self.chunks.items.last()
            && let Some(last) = self.chunks.verb_groups.get(*last)
            && last.end == at
            && !lists().verbs.before_verbs.contains(last.lemma.as_str())
        {
            return form.has(Inflections::ING) && !form.has(Inflections::BASE);
        }
        let base_only = form.has(Inflections::BASE) && !form.has(Inflections::PAST);
        // Example: "old, bent and blind"
        let noun_follows = self.grammar.attribute_nouns.contains_key(self.norm(at + 1));
        if self.tokens[previous].is_punctuation(",(") && noun_follows && form.has(Inflections::PARTICIPLE) {
            // Example: "(halfling, lapsed acrobat)"
            return false;
        }
        let follows_conjunction =
            self.tokens[previous].is_punctuation(",") || matches!(self.norm(previous), "and" | "but");
        let is_final =
            self.tokens.get(at + 1).is_none_or(|next| !next.is_word() || matches!(next.norm.as_str(), "and" | "but"));
        if follows_conjunction && is_final && !base_only && self.grammar.attribute_adjectives.contains_key(&token.norm)
        {
            return false;
        }
        // In "a beard like a bush", the preceding noun group already rejected the word as its verb.
        if base_only
            && let Some(Chunk::NounGroup(last)) = self.chunks.items.last()
            && self.chunks.noun_groups[*last].end == at
        {
            return false;
        }
        if token.is("like") && (self.tokens[previous].kind == TokenKind::Punctuation || is_be_form(self.norm(previous)))
        {
            return false;
        }
        // In "Odo (smith)" and "Odo \u{2014} smith", the word describes Odo and is not a command.
        let follows_name_mark = self.tokens[previous].is_punctuation("(")
            || (self.tokens[previous].is_punctuation("\u{2014}:") && previous > 0 && self.is_name(previous - 1));
        if base_only && follows_name_mark {
            return false;
        }
        if base_only && self.tokens[previous].is_punctuation(",") {
            // A command follows the name of the addressee: "Hope, take her down". "Scribe" in "Tessa, scribe,
            // owes" is not a command.
            let is_final = self.tokens.get(at + 1).is_none_or(|next| next.is_punctuation(",.;)"));
            let is_noun = self.grammar.attribute_nouns.contains_key(&token.norm);
            // Example: "The Traders, led by her, oppose them"
            let first_noun_group = self.chunks.items.iter().find_map(|item| match item {
                Chunk::NounGroup(np) => Some(*np),
                _ => None,
            });
            let is_after_apposition = self.tokens[..previous].iter().any(|token| token.is_punctuation(","));
            if is_after_apposition && first_noun_group.is_some_and(|np| self.has_plural_verb(np, at)) {
                return true;
            }
            return !(is_final && is_noun) && previous > 0 && previous <= 4 && self.is_name(previous - 1);
        }
        let class = self.word_class(previous);
        let word = self.norm(previous);
        if word == "to" {
            return form.has(Inflections::BASE);
        }
        if self.is_name(previous) {
            return !form.has(Inflections::BASE) || form.has(Inflections::PAST);
        }
        if class.has(WordClass::PREPOSITION) {
            return form.has(Inflections::ING);
        }
        if class.has(WordClass::DETERMINER) && !lists().determiners.before_verbs.contains(word) {
            return false;
        }
        if word == "and" || word == "or" {
            // This can be "works and fears" (verbs) or "hopes and fears" (nouns). The form of the preceding
            // verb decides later.
            return true;
        }
        true
    }

    /// Returns whether the word after the name of a group is its plural verb: "the Guild want the ledger", but not "the
    /// Guild captain".
    pub(super) fn has_plural_verb(&self, np: usize, verb: usize) -> bool {
        let is_group = self.chunks.noun_groups[np]
            .name
            .is_some_and(|name| self.is_group_name.get(name).is_some_and(|crowd| *crowd));
        let word = self.norm(verb);
        let is_noun = self.grammar.attribute_nouns.contains_key(word) || self.grammar.noun_patterns.contains_key(word);
        let next = verb + 1;
        let has_object = self.is_name(next)
            || self.word_class(next).has(WordClass::DETERMINER.or(WordClass::PREPOSITION))
            || is_pronoun(self.norm(next));
        is_group && !is_noun && has_object
    }

    /// Returns whether a word after the first noun of a group is the verb of the group.
    pub(crate) fn is_verb_after(
        &self,
        at: usize,
        has_name: bool,
        (start, from): (usize, usize),
        is_determined: bool,
    ) -> bool {
        let Some(form) = self.inflections(at) else { return false };
        if has_name {
            let is_listed = self.follows_additive(start);
            return self.is_verb(at, PrecedingPart::Head { plural: is_listed || self.norm(at - 1).ends_with('s') });
        }
        // A verb must follow a noun: "the wounded guard left" and "the smith works", but not "his sworn word".
        let previous = at - 1;
        let previous_is_noun = previous >= from
            && !self.is_adjective(previous)
            && self.tokens[previous].kind == TokenKind::Word
            && !(self.inflections(previous).is_some_and(|form| form.has(Inflections::PARTICIPLE.or(Inflections::ING)))
                && previous == from
                && is_determined);
        if !previous_is_noun {
            return false;
        }
        if is_determined
            && self.norm(at + 1) == "of"
            && (self.grammar.noun_patterns.contains_key(self.norm(at))
                || self.grammar.possession_nouns.contains_key(self.norm(at)))
        {
            return false;
        }
        // Example: "fifty crowns"
        let is_counted =
            self.tokens[previous].kind == TokenKind::Number || self.word_class(previous).has(WordClass::NUMBER);
        if is_counted && form.has(Inflections::THIRD) && self.norm(previous) != "one" {
            return false;
        }
        let word = self.norm(previous);
        let is_plural = word.ends_with('s') && !word.ends_with("ss") || lists().nouns.plurals.contains(word);
        if form.has(Inflections::ING) && !form.has(Inflections::BASE) {
            return !self.grammar.noun_patterns.contains_key(self.norm(at));
        }
        self.is_verb(at, PrecedingPart::Head { plural: is_plural })
    }
}
