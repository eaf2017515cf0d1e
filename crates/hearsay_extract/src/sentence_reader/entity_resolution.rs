//! Finds the entities that noun groups refer to, and the owners of noun groups.

use super::SentenceReader;
use crate::{
    entities::{
        coreference::EntityMention,
        lexicon::{Gender, NameType},
        mentions::{EntityRef, NameMention},
    },
    language::{grammar::WordClass, kind_set::KindSet, weights::Weight, word_lists::lists},
    syntax::{
        chunker::{Chunk, NounGroup},
        clauses::{Clause, ClauseType},
    },
};

/// Entity that words refer to, with the weights for uncertain references.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResolvedEntity {
    pub(crate) entity: EntityRef,
    pub(crate) weight_name: Option<Weight>,
    pub(crate) second_weight_name: Option<Weight>,
    /// Whether the words refer to an unnamed relative of the entity, as "his parents" does. No fact is recorded about
    /// such a reference.
    pub(crate) is_relative: bool,
}

impl ResolvedEntity {
    /// Creates a reference without uncertainty.
    pub(crate) fn certain(entity: EntityRef) -> Self {
        Self::uncertain(entity, None, None)
    }

    /// Creates a reference with up to two weights for its uncertainty.
    pub(crate) fn uncertain(
        entity: EntityRef,
        weight_name: Option<Weight>,
        second_weight_name: Option<Weight>,
    ) -> Self {
        Self { entity, weight_name, second_weight_name, is_relative: false }
    }

    /// Returns the names of the weights for the uncertainty of the reference.
    pub(super) fn weight_names(&self) -> impl Iterator<Item = Weight> {
        self.weight_name.into_iter().chain(self.second_weight_name)
    }
}

