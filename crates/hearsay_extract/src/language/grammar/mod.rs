//! The word lists and patterns of a language, indexed for fast lookup.

mod relations;
mod word_votes;

use hearsay_model::Predicate;
use rustc_hash::FxHashMap;

use crate::language::{
    conjugation::{Inflections, conjugate, third_person},
    kind_set::KindSet,
    language_file::{LanguageError, LanguageFile, RelationTable, VocabularyRelation, Words},
    named_flags::named_flags,
    predicate_properties::PredicateProperties,
    triggers::{Trigger, Triggers},
    weights::{DoubtFactor, Weight},
    word_lists::lists,
};
use word_votes::{WordVotes, count_votes};

named_flags! {
    /// Set of word classes.
    WordClass(u32);
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
    KIN = 22, "kin_nouns";
}

impl WordClass {
    /// Function words. A function word ends a noun group, and can be part of a name only between two other words of the
    /// name.
    pub(crate) const CLOSED: Self = Self::DETERMINER
        .or(Self::PREPOSITION)
        .or(Self::CONJUNCTION)
        .or(Self::SUBORDINATOR)
        .or(Self::RELATIVE)
        .or(Self::MODAL)
        .or(Self::NEGATION);

    /// Returns whether the set contains only classes of the other set.
    pub(crate) fn is_subset_of(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }
}

/// Properties of a verb. These properties decide how the clauses that depend on the verb are read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct VerbProperties {
    pub(crate) is_speech: bool,
    pub(crate) is_thought: bool,
    pub(crate) is_factive: bool,
    pub(crate) is_irrealis: bool,
    pub(crate) is_implicative: bool,
    pub(crate) is_copula: bool,
    pub(crate) is_seeming: bool,
    pub(crate) is_describing: bool,
}

/// Relation or attribute that words can state.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) predicate: Predicate,
    /// Index of the label: the target that stands for this target in the labelled sentences (the training data). The
    /// classifiers and weights use the label. Most targets are their own label.
    pub(crate) label: usize,
    /// Whether subject and object are exchanged when a fact gets the predicate of the target instead of its label.
    pub(crate) is_inverse: bool,
    pub(crate) subject: KindSet,
    pub(crate) object: KindSet,
    pub(crate) ended: bool,
    pub(crate) denied: bool,
    pub(crate) is_symmetric: bool,
    /// Properties of the predicate and of its label.
    pub(crate) properties: PredicateProperties,
}

impl Target {
    pub(crate) fn has(&self, property: PredicateProperties) -> bool {
        self.properties.has(property)
    }
}

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatternPart {
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
    pub(crate) parts: Vec<PatternPart>,
    /// Whether the grammatical subject is the object of the relation.
    pub(crate) is_reversed: bool,
    pub(crate) is_weak: bool,
    pub(crate) object_kinds: KindSet,
    /// Fixed value of the attribute, if the pattern needs no object.
    pub(crate) value: Option<String>,
    /// Words of the pattern, which name the relation of a fact with the general predicate.
    pub(crate) words: String,
}

impl Pattern {
    /// Returns the weight names, followed by `weak` or `strong` for the words of the pattern.
    pub(crate) fn with_strength(&self, weight_names: &[Weight]) -> Vec<Weight> {
        let mut weight_names = weight_names.to_vec();
        weight_names.push(Weight::of_words(self.is_weak));
        weight_names
    }
}

/// Kinds of cues that are found in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CueType {
    Hedge,
    Rumour,
    Conditional,
    Plan,
    Wish,
    Sarcasm,
    OutOfCharacter,
    Injection,
    /// Cue that addresses the program only if the cue is at the beginning of a clause.
    /// [`find_cues`](crate::sentence_reader::cues::find_cues) returns such a cue as [`Injection`](Self::Injection).
    InjectionOrder,
    Ended,
    Command,
    AccordingTo,
}

