//! Finds the names in a sentence and links them to entities.

use hearsay_model::{Span, spelling::is_common_word};

use crate::{
    conjugation::Inflections,
    facts::NewEntity,
    grammar::{Grammar, WordClass},
    kind_set::KindSet,
    lexicon::{Gender, Lexicon, LinkCandidate, NameType},
    tokenizer::{Token, TokenKind},
};

/// Entity to which words refer: an entity of the campaign, or a new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EntityRef {
    Known(u32),
    New(usize),
}

/// Name in a sentence: the tokens from `start` up to, but not including, `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameMention {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) entity: EntityRef,
    pub(crate) name_type: NameType,
    /// Whether the words are only spelt similarly to the name.
    pub(crate) is_fuzzy: bool,
    /// Whether the name can refer to several entities, so that the choice is uncertain.
    pub(crate) is_ambiguous: bool,
}

/// Context that helps to decide to which entity a name refers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    pub(crate) speaker: Option<u32>,
    pub(crate) present: Vec<u32>,
    pub(crate) place: Option<u32>,
    /// Entities that were mentioned recently, the latest first.
    pub(crate) recent: Vec<EntityRef>,
}

/// Names in the text that belong to no known entity, with their properties.
#[derive(Debug, Default)]
pub(crate) struct NewNames {
    pub(crate) entities: Vec<NewEntity>,
    pub(crate) kinds: Vec<KindSet>,
    pub(crate) genders: Vec<Gender>,
    /// Whether a capital letter within a sentence confirmed that the words are a name.
    pub(crate) is_confirmed: Vec<bool>,
}

pub(crate) struct MentionFinder<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) grammar: &'a Grammar,
    pub(crate) scene: &'a Scene,
    pub(crate) text: &'a str,
}

/// Words for places that are also surnames.
const PLACE_SURNAMES: [&str; 26] = [
    "marsh", "hill", "hills", "wood", "woods", "lake", "field", "fields", "mill", "bridge", "hall", "church", "castle",
    "park", "lane", "forge", "river", "gate", "ford", "vale", "temple", "hold", "shore", "fields", "garden", "street",
];

/// Maximum number of words that are compared with a name for similar spelling.
const MAX_SIMILAR_NAME_WORDS: usize = 3;

