//! Finds the verbs of a statement, and writes verbs that agree with the name of their subject.

use hearsay_model::words::is_article;

use super::sentence::SentenceWriter;
use crate::{
    language::{
        conjugation::{Inflections, third_person},
        grammar::{Pattern, PatternPart, WordClass},
        word_lists::lists,
    },
    model::{DecodedStatement, Referent},
};

impl SentenceWriter<'_, '_> {
    /// Returns whether the words contain a verb that can be the main verb of a sentence.
    pub(super) fn has_verb(&self, decoded: &DecodedStatement) -> bool {
        let is_plural = decoded.subject.referent == Referent::Party
            || decoded.references.iter().any(|reference| reference.likely_referent.referent == Referent::Party);
        let follows_article = |word: &usize| {
            *word > decoded.words.start && lists().statements.before_nouns.contains(&self.lower(*word - 1))
        };
        // In "ten crowns", "crowns" is no verb.
        let is_counted = |word: &usize| {
            let number = word.checked_sub(1).map(|at| self.lower(at)).unwrap_or_default();
            let class = self.document.extractor.grammar().word_class(&number);
            let is_plural = self.verb_forms(&self.lower(*word)).iter().any(|(_, form)| form.has(Inflections::THIRD));
            class.has(WordClass::NUMBER) && number != "one" && is_plural
        };
        let words = decoded.words.clone().skip(1).chain([decoded.words.start]);
        let is_noun = |word: &usize| follows_article(word) || is_counted(word) || self.is_noun_before_of(*word);
        words.filter(|word| !is_noun(word)).any(|word| {
            let lower = self.lower(word);
            let has = |form| self.verb_forms(&lower).iter().any(|(_, has)| has.has(form));
            lists().statements.auxiliaries.contains(&lower)
                || has(Inflections::THIRD.or(Inflections::PAST))
                || (is_plural && has(Inflections::BASE))
                || (word == decoded.words.start
                    && decoded.subject.referent != Referent::Explicit
                    && has(Inflections::BASE.or(Inflections::ING)))
        })
    }

    /// Returns whether a word is a noun that looks like a verb before "of": "sacks" in "sacks of salt", but not "speaks" in
    /// "speaks of salt".
    fn is_noun_before_of(&self, word: usize) -> bool {
        let (grammar, lower) = (self.document.extractor.grammar(), self.lower(word));
        let begins_with_of =
            |pattern: &Pattern| matches!(pattern.parts.first(), Some(PatternPart::Word(first)) if first == "of");
        let takes_of = |verb: &str| {
            lists().verbs.with_of.contains(verb)
                || grammar.verb_patterns.get(verb).is_some_and(|patterns| patterns.iter().any(begins_with_of))
        };
        let forms = self.verb_forms(&lower);
        self.lower(word + 1) == "of"
            && !lists().statements.auxiliaries.contains(&lower)
            && !forms.is_empty()
            && forms.iter().all(|(verb, form)| form.has(Inflections::THIRD) && !takes_of(verb))
    }

    /// Returns whether the words of a statement without a subject can follow the name of its subject. In "Odo sits, the lamp
    /// burns", "the lamp burns" cannot, because it has a subject of its own.
    pub(super) fn is_predicate(&self, decoded: &DecodedStatement) -> bool {
        let (start, first) = (decoded.words.start, self.lower(decoded.words.start));
        let names = self.document.lines[self.line].names.iter().map(|(range, _)| range);
        let is_name = names.chain(&self.document.doubtful_names[self.line]).any(|range| range.start == start);
        !(is_name
            || is_article(&first)
            || lists().statements.possessives.contains(&first)
            || lists().statements.subjects.contains(&first)
            || self.is_noun_before_of(start))
    }

