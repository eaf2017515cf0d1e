//! Finds the subjects of finite verbs, and the antecedents of relative pronouns such as "who".

use super::{Clause, ClauseParser, ClauseType, MAX_LIST_LENGTH, SubjectSource};
use crate::{
    language::{conjugation::third_person, grammar::WordClass, word_lists::lists},
    syntax::chunker::VerbForm,
    text::tokenizer::Token,
};

impl ClauseParser<'_> {
    /// Returns the subject of a finite verb, the item where its clause begins, and how the subject was found.
    pub(super) fn find_subject(&self, verb: usize, earlier: &[Clause]) -> (Vec<usize>, usize, SubjectSource) {
        let mut k = verb;
        // Skips adverbs before the verb.
        while k > 0
            && (self.word_class(k - 1).has(WordClass::ADVERB)
                || lists().determiners.floating.contains(self.word(k - 1)))
            && !self.is_preposition(k - 1)
        {
            k -= 1;
        }
        let Some(previous) = k.checked_sub(1) else { return (Vec::new(), verb, SubjectSource::Missing) };
        if self.is_relative(previous) {
            if let Some((np, start)) = self.antecedent(previous) {
                let _ = start;
                return (np, previous, SubjectSource::Antecedent);
            }
            return (Vec::new(), previous, SubjectSource::Missing);
        }
        let shared_subject = |start: usize| {
            // In "there's Odo, who runs it, and hates her", the clause "there is" has no subject to share.
            let is_finite = |other: &&Clause| {
                let has_no_subject =
                    other.subjects.is_empty() && earlier.iter().any(|other| !other.subjects.is_empty());
                self.chunks.verb_groups[other.verb_group].form == VerbForm::Finite && !has_no_subject
            };
            // After a comma, the main clause continues, not the relative clause: "a table nobody dares to sit at, and
            // has".
            let follows_comma = self.word(start) == ",";
            let main_clause = earlier
                .iter()
                .rev()
                .filter(is_finite)
                .find(|other| !follows_comma || other.clause_type != ClauseType::Relative);
            match main_clause.or(earlier.iter().rev().find(is_finite)) {
                Some(other) => (other.subjects.clone(), start, SubjectSource::Shared),
                None => (Vec::new(), start, SubjectSource::Missing),
            }
        };
        if self.is_coordinator(previous) || lists().conjunctions.sharing_subjects.contains(self.word(previous)) {
            let start = if previous > 0 && self.word(previous - 1) == "," { previous - 1 } else { previous };
            return shared_subject(start);
        }
        if self.word(previous) == "," || self.word(previous) == ")" || self.word(previous) == "\u{2014}" {
            // Between commas: "Pell, ferryman at the quay, owes".
            let opening_mark = if self.word(previous) == ")" { "(" } else { self.word(previous) };
            let opening = (0..previous).rev().find(|item| {
                let is_aside = opening_mark == "," && matches!(self.word(*item), "\u{2014}" | "(");
                self.word(*item) == opening_mark || (is_aside && *item > 0 && self.noun_group_at(*item - 1).is_some())
            });
            if let Some(opening) = opening.filter(|opening| *opening > 0)
                && self.noun_group_at(opening - 1).is_some()
                && !(opening..previous).any(|item| {
                    self.verb_group_at(item).is_some_and(|vg| {
                        let properties = self.grammar.verb_properties(&vg.lemma);
                        let is_aside = lists().verbs.asides.contains(vg.lemma.as_str());
                        vg.form == VerbForm::Finite && !(properties.is_speech || properties.is_thought || is_aside)
                    }) && !(opening..item).any(|item| self.is_relative(item))
                })
            {
                let name_item = self.described_name(opening - 1);
                // Example: "that sword, the Sunblade, belongs"
                let is_named =
                    |item: usize| self.noun_group_at(item).is_some_and(|np| self.chunks.noun_groups[np].name.is_some());
                // Example: "The captain of the watch, Reyk Dorn, is"
                let describes_other = !is_named(name_item) || (name_item > 0 && self.is_preposition(name_item - 1));
                let is_only_name =
                    opening_mark == "," && opening + 2 == previous && is_named(opening + 1) && describes_other;
                let name_item = if is_only_name { opening + 1 } else { name_item };
                return self.subject_ending_at(name_item, earlier).unwrap_or_else(|| shared_subject(previous));
            }
            // In "so Tob, he owes", the noun group directly before the comma is the subject.
            if previous > 0 && self.noun_group_at(previous - 1).is_some() && earlier.is_empty() {
                return self.subject_ending_at(previous - 1, earlier).unwrap_or_else(|| shared_subject(previous));
            }
            return shared_subject(previous);
        }
        if self.noun_group_at(previous).is_some() {
            // Example: "Odo the gunsmith"
            let name_item = self.described_name(previous);
            let name_item = if name_item + 1 == previous { name_item } else { previous };
            return match self.subject_ending_at(name_item, earlier) {
                Some((_, start, _)) if self.is_relative_clause_object(start, verb, earlier) => shared_subject(verb),
                subject => subject.unwrap_or_else(|| shared_subject(previous)),
            };
        }
        // Example: "let slip that"
        if self.verb_group_at(previous).is_some_and(|vg| vg.lemma == "let") {
            return shared_subject(verb);
        }
        (Vec::new(), verb, SubjectSource::Missing)
    }

    /// Returns whether the noun group at item `start` is not the subject of the verb, but the object of a relative
    /// clause, as in "The man who killed Odo is". In "who saw Odo leave", Odo leaves.
    fn is_relative_clause_object(&self, start: usize, verb: usize, earlier: &[Clause]) -> bool {
        let is_base_form = self.verb_group_at(verb).is_some_and(|vg| vg.is_base_form);
        !is_base_form
            && earlier.last().is_some_and(|clause| {
                clause.verb_item + 1 == start
                    && clause.subject_source == SubjectSource::Antecedent
                    && !self.takes_complement(clause)
            })
    }

    /// Returns the item of the name that a noun group describes, as in "Odo, gunsmith, who …" or "Odo the gunsmith".
    /// Returns the item of the noun group itself if it describes no name.
    fn described_name(&self, item: usize) -> usize {
        let is_named =
            |item: usize| self.noun_group_at(item).is_some_and(|np| self.chunks.noun_groups[np].name.is_some());
        let is_plain = self.noun_group_at(item).is_some_and(|np| {
            let group = &self.chunks.noun_groups[np];
            group.name.is_none() && !group.is_pronoun && group.owner.is_none()
        });
        match (item.checked_sub(1), item.checked_sub(2)) {
            (Some(previous), _) if is_plain && is_named(previous) => previous,
            (Some(comma), Some(previous)) if is_plain && self.word(comma) == "," && is_named(previous) => previous,
            _ => item,
        }
    }

    /// Returns the subject whose last noun group is at item `last`, the item where the subject begins, and how it was
    /// found.
    pub(super) fn subject_ending_at(
        &self,
        last: usize,
        earlier: &[Clause],
    ) -> Option<(Vec<usize>, usize, SubjectSource)> {
        let mut k = last;
        loop {
            let np = self.noun_group_at(k)?;
            let Some(p) = k.checked_sub(1) else { return Some((vec![np], k, SubjectSource::Direct)) };
            // Example: "turns out Odo is his brother"
            let is_turn_out =
                self.word(p) == "out" && p > 0 && self.verb_group_at(p - 1).is_some_and(|vg| vg.lemma == "turn");
            if self.is_preposition(p) && !is_turn_out {
                let Some(q) = p.checked_sub(1) else {
                    // Example: "In the cellar lies the ledger"
                    return Some((Vec::new(), p, SubjectSource::Inverted));
                };
                if self.noun_group_at(q).is_some() {
                    k = q;
                    continue;
                }
                if let Some(vg) = self.verb_group_at(q) {
                    if vg.form != VerbForm::Finite && q > 0 && self.noun_group_at(q - 1).is_some() {
                        k = q - 1;
                        continue;
                    }
                    return None;
                }
                if self.word(q) == "," && q > 0 && self.noun_group_at(q - 1).is_some() {
                    k = q - 1;
                    continue;
                }
                return Some((Vec::new(), p, SubjectSource::Inverted));
            }
            if let Some(vg) = self.verb_group_at(p)
                && vg.form != VerbForm::Finite
                && p > 0
                && self.noun_group_at(p - 1).is_some()
            {
                k = p - 1;
                continue;
            }
            // Collects the noun groups of a list, from last to first.
            let mut list = vec![np];
            let mut start = k;
            let mut has_conjunction = false;
            while start > 0 && list.len() < MAX_LIST_LENGTH {
                let mut q = start - 1;
                let is_conjunction = self.is_coordinator(q);
                if is_conjunction {
                    has_conjunction = true;
                    if q > 0 && self.word(q - 1) == "," {
                        q -= 1;
                        if list.len() == 1 && self.begins_clause(q, last) {
                            break;
                        }
                    }
                } else if !(self.word(q) == "," && has_conjunction) {
                    break;
                }
                let Some(list_item) = q.checked_sub(1).and_then(|item| Some((item, self.noun_group_at(item)?))) else {
                    break;
                };
                // In "Before the fire, Odo and Bram left", the opening words are not part of the list.
                if list_item.0 > 0 && self.is_preposition(list_item.0 - 1) && self.word(start - 1) == "," {
                    break;
                }
                list.push(list_item.1);
                start = list_item.0;
            }
            if list.len() > 1 {
                // "Odo met Lyra and Bram left": the first of the list is an object.
                let first_is_object = start > 0
                    && (self.verb_group_at(start - 1).is_some() || self.is_preposition(start - 1))
                    && !earlier.is_empty();
                if first_is_object {
                    return Some((vec![np], k, SubjectSource::Direct));
                }
                // Example: "Between the two houses stands a pact"
                if start == 1 && self.word(0) == "between" {
                    return Some((Vec::new(), 0, SubjectSource::Inverted));
                }
                list.reverse();
                return Some((list, start, SubjectSource::Direct));
            }
            return Some((vec![np], k, SubjectSource::Direct));
        }
    }

    /// Returns whether a comma and the "and" after it begin a new clause, so that the noun group at item `last` is the only
    /// subject of the next verb: "A shot at them, and Odo is dead", "A shot at them, and Odo fell".
    fn begins_clause(&self, comma: usize, last: usize) -> bool {
        let follows_preposition = comma > 1 && self.is_preposition(comma - 2);
        let verb = (last + 1..self.chunks.items.len()).find_map(|item| self.verb_group_at(item));
        let is_singular = verb.filter(|verb| verb.form == VerbForm::Finite).is_some_and(|verb| {
            let third_person = third_person(&verb.lemma);
            let is_singular =
                |token: &Token| token.norm == third_person || lists().auxiliaries.singular.contains(&token.norm);
            self.tokens.get(verb.start..verb.end).unwrap_or_default().iter().any(is_singular)
        });
        follows_preposition || (is_singular && !lists().conjunctions.alternatives.contains(self.word(comma + 1)))
    }

    /// Returns the noun groups that a relative pronoun refers to, and the item where they begin.
    pub(crate) fn antecedent(&self, relative: usize) -> Option<(Vec<usize>, usize)> {
        let mut at = relative.checked_sub(1)?;
        if self.word(at) == "," {
            at = at.checked_sub(1)?;
        }
        at = self.described_name(at);
        let np = self.noun_group_at(at)?;
        // In "the captain of the watch, who", the pronoun refers to the captain, unless the noun after "of" has a name.
        if at > 1
            && self.is_preposition(at - 1)
            && self.word(at - 1) == "of"
            && self.chunks.noun_groups[np].name.is_none()
            && let Some(outer) = self.noun_group_at(at - 2)
        {
            return Some((vec![outer], at - 2));
        }
        Some((vec![np], at))
    }
}
