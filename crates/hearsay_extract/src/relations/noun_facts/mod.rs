//! Reads facts from nouns that describe an entity: "a ferryman", "Mirela's brother", "a member of the guild".

mod modifiers;
mod owner_relations;
mod vocabulary;

use hearsay_model::{PredicateRole, Span, attribute};

use crate::{
    entities::{lexicon::Gender, mentions::EntityRef},
    language::{
        grammar::{WordClass, is_ignored},
        kind_set::KindSet,
        predicate_properties::PredicateProperties,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{FactBasis, ResolvedEntity, SentenceReader},
    syntax::chunker::NounGroup,
    text::tokenizer::TokenKind,
};

/// Input for reading a noun group that describes entities, as in "Odo is a ferryman" or "her brother Pell".
#[derive(Debug, Clone, Copy)]
pub(crate) struct NounContext<'s> {
    /// Index of the noun group.
    pub(crate) np: usize,
    /// Item of the noun group, or of a group near it if the noun group itself is not an item.
    pub(crate) item: usize,
    /// Entities that the noun group describes.
    pub(crate) subjects: &'s [ResolvedEntity],
    /// Basis of the facts that the description states.
    pub(crate) basis: FactBasis<'s>,
    /// Clause that contains the description, or `None` for an apposition.
    pub(crate) clause: Option<usize>,
}

