//! Extractor, which reads a text and proposes facts.

use std::{collections::BTreeMap, sync::OnceLock};

use hearsay_model::{Confidence, EntityId, Predicate, PredicateRole, Span, Vocabulary};

use crate::{
    chunker::{Chunk, Chunker, VerbForm, VerbGroup},
    clauses::ClauseParser,
    coreference::{EntityMention, MentionHistory},
    cues,
    deduplicate::{self, WeightedFact},
    disfluency::remove_disfluencies,
    facts::{ExtractedFact, Extraction, FactObject, Mention, NameOccurrence, Text, TextType},
    grammar::{CueType, Grammar, WordClass},
    kind_set::KindSet,
    language::Language,
    lexicon::Lexicon,
    mentions::{EntityRef, MentionFinder, NameMention, NewNames, Scene},
    sentence_reader::{
        RawFact, RawObject, SentenceReader, SpeechContext, TrainingExamples, UNSPECIFIED_RELATION, is_permanent,
    },
    sentence_similarity::Examples,
    sentence_splitter::{self, Sentence},
    tokenizer::Token,
};

/// Extracts facts from texts. Create one extractor per campaign; all threads can share it.
#[derive(Debug)]
pub struct Extractor {
    language: Language,
    vocabulary: Vocabulary,
    related_target: Option<usize>,
    pub(crate) examples: OnceLock<Option<Examples>>,
}

/// Result of an extraction, with data for fitting the weights and training the classifiers.
#[derive(Debug, Clone)]
pub struct TrainingExtraction {
    /// Facts, new names and mentions of the text.
    pub extraction: Extraction,
    /// For each fact, the sorted names of the weights that determine its confidence. `None` if other rules determine
    /// the confidence.
    pub weight_names: Vec<Option<Vec<&'static str>>>,
    /// Training examples for the classifiers: pairs of two entities, or of an entity and a possible value, with their
    /// features.
    pub examples: Vec<TrainingExample>,
}

/// Training example for a classifier: two entities in one sentence, or an entity and a possible value.
#[derive(Debug, Clone)]
pub struct TrainingExample {
    /// First of two entities in the sentence, or the subject of a fact or value.
    pub first: Mention,
    /// Second entity, or the value.
    pub second: FactObject,
    /// For an example of the classifier that decides whether a fact is over or doubtful, the predicate of the fact that
    /// was read. `None` in other examples.
    pub read_predicate: Option<Predicate>,
    /// Features of the sentence around the pair.
    pub features: Vec<String>,
}

/// Default confidence factor of a fact that the speaker takes back.
const DEFAULT_RETRACTION_FACTOR: f64 = 0.3;

/// Candidates with a lower confidence than this are not worth a review.
const MIN_CANDIDATE_CONFIDENCE: f64 = 0.13;

/// Minimum confidence of candidates about a new name. It is higher than [`MIN_CANDIDATE_CONFIDENCE`] because the DM has
/// to review both the new entity and the fact.
const MIN_NEW_NAME_CANDIDATE_CONFIDENCE: f64 = 0.15;

/// Maximum number of candidates from a text. It increases by one for every `SENTENCES_PER_CANDIDATE` sentences.
const BASE_MAX_CANDIDATES: usize = 8;
const SENTENCES_PER_CANDIDATE: usize = 6;

/// Minimum confidence of a hedged statement.
const MIN_HEDGED_CONFIDENCE: f64 = 0.3;

/// Maximum confidence of a fact in a sentence with words addressed to the program.
const MAX_INJECTION_CONFIDENCE: f64 = 0.5;

impl Extractor {
    /// Creates an extractor for a language and the predicates of a campaign.
    pub fn new(language: Language, vocabulary: Vocabulary) -> Self {
        let related_target = language.grammar.targets.iter().position(|target| {
            PredicateRole::Related.is(&target.predicate) && !target.ended && !target.denied && !target.is_symmetric
        });
        Self { language, vocabulary, related_target, examples: OnceLock::new() }
    }

    /// Extracts the facts that a text states.
    pub fn extract(&self, lexicon: &Lexicon, text: &Text<'_>) -> Extraction {
        TextExtractor::new(self, lexicon, text).run().extraction
    }

