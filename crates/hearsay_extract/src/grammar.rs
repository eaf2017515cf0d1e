//! Contents of the files of a language, indexed for lookup.

use hearsay_model::Predicate;
use rustc_hash::FxHashMap;

use crate::{
    kinds::Kinds,
    language::{LanguageError, LanguageFile},
    verbs::{Form, conjugated, third},
};

/// Set of word classes, with one bit for each class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Class(pub(crate) u32);

macro_rules! classes {
    ($($name:ident = $bit:literal, $list:literal;)*) => {
        impl Class {
            $(pub(crate) const $name: Self = Self(1 << $bit);)*
            const LISTS: &'static [(&'static str, Self)] = &[$(($list, Self::$name)),*];
        }
    };
}

classes! {
    DETERMINER = 0, "determiners";
    PREPOSITION = 1, "prepositions";
    CONJUNCTION = 2, "conjunctions";
    SUBORDINATOR = 3, "subordinators";
    RELATIVE = 4, "relatives";
    MODAL = 5, "modals";
    NEGATION = 6, "negations";
    ADVERB = 7, "adverbs";
    TITLE = 8, "titles";
    MALE = 9, "male_words";
    FEMALE = 10, "female_words";
    ABBREVIATION = 11, "abbreviations";
    LIGHT_NOUN = 12, "light_nouns";
    GROUP_NOUN = 13, "group_nouns";
    PLACE_NOUN = 14, "place_nouns";
    EVENT_NOUN = 15, "event_nouns";
    THING_NOUN = 16, "thing_nouns";
    MONTH = 17, "months";
    NUMBER = 18, "numbers";
    ADJECTIVE = 19, "adjectives";
    AUXILIARY = 20, "auxiliaries";
    LIGHT_VERB = 21, "light_verbs";
}

impl Class {
    /// Function words. They end a noun group, and can be part of a name only between two other words of the name.
    pub(crate) const CLOSED: Self = Self(
        Self::DETERMINER.0
            | Self::PREPOSITION.0
            | Self::CONJUNCTION.0
            | Self::SUBORDINATOR.0
            | Self::RELATIVE.0
            | Self::MODAL.0
            | Self::NEGATION.0,
    );

    pub(crate) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Properties of a verb that decide how a clause that depends on the verb is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct VerbSort {
    pub(crate) speech: bool,
    pub(crate) thought: bool,
    pub(crate) factive: bool,
    pub(crate) irreal: bool,
    pub(crate) real: bool,
    pub(crate) copula: bool,
    pub(crate) seeming: bool,
}

/// Relation or attribute that words can state.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) predicate: Predicate,
    pub(crate) subject: Kinds,
    pub(crate) object: Kinds,
    pub(crate) over: bool,
    pub(crate) denied: bool,
    pub(crate) mutual: bool,
}

impl Target {
    /// Returns whether the relation also holds for the whole that the object is part of: a person in the cellar of the
    /// Bell is at the Bell.
    pub(crate) fn holds_of_wholes(&self) -> bool {
        let name = self.predicate.as_str();
        matches!(name, "LOCATED_AT" | "PART_OF" | "RESIDENT_OF" | "CAUSED_BY" | "PARTICIPATED_IN")
    }
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Word(String),
    /// Any noun group.
    Any,
    /// Noun group that is the object.
    Object,
}

/// Pattern of words that state a relation or an attribute.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(crate) target: usize,
    /// Parts of the pattern, without the word by which the pattern is looked up.
    pub(crate) parts: Vec<Part>,
    /// Whether the grammatical subject is the object of the relation.
    pub(crate) back: bool,
    pub(crate) weak: bool,
    pub(crate) kinds: Kinds,
    /// Fixed value of the attribute, if the pattern needs no object.
    pub(crate) value: Option<String>,
    /// Words of the pattern, which name the relation of a `RELATED_TO` fact.
    pub(crate) words: String,
}

