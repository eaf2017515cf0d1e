//! Proposes relations between two entities of one clause from the words around them, if no pattern matched exactly.
//!
//! These proposals have a low confidence and usually wait for the DM's review. Only the trained classifiers can raise
//! their confidence.

use std::ops::Range;

use hearsay_model::attribute;

use crate::{
    entities::mentions::EntityRef,
    language::{
        grammar::{Pattern, PatternPart, WordClass},
        kind_set::KindSet,
        predicate_properties::PredicateProperties,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{
        FactBasis, MentionSpan, RawFact, RawObject, ResolvedEntity, SentenceReader, WeightNames,
        assertion_status::AssertionStatus,
    },
    syntax::clauses::{Clause, SubjectSource},
};

/// Maximum number of relations that are proposed for one clause.
const MAX_RELATIONS_PER_CLAUSE: usize = 2;

/// Maximum number of subjects of a clause that are considered.
const MAX_SUBJECTS: usize = 3;

/// Relation that the words of a clause possibly state.
struct RelationCandidate {
    target: usize,
    is_swapped: bool,
    weight_name: Weight,
    words: String,
    score: usize,
}

impl SentenceReader<'_> {
    /// Proposes relations between the entities of each clause. Pairs for which a fact was already read are skipped.
    pub(crate) fn propose_relations(&mut self, statuses: &[AssertionStatus]) {
        self.propose_deaths();
        self.read_killings_by_unnamed(statuses);
        self.read_found_dead(statuses);
        self.read_verbless_death(statuses);
        if self.clauses.is_empty() {
            let status = self.sentence_status(false);
            if !status.is_unasserted {
                let mentions = self.mentions_in(0, self.chunks.items.len(), &[]);
                if let [a, b, ..] = mentions[..] {
                    self.propose_for_pairs(None, &[a], &[b], &status);
                }
            }
            return;
        }
        for (at, status) in statuses.iter().enumerate() {
            let properties = self.grammar.verb_properties(&self.verb_group(at).lemma);
            let reports_statement = properties.is_speech || properties.is_thought || properties.is_seeming;
            if !status.is_plain_assertion() || reports_statement {
                continue;
            }
            let clause = self.clauses[at].clone();
            let (subjects, others) = self.clause_mentions(&clause);
            self.propose_for_pairs(Some(at), &subjects, &others, status);
        }
    }

    /// Proposes the condition "dead" for each person who was killed according to another fact.
    fn propose_deaths(&mut self) {
        let Some(condition) = self.target(attribute::CONDITION) else { return };
        let is_killing = |fact: &&RawFact| {
            !fact.denied && self.grammar.targets[fact.pattern_target].has(PredicateProperties::IS_FATAL)
        };
        let killings: Vec<RawFact> = self.facts.iter().filter(is_killing).cloned().collect();
        for fact in killings {
            let RawObject::Entity(object) = fact.object else { continue };
            // Example: "Odo died at the hands of Grimjaw"
            let is_subject_dead = self.grammar.targets[fact.pattern_target].is_inverse;
            let victim = if is_subject_dead { fact.subject } else { object };
            let is_known = |other: &RawFact| other.subject == victim && other.target == condition;
            if self.kinds(victim) == KindSet::PERSON && !self.facts.iter().any(is_known) {
                let weight_names = WeightNames { names: vec![Weight::LOOSE, Weight::LOOSE_DEATH] };
                let object = RawObject::Value("dead".to_owned());
                self.facts.push(RawFact {
                    subject: victim,
                    target: condition,
                    pattern_target: condition,
                    object,
                    weight_names,
                    ended: false,
                    stage: self.stage,
                    ..fact
                });
            }
        }
    }

    /// Returns the entities that are subjects of a clause, and the other entities that the clause mentions.
    fn clause_mentions(&mut self, clause: &Clause) -> (Vec<MentionSpan>, Vec<MentionSpan>) {
        let mut subjects = Vec::new();
        for np in clause.subjects.iter().take(MAX_SUBJECTS) {
            subjects.extend(self.mentions_of(*np, &[]));
        }
        let entities: Vec<EntityRef> = subjects.iter().map(|mention| mention.resolved.entity).collect();
        let mut others = self.mentions_in(clause.verb_item + 1, clause.rest_items.end, &entities);
        if clause.start < clause.verb_item && clause.subject_source != SubjectSource::Antecedent {
            let groups_before: Vec<usize> = (clause.start..clause.verb_item)
                .filter_map(|item| self.syntax.noun_group_at(item))
                .filter(|np| !clause.subjects.contains(np))
                .collect();
            for np in groups_before {
                others.extend(self.mentions_of(np, &entities));
            }
        }
        others.retain(|mention| !entities.contains(&mention.resolved.entity));
        if subjects.is_empty() && !others.is_empty() {
            subjects.push(MentionSpan { is_substitute: true, ..others.remove(0) });
        }
        (subjects, others)
    }

    /// Returns all entities that the sentence mentions, each once. A mention of an unnamed relative is not a mention of
    /// the entity itself.
    pub(crate) fn all_mentions(&mut self) -> Vec<MentionSpan> {
        let mut mentions = self.mentions_in(0, self.chunks.items.len(), &[]);
        let mut seen_entities = Vec::new();
        mentions.retain(|mention| {
            let key = (mention.resolved.entity, mention.resolved.is_relative);
            let is_new = !seen_entities.contains(&key);
            seen_entities.push(key);
            is_new
        });
        mentions
    }

    /// Returns the entities that the noun groups in a range of items refer to. If a noun group refers to no entity, its
    /// owner is returned instead.
    fn mentions_in(&mut self, from: usize, to: usize, excluded: &[EntityRef]) -> Vec<MentionSpan> {
        let nps: Vec<usize> =
            (from..to.min(self.chunks.items.len())).filter_map(|item| self.syntax.noun_group_at(item)).collect();
        nps.into_iter().flat_map(|np| self.mentions_of(np, excluded)).collect()
    }

    fn mentions_of(&mut self, np: usize, excluded: &[EntityRef]) -> Vec<MentionSpan> {
        let group = self.chunks.noun_groups[np].clone();
        let mut resolved: Vec<MentionSpan> = self
            .resolve(np, excluded)
            .into_iter()
            .map(|resolved| MentionSpan { resolved, start: group.start, end: group.end, is_substitute: false })
            .collect();
        if resolved.is_empty()
            && let Some(owner) = group.owner
        {
            let refs = self.resolve(owner, &[]);
            let is_relative =
                self.is_unnamed_relative(np) || self.is_unnamed_relation(np) || self.is_relative_as_object(np);
            resolved.extend(refs.into_iter().map(|resolved| MentionSpan {
                resolved: ResolvedEntity { is_relative, ..resolved },
                start: group.start,
                end: group.end,
                is_substitute: true,
            }));
        } else if self.follows_unnamed_relative(np) {
            resolved.iter_mut().for_each(|mention| mention.resolved.is_relative = true);
        }
        resolved.truncate(MAX_SUBJECTS);
        resolved
    }

    /// Returns whether a noun group refers to an unnamed relative, and a clause is about this relative: "his parents
    /// were killed". In "his mother is Ansa", the clause names the relative.
    pub(crate) fn is_unnamed_relative(&self, np: usize) -> bool {
        let group = &self.chunks.noun_groups[np];
        let is_kin = self.grammar.word_class(self.norm(group.head)).has(WordClass::KIN);
        let Some(item) = self.chunk_of(np).filter(|_| is_kin && group.name.is_none()) else { return false };
        // Example: "one of his parents was killed"
        let follows_of = item > 0 && self.syntax.word(item - 1) == "of";
        let is_subject = |clause: &&Clause| {
            clause.subjects.contains(&np) || (follows_of && (clause.start..clause.verb_item).contains(&item))
        };
        (group.owner.is_some() || self.syntax.word(item + 1) == "of")
            && self.clauses.iter().any(|clause| is_subject(&clause))
            && !self.clauses.iter().filter(is_subject).any(|clause| self.names_subject(clause))
    }

    /// Returns whether a noun group refers to an unnamed relative to whom a verb does something: "hates Odo's sisters", "owes
    /// Odo's sisters ten crowns".
    fn is_relative_as_object(&self, np: usize) -> bool {
        let group = self.noun_group(np);
        let is_kin = self.grammar.word_class(self.norm(group.head)).has(WordClass::KIN);
        let is_unnamed = is_kin && group.name.is_none() && !group.owner_is_name;
        is_unnamed && self.chunk_of(np).is_some_and(|item| self.is_object(item))
    }

    /// Returns whether a noun group refers to an unnamed person to whom a noun before "of" relates somebody: "Bram's wife" in
    /// "the brother of Bram's wife".
    fn is_unnamed_relation(&self, np: usize) -> bool {
        let group = self.noun_group(np);
        let is_possessive = group.owner.is_some() && group.name.is_none() && !group.owner_is_name;
        let head = self.singular(self.norm(group.head));
        let is_person = self.grammar.word_class(&head).has(WordClass::KIN)
            || self.grammar.noun_patterns.contains_key(&head)
            || self
                .noun_attributes(&head)
                .iter()
                .any(|(target, _)| self.grammar.targets[*target].predicate == *attribute::OCCUPATION);
        let is_unnamed_person = is_possessive
            && !group.is_owner_only
            && is_person
            && !lists().nouns.descendants.contains(self.norm(group.head));
        let item =
            self.chunk_of(np).filter(|item| is_unnamed_person && *item > 1 && self.syntax.word(*item - 1) == "of");
        let related = item.and_then(|item| self.syntax.noun_group_at(item - 2)).map(|np| self.noun_group(np));
        related.is_some_and(|related| {
            let noun = self.singular(self.norm(related.head));
            related.name.is_none() && self.grammar.noun_patterns.contains_key(&noun)
        })
    }

    /// Returns whether a noun group is the owner of an unnamed relative, as in "the parents of Odo were killed".
    fn follows_unnamed_relative(&self, np: usize) -> bool {
        let Some(item) = self.chunk_of(np).filter(|item| *item > 1 && self.syntax.word(*item - 1) == "of") else {
            return false;
        };
        self.syntax.noun_group_at(item - 2).is_some_and(|relative| self.is_unnamed_relative(relative))
    }

    /// Returns whether a clause says the name of its subject: "is Ansa", "is called Ansa".
    fn names_subject(&self, clause: &Clause) -> bool {
        let vg = &self.chunks.verb_groups[clause.verb_group];
        let Range { start: from, end: to } = clause.rest_items;
        let first_group = (from..to).find(|item| self.syntax.noun_group_at(*item).is_some());
        let is_name = |item: usize| {
            let np = self.syntax.noun_group_at(item);
            np.is_some_and(|np| self.chunks.noun_groups[np].name.is_some())
                && !(from..item).any(|before| self.syntax.is_preposition(before))
        };
        (vg.is_copula || matches!(vg.lemma.as_str(), "call" | "name")) && first_group.is_some_and(is_name)
    }

    fn propose_for_pairs(
        &mut self,
        clause: Option<usize>,
        subjects: &[MentionSpan],
        others: &[MentionSpan],
        status: &AssertionStatus,
    ) {
        let mut remaining = MAX_RELATIONS_PER_CLAUSE;
        for other in others {
            for subject in subjects {
                let (a, b) = (subject.resolved.entity, other.resolved.entity);
                if remaining == 0 || a == b || self.are_related(a, b) {
                    continue;
                }
                let Some(candidate) = self.best_candidate(clause, subject, other) else { continue };
                // In "Odo's horse was killed", Odo is not dead.
                let is_fatal = self.grammar.targets[candidate.target].has(PredicateProperties::IS_FATAL);
                if is_fatal && (subject.is_substitute || other.is_substitute) {
                    continue;
                }
                let fact_count = self.facts.len();
                let (first, second) = if candidate.is_swapped { (other, subject) } else { (subject, other) };
                let span = self.span(subject.start.min(other.start), subject.end.max(other.end).saturating_sub(1));
                let weight_names = [Weight::LOOSE, candidate.weight_name];
                self.record_relation(
                    candidate.target,
                    (&first.resolved, &second.resolved),
                    &candidate.words,
                    FactBasis::new(status, &weight_names),
                    span,
                );
                remaining -= usize::from(self.facts.len() > fact_count);
            }
        }
    }

    /// Returns whether a fact that relates the two entities was already read.
    fn are_related(&self, a: EntityRef, b: EntityRef) -> bool {
        self.facts.iter().any(|fact| fact.relates(a, b))
    }

    /// Returns the relation that the words of a clause most likely state between two mentions.
    fn best_candidate(
        &self,
        clause: Option<usize>,
        subject: &MentionSpan,
        other: &MentionSpan,
    ) -> Option<RelationCandidate> {
        let (from, to) = match clause {
            Some(at) => {
                let clause = &self.clauses[at];
                let first = subject.start.min(other.start).min(self.chunk_start(clause.start));
                let last = self.chunk_end(clause.last_item()).max(subject.end).max(other.end);
                (first, last.min(self.tokens.len()))
            }
            None => (subject.start.min(other.start), subject.end.max(other.end)),
        };
        let mut best: Option<RelationCandidate> = None;
        let mut offer = |candidate: RelationCandidate| {
            if best.as_ref().is_none_or(|best| candidate.score > best.score) {
                best = Some(candidate);
            }
        };
        if let Some(at) = clause {
            self.offer_verb_candidates(at, (from, to), subject, other, &mut offer);
        }
        let is_identified = clause.is_none_or(|at| self.verb_group(at).is_copula);
        for token in from..to {
            if self.is_named(token) {
                continue;
            }
            self.offer_phrase_candidates(token, to, subject, other, &mut offer);
            // In "Odo let my husband die", the husband is a third person, whom the clause does not identify with Odo.
            let is_third_person = |mention: &MentionSpan| {
                mention.is_substitute
                    && (mention.start..mention.end).contains(&token)
                    && mention.start.checked_sub(1).is_none_or(|at| self.norm(at) != "as")
            };
            if is_identified || !(is_third_person(subject) || is_third_person(other)) {
                self.offer_noun_candidates(token, subject, other, &mut offer);
            }
        }
        best.or_else(|| self.default_candidate(clause, subject, other))
    }

    /// Returns whether a pattern swaps subject and object. Returns `None` if the two entities do not have the classes
    /// that the pattern requires.
    fn pattern_swaps(&self, pattern: &Pattern, a: EntityRef, b: EntityRef) -> Option<bool> {
        let target = &self.grammar.targets[pattern.target];
        if !target.predicate.is_relation() || target.denied || pattern.value.is_some() {
            return None;
        }
        let (first, second) = if pattern.is_reversed { (b, a) } else { (a, b) };
        let kinds_fit = self.kinds(first).intersects(target.subject)
            && self.kinds(second).intersects(target.object)
            && self.kinds(b).intersects(pattern.object_kinds);
        kinds_fit.then_some(pattern.is_reversed)
    }

    fn offer_verb_candidates(
        &self,
        at: usize,
        (from, to): (usize, usize),
        subject: &MentionSpan,
        other: &MentionSpan,
        offer: &mut impl FnMut(RelationCandidate),
    ) {
        let vg = self.verb_group(at);
        let (a, b) = if vg.is_passive {
            (other.resolved.entity, subject.resolved.entity)
        } else {
            (subject.resolved.entity, other.resolved.entity)
        };
        for pattern in self.grammar.verb_patterns.get(&vg.lemma).into_iter().flatten() {
            let Some(is_swapped) = self.pattern_swaps(pattern, a, b) else { continue };
            let words: Vec<&str> = fixed_words(pattern);
            let match_count = words.iter().filter(|word| (from..to).any(|token| self.norm(token) == **word)).count();
            if match_count < words.len() || (words.contains(&"not") && !vg.is_negated) {
                continue;
            }
            let score = 2 + 2 * match_count + usize::from(!pattern.is_weak);
            let (target, words) = (pattern.target, pattern.words.clone());
            offer(RelationCandidate {
                target,
                is_swapped: is_swapped != vg.is_passive,
                weight_name: Weight::LOOSE_VERB,
                words,
                score,
            });
        }
    }

    fn offer_phrase_candidates(
        &self,
        token: usize,
        to: usize,
        subject: &MentionSpan,
        other: &MentionSpan,
        offer: &mut impl FnMut(RelationCandidate),
    ) {
        for pattern in self.grammar.phrase_patterns.get(self.norm(token)).into_iter().flatten() {
            let Some(is_swapped) = self.pattern_swaps(pattern, subject.resolved.entity, other.resolved.entity) else {
                continue;
            };
            let mut next = token + 1;
            let words = fixed_words(pattern);
            let all_match = words.iter().all(|word| {
                let at = (next..to.min(next + 4)).find(|at| self.norm(*at) == *word);
                next = at.map_or(next, |at| at + 1);
                at.is_some()
            });
            // The object of the phrase must follow it.
            let is_object_after = other.start >= token && other.start <= next + 2;
            if !all_match || !is_object_after {
                continue;
            }
            let score = 1 + 2 * words.len() + usize::from(!pattern.is_weak);
            let (target, words) = (pattern.target, pattern.words.clone());
            offer(RelationCandidate { target, is_swapped, weight_name: Weight::LOOSE_PHRASE, words, score });
        }
    }

    fn offer_noun_candidates(
        &self,
        token: usize,
        subject: &MentionSpan,
        other: &MentionSpan,
        offer: &mut impl FnMut(RelationCandidate),
    ) {
        let noun = self.singular(self.norm(token));
        for (words, pattern) in self.grammar.noun_patterns.get(&noun).into_iter().flatten() {
            let start = (token + 1).saturating_sub(words.len());
            let all_match = words[..words.len() - 1].iter().zip(start..token).all(|(word, at)| self.norm(at) == word);
            // In "his brother Odo", the noun describes Odo, and "his" is its owner.
            let (first_start, last_end) = (subject.start.min(other.start), subject.end.max(other.end));
            if token + 2 < first_start || token > last_end + 1 {
                continue;
            }
            let contains_token = |mention: &MentionSpan| mention.start <= token && token < mention.end;
            let is_turned = contains_token(subject) && !contains_token(other) && subject.resolved.weight_name.is_some();
            let (a, b) = if is_turned { (other, subject) } else { (subject, other) };
            let Some(is_swapped) =
                self.pattern_swaps(pattern, a.resolved.entity, b.resolved.entity).filter(|_| all_match)
            else {
                continue;
            };
            let score = 1 + 2 * words.len() + usize::from(!pattern.is_weak);
            let words = format!("{noun} of");
            offer(RelationCandidate {
                target: pattern.target,
                is_swapped: is_swapped != is_turned,
                weight_name: Weight::LOOSE_NOUN,
                words,
                score,
            });
        }
    }

    /// Returns whether a mention is the object of a verb, and only receives a thing: Odo in "gives Odo a lamp". These words
    /// state no relation to Odo without the lamp.
    pub(crate) fn is_receiver_of_thing(&self, mention: &MentionSpan) -> bool {
        let end = self.chunks.items.len();
        self.chunk_at(mention.start).is_some_and(|item| self.is_object(item) && self.receives_thing(item, end))
    }

    /// Proposes the general relation, worded with the verb and the preposition of the clause.
    fn default_candidate(
        &self,
        clause: Option<usize>,
        subject: &MentionSpan,
        other: &MentionSpan,
    ) -> Option<RelationCandidate> {
        let at = clause?;
        let vg = self.verb_group(at);
        if vg.is_omitted || self.kinds(subject.resolved.entity) == KindSet::PLACE || self.is_receiver_of_thing(other) {
            return None;
        }
        let preposition = other.start.checked_sub(1).filter(|at| {
            self.grammar.word_class(self.norm(*at)).has(WordClass::PREPOSITION) && *at >= vg.end && !self.is_named(*at)
        });
        // In "found the ledger under Salt Quay", other words stand between verb and preposition.
        let has_gap = preposition.is_some_and(|at| at > vg.end);
        let gap_text = if has_gap { " \u{2026}" } else { "" };
        let preposition_text = preposition.map(|at| format!("{gap_text} {}", self.norm(at))).unwrap_or_default();
        let is_turned = vg.is_passive && preposition.is_some_and(|at| self.norm(at) == "by");
        let words = if is_turned {
            vg.lemma.clone()
        } else {
            format!("{}{preposition_text}", self.source_text(vg.head, vg.end).to_lowercase())
        };
        Some(RelationCandidate {
            target: self.related_target?,
            is_swapped: is_turned,
            weight_name: Weight::LOOSE_RELATED,
            words,
            score: 0,
        })
    }
}

/// Returns the fixed words of a pattern, without the first word.
fn fixed_words(pattern: &Pattern) -> Vec<&str> {
    pattern
        .parts
        .iter()
        .filter_map(|part| if let PatternPart::Word(word) = part { Some(word.as_str()) } else { None })
        .collect()
}