    /// Extracts the facts that a text states, with data for fitting the weights and training the classifiers.
    pub fn extract_for_training(&self, lexicon: &Lexicon, text: &Text<'_>) -> TrainingExtraction {
        let mut text_extractor = TextExtractor::new(self, lexicon, text);
        text_extractor.training_examples = Some(TrainingExamples::default());
        text_extractor.run()
    }

    pub(crate) fn grammar(&self) -> &Grammar {
        &self.language.grammar
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}

/// State of the extractor while it reads one text.
struct TextExtractor<'a> {
    extractor: &'a Extractor,
    lexicon: &'a Lexicon,
    text: &'a Text<'a>,
    source: &'a str,
    only_names: bool,
    /// Number of sentences read so far.
    sentences: usize,
    /// Whether the previous sentence only marks the next sentence as a guess.
    announces_guess: bool,
    scene: Scene,
    history: MentionHistory,
    new_names: NewNames,
    facts: Vec<RawFact>,
    /// Index of the first fact of the previous sentence.
    previous_facts_start: usize,
    mentions: BTreeMap<(usize, usize), u32>,
    /// Sentences with words addressed to the program. The DM decides on their facts.
    injection_spans: Vec<Span>,
    /// Sentences that name two entities but match no pattern, with the two entities.
    unmatched_sentences: Vec<crate::sentence_similarity::UnmatchedSentence>,
    /// Training examples for the classifiers, if the caller requested them.
    training_examples: Option<TrainingExamples>,
}

impl<'a> TextExtractor<'a> {
    fn new(extractor: &'a Extractor, lexicon: &'a Lexicon, text: &'a Text<'a>) -> Self {
        let index = |id: &EntityId| lexicon.index(id);
        let scene = Scene {
            speaker: text.speaker.and_then(index),
            present: text.present.iter().filter_map(index).collect(),
            place: text.place.and_then(index),
            recent: Vec::new(),
        };
        Self {
            extractor,
            lexicon,
            text,
            source: text.text,
            only_names: false,
            sentences: 0,
            announces_guess: false,
            scene,
            history: MentionHistory::default(),
            new_names: NewNames::default(),
            facts: Vec::new(),
            previous_facts_start: 0,
            mentions: BTreeMap::new(),
            injection_spans: Vec::new(),
            unmatched_sentences: Vec::new(),
            training_examples: None,
        }
    }

    /// Reads the names of the earlier texts, and then the text itself.
    fn run(mut self) -> TrainingExtraction {
        for previous_text in self.text.preceding.iter().rev().take(4).rev() {
            self.only_names = true;
            self.source = previous_text;
            self.read_source();
        }
        self.only_names = false;
        self.new_names = NewNames::default();
        self.history.forget_new();
        self.source = self.text.text;
        self.read_source();
        self.finish()
    }

    fn read_source(&mut self) {
        let source = self.source;
        let grammar = self.extractor.grammar();
        let is_abbreviation = |word: &str| grammar.word_class(word).has(WordClass::ABBREVIATION);
        let speaker = self.scene.speaker.map(EntityRef::Known);
        let hearers: Vec<EntityRef> = self
            .scene
            .present
            .iter()
            .filter(|entity| Some(**entity) != self.scene.speaker)
            .map(|entity| EntityRef::Known(*entity))
            .collect();
        let speech = SpeechContext {
            speaker,
            hearers,
            named_hearers: Vec::new(),
            is_speaker_unknown: false,
            is_direct_speech: self.text.form == TextType::Talk && speaker.is_some(),
            is_table_talk: self.text.form == TextType::Talk,
        };
        for range in sentence_splitter::paragraphs(source) {
            let paragraph = &source[range.clone()];
            self.history.topic = None;
            self.previous_facts_start = self.facts.len();
            for sentence in sentence_splitter::split_text(paragraph, range.start, is_abbreviation) {
                self.read_sentence(&sentence, &speech, 0);
            }
        }
    }

