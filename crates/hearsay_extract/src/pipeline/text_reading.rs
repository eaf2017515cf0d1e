//! Reading of a text: its paragraphs, sentences and quotations.

use hearsay_model::Span;

use super::{
    TextExtractor,
    omitted_copula::{insert_copula_before_description, insert_omitted_copula},
};
use crate::{
    chunker::Chunker,
    clauses::ClauseParser,
    coreference::EntityMention,
    cues,
    disfluency::remove_disfluencies,
    facts::TextType,
    grammar::{CueType, Grammar, WordClass},
    kind_set::KindSet,
    mentions::{EntityRef, MentionFinder},
    sentence_reader::{RawFact, SentenceReader, SpeechContext, is_permanent},
    sentence_splitter::{self, Sentence},
    tokenizer::{Token, TokenKind},
};

/// Default confidence factor of a fact that the speaker takes back.
const DEFAULT_RETRACTION_FACTOR: f64 = 0.3;

impl TextExtractor<'_> {
    pub(super) fn read_source(&mut self) {
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

/// Returns whether a line is a heading: every content word is capitalized, and no punctuation ends the line.
fn is_heading(tokens: &[Token], grammar: &Grammar) -> bool {
    let is_terminated =
        tokens.last().is_some_and(|last| last.is_punctuation(".!?;") || matches!(last.kind, TokenKind::Quote(_)));
    let function_words = WordClass::DETERMINER.or(WordClass::PREPOSITION).or(WordClass::CONJUNCTION);
    let words: Vec<&Token> =
        tokens.iter().filter(|token| token.is_word() && !grammar.word_class(&token.norm).has(function_words)).collect();
    let long = words.iter().any(|word| word.norm.chars().count() > 4);
    !is_terminated && words.len() > 1 && long && words.iter().all(|word| word.is_capitalized || word.is("'s"))
}
