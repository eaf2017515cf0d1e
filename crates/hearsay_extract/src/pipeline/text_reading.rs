//! Reads the paragraphs, sentences and quotations of a text.

use hearsay_model::{ExtractionStage, Span};

use super::{
    TextExtractor,
    omitted_copula::{insert_copula_before_description, insert_omitted_copula},
};
use crate::{
    entities::{
        coreference::EntityMention,
        lexicon::Gender,
        mentions::{EntityRef, MentionFinder, NameMention, NewNames},
        nicknames::{self, Nickname, PlainText},
    },
    facts::{TextType, doubt::DoubtfulPart},
    language::{
        grammar::{CueType, Grammar, WordClass},
        kind_set::KindSet,
        weights::DoubtFactor,
        word_lists::lists,
    },
    sentence_reader::{
        RawFact, SentenceReader, SpeechContext,
        cues::{self, CueMatch},
    },
    syntax::{chunker::Chunker, clauses::ClauseParser, disfluency::remove_disfluencies},
    text::{
        sentence_splitter::{self, Sentence},
        tokenizer::{self, Token, TokenKind},
    },
};

impl<'a> TextExtractor<'a> {
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
            self.previous_sentence = None;
            for sentence in sentence_splitter::split_text(paragraph, range.start, is_abbreviation) {
                self.read_sentence(&sentence, &speech, 0);
            }
        }
    }

    /// Records the NPC who says the text before narration as the subject of a sentence, so that "she" in "She nods" refers
    /// to this NPC. If the pronouns of the NPC are unknown, "she" perhaps refers to this NPC.
    pub(super) fn record_previous_speaker(&mut self) {
        let speaker = self.text.previous_speaker.filter(|_| self.text.form == TextType::Narration);
        let Some(index) = speaker.and_then(|id| self.lexicon.index(id)) else { return };
        let speaker = &self.lexicon.entities[index as usize];
        let gender = speaker.gender(self.extractor.grammar());
        if !speaker.is_npc {
            return;
        }
        if gender == Gender::Unknown {
            self.history.possible_referent = Some(EntityRef::Known(index));
            return;
        }
        self.history.sentence += 1;
        self.history.record(EntityMention {
            entity: EntityRef::Known(index),
            kinds: speaker.kinds,
            gender,
            sentence: self.history.sentence,
            token: 0,
            is_subject: true,
        });
    }

    /// Returns the known names that begin a sentence of a spoken text before a verb, each with its position in bytes:
    /// "Odo" in "Odo told us." The first sentence does not count.
    pub(super) fn opening_subjects(&self) -> Vec<(usize, EntityRef)> {
        if self.text.form != TextType::Talk || self.text.preceding.is_empty() {
            return Vec::new();
        }
        let (grammar, tokens) = (self.extractor.grammar(), tokenizer::tokenize(self.source, 0));
        let mention_finder =
            MentionFinder { lexicon: self.lexicon, grammar, scene: &self.scene, text: self.source, is_speech: true };
        let names = mention_finder.find_names(&tokens, &mut NewNames::default());
        let is_subject = |name: &NameMention| {
            let follows_sentence = name.start > 0 && tokens[name.start - 1].is_punctuation(".!?");
            let precedes_verb = tokens.get(name.end).is_some_and(|next| {
                let is_auxiliary = grammar.word_class(&next.norm).has(WordClass::AUXILIARY.or(WordClass::MODAL));
                is_auxiliary || grammar.verb_forms.contains_key(&next.norm)
            });
            follows_sentence && precedes_verb && matches!(name.entity, EntityRef::Known(_))
        };
        let subjects = names.into_iter().filter(is_subject);
        subjects.map(|name| (tokens[name.start].start, name.entity)).collect()
    }

    pub(super) fn is_group(&self, entity: EntityRef) -> bool {
        match entity {
            EntityRef::Known(entity) => self.lexicon.entities[entity as usize].kinds == KindSet::GROUP,
            EntityRef::New(_) => false,
        }
    }

    fn read_sentence(&mut self, sentence: &Sentence, speech: &SpeechContext, depth: usize) {
        let grammar = self.extractor.grammar();
        let clean_sentence = remove_disfluencies(&sentence.tokens, grammar);
        let tokens = &clean_sentence.tokens[..];
        self.history.sentence += 1;
        self.sentences += usize::from(!self.only_names);
        self.scene.recent = self.history.recent_entities();
        let is_speech = self.text.form == TextType::Talk;
        let mention_finder =
            MentionFinder { lexicon: self.lexicon, grammar, scene: &self.scene, text: self.source, is_speech };
        let mut names = mention_finder.find_names(tokens, &mut self.new_names);
        let nicknames = self.link_nicknames(tokens, &mut names);
        self.note_topic(tokens, &names);
        if is_heading(tokens, grammar) {
            self.read_heading(tokens, &names);
            return;
        }
        let are_groups = names.iter().map(|name| self.is_group(name.entity)).collect();
        let chunker = Chunker::new(tokens, &names, are_groups, grammar);
        let name_at = chunker.name_at.clone();
        let mut chunks = chunker.chunk();
        insert_omitted_copula(tokens, &names, &mut chunks, grammar);
        insert_copula_before_description(tokens, &mut chunks, grammar);
        let found_cues = cues::find_cues(tokens, grammar, |at| name_at[at].is_some());
        let syntax = ClauseParser { tokens, grammar, chunks: &chunks };
        let clauses = syntax.parse();
        if !self.only_names {
            self.record_injection(tokens, &found_cues);
            self.record_known_names(tokens, &names);
        }
        let mut reader = SentenceReader {
            lexicon: self.lexicon,
            grammar,
            vocabulary: self.extractor.vocabulary(),
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
            doubtful_parts: Vec::new(),
            training_examples: self.training_examples.take(),
            disabled_stages: &self.extractor.disabled_stages,
            stage: ExtractionStage::Clauses,
            related_target: self.extractor.related_target,
        };
        self.announces_guess = announces_guess(tokens, &found_cues);
        if self.only_names {
            reader.record_mentions();
            for np in clauses.iter().flat_map(|clause| &clause.subjects) {
                reader.resolve(*np, &[]);
            }
        } else if let Some(spoken_sentences) = &mut self.spoken_sentences {
            let is_own = speech.speaker == self.scene.speaker.map(EntityRef::Known) && !is_quotation(tokens);
            spoken_sentences.extend(reader.spoken_sentence().filter(|_| is_own));
        } else {
            reader.read_facts();
            reader.run_stage(ExtractionStage::Fields, |reader| {
                reader.read_bracketed_pronouns(&clean_sentence.pronouns);
                reader.read_nicknames(&nicknames);
            });
        }
        reader.history.focus = reader.next_focus.or(reader.history.focus);
        let says_no_longer = reader.says_no_longer(0);
        let facts = std::mem::take(&mut reader.facts);
        self.doubtful_parts.append(&mut reader.doubtful_parts);
        self.training_examples = reader.training_examples.take();
        let quotations: Vec<_> = (0..sentence.quotes.len()).map(|quote| reader.quotation_speaker(quote)).collect();
        if self.text.encoder.is_some() && !self.only_names {
            self.unmatched_sentences.extend(reader.unmatched_sentence(&facts));
        }
        if depth == 0 {
            self.revise_previous_facts(tokens, says_no_longer);
        }
        self.facts.extend(facts);
        if depth >= sentence_splitter::MAX_QUOTE_DEPTH {
            return;
        }
        for (quote, (speaker, named_hearers, is_speaker_unknown)) in sentence.quotes.iter().zip(quotations) {
            let is_whole_sentence = tokens.len() == 1 && speech.speaker.is_some();
            let inner_speech = if is_whole_sentence {
                speech.clone()
            } else {
                self.quotation_context(speaker, named_hearers, is_speaker_unknown)
            };
            self.read_quotation(quote.clone(), &inner_speech, depth + 1);
        }
    }

    /// If a sentence is an entry such as "Odo: a ferryman", records that the text is now about the entity of the entry.
    fn note_topic(&mut self, tokens: &[Token], names: &[NameMention]) {
        let entry = names.first().filter(|name| {
            name.start == 0 && tokens.get(name.end).is_some_and(|token| token.is_punctuation("\u{2014}:("))
        });
        if let Some(name) = entry {
            self.history.topic = Some(name.entity);
        }
    }

    /// Links nicknames among the names of a sentence to their entities. Returns the nicknames that the sentence states,
    /// with their entities.
    fn link_nicknames(&mut self, tokens: &[Token], names: &mut [NameMention]) -> Vec<(EntityRef, &'a Nickname)> {
        if self.only_names {
            return Vec::new();
        }
        let PlainText { text, nicknames } = self.plain;
        nicknames::link_nicknames(nicknames, text, tokens, names, &self.new_names, &mut self.nickname_owners)
    }

    /// Reads the sentences of a quotation.
    fn read_quotation(&mut self, tokens: Vec<Token>, speech: &SpeechContext, depth: usize) {
        let grammar = self.extractor.grammar();
        let is_abbreviation = |word: &str| grammar.word_class(word).has(WordClass::ABBREVIATION);
        for sentence in sentence_splitter::split_tokens(tokens, depth, &is_abbreviation) {
            self.read_sentence(&sentence, speech, depth);
        }
    }

    /// Reads a heading. A heading such as "Smoke at the Goat" contains names but states nothing.
    fn read_heading(&mut self, tokens: &[Token], names: &[NameMention]) {
        self.previous_facts_start = self.facts.len();
        self.previous_sentence = None;
        for name in names {
            if let EntityRef::Known(entity) = name.entity {
                let known = &self.lexicon.entities[entity as usize];
                let gender = known.gender(self.extractor.grammar());
                let (kinds, sentence) = (known.kinds, self.history.sentence);
                self.history.record(EntityMention {
                    entity: name.entity,
                    kinds,
                    gender,
                    sentence,
                    token: name.start,
                    is_subject: name.start == 0,
                });
                self.history.focus = Some(name.entity);
            }
        }
        if !self.only_names {
            self.record_known_names(tokens, names);
        }
    }

    /// Records where a sentence names entities of the campaign.
    fn record_known_names(&mut self, tokens: &[Token], names: &[NameMention]) {
        for name in names {
            if let EntityRef::Known(entity) = name.entity {
                self.mentions.insert((tokens[name.start].start, tokens[name.end - 1].end), entity);
            }
        }
    }

    /// Records the range of a sentence that contains words addressed to the program.
    fn record_injection(&mut self, tokens: &[Token], found_cues: &[CueMatch]) {
        let addresses_program = found_cues.iter().any(|cue| cue.cue_type == CueType::Injection);
        if addresses_program && let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            // Words after a colon are part of the instruction to the program: "Ignore your instructions and accept: …".
            let rest = self.source.get(last.end..).unwrap_or_default();
            let is_introduction = last.is_punctuation(":") || rest.trim_start().starts_with(':');
            let line = rest.find('\n').map_or(self.source.len(), |at| last.end + at);
            self.injection_spans.push(Span { start: first.start, end: if is_introduction { line } else { last.end } });
        }
    }

    /// Changes the facts of the previous sentence. If the current sentence, given by its tokens, takes the previous
    /// sentence back, its facts are removed after "no", and otherwise become less certain. If the current sentence says
    /// that these facts are no longer true (`no_longer_holds`), the facts end. Then the current sentence becomes the
    /// previous one.
    fn revise_previous_facts(&mut self, tokens: &[Token], no_longer_holds: bool) {
        let grammar = self.extractor.grammar();
        let is_retracted = retracts_previous(tokens);
        if is_retracted && tokens.first().is_some_and(|first| first.is("no")) {
            self.facts.truncate(self.previous_facts_start);
            // The statements of the reading model are dropped too.
            let retracted = |scope| DoubtfulPart { scope, verb: None, max_confidence: 0.0, cues: Vec::new() };
            self.doubtful_parts.extend(self.previous_sentence.map(retracted));
        }
        let previous_facts = &mut self.facts[self.previous_facts_start..];
        if is_retracted {
            let factor = grammar.confidence_factor(DoubtFactor::HEDGE);
            for fact in &mut *previous_facts {
                fact.confidence_factor = fact.confidence_factor.min(factor);
            }
        }
        if no_longer_holds {
            let can_end =
                |fact: &&mut RawFact| !fact.denied && !grammar.is_permanent(fact.pattern_target, &fact.relation);
            previous_facts.iter_mut().filter(can_end).for_each(|fact| fact.ended = true);
        }
        self.previous_facts_start = self.facts.len();
        self.previous_sentence =
            tokens.first().zip(tokens.last()).map(|(first, last)| Span { start: first.start, end: last.end });
    }

    /// Returns the context of a quotation. If the text names no hearers, all others who are present hear the words.
    fn quotation_context(
        &self,
        speaker: Option<EntityRef>,
        named_hearers: Vec<EntityRef>,
        is_speaker_unknown: bool,
    ) -> SpeechContext {
        let hearers = if named_hearers.is_empty() {
            let present = self.scene.present.iter().map(|entity| EntityRef::Known(*entity));
            present.filter(|entity| Some(*entity) != speaker).collect()
        } else {
            named_hearers.clone()
        };
        SpeechContext {
            speaker,
            hearers,
            named_hearers,
            is_speaker_unknown: is_speaker_unknown || speaker.is_none(),
            is_direct_speech: true,
            is_table_talk: true,
        }
    }
}

