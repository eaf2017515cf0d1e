//! Reads the relation between an entity and the owner of the noun that describes it, such as "Mirela's brother" or "the
//! guild's head of security".

use hearsay_model::{PredicateRole, attribute};

use super::NounContext;
use crate::{
    entities::mentions::EntityRef,
    language::{
        kind_set::KindSet, predicate_properties::PredicateProperties, triggers::Trigger, weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{ResolvedEntity, SentenceReader},
};

impl SentenceReader<'_> {
    /// Records relations that are stated by nouns: "Mirela's brother", "a member of the guild".
    ///
    /// Returns whether a relation was found, and the token after its last word.
    pub(crate) fn read_noun_relation(&mut self, context: NounContext<'_>) -> (bool, usize) {
        let NounContext { np, item, subjects, basis, .. } = context;
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
        if lists().determiners.partitives.contains(last.as_str())
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
        if owners.is_empty()
            && group.owner.is_none()
            && group.role.is_none()
            && let Some(owners_after) = self.owners_after_noun(group_item, &entities)
        {
            (owners, end) = owners_after;
        }
        if owners.is_empty() {
            return (false, 0);
        }
        let span = self.description_span(context, end);
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
            let mut weight_names = pattern.with_strength(basis.weight_names);
            weight_names.push(Weight::BY_NOUN);
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
                        let is_employment = target.has(PredicateProperties::EMPLOYMENT);
                        let is_member = follows_in && is_employment && self.kinds(b.entity) == KindSet::GROUP;
                        let member_target = self.role_target(PredicateRole::Membership).filter(|_| is_member);
                        // "The boss of the guild" leads the guild and is not employed by it.
                        let is_leader =
                            pattern.is_reversed && is_employment && self.kinds(owner.entity) == KindSet::GROUP;
                        if let Some(related) = self.related_target.filter(|_| is_leader) {
                            self.record_relation(
                                related,
                                (subject, owner),
                                &relation,
                                basis.with_weights(&weight_names),
                                span,
                            );
                            continue;
                        }
                        let target = member_target.unwrap_or(pattern.target);
                        self.record_relation(target, (a, b), &relation, basis.with_weights(&weight_names), span);
                    }
                }
            }
            if self.facts.len() > fact_count {
                return (true, end);
            }
        }
        (false, 0)
    }

    /// Returns the owners that are named after the item of a noun group, as in "a friend of Bram's", and the token
    /// after their names. Returns `None` if no preposition before an owner follows the noun group.
    fn owners_after_noun(&mut self, group_item: usize, subjects: &[EntityRef]) -> Option<(Vec<ResolvedEntity>, usize)> {
        let preposition = self.syntax.word(group_item + 1);
        if !lists().prepositions.owners.contains(preposition) {
            return None;
        }
        let (list, next) = self.syntax.noun_list(group_item + 2, self.chunks.items.len());
        let mut owners = self.resolve_all(&list, subjects);
        // Example: "a friend of Bram's"
        if let [single] = list[..]
            && self.chunks.noun_groups[single].is_owner_only
            && let Some(owner) = self.chunks.noun_groups[single].owner
        {
            owners = self.resolve(owner, subjects);
        }
        // Example: "the youngest of Mirela's children"
        if owners.is_empty()
            && let [single] = list[..]
            && let Some(owner) = self.chunks.noun_groups[single].owner
            && lists().nouns.descendants.contains(self.norm(self.chunks.noun_groups[single].head))
        {
            owners = self.resolve(owner, subjects);
        }
        if preposition != "of" {
            owners.retain(|owner| !self.kinds(owner.entity).is_any());
        }
        let end = self.chunk_end(next.saturating_sub(1)).min(self.tokens.len());
        Some((owners, end))
    }

    /// Reads a position such as "the guild's head of security": an occupation, and employment by the owner. The person
    /// does not lead the guild.
    fn read_position(
        &mut self,
        context: NounContext<'_>,
        owners: &[ResolvedEntity],
        span: hearsay_model::Span,
    ) -> bool {
        let NounContext { np, item, subjects, basis, .. } = context;
        let group = &self.chunks.noun_groups[np];
        let domain_group = self.syntax.noun_group_at(item + 2).filter(|np| {
            let domain = &self.chunks.noun_groups[*np];
            domain.name.is_none() && !domain.is_pronoun && domain.owner.is_none()
        });
        let is_position = group.owner.is_some()
            && self.grammar.triggers.contains(Trigger::Position, self.norm(group.head))
            && self.syntax.word(item + 1) == "of";
        let (Some(domain_group), Some(employed_target), Some(occupation_target)) = (
            domain_group.filter(|_| is_position),
            self.target_with(PredicateProperties::EMPLOYMENT),
            self.target(attribute::OCCUPATION),
        ) else {
            return false;
        };
        let value = self.source_text(group.content_start, self.chunks.noun_groups[domain_group].end);
        let weight_names = [basis.weight_names, &[Weight::BY_NOUN]].concat();
        let fact_count = self.facts.len();
        for subject in subjects {
            self.record_value(occupation_target, subject, value.clone(), basis.with_weights(&weight_names), span);
            for owner in owners {
                self.record_relation(employed_target, (subject, owner), "", basis.with_weights(&weight_names), span);
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
        let NounContext { np, item, subjects, basis, .. } = context;
        let (Some(employed_target), Some(occupation_target)) =
            (self.target_with(PredicateProperties::EMPLOYMENT), self.target(attribute::OCCUPATION))
        else {
            return false;
        };
        let is_occupation =
            self.grammar.attribute_nouns.get(noun).is_some_and(|kinds| kinds[0] == (occupation_target, false));
        let preposition = self.syntax.word(item + 1);
        let has_employer =
            self.chunks.noun_groups[np].owner.is_some() || lists().prepositions.employers.contains(preposition);
        if !is_occupation || !has_employer {
            return false;
        }
        let kinds = KindSet::PERSON.or(KindSet::GROUP);
        let weight_names = [basis.weight_names, &[Weight::WEAK, Weight::BY_NOUN, Weight::BY_TRADE]].concat();
        let fact_count = self.facts.len();
        for owner in
            owners.iter().filter(|owner| kinds.intersects(self.kinds(owner.entity))).copied().collect::<Vec<_>>()
        {
            for subject in subjects {
                self.record_relation(employed_target, (subject, &owner), noun, basis.with_weights(&weight_names), span);
            }
        }
        self.facts.len() > fact_count
    }
}