const CUE_LISTS: &[(&str, CueType)] = &[
    ("hedge", CueType::Hedge),
    ("rumour", CueType::Rumour),
    ("conditional", CueType::Conditional),
    ("plan", CueType::Plan),
    ("wish", CueType::Wish),
    ("sarcasm", CueType::Sarcasm),
    ("chatter", CueType::OutOfCharacter),
    ("injection", CueType::Injection),
    ("injection_order", CueType::InjectionOrder),
    ("over", CueType::Ended),
    ("command", CueType::Command),
    ("speaking_of", CueType::AccordingTo),
];

/// Word lists and patterns of a language, ready for use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Grammar {
    pub(crate) word_classes: FxHashMap<String, WordClass>,
    pub(crate) verb_forms: FxHashMap<String, Vec<(String, Inflections)>>,
    pub(crate) verb_properties: FxHashMap<String, VerbProperties>,
    pub(crate) targets: Vec<Target>,
    /// Patterns of verbs, by the base form of the verb.
    pub(crate) verb_patterns: FxHashMap<String, Vec<Pattern>>,
    /// Patterns of the words after "is", by the first word.
    pub(crate) phrase_patterns: FxHashMap<String, Vec<Pattern>>,
    /// Nouns of one or more words, by the last word.
    pub(crate) noun_patterns: FxHashMap<String, Vec<(Vec<String>, Pattern)>>,
    /// Patterns of nouns that relate two entities, such as "debt to", by the noun. The words of each pattern end with
    /// the preposition.
    pub(crate) relational_nouns: FxHashMap<String, Vec<Pattern>>,
    /// Relations that each word suggests.
    pub(crate) word_votes: WordVotes,
    /// Patterns of words for several subjects, such as "allies", by the first word.
    pub(crate) reciprocal_phrases: FxHashMap<String, Vec<(Vec<String>, Pattern)>>,
    pub(crate) reciprocal_verbs: FxHashMap<String, Vec<Pattern>>,
    /// Attributes that nouns give. The fields below contain the attributes for endings of nouns, endings of adjectives,
    /// adjectives, labels and possessions. The flag of an entry says whether the word is weak evidence.
    pub(crate) attribute_nouns: FxHashMap<String, Vec<(usize, bool)>>,
    pub(crate) attribute_noun_suffixes: Vec<(String, usize)>,
    pub(crate) attribute_adjective_suffixes: Vec<(String, usize)>,
    pub(crate) attribute_adjectives: FxHashMap<String, Vec<(usize, bool)>>,
    pub(crate) attribute_labels: FxHashMap<String, Vec<usize>>,
    pub(crate) possession_nouns: FxHashMap<String, Vec<(usize, bool)>>,
    pub(crate) cues: FxHashMap<String, Vec<(Vec<String>, CueType)>>,
    pub(crate) triggers: Triggers,
    pub(crate) weights: FxHashMap<String, f64>,
    pub(crate) confidence_factors: FxHashMap<String, f64>,
}

/// Factor for the confidence of a doubtful fact, if the language files contain no number for the reason of the doubt.
const DEFAULT_DOUBT_FACTOR: f64 = 0.3;

/// Returns whether a word is ignored in a pattern, such as `his` and `the`.
pub(crate) fn is_ignored(word: &str) -> bool {
    lists().determiners.ignored.contains(word)
}

/// Replaces reflexive pronouns, such as `himself`, with `oneself`.
pub(crate) fn normalize_reflexive(word: &str) -> &str {
    if word.ends_with("self") || word.ends_with("selves") { "oneself" } else { word }
}