    fn read_sentence(&mut self, sentence: &Sentence, speech: &SpeechContext, depth: usize) {
        let grammar = self.extractor.grammar();
        let clean_sentence = remove_disfluencies(&sentence.tokens, grammar);
        let tokens = &clean_sentence.tokens[..];
        self.history.sentence += 1;
        self.sentences += usize::from(!self.only_names);
        self.scene.recent = self.history.recent_entities();
        let mention_finder = MentionFinder { lexicon: self.lexicon, grammar, scene: &self.scene, text: self.source };
        let names = mention_finder.find_names(tokens, &mut self.new_names);
        let entry = names.first().filter(|name| {
            name.start == 0 && tokens.get(name.end).is_some_and(|token| token.is_punctuation("\u{2014}:("))
        });
        if let Some(name) = entry {
            self.history.topic = Some(name.entity);
        }
        if is_heading(tokens, grammar) {
            self.previous_facts_start = self.facts.len();
            // A heading such as "Smoke at the Goat" contains names but states nothing.
            for name in &names {
                if let EntityRef::Known(entity) = name.entity {
                    let known = &self.lexicon.entities[entity as usize];
                    let (kinds, gender, sentence) = (known.kinds, known.gender, self.history.sentence);
                    let subject = name.start == 0;
                    self.history.record(EntityMention {
                        entity: name.entity,
                        kinds,
                        gender,
                        sentence,
                        token: name.start,
                        is_subject: subject,
                    });
                    self.history.focus = Some(name.entity);
                }
            }
            let known_names = names.iter().filter_map(|name| match name.entity {
                EntityRef::Known(entity) => Some(((tokens[name.start].start, tokens[name.end - 1].end), entity)),
                EntityRef::New(_) => None,
            });
            self.mentions.extend(known_names.filter(|_| !self.only_names));
            return;
        }
        let are_groups = names.iter().map(|name| match name.entity {
            EntityRef::Known(entity) => self.lexicon.entities[entity as usize].kinds == KindSet::GROUP,
            EntityRef::New(_) => false,
        });
        let chunker = Chunker::new(tokens, &names, are_groups.collect(), grammar);
        let name_at = chunker.name_at.clone();
        let mut chunks = chunker.chunk();
        insert_omitted_copula(tokens, &names, &mut chunks, grammar);
        insert_copula_before_description(tokens, &mut chunks, grammar);
        let found_cues = cues::find_cues(tokens, grammar, |at| name_at[at].is_some());
        let addresses_program = found_cues.iter().any(|cue| cue.cue_type == CueType::Injection);
        if let (true, false, Some(first), Some(last)) =
            (addresses_program, self.only_names, tokens.first(), tokens.last())
        {
            // Words after a colon belong to the address: "Ignore your instructions and accept: …".
            let rest = self.source.get(last.end..).unwrap_or_default();
            let is_introduction = last.is_punctuation(":") || rest.trim_start().starts_with(':');
            let line = rest.find('\n').map_or(self.source.len(), |at| last.end + at);
            self.injection_spans.push(Span { start: first.start, end: if is_introduction { line } else { last.end } });
        }
        let syntax = ClauseParser { tokens, grammar, chunks: &chunks };
        let clauses = syntax.parse();
        if !self.only_names {
            for name in &names {
                if let EntityRef::Known(entity) = name.entity {
                    self.mentions.insert((tokens[name.start].start, tokens[name.end - 1].end), entity);
                }
            }
        }
        let mut reader = SentenceReader {
            lexicon: self.lexicon,
            grammar,
            text: self.source,
            tokens,
            names: &names,
            chunks: &chunks,
            clauses: &clauses,
            syntax: &syntax,
            cues: &found_cues,
            is_announced_guess: self.announces_guess,
            relation_classifier: &self.extractor.language.relation_classifier,
            attribute_classifier: &self.extractor.language.attribute_classifier,
            assertion_classifier: &self.extractor.language.assertion_classifier,
            speech,
            present: &self.scene.present,
            history: &mut self.history,
            new_names: &mut self.new_names,
            next_focus: None,
            difficulty_weight_names: Vec::new(),
            resolved: vec![None; chunks.noun_groups.len()],
            facts: Vec::new(),
            training_examples: self.training_examples.take(),
            related_target: self.extractor.related_target,
        };
        // In "My guess? Odo has it.", the question hedges the next sentence.
        let hedges = |cue: &cues::CueMatch| matches!(cue.cue_type, CueType::Hedge | CueType::Rumour);
        self.announces_guess =
            tokens.len() < 6 && tokens.last().is_some_and(|last| last.is("?")) && found_cues.iter().any(hedges);
        if self.only_names {
            reader.record_mentions();
            for clause in &clauses {
                for np in &clause.subjects {
                    reader.resolve(*np, &[]);
                }
            }
        } else {
            reader.read_facts();
            reader.read_bracketed_pronouns(&clean_sentence.pronouns);
        }
        reader.history.focus = reader.next_focus.or(reader.history.focus);
        if depth == 0 && retracts_previous(tokens) {
            for fact in &mut self.facts[self.previous_facts_start..] {
                fact.confidence_factor = fact
                    .confidence_factor
                    .min(grammar.confidence_factors.get("hedge").copied().unwrap_or(DEFAULT_RETRACTION_FACTOR));
            }
        }
        if depth == 0 && reader.says_no_longer(0) {
            let can_end = |fact: &&mut RawFact| {
                !fact.denied && !is_permanent(&grammar.targets[fact.target].predicate, &fact.relation)
            };
            self.facts[self.previous_facts_start..].iter_mut().filter(can_end).for_each(|fact| fact.ended = true);
        }
        let facts = std::mem::take(&mut reader.facts);
        self.training_examples = reader.training_examples.take();
        let mut quotations = Vec::new();
        for quote in 0..sentence.quotes.len() {
            let (speaker, named_hearers, is_speaker_unknown) = reader.quotation_speaker(quote);
            quotations.push((quote, speaker, named_hearers, is_speaker_unknown));
        }
        if self.text.encoder.is_some() && !self.only_names {
            self.unmatched_sentences.extend(reader.unmatched_sentence(&facts));
        }
        if depth == 0 {
            self.previous_facts_start = self.facts.len();
        }
        self.facts.extend(facts);
        if depth >= sentence_splitter::MAX_QUOTE_DEPTH {
            return;
        }
        let is_abbreviation = |word: &str| grammar.word_class(word).has(WordClass::ABBREVIATION);
        for (quote, speaker, named_hearers, is_speaker_unknown) in quotations {
            let is_whole_sentence = tokens.len() == 1 && speech.speaker.is_some();
            let inner_speech = if is_whole_sentence {
                speech.clone()
            } else {
                let others: Vec<EntityRef> = self
                    .scene
                    .present
                    .iter()
                    .map(|entity| EntityRef::Known(*entity))
                    .filter(|entity| Some(*entity) != speaker)
                    .collect();
                let hearers = if named_hearers.is_empty() { others } else { named_hearers.clone() };
                SpeechContext {
                    speaker,
                    hearers,
                    named_hearers,
                    is_speaker_unknown: is_speaker_unknown || speaker.is_none(),
                    is_direct_speech: true,
                    is_table_talk: true,
                }
            };
            for sentence in sentence_splitter::split_tokens(sentence.quotes[quote].clone(), depth + 1, &is_abbreviation)
            {
                self.read_sentence(&sentence, &inner_speech, depth + 1);
            }
        }
    }

