//! Reads facts from nouns that describe an entity: "a ferryman", "Mirela's brother", "a member of the guild".

mod owner_relations;
mod vocabulary;

use crate::{
    assertion::AssertionStatus,
    grammar::{WordClass, is_ignored},
    kind_set::KindSet,
    mentions::EntityRef,
    sentence_reader::{ResolvedEntity, SentenceReader},
};

/// Prepositions that can stand between a noun and its owner.
pub(crate) const OWNER_PREPOSITIONS: [&str; 8] = ["of", "to", "for", "in", "at", "with", "under", "from"];

/// Input for reading a noun group that describes entities, as in "Odo is a ferryman" or "her brother Pell".
#[derive(Debug, Clone, Copy)]
pub(crate) struct NounContext<'s> {
    /// Index of the noun group.
    pub(crate) np: usize,
    /// Item of the noun group, or of a group near it if the noun group itself is not an item.
    pub(crate) item: usize,
    /// Entities that the noun group describes.
    pub(crate) subjects: &'s [ResolvedEntity],
    /// Assertion status of the description.
    pub(crate) status: &'s AssertionStatus,
    /// Names of the weights that determine the confidence, as far as they are known before the noun group is read.
    pub(crate) weight_names: &'s [&'static str],
    /// Clause that contains the description, or `None` for an apposition.
    pub(crate) clause: Option<usize>,
}

