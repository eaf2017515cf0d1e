//! Finds the names in a sentence and links them to entities.

use hearsay_model::{Span, spelling::is_common};

use crate::{
    facts::NewEntity,
    grammar::{Class, Grammar},
    kinds::Kinds,
    lexicon::{Bearer, Gender, How, Lexicon},
    token::{Sort, Token},
    verbs::Form,
};

/// Entity to which words refer: an entity of the campaign, or a new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Who {
    Known(u32),
    New(usize),
}

/// Name in a sentence: the tokens from `start` up to, but not including, `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Name {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) who: Who,
    pub(crate) how: How,
    /// Whether the words are only spelt similarly to the name.
    pub(crate) near: bool,
    /// Whether the name can refer to several entities, so that the choice is uncertain.
    pub(crate) shared: bool,
}

/// Context that helps to decide to which entity a name refers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    pub(crate) speaker: Option<u32>,
    pub(crate) present: Vec<u32>,
    pub(crate) place: Option<u32>,
    /// Entities that were mentioned recently, the latest first.
    pub(crate) recent: Vec<Who>,
}

/// Names in the text that belong to no known entity, with their properties.
#[derive(Debug, Default)]
pub(crate) struct NewNames {
    pub(crate) found: Vec<NewEntity>,
    pub(crate) kinds: Vec<Kinds>,
    pub(crate) genders: Vec<Gender>,
    /// Whether a capital letter within a sentence confirmed that the words are a name.
    pub(crate) sure: Vec<bool>,
}

pub(crate) struct Finder<'a> {
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) grammar: &'a Grammar,
    pub(crate) scene: &'a Scene,
    pub(crate) text: &'a str,
}

/// Words for places that are also surnames.
const SURNAMES: [&str; 26] = [
    "marsh", "hill", "hills", "wood", "woods", "lake", "field", "fields", "mill", "bridge", "hall", "church", "castle",
    "park", "lane", "forge", "river", "gate", "ford", "vale", "temple", "hold", "shore", "fields", "garden", "street",
];

/// Maximum number of words that are compared with a name for similar spelling.
const MOST_NEAR: usize = 3;

