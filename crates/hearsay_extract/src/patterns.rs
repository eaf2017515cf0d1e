//! Matches word patterns with the groups after a verb.

use crate::{
    chunker::Chunk,
    function_words::is_group_pronoun,
    grammar::{Pattern, PatternPart, WordClass, normalize_reflexive},
    mentions::EntityRef,
    predicate_properties::PredicateProperties,
    sentence_reader::{ResolvedEntity, SentenceReader},
    triggers::Trigger,
    weights::Weight,
    word_lists::lists,
};

/// Match of a pattern. `object` is the first item of the list of objects. If the object is the owner in a noun group,
/// `object` is `None`, and `second_object` contains the owner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatternMatch {
    pub(crate) object: Option<usize>,
    pub(crate) second_object: Option<usize>,
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
        let pattern_match = PatternMatch { object: None, second_object: None, end: from, skipped_phrase: false };
        self.match_parts_from(parts, from, to, may_skip, pattern_match, 0)
    }

    pub(crate) fn match_parts_from(
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
        let np = self.syntax.noun_group_at(item);
        match part {
            PatternPart::Word(word) => {
                if normalize_reflexive(self.syntax.word(item)) == word {
                    return self.match_parts_from(&parts[1..], item + 1, to, false, pattern_match, depth + 1);
                }
                if let Some(np) = np {
                    // Several words of the pattern can belong to one group: "a full member".
                    let group = &self.chunks.noun_groups[np];
                    let mut remaining_parts = parts;
                    let mut token = group.content_start.min(group.head);
                    // Example: "have no quarrel with"
                    let is_negated = group.article.is_some_and(|at| self.norm(at) == "no") && *word != "no";
                    if (group.name.is_none() || group.is_pronoun) && !is_negated {
                        while token < group.end {
                            if let Some(PatternPart::Word(word)) = remaining_parts.first()
                                && self.norm(token + 1) != "'s"
                                && (normalize_reflexive(self.norm(token)) == word
                                    || self.norm(token).strip_suffix('s') == Some(word))
                            {
                                remaining_parts = &remaining_parts[1..];
                            }
                            token += 1;
                        }
                    }
                    if remaining_parts.len() < parts.len() {
                        // The object can be an owner: "serves at Odo's pleasure" matches the pattern "at the pleasure
                        // of".
                        if remaining_parts.len() == 2
                            && remaining_parts[0] == PatternPart::Word("of".into())
                            && remaining_parts[1] == PatternPart::Object
                            && group.owner.is_some()
                            && !group.owner_is_name
                        {
                            let owner = group.owner;
                            return Some(PatternMatch {
                                object: None,
                                second_object: owner.map(|owner| usize::MAX - owner),
                                end: item + 1,
                                ..pattern_match
                            });
                        }
                        return self.match_parts_from(remaining_parts, item + 1, to, false, pattern_match, depth + 1);
                    }
                }
                if let Some(Chunk::VerbGroup(vg)) = self.chunks.items.get(item) {
                    let group = &self.chunks.verb_groups[*vg];
                    // An infinitive such as "to get" is one group.
                    if word == "to"
                        && group.form == crate::chunker::VerbForm::Infinitive
                        && let Some(PatternPart::Word(verb)) = parts.get(1)
                        && (group.lemma == *verb || self.norm(group.head) == verb)
                    {
                        return self.match_parts_from(&parts[2..], item + 1, to, false, pattern_match, depth + 1);
                    }
                    if group.lemma == *word || self.norm(group.head) == word {
                        return self.match_parts_from(&parts[1..], item + 1, to, false, pattern_match, depth + 1);
                    }
                }
                if self.is_skippable(item) {
                    return self.match_parts_from(parts, item + 1, to, may_skip, pattern_match, depth + 1);
                }
                // Example: "works at the mill for Odo"
                if may_skip && self.syntax.is_preposition(item) && self.syntax.noun_group_at(item + 1).is_some() {
                    return self.match_parts_from(
                        parts,
                        item + 2,
                        to,
                        may_skip,
                        PatternMatch { skipped_phrase: true, ..pattern_match },
                        depth + 1,
                    );
                }
                None
            }
            PatternPart::Any => {
                np?;
                let next = self.match_parts_from(&parts[1..], item + 1, to, false, pattern_match, depth + 1);
                if next.is_some() {
                    return next;
                }
                if self.syntax.word(item + 1) == "of" && self.syntax.noun_group_at(item + 2).is_some() {
                    return self.match_parts_from(&parts[1..], item + 3, to, false, pattern_match, depth + 1);
                }
                None
            }
            PatternPart::Object => {
                if np.is_some() {
                    let (_, end) = self.syntax.noun_list(item, to);
                    let pattern_match = match pattern_match.object {
                        None => PatternMatch { object: Some(item), ..pattern_match },
                        Some(_) => PatternMatch { second_object: Some(item), ..pattern_match },
                    };
                    return self.match_parts_from(&parts[1..], end.max(item + 1), to, true, pattern_match, depth + 1);
                }
                if self.is_skippable(item) {
                    return self.match_parts_from(parts, item + 1, to, may_skip, pattern_match, depth + 1);
                }
                None
            }
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
        let (list, item) = match (pattern_match.object, pattern_match.second_object) {
            (Some(item), _) => (self.syntax.noun_list(item, to).0, Some(item)),
            // The object is an owner; `match_parts_from` stores its index as `usize::MAX - index`.
            (None, Some(owner)) if owner > usize::MAX / 2 => (vec![usize::MAX - owner], None),
            _ => return Vec::new(),
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
        // If a pattern has two objects, its required classes apply to the second one.
        refs.retain(|resolved_entity| {
            self.kinds(resolved_entity.entity).intersects(pattern.object_kinds) || pattern_match.second_object.is_some()
        });
        refs
    }
}