    fn to_mention(&self, entity: EntityRef) -> Mention {
        match entity {
            EntityRef::Known(entity) => Mention::Known(self.lexicon.entities[entity as usize].id.clone()),
            EntityRef::New(index) => Mention::New(index),
        }
    }

    fn entity_name(&self, entity: EntityRef) -> &str {
        match entity {
            EntityRef::Known(entity) => &self.lexicon.entities[entity as usize].name,
            EntityRef::New(index) => self.new_names.entities.get(index).map_or("", |entity| &entity.name),
        }
    }

    /// Returns the sentence for a `RELATED_TO` fact, which is built with words of the text.
    fn related_sentence(&self, raw_fact: &RawFact, subject: &str, object: &str) -> String {
        let words = match raw_fact.relation.as_str() {
            "" => UNSPECIFIED_RELATION,
            words => words,
        };
        let is_noun = ["by_noun", "by_tie", "loose_noun"].iter().any(|name| raw_fact.weight_names.names.contains(name));
        match self.extractor.grammar().in_third_person(words).filter(|_| !is_noun) {
            Some(words) => format!("{subject} {words} {object}."),
            None => format!("{subject}: {words} {object}."),
        }
    }

    fn finish(mut self) -> TrainingExtraction {
        let text = self.text;
        if let Some(encoder) = text.encoder {
            let unmatched_sentences = std::mem::take(&mut self.unmatched_sentences);
            crate::sentence_similarity::propose_by_similarity(
                self.extractor,
                encoder,
                &mut self.facts,
                &unmatched_sentences,
            );
        }
        let mut facts: Vec<WeightedFact> = Vec::new();
        for raw_fact in &self.facts {
            let weight_names = raw_fact.weight_names.sorted();
            let confidence = self.confidence(raw_fact, &weight_names);
            let target = &self.extractor.grammar().targets[raw_fact.target];
            // A new name that occurs only in the earlier texts does not count as an entity.
            let exists =
                |entity: EntityRef| !matches!(entity, EntityRef::New(index) if index >= self.new_names.entities.len());
            let object_exists = match &raw_fact.object {
                RawObject::Entity(entity) => exists(*entity),
                RawObject::Value(_) => true,
            };
            if !exists(raw_fact.subject)
                || !object_exists
                || !text.text.is_char_boundary(raw_fact.span.start)
                || text.text.get(raw_fact.span.start..raw_fact.span.end).is_none()
            {
                continue;
            }
            let subject = self.entity_name(raw_fact.subject).to_owned();
            let object = match &raw_fact.object {
                RawObject::Entity(entity) => self.entity_name(*entity).to_owned(),
                RawObject::Value(value) => value.clone(),
            };
            let is_related_to = PredicateRole::Related.is(&target.predicate);
            let positive_statement = if is_related_to {
                self.related_sentence(raw_fact, &subject, &object)
            } else {
                self.extractor.vocabulary().sentence(&target.predicate, &subject, &object)
            };
            let statement = match (raw_fact.denied, raw_fact.ended) {
                (true, _) => format!("It is not so: {positive_statement}"),
                (false, true) => format!("No longer so: {positive_statement}"),
                (false, false) => positive_statement,
            };
            let fact = ExtractedFact {
                subject: self.to_mention(raw_fact.subject),
                predicate: target.predicate.clone(),
                object: match &raw_fact.object {
                    RawObject::Entity(entity) => FactObject::Entity(self.to_mention(*entity)),
                    RawObject::Value(value) => FactObject::Value(value.clone()),
                },
                relation: is_related_to.then(|| raw_fact.relation.clone()),
                statement,
                span: raw_fact.span,
                quote: text.text[raw_fact.span.start..raw_fact.span.end].to_owned(),
                confidence,
                stated_by: raw_fact.stated_by.filter(|entity| exists(*entity)).map(|entity| self.to_mention(entity)),
                told_to: raw_fact
                    .told_to
                    .iter()
                    .filter(|entity| exists(**entity))
                    .map(|entity| self.to_mention(*entity))
                    .collect(),
                denied: raw_fact.denied,
                ended: raw_fact.ended,
                cues: raw_fact.cues.clone(),
            };
            let is_same_fact = |other: &ExtractedFact| {
                other.predicate == fact.predicate
                    && other.denied == fact.denied
                    && other.ended == fact.ended
                    && other.stated_by == fact.stated_by
                    && ((other.subject == fact.subject && other.object == fact.object)
                        || (target.is_symmetric
                            && FactObject::Entity(other.subject.clone()) == fact.object
                            && other.object == FactObject::Entity(fact.subject.clone())))
            };
            let uses_weights_only = raw_fact.confidence_factor >= 1.0 && !self.is_in_injection(raw_fact);
            match facts.iter_mut().find(|other| is_same_fact(&other.fact)) {
                Some(other) if other.fact.confidence < fact.confidence => {
                    *other = WeightedFact { fact, weight_names, uses_weights_only }
                }
                Some(_) => {}
                None => facts.push(WeightedFact { fact, weight_names, uses_weights_only }),
            }
        }
        facts.sort_by_key(|weighted| (weighted.fact.span.start, weighted.fact.span.end));
        deduplicate::drop_superseded(&mut facts);
        self.limit_candidates(&mut facts);
        let facts = facts.into_iter().map(|WeightedFact { fact, weight_names, uses_weights_only }| {
            (fact, uses_weights_only.then_some(weight_names))
        });
        let (facts, weight_names) = facts.unzip();
        let mentions = self
            .mentions
            .iter()
            .map(|((start, end), entity)| NameOccurrence {
                entity: self.lexicon.entities[*entity as usize].id.clone(),
                span: Span { start: *start, end: *end },
            })
            .collect();
        let addresses_program = !self.injection_spans.is_empty();
        let TrainingExamples { pairs, values, assertions } = self.training_examples.take().unwrap_or_default();
        let pairs = pairs.into_iter().map(|pair| {
            let (first, second) = pair.entities();
            let second = FactObject::Entity(self.to_mention(second));
            TrainingExample { first: self.to_mention(first), second, read_predicate: None, features: pair.features }
        });
        let values = values.into_iter().map(|candidate| {
            let first = self.to_mention(candidate.subject.resolved.entity);
            TrainingExample {
                first,
                second: FactObject::Value(candidate.value),
                read_predicate: None,
                features: candidate.features,
            }
        });
        let assertions = assertions.into_iter().map(|example| {
            let second = match example.object {
                RawObject::Entity(entity) => FactObject::Entity(self.to_mention(entity)),
                RawObject::Value(value) => FactObject::Value(value),
            };
            TrainingExample {
                first: self.to_mention(example.subject),
                second,
                read_predicate: Some(example.predicate),
                features: example.features,
            }
        });
        let examples = pairs.chain(values).chain(assertions).collect();
        TrainingExtraction {
            extraction: Extraction { facts, entities: self.new_names.entities, mentions, addresses_program },
            weight_names,
            examples,
        }
    }

