//! Records the facts that were read. First checks their subjects, objects and values, and determines the names of their
//! weights.

use hearsay_model::{Kind, Predicate, PredicateRole, Span};

use super::{
    ResolvedEntity, SentenceReader,
    raw_fact::{RawFact, RawObject, WeightNames},
};
use crate::{
    assertion_status::AssertionStatus,
    chunker::VerbForm,
    function_words::is_pronoun,
    grammar::{Target, WordClass},
    kind_set::KindSet,
    mentions::EntityRef,
    predicate_properties::PredicateProperties,
};

/// Maximum number of characters of a value. A longer value is a misread clause.
const MAX_VALUE_CHARS: usize = 160;

/// Names of the weights for relations that are stated in many ways or easily confused with others.
const ROLE_WEIGHT_NAMES: [(PredicateRole, &str); 3] = [
    (PredicateRole::Location, "of_place"),
    (PredicateRole::Possession, "of_goods"),
    (PredicateRole::Related, "of_ties"),
];

/// Returns the name of the weight for predicates that are stated in many ways or easily confused with others.
fn predicate_weight_name(predicate: &Predicate) -> Option<&'static str> {
    if let Some((_, weight_name)) = ROLE_WEIGHT_NAMES.iter().find(|(role, _)| role.is(predicate)) {
        return Some(*weight_name);
    }
    Some(match predicate.as_str() {
        "condition" => "of_state",
        "emotional_state" => "of_mood",
        "personality" => "of_character",
        "appearance" => "of_looks",
        "occupation" => "of_trade",
        _ => return None,
    })
}

/// Returns whether a character is white space or punctuation that is removed from the ends of a value.
fn is_trimmed_char(c: char) -> bool {
    c.is_whitespace() || ",;:.\"\u{201C}\u{201D}\u{2014}\u{2013}".contains(c)
}

/// Prepositions that can be the last word of a value: "burned down", "cut off".
const FINAL_PREPOSITIONS: [&str; 12] =
    ["down", "up", "off", "out", "over", "away", "through", "inside", "outside", "behind", "below", "past"];