impl SentenceReader<'_> {
    /// Returns the entities that a noun group refers to. Entities in `excluded` are left out.
    pub(crate) fn resolve(&mut self, np: usize, excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        if let Some(Some(refs)) = self.resolved.get(np) {
            return refs.clone();
        }
        let refs = self.resolve_uncached(np, excluded);
        for resolved_entity in &refs {
            // A resolved reference counts as a new mention of the entity.
            let (kinds, gender) = (self.kinds(resolved_entity.entity), self.gender(resolved_entity.entity));
            let is_subject = self.clauses.iter().any(|clause| clause.subjects.contains(&np));
            let token = self.chunks.noun_groups[np].start;
            self.history.record(EntityMention {
                entity: resolved_entity.entity,
                kinds,
                gender,
                sentence: self.history.sentence,
                token,
                is_subject,
            });
        }
        if let Some(cached) = self.resolved.get_mut(np) {
            *cached = Some(refs.clone());
        }
        refs
    }

    fn resolve_uncached(&mut self, np: usize, excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        let group = self.chunks.noun_groups[np].clone();
        if let Some(name) = group.name.map(|index| self.names[index]) {
            let weight_name = self.name_weight(name);
            return vec![ResolvedEntity::uncertain(name.entity, weight_name, None)];
        }
        if group.is_owner_only {
            return Vec::new();
        }
        let word = self.norm(group.head).to_owned();
        if group.is_pronoun {
            if let Some(name_group) = self.find_explaining_name(np) {
                let mut refs = self.resolve(name_group, excluded);
                refs.iter_mut().for_each(|resolved_entity| {
                    resolved_entity.second_weight_name = resolved_entity.second_weight_name.or(Some(Weight::SET_BESIDE))
                });
                return refs;
            }
            return self.resolve_pronoun(&word, group.start, excluded);
        }
        // Example: "her sister, Sela, …"
        if group.owner.is_some()
            && let Some(item) = self.chunks.items.iter().position(|item| *item == Chunk::NounGroup(np))
            && self.syntax.word(item + 1) == ","
            && let Some(name_group) = self.syntax.noun_group_at(item + 2)
            && self.chunks.noun_groups[name_group].name.is_some()
            && self.chunks.noun_groups[name_group].owner.is_none()
            && self.grammar.noun_patterns.contains_key(&word)
        {
            return self.resolve(name_group, excluded);
        }
        let item = self.chunk_of(np);
        // Example: "a man called Joris"
        if let Some(item) = item
            && self.announces_name(item + 1)
            && let Some(name_group) = self.syntax.noun_group_at(item + 2)
            && self.chunks.noun_groups[name_group].name.is_some()
        {
            return self.resolve(name_group, excluded);
        }
        // "the one who" after "is"
        if let Some(item) = item
            && let Some(clause) = self
                .clauses
                .iter()
                .find(|clause| self.chunks.verb_groups[clause.verb_group].is_copula && clause.rest_items.start == item)
                .cloned()
            && !clause.subjects.contains(&np)
            && group.owner.is_none()
        {
            return self.resolve_all(&clause.subjects, excluded);
        }
        // Example: "the one who stole it is Odo"
        let is_light_noun = word == "one" || self.grammar.word_class(&word).has(WordClass::LIGHT_NOUN);
        if is_light_noun && group.owner.is_none() {
            let name_group = self.clauses.iter().find_map(|clause| {
                let name_group = self
                    .syntax
                    .noun_group_at(clause.rest_items.start)
                    .filter(|np| self.chunks.noun_groups[*np].name.is_some())?;
                let is_identified = self.chunks.verb_groups[clause.verb_group].is_copula && clause.subjects == [np];
                (is_identified && self.chunks.noun_groups[name_group].owner.is_none()).then_some(name_group)
            });
            if let Some(name_group) = name_group {
                return self.resolve(name_group, excluded);
            }
        }
        // Examples: "the pair of them", "the Missing Pilot job"
        if lists().determiners.pronoun_partitives.contains(word.as_str())
            && item.is_some_and(|item| self.syntax.word(item + 1) == "of")
            && let Some(pronoun_group) = item.and_then(|item| self.syntax.noun_group_at(item + 2))
            && self.chunks.noun_groups[pronoun_group].is_pronoun
        {
            return self.resolve(pronoun_group, excluded);
        }
        if group.owner_is_name
            && lists().nouns.named_after_owner.contains(word.as_str())
            && let Some(owner) = group.owner
        {
            let owners = self.resolve(owner, excluded);
            // "The Mott family" is not Gideon Mott.
            let is_surname = word == "family" && owners.iter().any(|owner| self.kinds(owner.entity) == KindSet::PERSON);
            return if is_surname { Vec::new() } else { owners };
        }
        self.resolve_definite_person(&group, excluded).into_iter().collect()
    }

    /// Returns the name of the weight for an uncertain link between a name and an entity.
    fn name_weight(&self, name: NameMention) -> Option<Weight> {
        match (name.entity, name.name_type) {
            _ if name.is_ambiguous => Some(Weight::SHARED_NAME),
            (EntityRef::New(index), _)
                if !self.new_names.is_confirmed.get(index).is_some_and(|is_confirmed| *is_confirmed) =>
            {
                Some(Weight::OPENING_NAME)
            }
            (EntityRef::New(_), _) => Some(Weight::NEW_NAME),
            _ if name.is_fuzzy => Some(Weight::NEAR_NAME),
            (_, NameType::Description) => Some(Weight::DESCRIPTION),
            (_, NameType::Part) => Some(Weight::PART_NAME),
            _ => None,
        }
    }

    /// Returns the person that a noun group such as "the old man" refers to.
    fn resolve_definite_person(&self, group: &NounGroup, excluded: &[EntityRef]) -> Option<ResolvedEntity> {
        let word = self.norm(group.head);
        let class = self.grammar.word_class(word);
        let is_definite = group.article.is_some_and(|at| lists().determiners.definite.contains(self.norm(at)));
        if !is_definite || !class.has(WordClass::LIGHT_NOUN) || group.owner.is_some() {
            return None;
        }
        let gender = if class.has(WordClass::FEMALE) {
            Gender::She
        } else if class.has(WordClass::MALE) || word == "man" {
            Gender::He
        } else {
            return None;
        };
        // In "Odo says the man is dead", the man is not Odo.
        let mut excluded = excluded.to_vec();
        excluded.extend(self.speech.speaker);
        excluded.extend(self.reporting_persons(group.start));
        // "The masked man" is nobody whom only an earlier text mentions, but "the man" can be.
        let is_modified = group.content_start < group.head;
        let antecedent = self.history.resolve_pronoun(gender, group.start, &excluded)?;
        if is_modified && antecedent.is_in_earlier_text {
            return None;
        }
        Some(ResolvedEntity::uncertain(antecedent.entity, Some(Weight::FAR_PRONOUN), Some(Weight::DOUBTFUL_PRONOUN)))
    }

    /// Returns the named persons who say the words at a token, as in "Odo says the man is dead".
    fn reporting_persons(&self, token: usize) -> Vec<EntityRef> {
        let clause = self.clauses.iter().rfind(|clause| self.chunk_start(clause.start) <= token);
        let is_complement = |clause: &&Clause| clause.clause_type == ClauseType::Complement;
        let parent = clause.filter(is_complement).and_then(|clause| clause.parent);
        let is_speech = |at: &usize| self.grammar.verb_properties(&self.verb_group(*at).lemma).is_speech;
        let Some(parent) = parent.filter(is_speech) else { return Vec::new() };
        let names = self.clauses[parent].subjects.iter().filter_map(|np| self.noun_group(*np).name);
        names.map(|name| self.names[name].entity).collect()
    }

    /// Returns the entities that several noun groups refer to.
    pub(crate) fn resolve_all(&mut self, nps: &[usize], excluded: &[EntityRef]) -> Vec<ResolvedEntity> {
        let mut refs = Vec::new();
        for np in nps {
            refs.extend(self.resolve(*np, excluded));
        }
        refs
    }

    /// Returns the owners of a noun group. An owner can be a possessive ("Mirela's", "his"), a name before the noun
    /// ("Lantern Club members"), or a noun group after "of" or another preposition in `prepositions`.
    pub(crate) fn owners(&mut self, np: usize, item: Option<usize>, prepositions: &[&str]) -> Vec<ResolvedEntity> {
        if let Some(owner) = self.chunks.noun_groups[np].owner {
            return self.resolve(owner, &[]);
        }
        let Some(item) = item else { return Vec::new() };
        // Example: "Zahra, whose father is Yusuf"
        if let Some(whose_item) = item.checked_sub(1).filter(|item| self.syntax.word(*item) == "whose") {
            let owners = self.syntax.antecedent(whose_item).map(|(owners, _)| owners).unwrap_or_default();
            return self.resolve_all(&owners, &[]);
        }
        if prepositions.contains(&self.syntax.word(item + 1)) {
            let (list, _) = self.syntax.noun_list(item + 2, self.chunks.items.len());
            return self.resolve_all(&list, &[]);
        }
        Vec::new()
    }
}