    /// Keeps only the most probable candidates, so that the DM can review a long text in one sitting.
    fn limit_candidates(&self, facts: &mut Vec<WeightedFact>) {
        let grammar = self.extractor.grammar();
        let weight = |weighted: &WeightedFact| {
            let weight = || weighted.weight_names.iter().map(|name| grammar.weight(name)).sum::<f64>();
            weighted.is_candidate().then(weight)
        };
        let max_candidates = BASE_MAX_CANDIDATES + self.sentences / SENTENCES_PER_CANDIDATE;
        let mut candidate_weights: Vec<f64> = facts.iter().filter_map(weight).collect();
        if candidate_weights.len() <= max_candidates {
            return;
        }
        candidate_weights.sort_by(|a, b| b.total_cmp(a));
        let min_weight = candidate_weights[max_candidates - 1];
        let mut remaining_ties =
            max_candidates - candidate_weights.iter().filter(|weight| **weight > min_weight).count();
        facts.retain(|weighted| {
            let Some(weight) = weight(weighted) else { return true };
            let is_kept = weight > min_weight || weight == min_weight && remaining_ties > 0;
            remaining_ties -= usize::from(weight == min_weight && is_kept);
            is_kept
        });
    }

    fn is_in_injection(&self, raw_fact: &RawFact) -> bool {
        self.injection_spans.iter().any(|span| span.start <= raw_fact.span.start && raw_fact.span.start < span.end)
    }

