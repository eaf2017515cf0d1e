//! Finds names of entities of the campaign, and chooses between entities with the same name.

use hearsay_model::{spelling::is_common_word, text};

use super::{EntityRef, MentionFinder, NameMention, is_pronoun};
use crate::{
    entities::lexicon::{LexiconEntity, LinkCandidate, NameType},
    language::{conjugation::Inflections, grammar::WordClass, kind_set::KindSet, word_lists::lists},
    text::tokenizer::{Token, TokenKind},
};

impl MentionFinder<'_> {
    /// Returns the longest known name that begins at a token.
    pub(super) fn find_known(&self, tokens: &[Token], at: usize) -> Option<NameMention> {
        let first = &tokens[at];
        if !matches!(first.kind, TokenKind::Word | TokenKind::Number) || first.is("'s") {
            return None;
        }
        let first_part = first.norm.split('-').next().unwrap_or_default();
        let max_words = self.lexicon.max_name_words(first_part).max(self.lexicon.max_name_words(&first.norm));
        let mut best = None;
        let mut key = String::new();
        let mut words = 0;
        for end in at + 1..=tokens.len() {
            let token = &tokens[end - 1];
            if token.is("'s") || (token.is("'") && token.is_attached) {
                continue;
            }
            // Examples: "Alara 'Swiftwind'" and "Ring-C"
            if token.is_punctuation("'\u{2018}\"-.") && end > at + 1 {
                continue;
            }
            if token.kind == TokenKind::Punctuation || matches!(token.kind, TokenKind::Quote(_)) {
                break;
            }
            if !key.is_empty() {
                key.push(' ');
            }
            key.push_str(&token.norm.replace('-', " "));
            words += 1 + token.norm.matches('-').count();
            if words > max_words {
                break;
            }
            let candidates = self.lexicon.candidates(&key);
            if let Some((mut candidate, is_ambiguous)) = self.disambiguate(candidates) {
                // In lowercase, "the abbot" describes Abbot Odo.
                if candidate.is_description && !tokens[at..end].iter().any(|token| token.is_capitalized) {
                    candidate.name_type = NameType::Description;
                }
                if !self.is_used_as_name(tokens, at, end, candidate) {
                    continue;
                }
                let is_possessive =
                    self.lexicon.is_possessive_name(&key) && tokens.get(end).is_some_and(|next| next.is("'s"));
                best = Some((end + usize::from(is_possessive), candidate, is_ambiguous));
            }
        }
        let (end, candidate, is_ambiguous) = best?;
        // "Bram Stoker" does not refer to Bram if no Stoker is known, but "Captain Rusk" refers to Rusk.
        Some(NameMention {
            start: at,
            end,
            entity: EntityRef::Known(candidate.entity),
            name_type: candidate.name_type,
            is_fuzzy: false,
            is_ambiguous,
        })
    }

    /// Returns the character whose player narration names: "Mark goes home" is about the character of Mark. At the start of
    /// a sentence, a common word such as "Mark" is a name only before a verb of speech.
    pub(super) fn find_player(&self, tokens: &[Token], at: usize) -> Option<NameMention> {
        let first = tokens.get(at).filter(|token| !self.is_speech && is_name_word(token))?;
        let words = tokens[at..].iter().take_while(|token| is_name_word(token)).count();
        let character = |count: usize| {
            let words: Vec<&str> = tokens[at..at + count].iter().map(|token| token.norm.as_str()).collect();
            self.lexicon.character_of_player(&words.join(" "))
        };
        let (count, character) = (1..=words).rev().find_map(|count| Some((count, character(count)?)))?;
        let next = tokens.get(at + count);
        let precedes_speech_verb = next.and_then(|next| self.grammar.verb_forms.get(&next.norm)).is_some_and(|forms| {
            forms.iter().any(|(verb, form)| {
                form.has(Inflections::THIRD.or(Inflections::PAST)) && self.grammar.verb_properties(verb).is_speech
            })
        });
        let can_be_other_word = count == 1
            && Self::is_sentence_start(tokens, at)
            && (is_common_word(&first.norm) || self.grammar.verb_forms.contains_key(&first.norm));
        // "Mark Oakley" is another person than the player Mark.
        let is_part_of_longer_name = count == 1
            && next.is_some_and(|next| {
                is_name_word(next)
                    && !is_common_word(&next.norm)
                    && self.lexicon.max_name_words(&next.norm) == 0
                    && !self.lexicon.is_player(&next.norm)
                    && !self.grammar.verb_forms.contains_key(&next.norm)
            });
        let is_name = precedes_speech_verb || !(can_be_other_word || is_part_of_longer_name);
        is_name.then_some(NameMention {
            start: at,
            end: at + count,
            entity: EntityRef::Known(character),
            name_type: NameType::Alias,
            is_fuzzy: false,
            is_ambiguous: false,
        })
    }

    /// Chooses the entity to which a name refers, among all entities with this name. The flag is true if several
    /// candidates remain and the choice is uncertain.
    fn disambiguate(&self, candidates: &[LinkCandidate]) -> Option<(LinkCandidate, bool)> {
        let best = candidates.iter().map(|candidate| candidate.name_type.max(NameType::Alias)).min()?;
        let mut remaining: Vec<LinkCandidate> =
            candidates.iter().filter(|candidate| candidate.name_type.max(NameType::Alias) == best).copied().collect();
        if remaining.len() > 1 {
            let scene = self.scene;
            let is_part_of_scene = |candidate: &LinkCandidate| {
                scene.present.contains(&candidate.entity)
                    || scene.place == Some(candidate.entity)
                    || scene.speaker == Some(candidate.entity)
            };
            let narrowed: Vec<LinkCandidate> =
                remaining.iter().filter(|candidate| is_part_of_scene(candidate)).copied().collect();
            if !narrowed.is_empty() {
                remaining = narrowed;
            }
            // "The ledger" refers to the item, not to the quest to find it.
            let is_task =
                |candidate: &LinkCandidate| self.lexicon.entities[candidate.entity as usize].kinds == KindSet::QUEST;
            if best == NameType::Part && !remaining.iter().all(is_task) {
                remaining.retain(|candidate| !is_task(candidate));
            }
            if remaining.len() > 1
                && let Some(recent) = scene
                    .recent
                    .iter()
                    .find_map(|entity| remaining.iter().find(|candidate| *entity == EntityRef::Known(candidate.entity)))
            {
                remaining = vec![*recent];
            }
        }
        let is_ambiguous = remaining.len() > 1;
        remaining.sort_by_key(|candidate| (candidate.name_type, candidate.entity));
        remaining.first().map(|candidate| (*candidate, is_ambiguous))
    }

    /// Returns whether words that match a name are used as a name here, and not as ordinary words.
    fn is_used_as_name(&self, tokens: &[Token], start: usize, end: usize, candidate: LinkCandidate) -> bool {
        let entity = &self.lexicon.entities[candidate.entity as usize];
        let words: Vec<&Token> = tokens[start..end].iter().filter(|token| token.is_word() && !token.is("'s")).collect();
        let previous = start.checked_sub(1).map(|at| &tokens[at]);
        let follows_determiner =
            previous.is_some_and(|previous| lists().determiners.before_name_parts.contains(&previous.norm));
        let has_capital = words.iter().any(|token| token.is_capitalized);
        let is_person = entity.kinds.intersects(KindSet::PERSON) && !entity.kinds.is_any();
        let has_name_capital = has_capital && (words.len() > 1 || !Self::is_sentence_start(tokens, start));
        if candidate.name_type == NameType::Part && !has_name_capital && self.is_ordinary_use(&words, tokens.get(end)) {
            return false;
        }
        if candidate.name_type == NameType::Description {
            let next = tokens.get(end);
            let precedes_name = next.is_some_and(|next| next.is_capitalized && next.is_word());
            let is_definite =
                previous.is_some_and(|previous| lists().determiners.before_descriptions.contains(&previous.norm));
            return (is_definite || has_capital && self.addresses_description(tokens, start, end, candidate))
                && !precedes_name
                && (!next.is_some_and(|next| next.is("of")) || self.scene.present.contains(&candidate.entity));
        }
        let is_possessive = tokens.get(end).is_some_and(|next| next.is("'s"));
        if !is_possessive
            && words.iter().any(|token| self.word_class(token).has(WordClass::MONTH))
            && previous.is_some_and(|previous| lists().prepositions.before_months.contains(&previous.norm))
        {
            return false;
        }
        // "The Fey" refers to the species in general, not to the Fey Bandits.
        let is_generic_kind = |word: &str| {
            let kind = self.grammar.attribute_nouns.contains_key(word);
            kind && !entity.name.to_lowercase().ends_with(word)
        };
        if candidate.name_type == NameType::Part && !is_person && words.iter().all(|token| is_generic_kind(&token.norm))
        {
            return false;
        }
        let all_words_are_common = words.iter().all(|token| {
            lists().nouns.people.contains(&token.norm)
                || token.norm.split('-').all(|word| is_common_word(word) || self.grammar.verb_forms.contains_key(word))
        });
        // "The sluice" does not refer to Sluice Hall, but "the hall" can.
        let is_lowercase_part = candidate.name_type == NameType::Part && !has_capital;
        if is_lowercase_part && words.last().is_some_and(|word| is_modifier_in(entity, &word.norm)) {
            return false;
        }
        // "Hit the wall" refers to the Signet Wall only if that wall is part of the scene. "The map" can always refer
        // to the Sunken Map, and "to the mill" to Grauer's Mill.
        let is_lowercase_part = is_lowercase_part && tokens.iter().any(|token| token.is_capitalized);
        let is_thing = entity.kinds == KindSet::THING;
        let is_destination = entity.kinds == KindSet::PLACE && self.is_destination(tokens, start, end);
        if is_lowercase_part && !is_thing && !is_destination && !self.is_in_scene(candidate.entity) {
            return false;
        }
        if !all_words_are_common {
            // The word is part of a longer unknown name: "Pike Harrow" is not Pike.
            let next = tokens.get(end);
            let is_part_of_longer_name = candidate.name_type == NameType::Part
                && words.len() == 1
                && next.is_some_and(|next| {
                    next.is_capitalized
                        && next.is_word()
                        && !is_common_word(&next.norm)
                        && self.lexicon.max_name_words(&next.norm) == 0
                        && !self.grammar.verb_forms.contains_key(&next.norm)
                });
            return !is_part_of_longer_name;
        }
        if !has_capital {
            let nouns = WordClass::GROUP_NOUN.or(WordClass::PLACE_NOUN).or(WordClass::THING_NOUN);
            let is_thing_name = !is_person
                && (words.len() > 1
                    || words.iter().any(|token| self.word_class(token).has(nouns))
                    || candidate.name_type != NameType::Part);
            let is_title = is_person && candidate.name_type == NameType::Alias;
            return follows_determiner
                && (is_thing_name || is_title)
                && (words.len() > 1
                    || candidate.name_type != NameType::Part
                    || words.iter().all(|token| self.word_class(token).has(nouns)));
        }
        if words.len() > 1 || !Self::is_sentence_start(tokens, start) {
            return true;
        }
        // "Men said" does not refer to the Jarl's Men.
        if candidate.name_type == NameType::Part && !is_person {
            return false;
        }
        // "Hope" is a name in "Hope is here", but "Hope you slept well", "Mark my words" and "May the gods" contain no
        // name.
        let next = tokens.get(end);
        next.is_none_or(|next| {
            let class = self.word_class(next);
            !(class.has(WordClass::DETERMINER)
                || is_pronoun(&next.norm)
                || next.is("that")
                || next.is("to")
                || next.is("for"))
        })
    }

    /// Returns whether a speaker addresses an entity by a description, as in "Yes, Captain.".
    fn addresses_description(&self, tokens: &[Token], start: usize, end: usize, candidate: LinkCandidate) -> bool {
        let is_set_off = |token: &Token| token.is_punctuation(",.!?\u{2026}");
        self.is_speech
            && (self.scene.present.is_empty() || self.is_in_scene(candidate.entity))
            && start.checked_sub(1).is_none_or(|at| is_set_off(&tokens[at]))
            && tokens.get(end).is_none_or(is_set_off)
    }

    /// Returns whether words without a meaningful capital letter are used as ordinary words, although they are part of
    /// a name: "One of the guards" does not refer to the Whispered One, nor "Hunter after hunter" to Marla Hunter.
    fn is_ordinary_use(&self, words: &[&Token], next: Option<&Token>) -> bool {
        let is_number = |token: &&Token| self.word_class(token).has(WordClass::NUMBER);
        let is_capitalized_noun =
            |token: &&Token| token.is_capitalized && self.grammar.attribute_nouns.contains_key(&token.norm);
        let precedes_preposition = next.is_some_and(|next| self.word_class(next).has(WordClass::PREPOSITION));
        words.iter().all(is_number) || (precedes_preposition && words.iter().all(is_capitalized_noun))
    }

    /// Returns whether a noun for places states where somebody is or goes: "to the mill", but not "to the mill race".
    fn is_destination(&self, tokens: &[Token], start: usize, end: usize) -> bool {
        let is_place_noun = end == start + 1 && self.word_class(&tokens[start]).has(WordClass::PLACE_NOUN);
        let follows_preposition = start >= 2
            && tokens[start - 1].is("the")
            && lists().prepositions.destinations.contains(&tokens[start - 2].norm);
        let ends_phrase = tokens.get(end).is_none_or(|next| {
            let class = self.word_class(next);
            !next.is_word()
                || (!next.is("of")
                    && class.has(WordClass::PREPOSITION.or(WordClass::CONJUNCTION).or(WordClass::ADVERB)))
        });
        is_place_noun && follows_preposition && ends_phrase
    }

    /// Returns whether an entity is part of the scene, or was mentioned recently.
    fn is_in_scene(&self, entity: u32) -> bool {
        let scene = self.scene;
        scene.recent.contains(&EntityRef::Known(entity))
            || scene.present.contains(&entity)
            || scene.place == Some(entity)
            || scene.speaker == Some(entity)
    }
}

/// Returns whether a token is a capitalized word, as the words of a name are.
fn is_name_word(token: &Token) -> bool {
    token.is_capitalized && token.is_word() && !token.is("'s")
}

/// Returns whether a word stands before the noun of a name, as "sluice" does in "Sluice Hall". In "Order of the Rose",
/// both "order" and "rose" are nouns. The name of a person has no noun.
fn is_modifier_in(entity: &LexiconEntity, word: &str) -> bool {
    let words = text::words(&entity.name);
    let is_noun = |at: usize| words.get(at + 1).is_none_or(|next| next == "of");
    let mut positions = (0..words.len()).filter(|at| words[*at] == word).peekable();
    !entity.kinds.intersects(KindSet::PERSON) && positions.peek().is_some() && !positions.any(is_noun)
}