impl MentionFinder<'_> {
    /// Returns the names in a sentence, in order. Unknown names are added to `new_names`.
    pub(crate) fn find_names(&self, tokens: &[Token], new_names: &mut NewNames) -> Vec<NameMention> {
        let mut names = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let name = self
                .find_known(tokens, at)
                .or_else(|| self.find_similar(tokens, at))
                .or_else(|| self.find_new(tokens, at, new_names));
            match name {
                Some(name) => {
                    at = name.end;
                    names.push(name);
                }
                None => at += 1,
            }
        }
        names
    }

    fn word_class(&self, token: &Token) -> WordClass {
        self.grammar.word_class(&token.norm)
    }

    /// Returns whether a token is the first word of its sentence. The capital letter of such a word does not indicate a
    /// name.
    fn is_sentence_start(tokens: &[Token], at: usize) -> bool {
        let previous = tokens[..at]
            .iter()
            .rev()
            .find(|token| token.kind != TokenKind::Punctuation || token.is_punctuation(".!?:\u{2014}"));
        previous.is_none_or(|previous| previous.is_punctuation(".!?:\u{2014}"))
    }

    /// Returns the longest known name that begins at a token.
    fn find_known(&self, tokens: &[Token], at: usize) -> Option<NameMention> {
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
            if let Some((candidate, is_ambiguous)) = self.disambiguate(candidates)
                && self.is_used_as_name(tokens, at, end, candidate)
            {
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
        let follows_determiner = previous.is_some_and(|previous| {
            ["the", "that", "this", "our", "your", "old", "poor", "dear"].contains(&previous.norm.as_str())
        });
        let has_capital = words.iter().any(|token| token.is_capitalized);
        let is_person = entity.kinds.intersects(KindSet::PERSON) && !entity.kinds.is_any();
        if candidate.name_type == NameType::Description {
            let next = tokens.get(end);
            let precedes_name = next.is_some_and(|next| next.is_capitalized && next.is_word());
            let is_definite =
                previous.is_some_and(|previous| ["the", "that", "this", "our"].contains(&previous.norm.as_str()));
            return is_definite
                && !precedes_name
                && (!next.is_some_and(|next| next.is("of")) || self.scene.present.contains(&candidate.entity));
        }
        let is_possessive = tokens.get(end).is_some_and(|next| next.is("'s"));
        if !is_possessive
            && words.iter().any(|token| self.word_class(token).has(WordClass::MONTH))
            && previous.is_some_and(|previous| {
                ["in", "since", "until", "last", "next", "by"].contains(&previous.norm.as_str())
            })
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
        let is_people_noun = |word: &str| {
            ["men", "women", "folk", "people", "boys", "girls", "sons", "daughters", "kids", "lads", "guys", "children"]
                .contains(&word)
        };
        let all_words_are_common = words.iter().all(|token| {
            is_people_noun(&token.norm)
                || token.norm.split('-').all(|word| is_common_word(word) || self.grammar.verb_forms.contains_key(word))
        });
        // "Hit the wall" refers to the Signet Wall only if that wall is part of the scene. "The map" can always refer
        // to the Sunken Map.
        let is_lowercase_part =
            candidate.name_type == NameType::Part && !has_capital && tokens.iter().any(|token| token.is_capitalized);
        let is_thing = entity.kinds == KindSet::THING;
        if is_lowercase_part && !is_thing && !self.is_in_scene(candidate.entity) {
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

    /// Returns whether an entity is part of the scene, or was mentioned recently.
    fn is_in_scene(&self, entity: u32) -> bool {
        let scene = self.scene;
        scene.recent.contains(&EntityRef::Known(entity))
            || scene.present.contains(&entity)
            || scene.place == Some(entity)
            || scene.speaker == Some(entity)
    }

    /// Returns a known name that is spelt similarly to the words at a token.
    fn find_similar(&self, tokens: &[Token], at: usize) -> Option<NameMention> {
        let first = &tokens[at];
        if !first.is_word() || self.is_ordinary_word(tokens, at) {
            return None;
        }
        for count in (1..=MAX_SIMILAR_NAME_WORDS).rev() {
            let end = at + count;
            if end > tokens.len() || tokens[at..end].iter().any(|token| !token.is_word() || token.is("'s")) {
                continue;
            }
            if (count > 1 && self.is_ordinary_word(tokens, end - 1))
                || tokens[at..end].iter().any(|token| self.word_class(token).has(WordClass::NEGATION))
            {
                continue;
            }
            let words: Vec<String> = tokens[at..end].iter().map(|token| token.norm.replace('-', "")).collect();
            if words.concat().chars().count() < 4 {
                continue;
            }
            if let Some(entity) = self.lexicon.find_similar(&words) {
                return Some(NameMention {
                    start: at,
                    end,
                    entity: EntityRef::Known(entity),
                    name_type: NameType::Part,
                    is_fuzzy: true,
                    is_ambiguous: false,
                });
            }
        }
        None
    }

    /// Returns whether a word is an ordinary word of the language and not a misspelt name.
    fn is_ordinary_word(&self, tokens: &[Token], at: usize) -> bool {
        let token = &tokens[at];
        let word = token.norm.as_str();
        let grammar = self.grammar;
        let class = grammar.word_class(word);
        let is_capitalized_inside = token.is_capitalized && !Self::is_sentence_start(tokens, at);
        if class.0
            & !(WordClass::TITLE.0
                | WordClass::PLACE_NOUN.0
                | WordClass::THING_NOUN.0
                | WordClass::GROUP_NOUN.0
                | WordClass::EVENT_NOUN.0
                | WordClass::ADJECTIVE.0)
            != 0
        {
            return true;
        }
        let is_known_word = class != WordClass::default()
            || is_pronoun(word)
            || grammar.verb_forms.contains_key(word)
            || is_common_word(word)
            || grammar.attribute_nouns.contains_key(word)
            || grammar.attribute_nouns.contains_key(word.trim_end_matches('s'))
            || grammar.attribute_adjectives.contains_key(word)
            || grammar.noun_patterns.contains_key(word)
            || grammar.attribute_labels.contains_key(word)
            || grammar.possession_nouns.contains_key(word)
            || has_common_suffix(word);
        is_known_word && !is_capitalized_inside
    }

    /// Returns a name at a token that belongs to no known entity, and adds it to `new_names`.
    fn find_new(&self, tokens: &[Token], at: usize, new_names: &mut NewNames) -> Option<NameMention> {
        let is_proper = |at: usize| {
            let token = &tokens[at];
            token.is_word() && token.is_capitalized && !token.is("i") && token.norm.chars().count() > 1
        };
        if !is_proper(at) || self.is_closed_class(&tokens[at]) || crate::cues::is_discourse_marker(&tokens[at].norm) {
            return None;
        }
        // Example: "Species: human"
        if tokens.get(at + 1).is_some_and(|next| next.is_punctuation(":"))
            && self.grammar.attribute_labels.contains_key(&tokens[at].norm)
        {
            return None;
        }
        let is_at_start = Self::is_sentence_start(tokens, at);
        // Examples: "Men said", "Twelve came"
        let collective_nouns =
            ["men", "women", "folk", "people", "sailors", "children", "some", "others", "many", "none"];
        if is_at_start
            && (self.word_class(&tokens[at]).has(WordClass::NUMBER)
                || collective_nouns.contains(&tokens[at].norm.as_str()))
        {
            return None;
        }
        // "Were-harengon" and "Half-elf" are species, not names.
        let last = tokens[at].norm.rsplit('-').next().unwrap_or_default();
        let is_compound_kind = last != tokens[at].norm && self.grammar.attribute_nouns.contains_key(last);
        if is_compound_kind && !tokens.get(at + 1).is_some_and(|next| next.is_capitalized) {
            return None;
        }
        // Examples: "Sixty-one years old, he …", "Renowned for it, he …"
        let is_numeral = tokens[at].norm.split('-').all(|part| self.grammar.word_class(part).has(WordClass::NUMBER));
        let is_fronted_participle = tokens[at].norm.ends_with("ed")
            && tokens
                .get(at + 1)
                .is_some_and(|next| self.word_class(next).has(WordClass::PREPOSITION.or(WordClass::CONJUNCTION)));
        if is_at_start && (is_numeral || is_fronted_participle) {
            return None;
        }
        // "King Static" refers to the known name Static. "Scuttlebutt, …" is a cue.
        if self.word_class(&tokens[at]).has(WordClass::TITLE)
            && tokens.len() > at + 1
            && self.find_known(tokens, at + 1).is_some()
        {
            return None;
        }
        if is_at_start
            && self
                .grammar
                .cues
                .get(&tokens[at].norm)
                .is_some_and(|cues| cues.iter().any(|(words, _)| words.len() == 1))
        {
            return None;
        }
        // "Session 6" is not a name. In "Vasilka - Doll-like creation", the words after the dash are a note.
        let stands_alone = tokens.get(at + 1).is_none_or(|next| !is_proper(at + 1) || next.kind != TokenKind::Word);
        let next = tokens.get(at + 1);
        if stands_alone && next.is_some_and(|next| next.kind == TokenKind::Number) {
            return None;
        }
        let follows_dash =
            at > 1 && tokens[at - 1].is_punctuation("\u{2014}:-") && !tokens[at - 2].is_punctuation(".!?");
        let precedes_word = next.is_some_and(|next| {
            next.is_word() && !next.is("'s") && !self.is_closed_class(next) && !is_be_form(&next.norm)
        });
        let precedes_verb = next.is_some_and(|next| {
            let forms = self.grammar.verb_forms.get(&next.norm);
            forms.is_some_and(|forms| forms.iter().any(|(_, form)| form.has(Inflections::THIRD.or(Inflections::PAST))))
        });
        if follows_dash && stands_alone && precedes_word && !precedes_verb {
            return None;
        }
        if tokens[at].norm.ends_with("-like")
            || (is_at_start
                && self.word_class(&tokens[at]).has(WordClass::MALE.or(WordClass::FEMALE))
                && !self.word_class(&tokens[at]).has(WordClass::TITLE))
        {
            return None;
        }
        let is_all_caps = |token: &Token| {
            let word = &self.text[token.start..token.end];
            word.chars().count() > 1 && word.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase)
        };
        let mut end = at + 1;
        while end < tokens.len() {
            let token = &tokens[end];
            if token.kind == TokenKind::Punctuation
                && token.is(".")
                && token.is_attached
                && self.word_class(&tokens[end - 1]).has(WordClass::ABBREVIATION)
            {
                end += 1;
                continue;
            }
            if is_proper(end)
                && !self.is_closed_class(token)
                && self.find_known(tokens, end).is_none_or(|name| name.name_type != NameType::Name)
            {
                end += 1;
                continue;
            }
            // Examples: "Order of the Rose", "Fenna van der Hoek"
            let is_linking_word = |token: &Token| {
                ["of", "the", "van", "der", "von", "de", "del", "la", "du", "al", "ibn", "ap"]
                    .contains(&token.norm.as_str())
            };
            let linking_count = tokens[end..].iter().take(2).take_while(|token| is_linking_word(token)).count();
            let next_part = end + linking_count;
            if linking_count > 0
                && next_part < tokens.len()
                && is_proper(next_part)
                && !self.is_closed_class(&tokens[next_part])
                && self.find_known(tokens, next_part).is_none()
            {
                end = next_part + 1;
                continue;
            }
            break;
        }
        let words = &tokens[at..end];
        if words.iter().all(is_all_caps) && (words.len() > 1 || words[0].norm.len() < 5) {
            return None;
        }
        // Titles without a name, months, and words for a kind of person, such as "a Vashti", are not names.
        if words.iter().all(|token| self.word_class(token).has(WordClass::TITLE.or(WordClass::MONTH))) {
            return None;
        }
        let previous_word = at.checked_sub(1).map(|at| tokens[at].norm.as_str());
        if words.len() == 1 && matches!(previous_word, Some("a" | "an")) {
            return None;
        }
        // "Christian" and "Elvish" are not names.
        if words.len() == 1
            && (self.grammar.attribute_adjectives.contains_key(&words[0].norm)
                || self.grammar.attribute_nouns.contains_key(&words[0].norm))
        {
            return None;
        }
        let is_common_token = |token: &Token| {
            is_common_word(&token.norm)
                || self.grammar.verb_forms.contains_key(&token.norm)
                || self.grammar.attribute_nouns.contains_key(&token.norm)
                || self.grammar.attribute_adjectives.contains_key(&token.norm)
                || has_common_suffix(&token.norm)
        };
        let mut start = at;
        if is_at_start && is_common_token(&tokens[at]) && !self.word_class(&tokens[at]).has(WordClass::TITLE) {
            // The first word of a sentence always has a capital letter, so only the words after it can indicate a name.
            let next_is_name = words.len() > 1 && (is_common_token(&tokens[at + 1]) || words.len() > 2);
            if !next_is_name {
                return None;
            }
            if self
                .grammar
                .verb_forms
                .get(&tokens[at].norm)
                .is_some_and(|forms| forms.iter().any(|(_, form)| form.has(Inflections::PAST.or(Inflections::ING))))
            {
                start = at + 1;
            }
        }
        if words.len() == 1
            && is_common_token(&words[0])
            && (self.word_class(&words[0]).has(WordClass::TITLE) || is_at_start)
        {
            return None;
        }
        let words = &tokens[start..end];
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return None };
        let span = Span { start: first.start, end: last.end };
        let name = self.text[span.start..span.end].to_owned();
        let index = match new_names.entities.iter().position(|entity| is_same_name(&entity.name, &name)) {
            Some(index) => index,
            None => {
                let kinds = self.kinds_from_words(words);
                // "Jenna Marsh" can be a person, although "marsh" is a word for a place.
                let previous_word = start.checked_sub(1).map_or("", |at| tokens[at].norm.as_str());
                let follows_place_marker =
                    previous_word == "the" || self.grammar.word_class(previous_word).has(WordClass::PREPOSITION);
                let has_place_surname =
                    words.len() == 2 && PLACE_SURNAMES.contains(&last.norm.as_str()) && !is_common_token(first);
                let kinds = if kinds == KindSet::PLACE && has_place_surname && !follows_place_marker {
                    KindSet::PERSON.or(KindSet::PLACE)
                } else {
                    kinds
                };
                let class = words.iter().fold(WordClass::default(), |class, token| class.or(self.word_class(token)));
                new_names.genders.push(match (class.has(WordClass::MALE), class.has(WordClass::FEMALE)) {
                    (true, false) => Gender::He,
                    (false, true) => Gender::She,
                    _ => Gender::Unknown,
                });
                new_names.kinds.push(kinds);
                new_names.is_confirmed.push(false);
                let confidence = 0.8
                    - if words.iter().all(is_common_token) { 0.3 } else { 0.0 }
                    - if is_at_start { 0.1 } else { 0.0 };
                new_names.entities.push(NewEntity {
                    name,
                    kind: kinds.likely_kind(),
                    span,
                    confidence: hearsay_model::Confidence::new(confidence).unwrap_or(hearsay_model::Confidence::FULL),
                });
                new_names.entities.len() - 1
            }
        };
        if let Some(is_confirmed) = new_names.is_confirmed.get_mut(index) {
            *is_confirmed |= !is_at_start || words.len() > 1 || start > at;
        }
        Some(NameMention {
            start,
            end,
            entity: EntityRef::New(index),
            name_type: NameType::Name,
            is_fuzzy: false,
            is_ambiguous: false,
        })
    }

    /// Returns whether a word can be part of a name only if it stands between two other words of the name.
    fn is_closed_class(&self, token: &Token) -> bool {
        let closed_classes = WordClass::CLOSED.or(WordClass::ADVERB).or(WordClass::MONTH);
        self.word_class(token).has(closed_classes) || is_pronoun(&token.norm) || is_be_form(&token.norm)
    }

    /// Returns the classes of entities that a new name can belong to, derived from its words.
    fn kinds_from_words(&self, words: &[Token]) -> KindSet {
        let of_position = words.iter().position(|token| token.is("of")).unwrap_or(words.len());
        for token in words[..of_position].iter().rev().chain(&words[of_position..]) {
            let class = self.word_class(token);
            for (kind_class, kinds) in [
                (WordClass::TITLE, KindSet::PERSON),
                (WordClass::GROUP_NOUN, KindSet::GROUP),
                (WordClass::PLACE_NOUN, KindSet::PLACE),
                (WordClass::EVENT_NOUN, KindSet::EVENT),
                (WordClass::THING_NOUN, KindSet::THING),
            ] {
                if class.has(kind_class) && (kind_class != WordClass::TITLE || token.start == words[0].start) {
                    return kinds;
                }
            }
        }
        KindSet::ANY
    }
}

