//! Reads the relations and attributes that a verb in the active voice states, such as "met Odo at the mill" or "valued
//! the blade at sixty cows".

use std::ops::Range;

use hearsay_model::{PredicateRole, Span, attribute};

use crate::{
    entities::mentions::EntityRef,
    language::{
        function_words::is_time_noun,
        grammar::{Pattern, PatternPart, Target, WordClass},
        kind_set::KindSet,
        predicate_properties::PredicateProperties,
        weights::{DoubtFactor, Weight},
        word_lists::lists,
    },
    relations::{copula::ClauseContext, patterns::PatternMatch},
    sentence_reader::{ResolvedEntity, SentenceReader},
    syntax::chunker::VerbForm,
};

/// Returns whether the parts of a pattern state that a thing without a name is given to somebody: "give _ *".
pub(super) fn is_gift(target: &Target, parts: &[PatternPart]) -> bool {
    PredicateRole::Related.is(&target.predicate) && parts == [PatternPart::Object, PatternPart::Any]
}

impl SentenceReader<'_> {
    /// Returns the end of the items that a pattern of the verb can match. In "would do anything to get the ledger", the
    /// pattern continues in the dependent clause.
    fn pattern_end(&self, at: usize, parts: &[PatternPart]) -> usize {
        let continues = parts.contains(&PatternPart::Word("to".into()));
        let next = self
            .clauses
            .get(at + 1)
            .filter(|next| continues && next.parent == Some(at))
            .map(|next| next.rest_items.end);
        next.unwrap_or(self.clauses[at].rest_items.end)
    }

    pub(super) fn match_after_verb(&self, at: usize, parts: &[PatternPart], may_skip: bool) -> Option<PatternMatch> {
        self.match_parts(parts, self.clauses[at].rest_items.start, self.pattern_end(at, parts), may_skip)
    }

    pub(super) fn read_active(
        &mut self,
        context: ClauseContext<'_>,
        pattern: &Pattern,
        parts: &[PatternPart],
        pattern_match: PatternMatch,
    ) {
        let ClauseContext { at, subjects, basis } = context;
        let to = self.pattern_end(at, parts);
        let target = self.grammar.targets[pattern.target].clone();
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let mut weight_names = pattern.with_strength(basis.weight_names);
        weight_names.push(Weight::BY_VERB);
        if pattern_match.skipped_phrase {
            weight_names.push(Weight::FAR_OBJECT);
        }
        let basis = basis.with_weights(&weight_names);
        let context = ClauseContext { basis, ..context };
        if let Some(value) = &pattern.value {
            self.record_state(context, pattern, value, parts, pattern_match);
            return;
        }
        if !target.predicate.is_relation() {
            self.read_values(context, pattern, pattern_match, to);
            return;
        }
        let is_creation = PredicateRole::Creation.is(&target.predicate) && parts == [PatternPart::Object];
        if is_creation && pattern_match.object.is_some_and(|item| self.is_receiver(item, to)) {
            return;
        }
        // "Shows Odo a letter" is no relation to Odo without the letter.
        let is_general = PredicateRole::Related.is(&target.predicate) && parts == [PatternPart::Object];
        if is_general && pattern_match.object.is_some_and(|item| self.receives_thing(item, to)) {
            return;
        }
        let mut objects = self.resolve_objects(&pattern_match, to, &entities, pattern);
        self.drop_given_places(at, pattern, &pattern_match, &mut objects);
        if let Some(second) = pattern_match.second_object {
            let second_match = PatternMatch { object: Some(second), second_object: None, ..pattern_match };
            let second_objects = self.resolve_objects(&second_match, to, &entities, pattern);
            let span = self.clause_span(at, self.chunk_end(second));
            self.relate_objects(context, pattern, &objects, &second_objects, span);
            return;
        }
        let Some(relation) = self.relation_words(at, pattern, &pattern_match) else { return };
        let detail_item = self.detail_item(at, pattern, &pattern_match);
        let detail = detail_item.map(|item| {
            let end = pattern_match.object.filter(|object| item < *object).unwrap_or(to);
            self.detail_tokens(item, end, &target)
        });
        let is_gift = is_gift(&target, parts);
        let given_item = pattern_match.object.filter(|_| is_gift).map(|receiver| receiver + 1);
        let last_item = pattern_match.object.max(given_item);
        let end = last_item.map_or(self.verb_group(at).end, |item| self.chunk_end(item));
        let span = self.clause_span(at, detail.as_ref().map_or(end, |detail| end.max(detail.end)));
        let fact_count = self.facts.len();
        for object in &objects {
            let mut weight_names = weight_names.clone();
            if !pattern.object_kinds.is_any() && self.kinds(object.entity).is_any() {
                weight_names.push(Weight::KIND_OPEN);
            }
            for subject in subjects {
                let (a, b) = if pattern.is_reversed { (object, subject) } else { (subject, object) };
                self.record_relation(pattern.target, (a, b), &relation, basis.with_weights(&weight_names), span);
            }
        }
        if let Some(detail) = detail {
            let detail = self.source_text(detail.start, detail.end);
            self.facts[fact_count..].iter_mut().for_each(|fact| fact.detail.clone_from(&detail));
        }
    }

    /// Records the state in which a verb says that an entity is: "died", "burned down the inn".
    fn record_state(
        &mut self,
        context: ClauseContext<'_>,
        pattern: &Pattern,
        value: &str,
        parts: &[PatternPart],
        pattern_match: PatternMatch,
    ) {
        let ClauseContext { at, subjects, basis } = context;
        let vg = self.verb_group(at);
        // "is dying" does not mean "is dead", so an ongoing action gives no state.
        if vg.is_progressive || vg.form == VerbForm::Ing {
            return;
        }
        let to = self.pattern_end(at, parts);
        // In "burned down the inn", the state belongs to the object (the inn), not to the subject.
        if parts.iter().all(|part| matches!(part, PatternPart::Word(_)))
            && pattern_match.end < to
            && self.syntax.noun_group_at(pattern_match.end).is_some_and(|np| !self.is_time_expression(np))
        {
            let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
            let (list, _) = self.syntax.noun_list(pattern_match.end, to);
            let span = self.clause_span(at, self.chunk_end(pattern_match.end));
            for object in self.resolve_all(&list, &entities) {
                if self.kinds(object.entity).intersects(pattern.object_kinds) && value != "dead" {
                    self.record_value(pattern.target, &object, value.to_owned(), basis, span);
                }
            }
            return;
        }
        let span = self.clause_span(at, self.chunk_start(pattern_match.end).max(vg.end));
        for subject in subjects {
            if self.kinds(subject.entity).intersects(pattern.object_kinds) {
                self.record_value(pattern.target, subject, value.to_owned(), basis, span);
            }
        }
    }

    /// Records the value that follows a verb. After an object, the value belongs to the object: "valued the blade at sixty
    /// cows".
    fn read_values(&mut self, context: ClauseContext<'_>, pattern: &Pattern, pattern_match: PatternMatch, to: usize) {
        let Some(second) = pattern_match.second_object else {
            self.read_value(context, pattern, &pattern_match);
            return;
        };
        let entities: Vec<EntityRef> = context.subjects.iter().map(|subject| subject.entity).collect();
        let object_match = PatternMatch { second_object: None, ..pattern_match };
        let valued_entities = self.resolve_objects(&object_match, to, &entities, pattern);
        let value_match = PatternMatch { object: Some(second), second_object: None, ..pattern_match };
        self.read_value(ClauseContext { subjects: &valued_entities, ..context }, pattern, &value_match);
    }

    /// Drops the places from the objects if the clause says that "it" changes hands, with a verb that does not sell. A
    /// place can be sold, but not given away: in "gives it to Odo", "it" is no place.
    fn drop_given_places(
        &self,
        at: usize,
        pattern: &Pattern,
        pattern_match: &PatternMatch,
        objects: &mut Vec<ResolvedEntity>,
    ) {
        let grammar = self.grammar;
        let is_possession =
            |pattern: &Pattern| PredicateRole::Possession.is(&grammar.targets[pattern.target].predicate);
        let sells = |other: &Pattern| {
            let is_loss = grammar.targets[other.target].ended && is_possession(other);
            is_loss && other.parts == [PatternPart::Object] && other.object_kinds.intersects(KindSet::PLACE)
        };
        let object = pattern_match.object.and_then(|item| self.syntax.noun_group_at(item));
        let is_pronoun = object.is_some_and(|np| self.noun_group(np).is_pronoun);
        let mut patterns = grammar.verb_patterns.get(&self.verb_group(at).lemma).into_iter().flatten();
        let precedes_words = pattern.parts.len() > 1 && pattern.parts[0] == PatternPart::Object;
        if is_pronoun && precedes_words && is_possession(pattern) && !patterns.any(sells) {
            objects.retain(|object| self.kinds(object.entity) != KindSet::PLACE);
        }
    }

    /// Records a relation of which both ends follow the verb, as in "met Odo at the mill" and "sold the mill to Odo".
    fn relate_objects(
        &mut self,
        context: ClauseContext<'_>,
        pattern: &Pattern,
        objects: &[ResolvedEntity],
        second_objects: &[ResolvedEntity],
        span: Span,
    ) {
        // The verb only implies the relation. In "Lyra said that Odo sold the crew to the guild", it may not hold.
        let mut status = context.basis.status.clone();
        if status.is_embedded && status.stated_by.is_some() {
            self.apply_doubt(&mut status, DoubtFactor::QUOTED, None);
        }
        let mut first_objects = objects.to_vec();
        if !objects.is_empty() && !status.denied && self.takes_along(context.at, pattern) {
            let is_person = |subject: &&ResolvedEntity| self.kinds(subject.entity) == KindSet::PERSON;
            first_objects.extend(context.subjects.iter().filter(is_person).copied());
        }
        for first in &first_objects {
            for second in second_objects {
                let (subject, object) = if pattern.is_reversed { (second, first) } else { (first, second) };
                let basis = context.basis.with_status(&status);
                self.record_relation(pattern.target, (subject, object), &pattern.words, basis, span);
            }
        }
    }

    /// Returns whether the subject of a verb comes to the place to which it takes the object: true for "drags Odo to the mill",
    /// false for "sends Odo to the mill". What a speaker tells of an earlier way says little about where the speaker is now.
    fn takes_along(&self, at: usize, pattern: &Pattern) -> bool {
        let is_destination = |part: &PatternPart| match part {
            PatternPart::Word(word) => lists().prepositions.destinations.contains(word),
            PatternPart::Object | PatternPart::Any => false,
        };
        PredicateRole::Location.is(&self.grammar.targets[pattern.target].predicate)
            && pattern.parts.iter().any(is_destination)
            && lists().verbs.escorting.contains(self.verb_group(at).lemma.as_str())
            && !self.speech.is_direct_speech
    }

    /// Returns whether the noun group at an item only receives a thing that the next noun group names: "Odo" in "shows Odo a
    /// letter". In "appoints Odo the captain", the next noun group describes Odo.
    pub(crate) fn receives_thing(&self, item: usize, to: usize) -> bool {
        let grammar = self.grammar;
        let describes = |np: usize| {
            let noun = self.singular(self.norm(self.noun_group(np).head));
            grammar.attribute_nouns.contains_key(&noun)
                || grammar.noun_patterns.contains_key(&noun)
                || grammar.word_class(&noun).has(WordClass::TITLE)
        };
        self.is_receiver(item, to) && !self.syntax.noun_group_at(item + 1).is_some_and(describes)
    }

    /// Returns whether the noun group at an item only receives what the next noun group names: "me" in "wrote me a letter".
    pub(super) fn is_receiver(&self, item: usize, to: usize) -> bool {
        let is_noun = self.syntax.noun_group_at(item).is_some() && item + 1 < to;
        let given = self.syntax.noun_group_at(item + 1).filter(|_| is_noun);
        given.is_some_and(|np| self.noun_group(np).article.is_some() && !self.is_time_expression(np))
    }

    /// Returns the words of a gift, such as "give the key to" in "gives Odo the key", if the thing at an item is a certain
    /// thing that can change hands.
    fn gift_words(&self, at: usize, item: usize) -> Option<String> {
        let np = self.syntax.noun_group_at(item).filter(|_| item < self.clauses[at].rest_items.end)?;
        let group = self.noun_group(np);
        let is_definite = |article: usize| lists().determiners.definite.contains(self.norm(article));
        let is_owned = group.owner.is_some_and(|owner| {
            lists().pronouns.third_person_determiners.contains(self.norm(self.noun_group(owner).head))
        });
        let is_thing = !lists().nouns.not_given.contains(self.norm(group.head)) && !self.is_time_expression(np);
        let part = Some(item + 2).filter(|part| self.syntax.noun_group_at(*part).is_some());
        let last = part.filter(|_| self.syntax.word(item + 1) == "of").unwrap_or(item);
        let thing = self.source_text(group.start, self.chunk_end(last));
        let is_given = (is_owned || group.article.is_some_and(is_definite)) && is_thing && !group.is_pronoun;
        is_given.then(|| format!("{} {thing} to", self.verb_group(at).lemma))
    }

    /// Returns the words of a relation. The words of a general relation include its direct object: "give the key back to"
    /// in "gives the key back to Odo". Returns `None` if this object is a pronoun, because "gives it to Odo" does not say
    /// what is given.
    fn relation_words(&self, at: usize, pattern: &Pattern, pattern_match: &PatternMatch) -> Option<String> {
        if is_gift(&self.grammar.targets[pattern.target], &pattern.parts) {
            return self.gift_words(at, pattern_match.object? + 1);
        }
        let is_general = PredicateRole::Related.is(&self.grammar.targets[pattern.target].predicate);
        let has_direct_object = !pattern.is_reversed && pattern.parts.first() == Some(&PatternPart::Any);
        let Some(object) = pattern_match.object.filter(|_| is_general && has_direct_object) else {
            return Some(pattern.words.clone());
        };
        let first = self.syntax.noun_group_at(self.clauses[at].rest_items.start);
        let is_vague = first.is_some_and(|np| self.noun_group(np).is_pronoun);
        let (vg, end) = (self.verb_group(at), self.chunk_start(object));
        (!is_vague && vg.end < end).then(|| format!("{} {}", vg.lemma, self.source_text(vg.end, end)))
    }

    /// Returns the item of the second object of a debt or promise: "ten crowns" in "owes Odo ten crowns", "owes ten crowns
    /// to Odo" and "promises Odo ten crowns".
    fn detail_item(&self, at: usize, pattern: &Pattern, pattern_match: &PatternMatch) -> Option<usize> {
        let grammar = self.grammar;
        let target = &grammar.targets[pattern.target];
        let is_promise = target.has(PredicateProperties::PROMISE);
        // In "gives Odo his word", the second object is a word of the pattern.
        let names_promise = pattern.parts.iter().any(|part| matches!(part, PatternPart::Word(word) if word != "to"));
        let has_detail = target.has(PredicateProperties::HAS_TWO_OBJECTS) && !(is_promise && names_promise);
        let object = pattern_match.object.filter(|_| has_detail)?;
        // "Swears an oath to Odo" does not say what is promised.
        let is_promise_noun = |noun: &str| {
            let mut patterns = grammar.relational_noun_patterns(noun).iter();
            patterns.any(|pattern| grammar.targets[pattern.target].has(PredicateProperties::PROMISE))
        };
        let Range { start: from, end: to } = self.clauses[at].rest_items;
        let is_detail = |item: &usize| {
            self.syntax.noun_group_at(*item).filter(|_| *item != object && *item < to).is_some_and(|np| {
                let group = self.noun_group(np);
                let is_nothing = matches!(self.norm(group.head), "nothing" | "none")
                    || group.article.is_some_and(|at| self.norm(at) == "no");
                let is_named = group.name.is_some() || group.owner.is_some() || group.is_pronoun;
                let is_promised = !is_promise || !is_promise_noun(self.norm(group.head));
                !is_named && !is_nothing && is_promised && !self.is_time_expression(np)
            })
        };
        let before = Some(from).filter(|_| pattern.parts.first() == Some(&PatternPart::Any));
        Some(object + 1).into_iter().chain(before).find(is_detail)
    }

    /// Returns the tokens of the second object at an item. What is promised includes the phrases after the noun: "a seat in
    /// the front row".
    fn detail_tokens(&self, item: usize, to: usize, target: &Target) -> Range<usize> {
        let (start, end) = (self.chunk_start(item), self.chunk_end(item));
        let long_end = self.value_end(item, to);
        let is_participant = |token: usize| lists().statements.first_and_second_person.contains(self.norm(token));
        let is_plain = target.has(PredicateProperties::PROMISE) && !(start..long_end).any(is_participant);
        start..if is_plain { long_end } else { end }
    }

    /// Returns whether a noun group is an expression of time, as in "died last winter" or "two days ago".
    fn is_time_expression(&self, np: usize) -> bool {
        let group = &self.chunks.noun_groups[np];
        group.name.is_none() && is_time_noun(self.norm(group.head))
    }

    /// Records the value that follows a verb. Returns whether a fact was added.
    fn read_value(&mut self, context: ClauseContext<'_>, pattern: &Pattern, pattern_match: &PatternMatch) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let clause = self.clause(at);
        let Some(item) = pattern_match.object else { return false };
        let name = self.grammar.targets[pattern.target].predicate.as_str();
        let article = self.syntax.noun_group_at(item).and_then(|np| self.chunks.noun_groups[np].article);
        if article.is_some_and(|at| self.norm(at) == "no") {
            return false;
        }
        // Example: "wears a veil and a dead man's watch"
        let (listed_items, _) = self.syntax.noun_list(item, clause.rest_items.end);
        if name == attribute::APPEARANCE && listed_items.len() > 1 && pattern_match.second_object.is_none() {
            let fact_count = self.facts.len();
            for np in listed_items {
                let Some(item) = self.chunk_of(np) else { continue };
                let (from, to) = (self.chunk_content_start(item), self.value_end(item, clause.rest_items.end));
                let (value, span) = (self.source_text(from, to), self.clause_span(at, to));
                for subject in subjects {
                    self.record_value(pattern.target, subject, value.clone(), basis, span);
                }
            }
            return self.facts.len() > fact_count;
        }
        let from = self.chunk_content_start(item);
        let to = self.value_end(item, clause.rest_items.end);
        let value = self.source_text(from, to);
        let span = self.clause_span(at, to);
        let named_entity = self
            .syntax
            .noun_group_at(item)
            .and_then(|np| self.chunks.noun_groups[np].name)
            .map(|name| self.names[name].entity);
        if name == attribute::ALIAS && matches!(named_entity, Some(EntityRef::Known(_))) {
            return false;
        }
        if name == attribute::OCCUPATION && named_entity.is_some() {
            return false;
        }
        if name == attribute::AGE && !(from..to).any(|token| self.is_number(self.norm(token))) {
            return false;
        }
        let mut has_facts = false;
        for subject in subjects {
            let fact_count = self.facts.len();
            self.record_value(pattern.target, subject, value.clone(), basis, span);
            has_facts |= self.facts.len() > fact_count;
        }
        has_facts
    }
}
