//! Builds clauses from groups of words: the subject and verb of each clause, and the clause that it depends on.
//!
//! This file defines the type of a clause, the loop over the verbs of a sentence, and the tests of single items. The
//! submodules read each type of clause, its subjects, and lists of noun groups.

mod dependent_clauses;
mod finite_clauses;
mod noun_lists;
mod subjects;

use std::ops::Range;

use crate::{
    language::{
        grammar::{Grammar, WordClass},
        word_lists::lists,
    },
    syntax::chunker::{Chunk, Chunks, VerbForm, VerbGroup},
    text::tokenizer::{Token, TokenKind},
};

/// How the subject of a clause was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubjectSource {
    /// The subject precedes the verb.
    Direct,
    /// The clause shares the subject of an earlier clause.
    Shared,
    /// The subject is the antecedent of "who" or "which".
    Antecedent,
    /// The subject follows the verb.
    Inverted,
    /// The subject is the same as the subject or the object of the parent clause.
    Control,
    /// The clause has no subject.
    Missing,
}

/// How a clause depends on its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClauseType {
    Main,
    /// Clause with the content of speech, thought or knowledge.
    Complement,
    /// Relative clause: "who", "which".
    Relative,
    /// Infinitive clause: "to …".
    Infinitive,
    /// Adverbial clause, with its conjunction: "because", "when".
    Adverbial(String),
    /// Participle clause.
    Participle,
}

#[derive(Debug, Clone)]
pub(crate) struct Clause {
    pub(crate) verb_group: usize,
    pub(crate) subjects: Vec<usize>,
    pub(crate) subject_source: SubjectSource,
    /// Range of the items after the verb that belong to the clause.
    pub(crate) rest_items: Range<usize>,
    /// First item of the clause.
    pub(crate) start: usize,
    pub(crate) verb_item: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) clause_type: ClauseType,
}

impl Clause {
    pub(crate) fn clause_type(&self) -> &ClauseType {
        &self.clause_type
    }

    /// Returns the last item of the clause after the verb, or the item of the verb if the clause has no such item.
    pub(crate) fn last_item(&self) -> usize {
        self.rest_items.end.saturating_sub(1)
    }
}

/// Maximum number of noun groups that are read from a list.
pub(crate) const MAX_LIST_LENGTH: usize = 12;

pub(crate) struct ClauseParser<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) grammar: &'a Grammar,
    pub(crate) chunks: &'a Chunks,
}

