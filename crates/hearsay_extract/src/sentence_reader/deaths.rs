//! Finds out who is dead according to words such as "dead".

use hearsay_model::{Object, Span, Value};

use super::{ResolvedEntity, SentenceReader, pronouns::pronoun_gender};
use crate::{
    chunker::{NounGroup, VerbForm},
    clauses::Clause,
    kind_set::KindSet,
    lexicon::Gender,
    mentions::EntityRef,
    tokenizer::Token,
    weights::Weight,
};

impl SentenceReader<'_> {
    /// Returns whether a value of a target means that the entity is dead.
    pub(crate) fn means_death(&self, target: usize, value: &str) -> bool {
        let behavior = self.vocabulary.behavior(&self.grammar.targets[target].predicate);
        behavior.means_death(&Object::Value(Value::from(value)))
    }

    /// Returns whether a value in the words at `span` means a death, but not the death of `subject`. In "Odo's dog is
    /// dead" and "Odo found Pell dead", Odo is not dead. In "Odo is dead tired", nobody is dead.
    pub(super) fn is_death_of_other(&mut self, target: usize, subject: EntityRef, value: &str, span: Span) -> bool {
        if !self.means_death(target, value) {
            return false;
        }
        let word = value.to_lowercase();
        let is_value = |token: &Token| span.start <= token.start && token.end <= span.end && token.norm == word;
        let Some(at) = self.tokens.iter().position(is_value) else { return false };
        let dead_groups = self.dead_noun_groups(at);
        let mut dead_entities = Vec::new();
        for np in &dead_groups {
            dead_entities.extend(self.resolve(*np, &[]));
        }
        let is_subject_dead = dead_entities.iter().any(|dead| dead.entity == subject && !dead.is_relative);
        self.is_intensifier(at) || (!dead_groups.is_empty() && !is_subject_dead)
    }

    /// If a pronoun names the dead, and an earlier verb of the sentence has the entity as its subject and another person
    /// as its object, returns this person. In "Odo stabs Bram and he dies", Bram is dead. `span` contains the words of the
    /// fact, which begin with the pronoun.
    pub(super) fn object_of_dead_agent(&mut self, dead: &ResolvedEntity, span: Span) -> Option<ResolvedEntity> {
        let pronoun = self.tokens.iter().find(|token| token.start == span.start)?;
        let pronoun_gender = pronoun_gender(&pronoun.norm)?;
        let acts_before = |clause: &&Clause| {
            let verb = &self.chunks.verb_groups[clause.verb_group];
            let is_active = verb.form == VerbForm::Finite && !verb.is_passive && !verb.is_copula && !verb.is_negated;
            is_active && self.tokens[verb.start].start < span.start
        };
        let actions: Vec<(Vec<usize>, usize)> = self
            .clauses
            .iter()
            .filter(acts_before)
            .filter_map(|clause| Some((clause.subjects.clone(), self.syntax.noun_group_at(clause.rest_items.0)?)))
            .collect();
        actions.into_iter().rev().find_map(|(subjects, object)| {
            let is_agent = self.resolve_all(&subjects, &[]).iter().any(|agent| agent.entity == dead.entity);
            let object = self.resolve(object, &[]).into_iter().next().filter(|object| !object.is_relative)?;
            let gender = self.gender(object.entity);
            let is_person = self.kinds(object.entity).intersects(KindSet::PERSON) && object.entity != dead.entity;
            let can_be_meant = is_person && (gender == pronoun_gender || gender == Gender::Unknown);
            (is_agent && can_be_meant).then(|| {
                ResolvedEntity::uncertain(object.entity, Some(Weight::PRONOUN), Some(Weight::DOUBTFUL_PRONOUN))
            })
        })
    }

    /// Returns the noun groups that a word such as "dead" at token `at` describes: the noun group that contains the word
    /// or ends directly before it, or else the subjects of the clause. Returns nothing if there is no such noun group.
    fn dead_noun_groups(&self, at: usize) -> Vec<usize> {
        let find_group = |is_match: fn(&NounGroup, usize) -> bool| {
            let is_match = |np: usize| is_match(self.noun_group(np), at);
            (0..self.chunks.items.len()).find(|item| self.syntax.noun_group_at(*item).is_some_and(is_match))
        };
        let containing_item = find_group(|group, at| group.start <= at && at < group.end);
        if let Some(mut item) = containing_item.or_else(|| find_group(|group, at| group.end == at)) {
            // In "found the brother of Pell dead", the brother is dead.
            while item > 1 && self.syntax.word(item - 1) == "of" && self.syntax.noun_group_at(item - 2).is_some() {
                item -= 2;
            }
            return self.syntax.noun_group_at(item).into_iter().collect();
        }
        let contains = |first: usize, last: usize| self.chunk_start(first) <= at && at < self.chunk_end(last);
        let clause = self.clauses.iter().rfind(|clause| {
            let last_item = clause.rest_items.1.saturating_sub(1).max(clause.verb_item);
            contains(clause.verb_item, last_item)
        });
        clause.map(|clause| clause.subjects.clone()).unwrap_or_default()
    }
}