impl Pattern {
    /// Returns the marks, with `weak` or `strong` added for the words of the pattern.
    pub(crate) fn marked(&self, marks: &[&'static str]) -> Vec<&'static str> {
        let mut marks = marks.to_vec();
        marks.push(if self.weak { "weak" } else { "strong" });
        marks
    }
}

/// Kinds of cues that are found in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CueSort {
    Hedge,
    Rumour,
    Conditional,
    Plan,
    Wish,
    Sarcasm,
    Chatter,
    Injection,
    Over,
    Command,
    SpeakingOf,
}

const CUES: &[(&str, CueSort)] = &[
    ("hedge", CueSort::Hedge),
    ("rumour", CueSort::Rumour),
    ("conditional", CueSort::Conditional),
    ("plan", CueSort::Plan),
    ("wish", CueSort::Wish),
    ("sarcasm", CueSort::Sarcasm),
    ("chatter", CueSort::Chatter),
    ("injection", CueSort::Injection),
    ("over", CueSort::Over),
    ("command", CueSort::Command),
    ("speaking_of", CueSort::SpeakingOf),
];

/// Word lists and patterns of a language, ready for use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grammar {
    pub(crate) classes: FxHashMap<String, Class>,
    pub(crate) forms: FxHashMap<String, Vec<(String, Form)>>,
    pub(crate) sorts: FxHashMap<String, VerbSort>,
    pub(crate) targets: Vec<Target>,
    /// Patterns of verbs, by the base form of the verb.
    pub(crate) verbs: FxHashMap<String, Vec<Pattern>>,
    /// Patterns of the words after "is", by the first word.
    pub(crate) phrases: FxHashMap<String, Vec<Pattern>>,
    /// Nouns of one or more words, by the last word.
    pub(crate) nouns: FxHashMap<String, Vec<(Vec<String>, Pattern)>>,
    /// Patterns of nouns that relate two entities, such as "debt to", by the noun. The words of each pattern end with
    /// the preposition.
    pub(crate) ties: FxHashMap<String, Vec<Pattern>>,
    /// Relations that each word suggests.
    pub(crate) votes: crate::hints::Votes,
    /// Patterns of words for several subjects, such as "allies", by the first word.
    pub(crate) together: FxHashMap<String, Vec<(Vec<String>, Pattern)>>,
    pub(crate) together_verbs: FxHashMap<String, Vec<Pattern>>,
    /// Attributes that nouns give. The fields below contain the attributes for endings of nouns, endings of adjectives,
    /// adjectives, labels and possessions. The flag of an entry says whether the word is weak evidence.
    pub(crate) kinds_of: FxHashMap<String, Vec<(usize, bool)>>,
    pub(crate) ends: Vec<(String, usize)>,
    pub(crate) adjective_ends: Vec<(String, usize)>,
    pub(crate) adjectives: FxHashMap<String, Vec<(usize, bool)>>,
    pub(crate) labels: FxHashMap<String, Vec<usize>>,
    pub(crate) has: FxHashMap<String, Vec<(usize, bool)>>,
    pub(crate) cues: FxHashMap<String, Vec<(Vec<String>, CueSort)>>,
    pub(crate) weights: FxHashMap<String, f64>,
    pub(crate) doubts: FxHashMap<String, f64>,
}

/// Words that are ignored in a pattern, such as `his` and `the`.
const SILENT: &str = " a an the his her their its my your our ";

pub(crate) fn is_silent(word: &str) -> bool {
    !word.is_empty() && SILENT.split(' ').any(|silent| silent == word)
}

/// Replaces reflexive pronouns, such as `himself`, with `oneself`.
pub(crate) fn plain(word: &str) -> &str {
    if word.ends_with("self") || word.ends_with("selves") { "oneself" } else { word }
}

