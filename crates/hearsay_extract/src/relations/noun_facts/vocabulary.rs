//! Determines properties of single words: the singular, the attributes that a word states, and whether it is a number,
//! a position or a modifier.

use crate::{
    language::{grammar::WordClass, predicate_properties::PredicateProperties, word_lists::lists},
    sentence_reader::SentenceReader,
};

impl SentenceReader<'_> {
    /// Returns whether a noun names a position with an employer, such as "contractor".
    pub(super) fn is_position(&self, noun: &str) -> bool {
        self.grammar.noun_patterns.get(noun).into_iter().flatten().any(|(words, pattern)| {
            let target = &self.grammar.targets[pattern.target];
            words.len() == 1
                && !pattern.is_weak
                && !pattern.is_reversed
                && target.has(PredicateProperties::EMPLOYMENT)
                && !target.ended
        })
    }

    /// Returns whether a word is capitalized, an adjective, an adverb, a number or a word that states a known
    /// attribute.
    /// Such a word does not name an occupation.
    pub(crate) fn is_known_modifier(&self, token: usize) -> bool {
        let word = self.norm(token);
        self.grammar.word_class(word).has(WordClass::ADJECTIVE.or(WordClass::NUMBER).or(WordClass::ADVERB))
            || !self.grammar.adjective_attributes(word).is_empty()
            || self.tokens[token].is_capitalized
    }

    pub(crate) fn is_number(&self, word: &str) -> bool {
        word.starts_with(|c: char| c.is_ascii_digit()) || {
            let is_number_word = |part: &str| self.grammar.word_class(part).has(WordClass::NUMBER);
            // Examples: "mid-forties", "fifty-something"
            let is_number_part = |part: &str| is_number_word(part) || lists().numbers.parts.contains(part);
            word.split('-').any(is_number_word) && word.split('-').all(is_number_part)
        }
    }

    pub(crate) fn singular(&self, word: &str) -> String {
        let is_known = |word: &str| {
            self.grammar.noun_patterns.contains_key(word) || self.grammar.attribute_nouns.contains_key(word)
        };
        if is_known(word) {
            return word.to_owned();
        }
        let candidates = [
            word.strip_suffix("ies").map(|stem| format!("{stem}y")),
            word.strip_suffix("men").map(|stem| format!("{stem}man")),
            word.strip_suffix("ves").map(|stem| format!("{stem}f")),
            word.strip_suffix("ves").map(|stem| format!("{stem}fe")),
            word.strip_suffix("es").map(str::to_owned),
            word.strip_suffix('s').map(str::to_owned),
            (word == "children").then(|| "child".to_owned()),
        ];
        candidates.into_iter().flatten().find(|word| is_known(word)).unwrap_or_else(|| word.to_owned())
    }

    /// Returns the attributes that a noun states, such as `occupation` for "ferryman". Each consists of the index of a
    /// target and whether the evidence is weak.
    pub(crate) fn noun_attributes(&self, head: &str) -> Vec<(usize, bool)> {
        if let Some(attributes) = self.grammar.attribute_nouns.get(head) {
            return attributes.clone();
        }
        let last = head.rsplit('-').next().unwrap_or(head);
        if last != head
            && let Some(attributes) = self.grammar.attribute_nouns.get(last)
        {
            return attributes.clone();
        }
        if lists().nouns.no_occupations.contains(head) {
            return Vec::new();
        }
        let end = self
            .grammar
            .attribute_noun_suffixes
            .iter()
            .find(|(end, _)| head.len() > end.len() + 2 && head.ends_with(end.as_str()));
        end.map(|(_, target)| vec![(*target, false)]).unwrap_or_default()
    }
}
