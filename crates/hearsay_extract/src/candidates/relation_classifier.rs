//! Classifies the relation between two entities in one sentence by the words around them. The classifier was trained on
//! labelled sentences. Its probabilities adjust the confidence of facts that patterns found. Relations that no pattern
//! found are proposed if their probability is high enough.

use std::ops::Range;

use hearsay_model::PredicateRole;

use crate::{
    candidates::word_votes::CONTEXT_TOKENS,
    language::{
        grammar::{Pattern, PatternPart, Target, WordClass},
        kind_set::KindSet,
        predicate_properties::PredicateProperties,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{
        EntityPair, FactBasis, MentionSpan, RawFact, SentenceReader, UNSPECIFIED_RELATION,
        assertion_status::AssertionStatus,
    },
    syntax::clauses::{ClauseType, SubjectSource},
};

/// Maximum number of pairs of entities that are classified in one sentence.
const MAX_PAIRS: usize = 8;

/// Maximum number of relations that are proposed for a pair (`MAX_RELATIONS_PER_PAIR`), and the minimum probability of
/// each (`MIN_PROBABILITY`).
const MAX_RELATIONS_PER_PAIR: usize = 2;
const MIN_PROBABILITY: f32 = 0.06;

/// Minimum probability of a proposed relation if a pattern found another relation for the pair.
const MIN_ALTERNATIVE_PROBABILITY: f32 = 0.3;

/// Upper limit of the confidence factor for a clause that is not plainly asserted, such as a condition or a plan.
const MAX_UNASSERTED_FACTOR: f64 = 0.69;

/// Maximum number of tokens between the two entities that become features.
const MAX_TOKENS_BETWEEN: usize = 14;

/// Splits the name of a class into the relation and whether the relation is reversed, which means that its object comes
/// first in the sentence. The suffix `<` marks a reversed relation.
fn parse_class(name: &str) -> (&str, bool) {
    match name.strip_suffix('<') {
        Some(relation) => (relation, true),
        None => (name.strip_suffix('>').unwrap_or(name), false),
    }
}

/// Returns whether the classifier treats a relation as symmetric, so that it has no class for the opposite direction.
fn is_direction_free(classes: &[(&str, bool, f32)], target: &Target) -> bool {
    !classes.iter().any(|(relation, is_reversed, _)| *is_reversed && target.predicate == **relation)
}

/// Lower limits of the probability for the weights in `PAIR_WEIGHT_NAMES` and `VALUE_WEIGHT_NAMES`. The first weight
/// has no lower limit.
const PROBABILITY_THRESHOLDS: [f32; 8] = [0.005, 0.02, 0.1, 0.3, 0.6, 0.85, 0.95, 0.985];

/// Names of the weights for the probability of a relation, from improbable to probable. The first list is for facts
/// that patterns found, the second for candidates. A weight raises or lowers the confidence of a fact.
pub(crate) const PAIR_WEIGHT_NAMES: [[Weight; 9]; 2] = [
    [
        Weight::PAIR_NEVER,
        Weight::PAIR_NO,
        Weight::PAIR_HARDLY,
        Weight::PAIR_PERHAPS,
        Weight::PAIR_MAYBE,
        Weight::PAIR_LIKELY,
        Weight::PAIR_SURELY,
        Weight::PAIR_PLAINLY,
        Weight::PAIR_CERTAINLY,
    ],
    [
        Weight::PAIR_GUESS_NEVER,
        Weight::PAIR_GUESS_NO,
        Weight::PAIR_GUESS_HARDLY,
        Weight::PAIR_GUESS_PERHAPS,
        Weight::PAIR_GUESS_MAYBE,
        Weight::PAIR_GUESS_LIKELY,
        Weight::PAIR_GUESS_SURELY,
        Weight::PAIR_GUESS_PLAINLY,
        Weight::PAIR_GUESS_CERTAINLY,
    ],
];

/// Names of the weights for the probability of an attribute, arranged like `PAIR_WEIGHT_NAMES`.
pub(crate) const VALUE_WEIGHT_NAMES: [[Weight; 9]; 2] = [
    [
        Weight::VALUE_NEVER,
        Weight::VALUE_NO,
        Weight::VALUE_HARDLY,
        Weight::VALUE_PERHAPS,
        Weight::VALUE_MAYBE,
        Weight::VALUE_LIKELY,
        Weight::VALUE_SURELY,
        Weight::VALUE_PLAINLY,
        Weight::VALUE_CERTAINLY,
    ],
    [
        Weight::VALUE_GUESS_NEVER,
        Weight::VALUE_GUESS_NO,
        Weight::VALUE_GUESS_HARDLY,
        Weight::VALUE_GUESS_PERHAPS,
        Weight::VALUE_GUESS_MAYBE,
        Weight::VALUE_GUESS_LIKELY,
        Weight::VALUE_GUESS_SURELY,
        Weight::VALUE_GUESS_PLAINLY,
        Weight::VALUE_GUESS_CERTAINLY,
    ],
];

/// Returns the name of the weight for a probability. `is_candidate` selects the weights for candidates.
pub(crate) fn weight_name_for(weight_names: &[[Weight; 9]; 2], probability: f32, is_candidate: bool) -> Weight {
    weight_names[usize::from(is_candidate)][PROBABILITY_THRESHOLDS.iter().filter(|step| probability >= **step).count()]
}

impl SentenceReader<'_> {
    /// Classifies the pairs of entities in the sentence, adds weights to the facts that were read about them, and
    /// proposes other relations. Returns the pairs.
    pub(crate) fn classify_relations(&mut self, statuses: &[AssertionStatus]) -> Vec<EntityPair> {
        let pairs = self.entity_pairs(statuses);
        let classifier = self.relation_classifier;
        for pair in pairs.iter().filter(|_| !classifier.classes().is_empty()) {
            let probabilities = classifier.probabilities(pair.features.iter().map(String::as_str));
            let classes: Vec<(&str, bool, f32)> = classifier
                .classes()
                .iter()
                .zip(probabilities)
                .map(|(name, probability)| {
                    let (relation, is_reversed) = parse_class(name);
                    (relation, is_reversed, probability)
                })
                .collect();
            self.propose_classified_relations(pair, &classes, statuses);
            self.add_probability_weights(pair, &classes);
        }
        pairs
    }

    /// Adds a weight to each fact that relates the two entities. The weight depends on the probability of the relation.
    fn add_probability_weights(&mut self, pair: &EntityPair, classes: &[(&str, bool, f32)]) {
        let (a, b) = pair.entities();
        for fact in self.facts.iter_mut().filter(|fact| fact.relates(a, b)) {
            let target = &self.grammar.targets[fact.target];
            let is_reversed = fact.subject == b;
            let is_symmetric = is_direction_free(classes, target);
            let is_same_predicate = |class: &&(&str, bool, f32)| target.predicate == *class.0;
            // The classifier has no classes for relations that a campaign adds.
            if !classes.iter().any(|class| is_same_predicate(&class)) {
                continue;
            }
            let is_relation =
                |class: &&(&str, bool, f32)| is_same_predicate(class) && (is_symmetric || class.1 == is_reversed);
            let probability = classes.iter().filter(is_relation).map(|class| class.2).sum();
            let weight_name = weight_name_for(&PAIR_WEIGHT_NAMES, probability, fact.weight_names.is_candidate());
            fact.weight_names.names.push(weight_name);
        }
    }

    /// Proposes the most probable relations of a pair. The minimum probability is higher if a pattern found a relation.
    fn propose_classified_relations(
        &mut self,
        pair: &EntityPair,
        classes: &[(&str, bool, f32)],
        statuses: &[AssertionStatus],
    ) {
        let Some(status) = self.status_for_proposal(statuses, pair.second.start) else { return };
        let (a, b) = pair.entities();
        let is_tentative =
            |fact: &RawFact| fact.weight_names.is_candidate() || fact.weight_names.names.contains(&Weight::FALLBACK);
        let is_read = self.facts.iter().any(|fact| fact.relates(a, b) && !is_tentative(fact));
        let min_probability = if is_read { MIN_ALTERNATIVE_PROBABILITY } else { MIN_PROBABILITY };
        let mut likely_relations: Vec<(usize, bool)> = Vec::new();
        let all_classes = classes;
        let mut classes: Vec<_> = classes.iter().filter(|class| class.2 >= min_probability).collect();
        classes.sort_by(|a, b| b.2.total_cmp(&a.2));
        for (relation, is_reversed, _) in classes {
            let (subject, object) = if *is_reversed { (b, a) } else { (a, b) };
            let fits = |target: &Target| {
                target.predicate == *relation
                    && !(target.ended || target.denied)
                    && self.kinds(subject).intersects(target.subject)
                    && self.kinds(object).intersects(target.object)
            };
            likely_relations.extend(self.grammar.targets.iter().position(fits).map(|target| (target, *is_reversed)));
        }
        let span = self.span(pair.first.start, pair.second.end.saturating_sub(1));
        for (order, (target, is_reversed)) in likely_relations.into_iter().take(MAX_RELATIONS_PER_PAIR).enumerate() {
            let (first, second) = if is_reversed { (&pair.second, &pair.first) } else { (&pair.first, &pair.second) };
            if !self.may_relate(target, first, second) {
                continue;
            }
            let is_known = |fact: &RawFact| {
                let is_symmetric = is_direction_free(all_classes, &self.grammar.targets[target]);
                fact.target == target && fact.relates(a, b) && (is_symmetric || fact.subject == first.resolved.entity)
            };
            let is_unspecified = Some(target) == self.related_target;
            let is_unrelated = || self.act_separately(pair) || self.is_receiver_of_thing(&pair.second);
            if self.facts.iter().any(is_known) || is_unspecified && is_unrelated() {
                continue;
            }
            let words = if is_unspecified { UNSPECIFIED_RELATION } else { "" };
            let mut weight_names = vec![Weight::LOOSE, Weight::BY_LEARNING];
            weight_names.extend(is_read.then_some(Weight::LOOSE_INSTEAD_OF));
            if order > 0 {
                weight_names.push(Weight::LOOSE_SECOND);
            }
            let basis = FactBasis::new(&status, &weight_names);
            self.record_relation(target, (&first.resolved, &second.resolved), words, basis, span);
        }
    }

    /// Returns whether the grammar of the sentence allows a relation of the classifier. A promise needs a verb of promising,
    /// and a debt needs a verb of owing.
    /// Somebody who destroys a place is not necessarily there, and somebody who walks into a place does not live there.
    fn may_relate(&mut self, target: usize, subject: &MentionSpan, object: &MentionSpan) -> bool {
        let grammar = self.grammar;
        let target = &grammar.targets[target];
        let is_act_on_object = |fact: &RawFact| {
            let is_read = !fact.weight_names.is_candidate() && !fact.weight_names.names.contains(&Weight::FALLBACK);
            let is_general = Some(fact.target) == self.related_target;
            is_read && is_general && fact.relates(subject.resolved.entity, object.resolved.entity)
        };
        let two_objects = [PredicateProperties::PROMISE, PredicateProperties::HAS_TWO_OBJECTS];
        if let Some(property) = two_objects.into_iter().find(|property| target.has(*property)) {
            (0..self.clauses.len()).any(|at| self.binds(at, subject, object, property))
        } else if PredicateRole::Location.is(&target.predicate) {
            !self.facts.iter().any(is_act_on_object)
        } else {
            !(PredicateRole::Residence.is(&target.predicate) && self.is_entered(object))
        }
    }

    /// Returns whether a clause can say that `subject` promises or owes something to `object`. In "Odo leaves and Lyra
    /// promises Bram to stay", only Lyra promises something. The relations with `property` bind the subject.
    fn binds(&mut self, at: usize, subject: &MentionSpan, object: &MentionSpan, property: PredicateProperties) -> bool {
        let grammar = self.grammar;
        let (clause, vg) = (self.clauses[at].clone(), self.verb_group(at).clone());
        let Range { start: first, end } = clause.rest_items;
        let from = self.chunk_start(clause.start);
        let to = self.chunk_end(clause.last_item()).max(vg.end).min(self.tokens.len());
        let promisors = self.resolve_subjects(&clause.subjects);
        let is_promisor = promisors.iter().any(|promisor| promisor.entity == subject.resolved.entity);
        let is_mentioned = (from..to).contains(&subject.start);
        let has_own_object = first < end && self.syntax.noun_group_at(first).is_some();
        // In "a promise that Odo gave to Lyra", the noun precedes the clause.
        let first_word = if clause.parent.is_some() { 0 } else { from };
        let contains = |word: &str| (first_word..to).any(|at| self.norm(at) == word);
        let is_binding = |pattern: &Pattern| {
            let has_words =
                pattern.parts.iter().all(|part| !matches!(part, PatternPart::Word(word) if !contains(word)));
            // In "Bram has Odo's word", the subject of the verb receives the promise.
            let is_turned = pattern.is_reversed != vg.is_passive;
            grammar.targets[pattern.target].has(property)
                && has_words
                && if is_turned || promisors.is_empty() { is_mentioned } else { is_promisor }
        };
        (object.start >= from || !has_own_object)
            && grammar.verb_patterns.get(&vg.lemma).into_iter().flatten().any(is_binding)
    }

    /// Returns whether a mention is a place that somebody walks into: "into the common room of the Bell".
    fn is_entered(&self, mention: &MentionSpan) -> bool {
        let Some(mut item) = self.chunk_at(mention.start) else { return false };
        while item > 1 && self.syntax.word(item - 1) == "of" && self.syntax.noun_group_at(item - 2).is_some() {
            item -= 2;
        }
        item > 0 && self.syntax.word(item - 1) == "into"
    }

    /// Returns whether the second entity of a pair is only listed after the first, as in "Odo and Pell", or is named in
    /// the subject of a later main clause, as in "Odo left, Pell stayed". Such words state no relation.
    fn act_separately(&self, pair: &EntityPair) -> bool {
        let (first_end, second_start) = (pair.first.end, pair.second.start);
        let is_conjunction = |at: usize| self.grammar.word_class(self.norm(at)).has(WordClass::CONJUNCTION);
        let is_list = self.norm(pair.second.end) != "'s"
            && (first_end..second_start).any(is_conjunction)
            && (first_end..second_start).all(|at| !self.tokens[at].is_word() || is_conjunction(at));
        let begins_clause = self.clauses.iter().any(|clause| {
            let start = self.chunk_start(clause.start);
            *clause.clause_type() == ClauseType::Main
                && clause.subject_source == SubjectSource::Direct
                && (first_end..=second_start).contains(&start)
                && second_start < self.chunk_start(clause.verb_item)
        });
        is_list || begins_clause
    }

    /// Returns the assertion status of the clause that contains a token. Returns `None` if the sentence is not a plain
    /// statement or the clause is negated.
    pub(crate) fn status_for_proposal(
        &mut self,
        statuses: &[AssertionStatus],
        token: usize,
    ) -> Option<AssertionStatus> {
        let is_question = self.is_question();
        let sentence_status = self.sentence_status(is_question);
        let surrounding_status =
            self.clause_at(token).map_or_else(|| sentence_status.clone(), |at| statuses[at].clone());
        // The features of the classifier already tell whether the clause is asserted.
        (sentence_status.is_plain_assertion() && !surrounding_status.denied).then(|| {
            // A fact from a clause that is not plainly asserted waits for review.
            let confidence_factor = if surrounding_status.is_plain_assertion() {
                surrounding_status.confidence_factor
            } else {
                surrounding_status.confidence_factor.min(MAX_UNASSERTED_FACTOR)
            };
            AssertionStatus {
                is_unasserted: false,
                has_would: false,
                has_can: false,
                confidence_factor,
                ..surrounding_status
            }
        })
    }

    /// Returns the clause that contains a token.
    pub(crate) fn clause_at(&self, token: usize) -> Option<usize> {
        (0..self.clauses.len()).rev().find(|at| self.chunk_start(self.clauses[*at].start) <= token)
    }

    /// Returns at most `MAX_PAIRS` pairs of entities in the sentence, nearest first.
    fn entity_pairs(&mut self, statuses: &[AssertionStatus]) -> Vec<EntityPair> {
        let mut mentions = self.all_mentions();
        mentions.sort_by_key(|mention| (mention.start, mention.end));
        let mut pairs: Vec<(usize, usize)> =
            (0..mentions.len()).flat_map(|a| (a + 1..mentions.len()).map(move |b| (a, b))).collect();
        pairs.sort_by_key(|(a, b)| (mentions[*b].start.saturating_sub(mentions[*a].end), *a));
        pairs.truncate(MAX_PAIRS);
        let entity_pairs = pairs.into_iter().map(|(a, b)| {
            let mentions_between = mentions
                .iter()
                .filter(|mention| mentions[a].end <= mention.start && mention.start < mentions[b].start)
                .count();
            let features = self.pair_features(&mentions[a], &mentions[b], mentions_between, statuses);
            EntityPair { first: mentions[a], second: mentions[b], features }
        });
        entity_pairs.collect()
    }

    /// Returns the features of a pair: the kinds of the two entities, the words between, before and after them, and the
    /// assertion status of the sentence.
    fn pair_features(
        &self,
        first: &MentionSpan,
        second: &MentionSpan,
        mentions_between: usize,
        statuses: &[AssertionStatus],
    ) -> Vec<String> {
        let kinds = format!(
            "{}{}",
            kind_letter(self.kinds(first.resolved.entity)),
            kind_letter(self.kinds(second.resolved.entity))
        );
        let mut features = vec![format!("k:{kinds}")];
        let token_ranges = [
            ('m', first.end, second.start.min(first.end + MAX_TOKENS_BETWEEN)),
            ('b', first.start.saturating_sub(CONTEXT_TOKENS), first.start),
            ('a', second.end, (second.end + CONTEXT_TOKENS + 1).min(self.tokens.len())),
        ];
        for (place, from, to) in token_ranges {
            let mut previous_word: Option<String> = None;
            for token in (from..to).filter(|token| !self.is_named(*token)) {
                let word = self.base_form(token);
                features.push(format!("{place}:{word}"));
                features.push(format!("*:{word}"));
                features.push(format!("{place}{kinds}:{word}"));
                if let Some(previous_word) = previous_word {
                    features.push(format!("{place}2:{previous_word}_{word}"));
                    features.push(format!("*2:{previous_word}_{word}"));
                }
                previous_word = Some(word);
            }
        }
        for (place, mention) in [('f', first), ('s', second)] {
            for token in (mention.start..mention.end).filter(|token| !self.is_named(*token)) {
                let word = self.base_form(token);
                features.push(format!("{place}:{word}"));
                features.push(format!("*:{word}"));
            }
        }
        features.push(format!("near:{}", (second.start.saturating_sub(first.end) / 2).min(6)));
        features.push(format!("others:{}", mentions_between.min(3)));
        let is_speaker = |mention: &MentionSpan| self.speech.speaker == Some(mention.resolved.entity);
        features.push(format!("speaks:{}{}", u8::from(is_speaker(first)), u8::from(is_speaker(second))));
        add_assertion_features(self, &[("f", first.start), ("s", second.start)], statuses, &mut features);
        for (target, is_reversed, _) in self.voted_relations(first, second) {
            let side = if is_reversed { '<' } else { '>' };
            features.push(format!("hint:{}{side}", self.grammar.targets[target].predicate));
        }
        features.sort_unstable();
        features.dedup();
        features
    }

    /// Returns the base form of a verb or the singular of a noun.
    pub(crate) fn base_form(&self, token: usize) -> String {
        let word = self.norm(token);
        match self.grammar.verb_forms.get(word).and_then(|forms| forms.first()) {
            Some((lemma, _)) => lemma.clone(),
            None => self.singular(word),
        }
    }
}

