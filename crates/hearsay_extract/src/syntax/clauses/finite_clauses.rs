//! Determines the type of each finite clause, and the clause on which it depends.

use super::{Clause, ClauseParser, ClauseType, SubjectSource};
use crate::{language::word_lists::lists, syntax::chunker::VerbForm};

/// Returns the last clause whose verb stands before an item.
fn last_clause_before(earlier: &[Clause], item: usize) -> Option<usize> {
    earlier.iter().rposition(|other| other.verb_item < item)
}

/// Returns whether a word is an interjection, such as "yes" or "well".
fn is_interjection(word: &str) -> bool {
    lists().speech.interjections.contains(word)
}

impl ClauseParser<'_> {
    pub(super) fn finite_clause(&self, verb: usize, vg: usize, earlier: &[Clause]) -> Clause {
        let (subjects, start, subject_source) = self.find_subject(verb, earlier);
        let mut clause = Clause {
            verb_group: vg,
            subjects,
            subject_source,
            rest_items: verb + 1..verb + 1,
            start,
            verb_item: verb,
            parent: None,
            clause_type: ClauseType::Main,
        };
        let previous = start.checked_sub(1);
        if subject_source == SubjectSource::Antecedent {
            clause.clause_type = ClauseType::Relative;
            clause.parent = last_clause_before(earlier, start);
            return clause;
        }
        if subject_source == SubjectSource::Shared
            && self.chunks.verb_groups[vg].is_base_form
            && let Some(other) = earlier.last()
            && other.clause_type == ClauseType::Infinitive
        {
            // Example: "promised to return and marry her"
            clause.parent = other.parent;
            clause.clause_type = ClauseType::Infinitive;
            return clause;
        }
        if subject_source == SubjectSource::Shared {
            // A clause with a shared subject also shares the parent: "says that he came and took it".
            if let Some(other) =
                earlier.iter().rposition(|other| self.chunks.verb_groups[other.verb_group].form == VerbForm::Finite)
            {
                clause.parent = earlier[other].parent;
                clause.clause_type = earlier[other].clause_type.clone();
            }
            return clause;
        }
        let Some(previous) = previous else { return clause };
        // Example: "allows that, yes, he belongs"
        let mut introducer = previous;
        while introducer > 0 && (self.word(introducer) == "," || is_interjection(self.word(introducer))) {
            introducer -= 1;
        }
        let word = self.word(introducer);
        // Example: "Bolt logged it: the Captain has the core"
        if matches!(word, ":" | "\u{2014}") {
            clause.parent = self.reporting_clause(earlier, introducer).filter(|_| word == ":");
            if clause.parent.is_some() {
                clause.clause_type = ClauseType::Complement;
                return clause;
            }
        }
        if lists().conjunctions.subordinators.contains(word) {
            self.subordinate(&mut clause, introducer, earlier);
            return clause;
        }
        // Example: "a table nobody dares to sit at"
        if self.noun_group_at(previous).is_some()
            && subject_source == SubjectSource::Direct
            && last_clause_before(earlier, start).is_some_and(|parent| !self.takes_complement(&earlier[parent]))
        {
            clause.clause_type = ClauseType::Relative;
            clause.parent = last_clause_before(earlier, start);
            return clause;
        }
        // Examples: "Pike says Sela left", "Pike told me Sela left"
        let follows_directly = self.verb_group_at(previous).is_some() || self.noun_group_at(previous).is_some();
        if follows_directly
            && let Some(parent) = last_clause_before(earlier, start)
            && self.takes_complement(&earlier[parent])
        {
            clause.parent = Some(parent);
            clause.clause_type = ClauseType::Complement;
            return clause;
        }
        if self.is_coordinator(previous) || (word == "," && self.is_coordinator(introducer)) {
            // Example: "says that he came and she went"
            if let Some(other) =
                earlier.iter().rposition(|other| self.chunks.verb_groups[other.verb_group].form == VerbForm::Finite)
                && earlier[other].clause_type == ClauseType::Complement
            {
                clause.parent = earlier[other].parent;
                clause.clause_type = ClauseType::Complement;
            }
            clause.start = previous;
        }
        clause
    }

    /// Makes a clause depend on an earlier clause, from which the subordinator at the item `introducer` separates it.
    fn subordinate(&self, clause: &mut Clause, introducer: usize, earlier: &[Clause]) {
        let word = self.word(introducer);
        let mut parent = last_clause_before(earlier, introducer);
        // Example: "maintains, and nobody can gainsay her, that …"
        let can_take_complement = |parent: usize| {
            let other: &Clause = &earlier[parent];
            let is_copula = self.chunks.verb_groups[other.verb_group].is_copula;
            self.takes_complement(other) && (!is_copula || other.verb_item + 1 == introducer)
        };
        let follows_relative_aside = parent.is_some_and(|parent| earlier[parent].clause_type == ClauseType::Relative)
            && self.word(introducer.wrapping_sub(1)) == ",";
        if word == "that" && (follows_relative_aside || !parent.is_some_and(can_take_complement)) {
            parent = self.reporting_clause(earlier, introducer).or(parent);
        }
        clause.start = introducer;
        // Example: "Before you shout, that boy is my son"
        let follows_adverbial =
            parent.is_some_and(|parent| matches!(earlier[parent].clause_type, ClauseType::Adverbial(_)));
        if word == "that" && follows_adverbial && self.word(introducer.wrapping_sub(1)) == "," {
            return;
        }
        clause.parent = parent;
        let takes_complement = parent.is_some_and(|parent| self.takes_complement(&earlier[parent]));
        let is_complement = word == "that" || (takes_complement && lists().questions.complements.contains(word));
        clause.clause_type =
            if is_complement { ClauseType::Complement } else { ClauseType::Adverbial(word.to_owned()) };
    }

    /// Returns the last clause before an item that has a verb of speech or thought.
    fn reporting_clause(&self, earlier: &[Clause], item: usize) -> Option<usize> {
        earlier.iter().rposition(|other| {
            let vg = &self.chunks.verb_groups[other.verb_group];
            let properties = self.grammar.verb_properties(&vg.lemma);
            let is_aside = other.clause_type == ClauseType::Relative
                && self.word(item) == "that"
                && self.word(item.wrapping_sub(1)) == ",";
            other.verb_item < item
                && vg.form == VerbForm::Finite
                && (properties.is_speech || properties.is_thought)
                && !is_aside
        })
    }

    /// Returns whether a clause announces news, as in "brings word that …".
    pub(crate) fn announces_news(&self, clause: &Clause) -> bool {
        let vg = &self.chunks.verb_groups[clause.verb_group];
        let word = self
            .noun_group_at(clause.verb_item + 1)
            .map(|np| self.tokens[self.chunks.noun_groups[np].head].norm.as_str());
        lists().verbs.delivery.contains(vg.lemma.as_str()) && word.is_some_and(|word| lists().nouns.news.contains(word))
    }

    pub(super) fn takes_complement(&self, clause: &Clause) -> bool {
        let vg = &self.chunks.verb_groups[clause.verb_group];
        let properties = self.grammar.verb_properties(&vg.lemma);
        properties.is_speech
            || properties.is_thought
            || properties.is_factive
            || properties.is_seeming
            || vg.is_copula
            || self.announces_news(clause)
    }
}
