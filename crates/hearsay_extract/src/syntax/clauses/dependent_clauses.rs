//! Reads infinitive and participle clauses, and finds their subjects in other clauses.

use super::{Clause, ClauseParser, ClauseType, SubjectSource};
use crate::{
    language::{grammar::WordClass, word_lists::lists},
    syntax::chunker::VerbForm,
};

impl ClauseParser<'_> {
    pub(super) fn dependent_clause(&self, verb: usize, vg: usize, earlier: &[Clause]) -> Clause {
        let group = &self.chunks.verb_groups[vg];
        let mut k = verb;
        while k > 0 && self.word_class(k - 1).has(WordClass::ADVERB) && !self.is_preposition(k - 1) {
            k -= 1;
        }
        let parent = earlier.len().checked_sub(1);
        let clause_type =
            if group.form == VerbForm::Infinitive { ClauseType::Infinitive } else { ClauseType::Participle };
        let mut clause = Clause {
            verb_group: vg,
            subjects: Vec::new(),
            subject_source: SubjectSource::Missing,
            rest_items: verb + 1..verb + 1,
            start: verb,
            verb_item: verb,
            parent,
            clause_type,
        };
        let Some(previous) = k.checked_sub(1) else {
            clause.start = 0;
            return clause;
        };
        let parent_subjects = || parent.map(|parent| earlier[parent].subjects.clone()).unwrap_or_default();
        match group.form {
            VerbForm::Infinitive => {
                // In "asked Odo to go", Odo goes. In "promised Odo to go", the subject of "promised" goes.
                let controlled_subject = parent.and_then(|parent| {
                    let lemma = self.chunks.verb_groups[earlier[parent].verb_group].lemma.as_str();
                    let is_speech =
                        self.grammar.verb_properties(&group.lemma).is_speech && !lists().verbs.orders.contains(lemma);
                    if is_speech {
                        return None;
                    }
                    let object = (earlier[parent].verb_item + 1..verb).find_map(|item| self.noun_group_at(item));
                    object.filter(|_| !lists().verbs.subject_control.contains(lemma))
                });
                clause.subjects = controlled_subject.map_or_else(parent_subjects, |np| vec![np]);
                clause.subject_source = SubjectSource::Control;
            }
            _ => {
                if self.is_preposition(previous) || self.is_coordinator(previous) {
                    clause.subjects = parent_subjects();
                    clause.subject_source = SubjectSource::Control;
                    clause.start = previous;
                    if self.is_preposition(previous) {
                        clause.clause_type = ClauseType::Adverbial(self.word(previous).to_owned());
                    }
                } else if let Some(np) = self.noun_group_at(previous) {
                    let subject =
                        self.subject_ending_at(previous, &[]).map(|(list, ..)| list).filter(|list| !list.is_empty());
                    // In "a man from the hills called Odo" and "the tale of a man called Odo", the man is called Odo.
                    clause.subjects = if group.form == VerbForm::Ing && parent.is_none() {
                        subject.unwrap_or_else(|| vec![np])
                    } else {
                        vec![np]
                    };
                    clause.subject_source = SubjectSource::Direct;
                    clause.start = if parent.is_none() { previous } else { verb };
                } else if self.verb_group_at(previous).is_some() && group.form == VerbForm::Ing {
                    // Example: "stopped working for the guild"
                    clause.subjects = parent_subjects();
                    clause.subject_source = SubjectSource::Control;
                } else if self.word(previous) == "," {
                    let name_group = previous.checked_sub(1).and_then(|item| self.noun_group_at(item));
                    let head_group =
                        name_group.and(previous.checked_sub(1)).and_then(|item| self.subject_ending_at(item, &[]));
                    let head_group = head_group.map(|(list, ..)| list).filter(|list| list.len() == 1);
                    // In "Odo comes back to the inn, soaked", Odo is soaked.
                    let follows_goal =
                        parent.is_some() && previous > 1 && matches!(self.word(previous - 2), "to" | "into");
                    clause.subjects = match (name_group, group.form) {
                        (Some(_), VerbForm::Participle) if follows_goal => parent_subjects(),
                        (Some(np), VerbForm::Participle) => head_group.unwrap_or_else(|| vec![np]),
                        (Some(np), _) if parent.is_none() => vec![np],
                        _ => parent_subjects(),
                    };
                    clause.subject_source = SubjectSource::Control;
                    clause.start = previous;
                }
            }
        }
        clause
    }
}
