//! Records the facts that were read. First checks their subjects, objects and values, and determines the names of their
//! weights.

use hearsay_model::{Kind, Predicate, PredicateRole, Span, attribute};

use super::{
    ResolvedEntity, SentenceReader,
    raw_fact::{FactBasis, RawFact, RawObject, WeightNames},
};
use crate::{
    entities::mentions::EntityRef,
    language::{
        function_words::{is_be_form, is_pronoun},
        grammar::{Pattern, Target, WordClass},
        kind_set::KindSet,
        predicate_properties::PredicateProperties,
        weights::{DoubtFactor, Weight},
        word_lists::lists,
    },
    sentence_reader::assertion_status::AssertionStatus,
    syntax::chunker::VerbForm,
};

/// Maximum number of characters of a value. A longer value is a misread clause.
const MAX_VALUE_CHARS: usize = 160;

/// Names of the weights for relations that are stated in many ways or easily confused with others.
const ROLE_WEIGHT_NAMES: [(PredicateRole, Weight); 3] = [
    (PredicateRole::Location, Weight::OF_PLACE),
    (PredicateRole::Possession, Weight::OF_GOODS),
    (PredicateRole::Related, Weight::OF_TIES),
];

/// Returns the name of the weight for predicates that are stated in many ways or easily confused with others.
fn predicate_weight_name(predicate: &Predicate) -> Option<Weight> {
    if let Some((_, weight_name)) = ROLE_WEIGHT_NAMES.iter().find(|(role, _)| role.is(predicate)) {
        return Some(*weight_name);
    }
    Some(match predicate.as_str() {
        attribute::CONDITION => Weight::OF_STATE,
        attribute::EMOTIONAL_STATE => Weight::OF_MOOD,
        attribute::PERSONALITY => Weight::OF_CHARACTER,
        attribute::APPEARANCE => Weight::OF_LOOKS,
        attribute::OCCUPATION => Weight::OF_TRADE,
        _ => return None,
    })
}

/// Returns whether a character is white space or punctuation that is removed from the ends of a value.
fn is_trimmed_char(c: char) -> bool {
    c.is_whitespace() || ",;:.\"\u{201C}\u{201D}\u{2014}\u{2013}".contains(c)
}

/// A fact whose subject and object fit its target.
struct FittingFact<'s> {
    target: usize,
    subject: EntityRef,
    object: RawObject,
    /// Words that state the relation; empty for a value.
    relation: &'s str,
    weight_names: Vec<Weight>,
    span: Span,
}

