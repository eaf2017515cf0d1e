//! Reads facts from nouns that describe an entity: "a ferryman", "Mirela's brother", "a member of the guild".

use crate::{
    assertion::AssertionStatus,
    grammar::{WordClass, is_ignored},
    kind_set::KindSet,
    mentions::EntityRef,
    sentence_reader::{ResolvedEntity, SentenceReader},
};

/// Prepositions that can stand between a noun and its owner.
pub(crate) const OWNER_PREPOSITIONS: [&str; 8] = ["of", "to", "for", "in", "at", "with", "under", "from"];

/// Words that end like an occupation but are not occupations.
const NON_OCCUPATIONS: [&str; 22] = [
    "antagonist",
    "protagonist",
    "optimist",
    "pessimist",
    "idealist",
    "realist",
    "tourist",
    "mist",
    "twist",
    "fist",
    "wrist",
    "list",
    "heist",
    "human",
    "woman",
    "gentleman",
    "everyman",
    "madman",
    "volunteer",
    "pioneer",
    "career",
    "commander-in-chief",
];

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

    /// Returns whether a noun names a position with an employer, such as "contractor".
    fn is_position(&self, noun: &str) -> bool {
        self.grammar.noun_patterns.get(noun).into_iter().flatten().any(|(words, pattern)| {
            let target = &self.grammar.targets[pattern.target];
            words.len() == 1
                && !pattern.is_weak
                && !pattern.is_reversed
                && target.predicate == *"EMPLOYED_BY"
                && !target.ended
        })
    }

    /// Returns whether a word is capitalised, an adjective, an adverb, a number or a word that gives a known attribute.
    /// Such a word does not name an occupation.
    pub(crate) fn is_known_modifier(&self, token: usize) -> bool {
        let word = self.norm(token);
        self.grammar.word_class(word).has(WordClass::ADJECTIVE.or(WordClass::NUMBER).or(WordClass::ADVERB))
            || !self.grammar.adjective_attributes(word).is_empty()
            || self.tokens[token].is_capitalized
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

    pub(crate) fn is_number(&self, word: &str) -> bool {
        word.starts_with(|c: char| c.is_ascii_digit()) || {
            let is_number_word = |part: &str| self.grammar.word_class(part).has(WordClass::NUMBER);
            // Examples: "mid-forties", "fifty-something"
            let is_number_part = |part: &str| {
                is_number_word(part) || ["mid", "late", "early", "something", "odd", "ish"].contains(&part)
            };
            word.split('-').any(is_number_word) && word.split('-').all(is_number_part)
        }
    }

    pub(crate) fn target(&self, name: &str) -> Option<usize> {
        self.grammar.targets.iter().position(|target| target.predicate == *name && !target.ended && !target.denied)
    }

    pub(crate) fn singular(&self, word: &str) -> String {
        let is_known = |word: &str| {
            self.grammar.noun_patterns.contains_key(word) || self.grammar.attribute_nouns.contains_key(word)
        };
        if is_known(word) {
            return word.to_owned();
        }
        let candidates = [
            word.strip_suffix("ies").map(|stem| format!("{stem}y")),
            word.strip_suffix("men").map(|stem| format!("{stem}man")),
            word.strip_suffix("ves").map(|stem| format!("{stem}f")),
            word.strip_suffix("ves").map(|stem| format!("{stem}fe")),
            word.strip_suffix("es").map(str::to_owned),
            word.strip_suffix('s').map(str::to_owned),
            (word == "children").then(|| "child".to_owned()),
        ];
        candidates.into_iter().flatten().find(|word| is_known(word)).unwrap_or_else(|| word.to_owned())
    }

    /// Returns the attributes that a noun states, such as `occupation` for "ferryman". Each consists of the index of a
    /// target and whether the evidence is weak.
    pub(crate) fn noun_attributes(&self, head: &str) -> Vec<(usize, bool)> {
        if let Some(attributes) = self.grammar.attribute_nouns.get(head) {
            return attributes.clone();
        }
        let last = head.rsplit('-').next().unwrap_or(head);
        if last != head
            && let Some(attributes) = self.grammar.attribute_nouns.get(last)
        {
            return attributes.clone();
        }
        if NON_OCCUPATIONS.contains(&head) {
            return Vec::new();
        }
        let end = self
            .grammar
            .attribute_noun_suffixes
            .iter()
            .find(|(end, _)| head.len() > end.len() + 2 && head.ends_with(end.as_str()));
        end.map(|(_, target)| vec![(*target, false)]).unwrap_or_default()
    }

    /// Records relations that are stated by nouns: "Mirela's brother", "a member of the guild".
    ///
    /// Returns whether a relation was found, and the token after its last word.
    pub(crate) fn read_noun_relation(&mut self, context: NounContext<'_>) -> (bool, usize) {
        let NounContext { np, item, subjects, status, weight_names, clause } = context;
        let group = self.chunks.noun_groups[np].clone();
        let (from, to) = match group.role {
            Some((from, to)) => (from, to),
            None => (group.content_start, group.end),
        };
        let words: Vec<String> = (from..to).map(|at| self.norm(at).to_owned()).collect();
        let Some(last) = words.last() else { return (false, 0) };
        let last = self.singular(last);
        let grammar = self.grammar;
        let group_item = self.chunk_of(np).unwrap_or(item);
        // Example: "one of Mirela's informants"
        if matches!(last.as_str(), "one" | "some" | "several" | "two" | "three" | "many" | "all" | "both")
            && self.syntax.word(group_item + 1) == "of"
            && let Some(owned_group) = self.syntax.noun_group_at(group_item + 2)
            && self.chunks.noun_groups[owned_group].name.is_none()
            && self.chunks.noun_groups[owned_group].head > self.chunks.noun_groups[owned_group].start
        {
            return self.read_noun_relation(NounContext { np: owned_group, item: group_item + 2, ..context });
        }
        let entities: Vec<EntityRef> = subjects.iter().map(|subject| subject.entity).collect();
        let mut owners = self.owners(np, None, &[]);
        let mut end = group.end;
        if owners.is_empty() && group.owner.is_none() && group.role.is_none() {
            let preposition = self.syntax.word(group_item + 1);
            if OWNER_PREPOSITIONS.contains(&preposition) {
                let (list, next) = self.syntax.noun_list(group_item + 2, self.chunks.items.len());
                let needs_known_kind = preposition != "of";
                owners = self.resolve_all(&list, &entities);
                // Example: "a friend of Bram's"
                if let [single] = list[..]
                    && self.chunks.noun_groups[single].is_owner_only
                    && let Some(owner) = self.chunks.noun_groups[single].owner
                {
                    owners = self.resolve(owner, &entities);
                }
                // Example: "the youngest of Mirela's children"
                if owners.is_empty()
                    && let [single] = list[..]
                    && let Some(owner) = self.chunks.noun_groups[single].owner
                    && matches!(
                        self.norm(self.chunks.noun_groups[single].head),
                        "children" | "sons" | "daughters" | "kids"
                    )
                {
                    owners = self.resolve(owner, &entities);
                }
                if needs_known_kind {
                    owners.retain(|owner| !self.kinds(owner.entity).is_any());
                }
                end = self.chunk_end(next.saturating_sub(1)).min(self.tokens.len());
            }
        }
        if owners.is_empty() {
            return (false, 0);
        }
        let span = match clause {
            Some(at) => self.clause_span(at, end),
            None => self.span(group.start, end.saturating_sub(1)),
        };
        let noun_context = NounContext { item: group_item, ..context };
        if self.read_position(noun_context, &owners, span) {
            return (true, end);
        }
        let follows_in = self.syntax.word(group_item + 1) == "in" && group.owner.is_none();
        let Some(entries) = grammar.noun_patterns.get(&last) else {
            return (self.read_employment(noun_context, &last, &owners, span), end);
        };
        for (noun, pattern) in entries {
            let mut noun_words: Vec<String> = words.clone();
            if let Some(word) = noun_words.last_mut() {
                word.clone_from(&last);
            }
            if !noun_words.ends_with(noun) {
                continue;
            }
            let target = &grammar.targets[pattern.target];
            let mut weight_names = pattern.with_strength(weight_names);
            weight_names.push("by_noun");
            let fact_count = self.facts.len();
            for owner in &owners {
                for subject in subjects {
                    let (a, b) = if pattern.is_reversed { (owner, subject) } else { (subject, owner) };
                    if self.kinds(a.entity).intersects(target.subject)
                        && self.kinds(b.entity).intersects(target.object)
                        && (pattern.object_kinds.is_any() || self.kinds(b.entity).intersects(pattern.object_kinds))
                    {
                        let relation = format!("{} of", words.join(" "));
                        // "A navigator in the guild" is a member of the guild.
                        let member_target = self.target("MEMBER_OF").filter(|_| {
                            follows_in && target.predicate == *"EMPLOYED_BY" && self.kinds(b.entity) == KindSet::GROUP
                        });
                        // "The boss of the guild" leads the guild and is not employed by it.
                        let is_leader = pattern.is_reversed
                            && target.predicate == *"EMPLOYED_BY"
                            && self.kinds(owner.entity) == KindSet::GROUP;
                        if let Some(related) = self.related_target.filter(|_| is_leader) {
                            self.record_fact(related, subject, Ok(owner), &relation, &weight_names, status, span);
                            continue;
                        }
                        let target = member_target.unwrap_or(pattern.target);
                        self.record_fact(target, a, Ok(b), &relation, &weight_names, status, span);
                    }
                }
            }
            if self.facts.len() > fact_count {
                return (true, end);
            }
        }
        (false, 0)
    }

    /// Reads a position such as "the guild's head of security": an occupation, and employment by the owner. The person
    /// does not lead the guild.
    fn read_position(
        &mut self,
        context: NounContext<'_>,
        owners: &[ResolvedEntity],
        span: hearsay_model::Span,
    ) -> bool {
        let NounContext { np, item, subjects, status, weight_names, .. } = context;
        let group = &self.chunks.noun_groups[np];
        let position_nouns = [
            "head",
            "chief",
            "captain",
            "master",
            "mistress",
            "director",
            "keeper",
            "commander",
            "minister",
            "secretary",
        ];
        let domain_group = self.syntax.noun_group_at(item + 2).filter(|np| {
            let domain = &self.chunks.noun_groups[*np];
            domain.name.is_none() && !domain.is_pronoun && domain.owner.is_none()
        });
        let is_position = group.owner.is_some()
            && position_nouns.contains(&self.norm(group.head))
            && self.syntax.word(item + 1) == "of";
        let (Some(domain_group), Some(employed_target), Some(occupation_target)) =
            (domain_group.filter(|_| is_position), self.target("EMPLOYED_BY"), self.target("occupation"))
        else {
            return false;
        };
        let value = self.source_text(group.content_start, self.chunks.noun_groups[domain_group].end);
        let weight_names = [weight_names, &["by_noun"]].concat();
        let fact_count = self.facts.len();
        for subject in subjects {
            self.record_fact(occupation_target, subject, Err(value.clone()), "", &weight_names, status, span);
            for owner in owners {
                self.record_fact(employed_target, subject, Ok(owner), "", &weight_names, status, span);
            }
        }
        self.facts.len() > fact_count
    }

    /// Reads employment from an occupation with an owner, as in "hatter to Lady Bramble" and "Ilvara's poisoner".
    fn read_employment(
        &mut self,
        context: NounContext<'_>,
        noun: &str,
        owners: &[ResolvedEntity],
        span: hearsay_model::Span,
    ) -> bool {
        let NounContext { np, item, subjects, status, weight_names, .. } = context;
        let (Some(employed_target), Some(occupation_target)) = (self.target("EMPLOYED_BY"), self.target("occupation"))
        else {
            return false;
        };
        let is_occupation =
            self.grammar.attribute_nouns.get(noun).is_some_and(|kinds| kinds[0] == (occupation_target, false));
        let preposition = self.syntax.word(item + 1);
        let has_employer = self.chunks.noun_groups[np].owner.is_some() || matches!(preposition, "to" | "for" | "with");
        if !is_occupation || !has_employer {
            return false;
        }
        let kinds = KindSet::PERSON.or(KindSet::GROUP);
        let weight_names = [weight_names, &["weak", "by_noun", "by_trade"]].concat();
        let fact_count = self.facts.len();
        for owner in
            owners.iter().filter(|owner| kinds.intersects(self.kinds(owner.entity))).copied().collect::<Vec<_>>()
        {
            for subject in subjects {
                self.record_fact(employed_target, subject, Ok(&owner), noun, &weight_names, status, span);
            }
        }
        self.facts.len() > fact_count
    }
}