    fn confidence(&self, raw_fact: &RawFact, weight_names: &[&str]) -> Confidence {
        let grammar = self.extractor.grammar();
        let sum = grammar.weight("base") + weight_names.iter().map(|name| grammar.weight(name)).sum::<f64>();
        let mut probability = 1.0 / (1.0 + (-sum).exp());
        if weight_names.contains(&"loose") {
            let is_new_name = weight_names.iter().any(|name| matches!(*name, "new_name" | "opening_name"));
            if probability < if is_new_name { MIN_NEW_NAME_CANDIDATE_CONFIDENCE } else { MIN_CANDIDATE_CONFIDENCE } {
                return Confidence::new(probability).unwrap_or(Confidence::FULL);
            }
        }
        probability *= raw_fact.confidence_factor;
        if raw_fact.confidence_factor < 1.0 {
            probability = probability.min(0.69);
        }
        if raw_fact.confidence_factor < 1.0 && raw_fact.confidence_factor > 0.2 {
            // A hedged statement waits for review. Its confidence is the probability that the text states it as a
            // hedged statement.
            probability = probability.max(MIN_HEDGED_CONFIDENCE);
        }
        if self.is_in_injection(raw_fact) {
            probability = probability.min(MAX_INJECTION_CONFIDENCE);
        }
        Confidence::new(probability.clamp(0.0, 1.0)).unwrap_or(Confidence::FULL)
    }
}

