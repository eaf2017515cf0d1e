//! Matches word patterns with the groups after a verb.

use crate::{
    entities::mentions::EntityRef,
    language::{
        function_words::is_group_pronoun,
        grammar::{Pattern, PatternPart, WordClass, normalize_reflexive},
        predicate_properties::PredicateProperties,
        triggers::Trigger,
        weights::Weight,
        word_lists::lists,
    },
    sentence_reader::{ResolvedEntity, SentenceReader},
    syntax::chunker::{Chunk, VerbForm},
};

/// Match of a pattern.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatternMatch {
    /// The first item of the list of objects.
    pub(crate) object: Option<usize>,
    /// The first item of the second list of objects.
    pub(crate) second_object: Option<usize>,
    /// The noun group that is the object, if the object is only the owner in another noun group: "at Odo's pleasure".
    pub(crate) owner: Option<usize>,
    /// The item after the matched items.
    pub(crate) end: usize,
    pub(crate) skipped_phrase: bool,
}

impl SentenceReader<'_> {
    /// Matches the parts of a pattern with the items from `from` up to `to`. Returns `None` if the items do not match.
    pub(crate) fn match_parts(
        &self,
        parts: &[PatternPart],
        from: usize,
        to: usize,
        may_skip: bool,
    ) -> Option<PatternMatch> {
        let (object, second_object, owner) = (None, None, None);
        let pattern_match = PatternMatch { object, second_object, owner, end: from, skipped_phrase: false };
        self.match_parts_from(parts, from, to, may_skip, pattern_match, 0)
    }

    fn match_parts_from(
        &self,
        parts: &[PatternPart],
        item: usize,
        to: usize,
        may_skip: bool,
        pattern_match: PatternMatch,
        depth: usize,
    ) -> Option<PatternMatch> {
        let Some(part) = parts.first() else { return Some(PatternMatch { end: item, ..pattern_match }) };
        if item >= to || depth > 24 {
            return None;
        }
        let next = |parts: &[PatternPart], item: usize, may_skip: bool, pattern_match: PatternMatch| {
            self.match_parts_from(parts, item, to, may_skip, pattern_match, depth + 1)
        };
        let np = self.syntax.noun_group_at(item);
        match part {
            PatternPart::Word(word) => {
                if normalize_reflexive(self.syntax.word(item)) == word {
                    return next(&parts[1..], item + 1, false, pattern_match);
                }
                if let Some(np) = np {
                    let remaining_parts = self.parts_after_noun_group(parts, np);
                    if remaining_parts.len() < parts.len() {
                        if let Some(owner) = self.owner_as_object(remaining_parts, np) {
                            let (object, second_object) = (None, None);
                            let (owner, end) = (Some(owner), item + 1);
                            return Some(PatternMatch { object, second_object, owner, end, ..pattern_match });
                        }
                        return next(remaining_parts, item + 1, false, pattern_match);
                    }
                }
                if let Some(remaining_parts) = self.parts_after_verb_group(parts, item) {
                    return next(remaining_parts, item + 1, false, pattern_match);
                }
                if self.is_skippable(item) {
                    return next(parts, item + 1, may_skip, pattern_match);
                }
                // Example: "works at the mill for Odo"
                if may_skip && self.syntax.is_preposition(item) && self.syntax.noun_group_at(item + 1).is_some() {
                    let skipping_match = PatternMatch { skipped_phrase: true, ..pattern_match };
                    return next(parts, item + 2, may_skip, skipping_match);
                }
                None
            }
            PatternPart::Any => {
                np?;
                next(&parts[1..], item + 1, false, pattern_match).or_else(|| {
                    let has_of_phrase =
                        self.syntax.word(item + 1) == "of" && self.syntax.noun_group_at(item + 2).is_some();
                    if has_of_phrase { next(&parts[1..], item + 3, false, pattern_match) } else { None }
                })
            }
            PatternPart::Object => {
                if np.is_some() {
                    let (_, end) = self.syntax.noun_list(item, to);
                    let pattern_match = match pattern_match.object {
                        None => PatternMatch { object: Some(item), ..pattern_match },
                        Some(_) => PatternMatch { second_object: Some(item), ..pattern_match },
                    };
                    return next(&parts[1..], end.max(item + 1), true, pattern_match);
                }
                if self.is_skippable(item) {
                    return next(parts, item + 1, may_skip, pattern_match);
                }
                None
            }
        }
    }

    /// Returns the parts of a pattern after its words in a noun group. Several words of the pattern can belong to one
    /// group: "a full member".
    fn parts_after_noun_group<'p>(&self, parts: &'p [PatternPart], np: usize) -> &'p [PatternPart] {
        let group = &self.chunks.noun_groups[np];
        // Example: "have no quarrel with"
        let begins_with_no = matches!(parts.first(), Some(PatternPart::Word(word)) if word == "no");
        let is_negated = group.article.is_some_and(|at| self.norm(at) == "no") && !begins_with_no;
        let mut remaining_parts = parts;
        if is_negated || (group.name.is_some() && !group.is_pronoun) {
            return remaining_parts;
        }
        for token in group.content_start.min(group.head)..group.end {
            if let Some(PatternPart::Word(word)) = remaining_parts.first()
                && self.norm(token + 1) != "'s"
                && (normalize_reflexive(self.norm(token)) == word || self.norm(token).strip_suffix('s') == Some(word))
            {
                remaining_parts = &remaining_parts[1..];
            }
        }
        remaining_parts
    }

    /// Returns the owner of a noun group as the object of a pattern: "serves at Odo's pleasure" matches the pattern "at the
    /// pleasure of". `remaining_parts` are the parts after the words in the noun group.
    fn owner_as_object(&self, remaining_parts: &[PatternPart], np: usize) -> Option<usize> {
        let group = &self.chunks.noun_groups[np];
        let ends_with_owner = matches!(remaining_parts, [PatternPart::Word(word), PatternPart::Object] if word == "of");
        group.owner.filter(|_| ends_with_owner && !group.owner_is_name)
    }

    /// Returns the parts of a pattern after its words in the verb group at an item; `None` if the item is no verb group with
    /// these words. An infinitive such as "to get" is one group.
    fn parts_after_verb_group<'p>(&self, parts: &'p [PatternPart], item: usize) -> Option<&'p [PatternPart]> {
        let Some(Chunk::VerbGroup(vg)) = self.chunks.items.get(item) else { return None };
        let group = &self.chunks.verb_groups[*vg];
        let is_verb = |word: &str| group.lemma == word || self.norm(group.head) == word;
        match parts {
            [PatternPart::Word(to), PatternPart::Word(verb), rest @ ..]
                if to == "to" && group.form == VerbForm::Infinitive && is_verb(verb) =>
            {
                Some(rest)
            }
            [PatternPart::Word(word), rest @ ..] if is_verb(word) => Some(rest),
            _ => None,
        }
    }

    pub(crate) fn is_skippable(&self, item: usize) -> bool {
        match self.chunks.items.get(item) {
            Some(Chunk::Token(at)) => {
                let token = &self.tokens[*at];
                let precedes_preposition = self.syntax.is_preposition(item + 1);
                // Example: "hurries off to the mill"
                let is_direction = self.syntax.word(item + 1) == "to"
                    && self.grammar.triggers.contains(Trigger::Direction, &token.norm);
                // Examples: "down at the mill", "right in the middle"
                precedes_preposition
                    && (lists().adverbs.place_particles.contains(token.norm.as_str())
                        || lists().adverbs.place_intensifiers.contains(token.norm.as_str()))
                    || is_direction
                    || token.is("alone")
                    || token.is_word()
                        && (self.grammar.word_class(&token.norm).has(WordClass::ADVERB)
                            || token.norm.ends_with("ly")
                            || token.is("literally")
                            || lists().speech.hesitations.contains(&token.norm))
                        && !self.syntax.is_preposition(item)
                    || (token.is_word()
                        && self.grammar.word_class(&token.norm).has(WordClass::ADVERB)
                        && self.syntax.noun_group_at(item + 1).is_none())
            }
            _ => false,
        }
    }

    /// Returns the entities that the object of a matched pattern refers to.
    pub(crate) fn resolve_objects(
        &mut self,
        pattern_match: &PatternMatch,
        to: usize,
        excluded: &[EntityRef],
        pattern: &Pattern,
    ) -> Vec<ResolvedEntity> {
        let (list, item) = match (pattern_match.object, pattern_match.owner) {
            (Some(item), _) => (self.syntax.noun_list(item, to).0, Some(item)),
            (None, Some(owner)) => (vec![owner], None),
            (None, None) => return Vec::new(),
        };
        // In "breaks his neck", the neck can belong to the subject. In "serves at his pleasure", the pleasure cannot.
        let owned_item = item.is_none().then(|| pattern_match.end.checked_sub(1)).flatten();
        let excluded: &[EntityRef] = if owned_item.is_some_and(|item| self.is_object(item)) { &[] } else { excluded };
        // Example: "swear to no Thane"
        let is_negated = |np: &usize| {
            self.chunks.noun_groups[*np].article.is_some_and(|at| matches!(self.norm(at), "no" | "neither"))
        };
        if list.iter().any(is_negated) {
            return Vec::new();
        }
        let mut refs = self.resolve_all(&list, excluded);
        // The whole can stand for its part: "under the porch of St. Orrin's", "caused by Meridian's refusal".
        let applies_to_wholes = self.grammar.targets[pattern.target].has(PredicateProperties::APPLIES_TO_WHOLES);
        if refs.is_empty()
            && applies_to_wholes
            && let [np] = list[..]
        {
            refs = self.owners(np, item, &["of"]);
            for resolved_entity in &mut refs {
                resolved_entity.second_weight_name = resolved_entity.second_weight_name.or(Some(Weight::FAR_OBJECT));
            }
        }
        // Example: "owns all of Eastgate"
        if refs.is_empty()
            && let [np] = list[..]
            && lists().determiners.portions.contains(self.norm(self.chunks.noun_groups[np].head))
        {
            refs = self.owners(np, item, &["of", "in"]);
        }
        // "Owes Odo money" has two objects; "Odo" is not the owner of the money.
        let has_two_objects = self.grammar.targets[pattern.target].has(PredicateProperties::HAS_TWO_OBJECTS);
        if refs.is_empty()
            && has_two_objects
            && let [np] = list[..]
            && self.chunks.noun_groups[np].owner_is_name
            && let Some(owner) = self.chunks.noun_groups[np].owner
        {
            refs = self.resolve(owner, excluded);
        }
        // The speaker is one of the creditors in "Odo owes us".
        if refs.is_empty()
            && has_two_objects
            && let [np] = list[..]
            && is_group_pronoun(self.norm(self.chunks.noun_groups[np].head))
            && let Some(speaker) = self.speech.speaker.filter(|_| self.speech.is_direct_speech)
        {
            let weights = (Some(Weight::PRONOUN), Some(Weight::DOUBTFUL_PRONOUN));
            refs.push(ResolvedEntity::uncertain(speaker, weights.0, weights.1));
        }
        // If a pattern has two objects, its required classes apply to the second one. An owner can have any class.
        if pattern_match.second_object.is_none() && pattern_match.owner.is_none() {
            refs.retain(|resolved_entity| self.kinds(resolved_entity.entity).intersects(pattern.object_kinds));
        }
        refs
    }
}
