//! Finds names that belong to no entity of the campaign.

use hearsay_model::{Span, spelling::is_common_word, text::normalize, words::is_title};

use super::{EntityRef, MentionFinder, NameMention, NewNames, has_common_suffix, is_be_form, is_pronoun};
use crate::{
    entities::lexicon::{NameType, stated_gender},
    facts::NewEntity,
    language::{
        conjugation::Inflections, function_words::is_discourse_marker, grammar::WordClass, kind_set::KindSet,
        word_lists::lists,
    },
    text::tokenizer::{Token, TokenKind},
};

impl MentionFinder<'_> {
    /// Returns a name at a token that belongs to no known entity, and adds it to `new_names`.
    pub(super) fn find_new(&self, tokens: &[Token], at: usize, new_names: &mut NewNames) -> Option<NameMention> {
        if !self.can_begin_new_name(tokens, at) {
            return None;
        }
        let end = self.new_name_end(tokens, at);
        if !self.can_be_new_name(tokens, at, end) {
            return None;
        }
        let start = self.new_name_start(tokens, at, end)?;
        let words = &tokens[start..end];
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return None };
        let span = Span { start: first.start, end: last.end };
        let name = self.text[span.start..span.end].split_whitespace().collect::<Vec<_>>().join(" ");
        let is_at_start = Self::is_sentence_start(tokens, at);
        let index = match new_names.entities.iter().position(|entity| is_same_name(&entity.name, &name)) {
            Some(index) => index,
            None => {
                let previous_word = start.checked_sub(1).map_or("", |at| tokens[at].norm.as_str());
                let kinds = self.new_name_kinds(words, previous_word);
                let gender = stated_gender(words.iter().map(|token| token.norm.as_str()), self.grammar);
                new_names.genders.push(gender);
                new_names.kinds.push(kinds);
                new_names.is_confirmed.push(false);
                let confidence = 0.8
                    - if words.iter().all(|token| self.is_common_token(token)) { 0.3 } else { 0.0 }
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

    /// Returns whether a name of no known entity can begin at a token.
    fn can_begin_new_name(&self, tokens: &[Token], at: usize) -> bool {
        if !is_proper(&tokens[at]) || self.is_closed_class(&tokens[at]) || is_discourse_marker(&tokens[at].norm) {
            return false;
        }
        // Example: "Species: human"
        if tokens.get(at + 1).is_some_and(|next| next.is_punctuation(":"))
            && self.grammar.attribute_labels.contains_key(&tokens[at].norm)
        {
            return false;
        }
        let is_at_start = Self::is_sentence_start(tokens, at);
        // Examples: "Men said", "Twelve came"
        if is_at_start
            && (self.word_class(&tokens[at]).has(WordClass::NUMBER)
                || lists().nouns.collective_subjects.contains(&tokens[at].norm))
        {
            return false;
        }
        // "Were-harengon" and "Half-elf" are species, not names.
        let last = tokens[at].norm.rsplit('-').next().unwrap_or_default();
        let is_compound_kind = last != tokens[at].norm && self.grammar.attribute_nouns.contains_key(last);
        if is_compound_kind && !tokens.get(at + 1).is_some_and(|next| next.is_capitalized) {
            return false;
        }
        // Examples: "Sixty-one years old, he …", "Renowned for it, he …"
        let is_numeral = tokens[at].norm.split('-').all(|part| self.grammar.word_class(part).has(WordClass::NUMBER));
        let is_fronted_participle = tokens[at].norm.ends_with("ed")
            && tokens
                .get(at + 1)
                .is_some_and(|next| self.word_class(next).has(WordClass::PREPOSITION.or(WordClass::CONJUNCTION)));
        if is_at_start && (is_numeral || is_fronted_participle) {
            return false;
        }
        // "King Static" refers to the known name Static, and "King Statik" is a misspelling. "Scuttlebutt, …" is a cue.
        if self.word_class(&tokens[at]).has(WordClass::TITLE)
            && tokens.len() > at + 1
            && (self.find_known(tokens, at + 1).is_some() || self.find_similar(tokens, at + 1).is_some())
        {
            return false;
        }
        if is_at_start
            && self
                .grammar
                .cues
                .get(&tokens[at].norm)
                .is_some_and(|cues| cues.iter().any(|(words, _)| words.len() == 1))
        {
            return false;
        }
        // "Session 6" is not a name. In "Vasilka - Doll-like creation", the words after the dash are a note.
        let stands_alone = tokens.get(at + 1).is_none_or(|next| !is_proper(next) || next.kind != TokenKind::Word);
        let next = tokens.get(at + 1);
        if stands_alone && next.is_some_and(|next| next.kind == TokenKind::Number) {
            return false;
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
            return false;
        }
        if tokens[at].norm.ends_with("-like")
            || (is_at_start
                && self.word_class(&tokens[at]).has(WordClass::MALE.or(WordClass::FEMALE))
                && !self.word_class(&tokens[at]).has(WordClass::TITLE))
        {
            return false;
        }
        true
    }

    /// Returns the token after the name that begins at a token.
    fn new_name_end(&self, tokens: &[Token], at: usize) -> usize {
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
            if is_proper(token)
                && !self.is_closed_class(token)
                && self.find_known(tokens, end).is_none_or(|name| name.name_type != NameType::Name)
            {
                end += 1;
                continue;
            }
            // Examples: "Order of the Rose", "Fenna van der Hoek"
            let is_linking_word = |token: &Token| lists().names.linking_words.contains(&token.norm);
            let linking_count = tokens[end..].iter().take(2).take_while(|token| is_linking_word(token)).count();
            let next_part = end + linking_count;
            if linking_count > 0
                && next_part < tokens.len()
                && is_proper(&tokens[next_part])
                && !self.is_closed_class(&tokens[next_part])
                && self.find_known(tokens, next_part).is_none()
            {
                end = next_part + 1;
                continue;
            }
            break;
        }
        end
    }

    /// Returns whether the words from `at` up to, but not including, `end` can be a name.
    fn can_be_new_name(&self, tokens: &[Token], at: usize, end: usize) -> bool {
        let words = &tokens[at..end];
        // The people at the table are no entities of the campaign.
        let name: Vec<&str> = words.iter().map(|token| token.norm.as_str()).collect();
        if self.lexicon.is_player(&name.join(" ")) {
            return false;
        }
        let is_all_caps = |token: &Token| {
            let word = &self.text[token.start..token.end];
            word.chars().count() > 1 && word.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase)
        };
        if words.iter().all(is_all_caps) && (words.len() > 1 || words[0].norm.len() < 5) {
            return false;
        }
        // Titles without a name, months, and words for a kind of person, such as "a Vashti", are not names.
        if words.iter().all(|token| self.word_class(token).has(WordClass::TITLE.or(WordClass::MONTH))) {
            return false;
        }
        let previous_word = at.checked_sub(1).map(|at| tokens[at].norm.as_str());
        if words.len() == 1 && matches!(previous_word, Some("a" | "an")) {
            return false;
        }
        // "Christian" and "Elvish" are not names.
        if words.len() == 1
            && (self.grammar.attribute_adjectives.contains_key(&words[0].norm)
                || self.grammar.attribute_nouns.contains_key(&words[0].norm))
        {
            return false;
        }
        if words.len() == 1
            && self.is_common_token(&words[0])
            && (self.word_class(&words[0]).has(WordClass::TITLE) || Self::is_sentence_start(tokens, at))
        {
            return false;
        }
        true
    }

    /// Returns the first token of the name in the words from `at` up to, but not including, `end`. The first word of a
    /// sentence may not belong to the name. Returns `None` if the words are no name.
    fn new_name_start(&self, tokens: &[Token], at: usize, end: usize) -> Option<usize> {
        let words = &tokens[at..end];
        let is_at_start = Self::is_sentence_start(tokens, at);
        let mut start = at;
        if is_at_start && self.is_common_token(&tokens[at]) && !self.word_class(&tokens[at]).has(WordClass::TITLE) {
            // The first word of a sentence always has a capital letter, so only the words after it can indicate a name.
            let next_is_name = words.len() > 1 && (self.is_common_token(&tokens[at + 1]) || words.len() > 2);
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
        Some(start)
    }

    /// Returns whether a word is a common word, or can be a verb, a noun or an adjective that states an attribute.
    fn is_common_token(&self, token: &Token) -> bool {
        is_common_word(&token.norm)
            || self.grammar.verb_forms.contains_key(&token.norm)
            || self.grammar.attribute_nouns.contains_key(&token.norm)
            || self.grammar.attribute_adjectives.contains_key(&token.norm)
            || has_common_suffix(&token.norm)
    }

    /// Returns the classes of entities that a new name can belong to. "Jenna Marsh" can be a person, although "marsh"
    /// is a word for a place.
    fn new_name_kinds(&self, words: &[Token], previous_word: &str) -> KindSet {
        let kinds = self.kinds_from_words(words);
        let follows_place_marker =
            previous_word == "the" || self.grammar.word_class(previous_word).has(WordClass::PREPOSITION);
        let has_place_surname = matches!(words, [first, last]
            if lists().nouns.place_surnames.contains(last.norm.as_str()) && !self.is_common_token(first));
        if kinds == KindSet::PLACE && has_place_surname && !follows_place_marker {
            KindSet::PERSON.or(KindSet::PLACE)
        } else {
            kinds
        }
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

/// Returns whether a token is spelt like a part of a name: a capitalized word of at least two letters.
fn is_proper(token: &Token) -> bool {
    token.is_word() && token.is_capitalized && !token.is("i") && token.norm.chars().count() > 1
}

/// Returns whether two names refer to the same entity: the names are equal, `b` is a word of `a`, or they differ only
/// in the titles before a name of several words, as in "Brother Zarael Oxmoor" and "Zarael Oxmoor".
pub(crate) fn is_same_name(a: &str, b: &str) -> bool {
    let (a, b) = (normalize(a), normalize(b));
    let is_word = b.chars().count() > 3 && a.split(' ').any(|word| word == b);
    a == b || is_word || is_without_titles(&a, &b) || is_without_titles(&b, &a)
}

/// Returns whether `short` is the name `long` without its titles, and has several words. "Lord Vane" and "Lady Vane"
/// can be two people.
fn is_without_titles(long: &str, short: &str) -> bool {
    let mut rest = long;
    while let Some((_, others)) = rest.split_once(' ').filter(|(first, _)| is_title(first)) {
        rest = others;
        if rest == short {
            return short.contains(' ');
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_do_not_make_another_name() {
        for (a, b, expected) in [
            ("Zarael Oxmoor", "zarael  oxmoor", true),
            ("Brother Zarael Oxmoor", "Zarael Oxmoor", true),
            ("Zarael Oxmoor", "Brother Zarael Oxmoor", true),
            ("Zarael Oxmoor", "Zarael", true),
            ("Order of the Rose", "Rose", true),
            ("Lord Vane", "Lady Vane", false),
            ("Brother Zarael Oxmoor", "Sister Zarael Oxmoor", false),
            ("Zarael Oxmoor", "Zarael Pike", false),
            ("Ash Vane", "Ash", false),
        ] {
            assert_eq!(is_same_name(a, b), expected, "{a} and {b}");
        }
    }
}
