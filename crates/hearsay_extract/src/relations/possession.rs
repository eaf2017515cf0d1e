//! Reads facts from possessions and body parts: "his eyes are blue", "has a scar over one eye".

use hearsay_model::{attribute, words::is_article};

use crate::{
    language::{grammar::is_ignored, kind_set::KindSet, weights::Weight, word_lists::lists},
    relations::{copula::ClauseContext, noun_facts::NounContext},
    sentence_reader::{ResolvedEntity, SentenceReader},
    syntax::chunker::NounGroup,
};

impl SentenceReader<'_> {
    /// Reads a clause whose subject is owned by an entity: "Meridian's crest is a gold drill bit", "his eyes are blue",
    /// "her brother is Tob". The fact is recorded about the owner.
    ///
    /// Returns whether the clause was read.
    pub(crate) fn read_owned_subject(&mut self, context: ClauseContext<'_>, np: usize, from: usize, to: usize) -> bool {
        let ClauseContext { at, basis, .. } = context;
        let group = self.chunks.noun_groups[np].clone();
        if group.name.is_some() || group.is_pronoun {
            return false;
        }
        let head = self.norm(group.head).to_owned();
        let item = self.chunk_of(np);
        let mut owners = self.owners(np, item, &["of", "for"]);
        if owners.is_empty() && self.grammar.attribute_labels.contains_key(&head) {
            // Example: "the air on Deck Nine"
            owners = self.owners(np, item, &["on", "in", "at", "over"]);
            owners.retain(|owner| self.kinds(owner.entity) == KindSet::PLACE);
        }
        let clause = self.clause(at);
        // Example: "your fixer for this one is Cassius Moon"
        let name_group = clause
            .rest_items
            .clone()
            .find_map(|item| self.syntax.noun_group_at(item))
            .filter(|other| {
                self.chunks.noun_groups[*other].name.is_some() && self.chunks.noun_groups[*other].owner.is_none()
            })
            .filter(|other| self.chunks.noun_groups[*other].start <= from + 2);
        if let Some(name_group) = name_group
            && (owners.is_empty() || !self.noun_attributes(&self.singular(&head)).is_empty())
            && !self.grammar.attribute_labels.contains_key(&head)
        {
            let refs = self.resolve(name_group, &[]);
            let weight_names = [basis.weight_names, &[Weight::TURNED]].concat();
            let noun_context = NounContext {
                np,
                item: item.unwrap_or(0),
                subjects: &refs,
                basis: basis.with_weights(&weight_names),
                clause: Some(at),
            };
            if self.read_noun_group(noun_context).is_some() {
                return true;
            }
        }
        if owners.is_empty() {
            return false;
        }
        // Example: "her brother is Tob"
        let next = clause.rest_items.clone().find(|item| self.syntax.noun_group_at(*item).is_some());
        if let Some(next) = next
            && let Some(other) = self.syntax.noun_group_at(next)
            && self.chunk_start(next) <= from + 1
            && (self.chunks.noun_groups[other].name.is_some())
            && self.chunks.noun_groups[other].owner.is_none()
            && self.grammar.noun_patterns.contains_key(&self.singular(&head))
        {
            let (list, _) = self.syntax.noun_list(next, clause.rest_items.end);
            let named_entities = self.resolve_all(&list, &[]);
            let noun_context =
                NounContext { np, item: item.unwrap_or(0), subjects: &named_entities, basis, clause: Some(at) };
            let (has_relation, _) = self.read_noun_relation(noun_context);
            return has_relation;
        }
        self.read_owned_label(context, &group, &owners, (from, to))
            || self.read_owned_feature(context, &group, &owners, (from, to))
    }

    /// Reads the value of a label, as in "Meridian's crest is a gold drill bit". The value is in the tokens from `from`
    /// up to, but not including, `to`.
    ///
    /// Returns whether the noun group is a label of the owners.
    fn read_owned_label(
        &mut self,
        context: ClauseContext<'_>,
        group: &NounGroup,
        owners: &[ResolvedEntity],
        (from, to): (usize, usize),
    ) -> bool {
        let ClauseContext { at, basis, .. } = context;
        let head = self.norm(group.head).to_owned();
        let Some(targets) = self.grammar.attribute_labels.get(&head) else { return false };
        let kinds: Vec<KindSet> = owners.iter().map(|owner| self.kinds(owner.entity)).collect();
        let target = targets
            .iter()
            .find(|target| kinds.iter().any(|kinds| self.grammar.targets[**target].subject.intersects(*kinds)))
            .copied();
        let Some(target) = target else { return false };
        let start = (from..to).find(|at| !is_ignored(self.norm(*at)) || !is_article(self.norm(*at))).unwrap_or(from);
        let start = if self.norm(start) == "to" { start + 1 } else { start };
        let end = match self.grammar.targets[target].predicate.as_str() {
            // A motto or goal extends to the end of the sentence.
            attribute::MOTTO | attribute::GOALS => {
                self.tokens.len() - usize::from(self.tokens.last().is_some_and(|last| last.is_punctuation(".!;")))
            }
            _ => (start..to).find(|at| matches!(self.norm(*at), "," | "but")).unwrap_or(to),
        };
        let is_body_part = lists().nouns.described_body_parts.contains(head.as_str());
        let value = self.source_text(if is_body_part { group.content_start } else { start }, end);
        let span = self.clause_span(at, end);
        let weight_names = [basis.weight_names, &[Weight::BY_LABEL]].concat();
        for owner in owners {
            self.record_value(target, owner, value.clone(), basis.with_weights(&weight_names), span);
        }
        true
    }

    /// Reads the description of a body part or possession, as in "his arm is broken". The description is in the tokens
    /// from `from` up to, but not including, `to`.
    ///
    /// Returns whether the noun group is a body part or possession.
    fn read_owned_feature(
        &mut self,
        context: ClauseContext<'_>,
        group: &NounGroup,
        owners: &[ResolvedEntity],
        (from, to): (usize, usize),
    ) -> bool {
        let ClauseContext { at, basis, .. } = context;
        let Some(target) = self.possession_target(group) else { return false };
        let target = self.injury_target(from, to).unwrap_or(target);
        let end = (from..to).find(|at| self.norm(*at) == ",").unwrap_or(to);
        let value = self.source_text(group.content_start, end);
        let span = self.clause_span(at, end);
        let weight_names = [basis.weight_names, &[Weight::BY_FEATURE]].concat();
        for owner in owners {
            self.record_value(target, owner, value.clone(), basis.with_weights(&weight_names), span);
        }
        true
    }

    /// Returns the index of the target for the last noun of a group, if the noun is a body part or possession.
    fn possession_target(&self, group: &NounGroup) -> Option<usize> {
        let entries = self.grammar.possession_nouns.get(self.norm(group.head))?;
        entries.first().map(|(target, _)| *target)
    }

    /// Returns the index of the target `condition` if a word says that something is injured or damaged: "his arm is
    /// broken". Returns `None` if the words only describe an appearance.
    fn injury_target(&self, from: usize, to: usize) -> Option<usize> {
        let condition = self.target(attribute::CONDITION)?;
        let is_injury_word = |token: usize| {
            let entries = self.grammar.attribute_adjectives.get(self.norm(token));
            entries.and_then(|entries| entries.first()).is_some_and(|(target, _)| *target == condition)
        };
        (from..to).any(is_injury_word).then_some(condition)
    }

    /// Reads a clause with the verb "have": "has a scar over one eye", "has a brother, Pell", "has three hundred
    /// souls".
    ///
    /// Returns whether a fact was recorded.
    pub(crate) fn read_possession(&mut self, context: ClauseContext<'_>) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let clause = self.clause(at);
        let Some(item) = clause.rest_items.clone().find(|item| self.syntax.noun_group_at(*item).is_some()) else {
            return false;
        };
        let Some(np) = self.syntax.noun_group_at(item) else { return false };
        let group = self.chunks.noun_groups[np].clone();
        // Example: "has got the shakes"
        let possession_target = self.possession_target(&group);
        let is_illness = possession_target.is_some() && possession_target == self.target(attribute::CONDITION);
        let is_excluded =
            group.article.is_some_and(|at| self.norm(at) == "no" || (self.norm(at) == "the" && !is_illness));
        if is_excluded || basis.status.denied {
            return false;
        }
        if self.read_named_possession(context, np, item) || self.read_labelled_possession(context, &group, item) {
            return true;
        }
        let head = self.norm(group.head).to_owned();
        let Some(entries) = self.grammar.possession_nouns.get(&head).cloned() else { return false };
        let mut to = self.value_end(item, clause.rest_items.end);
        if self.syntax.word(item + 1) == "like" && self.syntax.noun_group_at(item + 2).is_some() {
            to = self.value_end(item + 2, clause.rest_items.end.max(item + 3));
        }
        let value = self.source_text(self.chunk_content_start(item), to);
        let span = self.clause_span(at, to);
        let fact_count = self.facts.len();
        self.read_listed_possessions(context, item);
        for subject in subjects {
            let kinds = self.kinds(subject.entity);
            if let Some((target, weak)) =
                entries.iter().find(|(target, _)| self.grammar.targets[*target].subject.intersects(kinds))
            {
                let weight_names = [basis.weight_names, &[Weight::of_words(*weak), Weight::BY_HAVING]].concat();
                // A broken nose is recorded as appearance, not as a condition.
                let is_face_part = lists().nouns.face_parts.contains(head.as_str());
                let injury = self.injury_target(self.chunk_content_start(item), to).filter(|_| !is_face_part);
                let target = &injury.unwrap_or(*target);
                self.record_value(*target, subject, value.clone(), basis.with_weights(&weight_names), span);
            }
        }
        self.facts.len() > fact_count
    }

    /// Reads the name of a person to whom the subject is related: "has a son called Pell".
    ///
    /// Returns whether a fact was recorded.
    fn read_named_possession(&mut self, context: ClauseContext<'_>, np: usize, item: usize) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let group = self.chunks.noun_groups[np].clone();
        let singular = self.singular(self.norm(group.head));
        let Some(entries) = self.grammar.noun_patterns.get(&singular).cloned().filter(|_| group.owner.is_none()) else {
            return false;
        };
        let mut next = item + 1;
        if self.syntax.word(next) == "," || self.announces_name(next) {
            next += 1;
        }
        let name_groups =
            if group.name.is_some() { vec![np] } else { self.syntax.noun_list(next, self.chunks.items.len()).0 };
        let name_groups: Vec<usize> =
            name_groups.into_iter().filter(|np| self.chunks.noun_groups[*np].name.is_some()).collect();
        let refs = self.resolve_all(&name_groups, &[]);
        if refs.is_empty() || subjects.is_empty() {
            return false;
        }
        let span = self.clause_span(at, self.chunk_end(next));
        let relation = format!("{singular} of");
        for (_, pattern) in entries.iter().filter(|(noun, _)| noun.len() <= 1) {
            let fact_count = self.facts.len();
            for named_entity in &refs {
                for subject in subjects {
                    let (a, b) = if pattern.is_reversed { (subject, named_entity) } else { (named_entity, subject) };
                    self.record_relation(pattern.target, (a, b), &relation, basis, span);
                }
            }
            if self.facts.len() > fact_count {
                return true;
            }
        }
        false
    }

    /// Reads the value of a label: "has a population of four thousand".
    ///
    /// Returns whether a value was read.
    fn read_labelled_possession(&mut self, context: ClauseContext<'_>, group: &NounGroup, item: usize) -> bool {
        let ClauseContext { at, subjects, basis } = context;
        let [subject] = subjects else { return false };
        let head = self.norm(group.head);
        let Some(targets) = self.grammar.attribute_labels.get(head) else { return false };
        if !matches!(self.syntax.word(item + 1), "of" | ":") || self.grammar.possession_nouns.contains_key(head) {
            return false;
        }
        let kinds = self.kinds(subject.entity);
        let target = targets.iter().find(|target| self.grammar.targets[**target].subject.intersects(kinds)).copied();
        let Some(target) = target else { return false };
        let last_item = self.clauses[at].last_item();
        let (from, to) = (self.chunk_start(item + 2), self.chunk_end(last_item));
        let (value, span) = (self.source_text(from, to), self.clause_span(at, to));
        let weight_names = [basis.weight_names, &[Weight::BY_LABEL]].concat();
        self.record_value(target, subject, value, basis.with_weights(&weight_names), span);
        true
    }

    /// Records the possessions that are listed after the first one: "has freckles, a gap between her teeth and a scar".
    fn read_listed_possessions(&mut self, context: ClauseContext<'_>, first_item: usize) {
        let ClauseContext { at, subjects, basis } = context;
        let end_item = self.clauses[at].rest_items.end;
        let weight_names = [basis.weight_names, &[Weight::BY_HAVING]].concat();
        for item in first_item + 1..end_item {
            let follows_conjunction = matches!(self.syntax.word(item - 1), "," | "and");
            let Some(np) = self.syntax.noun_group_at(item).filter(|_| follows_conjunction) else { continue };
            let group = self.chunks.noun_groups[np].clone();
            let Some(target) = self.possession_target(&group).filter(|_| group.name.is_none()) else { continue };
            let to = self.value_end(item, end_item);
            let (value, span) = (self.source_text(self.chunk_content_start(item), to), self.clause_span(at, to));
            for subject in subjects {
                self.record_value(target, subject, value.clone(), basis.with_weights(&weight_names), span);
            }
        }
    }
}