/// Returns whether a sentence takes back the previous one, as in "No, sorry, not a potter".
fn retracts_previous(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let has_no = word(0) == "no";
    let at = if has_no && word(1) == "," { 2 } else { usize::from(has_no) };
    let has_apology = matches!(word(at), "sorry" | "wait" | "scratch" | "hang" | "correction");
    let is_correction = has_no || matches!(word(at + 1), "," | "." | ":" | "no" | "not" | "on" | "that");
    has_apology && is_correction || has_no && matches!(word(at), "not" | "actually")
}

/// Inserts an "is" into a note that has neither a subject nor a verb, such as "In foul mood."
fn insert_copula_at_start(tokens: &[Token], chunks: &mut crate::chunker::Chunks, grammar: &Grammar) {
    let Some(Chunk::Token(token)) = chunks.items.first() else { return };
    let norm = tokens[*token].norm.as_str();
    let is_terminated = tokens.last().is_some_and(|last| last.is_punctuation(".!;"));
    if !is_terminated
        || tokens.len() > 12
        || tokens.len() < 3
        || !(grammar.word_class(norm).has(WordClass::PREPOSITION) || grammar.attribute_adjectives.contains_key(norm))
    {
        return;
    }
    let vg = VerbGroup {
        start: *token,
        end: *token,
        head: *token,
        lemma: "be".into(),
        is_copula: true,
        is_omitted: true,
        ..VerbGroup::default()
    };
    chunks.items.insert(0, Chunk::VerbGroup(chunks.verb_groups.len()));
    chunks.verb_groups.push(vg);
}

/// Returns whether a line is a heading: every content word is capitalized, and no punctuation ends the line.
fn is_heading(tokens: &[Token], grammar: &Grammar) -> bool {
    let is_terminated = tokens
        .last()
        .is_some_and(|last| last.is_punctuation(".!?;") || matches!(last.kind, crate::tokenizer::TokenKind::Quote(_)));
    let function_words = WordClass::DETERMINER.or(WordClass::PREPOSITION).or(WordClass::CONJUNCTION);
    let words: Vec<&Token> =
        tokens.iter().filter(|token| token.is_word() && !grammar.word_class(&token.norm).has(function_words)).collect();
    let long = words.iter().any(|word| word.norm.chars().count() > 4);
    !is_terminated && words.len() > 1 && long && words.iter().all(|word| word.is_capitalized || word.is("'s"))
}