impl SentenceReader<'_> {
    /// Records a fact, if subject and object have the classes that the target requires.
    ///
    /// `object` is an entity (`Ok`) or a value (`Err`).
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn record_fact(
        &mut self,
        target: usize,
        subject: &ResolvedEntity,
        object: Result<&ResolvedEntity, String>,
        relation: &str,
        weight_names: &[&'static str],
        status: &AssertionStatus,
        span: Span,
    ) {
        // A fact about "his parents" is no fact about him.
        let is_about_relative = subject.is_relative || object.as_ref().is_ok_and(|object| object.is_relative);
        if status.is_unasserted || is_about_relative {
            return;
        }
        let object_of_agent = match &object {
            Err(value) if self.means_death(target, value) => self.object_of_dead_agent(subject, span),
            _ => None,
        };
        let subject = object_of_agent.as_ref().unwrap_or(subject);
        let target_info = self.grammar.targets[target].clone();
        let mut all_weight_names: Vec<&'static str> = weight_names.to_vec();
        all_weight_names.extend(subject.weight_name);
        all_weight_names.extend(subject.second_weight_name);
        if !self.kinds(subject.entity).intersects(target_info.subject) {
            return;
        }
        self.narrow_kinds(subject.entity, target_info.subject);
        let object = match object {
            Ok(object) => {
                if object.entity == subject.entity {
                    return;
                }
                all_weight_names.extend(object.weight_name);
                all_weight_names.extend(object.second_weight_name);
                if !self.kinds(object.entity).intersects(target_info.object) {
                    return;
                }
                self.narrow_kinds(object.entity, target_info.object);
                RawObject::Entity(object.entity)
            }
            Err(value) => {
                let value = self.checked_value(&target_info, subject.entity, &value, weight_names, span);
                let Some(value) = value else { return };
                if weight_names.contains(&"loose") && self.is_death_of_other(target, subject.entity, &value, span) {
                    return;
                }
                RawObject::Value(value)
            }
        };
        // Example: "an ex-constable"
        let is_former = matches!(&object, RawObject::Value(value) if value.to_lowercase().starts_with("ex-"));
        if status.is_embedded {
            all_weight_names.push("nested");
        }
        if self.tokens.len() > 40 {
            all_weight_names.push("long");
        }
        if self.clauses.len() > 3 {
            all_weight_names.push("many_clauses");
        }
        if self.speech.is_direct_speech {
            all_weight_names.push("spoken");
        }
        let is_permanent_fact = self.grammar.is_permanent(target, relation);
        let can_end = target_info.has(PredicateProperties::ENDS);
        let behavior = self.vocabulary.behavior(&target_info.predicate);
        let is_feeling = behavior.attitude.is_some() && behavior.object_attitude.is_none();
        let mut status = status.clone();
        if is_feeling && status.is_past_speech {
            self.apply_doubt(&mut status, "hedge", None);
        }
        all_weight_names.extend(predicate_weight_name(&self.grammar.targets[target_info.label].predicate));
        if !weight_names.contains(&"loose") {
            all_weight_names.extend(self.difficulty_weight_names.iter());
        }
        self.facts.push(RawFact {
            subject: subject.entity,
            target: target_info.label,
            pattern_target: target,
            object,
            relation: relation.to_owned(),
            detail: String::new(),
            weight_names: WeightNames { names: all_weight_names },
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
        weight_names: &[&'static str],
        span: Span,
    ) -> Option<String> {
        let value = self.trim_value(value);
        let is_pronoun_value = is_pronoun(&value.to_lowercase());
        if is_pronoun_value || value.is_empty() || value.chars().count() > MAX_VALUE_CHARS {
            return None;
        }
        let fits = match target.predicate.as_str() {
            "age" => {
                let is_partial_number = matches!(value.as_str(), "half" | "one" | "hundred" | "dozen");
                !is_partial_number && self.is_plausible_age(&value, weight_names, span)
            }
            "alias" => {
                let name = match subject {
                    EntityRef::Known(entity) => self.lexicon.entities[entity as usize].name.as_str(),
                    EntityRef::New(index) => {
                        self.new_names.entities.get(index).map_or("", |entity| entity.name.as_str())
                    }
                };
                !value.starts_with(name)
            }
            // The title in "Captain Odo" says nothing new about Captain Odo.
            "occupation" => !weight_names.contains(&"loose") || !self.is_part_of_name(subject, &value),
            "population" => value.split_whitespace().any(|word| self.is_number(&word.to_lowercase())),
            // "Burned by Lyra" and "beaten out of a ploughshare" describe an act and not a condition.
            "condition" => !self.names_agent(span),
            "date" => self.has_time_expression(&value),
            _ => true,
        };
        fits.then_some(value)
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
                || matches!(word.as_str(), "my" | "your" | "his" | "her" | "its" | "our" | "their")
                || (class.has(WordClass::PREPOSITION)
                    && !class.has(WordClass::ADVERB)
                    && !FINAL_PREPOSITIONS.contains(&word.as_str()))
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
    fn is_plausible_age(&self, value: &str, weight_names: &[&'static str], span: Span) -> bool {
        let is_digits = value.chars().all(|c| c.is_ascii_digit());
        if !is_digits {
            return value.chars().any(char::is_alphabetic);
        }
        if !weight_names.contains(&"beside") && !weight_names.contains(&"telegraph") && !weight_names.contains(&"loose")
        {
            return true;
        }
        let at = self.tokens.iter().position(|token| token.start == span.start);
        let previous_word = at.and_then(|at| at.checked_sub(1)).map_or("", |at| self.norm(at));
        let is_adult_age = value.parse::<u32>().is_ok_and(|years| (10..150).contains(&years));
        let has_finite_verb = self.chunks.verb_groups.iter().any(|vg| vg.form == VerbForm::Finite && !vg.is_omitted);
        let is_only_number = self.tokens.iter().filter(|token| self.is_number(&token.norm)).count() == 1;
        let is_counted_candidate = weight_names.contains(&"loose_counted") && is_adult_age;
        matches!(previous_word, "aged" | "age" | ":") && !weight_names.contains(&"loose")
            || (matches!(previous_word, "," | "(") && is_adult_age && (has_finite_verb || is_only_number))
            || is_counted_candidate
    }

    /// Restricts the classes of a new name to those that fit a fact about it.
    fn narrow_kinds(&mut self, entity: EntityRef, kinds: KindSet) {
        let EntityRef::New(index) = entity else { return };
        if let Some(known_kinds) = self.new_names.kinds.get_mut(index)
            && known_kinds.intersects(kinds)
        {
            *known_kinds = known_kinds.and(kinds);
            let likely_kind = known_kinds.likely_kind().or_else(|| {
                // If several classes remain, a person is the most likely one.
                known_kinds.intersects(KindSet::PERSON).then_some(Kind::Npc)
            });
            if let Some(entity) = self.new_names.entities.get_mut(index) {
                entity.kind = likely_kind.filter(|_| !known_kinds.is_any());
            }
        }
    }
}