impl Grammar {
    /// Creates the grammar of language files and of the relations in a vocabulary.
    pub(crate) fn from_files(files: &[LanguageFile], vocabulary: &[VocabularyRelation]) -> Result<Self, LanguageError> {
        let mut grammar = Self::default();
        for file in files {
            grammar.add_words(file)?;
            grammar.add_verbs(file)?;
            grammar.triggers.add(file)?;
        }
        grammar.add_targets(files, vocabulary)?;
        grammar.set_properties(files)?;
        for file in files {
            for (table, into, numbers) in [
                ("confidence", &mut grammar.weights, &file.confidence),
                ("doubt", &mut grammar.confidence_factors, &file.doubt),
            ] {
                for (name, &value) in numbers {
                    if !value.is_finite() {
                        return Err(LanguageError::InvalidNumber { table, name: name.clone(), value });
                    }
                    into.insert(name.clone(), value);
                }
            }
        }
        grammar.word_votes = count_votes(&grammar);
        let longest_first = |patterns: &mut Vec<Pattern>| {
            patterns.sort_by_key(|pattern| (std::cmp::Reverse(pattern.parts.len()), pattern.is_weak));
        };
        grammar.verb_patterns.values_mut().for_each(longest_first);
        grammar.phrase_patterns.values_mut().for_each(longest_first);
        grammar
            .noun_patterns
            .values_mut()
            .for_each(|nouns| nouns.sort_by_key(|(words, noun)| (std::cmp::Reverse(words.len()), noun.is_weak)));
        grammar.cues.values_mut().for_each(|cues| cues.sort_by_key(|(words, _)| std::cmp::Reverse(words.len())));
        Ok(grammar)
    }

    /// Adds the tables of relations and attributes, with the words of the vocabulary.
    fn add_targets(&mut self, files: &[LanguageFile], vocabulary: &[VocabularyRelation]) -> Result<(), LanguageError> {
        let mut remaining: Vec<&VocabularyRelation> = vocabulary.iter().collect();
        for file in files {
            for table in &file.relation {
                let has_table = |relation: &&VocabularyRelation| relation.predicate == *table.predicate;
                let own = remaining.iter().position(has_table).filter(|_| !table.over && !table.denied);
                self.add_relation(table, own.map(|at| remaining.remove(at)))?;
            }
            self.add_attributes(file)?;
        }
        for relation in remaining {
            let (predicate, mutual) = (relation.predicate.to_string(), relation.is_symmetric);
            let table = RelationTable { predicate, mutual, ..RelationTable::default() };
            self.add_relation(&table, Some(relation))?;
        }
        Ok(())
    }

    /// Sets the properties of all targets.
    fn set_properties(&mut self, files: &[LanguageFile]) -> Result<(), LanguageError> {
        let mut properties: FxHashMap<Predicate, PredicateProperties> = FxHashMap::default();
        for (list, predicates) in files.iter().flat_map(|file| &file.properties) {
            let lists = PredicateProperties::LISTS;
            let Some((_, property)) = lists.iter().find(|(name, _)| name == list) else {
                let known = lists.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(LanguageError::UnknownList { table: "properties", list: list.clone(), known });
            };
            for predicate in predicates.iter() {
                let entry = properties.entry(Predicate::new(predicate)?).or_default();
                *entry = entry.or(*property);
            }
        }
        let properties_of = |target: &Target| properties.get(&target.predicate).copied().unwrap_or_default();
        let all: Vec<PredicateProperties> = self
            .targets
            .iter()
            .map(|target| properties_of(target).or(properties_of(&self.targets[target.label])))
            .collect();
        self.targets.iter_mut().zip(all).for_each(|(target, properties)| target.properties = properties);
        Ok(())
    }

    fn add_words(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for (list, words) in &file.words {
            let Some((_, class)) = WordClass::LISTS.iter().find(|(name, _)| name == list) else {
                let known = WordClass::LISTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(LanguageError::UnknownList { table: "words", list: list.clone(), known });
            };
            for word in words.iter() {
                let entry = self.word_classes.entry(word.to_lowercase()).or_default();
                *entry = entry.or(*class);
            }
        }
        for (list, phrases) in &file.cues {
            let Some((_, cue_type)) = CUE_LISTS.iter().find(|(name, _)| name == list) else {
                let known = CUE_LISTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                return Err(LanguageError::UnknownList { table: "cues", list: list.clone(), known });
            };
            for phrase in phrases {
                let words = crate::text::tokenizer::normalized_tokens(phrase);
                if let Some(first) = words.first().cloned() {
                    self.cues.entry(first).or_default().push((words, *cue_type));
                }
            }
        }
        Ok(())
    }