impl Grammar {
    pub(crate) fn of(files: &[LanguageFile]) -> Result<Self, LanguageError> {
        let mut grammar = Self::default();
        for file in files {
            grammar.add_words(file)?;
            grammar.add_verbs(file)?;
        }
        for file in files {
            grammar.add_relations(file)?;
            grammar.add_attributes(file)?;
        }
        for file in files {
            for (table, into, numbers) in
                [("confidence", &mut grammar.weights, &file.confidence), ("doubt", &mut grammar.doubts, &file.doubt)]
            {
                for (name, &value) in numbers {
                    if !value.is_finite() {
                        return Err(LanguageError::Number { table, name: name.clone(), value });
                    }
                    into.insert(name.clone(), value);
                }
            }
        }
        grammar.votes = crate::hints::votes(&grammar);
        let longest_first = |patterns: &mut Vec<Pattern>| {
            patterns.sort_by_key(|pattern| (std::cmp::Reverse(pattern.parts.len()), pattern.weak));
        };
        grammar.verbs.values_mut().for_each(longest_first);
        grammar.phrases.values_mut().for_each(longest_first);
        grammar
            .nouns
            .values_mut()
            .for_each(|nouns| nouns.sort_by_key(|(words, noun)| (std::cmp::Reverse(words.len()), noun.weak)));
        grammar.cues.values_mut().for_each(|cues| cues.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
        Ok(grammar)
    }

    fn add_words(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for (list, words) in &file.words {
            let Some((_, class)) = Class::LISTS.iter().find(|(name, _)| name == list) else {
                let known = Class::LISTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(LanguageError::List { table: "words", list: list.clone(), known });
            };
            for word in words.iter() {
                let entry = self.classes.entry(word.to_lowercase()).or_default();
                *entry = entry.or(*class);
            }
        }
        for (list, phrases) in &file.cues {
            let Some((_, sort)) = CUES.iter().find(|(name, _)| name == list) else {
                let known = CUES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(LanguageError::List { table: "cues", list: list.clone(), known });
            };
            for phrase in phrases {
                let words = crate::token::norms(phrase);
                if let Some(first) = words.first().cloned() {
                    self.cues.entry(first).or_default().push((words, *sort));
                }
            }
        }
        Ok(())
    }

    fn add_verbs(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for line in &file.verbs.irregular {
            let [base, past, participle] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                return Err(LanguageError::Verb(line.clone()));
            };
            self.add_verb(base, Some((past, participle)));
        }
        type Mark = fn(&mut VerbSort);
        let verbs = &file.verbs;
        let lists: [(&crate::language::Words, Mark); 8] = [
            (&verbs.others, |_| ()),
            (&verbs.speech, |sort| sort.speech = true),
            (&verbs.thought, |sort| sort.thought = true),
            (&verbs.factive, |sort| sort.factive = true),
            (&verbs.irreal, |sort| sort.irreal = true),
            (&verbs.real, |sort| sort.real = true),
            (&verbs.copulas, |sort| sort.copula = true),
            (&verbs.seeming, |sort| sort.seeming = true),
        ];
        for (list, mark) in lists {
            for verb in list.iter() {
                self.add_verb(verb, None);
                mark(self.sorts.entry(verb.to_owned()).or_default());
            }
        }
        for verb in ["do", "have"] {
            self.add_verb(verb, None);
        }
        Ok(())
    }

    /// Returns the words of a relation with the verb in the third person singular or the past. Returns `None` if the
    /// words do not begin with a verb.
    pub(crate) fn in_third_person(&self, words: &str) -> Option<String> {
        let (verb, rest) = words.split_once(' ').unwrap_or((words, ""));
        let forms = self.forms.get(verb)?;
        let is = |wanted: Form| forms.iter().any(|(_, form)| form.has(wanted));
        match (is(Form::THIRD), is(Form::BASE), is(Form::PAST)) {
            (true, ..) | (false, false, true) => Some(words.to_owned()),
            (false, true, _) => Some(format!("{} {rest}", third(verb)).trim_end().to_owned()),
            (false, false, false) => None,
        }
    }

    fn add_verb(&mut self, base: &str, irregular: Option<(&str, &str)>) {
        let known = self.sorts.contains_key(base);
        if known && irregular.is_none() {
            return;
        }
        self.sorts.entry(base.to_owned()).or_default();
        for (form, sort) in conjugated(base, irregular) {
            let forms = self.forms.entry(form).or_default();
            match forms.iter_mut().find(|(lemma, _)| lemma == base) {
                Some((_, has)) => *has = has.or(sort),
                None => forms.push((base.to_owned(), sort)),
            }
        }
    }