    /// Returns whether a pronoun is the object of a verb such as "see", and a base form follows it: "you" in "saw you leave".
    pub(super) fn precedes_base_form(&self, pronoun: usize) -> bool {
        let verb = pronoun.checked_sub(1).map(|at| self.lower(at)).unwrap_or_default();
        let next = self.lower(pronoun + 1);
        self.is_base_form(&next)
            && !lists().statements.auxiliaries.contains(&next)
            && self.verb_forms(&verb).iter().any(|(verb, _)| lists().verbs.with_base_forms.contains(verb))
    }

    /// Writes the verb after a name that replaces a pronoun, so that the verb agrees with the name. Returns the index
    /// of the next word.
    pub(super) fn write_agreeing_verb(&self, body: &mut String, at: usize, end: usize, is_plural: bool) -> usize {
        let text = |word: usize| if word < end { self.words[word].text } else { "" };
        let (first, second, third) = (text(at), text(at + 1), text(at + 2));
        let is_apostrophe = |word: &str| matches!(word, "'" | "\u{2019}");
        // Examples: "they're", "he's"
        if is_apostrophe(first) {
            let full_form = match (second, is_plural) {
                ("m" | "re", false) => "is",
                ("m" | "re", true) => "are",
                ("s", _) if lists().statements.after_has.contains(third) => "has",
                ("d", _) if lists().statements.after_has.contains(third) => "had",
                ("s", _) => "is",
                ("ve", false) => "has",
                ("ve", true) => "have",
                ("ll", _) => "will",
                ("d", _) => "would",
                _ => return at,
            };
            body.push(' ');
            body.push_str(full_form);
            return at + 2;
        }
        if first.is_empty() || is_plural {
            return at;
        }
        // Examples: "don't", "haven't"
        let contraction = match first {
            _ if !(is_apostrophe(second) && third == "t") => None,
            "don" => Some("doesn't"),
            "haven" => Some("hasn't"),
            "aren" => Some("isn't"),
            "weren" => Some("wasn't"),
            _ => None,
        };
        body.push(' ');
        match contraction {
            Some(contraction) => {
                body.push_str(contraction);
                at + 3
            }
            None => {
                body.push_str(&self.agreeing_form(first, is_plural));
                at + 1
            }
        }
    }

    /// Returns the form of a verb that agrees with a name. `is_plural` tells whether the name is plural.
    fn agreeing_form(&self, verb: &str, is_plural: bool) -> String {
        match (verb, is_plural) {
            ("am" | "are", false) => "is".to_owned(),
            ("am", true) => "are".to_owned(),
            ("were", false) => "was".to_owned(),
            ("have", false) => "has".to_owned(),
            ("do", false) => "does".to_owned(),
            (_, false) if lists().statements.auxiliaries.contains(verb) => verb.to_owned(),
            (_, false) if self.is_base_form(verb) && !lists().statements.no_verbs.contains(verb) => third_person(verb),
            _ => verb.to_owned(),
        }
    }

    pub(super) fn verb_forms(&self, verb: &str) -> &[(String, Inflections)] {
        self.document.extractor.grammar().verb_forms.get(verb).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a word is the base form of a verb, but not a past form.
    fn is_base_form(&self, verb: &str) -> bool {
        let has = |form| self.verb_forms(verb).iter().any(|(_, has)| has.has(form));
        has(Inflections::BASE) && !has(Inflections::PAST)
    }

    /// Returns the words of a statement without a subject, in a form that can follow the name of its subject.
    pub(super) fn predicate_text(&self, decoded: &DecodedStatement, body: &str, is_plural: bool) -> String {
        let first = self.words[decoded.words.start].text;
        let has = |form| self.verb_forms(first).iter().any(|(_, has): &(String, Inflections)| has.has(form));
        if has(Inflections::ING) && !has(Inflections::BASE) {
            return format!("{} {body}", if is_plural { "are" } else { "is" });
        }
        match body.strip_prefix(first) {
            Some(rest) => format!("{}{rest}", self.agreeing_form(first, is_plural)),
            None => body.to_owned(),
        }
    }
}
