//! Extracts facts from the words after "is".

use std::ops::Range;

use hearsay_model::attribute;

use crate::{
    entities::mentions::EntityRef,
    facts::{Cue, CueKind},
    language::{
        grammar::{Pattern, PatternPart, WordClass, is_ignored, normalize_reflexive},
        kind_set::KindSet,
        predicate_properties::PredicateProperties,
        weights::{DoubtFactor, Weight},
        word_lists::lists,
    },
    relations::noun_facts::NounContext,
    sentence_reader::{FactBasis, ResolvedEntity, SentenceReader, assertion_status::AssertionStatus},
    syntax::chunker::Chunk,
};

/// Input for reading a clause: its index, its subjects, and the basis of its facts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClauseContext<'s> {
    pub(crate) at: usize,
    pub(crate) subjects: &'s [ResolvedEntity],
    pub(crate) basis: FactBasis<'s>,
}

impl SentenceReader<'_> {
    /// Reads the words after "is", starting at token `from`. Returns whether a fact was found.
    pub(crate) fn read_complement(
        &mut self,
        context: ClauseContext<'_>,
        from: usize,
        subject_np: Option<usize>,
    ) -> bool {
        let ClauseContext { at, basis, .. } = context;
        let is_passive = self.verb_group(at).is_passive;
        let to = self.complement_end(at, from, basis.status.denied);
        let status = self.complement_status(at, basis.status);
        // Examples: "Meridian's crest is …", "her brother's Tob", "his eyes are blue"
        let is_possession = subject_np
            .is_some_and(|np| self.grammar.possession_nouns.contains_key(self.norm(self.chunks.noun_groups[np].head)));
        if (!is_passive || is_possession)
            && let Some(np) = subject_np
            && self.read_owned_subject(ClauseContext { basis: basis.with_status(&status), ..context }, np, from, to)
        {
            return true;
        }
        let (mut has_fact, mut next) = (false, from);
        for (index, start) in self.complement_starts(from, to).into_iter().enumerate() {
            if start < next {
                continue;
            }
            // Example: "not her son but her nephew"
            let mut status = status.clone();
            if index > 0 && status.denied && self.norm(start - 1) == "but" {
                status.denied = false;
            }
            let context = ClauseContext { basis: basis.with_status(&status), ..context };
            let start = self.skip_modifiers(start, to);
            let start = start + usize::from(self.norm(start) == "dead" && self.is_intensifier(start));
            let end = match self.read_fixed_phrase(context, start, to) {
                None if is_passive => {
                    let is_adjective = index == 0 && self.gives_lasting_attribute(start);
                    return has_fact || (is_adjective && self.read_adjective(context, start).is_some());
                }
                None => self.read_adjective(context, start).or_else(|| self.read_noun(context, start, to)),
                fixed_phrase_end => fixed_phrase_end,
            };
            if let Some(end) = end {
                has_fact = true;
                next = end;
            }
        }
        has_fact
    }

    /// Returns the token after the words that follow "is", which start at token `from`.
    fn complement_end(&self, at: usize, from: usize, is_denied: bool) -> usize {
        let clause = &self.clauses[at];
        let next_item = clause.rest_items.end;
        if is_denied && self.syntax.word(next_item) == "but" {
            // In "not her son but her nephew", the asserted words follow "but".
            let is_verb = |item: usize| matches!(self.chunks.items.get(item), Some(Chunk::VerbGroup(_)));
            let is_end = |item: &usize| {
                is_verb(*item)
                    || *item >= self.chunks.items.len()
                    || matches!(self.syntax.word(*item), "," | "." | ";" | "!")
            };
            let end = (next_item + 1..=self.chunks.items.len()).find(is_end).unwrap_or(next_item);
            if !is_verb(end) {
                return self.chunk_end(end - 1).min(self.tokens.len());
            }
        }
        self.chunk_end(clause.last_item()).max(from).min(self.tokens.len())
    }

    /// Returns the assertion status of the words after the verb. A verb such as "seems" makes them a guess.
    fn complement_status(&self, at: usize, status: &AssertionStatus) -> AssertionStatus {
        let (verb, mut status) = (self.verb_group(at), status.clone());
        if self.grammar.verb_properties(&verb.lemma).is_seeming && !verb.is_copula && verb.lemma != "feel" {
            let factor = self.grammar.confidence_factor(DoubtFactor::HEDGE);
            status.confidence_factor = status.confidence_factor.min(factor);
            status.cues.push(Cue { kind: CueKind::Hedge, words: self.source_text(verb.head, verb.end) });
        }
        status
    }

    /// Returns the tokens at which the words after "is" can start a statement: the first token, and the tokens after
    /// commas and conjunctions.
    fn complement_starts(&self, from: usize, to: usize) -> Vec<usize> {
        let mut starts = vec![from];
        for token in from + 1..to {
            let follows_conjunction = matches!(self.norm(token - 1), "," | "and" | "but");
            if follows_conjunction && !self.is_inside_noun_group(token) {
                starts.push(token);
            }
        }
        // Example: "is the man behind the fire"
        if let Some(np) =
            self.chunks.noun_groups.iter().find(|np| np.start == from && np.name.is_none() && !np.is_pronoun)
            && (self.grammar.word_class(self.norm(np.head)).has(WordClass::LIGHT_NOUN) || self.norm(np.head) == "one")
            && self.grammar.word_class(self.norm(np.end)).has(WordClass::PREPOSITION)
        {
            starts.push(np.end);
        }
        starts.truncate(8);
        starts
    }

    /// Records the facts of a phrase or an age at a token. Returns the token after the phrase, or `None` if there is no
    /// phrase.
    fn read_fixed_phrase(&mut self, context: ClauseContext<'_>, start: usize, to: usize) -> Option<usize> {
        let leads_to_phrase = start + 1 < to
            && self.grammar.word_class(self.norm(start)).has(WordClass::ADJECTIVE)
            && self.grammar.word_class(self.norm(start + 1)).has(WordClass::PREPOSITION);
        self.read_phrase(context, start, to)
            .or_else(|| self.read_age(context, start, to))
            .or_else(|| if leads_to_phrase { self.read_phrase(context, start + 1, to) } else { None })
            .or_else(|| self.read_reciprocal_phrase(context, start, to))
    }

    /// Returns whether a word after a passive, such as "wounded", gives a condition or an appearance. Other words, such
    /// as "restrained", describe an event and not a personality.
    fn gives_lasting_attribute(&self, token: usize) -> bool {
        let is_lasting = |(target, _): &(usize, bool)| {
            let name = self.grammar.targets[*target].predicate.as_str();
            matches!(name, attribute::CONDITION | attribute::APPEARANCE)
        };
        let entries = self.grammar.attribute_adjectives.get(self.norm(token));
        entries.is_some_and(|entries| entries.iter().any(is_lasting))
    }

    /// Records an age: "about fifty", "twenty-six years old", "past seventy".
    fn read_age(&mut self, context: ClauseContext<'_>, start: usize, to: usize) -> Option<usize> {
        let ClauseContext { at, subjects, basis } = context;
        let is_person =
            !subjects.is_empty() && subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::PERSON);
        let is_age_word =
            |token: usize| self.is_number(self.norm(token)) || lists().numbers.age_words.contains(self.norm(token));
        let end = (start..to).find(|token| !is_age_word(*token)).unwrap_or(to);
        let has_number = (start..end).any(|token| self.is_number(self.norm(token)));
        let is_complete = end >= to
            || !self.tokens[end].is_word()
            || self.norm(end) == "today"
            || lists().numbers.after_ages.contains(self.norm(end));
        let starts_like_age = !lists().numbers.no_ages.contains(self.norm(start));
        let names_decade = (start..end).any(|token| self.norm(token).ends_with("ies") || self.norm(token) == "teens");
        let starts_like_age = starts_like_age && (self.norm(start) != "in" || names_decade);
        let age = self.target(attribute::AGE).filter(|_| is_person && has_number && is_complete && starts_like_age)?;
        let (value, span) = (self.source_text(start, end), self.clause_span(at, end));
        let weight_names = [basis.weight_names, &[Weight::BY_AGE]].concat();
        for subject in subjects {
            self.record_value(age, subject, value.clone(), basis.with_weights(&weight_names), span);
        }
        Some(end)
    }

    pub(crate) fn is_inside_noun_group(&self, token: usize) -> bool {
        self.chunks.noun_groups.iter().any(|np| np.start < token && token < np.end)
    }

    pub(crate) fn skip_modifiers(&self, mut token: usize, to: usize) -> usize {
        let is_known = |token: usize| {
            self.grammar.phrase_patterns.contains_key(self.norm(token))
                || self.grammar.attribute_adjectives.contains_key(self.norm(token))
        };
        while token < to
            && !is_known(token)
            && (self.is_place_particle(token)
                || self.grammar.word_class(self.norm(token)).has(WordClass::ADVERB.or(WordClass::CONJUNCTION))
                || self.norm(token) == ","
                || lists().speech.hesitations.contains(self.norm(token))
                || (self.norm(token).ends_with("ly") && self.norm(token).len() > 4))
            && !self.names.iter().any(|name| name.start == token)
        {
            token += 1;
        }
        token
    }

    /// Returns whether a word is a particle before the preposition of a place, such as "down" in "down at the mill".
    fn is_place_particle(&self, token: usize) -> bool {
        let precedes_place = self.grammar.word_class(self.norm(token + 1)).has(WordClass::PREPOSITION);
        precedes_place
            && (lists().adverbs.place_particles.contains(self.norm(token))
                || lists().adverbs.place_intensifiers.contains(self.norm(token)))
    }

    /// Returns the value that a phrase and its object state. `words` are the tokens of the phrase and its object. Returns
    /// `None` if the object is no value of the attribute.
    fn phrase_value(&self, pattern: &Pattern, object: Option<usize>, at: usize, words: Range<usize>) -> Option<String> {
        let Some(np) = object.filter(|_| pattern.value.is_none()) else {
            return Some(pattern.value.clone().unwrap_or_else(|| self.source_text(words.start, words.end)));
        };
        let predicate = self.grammar.targets[pattern.target].predicate.as_str();
        let group = &self.chunks.noun_groups[np];
        let item = self.chunk_of(np)?;
        let end = self.value_end(item, self.clauses[at].rest_items.end.max(item + 1));
        let is_object_only = matches!(
            predicate,
            attribute::ALIAS
                | attribute::VALUE
                | attribute::FAITH
                | attribute::TITLE
                | attribute::DATE
                | attribute::GOVERNMENT
                | attribute::POPULATION
                | attribute::REWARD
        );
        // In "is run by Odo", the ruler is recorded as a relation, not as a government.
        if predicate == attribute::GOVERNMENT && (group.name.is_some() || group.owner.is_some()) {
            return None;
        }
        let start = if is_object_only { self.chunk_content_start(item) } else { words.start };
        let value = self.source_text(start, end);
        // After "born", only a capitalized word is a value, unlike in "a born gambler".
        if value.starts_with(|c: char| c.is_lowercase()) && pattern.words == "born" {
            return None;
        }
        let is_known = group.name.is_some_and(|name| matches!(self.names[name].entity, EntityRef::Known(_)));
        (predicate != attribute::ALIAS || !is_known).then_some(value)
    }

    /// Records the facts of a fixed phrase and its object, such as "in the pay of the guild". Returns the token after
    /// the phrase, or `None` if no phrase gave a fact.
    pub(crate) fn read_phrase(&mut self, context: ClauseContext<'_>, start: usize, to: usize) -> Option<usize> {
        let ClauseContext { at, subjects, basis } = context;
        let grammar = self.grammar;
        let mut first = start;
        while first < to && is_ignored(self.norm(first)) {
            first += 1;
        }
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let mut relation_end = None;
        for pattern in grammar.phrase_patterns.get(normalize_reflexive(self.norm(first))).into_iter().flatten() {
            let Some((object, end)) = self.match_phrase(pattern, first + 1, to) else { continue };
            let target = &grammar.targets[pattern.target];
            if relation_end.is_some()
                && !(target.predicate == *attribute::CONDITION && pattern.words.ends_with(" dead"))
            {
                continue;
            }
            let mut weight_names = pattern.with_strength(basis.weight_names);
            weight_names.push(Weight::BY_PHRASE);
            let fact_count = self.facts.len();
            if !target.predicate.is_relation() {
                let Some(value) = self.phrase_value(pattern, object, at, first..end) else { continue };
                let span = self.clause_span(at, end);
                if target.predicate == *attribute::POPULATION
                    && !(start..end).any(|token| self.is_number(self.norm(token)))
                {
                    continue;
                }
                for subject in subjects {
                    self.record_value(pattern.target, subject, value.clone(), basis.with_weights(&weight_names), span);
                }
            } else if let Some(np) = object {
                let list = self
                    .chunk_of(np)
                    .map_or_else(|| vec![np], |item| self.syntax.noun_list(item, self.chunks.items.len()).0);
                let list = if list.is_empty() { vec![np] } else { list };
                let mut objects = self.resolve_all(&list, &entities);
                if objects.is_empty() && target.has(PredicateProperties::APPLIES_TO_WHOLES) {
                    // Example: "in the cellar of the Bell"
                    objects = self.owners(np, self.chunk_of(np), &["of"]);
                }
                let span = self.clause_span(at, end);
                self.record_pattern(pattern, (subjects, &objects), basis.with_weights(&weight_names), span);
            }
            if self.facts.len() > fact_count {
                self.read_phrase_occupation(context, pattern, first, end);
                // "found dead at the mill" gives both a place and a condition.
                if target.predicate.is_relation() {
                    relation_end = relation_end.or(Some(end));
                    self.read_injury(context, first);
                    continue;
                }
                return Some(relation_end.map_or(end, |other: usize| other.max(end)));
            }
        }
        relation_end
    }

    /// Records the condition in a phrase such as "wounded in the siege", in addition to the other facts of the phrase.
    fn read_injury(&mut self, context: ClauseContext<'_>, first: usize) {
        let entries = self.grammar.adjective_attributes(self.norm(first));
        let condition = self.target(attribute::CONDITION);
        let is_injury = lists().adjectives.injuries.contains(self.norm(first));
        if is_injury && entries.first().is_some_and(|(target, _)| Some(*target) == condition) {
            self.read_adjective(context, first);
        }
    }

    /// Records the occupation in a phrase such as "chaplain to the guild", in addition to the other facts of the
    /// phrase.
    fn read_phrase_occupation(&mut self, context: ClauseContext<'_>, pattern: &Pattern, first: usize, end: usize) {
        let ClauseContext { at, subjects, basis } = context;
        let states_employment =
            self.grammar.targets[pattern.target].has(PredicateProperties::EMPLOYMENT) && pattern.words.ends_with(" to");
        let noun = self.singular(self.norm(first));
        let Some(occupation) = self.target(attribute::OCCUPATION).filter(|_| states_employment) else { return };
        if self.grammar.attribute_nouns.get(&noun).is_some_and(|kinds| kinds[0].0 == occupation) {
            let (value, span) = (self.source_text(first, first + 1), self.clause_span(at, end));
            let weight_names = [basis.weight_names, &[Weight::BY_KIND]].concat();
            for subject in subjects {
                self.record_value(occupation, subject, value.clone(), basis.with_weights(&weight_names), span);
            }
        }
    }

    /// Matches the rest of a phrase from token `from`. Returns the noun group of the object, if the phrase has one, and
    /// the token after the match. Returns `None` if the phrase does not match.
    pub(crate) fn match_phrase(&self, pattern: &Pattern, from: usize, to: usize) -> Option<(Option<usize>, usize)> {
        let mut token = from;
        let mut owner = None;
        let np_at = |token: usize| {
            self.chunks.items.iter().find_map(|item| match item {
                Chunk::NounGroup(np) if self.chunks.noun_groups[*np].start == token => Some(*np),
                _ => None,
            })
        };
        // In "worth forty camels", the object is inside a larger noun group.
        let np_around = |token: usize| {
            self.chunks.items.iter().find_map(|item| match item {
                Chunk::NounGroup(np)
                    if self.chunks.noun_groups[*np].start < token && token < self.chunks.noun_groups[*np].end =>
                {
                    Some(*np)
                }
                _ => None,
            })
        };
        let owner_at = |token: usize| {
            let group =
                self.chunks.noun_groups.iter().find(|np| {
                    np.start == token && np.owner.is_some() && np.content_start < np.end && !np.owner_is_name
                })?;
            Some((group.owner?, group.content_start))
        };
        let mut parts = &pattern.parts[..];
        while let Some(part) = parts.first() {
            match part {
                PatternPart::Object => {
                    let np = np_at(token)
                        .or_else(|| np_around(token).filter(|np| self.chunks.noun_groups[*np].name.is_none()));
                    let object_end = np.map(|np| (np, self.chunks.noun_groups[np].end));
                    if let Some((np, end)) = object_end.filter(|_| token < self.tokens.len()) {
                        return Some((Some(np), end));
                    }
                    // Skips adverbs and words such as "about" before the object, as in "worth about sixty".
                    let (word, numbers) = (self.norm(token), &lists().numbers);
                    let is_skipped = self.grammar.word_class(word).has(WordClass::ADVERB)
                        || numbers.approximators.contains(word)
                        || numbers.value_approximators.contains(word);
                    if is_skipped && token < to {
                        token += 1;
                        continue;
                    }
                    return None;
                }
                PatternPart::Any => {
                    token = self.chunks.noun_groups[np_at(token)?].end;
                    parts = &parts[1..];
                }
                PatternPart::Word(word) => {
                    if token >= to.max(from) && token >= self.tokens.len() {
                        return None;
                    }
                    if normalize_reflexive(self.norm(token)) == word {
                        token += 1;
                        parts = &parts[1..];
                        continue;
                    }
                    if word == "of" && owner.is_some() && parts.get(1) == Some(&PatternPart::Object) {
                        return Some((owner, token));
                    }
                    if let Some((np, content)) = owner_at(token)
                        && pattern.parts.ends_with(&[PatternPart::Word("of".into()), PatternPart::Object])
                    {
                        owner = Some(np);
                        token = content.max(token + 1);
                        continue;
                    }
                    if is_ignored(self.norm(token)) {
                        token += 1;
                        continue;
                    }
                    return None;
                }
            }
        }
        Some((None, token))
    }

    /// Records a relation between the first two subjects, as in "are allies". Returns the token after the words that
    /// were read.
    pub(crate) fn read_reciprocal_phrase(
        &mut self,
        context: ClauseContext<'_>,
        start: usize,
        to: usize,
    ) -> Option<usize> {
        let ClauseContext { at, subjects, basis } = context;
        let [a, b, ..] = subjects else { return None };
        let (a, b) = (*a, *b);
        let grammar = self.grammar;
        for (token, skipped) in (start..to.min(start + 4)).zip(0..) {
            for (words, pattern) in grammar.reciprocal_phrases.get(self.norm(token)).into_iter().flatten() {
                let end = token + words.len();
                let is_match = end <= self.tokens.len()
                    && words
                        .iter()
                        .zip(token..end)
                        .all(|(word, at)| self.norm(at) == word || (word == "other's" || word == "others'"));
                if !is_match || (skipped > 0 && !self.is_one_noun_group(start, token)) {
                    continue;
                }
                // "are members of the guild" states no relation between the subjects.
                if lists().prepositions.reciprocal_objects.contains(self.norm(end)) {
                    continue;
                }
                let span = self.clause_span(at, end);
                let weight_names = [basis.weight_names, &[Weight::BY_TOGETHER]].concat();
                self.record_relation(pattern.target, (&a, &b), &pattern.words, basis.with_weights(&weight_names), span);
                return Some(end);
            }
        }
        None
    }

    pub(crate) fn is_one_noun_group(&self, from: usize, to: usize) -> bool {
        self.chunks.noun_groups.iter().any(|np| np.start <= from && to < np.end)
    }

    /// Returns whether a word emphasises the adjective after it, as in "dead scared" and "dead certain". In "dead due to
    /// a fever", "dead" is a condition.
    pub(crate) fn is_intensifier(&self, at: usize) -> bool {
        let next = self.norm(at + 1);
        let is_in_noun_group = || self.chunks.noun_groups.iter().any(|np| np.start <= at + 1 && at + 1 < np.end);
        let is_adjective = !self.grammar.adjective_attributes(next).is_empty()
            || (self.grammar.word_class(next).has(WordClass::ADJECTIVE)
                && self.norm(at + 2) != "to"
                && !is_in_noun_group());
        lists().adverbs.intensifiers.contains(self.norm(at)) && is_adjective
    }

    /// Records the attribute that an adjective gives, such as "wounded". Returns the token after the adjective, or
    /// `None` if no fact was added.
    pub(crate) fn read_adjective(&mut self, context: ClauseContext<'_>, start: usize) -> Option<usize> {
        let ClauseContext { at, subjects, basis } = context;
        let start = start + usize::from(self.is_intensifier(start));
        let word = self.norm(start).to_owned();
        if self.is_named(start) {
            return None;
        }
        // The adjective in "an angry man" is read with its noun group.
        let is_in_noun_group =
            self.chunks.noun_groups.iter().any(|np| np.start <= start && start < np.end && np.head != start);
        let entries = self.grammar.adjective_attributes(&word);
        if is_in_noun_group {
            return None;
        }
        let span = self.clause_span(at, start + 1);
        let fact_count = self.facts.len();
        for subject in subjects {
            let kinds = self.kinds(subject.entity);
            let entry = entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.intersects(kinds));
            if let Some((target, weak)) = entry {
                let precedes_preposition = self.grammar.word_class(self.norm(start + 1)).has(WordClass::PREPOSITION)
                    && lists().prepositions.after_adjectives.contains(self.norm(start + 1));
                let mut weight_names = [basis.weight_names, &[Weight::of_words(*weak), Weight::BY_ADJECTIVE]].concat();
                if precedes_preposition {
                    weight_names.push(Weight::LEADS_ON);
                }
                let mut end = start + 1;
                // The value includes the particle of "burned down", but not the adverb of "hurt badly".
                if matches!(self.norm(end), "down" | "up") {
                    end += 1;
                }
                let value = self.source_text(start, end);
                self.record_value(*target, subject, value, basis.with_weights(&weight_names), span);
            }
        }
        (self.facts.len() > fact_count).then_some(start + 1)
    }

    /// Reads the noun group after "is": a ferryman, Mirela's brother, a member of the guild, forty years old. Returns
    /// the token after the words that were read.
    pub(crate) fn read_noun(&mut self, context: ClauseContext<'_>, start: usize, to: usize) -> Option<usize> {
        let ClauseContext { at, subjects, basis } = context;
        let item = (self.clauses[at].rest_items.start..self.chunks.items.len())
            .find(|item| self.chunk_start(*item) >= start)?;
        if self.chunk_start(item) != start || start >= to {
            return None;
        }
        let np = self.syntax.noun_group_at(item)?;
        // Example: "shoulders like a barn door"
        let group = self.chunks.noun_groups[np].clone();
        let is_plain_noun =
            group.owner.is_none() && group.name.is_none() && group.article.is_none() && !group.is_pronoun;
        if is_plain_noun
            && let Some((target, _)) =
                self.grammar.possession_nouns.get(self.norm(group.head)).and_then(|all| all.first())
        {
            let (target, end) = (*target, self.value_end(item, self.chunks.items.len()).max(group.end));
            let end = if self.norm(group.end) == "like" { self.chunk_end(item + 2).min(to) } else { end };
            let (value, span) = (self.source_text(group.content_start, end), self.clause_span(at, end));
            let weight_names = [basis.weight_names, &[Weight::BY_PART]].concat();
            for subject in subjects {
                self.record_value(target, subject, value.clone(), basis.with_weights(&weight_names), span);
            }
            return Some(end);
        }
        self.read_noun_group(NounContext { np, item, subjects, basis, clause: Some(at) })
    }
}