impl<'a> ClauseParser<'a> {
    pub(crate) fn word(&self, item: usize) -> &'a str {
        match self.chunks.items.get(item) {
            Some(Chunk::Token(at)) => self.tokens[*at].norm.as_str(),
            _ => "",
        }
    }

    fn word_class(&self, item: usize) -> WordClass {
        match self.chunks.items.get(item) {
            Some(Chunk::Token(at)) if self.tokens[*at].is_word() => self.grammar.word_class(&self.tokens[*at].norm),
            _ => WordClass::default(),
        }
    }

    pub(crate) fn noun_group_at(&self, item: usize) -> Option<usize> {
        match self.chunks.items.get(item) {
            Some(Chunk::NounGroup(np)) => Some(*np),
            _ => None,
        }
    }

    fn verb_group_at(&self, item: usize) -> Option<&'a VerbGroup> {
        match self.chunks.items.get(item) {
            Some(Chunk::VerbGroup(vg)) => Some(&self.chunks.verb_groups[*vg]),
            _ => None,
        }
    }

    fn is_quote(&self, item: usize) -> bool {
        matches!(self.chunks.items.get(item), Some(Chunk::Token(at)) if matches!(self.tokens[*at].kind, TokenKind::Quote(_)))
    }

    pub(crate) fn has_quote(&self) -> bool {
        (0..self.chunks.items.len()).any(|item| self.is_quote(item))
    }

    pub(crate) fn is_preposition(&self, item: usize) -> bool {
        let word = self.word(item);
        self.word_class(item).has(WordClass::PREPOSITION)
            && !matches!(word, "as")
            && !(lists().conjunctions.before_clauses.contains(word)
                && self.verb_group_at(item + 2).is_some_and(|vg| vg.form == VerbForm::Finite))
    }

    fn is_coordinator(&self, item: usize) -> bool {
        lists().conjunctions.coordinators.contains(self.word(item))
    }

    fn is_relative(&self, item: usize) -> bool {
        lists().pronouns.relative.contains(self.word(item))
    }

    fn is_boundary(&self, item: usize) -> bool {
        let word = self.word(item);
        matches!(word, ":" | "\u{2014}" | "-" | "(" | ")" | ";" | "." | "!" | "?" | "\u{2026}")
            || (word == "but" && !item.checked_sub(1).is_some_and(|before| self.is_indefinite_pronoun(before)))
            || self.is_quote(item)
    }

    fn is_adverbial(&self, item: usize) -> bool {
        // Examples: "works as a scribe", "as tall as the door"
        let is_clause = |item: usize| {
            self.noun_group_at(item).is_some()
                && self.verb_group_at(item + 1).is_some_and(|vg| vg.form == VerbForm::Finite)
        };
        if self.word(item) == "as" && !is_clause(item + 1) {
            return false;
        }
        self.word_class(item).has(WordClass::SUBORDINATOR) && !self.is_preposition(item)
    }

    /// Returns the clauses of a sentence, in order.
    pub(crate) fn parse(&self) -> Vec<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        let items = &self.chunks.items;
        for (verb, item) in items.iter().enumerate() {
            let Chunk::VerbGroup(vg) = *item else { continue };
            let group = &self.chunks.verb_groups[vg];
            let clause = match group.form {
                VerbForm::Finite => self.finite_clause(verb, vg, &clauses),
                _ => self.dependent_clause(verb, vg, &clauses),
            };
            clauses.push(clause);
        }
        // A participle before its subject takes the subject of the next clause: "Hired by Odo, Pell works …".
        for at in 0..clauses.len() {
            let is_omitted = self.chunks.verb_groups[clauses[at].verb_group].is_omitted && clauses[at].verb_item == 0;
            let only_participles_before = clauses[..at]
                .iter()
                .all(|other| other.clause_type == ClauseType::Participle && other.start < clauses[at].start);
            let is_fronted_participle = clauses[at].clause_type == ClauseType::Participle
                && (clauses[at].start == 0
                    || (at > 0 && only_participles_before && self.precedes_subject(&clauses[at])));
            if (clauses[at].subjects.is_empty() || clauses[at].start > 0) && (is_fronted_participle || is_omitted) {
                let next = clauses[at + 1..]
                    .iter()
                    .find(|clause| clause.subject_source == SubjectSource::Direct)
                    .map(|clause| clause.subjects.clone());
                clauses[at].subjects = next.unwrap_or_default();
            }
        }
        for at in 0..clauses.len() {
            let verb = clauses[at].verb_item;
            let next = clauses.iter().filter(|other| other.start > verb).map(|other| other.start).min();
            let mut end = next.unwrap_or(items.len());
            let boundary = (verb + 1..end).find(|item| {
                self.is_boundary(*item)
                    || (self.is_adverbial(*item) && self.word(*item) != "so")
                    || (self.is_relative(*item) && self.word(*item) != "that")
            });
            end = boundary.unwrap_or(end);
            clauses[at].rest_items = verb + 1..end.max(verb + 1);
            if clauses[at].subject_source == SubjectSource::Inverted
                || (clauses[at].subject_source == SubjectSource::Missing
                    && self.chunks.verb_groups[clauses[at].verb_group].form == VerbForm::Finite
                    && (self.is_quote(verb.wrapping_sub(1))))
            {
                let subject_list = self.noun_list(verb + 1, end);
                if !subject_list.0.is_empty() {
                    clauses[at].subjects = subject_list.0;
                    clauses[at].subject_source = SubjectSource::Inverted;
                    clauses[at].rest_items.start = subject_list.1;
                    // In "In the cellar lies the ledger", the words before the verb are read as if they followed it.
                    let (start, ends_clause) =
                        (clauses[at].start, subject_list.1 >= end || self.word(subject_list.1) == ",");
                    let ends_clause = ends_clause || self.chunks.verb_groups[clauses[at].verb_group].is_passive;
                    if ends_clause && start < verb && self.is_preposition(start) {
                        clauses[at].rest_items = start..verb;
                    }
                }
            }
        }
        clauses
    }

    /// Returns whether a participle is one of several that precede their subject: "Loved by some, loathed by others,
    /// the Widow …"
    fn precedes_subject(&self, clause: &Clause) -> bool {
        let starts_clause = clause.start == clause.verb_item || self.word(clause.start) == ",";
        let next_comma = (clause.verb_item..self.chunks.items.len()).find(|item| self.word(*item) == ",");
        starts_clause
            && next_comma
                .is_some_and(|comma| self.noun_group_at(comma + 1).is_some() && self.verb_group_at(comma + 2).is_some())
    }

    /// Returns whether an item is a word such as "nobody" or "everyone", as in "nobody but Hope".
    fn is_indefinite_pronoun(&self, item: usize) -> bool {
        let is_no_one = self.noun_group_at(item).is_some_and(|np| {
            let group = &self.chunks.noun_groups[np];
            self.tokens[group.head].norm == "one" && group.article.is_some_and(|at| self.tokens[at].norm == "no")
        });
        if is_no_one {
            return true;
        }
        let head_word = |np: usize| self.tokens[self.chunks.noun_groups[np].head].norm.as_str();
        self.noun_group_at(item).is_some_and(|np| lists().pronouns.before_exceptions.contains(head_word(np)))
    }
}