    fn add_verbs(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for line in &file.verbs.irregular {
            let [base, past, participle] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                return Err(LanguageError::InvalidVerb(line.clone()));
            };
            self.add_verb(base, Some((past, participle)));
        }
        type SetProperty = fn(&mut VerbProperties);
        let verbs = &file.verbs;
        let lists: [(&Words, SetProperty); 9] = [
            (&verbs.others, |_| ()),
            (&verbs.speech, |properties| properties.is_speech = true),
            (&verbs.thought, |properties| properties.is_thought = true),
            (&verbs.factive, |properties| properties.is_factive = true),
            (&verbs.irreal, |properties| properties.is_irrealis = true),
            (&verbs.real, |properties| properties.is_implicative = true),
            (&verbs.copulas, |properties| properties.is_copula = true),
            (&verbs.seeming, |properties| properties.is_seeming = true),
            (&verbs.describing, |properties| properties.is_describing = true),
        ];
        for (list, set_property) in lists {
            for verb in list.iter() {
                self.add_verb(verb, None);
                set_property(self.verb_properties.entry(verb.to_owned()).or_default());
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
        let forms = self.verb_forms.get(verb)?;
        let has_form = |inflection: Inflections| forms.iter().any(|(_, form)| form.has(inflection));
        match (has_form(Inflections::THIRD), has_form(Inflections::BASE), has_form(Inflections::PAST)) {
            (true, ..) | (false, false, true) => Some(words.to_owned()),
            (false, true, _) => Some(format!("{} {rest}", third_person(verb)).trim_end().to_owned()),
            (false, false, false) => None,
        }
    }

    fn add_verb(&mut self, base: &str, irregular: Option<(&str, &str)>) {
        let is_known = self.verb_properties.contains_key(base);
        if is_known && irregular.is_none() {
            return;
        }
        self.verb_properties.entry(base.to_owned()).or_default();
        for (form, inflections) in conjugate(base, irregular) {
            let forms = self.verb_forms.entry(form).or_default();
            match forms.iter_mut().find(|(lemma, _)| lemma == base) {
                Some((_, known_inflections)) => *known_inflections = known_inflections.or(inflections),
                None => forms.push((base.to_owned(), inflections)),
            }
        }
    }

    /// Adds a pattern of a verb. A pattern that begins with "be", such as "be afraid of", becomes a pattern of the
    /// words after "is".
    fn add_verb_pattern(&mut self, target: usize, text: &str, is_reversed: bool) -> Result<(), LanguageError> {
        if let Some(phrase) = text.strip_prefix("be ") {
            let has_value = text.contains('=');
            let (first, pattern) = self.pattern(target, phrase, is_reversed, !has_value)?;
            self.phrase_patterns.entry(first).or_default().push(pattern);
            return Ok(());
        }
        let (first, pattern) = self.pattern(target, text, is_reversed, true)?;
        let (first, pattern) = self.negated_verb_pattern(first, pattern);
        self.add_verb(&first, None);
        self.verb_patterns.entry(first).or_default().push(pattern);
        Ok(())
    }

    /// Returns the base form of the verb, and the rest of the pattern, for a pattern that begins with a negation, as in
    /// "not paid". Returns other patterns unchanged.
    fn negated_verb_pattern(&self, first: String, pattern: Pattern) -> (String, Pattern) {
        if !lists().speech.pattern_negations.contains(&first) {
            return (first, pattern);
        }
        let mut parts = pattern.parts.clone();
        let is_verb = |word: &String| word != "not" && word != "never" && self.verb_forms.contains_key(word);
        let verb = parts.iter().enumerate().find_map(|(at, part)| match part {
            PatternPart::Word(word) if is_verb(word) => Some((at, word.clone())),
            _ => None,
        });
        let Some((at, word)) = verb else { return (first, pattern) };
        let base = self.verb_forms.get(&word).and_then(|forms| forms.first()).map(|(base, _)| base.clone());
        parts.drain(..=at);
        parts.insert(0, PatternPart::Word("not".into()));
        (base.unwrap_or(word), Pattern { parts, ..pattern })
    }

    /// Returns the patterns by which a noun, or its singular, relates two entities.
    pub(crate) fn relational_noun_patterns(&self, noun: &str) -> &[Pattern] {
        let singular = noun.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let patterns = self.relational_nouns.get(noun).or_else(|| self.relational_nouns.get(singular.as_deref()?));
        patterns.or_else(|| self.relational_nouns.get(noun.strip_suffix('s')?)).map_or(&[], Vec::as_slice)
    }

    /// Reads a pattern such as `take part in : event`. Returns the first word and the pattern of the other words.
    fn pattern(
        &self,
        target: usize,
        text: &str,
        is_reversed: bool,
        has_object: bool,
    ) -> Result<(String, Pattern), LanguageError> {
        let predicate = self.targets[target].predicate.clone();
        let invalid_pattern =
            |problem: String| LanguageError::InvalidPattern { predicate, pattern: text.to_owned(), problem };
        let (phrase, value) = match text.split_once('=') {
            Some((phrase, value)) => (phrase, Some(value.trim().to_owned())),
            None => (text, None),
        };
        let (phrase, kinds) = phrase.split_once(':').unwrap_or((phrase, ""));
        let kinds = KindSet::parse(kinds.replace(['?', '!'], " ").trim()).map_err(invalid_pattern)?;
        let is_weak = text.contains('?');
        let phrase = phrase.replace(['?', '+', '!'], "");
        let mut parts: Vec<PatternPart> = phrase
            .split_whitespace()
            .filter(|word| !is_ignored(word))
            .map(|word| match word {
                "*" => PatternPart::Any,
                "_" => PatternPart::Object,
                word => PatternPart::Word(normalize_reflexive(word).to_owned()),
            })
            .collect();
        if has_object && value.is_none() && !parts.contains(&PatternPart::Object) {
            parts.push(PatternPart::Object);
        }
        let Some(PatternPart::Word(first)) = parts.first().cloned() else {
            let problem = "the pattern must begin with a word".to_owned();
            let predicate = self.targets[target].predicate.clone();
            return Err(LanguageError::InvalidPattern { predicate, pattern: text.to_owned(), problem });
        };
        parts.remove(0);
        let words = phrase.split_whitespace().filter(|word| !matches!(*word, "_" | "*")).collect::<Vec<_>>().join(" ");
        Ok((first, Pattern { target, parts, is_reversed, is_weak, object_kinds: kinds, value, words }))
    }

    fn add_attributes(&mut self, file: &LanguageFile) -> Result<(), LanguageError> {
        for words in &file.attribute {
            let predicate = Predicate::new(&words.name)?;
            if predicate.is_relation() {
                return Err(hearsay_model::PredicateError(words.name.clone()).into());
            }
            let pattern = words.subject.iter().collect::<Vec<_>>().join(" ");
            let subject = KindSet::parse(&pattern).map_err(|problem| LanguageError::InvalidPattern {
                predicate: predicate.clone(),
                pattern,
                problem,
            })?;
            let target = self.targets.len();
            self.targets.push(Target {
                predicate,
                label: target,
                is_inverse: false,
                subject,
                object: KindSet::ANY,
                ended: false,
                denied: false,
                is_symmetric: false,
                properties: PredicateProperties::default(),
            });
            for verb in &words.verbs {
                self.add_verb_pattern(target, verb, false)?;
            }
            for phrase in &words.phrases {
                let takes_object = phrase.split_whitespace().last().is_some_and(|word| {
                    self.word_classes.get(word).is_some_and(|class| class.has(WordClass::PREPOSITION)) || word == "as"
                }) || lists().phrases.with_objects.contains(phrase);
                let (first, mut pattern) = self.pattern(target, phrase, false, takes_object)?;
                if !takes_object && pattern.value.is_none() {
                    pattern.value = Some(phrase.replace('?', ""));
                }
                self.phrase_patterns.entry(first).or_default().push(pattern);
            }
            for (list, into) in [
                (&words.nouns, &mut self.attribute_nouns),
                (&words.adjectives, &mut self.attribute_adjectives),
                (&words.has, &mut self.possession_nouns),
            ] {
                for word in list.iter() {
                    let word_without_flag = word.trim_end_matches('?');
                    let entries = into.entry(word_without_flag.to_owned()).or_default();
                    if !entries.iter().any(|(other, _)| *other == target) {
                        entries.push((target, word.ends_with('?')));
                    }
                }
            }
            self.attribute_adjective_suffixes.extend(words.ends_adjective.iter().map(|end| (end.to_owned(), target)));
            self.attribute_noun_suffixes.extend(words.ends.iter().map(|end| (end.to_owned(), target)));
            for label in words.labels.iter() {
                self.attribute_labels.entry(label.trim_end_matches('?').to_owned()).or_default().push(target);
            }
        }
        Ok(())
    }

    /// Returns the attributes that an adjective gives. The flag of an attribute says whether the adjective is weak
    /// evidence.
    pub(crate) fn adjective_attributes(&self, word: &str) -> Vec<(usize, bool)> {
        if let Some(attributes) = self.attribute_adjectives.get(word) {
            return attributes.clone();
        }
        // Example: "red-cheeked"
        let last = word.rsplit_once('-').map(|(_, last)| last);
        let end = last.and_then(|last| self.attribute_adjective_suffixes.iter().find(|(end, _)| end == last));
        end.map(|(_, target)| vec![(*target, false)]).unwrap_or_default()
    }

    /// Returns the first of some attributes whose subject can have one of the given classes. `attributes` contains the
    /// indices of the targets, each with whether the word is weak evidence.
    pub(crate) fn attribute_for_kinds(&self, attributes: &[(usize, bool)], kinds: KindSet) -> Option<&str> {
        let mut targets = attributes.iter().map(|(target, _)| &self.targets[*target]);
        targets.find(|target| target.subject.intersects(kinds)).map(|target| target.predicate.as_str())
    }

    /// Returns whether a fact stays true forever, such as the fact that a person created something. `target` is the
    /// index of the fact's target, and `relation` contains the words of its relation.
    pub(crate) fn is_permanent(&self, target: usize, relation: &str) -> bool {
        let first = relation.split(' ').next().unwrap_or_default();
        self.targets[target].has(PredicateProperties::PERMANENT) || self.triggers.contains(Trigger::PastAct, first)
    }

    /// Returns the pattern of a verb that promises something to its object, such as "promise".
    pub(crate) fn promise_pattern(&self, verb: &str) -> Option<&Pattern> {
        self.verb_patterns.get(verb)?.iter().find(|pattern| {
            self.targets[pattern.target].has(PredicateProperties::PROMISE)
                && pattern.parts == [PatternPart::Object]
                && !pattern.is_weak
                && !pattern.is_reversed
        })
    }

    /// Returns the pattern of a promise to somebody for a verb that also confirms statements, such as "swear to".
    pub(crate) fn oath_pattern(&self, verb: &str) -> Option<&Pattern> {
        self.verb_patterns.get(verb)?.iter().find(|pattern| {
            self.targets[pattern.target].has(PredicateProperties::PROMISE)
                && matches!(&pattern.parts[..], [PatternPart::Word(word), PatternPart::Object] if word == "to")
                && !(pattern.is_weak || pattern.is_reversed)
        })
    }

    pub(crate) fn word_class(&self, word: &str) -> WordClass {
        self.word_classes.get(word).copied().unwrap_or_default()
    }

    pub(crate) fn verb_properties(&self, lemma: &str) -> VerbProperties {
        self.verb_properties.get(lemma).copied().unwrap_or_default()
    }

    pub(crate) fn weight(&self, weight: Weight) -> f64 {
        self.weights.get(weight.as_str()).copied().unwrap_or_default()
    }

    pub(crate) fn confidence_factor(&self, factor: DoubtFactor) -> f64 {
        self.confidence_factors.get(factor.as_str()).copied().unwrap_or(DEFAULT_DOUBT_FACTOR)
    }
}
