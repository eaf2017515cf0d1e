//! Extracts facts from verbs and their objects, such as "fought in the siege beside Odo".

mod active_voice;
mod attributes;
mod ellipsis;
mod passive_voice;
mod promises;
mod reciprocity;
mod unnamed_killers;

use hearsay_model::PredicateRole;

use crate::{
    entities::mentions::EntityRef,
    language::{
        grammar::PatternPart, predicate_properties::PredicateProperties, triggers::Trigger, weights::Weight,
        word_lists::lists,
    },
    relations::copula::ClauseContext,
    sentence_reader::SentenceReader,
    syntax::clauses::ClauseType,
};

impl SentenceReader<'_> {
    /// Records the facts that a verb and its objects state: usually at most one relation and one attribute. Returns
    /// whether the verb was read.
    pub(crate) fn read_verb(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let vg = self.verb_group(at);
        let grammar = self.grammar;
        let patterns = grammar.verb_patterns.get(&vg.lemma).map_or(&[][..], Vec::as_slice);
        if self.read_reciprocal_verb(context, patterns) || self.read_naming(context) || self.read_knowledge(context) {
            return true;
        }
        // In "reports to the inspector that …", the verb introduces reported speech, so most patterns do not apply.
        let reports_speech = grammar.verb_properties(&vg.lemma).is_speech
            && self
                .clauses
                .iter()
                .any(|other| other.parent == Some(at) && *other.clause_type() == ClauseType::Complement);
        let mut has_relation = false;
        let mut has_attribute = self.read_broken_neck(at, subjects, basis) || self.read_lost_or_worn_part(context);
        // The words directly after the verb are tried first. Later words may state another relation: "fought in the
        // siege beside Odo".
        let mut used_items: Vec<usize> = Vec::new();
        let attempts =
            [false, true].into_iter().flat_map(|may_skip| patterns.iter().map(move |pattern| (may_skip, pattern)));
        for (may_skip, pattern) in attempts {
            let target = &grammar.targets[pattern.target];
            let is_relation = target.predicate.is_relation();
            let is_preposition_phrase = matches!(&pattern.parts[..], [PatternPart::Word(_), PatternPart::Object]);
            let may_add_relation =
                is_relation && !vg.is_passive && may_skip && is_preposition_phrase && !pattern.is_weak;
            // In "bought the boat off him", the direct object (the boat) may give a second relation.
            let is_direct_object = !may_skip && pattern.parts == [PatternPart::Object];
            let may_add_relation =
                may_add_relation || (is_relation && !vg.is_passive && !pattern.is_weak && is_direct_object);
            let is_done = if is_relation { has_relation && !may_add_relation } else { has_attribute };
            let is_blocked_by_would =
                basis.status.has_would && !target.has(PredicateProperties::IS_ASSERTED_WITH_WOULD);
            if is_done
                || is_blocked_by_would
                || (reports_speech && !(target.has(PredicateProperties::PROMISE) && self.is_about_future(at)))
            {
                continue;
            }
            let needs_negation = pattern.parts.first() == Some(&PatternPart::Word("not".into()));
            if (needs_negation && !vg.is_negated) || (basis.status.has_can && !pattern.words.starts_with("can not")) {
                continue;
            }
            let parts = if needs_negation { &pattern.parts[1..] } else { &pattern.parts[..] };
            let fact_count = self.facts.len();
            if vg.is_passive {
                if may_skip {
                    continue;
                }
                self.read_passive(context, pattern, parts);
            } else {
                let mut status = basis.status.clone();
                status.denied &= !needs_negation;
                if let Some(pattern_match) = self
                    .match_after_verb(at, parts, may_skip)
                    .filter(|pattern_match| !pattern_match.object.is_some_and(|at| used_items.contains(&at)))
                {
                    let context = ClauseContext { basis: basis.with_status(&status), ..context };
                    self.read_active(context, pattern, parts, pattern_match);
                    if self.facts.len() > fact_count {
                        used_items.extend(pattern_match.object);
                        used_items.extend(pattern_match.second_object);
                    }
                }
            }
            if self.facts.len() > fact_count {
                has_relation |= is_relation;
                has_attribute |= !is_relation;
            }
        }
        if has_relation {
            self.read_role_after_as(context);
        }
        has_relation
            || has_attribute
            || self.read_promise_to_hearer(context)
            || self.read_fronted_object(context, patterns)
    }

    /// Records awareness from "knows where the ledger is" or "knows what happened to Odo".
    fn read_knowledge(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let lemma = self.verb_group(at).lemma.clone();
        let is_knowing = self.grammar.triggers.contains(Trigger::Knowing, &lemma);
        let Some(target) = self.role_target(PredicateRole::Awareness).filter(|_| is_knowing) else { return false };
        let is_question_word = |word: &str| lists().questions.known.contains(word);
        let Some(question_clause) = self
            .clauses
            .get(at + 1)
            .filter(|question_clause| is_question_word(self.syntax.word(question_clause.start)))
            .cloned()
        else {
            return false;
        };
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let objects = self.resolve_all(&question_clause.subjects, &entities);
        let span = self.clause_span(at, self.chunk_end(question_clause.last_item()));
        let fact_count = self.facts.len();
        let weight_names = [basis.weight_names, &[Weight::BY_ASKING]].concat();
        for object in &objects {
            for subject in subjects {
                self.record_relation(target, (subject, object), &lemma, basis.with_weights(&weight_names), span);
            }
        }
        self.facts.len() > fact_count
    }

    pub(crate) fn read_unmatched_verb(&mut self, context: ClauseContext<'_>) {
        let ClauseContext { at, subjects, basis } = context;
        let Some(related) = self.related_target else { return };
        let vg = self.verb_group(at);
        let clause = self.clause(at);
        let properties = self.grammar.verb_properties(&vg.lemma);
        if properties.is_speech
            || properties.is_thought
            || properties.is_seeming
            || properties.is_copula
            || vg.lemma == "be"
            || properties.is_irrealis
            || basis.status.denied
        {
            return;
        }
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let first = clause.rest_items.start;
        if self.is_receiver(first, clause.rest_items.end) {
            return;
        }
        let (item, words) = if self.syntax.noun_group_at(first).is_some() {
            (first, vg.lemma.clone())
        } else if self.syntax.is_preposition(first) && self.syntax.noun_group_at(first + 1).is_some() {
            (first + 1, format!("{} {}", vg.lemma, self.syntax.word(first)))
        } else {
            return;
        };
        let (list, _) = self.syntax.noun_list(item, clause.rest_items.end);
        let mut objects = self.resolve_all(&list, &entities);
        let mut words = words;
        let mut weight_names = [basis.weight_names, &[Weight::FALLBACK]].concat();
        if objects.is_empty()
            && let [np] = list[..]
        {
            // In "tends the shrine of Mother Brine", the relation includes the words up to "of".
            objects = self.owners(np, Some(item), &["of"]);
            words = format!("{words} the {} of", self.norm(self.chunks.noun_groups[np].head));
            if !self.grammar.verb_patterns.get(&vg.lemma).is_none_or(Vec::is_empty) {
                weight_names.retain(|name| *name != Weight::FALLBACK);
                weight_names.push(Weight::WEAK);
            }
        }
        let span = self.clause_span(at, self.chunk_end(item));
        for subject in subjects {
            for object in &objects {
                self.record_relation(related, (subject, object), &words, basis.with_weights(&weight_names), span);
            }
        }
    }
}