impl Finder<'_> {
    /// Returns the names in a sentence, in order. Unknown names are added to `new`.
    pub(crate) fn names(&self, tokens: &[Token], new: &mut NewNames) -> Vec<Name> {
        let mut names = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let found =
                self.known(tokens, at).or_else(|| self.near(tokens, at)).or_else(|| self.unknown(tokens, at, new));
            match found {
                Some(name) => {
                    at = name.end;
                    names.push(name);
                }
                None => at += 1,
            }
        }
        names
    }

    fn class(&self, token: &Token) -> Class {
        self.grammar.class(&token.norm)
    }

    /// Returns whether a token is the first word of its sentence. The capital letter of such a word does not indicate a
    /// name.
    fn opens(tokens: &[Token], at: usize) -> bool {
        let before = tokens[..at].iter().rev().find(|token| token.sort != Sort::Mark || token.is_mark(".!?:\u{2014}"));
        before.is_none_or(|before| before.is_mark(".!?:\u{2014}"))
    }

    /// Returns the longest known name that begins at a token.
    fn known(&self, tokens: &[Token], at: usize) -> Option<Name> {
        let first = &tokens[at];
        if !matches!(first.sort, Sort::Word | Sort::Number) || first.is("'s") {
            return None;
        }
        let head = first.norm.split('-').next().unwrap_or_default();
        let longest = self.lexicon.longest(head).max(self.lexicon.longest(&first.norm));
        let mut best = None;
        let mut key = String::new();
        let mut words = 0;
        for end in at + 1..=tokens.len() {
            let token = &tokens[end - 1];
            if token.is("'s") || (token.is("'") && token.glued) {
                continue;
            }
            // Examples: "Alara 'Swiftwind'" and "Ring-C"
            if token.is_mark("'\u{2018}\"-.") && end > at + 1 {
                continue;
            }
            if token.sort == Sort::Mark || matches!(token.sort, Sort::Quote(_)) {
                break;
            }
            if !key.is_empty() {
                key.push(' ');
            }
            key.push_str(&token.norm.replace('-', " "));
            words += 1 + token.norm.matches('-').count();
            if words > longest {
                break;
            }
            let bearers = self.lexicon.bearers(&key);
            if let Some((bearer, shared)) = self.choose(bearers)
                && self.accepts(tokens, at, end, bearer)
            {
                let owned = self.lexicon.is_owned(&key) && tokens.get(end).is_some_and(|next| next.is("'s"));
                best = Some((end + usize::from(owned), bearer, shared));
            }
        }
        let (end, bearer, shared) = best?;
        // "Bram Stoker" does not refer to Bram if no Stoker is known, but "Captain Rusk" refers to Rusk.
        Some(Name { start: at, end, who: Who::Known(bearer.entity), how: bearer.how, near: false, shared })
    }

    /// Chooses the entity to which a name refers, among all entities with this name. The flag is true if several
    /// candidates remain and the choice is uncertain.
    fn choose(&self, bearers: &[Bearer]) -> Option<(Bearer, bool)> {
        let best = bearers.iter().map(|bearer| bearer.how.max(How::Alias)).min()?;
        let mut left: Vec<Bearer> =
            bearers.iter().filter(|bearer| bearer.how.max(How::Alias) == best).copied().collect();
        if left.len() > 1 {
            let scene = self.scene;
            let here = |bearer: &Bearer| {
                scene.present.contains(&bearer.entity)
                    || scene.place == Some(bearer.entity)
                    || scene.speaker == Some(bearer.entity)
            };
            let narrowed: Vec<Bearer> = left.iter().filter(|bearer| here(bearer)).copied().collect();
            if !narrowed.is_empty() {
                left = narrowed;
            }
            // "The ledger" refers to the item, not to the quest to find it.
            let is_task = |bearer: &Bearer| self.lexicon.entities[bearer.entity as usize].kinds == Kinds::QUEST;
            if best == How::Part && !left.iter().all(is_task) {
                left.retain(|bearer| !is_task(bearer));
            }
            if left.len() > 1
                && let Some(recent) =
                    scene.recent.iter().find_map(|who| left.iter().find(|bearer| *who == Who::Known(bearer.entity)))
            {
                left = vec![*recent];
            }
        }
        let shared = left.len() > 1;
        left.sort_by_key(|bearer| (bearer.how, bearer.entity));
        left.first().map(|bearer| (*bearer, shared))
    }

    /// Returns whether words that match a name are used as a name here, and not as ordinary words.
    fn accepts(&self, tokens: &[Token], start: usize, end: usize, bearer: Bearer) -> bool {
        let entity = &self.lexicon.entities[bearer.entity as usize];
        let words: Vec<&Token> = tokens[start..end].iter().filter(|token| token.is_word() && !token.is("'s")).collect();
        let before = start.checked_sub(1).map(|at| &tokens[at]);
        let after_the = before.is_some_and(|before| {
            ["the", "that", "this", "our", "your", "old", "poor", "dear"].contains(&before.norm.as_str())
        });
        let capital = words.iter().any(|token| token.capital);
        let person = entity.kinds.meets(Kinds::PERSON) && !entity.kinds.is_any();
        if bearer.how == How::Description {
            let next = tokens.get(end);
            let named = next.is_some_and(|next| next.capital && next.is_word());
            let definite = before.is_some_and(|before| ["the", "that", "this", "our"].contains(&before.norm.as_str()));
            return definite
                && !named
                && (!next.is_some_and(|next| next.is("of")) || self.scene.present.contains(&bearer.entity));
        }
        let owns = tokens.get(end).is_some_and(|next| next.is("'s"));
        if !owns
            && words.iter().any(|token| self.class(token).has(Class::MONTH))
            && before
                .is_some_and(|before| ["in", "since", "until", "last", "next", "by"].contains(&before.norm.as_str()))
        {
            return false;
        }
        // "The Fey" refers to the species in general, not to the Fey Bandits.
        let sort = |word: &str| {
            let kind = self.grammar.kinds_of.contains_key(word);
            kind && !entity.name.to_lowercase().ends_with(word)
        };
        if bearer.how == How::Part && !person && words.iter().all(|token| sort(&token.norm)) {
            return false;
        }
        let people = |word: &str| {
            ["men", "women", "folk", "people", "boys", "girls", "sons", "daughters", "kids", "lads", "guys", "children"]
                .contains(&word)
        };
        let common = words.iter().all(|token| {
            people(&token.norm)
                || token.norm.split('-').all(|word| is_common(word) || self.grammar.forms.contains_key(word))
        });
        // "Hit the wall" refers to the Signet Wall only if that wall is part of the scene. "The map" can always refer
        // to the Sunken Map.
        let written_small = bearer.how == How::Part && !capital && tokens.iter().any(|token| token.capital);
        let is_thing = entity.kinds == Kinds::THING;
        if written_small && !is_thing && !self.is_present(bearer.entity) {
            return false;
        }
        if !common {
            // The word is part of a longer unknown name: "Pike Harrow" is not Pike.
            let next = tokens.get(end);
            let longer = bearer.how == How::Part
                && words.len() == 1
                && next.is_some_and(|next| {
                    next.capital
                        && next.is_word()
                        && !is_common(&next.norm)
                        && self.lexicon.longest(&next.norm) == 0
                        && !self.grammar.forms.contains_key(&next.norm)
                });
            return !longer;
        }
        if !capital {
            let nouns = Class::GROUP_NOUN.or(Class::PLACE_NOUN).or(Class::THING_NOUN);
            let thing = !person
                && (words.len() > 1
                    || words.iter().any(|token| self.class(token).has(nouns))
                    || bearer.how != How::Part);
            let title = person && bearer.how == How::Alias;
            return after_the
                && (thing || title)
                && (words.len() > 1
                    || bearer.how != How::Part
                    || words.iter().all(|token| self.class(token).has(nouns)));
        }
        if words.len() > 1 || !Self::opens(tokens, start) {
            return true;
        }
        // "Men said" does not refer to the Jarl's Men.
        if bearer.how == How::Part && !person {
            return false;
        }
        // "Hope" is a name in "Hope is here", but "Hope you slept well", "Mark my words" and "May the gods" contain no
        // name.
        let next = tokens.get(end);
        next.is_none_or(|next| {
            let class = self.class(next);
            !(class.has(Class::DETERMINER)
                || is_pronoun(&next.norm)
                || next.is("that")
                || next.is("to")
                || next.is("for"))
        })
    }

    /// Returns whether an entity is part of the scene, or was mentioned recently.
    fn is_present(&self, entity: u32) -> bool {
        let scene = self.scene;
        scene.recent.contains(&Who::Known(entity))
            || scene.present.contains(&entity)
            || scene.place == Some(entity)
            || scene.speaker == Some(entity)
    }

    /// Returns a known name that is spelt similarly to the words at a token.
    fn near(&self, tokens: &[Token], at: usize) -> Option<Name> {
        let first = &tokens[at];
        if !first.is_word() || self.is_ordinary(tokens, at) {
            return None;
        }
        for count in (1..=MOST_NEAR).rev() {
            let end = at + count;
            if end > tokens.len() || tokens[at..end].iter().any(|token| !token.is_word() || token.is("'s")) {
                continue;
            }
            if (count > 1 && self.is_ordinary(tokens, end - 1))
                || tokens[at..end].iter().any(|token| self.class(token).has(Class::NEGATION))
            {
                continue;
            }
            let words: Vec<String> = tokens[at..end].iter().map(|token| token.norm.replace('-', "")).collect();
            if words.concat().chars().count() < 4 {
                continue;
            }
            if let Some(entity) = self.lexicon.nearest(&words) {
                return Some(Name {
                    start: at,
                    end,
                    who: Who::Known(entity),
                    how: How::Part,
                    near: true,
                    shared: false,
                });
            }
        }
        None
    }

    /// Returns whether a word is an ordinary word of the language and not a misspelt name.
    fn is_ordinary(&self, tokens: &[Token], at: usize) -> bool {
        let token = &tokens[at];
        let word = token.norm.as_str();
        let grammar = self.grammar;
        let class = grammar.class(word);
        let inside = token.capital && !Self::opens(tokens, at);
        if class.0
            & !(Class::TITLE.0
                | Class::PLACE_NOUN.0
                | Class::THING_NOUN.0
                | Class::GROUP_NOUN.0
                | Class::EVENT_NOUN.0
                | Class::ADJECTIVE.0)
            != 0
        {
            return true;
        }
        let known = class != Class::default()
            || is_pronoun(word)
            || grammar.forms.contains_key(word)
            || is_common(word)
            || grammar.kinds_of.contains_key(word)
            || grammar.kinds_of.contains_key(word.trim_end_matches('s'))
            || grammar.adjectives.contains_key(word)
            || grammar.nouns.contains_key(word)
            || grammar.labels.contains_key(word)
            || grammar.has.contains_key(word)
            || is_suffixed(word);
        known && !inside
    }

    /// Returns a name at a token that belongs to no known entity, and adds it to `new`.
    fn unknown(&self, tokens: &[Token], at: usize, new: &mut NewNames) -> Option<Name> {
        let proper = |at: usize| {
            let token = &tokens[at];
            token.is_word() && token.capital && !token.is("i") && token.norm.chars().count() > 1
        };
        if !proper(at) || self.is_closed(&tokens[at]) || crate::cues::is_opener(&tokens[at].norm) {
            return None;
        }
        // Example: "Species: human"
        if tokens.get(at + 1).is_some_and(|next| next.is_mark(":"))
            && self.grammar.labels.contains_key(&tokens[at].norm)
        {
            return None;
        }
        let opens = Self::opens(tokens, at);
        // Examples: "Men said", "Twelve came"
        let crowd = ["men", "women", "folk", "people", "sailors", "children", "some", "others", "many", "none"];
        if opens && (self.class(&tokens[at]).has(Class::NUMBER) || crowd.contains(&tokens[at].norm.as_str())) {
            return None;
        }
        // "Were-harengon" and "Half-elf" are species, not names.
        let last = tokens[at].norm.rsplit('-').next().unwrap_or_default();
        let sort = last != tokens[at].norm && self.grammar.kinds_of.contains_key(last);
        if sort && !tokens.get(at + 1).is_some_and(|next| next.capital) {
            return None;
        }
        // Examples: "Sixty-one years old, he …", "Renowned for it, he …"
        let counts = tokens[at].norm.split('-').all(|part| self.grammar.class(part).has(Class::NUMBER));
        let led = tokens[at].norm.ends_with("ed")
            && tokens.get(at + 1).is_some_and(|next| self.class(next).has(Class::PREPOSITION.or(Class::CONJUNCTION)));
        if opens && (counts || led) {
            return None;
        }
        // "King Static" refers to the known name Static. "Scuttlebutt, …" is a cue.
        if self.class(&tokens[at]).has(Class::TITLE) && tokens.len() > at + 1 && self.known(tokens, at + 1).is_some() {
            return None;
        }
        if opens
            && self
                .grammar
                .cues
                .get(&tokens[at].norm)
                .is_some_and(|cues| cues.iter().any(|(words, _)| words.len() == 1))
        {
            return None;
        }
        // "Session 6" is not a name. In "Vasilka - Doll-like creation", the words after the dash are a note.
        let alone = tokens.get(at + 1).is_none_or(|next| !proper(at + 1) || next.sort != Sort::Word);
        let next = tokens.get(at + 1);
        if alone && next.is_some_and(|next| next.sort == Sort::Number) {
            return None;
        }
        let noted = at > 1 && tokens[at - 1].is_mark("\u{2014}:-") && !tokens[at - 2].is_mark(".!?");
        let leads =
            next.is_some_and(|next| next.is_word() && !next.is("'s") && !self.is_closed(next) && !be_form(&next.norm));
        let verb = next.is_some_and(|next| {
            let forms = self.grammar.forms.get(&next.norm);
            forms.is_some_and(|forms| forms.iter().any(|(_, form)| form.has(Form::THIRD.or(Form::PAST))))
        });
        if noted && alone && leads && !verb {
            return None;
        }
        if tokens[at].norm.ends_with("-like")
            || (opens
                && self.class(&tokens[at]).has(Class::MALE.or(Class::FEMALE))
                && !self.class(&tokens[at]).has(Class::TITLE))
        {
            return None;
        }
        let all_caps = |token: &Token| {
            let word = &self.text[token.start..token.end];
            word.chars().count() > 1 && word.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase)
        };
        let mut end = at + 1;
        while end < tokens.len() {
            let token = &tokens[end];
            if token.sort == Sort::Mark
                && token.is(".")
                && token.glued
                && self.class(&tokens[end - 1]).has(Class::ABBREVIATION)
            {
                end += 1;
                continue;
            }
            if proper(end) && !self.is_closed(token) && self.known(tokens, end).is_none_or(|name| name.how != How::Name)
            {
                end += 1;
                continue;
            }
            // Examples: "Order of the Rose", "Fenna van der Hoek"
            let linking = |token: &Token| {
                ["of", "the", "van", "der", "von", "de", "del", "la", "du", "al", "ibn", "ap"]
                    .contains(&token.norm.as_str())
            };
            let reach = tokens[end..].iter().take(2).take_while(|token| linking(token)).count();
            let place = end + reach;
            if reach > 0
                && place < tokens.len()
                && proper(place)
                && !self.is_closed(&tokens[place])
                && self.known(tokens, place).is_none()
            {
                end = place + 1;
                continue;
            }
            break;
        }
        let words = &tokens[at..end];
        if words.iter().all(all_caps) && (words.len() > 1 || words[0].norm.len() < 5) {
            return None;
        }
        // Titles without a name, months, and words for a kind of person, such as "a Vashti", are not names.
        if words.iter().all(|token| self.class(token).has(Class::TITLE.or(Class::MONTH))) {
            return None;
        }
        let before = at.checked_sub(1).map(|at| tokens[at].norm.as_str());
        if words.len() == 1 && matches!(before, Some("a" | "an")) {
            return None;
        }
        // "Christian" and "Elvish" are not names.
        if words.len() == 1
            && (self.grammar.adjectives.contains_key(&words[0].norm)
                || self.grammar.kinds_of.contains_key(&words[0].norm))
        {
            return None;
        }
        let common = |token: &Token| {
            is_common(&token.norm)
                || self.grammar.forms.contains_key(&token.norm)
                || self.grammar.kinds_of.contains_key(&token.norm)
                || self.grammar.adjectives.contains_key(&token.norm)
                || is_suffixed(&token.norm)
        };
        let mut start = at;
        if opens && common(&tokens[at]) && !self.class(&tokens[at]).has(Class::TITLE) {
            // The first word of a sentence always has a capital letter, so only the words after it can indicate a name.
            let next_is_name = words.len() > 1 && (common(&tokens[at + 1]) || words.len() > 2);
            if !next_is_name {
                return None;
            }
            if self
                .grammar
                .forms
                .get(&tokens[at].norm)
                .is_some_and(|forms| forms.iter().any(|(_, form)| form.has(Form::PAST.or(Form::ING))))
            {
                start = at + 1;
            }
        }
        if words.len() == 1 && common(&words[0]) && (self.class(&words[0]).has(Class::TITLE) || opens) {
            return None;
        }
        let words = &tokens[start..end];
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return None };
        let span = Span { start: first.start, end: last.end };
        let name = self.text[span.start..span.end].to_owned();
        let index = match new.found.iter().position(|entity| same_name(&entity.name, &name)) {
            Some(index) => index,
            None => {
                let kinds = self.kinds_by_words(words);
                // "Jenna Marsh" can be a person, although "marsh" is a word for a place.
                let before = start.checked_sub(1).map_or("", |at| tokens[at].norm.as_str());
                let placed = before == "the" || self.grammar.class(before).has(Class::PREPOSITION);
                let surname = words.len() == 2 && SURNAMES.contains(&last.norm.as_str()) && !common(first);
                let kinds =
                    if kinds == Kinds::PLACE && surname && !placed { Kinds::PERSON.or(Kinds::PLACE) } else { kinds };
                let class = words.iter().fold(Class::default(), |class, token| class.or(self.class(token)));
                new.genders.push(match (class.has(Class::MALE), class.has(Class::FEMALE)) {
                    (true, false) => Gender::He,
                    (false, true) => Gender::She,
                    _ => Gender::Unknown,
                });
                new.kinds.push(kinds);
                new.sure.push(false);
                let sure = 0.8 - if words.iter().all(common) { 0.3 } else { 0.0 } - if opens { 0.1 } else { 0.0 };
                new.found.push(NewEntity {
                    name,
                    kind: kinds.guess(),
                    span,
                    confidence: hearsay_model::Confidence::new(sure).unwrap_or(hearsay_model::Confidence::FULL),
                });
                new.found.len() - 1
            }
        };
        if let Some(sure) = new.sure.get_mut(index) {
            *sure |= !opens || words.len() > 1 || start > at;
        }
        Some(Name { start, end, who: Who::New(index), how: How::Name, near: false, shared: false })
    }

    /// Returns whether a word can be part of a name only if it stands between two other words of the name.
    fn is_closed(&self, token: &Token) -> bool {
        let closed = Class::CLOSED.or(Class::ADVERB).or(Class::MONTH);
        self.class(token).has(closed) || is_pronoun(&token.norm) || be_form(&token.norm)
    }

    /// Returns the classes of entities that a new name can belong to, derived from its words.
    fn kinds_by_words(&self, words: &[Token]) -> Kinds {
        let of = words.iter().position(|token| token.is("of")).unwrap_or(words.len());
        for token in words[..of].iter().rev().chain(&words[of..]) {
            let class = self.class(token);
            for (bit, kinds) in [
                (Class::TITLE, Kinds::PERSON),
                (Class::GROUP_NOUN, Kinds::GROUP),
                (Class::PLACE_NOUN, Kinds::PLACE),
                (Class::EVENT_NOUN, Kinds::EVENT),
                (Class::THING_NOUN, Kinds::THING),
            ] {
                if class.has(bit) && (bit != Class::TITLE || token.start == words[0].start) {
                    return kinds;
                }
            }
        }
        Kinds::ANY
    }
}

fn same_name(a: &str, b: &str) -> bool {
    use hearsay_model::text::normal;
    normal(a) == normal(b) || (b.chars().count() > 3 && normal(a).split(' ').any(|word| word == normal(b)))
}

/// Returns whether a word ends in a suffix that is rare in names, such as "-ness".
fn is_suffixed(word: &str) -> bool {
    word.len() > 5
        && ["ing", "ness", "ment", "tion", "ful", "less", "ously", "ly", "able", "ible", "ized", "ised"]
            .iter()
            .any(|end| word.ends_with(end))
}

pub(crate) fn is_pronoun(word: &str) -> bool {
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

pub(crate) fn be_form(word: &str) -> bool {
    matches!(word, "be" | "am" | "is" | "are" | "was" | "were" | "been" | "being")
}