fn is_same_name(a: &str, b: &str) -> bool {
    use hearsay_model::text::normalize;
    normalize(a) == normalize(b) || (b.chars().count() > 3 && normalize(a).split(' ').any(|word| word == normalize(b)))
}

/// Returns whether a word ends in a suffix that is rare in names, such as "-ness".
fn has_common_suffix(word: &str) -> bool {
    word.len() > 5
        && ["ing", "ness", "ment", "tion", "ful", "less", "ously", "ly", "able", "ible", "ized", "ised"]
            .iter()
            .any(|end| word.ends_with(end))
}

/// Returns whether a word is an English pronoun, such as "she" or "themselves". The word must be in lowercase.
pub fn is_pronoun(word: &str) -> bool {
    matches!(
        word,
        "i" | "me"
            | "my"
            | "mine"
            | "myself"
            | "you"
            | "your"
            | "yours"
            | "yourself"
            | "he"
            | "him"
            | "his"
            | "himself"
            | "she"
            | "her"
            | "hers"
            | "herself"
            | "it"
            | "its"
            | "itself"
            | "we"
            | "us"
            | "our"
            | "ours"
            | "ourselves"
            | "they"
            | "them"
            | "their"
            | "theirs"
            | "themselves"
            | "themself"
            | "who"
            | "whom"
            | "whose"
            | "which"
            | "there"
            | "nobody"
            | "noone"
            | "everyone"
            | "everybody"
            | "someone"
            | "somebody"
            | "anyone"
            | "anybody"
            | "nothing"
            | "something"
            | "everything"
            | "anything"
            | "oneself"
    )
}

pub(crate) fn is_be_form(word: &str) -> bool {
    matches!(word, "be" | "am" | "is" | "are" | "was" | "were" | "been" | "being")
}