    fn add_relations(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for words in &file.relation {
            let predicate = Predicate::new(&words.predicate)?;
            if !predicate.is_relation() {
                return Err(hearsay_model::PredicateError(words.predicate.clone()).into());
            }
            let kinds = |list: &crate::language::Words| {
                let pattern = list.iter().collect::<Vec<_>>().join(" ");
                Kinds::read(&pattern).map_err(|problem| LanguageError::Pattern {
                    predicate: predicate.clone(),
                    pattern: pattern.clone(),
                    problem,
                })
            };
            let target = self.targets.len();
            let (subject, object) = (kinds(&words.subject)?, kinds(&words.object)?);
            self.targets.push(Target {
                predicate: predicate.clone(),
                subject,
                object,
                over: words.over,
                denied: words.denied,
                mutual: words.mutual,
            });
            for (patterns, back) in [(&words.verbs, false), (&words.back, true)] {
                for pattern in patterns {
                    self.add_verb_pattern(target, pattern, back)?;
                }
            }
            for (patterns, back) in [(&words.phrases, false), (&words.phrases_back, true)] {
                for pattern in patterns {
                    let (first, mut pattern) = self.pattern(target, pattern, back, true)?;
                    // The reverse of "led by" is expressed with the base form "lead".
                    if back
                        && pattern.words.ends_with(" by")
                        && let Some((lemma, _)) = self
                            .forms
                            .get(&first)
                            .and_then(|forms| forms.iter().find(|(_, form)| form.has(Form::PARTICIPLE)))
                    {
                        pattern.words.clone_from(lemma);
                    }
                    self.phrases.entry(first).or_default().push(pattern);
                }
            }
            for (patterns, back) in [(&words.nouns, false), (&words.nouns_back, true)] {
                for noun in patterns {
                    let (_, pattern) = self.pattern(target, noun, back, false)?;
                    let words = crate::token::norms(&pattern.words);
                    if let Some(last) = words.last().cloned() {
                        self.nouns.entry(last).or_default().push((words, pattern));
                    }
                }
            }
            for tie in &words.ties {
                let (_, pattern) = self.pattern(target, tie, false, false)?;
                self.add_tie(pattern);
            }
            for noun in &words.between {
                let (_, mut pattern) = self.pattern(target, noun, false, false)?;
                pattern.words.push_str(" between");
                self.add_tie(pattern);
            }
            for verb in words.stances.iter() {
                for place in words.places.iter() {
                    self.add_verb_pattern(target, &format!("{verb} {place}"), false)?;
                }
            }
            for noun in &words.together {
                let (_, pattern) = self.pattern(target, noun, false, false)?;
                let words = crate::token::norms(&pattern.words);
                if let Some(first) = words.first().cloned() {
                    self.together.entry(first).or_default().push((words, pattern));
                }
            }
            for verb in &words.together_verbs {
                let (first, pattern) = self.pattern(target, verb, false, false)?;
                let (first, pattern) = self.of_its_verb(first, pattern);
                self.add_verb(&first, None);
                self.together_verbs.entry(first).or_default().push(pattern);
            }
        }
        Ok(())
    }

    /// Adds a pattern of a verb. A pattern that begins with "be", such as "be afraid of", becomes a pattern of the
    /// words after "is".
    fn add_verb_pattern(&mut self, target: usize, text: &str, back: bool) -> Result<(), LanguageError> {
        if let Some(phrase) = text.strip_prefix("be ") {
            let has_value = text.contains('=');
            let (first, pattern) = self.pattern(target, phrase, back, !has_value)?;
            self.phrases.entry(first).or_default().push(pattern);
            return Ok(());
        }
        let (first, pattern) = self.pattern(target, text, back, true)?;
        let (first, pattern) = self.of_its_verb(first, pattern);
        self.add_verb(&first, None);
        self.verbs.entry(first).or_default().push(pattern);
        Ok(())
    }

    /// Returns the base form of the verb, and the rest of the pattern, for a pattern that begins with a negation, as in
    /// "not paid". Returns other patterns unchanged.
    fn of_its_verb(&self, first: String, pattern: Pattern) -> (String, Pattern) {
        if !["not", "never", "can"].contains(&first.as_str()) {
            return (first, pattern);
        }
        let mut parts = pattern.parts.clone();
        let is_verb = |word: &String| word != "not" && word != "never" && self.forms.contains_key(word);
        let verb = parts.iter().enumerate().find_map(|(at, part)| match part {
            Part::Word(word) if is_verb(word) => Some((at, word.clone())),
            _ => None,
        });
        let Some((at, word)) = verb else { return (first, pattern) };
        let base = self.forms.get(&word).and_then(|forms| forms.first()).map(|(base, _)| base.clone());
        parts.drain(..=at);
        parts.insert(0, Part::Word("not".into()));
        (base.unwrap_or(word), Pattern { parts, ..pattern })
    }

    /// Adds a pattern of a noun that relates two entities. It is looked up by the last word before the preposition:
    /// "bad blood with" by "blood".
    fn add_tie(&mut self, pattern: Pattern) {
        if let Some(noun) = pattern.words.split_whitespace().rev().nth(1) {
            self.ties.entry(noun.to_owned()).or_default().push(pattern);
        }
    }

    /// Returns the patterns by which a noun, or its singular, relates two entities.
    pub(crate) fn ties_of(&self, noun: &str) -> &[Pattern] {
        let singular = noun.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let found = self.ties.get(noun).or_else(|| self.ties.get(singular.as_deref()?));
        found.or_else(|| self.ties.get(noun.strip_suffix('s')?)).map_or(&[], Vec::as_slice)
    }