impl SentenceReader<'_> {
    /// Records a relation between two entities (subject and object), if both have the classes that the target requires.
    /// `relation` contains the words that state the relation.
    pub(crate) fn record_relation(
        &mut self,
        target: usize,
        (subject, object): (&ResolvedEntity, &ResolvedEntity),
        relation: &str,
        basis: FactBasis<'_>,
        span: Span,
    ) {
        // A fact about "his parents" is no fact about him.
        if basis.status.is_unasserted || subject.is_relative || object.is_relative {
            return;
        }
        let grammar = self.grammar;
        let fits = self.narrow_kinds(subject.entity, grammar.targets[target].subject)
            && object.entity != subject.entity
            && self.narrow_kinds(object.entity, grammar.targets[target].object);
        if !fits {
            return;
        }
        let weight_names =
            basis.weight_names.iter().copied().chain(subject.weight_names()).chain(object.weight_names()).collect();
        let (subject, object) = (subject.entity, RawObject::Entity(object.entity));
        self.push_fact(FittingFact { target, subject, object, relation, weight_names, span }, basis.status);
    }

    /// Records the relation that the words of a pattern state between each subject and each object of a kind that fits the
    /// pattern.
    pub(crate) fn record_pattern(
        &mut self,
        pattern: &Pattern,
        (subjects, objects): (&[ResolvedEntity], &[ResolvedEntity]),
        basis: FactBasis<'_>,
        span: Span,
    ) {
        let kind_fits = |object: &&ResolvedEntity| self.kinds(object.entity).intersects(pattern.object_kinds);
        for object in objects.iter().filter(kind_fits).collect::<Vec<_>>() {
            for subject in subjects {
                let (a, b) = if pattern.is_reversed { (object, subject) } else { (subject, object) };
                self.record_relation(pattern.target, (a, b), &pattern.words, basis, span);
            }
        }
    }

    /// Records a value of an attribute, if the subject has the class that the target requires, and the target can have
    /// the value.
    pub(crate) fn record_value(
        &mut self,
        target: usize,
        subject: &ResolvedEntity,
        value: String,
        basis: FactBasis<'_>,
        span: Span,
    ) {
        let FactBasis { status, weight_names } = basis;
        if status.is_unasserted || subject.is_relative {
            return;
        }
        let value = self.without_place_of_death(target, value);
        let object_of_agent =
            if self.means_death(target, &value) { self.object_of_dead_agent(subject, span) } else { None };
        let subject = object_of_agent.as_ref().unwrap_or(subject);
        let grammar = self.grammar;
        if !self.narrow_kinds(subject.entity, grammar.targets[target].subject) {
            return;
        }
        let value = self.checked_value(&grammar.targets[target], subject.entity, &value, weight_names, span);
        let Some(value) = value else { return };
        if weight_names.contains(&Weight::LOOSE) && self.is_death_of_other(target, subject.entity, &value, span) {
            return;
        }
        let weight_names = weight_names.iter().copied().chain(subject.weight_names()).collect();
        let (subject, object) = (subject.entity, RawObject::Value(value));
        self.push_fact(FittingFact { target, subject, object, relation: "", weight_names, span }, status);
    }

    /// Adds a fact with its remaining weights and its assertion status.
    fn push_fact(&mut self, fact: FittingFact<'_>, status: &AssertionStatus) {
        let FittingFact { target, subject, object, relation, weight_names: names, span } = fact;
        let grammar = self.grammar;
        let target_info = &grammar.targets[target];
        let mut weight_names = WeightNames { names };
        let is_candidate = weight_names.is_candidate();
        // Example: "an ex-constable"
        let is_former = matches!(&object, RawObject::Value(value) if value.to_lowercase().starts_with("ex-"));
        let difficulties = [
            (Weight::NESTED, status.is_embedded),
            (Weight::LONG, self.tokens.len() > 40),
            (Weight::MANY_CLAUSES, self.clauses.len() > 3),
            (Weight::SPOKEN, self.speech.is_direct_speech),
        ];
        weight_names.names.extend(difficulties.into_iter().filter(|(_, applies)| *applies).map(|(name, _)| name));
        let is_permanent_fact = grammar.is_permanent(target, relation);
        let can_end = target_info.has(PredicateProperties::ENDS);
        let behavior = self.vocabulary.behavior(&target_info.predicate);
        let is_feeling = behavior.attitude.is_some() && behavior.object_attitude.is_none();
        let mut status = status.clone();
        if is_feeling && status.is_past_speech {
            self.apply_doubt(&mut status, DoubtFactor::HEDGE, None);
        }
        weight_names.names.extend(predicate_weight_name(&grammar.targets[target_info.label].predicate));
        if !is_candidate {
            weight_names.names.extend(&self.difficulty_weight_names);
        }
        self.facts.push(RawFact {
            subject,
            target: target_info.label,
            pattern_target: target,
            object,
            relation: relation.to_owned(),
            detail: String::new(),
            weight_names,
            span,
            stated_by: status.stated_by,
            told_to: status.told_to,
            denied: status.denied != target_info.denied,
            ended: ((status.ended || (status.is_past_state && can_end)) && !is_permanent_fact)
                || target_info.ended
                || is_former,
            confidence_factor: status.confidence_factor,
            cues: status.cues,
            stage: self.stage,
        });
    }

    /// Returns a value without incomplete ends, or `None` if the target cannot have this value.
    fn checked_value(
        &self,
        target: &Target,
        subject: EntityRef,
        value: &str,
        weight_names: &[Weight],
        span: Span,
    ) -> Option<String> {
        let value = self.trim_value(value);
        let is_pronoun_value = is_pronoun(&value.to_lowercase());
        if is_pronoun_value || value.is_empty() || value.chars().count() > MAX_VALUE_CHARS {
            return None;
        }
        let fits = match target.predicate.as_str() {
            attribute::AGE => {
                let is_partial_number = lists().numbers.partial.contains(value.as_str());
                !is_partial_number && self.is_plausible_age(&value, weight_names, span)
            }
            attribute::ALIAS => {
                let name = match subject {
                    EntityRef::Known(entity) => self.lexicon.entities[entity as usize].name.as_str(),
                    EntityRef::New(index) => {
                        self.new_names.entities.get(index).map_or("", |entity| entity.name.as_str())
                    }
                };
                !value.starts_with(name)
            }
            // The title in "Captain Odo" says nothing new about Captain Odo.
            attribute::OCCUPATION => !weight_names.contains(&Weight::LOOSE) || !self.is_part_of_name(subject, &value),
            attribute::POPULATION => value.split_whitespace().any(|word| self.is_number(&word.to_lowercase())),
            // "Burned by Lyra" and "beaten out of a ploughshare" describe an act and not a condition.
            attribute::CONDITION => !Self::is_bare_part(&value) && !self.names_agent(span),
            attribute::APPEARANCE => !Self::is_bare_part(&value) && !self.is_other_possession(target, &value),
            attribute::PERSONALITY => !self.is_momentary_manner(&value),
            // "Talks with two clerks" says with whom, and not how. "Talks like a clerk" says how.
            attribute::SPEAKING_STYLE => !self.is_person(&value) || self.contains_comparison(span),
            attribute::DATE => self.has_time_expression(&value),
            _ => true,
        };
        fits.then_some(value)
    }

    /// Returns whether a value is an adjective that says how somebody acts at the moment: "Cold, Odo turns away". In "Odo is
    /// cold", it describes Odo.
    fn is_momentary_manner(&self, value: &str) -> bool {
        let mut finite = self.chunks.verb_groups.iter().filter(|vg| vg.form == VerbForm::Finite && !vg.is_omitted);
        let acts = finite.next().is_some_and(|first| !first.is_copula && finite.all(|vg| !vg.is_copula));
        acts && lists().adjectives.manners.contains(&value.to_lowercase())
    }

    /// Returns whether the words of a value name a person by an occupation, family relation or the like: "two clerks", "an old
    /// soldier of the Duke".
    fn is_person(&self, value: &str) -> bool {
        let words = hearsay_model::text::words(value);
        let is_preposition = |word: &&String| self.grammar.word_class(word).has(WordClass::PREPOSITION);
        let Some(head) = words.iter().take_while(|word| !is_preposition(word)).last() else { return false };
        let is_occupation =
            |(target, _): &(usize, bool)| self.grammar.targets[*target].predicate == *attribute::OCCUPATION;
        let noun = self.singular(head);
        self.grammar.word_class(&noun).has(WordClass::KIN.or(WordClass::LIGHT_NOUN))
            || self.grammar.attribute_nouns.get(&noun).is_some_and(|entries| entries.iter().any(is_occupation))
    }

    /// Returns whether words contain a word such as "like".
    fn contains_comparison(&self, span: Span) -> bool {
        let mut words = self.tokens.iter().filter(|token| span.start <= token.start && token.end <= span.end);
        words.any(|token| lists().prepositions.comparisons.contains(&token.norm))
    }

    /// Returns whether a value is a part of the body alone, as in "nose" and "nose is". Such a value describes nobody.
    fn is_bare_part(value: &str) -> bool {
        let words = hearsay_model::text::words(value);
        let mut described = words.iter().rev().skip_while(|word| is_be_form(word));
        let last = described.next();
        described.next().is_none() && last.is_none_or(|noun| lists().nouns.body_parts.contains(noun.as_str()))
    }

    /// Returns whether a value is a possession that belongs only to attributes other than the target: a purse is no
    /// appearance.
    fn is_other_possession(&self, target: &Target, value: &str) -> bool {
        let noun = value.to_lowercase();
        let fits = |(index, _): &(usize, bool)| self.grammar.targets[*index].predicate == target.predicate;
        let entries = self.grammar.possession_nouns.get(&noun);
        entries.is_some_and(|entries| !entries.iter().any(fits))
            && !self.grammar.attribute_adjectives.contains_key(&noun)
    }

    /// Returns whether a word is part of the main name of an entity of the campaign.
    fn is_part_of_name(&self, entity: EntityRef, word: &str) -> bool {
        let EntityRef::Known(entity) = entity else { return false };
        let name = hearsay_model::text::words(&self.lexicon.entities[entity as usize].name);
        name.len() > 1 && name.contains(&hearsay_model::text::normalize(word))
    }

    /// Returns whether the words are followed by "by" and a name, or by the material of a thing. In "dies, stabbed by
    /// Odo", the comma separates the words from "by".
    fn names_agent(&self, span: Span) -> bool {
        let Some(last) = self.tokens.iter().position(|token| token.end == span.end) else { return false };
        let mut following = (last + 1..last + 5).take_while(|at| self.norm(*at) != ",");
        let by_position = following.find(|at| self.norm(*at) == "by");
        let is_name_near = |at: usize| (at + 1..at + 4).any(|at| self.is_named(at));
        by_position.is_some_and(is_name_near) || self.norm(last) == "beaten" && self.norm(last + 1) == "out"
    }

    /// Removes incomplete ends from a value: "haunted by his" becomes "haunted", and "capable and" becomes "capable".
    fn trim_value(&self, value: &str) -> String {
        let mut value = value.trim_matches(is_trimmed_char);
        let is_incomplete_end = |word: &str| {
            let word = hearsay_model::text::normalize(word.trim_matches(is_trimmed_char));
            let class = self.grammar.word_class(&word);
            let function_classes = WordClass::DETERMINER.or(WordClass::CONJUNCTION).or(WordClass::RELATIVE);
            class.has(function_classes)
                || lists().pronouns.possessive_determiners.contains(word.as_str())
                || (class.has(WordClass::PREPOSITION)
                    && !class.has(WordClass::ADVERB)
                    && !lists().prepositions.value_ends.contains(word.as_str()))
        };
        while let Some((rest, word)) = value.rsplit_once(char::is_whitespace) {
            if !is_incomplete_end(word) {
                break;
            }
            value = rest.trim_matches(is_trimmed_char);
        }
        while let Some((word, rest)) = value.split_once(char::is_whitespace) {
            if !self.grammar.word_class(&hearsay_model::text::normalize(word)).has(WordClass::CONJUNCTION) {
                break;
            }
            value = rest.trim_matches(is_trimmed_char);
        }
        if is_incomplete_end(value) && !value.contains(char::is_whitespace) { String::new() } else { value.to_owned() }
    }

    /// Returns whether a value is an age. A number alone counts only if the sentence supports it; a number in a list of
    /// figures does not count.
    fn is_plausible_age(&self, value: &str, weight_names: &[Weight], span: Span) -> bool {
        let is_digits = value.chars().all(|c| c.is_ascii_digit());
        if !is_digits {
            return value.chars().any(char::is_alphabetic);
        }
        let needs_support = [Weight::BESIDE, Weight::TELEGRAPH, Weight::LOOSE];
        if !weight_names.iter().any(|name| needs_support.contains(name)) {
            return true;
        }
        let at = self.tokens.iter().position(|token| token.start == span.start);
        let previous_word = at.and_then(|at| at.checked_sub(1)).map_or("", |at| self.norm(at));
        let is_adult_age = value.parse::<u32>().is_ok_and(|years| (10..150).contains(&years));
        let has_finite_verb = self.chunks.verb_groups.iter().any(|vg| vg.form == VerbForm::Finite && !vg.is_omitted);
        let is_only_number = self.tokens.iter().filter(|token| self.is_number(&token.norm)).count() == 1;
        let is_counted_candidate = weight_names.contains(&Weight::LOOSE_COUNTED) && is_adult_age;
        matches!(previous_word, "aged" | "age" | ":") && !weight_names.contains(&Weight::LOOSE)
            || (matches!(previous_word, "," | "(") && is_adult_age && (has_finite_verb || is_only_number))
            || is_counted_candidate
    }

    /// Drops the ages that are numbers alone after a debt: "in debt to Odo, forty".
    pub(super) fn drop_amounts_read_as_ages(&mut self) {
        let targets = &self.grammar.targets;
        let is_debt = |fact: &&RawFact| {
            targets[fact.pattern_target].has(PredicateProperties::HAS_TWO_OBJECTS) && !fact.weight_names.is_candidate()
        };
        let Some(debt_end) = self.facts.iter().filter(is_debt).map(|fact| fact.span.end).min() else { return };
        let is_bare_number = |object: &RawObject| match object {
            RawObject::Value(value) => value.split_whitespace().all(|word| self.is_number(&word.to_lowercase())),
            RawObject::Entity(_) => false,
        };
        let is_set_off = |fact: &RawFact| {
            let names = [Weight::BESIDE, Weight::TELEGRAPH, Weight::LOOSE];
            fact.weight_names.names.iter().any(|name| names.contains(name))
        };
        let is_amount = |fact: &RawFact| {
            targets[fact.target].predicate == *attribute::AGE
                && fact.span.end > debt_end
                && is_set_off(fact)
                && is_bare_number(&fact.object)
        };
        let amounts: Vec<bool> = self.facts.iter().map(is_amount).collect();
        let mut amounts = amounts.into_iter();
        self.facts.retain(|_| amounts.next() != Some(true));
    }

    /// Restricts the classes of a new name to those that fit a fact about it. Returns whether the entity can have one
    /// of these classes.
    fn narrow_kinds(&mut self, entity: EntityRef, kinds: KindSet) -> bool {
        if !self.kinds(entity).intersects(kinds) {
            return false;
        }
        let EntityRef::New(index) = entity else { return true };
        if let Some(known_kinds) = self.new_names.kinds.get_mut(index) {
            *known_kinds = known_kinds.and(kinds);
            let likely_kind = known_kinds.likely_kind().or_else(|| {
                // If several classes remain, a person is the most likely one.
                known_kinds.intersects(KindSet::PERSON).then_some(Kind::Npc)
            });
            if let Some(entity) = self.new_names.entities.get_mut(index) {
                entity.kind = likely_kind.filter(|_| !known_kinds.is_any());
            }
        }
        true
    }
}