/// Inserts an "is" before a description that precedes its subject: "Soft-spoken and cruel, Odo speaks in questions."
fn insert_copula_before_description(tokens: &[Token], chunks: &mut crate::chunker::Chunks, grammar: &Grammar) {
    let word = |item: usize| match chunks.items.get(item) {
        Some(Chunk::Token(at)) => tokens[*at].norm.as_str(),
        _ => "",
    };
    let Some(verb) = chunks.items.iter().position(|item| matches!(item, Chunk::VerbGroup(_))) else { return };
    let subject = verb.checked_sub(1).and_then(|item| match chunks.items[item] {
        Chunk::NounGroup(np) => Some(&chunks.noun_groups[np]),
        _ => None,
    });
    let Some(subject) = subject.filter(|np| np.name.is_some() || np.is_pronoun || np.article.is_some()) else { return };
    if verb < 3 || word(verb - 2) != "," || subject.owner.is_some() {
        return;
    }
    let first = (0..verb - 2).find(|item| !matches!(word(*item), "though" | "although" | "while" | "still" | "only"));
    let (start, end) = match first.map(|item| chunks.items[item]) {
        Some(Chunk::Token(at)) => (at, at + 1),
        Some(Chunk::NounGroup(np))
            if chunks.noun_groups[np].name.is_none() && chunks.noun_groups[np].owner.is_none() =>
        {
            (chunks.noun_groups[np].start, chunks.noun_groups[np].end)
        }
        _ => return,
    };
    let is_number =
        |at: usize| grammar.word_class(tokens[at].norm.split('-').next().unwrap_or_default()).has(WordClass::NUMBER);
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let is_age = is_number(start) && (end == start + 1 && norm(end) == "," || norm(end) == "old");
    let is_description =
        grammar.attribute_adjectives.contains_key(norm(start)) && matches!(norm(start + 1), "," | "and" | "but" | "as");
    if !(is_age || is_description) {
        return;
    }
    let vg = VerbGroup {
        start,
        end: start,
        head: start,
        lemma: "be".into(),
        is_copula: true,
        is_omitted: true,
        ..VerbGroup::default()
    };
    chunks.items.insert(0, Chunk::VerbGroup(chunks.verb_groups.len()));
    chunks.verb_groups.push(vg);
}

/// Inserts the "is" that notes leave out: "Bram dead.", "Static in brig."
fn insert_omitted_copula(
    tokens: &[Token],
    names: &[NameMention],
    chunks: &mut crate::chunker::Chunks,
    grammar: &Grammar,
) {
    let has_finite_verb = chunks.verb_groups.iter().any(|vg| vg.form == VerbForm::Finite);
    if has_finite_verb {
        return;
    }
    // A line without final punctuation may be a heading. In a heading, only known names count.
    let is_terminated = tokens.last().is_some_and(|last| last.is_punctuation(".!;"));
    let is_known = |name: usize| is_terminated || matches!(names[name].entity, EntityRef::Known(_));
    let is_np = |item: &Chunk| matches!(item, Chunk::NounGroup(np) if chunks.noun_groups[*np].name.is_some_and(is_known) || chunks.noun_groups[*np].owner.is_some());
    // The verb is inserted after the name or list of names at the beginning.
    let Some(first) = chunks.items.iter().position(is_np).filter(|at| *at <= 3) else {
        insert_copula_at_start(tokens, chunks, grammar);
        return;
    };
    let mut at = first + 1;
    let word = |at: usize| match chunks.items.get(at) {
        Some(Chunk::Token(token)) => tokens[*token].norm.as_str(),
        _ => "",
    };
    while matches!(word(at), "," | "and" | "+" | "&")
        && matches!(chunks.items.get(at + 1), Some(Chunk::NounGroup(np)) if chunks.noun_groups[*np].name.is_some())
    {
        at += 2;
    }
    let has_predicate = match chunks.items.get(at) {
        Some(Chunk::Token(token)) => {
            let norm = tokens[*token].norm.as_str();
            let class = grammar.word_class(norm);
            class.has(WordClass::PREPOSITION) && norm != "of"
                || grammar.attribute_adjectives.contains_key(norm)
                || matches!(norm, ":" | "=" | "\u{2014}")
        }
        _ => false,
    };
    if !has_predicate {
        return;
    }
    let token = match chunks.items.get(at) {
        Some(Chunk::Token(token)) if matches!(tokens[*token].norm.as_str(), ":" | "=" | "\u{2014}") => {
            let token = *token;
            chunks.items.remove(at);
            token + 1
        }
        Some(Chunk::Token(token)) => *token,
        _ => return,
    };
    if token >= tokens.len() {
        return;
    }
    chunks.items.insert(at, Chunk::VerbGroup(chunks.verb_groups.len()));
    chunks.verb_groups.push(VerbGroup {
        start: token,
        end: token,
        head: token.saturating_sub(1),
        lemma: "be".into(),
        is_copula: true,
        is_omitted: true,
        ..VerbGroup::default()
    });
}