impl SentenceReader<'_> {
    /// Records the facts that a noun group states about the entities in `subjects`, as in "Odo is a ferryman".
    ///
    /// Returns the token after the words that were read, or `None` if no fact was recorded.
    pub(crate) fn read_noun_group(&mut self, context: NounContext<'_>) -> Option<usize> {
        let NounContext { np, item, subjects, status, weight_names, clause } = context;
        let group = self.chunks.noun_groups[np].clone();
        let span = |reader: &Self, end: usize| match clause {
            Some(at) => reader.clause_span(at, end),
            None => reader.span(group.start, end.saturating_sub(1)),
        };
        // "Builder's Grace" is a name; it does not describe a builder.
        let is_part_of_name = matches!(self.norm(group.end), "'s" | "'")
            && self.tokens.get(group.end + 1).is_some_and(|next| next.is_capitalized);
        if is_part_of_name && self.tokens[group.head].is_capitalized && group.name.is_none() {
            return None;
        }
        let mut status = status.clone();
        if group.article.is_some_and(|at| matches!(self.norm(at), "no" | "neither")) {
            status.denied = !status.denied;
        }
        let mut end = group.end;
        let fact_count = self.facts.len();
        let words: Vec<String> = (group.content_start..group.end).map(|at| self.norm(at).to_owned()).collect();
        if words
            .iter()
            .any(|word| matches!(word.as_str(), "former" | "ex" | "erstwhile" | "onetime" | "retired" | "late"))
            && !words.contains(&"late".to_owned())
        {
            status.ended = true;
        }
        // Examples: "the Kestrel is Ilvane's", "it's mine"
        let is_possessive_pronoun =
            group.is_pronoun && matches!(self.norm(group.head), "mine" | "yours" | "his" | "hers" | "theirs" | "ours");
        if group.is_owner_only || is_possessive_pronoun {
            let owners = match group.owner {
                Some(owner) => self.resolve(owner, &[]),
                None => self.resolve(np, &[]),
            };
            // Example: "The mill? That's Tilda's."
            let demonstrative = clause.and_then(|at| self.clauses[at].subjects.first().copied()).filter(|np| {
                subjects.is_empty() && matches!(self.norm(self.chunks.noun_groups[*np].head), "that" | "this")
            });
            let antecedent = demonstrative.and_then(|np| {
                let token = self.chunks.noun_groups[np].start;
                self.history.resolve_pronoun(crate::lexicon::Gender::It, token, &[])
            });
            let antecedent = antecedent.map(|antecedent| ResolvedEntity {
                entity: antecedent.entity,
                weight_name: Some("far_pronoun"),
                second_weight_name: None,
            });
            let antecedent: Vec<ResolvedEntity> = antecedent.into_iter().collect();
            let subjects = if antecedent.is_empty() { subjects } else { &antecedent[..] };
            if let Some(owns_target) = self.target("OWNS") {
                for owner in &owners {
                    for subject in subjects {
                        let fact_span = span(self, end);
                        self.record_fact(owns_target, owner, Ok(subject), "own", weight_names, &status, fact_span);
                    }
                }
            }
            return (self.facts.len() > fact_count).then_some(end);
        }
        if let Some(name) = group.name.filter(|_| group.role.is_none())
            && clause.is_some()
            && self.kinds(self.names[name].entity) == KindSet::GROUP
            && group.article.is_none_or(|at| matches!(self.norm(at), "a" | "an"))
            && let Some(member_target) = self.target("MEMBER_OF")
        {
            // Examples: "he is Guild", "she is an Ironvein"
            let refs = self.resolve(np, &[]);
            let fact_span = span(self, end);
            for subject in subjects {
                for group_entity in &refs {
                    self.record_fact(
                        member_target,
                        subject,
                        Ok(group_entity),
                        "",
                        &[weight_names, &["by_group"]].concat(),
                        &status,
                        fact_span,
                    );
                }
            }
            return (self.facts.len() > fact_count).then_some(end);
        }
        if group.name.is_some() && group.role.is_none() {
            // A name alone states nothing about the subject: "This is Odo".
            return None;
        }
        // Example: "“Nothing sinks twice” is the guild's motto"
        if let Some(at) = clause
            && let Some(targets) = self.grammar.attribute_labels.get(self.norm(group.head)).cloned()
            && group.owner.is_some()
            && subjects.is_empty()
        {
            let owners = self.owners(np, None, &[]);
            let (first, last) = (self.chunk_start(self.clauses[at].start), self.verb_group(at).start);
            let first = if first < last { first } else { 0 };
            if !(first..last).any(|at| matches!(self.tokens[at].kind, crate::tokenizer::TokenKind::Quote(_))) {
                return None;
            }
            for owner in &owners {
                let kinds = self.kinds(owner.entity);
                let target = targets.iter().find(|target| self.grammar.targets[**target].subject.intersects(kinds));
                if let Some(target) = target.copied() {
                    let (value, fact_span) = (self.source_text(first, last), span(self, end));
                    let value = value.trim_matches(['"', '\'', '\u{201C}', '\u{201D}']).to_owned();
                    self.record_fact(
                        target,
                        owner,
                        Err(value),
                        "",
                        &[weight_names, &["by_label"]].concat(),
                        &status,
                        fact_span,
                    );
                }
            }
            return (self.facts.len() > fact_count).then_some(end);
        }
        // Reads an age.
        let numbers = words.iter().filter(|word| self.is_number(word)).count();
        let has_year_word = words.iter().any(|word| matches!(word.as_str(), "years" | "year" | "winters" | "summers"));
        if numbers > 0 && (numbers == words.len() || has_year_word) && group.name.is_none() && group.article.is_none() {
            let after_old = self.norm(group.end) == "old";
            let is_person = subjects.iter().all(|subject| self.kinds(subject.entity).intersects(KindSet::PERSON));
            if (has_year_word && (after_old || words.len() > numbers))
                || (numbers == words.len()
                    && is_person
                    && !self.grammar.word_class(self.norm(group.end)).has(WordClass::PREPOSITION))
            {
                end = if after_old { group.end + 1 } else { group.end };
                let value = self.source_text(group.start, end);
                let fact_span = span(self, end);
                if let Some(age) = self.target("age") {
                    for subject in subjects {
                        self.record_fact(age, subject, Err(value.clone()), "", weight_names, &status, fact_span);
                    }
                }
                return (self.facts.len() > fact_count).then_some(end);
            }
        }
        // The noun may relate the subject to its owner.
        let (has_relation, relation_end) = self.read_noun_relation(NounContext { status: &status, ..context });
        end = end.max(relation_end);
        // The noun may state an occupation, species or other attribute.
        let head_token = group.role.map_or(group.head, |role| role.1.saturating_sub(1));
        let head = self.singular(self.norm(head_token));
        let mut attributes = self.noun_attributes(&head);
        if head == "prior" && self.norm(head_token + 1) == "to" {
            attributes.clear();
        }
        // "The best decision-maker" is praise, not an occupation, although the noun ends like one.
        let is_praise = (group.content_start..group.head).any(|at| {
            matches!(self.norm(at), "best" | "worst" | "greatest" | "finest")
                && !self.grammar.attribute_nouns.contains_key(&head)
        });
        if is_praise {
            attributes.clear();
        }
        if attributes.is_empty() && self.is_position(&head) {
            attributes.extend(self.target("occupation").map(|target| (target, true)));
        }
        let is_only_relation = has_relation && !self.grammar.attribute_nouns.contains_key(&head);
        if !is_only_relation {
            for (target, weak) in attributes {
                let name = self.grammar.targets[target].predicate.as_str().to_owned();
                if has_relation && name != "occupation" {
                    continue;
                }
                let value_start = if group.owner_is_name { group.content_start } else { self.value_start(&group) };
                let to = if group.role.is_some() { group.role.map_or(group.end, |role| role.1) } else { group.end };
                let mut value = self.source_text(value_start, to);
                if name == "species" {
                    // Example: "half giant"
                    let has_half = head_token > 0 && self.norm(head_token - 1) == "half";
                    value = self.source_text(head_token - usize::from(has_half), head_token + 1);
                }
                if name == "personality" {
                    value = self.source_text(value_start, to);
                }
                let weight_names = [weight_names, &[if weak { "weak" } else { "strong" }, "by_kind"][..]].concat();
                let fact_span = span(self, end);
                for subject in subjects {
                    self.record_fact(target, subject, Err(value.clone()), "", &weight_names, &status, fact_span);
                }
                break;
            }
            // Examples: "a goblin ferryman", "a tall man"
            for token in group.content_start..head_token {
                let word = self.norm(token).to_owned();
                if self.is_named(token) {
                    continue;
                }
                let species_entry = self
                    .grammar
                    .attribute_nouns
                    .get(&word)
                    .and_then(|entries| {
                        entries.iter().find(|(target, _)| self.grammar.targets[*target].predicate == *"species")
                    })
                    .copied();
                let is_place_description = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::PLACE)
                    && (head == "place" || head == "spot" || self.grammar.word_class(&head).has(WordClass::PLACE_NOUN));
                if let Some(age) = self.target("age").filter(|_| word.ends_with("-year-old")) {
                    let (value, fact_span) = (self.token_text(token), span(self, end));
                    for subject in subjects {
                        self.record_fact(age, subject, Err(value.clone()), "", weight_names, &status, fact_span);
                    }
                }
                let is_thing_description = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::THING);
                let is_light_noun = self.grammar.word_class(&head).has(WordClass::LIGHT_NOUN)
                    || is_place_description
                    || is_thing_description;
                let kinds = subjects.first().map_or(KindSet::ANY, |subject| self.kinds(subject.entity));
                let entries = self.grammar.adjective_attributes(&word);
                let entry = entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.intersects(kinds));
                let adjective_entry = entry.copied().filter(|(target, _)| {
                    let name = self.grammar.targets[*target].predicate.as_str();
                    (is_light_noun && !matches!(name, "emotional_state")) || name == "species"
                });
                // A "horse doctor" is not of the species horse.
                let is_animal = matches!(
                    word.as_str(),
                    "horse"
                        | "dog"
                        | "cat"
                        | "wolf"
                        | "bear"
                        | "rat"
                        | "goat"
                        | "pig"
                        | "cow"
                        | "sheep"
                        | "ghost"
                        | "dragon"
                        | "vampire"
                        | "demon"
                        | "spirit"
                        | "devil"
                        | "bull"
                        | "fox"
                        | "snake"
                        | "spider"
                );
                let is_description = is_light_noun || (!is_animal && !self.noun_attributes(&head).is_empty());
                if let Some((target, _)) = species_entry.or(adjective_entry).filter(|_| is_description) {
                    let value = self.token_text(token);
                    let fact_span = span(self, end);
                    for subject in subjects {
                        self.record_fact(target, subject, Err(value.clone()), "", weight_names, &status, fact_span);
                    }
                }
            }
        }
        // Example: "a reactor man"
        let is_light_noun = matches!(head.as_str(), "man" | "woman" | "boy" | "girl" | "hand" | "guy");
        if is_light_noun
            && !has_relation
            && group.head > group.content_start
            && group.name.is_none()
            && self.facts.len() == fact_count
            && !self.is_known_modifier(group.head - 1)
            && !self.norm(group.head - 1).ends_with("est")
        {
            let fact_span = span(self, end);
            let value = self.source_text(self.value_start(&group), group.end);
            if let Some(occupation) = self.target("occupation") {
                for subject in subjects {
                    self.record_fact(occupation, subject, Err(value.clone()), "", weight_names, &status, fact_span);
                }
            }
        }
        // Example: "a Vashti"
        let is_capitalized_group_noun = group.article.is_some_and(|at| matches!(self.norm(at), "a" | "an"))
            && group.head == group.content_start
            && group.name.is_none()
            && self.tokens[group.head].is_capitalized;
        // "A Lantern" is a member of the Lanterns.
        let group_candidate = self
            .lexicon
            .candidates(&format!("{}s", self.norm(group.head)))
            .iter()
            .find(|candidate| self.lexicon.entities[candidate.entity as usize].kinds == KindSet::GROUP);
        if is_capitalized_group_noun
            && let Some(candidate) = group_candidate
            && let Some(member_target) = self.target("MEMBER_OF")
        {
            let group_entity = ResolvedEntity {
                entity: EntityRef::Known(candidate.entity),
                weight_name: Some("part_name"),
                second_weight_name: None,
            };
            let fact_span = span(self, end);
            for subject in subjects {
                self.record_fact(
                    member_target,
                    subject,
                    Ok(&group_entity),
                    "",
                    &[weight_names, &["by_group"]].concat(),
                    &status,
                    fact_span,
                );
            }
        }
        if is_capitalized_group_noun
            && self.facts.len() == fact_count
            && let Some(species_target) = self.target("species")
        {
            let fact_span = span(self, end);
            let value = self.token_text(group.head);
            let weight_names = [weight_names, &["open_value"]].concat();
            for subject in subjects {
                self.record_fact(species_target, subject, Err(value.clone()), "", &weight_names, &status, fact_span);
            }
        }
        // Example: "a woman of fifty-three with cropped white hair"
        let is_place = subjects.iter().all(|subject| self.kinds(subject.entity) == KindSet::PLACE);
        if self.grammar.word_class(&head).has(WordClass::LIGHT_NOUN.or(WordClass::PLACE_NOUN))
            || self.grammar.attribute_nouns.contains_key(&head)
        {
            let mut next = self.chunk_of(np).unwrap_or(item) + 1;
            while let (word @ ("of" | "with" | "in"), Some(inner)) =
                (self.syntax.word(next), self.syntax.noun_group_at(next + 1))
            {
                let inner_group = self.chunks.noun_groups[inner].clone();
                let inner_words: Vec<String> =
                    (inner_group.content_start..inner_group.end).map(|at| self.norm(at).to_owned()).collect();
                let names_decade = |word: &String| word.ends_with("ties") || word == "teens";
                let is_age = (word == "of" && inner_words.iter().any(|word| self.is_number(word)))
                    || (word == "in" && !is_place && inner_words.iter().any(names_decade));
                let target = if is_age {
                    self.target(if is_place { "population" } else { "age" })
                } else if word == "with" && self.grammar.possession_nouns.contains_key(self.norm(inner_group.head)) {
                    self.grammar.possession_nouns[self.norm(inner_group.head)].first().map(|(target, _)| *target)
                } else {
                    None
                };
                if let Some(target) = target {
                    let to = if word == "with" {
                        self.value_end(next + 1, self.chunks.items.len())
                    } else {
                        inner_group.end
                    };
                    let value = self.source_text(self.chunk_content_start(next + 1), to);
                    let fact_span = span(self, to);
                    for subject in subjects {
                        self.record_fact(target, subject, Err(value.clone()), "", weight_names, &status, fact_span);
                    }
                    end = end.max(to);
                }
                next += 2;
            }
        }
        (self.facts.len() > fact_count).then_some(end)
    }

    pub(crate) fn token_text(&self, token: usize) -> String {
        self.source_text(token, token + 1)
    }

    /// Returns the token at which the value of an attribute begins in a noun group. Words such as "old" and "same" are
    /// skipped.
    pub(crate) fn value_start(&self, group: &crate::chunker::NounGroup) -> usize {
        let mut from = group.content_start;
        while from < group.head
            && (is_ignored(self.norm(from))
                || matches!(self.norm(from), "old" | "same" | "very" | "only" | "other" | "just" | "one")
                || self.norm(from).ends_with("-year-old"))
        {
            from += 1;
        }
        from
    }

    pub(crate) fn target(&self, name: &str) -> Option<usize> {
        self.grammar.targets.iter().position(|target| target.predicate == *name && !target.ended && !target.denied)
    }
}
