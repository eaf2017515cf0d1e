//! Uses a classifier to find the words of a sentence that state an attribute of an entity. The classifier uses the
//! surrounding words. The classifier is trained on labelled sentences, like the classifier in `relation_classifier.rs`.

use hearsay_model::{attribute, text};

use crate::{
    candidates::relation_classifier::{VALUE_WEIGHT_NAMES, add_assertion_features, weight_name_for},
    language::{
        grammar::{Pattern, Target, WordClass},
        kind_set::KindSet,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{
        AttributeCandidate, FactBasis, MentionSpan, RawObject, SentenceReader, assertion_status::AssertionStatus,
    },
    syntax::{chunker::Chunk, clauses::Clause},
};

/// Maximum number of possible values in a sentence, and maximum number of entities that are considered for each value.
const MAX_VALUES: usize = 12;
const MAX_SUBJECTS_PER_VALUE: usize = 3;

/// Minimum probability at which an attribute is proposed.
const MIN_PROBABILITY: f32 = 0.12;

/// Maximum number of words between an entity and a value that together form one feature.
const MAX_PATH_WORDS: usize = 4;

impl SentenceReader<'_> {
    /// Applies the classifier: adds its weights to the facts that were read, and proposes values that were not read.
    /// Returns all candidates.
    pub(crate) fn classify_attributes(&mut self, statuses: &[AssertionStatus]) -> Vec<AttributeCandidate> {
        let candidates = self.value_candidates(statuses);
        let classifier = self.attribute_classifier;
        let mut fact_probabilities: Vec<Option<f32>> = vec![None; self.facts.len()];
        let mut proposed: Vec<(usize, String, f32)> = Vec::new();
        for (at, candidate) in candidates.iter().enumerate().filter(|_| !classifier.classes().is_empty()) {
            let probabilities = classifier.probabilities(candidate.features.iter().map(String::as_str));
            let classes = || classifier.classes().iter().zip(&probabilities);
            for (fact, best_probability) in self.facts.iter().zip(&mut fact_probabilities) {
                let RawObject::Value(value) = &fact.object else { continue };
                if fact.subject == candidate.subject.resolved.entity && values_overlap(value, &candidate.value) {
                    let name = &self.grammar.targets[fact.target].predicate;
                    let probability =
                        classes().find(|(class, _)| *name == ***class).map(|(_, probability)| *probability);
                    *best_probability = (*best_probability).into_iter().chain(probability).reduce(f32::max);
                }
            }
            let best = classes().filter(|(class, _)| class.as_str() != "-").max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((class, probability)) = best.filter(|(_, probability)| **probability >= MIN_PROBABILITY) {
                proposed.push((at, class.clone(), *probability));
            }
        }
        for (fact, probability) in self.facts.iter_mut().zip(fact_probabilities) {
            let weight_name = probability
                .map(|probability| weight_name_for(&VALUE_WEIGHT_NAMES, probability, fact.weight_names.is_candidate()));
            fact.weight_names.names.extend(weight_name);
        }
        for (at, name, probability) in proposed {
            self.propose_classified_value(&candidates[at], &name, probability, statuses);
        }
        candidates
    }

    fn propose_classified_value(
        &mut self,
        candidate: &AttributeCandidate,
        name: &str,
        probability: f32,
        statuses: &[AssertionStatus],
    ) {
        let subject = candidate.subject.resolved;
        let is_read = |fact: &crate::sentence_reader::RawFact| match &fact.object {
            RawObject::Value(value) => {
                let is_same_death =
                    || self.means_death(fact.target, value) && self.means_death(fact.target, &candidate.value);
                fact.subject == subject.entity && (values_overlap(value, &candidate.value) || is_same_death())
            }
            RawObject::Entity(_) => false,
        };
        let is_proposed = |fact: &crate::sentence_reader::RawFact| {
            is_read(fact) && self.grammar.targets[fact.target].predicate == *name
        };
        if self.facts.iter().any(|fact| is_read(fact) && !fact.weight_names.is_candidate())
            || self.facts.iter().any(is_proposed)
        {
            return;
        }
        // In "white as cheese", the word alone is only a part of the description.
        if self.norm(candidate.to) == "as" && name == attribute::APPEARANCE
            || !self.is_possible_value(candidate, name)
            || !self.describes(candidate, name)
        {
            return;
        }
        let Some(status) = self.status_for_proposal(statuses, candidate.from) else { return };
        let fits = |target: &Target| {
            target.predicate == *name
                && !(target.ended || target.denied)
                && self.kinds(subject.entity).intersects(target.subject)
        };
        let Some(target) = self.grammar.targets.iter().position(fits) else { return };
        let span = self.span(
            candidate.from.min(candidate.subject.start),
            candidate.to.max(candidate.subject.end).saturating_sub(1),
        );
        let weight_name = weight_name_for(&VALUE_WEIGHT_NAMES, probability, true);
        let weight_names = [Weight::LOOSE, Weight::VALUE_LEARNED, weight_name];
        let basis = FactBasis::new(&status, &weight_names);
        self.record_value(target, &subject, candidate.value.clone(), basis, span);
    }

    /// Returns whether words can be a value of an attribute. A single adjective is no symbol and no seat of a group, and a
    /// part of the body is no seat. In "Odo comes in, white with snow", the adjective describes a passing condition, but
    /// in "tall with a beard", "with" introduces another part of the appearance.
    fn is_possible_value(&self, candidate: &AttributeCandidate, name: &str) -> bool {
        let is_part = |at: usize| self.grammar.possession_nouns.contains_key(self.norm(at));
        let is_adjective = candidate.to == candidate.from + 1 && self.is_descriptive(candidate.from);
        match name {
            attribute::SYMBOL => !is_adjective,
            attribute::HEADQUARTERS => !is_adjective && !is_part(candidate.to - 1),
            attribute::APPEARANCE if is_adjective && self.norm(candidate.to) == "with" => {
                let following = self.chunks.noun_groups.iter().find(|group| group.start == candidate.to + 1);
                following.is_none_or(|group| is_part(group.head))
            }
            _ => true,
        }
    }

    /// Returns whether the sentence itself connects a value with a person: the value is beside the person, before the
    /// verb, or after a verb that describes its subject. The object of an action describes nobody: in "Odo stole a
    /// silver case at the mill", neither "silver" nor "mill" describes Odo. A value of anything else than a person
    /// needs no such connection, because other things have few attributes that could be confused.
    fn describes(&mut self, candidate: &AttributeCandidate, name: &str) -> bool {
        let (subject, from, to) = (candidate.subject, candidate.from, candidate.to);
        if self.kinds(subject.resolved.entity) != KindSet::PERSON || self.is_beside(subject, from, to) {
            return true;
        }
        // In "Odo lay there, his throat cut", the throat has a verb of its own, and "his" connects it with Odo.
        let contains_value = |np: &usize| self.noun_group(*np).start <= from && from < self.noun_group(*np).end;
        let has_action = |clause: &&Clause| !self.chunks.verb_groups[clause.verb_group].is_copula;
        let actor =
            self.clauses.iter().filter(has_action).flat_map(|clause| clause.subjects.clone()).find(contains_value);
        if let Some(np) = actor {
            return self.described_entities(&[np]).iter().any(|actor| actor.entity == subject.resolved.entity);
        }
        let Some(at) = self.clause_with_predicate_word(from) else { return true };
        let subjects = self.clauses[at].subjects.clone();
        let described = self.described_entities(&subjects);
        if !subjects.is_empty() && !described.iter().any(|described| described.entity == subject.resolved.entity) {
            return false;
        }
        let vg = self.verb_group(at);
        let group = self.chunks.noun_groups.iter().find(|group| group.start <= from && from < group.end);
        // "With a scar" describes Odo, but "with a clerk" names a companion.
        let is_feature = name != attribute::OCCUPATION && name != attribute::SPECIES;
        let follows_with = is_feature
            && group.is_some_and(|group| group.start.checked_sub(1).is_some_and(|at| self.norm(at) == "with"));
        vg.is_copula || self.describes_subject(&vg.lemma, name) || follows_with || group.is_none()
    }

    /// Returns whether the object of a verb, given by its base form, can be a value of an attribute of the subject: "has" and
    /// "wears", but not "grabs".
    pub(crate) fn describes_subject(&self, verb: &str, name: &str) -> bool {
        let properties = self.grammar.verb_properties(verb);
        // "Dies" has a fixed value: in "dies of poison", the poison is no value.
        let states_value =
            |pattern: &Pattern| self.grammar.targets[pattern.target].predicate == *name && pattern.value.is_none();
        properties.is_seeming
            || properties.is_describing
            || self.grammar.verb_patterns.get(verb).is_some_and(|patterns| patterns.iter().any(states_value))
    }

    /// Returns whether a value is part of a mention, or only words such as articles and adjectives separate them.
    fn is_beside(&self, mention: MentionSpan, from: usize, to: usize) -> bool {
        let (start, end) = match (mention.end <= from, to <= mention.start) {
            (true, _) => (mention.end, from),
            (false, true) => (to, mention.start),
            (false, false) => return true,
        };
        let classes = WordClass::DETERMINER.or(WordClass::ADJECTIVE).or(WordClass::ADVERB);
        (start..end).all(|at| !self.tokens[at].is_word() || self.grammar.word_class(self.norm(at)).has(classes))
    }

    /// Returns the clause whose verb precedes a word, unless the word is before the verb of a later clause.
    fn clause_with_predicate_word(&self, word: usize) -> Option<usize> {
        let is_before_verb =
            |clause: &Clause| self.chunk_start(clause.start) <= word && word < self.chunk_start(clause.verb_item);
        if self.clauses.iter().any(is_before_verb) {
            return None;
        }
        (0..self.clauses.len()).rfind(|at| self.verb_group(*at).end <= word)
    }

    /// Returns all words that can be values, each with the entities that they can describe.
    fn value_candidates(&mut self, statuses: &[AssertionStatus]) -> Vec<AttributeCandidate> {
        let mentions = self.all_mentions();
        let mut candidates = Vec::new();
        for (from, to) in self.value_spans().into_iter().take(MAX_VALUES) {
            let distance = |mention: &&MentionSpan| {
                if mention.end <= from { from - mention.end } else { mention.start.saturating_sub(to) * 2 }
            };
            let mut subjects: Vec<&MentionSpan> = mentions.iter().collect();
            subjects.sort_by_key(distance);
            for (order, subject) in subjects.into_iter().take(MAX_SUBJECTS_PER_VALUE).enumerate() {
                let features = self.value_features(subject, from, to, order, statuses);
                candidates.push(AttributeCandidate {
                    subject: *subject,
                    from,
                    to,
                    value: self.source_text(from, to),
                    features,
                });
            }
        }
        candidates
    }

    /// Returns the token ranges that can be values: noun groups without a name, together with a group after "of", and
    /// descriptive words.
    fn value_spans(&self) -> Vec<(usize, usize)> {
        let mut spans = Vec::new();
        for item in 0..self.chunks.items.len() {
            match self.chunks.items[item] {
                Chunk::NounGroup(np) => {
                    let group = &self.chunks.noun_groups[np];
                    if let Some(role) = group.role {
                        spans.push(role);
                    }
                    if group.is_pronoun
                        || group.name.is_some()
                        || group.is_owner_only
                        || group.content_start >= group.end
                    {
                        continue;
                    }
                    let has_of = self.syntax.word(item + 1) == "of";
                    let group_after =
                        self.syntax.noun_group_at(item + 2).map(|np| &self.chunks.noun_groups[np]).filter(|_| has_of);
                    let group_after =
                        group_after.filter(|group| group.name.is_none() && !group.is_pronoun && group.owner.is_none());
                    spans.push((group.content_start, group_after.map_or(group.end, |group_after| group_after.end)));
                    let descriptive_tokens =
                        (group.content_start..group.head).filter(|token| self.is_descriptive(*token));
                    spans.extend(descriptive_tokens.map(|token| (token, token + 1)));
                }
                Chunk::Token(token) if self.is_descriptive(token) => spans.push((token, token + 1)),
                _ => {}
            }
        }
        spans.retain(|(from, to)| from < to && !(*from..*to).any(|token| self.is_named(token)));
        spans
    }

    fn is_descriptive(&self, token: usize) -> bool {
        let word = self.norm(token);
        let class = self.grammar.word_class(word);
        let has_suffix = lists().adjectives.suffixes.iter().any(|end| word.len() > 5 && word.ends_with(end));
        self.tokens[token].is_word()
            && !class.has(WordClass::PREPOSITION.or(WordClass::CONJUNCTION).or(WordClass::DETERMINER))
            && (has_suffix || class.has(WordClass::ADJECTIVE) || !self.grammar.adjective_attributes(word).is_empty())
    }

    /// Returns the features of a value: its words, the words around it, and its position relative to the entity.
    fn value_features(
        &self,
        subject: &MentionSpan,
        from: usize,
        to: usize,
        order: usize,
        statuses: &[AssertionStatus],
    ) -> Vec<String> {
        let kind = crate::candidates::relation_classifier::kind_letter(self.kinds(subject.resolved.entity));
        let side = if subject.end <= from {
            '>'
        } else if to <= subject.start {
            '<'
        } else {
            '='
        };
        let mut features = vec![format!("k:{kind}"), format!("side:{side}{order}")];
        let last = self.base_form(to - 1);
        for end in 2..=4 {
            let from = last.char_indices().rev().nth(end - 1).map_or(0, |(at, _)| at);
            features.push(format!("end:{}", &last[from..]));
        }
        features.push(format!("{kind}last:{last}"));
        for token in from..to {
            features.push(format!("in:{}", self.base_form(token)));
            if self.is_number(self.norm(token)) {
                features.push("number".to_owned());
            }
        }
        let head = self
            .chunks
            .noun_groups
            .iter()
            .find(|np| np.content_start == from && np.end <= to)
            .map_or(to - 1, |np| np.head);
        let noun = self.singular(self.norm(head));
        features.push(format!("head:{noun}"));
        let mut listed_attributes = self.grammar.adjective_attributes(self.norm(head));
        listed_attributes.extend(self.noun_attributes(&noun));
        listed_attributes.extend(self.grammar.possession_nouns.get(self.norm(head)).into_iter().flatten());
        for (target, is_weak) in listed_attributes {
            features.push(format!("is:{}{}", self.grammar.targets[target].predicate, if is_weak { "?" } else { "" }));
        }
        let word = |token: Option<usize>| match token {
            Some(token) if token < self.tokens.len() && self.is_named(token) => "NAME".to_owned(),
            Some(token) if token < self.tokens.len() => self.base_form(token),
            _ => "END".to_owned(),
        };
        let (first, second) = (word(from.checked_sub(1)), word(from.checked_sub(2)));
        features.push(format!("before2:{second}_{first}"));
        features.push(format!("{kind}before:{first}"));
        features.push(format!("before:{first}"));
        features.push(format!("before1:{second}"));
        let (next, second_next) = (word(Some(to)), word(Some(to + 1)));
        features.push(format!("behind2:{next}_{second_next}"));
        features.push(format!("behind:{next}"));
        let (start, end) = if side == '>' { (subject.end, from) } else { (to, subject.start) };
        let path: Vec<String> = (start..end).take(MAX_PATH_WORDS + 1).map(|token| word(Some(token))).collect();
        if path.len() <= MAX_PATH_WORDS && start <= end {
            features.push(format!("path{side}:{}", path.join("_")));
        }
        for word in &path {
            features.push(format!("between{side}:{word}"));
        }
        let verb = self.chunks.verb_groups.iter().filter(|vg| vg.end <= from).max_by_key(|vg| vg.end);
        features.push(format!("verb:{}", verb.map_or("", |vg| vg.lemma.as_str())));
        if let Some(verb) = verb {
            features.push(format!("{}verb:{}", (from - verb.end).min(3), verb.lemma));
        }
        features.push(format!("near:{}", (start.abs_diff(end) / 2).min(6)));
        features.push(format!("marked:{}", subject.resolved.weight_name.map_or("", Weight::as_str)));
        add_assertion_features(self, &[("v", from), ("s", subject.start)], statuses, &mut features);
        features.sort_unstable();
        features.dedup();
        features
    }
}

/// Returns whether one value contains the other as whole words.
pub(crate) fn values_overlap(a: &str, b: &str) -> bool {
    let (a, b) = (text::words(a), text::words(b));
    !a.is_empty() && !b.is_empty() && (text::contains_name(&a, &b) || text::contains_name(&b, &a))
}