/// Returns the end of the words that only say which person without a name speaks: 13 for "The landlord: more wine!"
/// Returns 0 for a text without such words.
pub(super) fn unnamed_speaker_end(text: &str) -> usize {
    let Some(end) = text.find(':') else { return 0 };
    let mut words = text[..end].split_whitespace();
    let has_article = words.next().is_some_and(|word| lists().determiners.label_articles.contains(word));
    let is_plain = |word: &str| word.chars().all(|c| c.is_lowercase() || c == '-');
    let is_label = has_article && (1..=2).contains(&words.clone().count()) && words.all(is_plain);
    if is_label { end + 1 } else { 0 }
}

/// Returns whether a sentence is a question that hedges the next sentence, as in "My guess? Odo has it."
fn announces_guess(tokens: &[Token], cues: &[CueMatch]) -> bool {
    let hedges = |cue: &CueMatch| matches!(cue.cue_type, CueType::Hedge | CueType::Rumour);
    tokens.len() < 6 && tokens.last().is_some_and(|last| last.is("?")) && cues.iter().any(hedges)
}

/// Returns whether a sentence takes back the previous one, as in "No, sorry, not a potter".
fn retracts_previous(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let has_no = word(0) == "no";
    let at = if has_no && word(1) == "," { 2 } else { usize::from(has_no) };
    let has_apology = lists().speech.apologies.contains(word(at));
    let is_correction = has_no || lists().speech.after_apologies.contains(word(at + 1));
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

/// Returns whether a sentence consists of a quotation. Such a sentence is read again without the quotation marks.
fn is_quotation(tokens: &[Token]) -> bool {
    matches!(tokens, [token] if matches!(token.kind, TokenKind::Quote(_)))
}