impl SentenceReader<'_> {
    /// Records the facts that a noun group states about the entities in `subjects`, as in "Odo is a ferryman".
    ///
    /// Returns the token after the words that were read, or `None` if no fact was recorded.
    pub(crate) fn read_noun_group(&mut self, context: NounContext<'_>) -> Option<usize> {
        let group = self.chunks.noun_groups[context.np].clone();
        // "Builder's Grace" is a name; it does not describe a builder.
        let is_part_of_name = matches!(self.norm(group.end), "'s" | "'")
            && self.tokens.get(group.end + 1).is_some_and(|next| next.is_capitalized);
        if is_part_of_name && self.tokens[group.head].is_capitalized && group.name.is_none() {
            return None;
        }
        let mut status = context.basis.status.clone();
        if group.article.is_some_and(|at| matches!(self.norm(at), "no" | "neither")) {
            status.denied = !status.denied;
        }
        let words: Vec<String> = (group.content_start..group.end).map(|at| self.norm(at).to_owned()).collect();
        if words.iter().any(|word| lists().adjectives.former.contains(word.as_str()))
            && !words.contains(&"late".to_owned())
        {
            status.ended = true;
        }
        let fact_count = self.facts.len();
        let end = self.read_noun_words(NounContext { basis: context.basis.with_status(&status), ..context }, &words);
        (self.facts.len() > fact_count).then_some(end)
    }

    /// Records the facts that the words of a noun group state. Returns the token after the words that were read.
    fn read_noun_words(&mut self, context: NounContext<'_>, words: &[String]) -> usize {
        let NounContext { np, subjects, clause, .. } = context;
        let group = self.chunks.noun_groups[np].clone();
        // Examples: "the Kestrel is Ilvane's", "it's mine"
        let is_possessive_pronoun =
            group.is_pronoun && lists().pronouns.independent_possessives.contains(self.norm(group.head));
        if group.is_owner_only || is_possessive_pronoun {
            self.read_ownership(context);
            return group.end;
        }
        if let Some(name) = group.name.filter(|_| group.role.is_none()) {
            // A name alone states nothing about the subject ("This is Odo"), unless it is the name of a group.
            self.read_group_name(context, name);
            return group.end;
        }
        // Example: "“Nothing sinks twice” is the guild's motto"
        if let Some(clause) = clause
            && let Some(targets) = self.grammar.attribute_labels.get(self.norm(group.head)).cloned()
            && group.owner.is_some()
            && subjects.is_empty()
        {
            self.read_quoted_value(context, clause, &targets);
            return group.end;
        }
        if let Some(end) = self.read_noun_age(context, words) {
            return end;
        }
        let fact_count = self.facts.len();
        // The noun may relate the subject to its owner.
        let (has_relation, relation_end) = self.read_noun_relation(context);
        let end = group.end.max(relation_end);
        // The noun may state an occupation, species or other attribute.
        let head_token = group.role.map_or(group.head, |role| role.1.saturating_sub(1));
        let head = self.singular(self.norm(head_token));
        let is_only_relation = has_relation && !self.grammar.attribute_nouns.contains_key(&head);
        if !is_only_relation {
            self.read_head_noun(context, head_token, &head, has_relation, end);
            // Examples: "a goblin ferryman", "a tall man"
            for token in group.content_start..head_token {
                self.read_noun_modifier(context, token, &head, end);
            }
        }
        if !has_relation && self.facts.len() == fact_count {
            self.read_compound_occupation(context, &head, end);
        }
        self.read_capitalized_noun(context, fact_count, end);
        self.read_noun_phrases(context, &head, end)
    }

    /// Returns the byte range of a description whose words end before the token `end`.
    fn description_span(&self, context: NounContext<'_>, end: usize) -> Span {
        match context.clause {
            Some(at) => self.clause_span(at, end),
            None => self.span(self.chunks.noun_groups[context.np].start, end.saturating_sub(1)),
        }
    }

    /// Records the value of an attribute for each entity that the noun group describes. The words of the description
    /// end before the token `end`.
    fn record_description(&mut self, context: NounContext<'_>, target: usize, value: &str, end: usize) {
        let NounContext { subjects, basis, .. } = context;
        let span = self.description_span(context, end);
        for subject in subjects {
            self.record_value(target, subject, value.to_owned(), basis, span);
        }
    }

    /// Records who owns the subjects, as in "the Kestrel is Ilvane's".
    fn read_ownership(&mut self, context: NounContext<'_>) {
        let NounContext { np, subjects, basis, clause, .. } = context;
        let group = self.chunks.noun_groups[np].clone();
        let owners = self.resolve(group.owner.unwrap_or(np), &[]);
        // Example: "The mill? That's Tilda's."
        let demonstrative = clause.and_then(|at| self.clauses[at].subjects.first().copied()).filter(|np| {
            subjects.is_empty() && matches!(self.norm(self.chunks.noun_groups[*np].head), "that" | "this")
        });
        let antecedent = demonstrative.and_then(|np| {
            let token = self.chunks.noun_groups[np].start;
            self.history.resolve_pronoun(Gender::It, token, &[])
        });
        let antecedent =
            antecedent.map(|antecedent| ResolvedEntity::uncertain(antecedent.entity, Some(Weight::FAR_PRONOUN), None));
        let antecedent: Vec<ResolvedEntity> = antecedent.into_iter().collect();
        let subjects = if antecedent.is_empty() { subjects } else { &antecedent[..] };
        let Some(owns_target) = self.role_target(PredicateRole::Possession) else { return };
        let span = self.description_span(context, group.end);
        for owner in &owners {
            for subject in subjects {
                self.record_relation(owns_target, (owner, subject), "own", basis, span);
            }
        }
    }

    /// Records that the subjects are members of a group, if the name of the noun group is the name of a group: "he is
    /// Guild", "she is an Ironvein".
    fn read_group_name(&mut self, context: NounContext<'_>, name: usize) {
        let NounContext { np, subjects, basis, clause, .. } = context;
        let group = self.chunks.noun_groups[np].clone();
        let is_membership = clause.is_some()
            && self.kinds(self.names[name].entity) == KindSet::GROUP
            && (group.article.is_none() || self.is_indefinite(&group));
        let Some(member_target) = self.role_target(PredicateRole::Membership).filter(|_| is_membership) else { return };
        let groups = self.resolve(np, &[]);
        let span = self.description_span(context, group.end);
        let weight_names = [basis.weight_names, &[Weight::BY_GROUP]].concat();
        for subject in subjects {
            for group_entity in &groups {
                self.record_relation(
                    member_target,
                    (subject, group_entity),
                    "",
                    basis.with_weights(&weight_names),
                    span,
                );
            }
        }
    }

    /// Records the quotation before the verb as the value of a label: "“Nothing sinks twice” is the guild's motto".
    /// `targets` are the targets of the label.
    fn read_quoted_value(&mut self, context: NounContext<'_>, clause: usize, targets: &[usize]) {
        let NounContext { np, basis, .. } = context;
        let end = self.chunks.noun_groups[np].end;
        let owners = self.owners(np, None, &[]);
        let (first, last) = (self.chunk_start(self.clauses[clause].start), self.verb_group(clause).start);
        let first = if first < last { first } else { 0 };
        if !(first..last).any(|at| matches!(self.tokens[at].kind, TokenKind::Quote(_))) {
            return;
        }
        let weight_names = [basis.weight_names, &[Weight::BY_LABEL]].concat();
        for owner in &owners {
            let kinds = self.kinds(owner.entity);
            let target = targets.iter().find(|target| self.grammar.targets[**target].subject.intersects(kinds));
            if let Some(target) = target.copied() {
                let (value, span) = (self.source_text(first, last), self.description_span(context, end));
                let value = value.trim_matches(['"', '\'', '\u{201C}', '\u{201D}']).to_owned();
                self.record_value(target, owner, value, basis.with_weights(&weight_names), span);
            }
        }
    }

    /// Reads an age, such as "sixty" or "forty years old". Returns the token after it, or `None` if the words are no
    /// age.
    fn read_noun_age(&mut self, context: NounContext<'_>, words: &[String]) -> Option<usize> {
        let group = self.chunks.noun_groups[context.np].clone();
        let number_count = words.iter().filter(|word| self.is_number(word)).count();
        let has_only_numbers = number_count == words.len();
        let has_year_word = words.iter().any(|word| word == "year" || lists().times.years.contains(word));
        if number_count == 0 || !(has_only_numbers || has_year_word) || group.name.is_some() || group.article.is_some()
        {
            return None;
        }
        let next_word = self.norm(group.end);
        let is_before_old = next_word == "old";
        let is_person = context.subjects.iter().all(|subject| self.kinds(subject.entity).intersects(KindSet::PERSON));
        let has_unit = has_year_word && (is_before_old || !has_only_numbers);
        let is_bare_number =
            has_only_numbers && is_person && !self.grammar.word_class(next_word).has(WordClass::PREPOSITION);
        if !has_unit && !is_bare_number {
            return None;
        }
        let end = if is_before_old { group.end + 1 } else { group.end };
        let value = self.source_text(group.start, end);
        if let Some(age) = self.target(attribute::AGE) {
            self.record_description(context, age, &value, end);
        }
        Some(end)
    }

    /// Returns the attributes that the last noun of a group states. Each consists of the index of a target and whether
    /// the evidence is weak.
    fn head_attributes(&self, group: &NounGroup, head_token: usize, head: &str) -> Vec<(usize, bool)> {
        let is_preposition = head == "prior" && self.norm(head_token + 1) == "to";
        // "The best decision-maker" is praise, not an occupation, although the noun ends like one.
        let is_praise = !self.grammar.attribute_nouns.contains_key(head)
            && (group.content_start..group.head).any(|at| lists().adjectives.praise.contains(self.norm(at)));
        let mut attributes = if is_preposition || is_praise { Vec::new() } else { self.noun_attributes(head) };
        if attributes.is_empty() && self.is_position(head) {
            attributes.extend(self.target(attribute::OCCUPATION).map(|target| (target, true)));
        }
        attributes
    }

    /// Records the attribute that the last noun of the group states. After a relation, only an occupation is recorded.
    fn read_head_noun(
        &mut self,
        context: NounContext<'_>,
        head_token: usize,
        head: &str,
        has_relation: bool,
        end: usize,
    ) {
        let group = self.chunks.noun_groups[context.np].clone();
        let attribute = self
            .head_attributes(&group, head_token, head)
            .into_iter()
            .find(|(target, _)| !has_relation || self.grammar.targets[*target].predicate == *attribute::OCCUPATION);
        let Some((target, is_weak)) = attribute else { return };
        let value = if self.grammar.targets[target].predicate == *attribute::SPECIES {
            // Example: "half giant"
            let has_half = head_token > 0 && self.norm(head_token - 1) == "half";
            self.source_text(head_token - usize::from(has_half), head_token + 1)
        } else {
            let start = if group.owner_is_name { group.content_start } else { self.value_start(&group) };
            self.source_text(start, group.role.map_or(group.end, |role| role.1))
        };
        let weight_names = [context.basis.weight_names, &[Weight::of_words(is_weak), Weight::BY_KIND]].concat();
        let context = NounContext { basis: context.basis.with_weights(&weight_names), ..context };
        self.record_description(context, target, &value, end);
    }

    /// Records an occupation of two nouns whose second noun is a word for any person: "a reactor man".
    fn read_compound_occupation(&mut self, context: NounContext<'_>, head: &str, end: usize) {
        let group = self.chunks.noun_groups[context.np].clone();
        let is_compound = lists().nouns.second_parts.contains(head)
            && group.head > group.content_start
            && group.name.is_none()
            && !self.is_known_modifier(group.head - 1)
            && !self.norm(group.head - 1).ends_with("est");
        let Some(occupation) = self.target(attribute::OCCUPATION).filter(|_| is_compound) else { return };
        let value = self.source_text(self.value_start(&group), group.end);
        self.record_description(context, occupation, &value, end);
    }

    /// Reads a capitalized noun with an indefinite article. "A Lantern" is a member of the Lanterns. If no fact was
    /// recorded since `fact_count`, the noun is a species, as in "a Vashti".
    fn read_capitalized_noun(&mut self, context: NounContext<'_>, fact_count: usize, end: usize) {
        let NounContext { np, subjects, basis, .. } = context;
        let group = self.chunks.noun_groups[np].clone();
        let is_group_noun = self.is_indefinite(&group)
            && group.head == group.content_start
            && group.name.is_none()
            && self.tokens[group.head].is_capitalized;
        if !is_group_noun {
            return;
        }
        let group_candidate = self
            .lexicon
            .candidates(&format!("{}s", self.norm(group.head)))
            .iter()
            .find(|candidate| self.lexicon.entities[candidate.entity as usize].kinds == KindSet::GROUP);
        if let Some(candidate) = group_candidate
            && let Some(member_target) = self.role_target(PredicateRole::Membership)
        {
            let group_entity =
                ResolvedEntity::uncertain(EntityRef::Known(candidate.entity), Some(Weight::PART_NAME), None);
            let span = self.description_span(context, end);
            let weight_names = [basis.weight_names, &[Weight::BY_GROUP]].concat();
            for subject in subjects {
                self.record_relation(
                    member_target,
                    (subject, &group_entity),
                    "",
                    basis.with_weights(&weight_names),
                    span,
                );
            }
        }
        if self.facts.len() == fact_count
            && let Some(species_target) = self.target(attribute::SPECIES)
        {
            let value = self.token_text(group.head);
            let weight_names = [basis.weight_names, &[Weight::OPEN_VALUE]].concat();
            let context = NounContext { basis: basis.with_weights(&weight_names), ..context };
            self.record_description(context, species_target, &value, end);
        }
    }

    pub(crate) fn token_text(&self, token: usize) -> String {
        self.source_text(token, token + 1)
    }

    /// Returns the token at which the value of an attribute begins in a noun group. Words such as "old" and "same" are
    /// skipped.
    pub(crate) fn value_start(&self, group: &NounGroup) -> usize {
        let mut from = group.content_start;
        while from < group.head
            && (is_ignored(self.norm(from))
                || lists().adjectives.outside_values.contains(self.norm(from))
                || self.norm(from).ends_with("-year-old"))
        {
            from += 1;
        }
        from
    }

    pub(crate) fn target(&self, name: &str) -> Option<usize> {
        self.grammar.targets.iter().position(|target| target.predicate == *name && !target.ended && !target.denied)
    }

    pub(crate) fn role_target(&self, role: PredicateRole) -> Option<usize> {
        self.target(role.name())
    }

    /// Returns the first target with a property.
    pub(crate) fn target_with(&self, property: PredicateProperties) -> Option<usize> {
        self.grammar.targets.iter().position(|target| target.has(property) && !target.ended && !target.denied)
    }
}
