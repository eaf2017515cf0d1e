//! Reads relations that are stated by a noun between two entities: "Odo's debt to Bram", "a feud between the houses",
//! "bears a grudge against him". Such a noun is called a relational noun.

use std::ops::Range;

use hearsay_model::PredicateRole;

use crate::{
    language::{
        grammar::{Pattern, WordClass},
        predicate_properties::PredicateProperties,
        triggers::Trigger,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{FactBasis, RawFact, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus},
    syntax::clauses::Clause,
};

impl SentenceReader<'_> {
    /// Records the relations that nouns state between two entities.
    pub(crate) fn read_relational_nouns(&mut self, statuses: &[AssertionStatus]) {
        for item in 0..self.chunks.items.len() {
            let Some(np) = self.syntax.noun_group_at(item) else { continue };
            let group = &self.chunks.noun_groups[np];
            let is_negated = group.article.is_some_and(|at| lists().determiners.negative.contains(self.norm(at)));
            if group.name.is_some() || group.is_pronoun || group.is_owner_only || is_negated {
                continue;
            }
            let entries = self.grammar.relational_noun_patterns(self.norm(group.head));
            if entries.is_empty() {
                continue;
            }
            let at = self.clause_containing(np, item);
            let mut status = match at.and_then(|at| statuses.get(at)) {
                Some(status) => status.clone(),
                None => self.sentence_status(false),
            };
            if !status.is_plain_assertion() {
                continue;
            }
            status.ended |= at.is_some_and(|at| self.has_ending_word(at));
            for pattern in entries {
                if self.read_relational_noun(np, item, at, pattern, &status) {
                    break;
                }
            }
        }
    }

    /// Returns the clause of a noun group. The result is the clause that has the group as its subject, or otherwise the
    /// last clause that begins, or has its verb, before the group.
    fn clause_containing(&self, np: usize, item: usize) -> Option<usize> {
        let is_subject = |clause: &Clause| clause.subjects.contains(&np);
        let is_before = |clause: &Clause| clause.verb_item < item || clause.start <= item;
        self.clauses.iter().position(is_subject).or_else(|| self.clauses.iter().rposition(is_before))
    }

    /// Returns whether a clause says that a relation has ended.
    fn has_ending_word(&self, at: usize) -> bool {
        let vg = self.verb_group(at);
        let Range { start: from, end: to } = self.clauses[at].rest_items;
        let is_ending_word = |word: &str| self.grammar.triggers.contains(Trigger::Ending, word);
        is_ending_word(&vg.lemma)
            || (vg.is_copula && (from..to).any(|item| is_ending_word(self.norm(self.chunk_start(item)))))
    }

    fn read_relational_noun(
        &mut self,
        np: usize,
        item: usize,
        at: Option<usize>,
        pattern: &Pattern,
        status: &AssertionStatus,
    ) -> bool {
        let group = self.chunks.noun_groups[np].clone();
        let words = pattern.words.as_str();
        let preposition = words.split_whitespace().next_back().unwrap_or_default().to_owned();
        let noun = self.norm(group.head).to_owned();
        let mut sides = None;
        if preposition == "between" {
            // Example: "Between them stands a pact."
            let first = if self.syntax.word(0) == "between" { 1 } else { item + 2 };
            if self.syntax.word(first - 1) == "between" {
                let (list, end) = self.syntax.noun_list(first, self.chunks.items.len());
                let related_entities = self.resolve_all(&list, &[]);
                if let [a, b] = related_entities[..] {
                    sides = Some((vec![a], vec![b], end));
                }
            }
        } else if let Some(first) = self.related_chunk(item, at, &preposition) {
            let (list, end) = self.read_related_list(first, &preposition);
            let subjects = self.resolve_owner_side(np, item, at);
            let entities: Vec<_> = subjects.iter().map(|subject| subject.entity).collect();
            let mut objects = self.resolve_all(&list, &entities);
            if objects.is_empty() && self.grammar.targets[pattern.target].has(PredicateProperties::APPLIES_TO_WHOLES) {
                // Example: "a cottage at the edge of Fenwick"
                objects = list.first().map(|np| self.owners(*np, Some(first), &["of"])).unwrap_or_default();
            }
            sides = Some((subjects, objects, end));
        }
        let Some((subjects, objects, end)) = sides else { return false };
        let last = self.chunk_end(end.saturating_sub(1)).min(self.tokens.len());
        let span = self.span(group.start, last.saturating_sub(1).max(group.head));
        let weight_names = pattern.with_strength(&[Weight::BY_TIE]);
        let basis = FactBasis::new(status, &weight_names);
        let relation = format!("{noun} {preposition}");
        let fact_count = self.facts.len();
        for subject in &subjects {
            for object in objects
                .iter()
                .filter(|object| self.kinds(object.entity).intersects(pattern.object_kinds))
                .collect::<Vec<_>>()
            {
                let is_read =
                    self.is_recorded(pattern.target, subject, object) || self.belongs_to_verb(&noun, subject, object);
                if !is_read {
                    self.record_relation(pattern.target, (subject, object), &relation, basis, span);
                }
            }
        }
        self.facts.len() > fact_count
    }

    /// Reads the noun groups that a relational noun relates to its owner: "debts to Odo, to Bram and to the guild".
    /// Returns the noun groups and the item after them.
    fn read_related_list(&self, first: usize, preposition: &str) -> (Vec<usize>, usize) {
        let (mut list, mut end) = self.syntax.noun_list(first, self.chunks.items.len());
        loop {
            let joint_count = (end..end + 2).take_while(|item| matches!(self.syntax.word(*item), "," | "and")).count();
            let next = end + joint_count;
            if joint_count == 0 || self.syntax.word(next) != preposition {
                return (list, end);
            }
            let (more_groups, next_end) = self.syntax.noun_list(next + 1, self.chunks.items.len());
            if more_groups.is_empty() {
                return (list, end);
            }
            list.extend(more_groups);
            end = next_end;
        }
    }

    /// Returns the item of the noun group that a relational noun relates to its owner. The item follows the preposition
    /// of the noun, or a verb such as "stand" with the preposition.
    fn related_chunk(&self, item: usize, at: Option<usize>, preposition: &str) -> Option<usize> {
        let object_item = |item: usize| {
            (self.syntax.word(item) == preposition && self.syntax.noun_group_at(item + 1).is_some()).then_some(item + 1)
        };
        if let Some(first) = object_item(item + 1) {
            return Some(first);
        }
        // Example: "a debt of ninety crowns to Odo"
        if self.syntax.word(item + 1) == "of"
            && let Some(between_group) = self.syntax.noun_group_at(item + 2)
            && self.chunks.noun_groups[between_group].name.is_none()
        {
            return object_item(item + 3);
        }
        let clause = &self.clauses[at?];
        let is_location_verb =
            lists().verbs.locations.contains(self.verb_group(at?).lemma.as_str()) && clause.verb_item == item + 1;
        if !is_location_verb || !lists().prepositions.locations.contains(preposition) {
            return None;
        }
        object_item(item + 2)
    }

    /// Returns the owners of a relational noun: its possessor, or the subject of a verb such as "has", "bears" or
    /// "feels".
    fn resolve_owner_side(&mut self, np: usize, item: usize, at: Option<usize>) -> Vec<ResolvedEntity> {
        if let Some(owner) = self.chunks.noun_groups[np].owner {
            return self.resolve(owner, &[]);
        }
        let Some(at) = at else { return Vec::new() };
        let clause = self.clauses[at].clone();
        let vg = self.verb_group(at);
        let is_light_verb = self.grammar.word_class(&vg.lemma).has(WordClass::LIGHT_VERB) && !vg.is_passive;
        // The noun can follow other words after the verb: "has nothing but contempt for".
        let is_near_verb = item > clause.verb_item && item < clause.rest_items.end.max(clause.verb_item + 4);
        if is_light_verb && is_near_verb { self.resolve_all(&clause.subjects, &[]) } else { Vec::new() }
    }

    /// Returns whether this relation between the two entities was already recorded.
    fn is_recorded(&self, target: usize, subject: &ResolvedEntity, object: &ResolvedEntity) -> bool {
        let targets = &self.grammar.targets;
        let is_same_relation = |fact: &RawFact| {
            targets[fact.target].predicate == targets[targets[target].label].predicate
                && fact.relates(subject.entity, object.entity)
                && (targets[target].is_symmetric || fact.subject == subject.entity)
        };
        self.facts.iter().any(is_same_relation)
    }

    /// Returns whether a relational noun belongs to the words of a verb that already relates the two entities: in "keeps her
    /// promise to Odo", the noun states no new promise.
    fn belongs_to_verb(&self, noun: &str, subject: &ResolvedEntity, object: &ResolvedEntity) -> bool {
        let is_noun = |word: &str| word == noun || noun.strip_suffix('s') == Some(word);
        let has_noun = |fact: &RawFact| {
            let predicate = &self.grammar.targets[fact.pattern_target].predicate;
            fact.weight_names.names.contains(&Weight::BY_VERB)
                && !PredicateRole::Related.is(predicate)
                && fact.relates(subject.entity, object.entity)
                && fact.relation.split_whitespace().any(is_noun)
        };
        self.facts.iter().any(has_noun)
    }
}