    /// Reads a pattern such as `take part in : event`. Returns the first word and the pattern of the other words.
    fn pattern(
        &self,
        target: usize,
        text: &str,
        back: bool,
        has_object: bool,
    ) -> Result<(String, Pattern), LanguageError> {
        let predicate = self.targets[target].predicate.clone();
        let failed = |problem: String| LanguageError::Pattern { predicate, pattern: text.to_owned(), problem };
        let (said, value) = match text.split_once('=') {
            Some((said, value)) => (said, Some(value.trim().to_owned())),
            None => (text, None),
        };
        let (said, kinds) = said.split_once(':').unwrap_or((said, ""));
        let kinds = Kinds::read(kinds.replace(['?', '!'], " ").trim()).map_err(failed)?;
        let weak = text.contains('?');
        let said = said.replace(['?', '+', '!'], "");
        let mut parts: Vec<Part> = said
            .split_whitespace()
            .filter(|word| !is_silent(word))
            .map(|word| match word {
                "*" => Part::Any,
                "_" => Part::Object,
                word => Part::Word(plain(word).to_owned()),
            })
            .collect();
        if has_object && value.is_none() && !parts.contains(&Part::Object) {
            parts.push(Part::Object);
        }
        let Some(Part::Word(first)) = parts.first().cloned() else {
            let problem = "the pattern must begin with a word".to_owned();
            let predicate = self.targets[target].predicate.clone();
            return Err(LanguageError::Pattern { predicate, pattern: text.to_owned(), problem });
        };
        parts.remove(0);
        let words = said.split_whitespace().filter(|word| !matches!(*word, "_" | "*")).collect::<Vec<_>>().join(" ");
        Ok((first, Pattern { target, parts, back, weak, kinds, value, words }))
    }

    fn add_attributes(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for words in &file.attribute {
            let predicate = Predicate::new(&words.name)?;
            if predicate.is_relation() {
                return Err(hearsay_model::PredicateError(words.name.clone()).into());
            }
            let pattern = words.subject.iter().collect::<Vec<_>>().join(" ");
            let subject = Kinds::read(&pattern).map_err(|problem| LanguageError::Pattern {
                predicate: predicate.clone(),
                pattern,
                problem,
            })?;
            let target = self.targets.len();
            let object = Kinds::ANY;
            self.targets.push(Target { predicate, subject, object, over: false, denied: false, mutual: false });
            for verb in &words.verbs {
                self.add_verb_pattern(target, verb, false)?;
            }
            for phrase in &words.phrases {
                let open = phrase.split_whitespace().last().is_some_and(|word| {
                    self.classes.get(word).is_some_and(|class| class.has(Class::PREPOSITION)) || word == "as"
                }) || ["called", "nicknamed", "dubbed", "worth", "aka"].contains(&phrase.as_str());
                let (first, mut pattern) = self.pattern(target, phrase, false, open)?;
                if !open {
                    pattern.value = Some(phrase.replace('?', ""));
                }
                self.phrases.entry(first).or_default().push(pattern);
            }
            for (list, into) in [
                (&words.nouns, &mut self.kinds_of),
                (&words.adjectives, &mut self.adjectives),
                (&words.has, &mut self.has),
            ] {
                for word in list.iter() {
                    let plain = word.trim_end_matches('?');
                    let entries = into.entry(plain.to_owned()).or_default();
                    if !entries.iter().any(|(other, _)| *other == target) {
                        entries.push((target, word.ends_with('?')));
                    }
                }
            }
            self.adjective_ends.extend(words.ends_adjective.iter().map(|end| (end.to_owned(), target)));
            self.ends.extend(words.ends.iter().map(|end| (end.to_owned(), target)));
            for label in words.labels.iter() {
                self.labels.entry(label.trim_end_matches('?').to_owned()).or_default().push(target);
            }
        }
        Ok(())
    }

    /// Returns the attributes that an adjective gives. The flag of an attribute says whether the adjective is weak
    /// evidence.
    pub(crate) fn attributes_of(&self, word: &str) -> Vec<(usize, bool)> {
        if let Some(found) = self.adjectives.get(word) {
            return found.clone();
        }
        // Example: "red-cheeked"
        let last = word.rsplit_once('-').map(|(_, last)| last);
        let end = last.and_then(|last| self.adjective_ends.iter().find(|(end, _)| end == last));
        end.map(|(_, target)| vec![(*target, false)]).unwrap_or_default()
    }

    pub(crate) fn class(&self, word: &str) -> Class {
        self.classes.get(word).copied().unwrap_or_default()
    }

    pub(crate) fn sort(&self, lemma: &str) -> VerbSort {
        self.sorts.get(lemma).copied().unwrap_or_default()
    }

    pub(crate) fn weight(&self, name: &str) -> f64 {
        self.weights.get(name).copied().unwrap_or_default()
    }
}