/// Adds features for the assertion status of the sentence and of the clauses at the given tokens.
pub(crate) fn add_assertion_features(
    reader: &SentenceReader<'_>,
    positions: &[(&str, usize)],
    statuses: &[AssertionStatus],
    features: &mut Vec<String>,
) {
    for (place, token) in positions {
        let is_plain = reader.clause_at(*token).is_none_or(|at| statuses[at].is_plain_assertion());
        features.push(format!("{place}plain:{}", u8::from(is_plain)));
    }
    let plain_count = statuses.iter().filter(|status| status.is_plain_assertion()).count();
    features.push(format!("plain:{}{}", u8::from(plain_count > 0), u8::from(plain_count == statuses.len())));
    if reader.tokens.last().is_some_and(|last| last.is("?")) {
        features.push("asks".to_owned());
    }
    if !reader.tokens.is_empty() && !reader.is_named(0) {
        features.push(format!("opens:{}", reader.base_form(0)));
    }
    let status_words = (0..reader.tokens.len())
        .map(|token| reader.norm(token))
        .filter(|word| lists().speech.status_words.contains(word));
    features.extend(status_words.map(|word| format!("has:{word}")));
}

/// Returns a letter for the kind of an entity, or `X` if several kinds are possible.
pub(crate) fn kind_letter(kinds: KindSet) -> char {
    match kinds {
        KindSet::PERSON => 'P',
        KindSet::GROUP => 'G',
        KindSet::PLACE => 'L',
        KindSet::THING => 'T',
        KindSet::EVENT => 'E',
        KindSet::QUEST => 'Q',
        KindSet::CONCEPT => 'C',
        _ => 'X',
    }
}
