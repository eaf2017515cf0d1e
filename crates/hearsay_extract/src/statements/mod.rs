//! Statements: sentences that state a single fact, in which names replace the pronouns and are linked to entities.
//!
//! [`Extractor::extract_statements`] reads consecutive lines with the [reading model](crate::model). For each statement
//! that the model finds, the function writes a sentence that can be understood alone, and computes the probability that
//! the sentence is right. The sentence becomes a fact about its subject. The patterns of the extractor then read the
//! sentence, and find facts with predicates of the vocabulary in it. These facts are called typed facts.

mod agreement;
mod empty_words;
mod features;
mod merge;
mod pronoun_scopes;
mod references;
mod sentence;
#[cfg(test)]
mod tests;
mod word_splitter;

use std::ops::Range;

use hearsay_embed::EmbedError;
use hearsay_model::{Confidence, EntityId, ExtractionStage, Factuality, Predicate, Span, TalkKind, attribute};

pub use features::StatementFeatures;

use crate::{
    Extractor, ReadingModel,
    entities::{
        lexicon::{Gender, Lexicon, LexiconEntity},
        mentions::{EntityRef, MentionFinder, NewNames, Scene},
        nicknames::{PlainText, link_nicknames},
    },
    facts::{
        Cue, CueKind, ExtractedFact, FactObject, Mention, Text, TextType,
        doubt::{DoubtfulPart, MAX_DOUBTFUL_CONFIDENCE},
    },
    language::{
        function_words::{first_person, is_group_pronoun, is_second_person},
        grammar::{Grammar, WordClass},
        word_lists::lists,
    },
    model::{DecodedStatement, LikelyReferent, LineReading, Referent, window},
    text::{
        document::{DocumentLine, LineRole},
        tokenizer,
    },
};
use pronoun_scopes::LineWords;
use sentence::StatementText;
use word_splitter::{Word, split_words};

/// Probability of each kind of talk, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TalkProbabilities {
    /// Probability that the line is narration. Narration tells the events of the story or describes its world.
    pub narration: f32,
    /// Probability that a character speaks.
    pub in_character: f32,
    /// Probability that the line is about rules, dice, jokes, the players' plans or the real world.
    pub out_of_character: f32,
}

impl TalkProbabilities {
    /// Returns the kind of talk. A line is out of character only if the probability of this kind is greater than 0.5,
    /// because the facts of such a line are dropped.
    pub fn kind(&self) -> TalkKind {
        if self.out_of_character > 0.5 {
            TalkKind::OutOfCharacter
        } else if self.in_character > self.narration {
            TalkKind::InCharacter
        } else {
            TalkKind::Narration
        }
    }
}

/// A statement that the model found in a line.
#[derive(Debug, Clone)]
pub struct ModelStatement {
    /// The sentence of the statement, as a fact about its subject.
    pub fact: ExtractedFact,
    /// Features from which the confidence of the fact was computed. If the text does not state the statement as
    /// certain, the confidence is also limited, so that the statement waits for review.
    pub features: StatementFeatures,
    /// Facts with predicates of the vocabulary that the patterns find in the statement's sentence.
    pub typed_facts: Vec<ExtractedFact>,
    /// Name that is added before the words of the text because these words have no subject; `None` if they have a
    /// subject.
    pub added_subject: Option<String>,
    /// Pronouns and descriptions in the text, with the names that replace them.
    pub resolved_references: Vec<(Span, String)>,
    /// Assertion status that the model found. The assertion status in `fact` can differ, because cues of doubt in the
    /// line can change it.
    pub factuality: Factuality,
}

/// Results of the reading model for one line of a document.
#[derive(Debug)]
pub struct LineStatements {
    /// Probability of each kind of talk, from 0 to 1.
    pub talk: TalkProbabilities,
    /// Statements in the order of the text.
    pub statements: Vec<ModelStatement>,
    /// New names in the line. [`Mention::New`] in the facts is an index into this list.
    pub entities: Vec<crate::NewEntity>,
}

/// Factor for the confidence of a statement in the note of an entity. The model was trained on summaries and transcripts
/// of sessions. In the notes of two real campaigns, 0.76 of the statements with a confidence of at least 0.8 (0.87 on
/// average) were right. The guide's chapter on benchmarks describes the measurement.
const NOTE_FACTOR: f64 = 0.87;

/// Factor for the confidence of a plan, or of a statement that gives a pronoun the meaning "the party", in the note of an
/// entity. In the notes of two real campaigns, 0.25 of these statements were right, because such notes address the
/// reader and describe possible events.
const NOTE_PLAN_FACTOR: f64 = 0.29;

/// Minimum confidence of a fact that the patterns find in the sentence of a statement.
const MIN_TYPED_CONFIDENCE: f64 = 0.7;

impl Extractor {
    /// Finds the statements in the lines of a document from line `first` on. The earlier lines are only context. If the
    /// stage [`ExtractionStage::Statements`] is switched off, finds only the kind of talk of each line.
    ///
    /// # Errors
    /// Returns an error if the model's files are inconsistent in a way that loading did not detect.
    pub fn extract_statements(
        &self,
        lexicon: &Lexicon,
        model: &ReadingModel,
        lines: &[DocumentLine<'_>],
        first: usize,
    ) -> Result<Vec<LineStatements>, EmbedError> {
        let texts: Vec<PlainText<'_>> = lines.iter().map(|line| PlainText::new(line.text, lexicon)).collect();
        let plain_lines: Vec<DocumentLine<'_>> =
            lines.iter().zip(&texts).map(|(line, text)| DocumentLine { text: &text.text, ..*line }).collect();
        let document = PreparedDocument::new(self, lexicon, model, &plain_lines, &texts);
        let gender = |entity| document.entity_gender(entity);
        let readings =
            model.read_windows(&window::build_windows(&document.lines, first, model.window_size, &gender))?;
        // The quotations contain the nicknames.
        let read_line = |reading: &LineReading| {
            let (mut found, text) = (document.line_statements(model, reading), lines[reading.line].text);
            for statement in &mut found.statements {
                for fact in std::iter::once(&mut statement.fact).chain(&mut statement.typed_facts) {
                    text[fact.span.start..fact.span.end].clone_into(&mut fact.quote);
                }
            }
            found
        };
        Ok(readings.iter().map(read_line).collect())
    }
}

/// A document with its words and names.
struct PreparedDocument<'a> {
    extractor: &'a Extractor,
    lexicon: &'a Lexicon,
    source: &'a [DocumentLine<'a>],
    words: Vec<Vec<Word<'a>>>,
    lines: Vec<window::ModelLine>,
    /// For each line, the words at the beginnings of sentences that may be new names. A capital letter there is not enough
    /// to make a word a name.
    doubtful_names: Vec<Vec<Range<usize>>>,
    new_names: NewNames,
}

impl<'a> PreparedDocument<'a> {
    /// Prepares lines without their nicknames. `texts` contains the nicknames of each line.
    fn new(
        extractor: &'a Extractor,
        lexicon: &'a Lexicon,
        model: &ReadingModel,
        source: &'a [DocumentLine<'a>],
        texts: &[PlainText<'_>],
    ) -> Self {
        let (mut new_names, mut nickname_owners) = (NewNames::default(), rustc_hash::FxHashMap::default());
        let scene = Scene::default();
        let grammar = extractor.grammar();
        let mut token_ids = rustc_hash::FxHashMap::default();
        let (mut all_words, mut lines, mut doubtful_names) = (Vec::new(), Vec::new(), Vec::new());
        for (at, line) in source.iter().enumerate() {
            let words = split_words(line.text);
            let is_speech = line.speaker.is_some();
            let finder = MentionFinder { lexicon, grammar, scene: &scene, text: line.text, is_speech };
            let tokens = tokenizer::tokenize(line.text, 0);
            let (mut names, mut line_doubtful_names) = (Vec::new(), Vec::new());
            let mut mentions = finder.find_names(&tokens, &mut new_names);
            let nicknames = texts.get(at).map_or(&[][..], |text| text.nicknames.as_slice());
            link_nicknames(nicknames, line.text, &tokens, &mut mentions, &new_names, &mut nickname_owners);
            for name in mentions {
                let (start, end) = (tokens[name.start].start, tokens[name.end - 1].end);
                let at = words.partition_point(|word| word.end <= start);
                let end_word = words.partition_point(|word| word.start < end);
                let is_doubtful = |index: usize| !new_names.is_confirmed.get(index).copied().unwrap_or(false);
                let is_guess = matches!(name.entity, EntityRef::New(index) if is_doubtful(index));
                match at < end_word {
                    true if is_guess => line_doubtful_names.push(at..end_word),
                    true => names.push((at..end_word, name.entity)),
                    false => (),
                }
            }
            let addressed =
                if line.speaker.is_some() { addressed_entities(&words, &names, grammar) } else { Vec::new() };
            let mut non_final_words = word_positions(&words, |word| lists().statements.not_last.contains(word));
            // In "I will pay, Odo", the name belongs to no statement.
            let is_addressed = |(_, entity): &&(Range<usize>, EntityRef)| addressed.contains(entity);
            non_final_words.extend(names.iter().filter(is_addressed).flat_map(|(range, _)| range.clone()));
            let dislocated = names.iter().filter(|(range, _)| is_dislocated(&words, range));
            non_final_words.extend(dislocated.flat_map(|(range, _)| range.clone()));
            let pronouns = gendered_pronouns(&words);
            let line_words = LineWords { words: &words, names: &names, grammar };
            let (pronoun_scopes, described_persons) =
                (line_words.pronoun_scopes(&pronouns), line_words.described_persons());
            let opening_subjects = line_words.opening_subjects();
            let previous_speaker = at.checked_sub(1).and_then(|previous| source[previous].speaker);
            let opening_referent = previous_speaker
                .and_then(|speaker| lexicon.index(speaker))
                .filter(|speaker| {
                    line.role == LineRole::Dm && begins_with_npc(&lexicon.entities[*speaker as usize], &words, grammar)
                })
                .map(EntityRef::Known);
            let cached_token_ids = |word: &Word<'_>| -> Vec<u32> {
                token_ids.entry(word.text.to_owned()).or_insert_with(|| model.token_ids(word.text)).clone()
            };
            lines.push(window::ModelLine {
                role: line.role,
                speaker: line.speaker.and_then(|id| lexicon.index(id)).map(EntityRef::Known),
                words: words.iter().map(cached_token_ids).collect(),
                pronouns,
                self_references: word_positions(&words, |word| first_person(word).is_some()),
                hearer_references: word_positions(&words, is_second_person),
                group_references: word_positions(&words, is_group_pronoun),
                addressed,
                non_final_words,
                pronoun_scopes,
                described_persons,
                opening_subjects,
                opening_referent,
                names,
            });
            all_words.push(words);
            doubtful_names.push(line_doubtful_names);
        }
        Self { extractor, lexicon, source, words: all_words, lines, doubtful_names, new_names }
    }

    fn line_statements(&self, model: &ReadingModel, reading: &LineReading) -> LineStatements {
        let [narration, in_character, out_of_character] = reading.talk_probabilities;
        let mut entities = LineEntities { document: self, entities: Vec::new(), document_indices: Vec::new() };
        let doubtful_parts = self.doubtful_parts(reading);
        let is_enabled = self.extractor.runs(ExtractionStage::Statements);
        let statements = reading.statements.iter().filter(|_| is_enabled).filter_map(|decoded| {
            let decoded = self.without_receiver(reading.line, decoded);
            let sentence = StatementText::write(self, reading.line, &decoded)?;
            self.build_statement(model, reading, &decoded, &sentence, &doubtful_parts, &mut entities)
        });
        let statements = statements.collect();
        let talk = TalkProbabilities { narration, in_character, out_of_character };
        LineStatements { talk, statements, entities: entities.entities }
    }

    /// Returns a statement without a name before its subject, which belongs to the clause before it: "I will come" for the
    /// words "Odo I will come" of "I promise Odo I will come".
    fn without_receiver(&self, line: usize, decoded: &DecodedStatement) -> DecodedStatement {
        let (mut decoded, words) = (decoded.clone(), &self.words[line]);
        let is_subject = |word: usize| lists().statements.subjects.contains(&words[word].text.to_lowercase());
        let mut names = self.lines[line].names.iter().map(|(range, _)| range);
        let receiver = names.find(|range| range.start == decoded.words.start && range.end + 1 < decoded.words.end);
        if let Some(receiver) = receiver.filter(|range| is_subject(range.end)) {
            decoded.words.start = receiver.end;
            decoded.subject.referent = Referent::Explicit;
            decoded.references.retain(|reference| reference.words.start >= receiver.end);
        }
        decoded
    }

    /// Returns whether a statement consists of its subject and one other word: "Odo weeps".
    fn say_one_word(&self, line: usize, decoded: &DecodedStatement) -> bool {
        let names = self.lines[line].names.iter().map(|(range, _)| range);
        let mut referring = names.chain(decoded.references.iter().map(|reference| &reference.words));
        let subject = referring.find(|range| range.start == decoded.words.start);
        let rest = subject.map_or(decoded.words.start, |range| range.end)..decoded.words.end;
        let is_word = |word: &usize| self.words[line][*word].text.starts_with(char::is_alphanumeric);
        rest.filter(is_word).count() < 2
    }

    /// Returns the parts of a line that the line does not state as certain. Only a line with statements is searched.
    fn doubtful_parts(&self, reading: &LineReading) -> Vec<DoubtfulPart> {
        if reading.statements.is_empty() {
            return Vec::new();
        }
        let line = &self.source[reading.line];
        let form = match line.role {
            LineRole::Written => TextType::Lore,
            LineRole::Dm => TextType::Narration,
            LineRole::Player => TextType::Talk,
        };
        let text = Text { speaker: line.speaker, ..Text::new(line.text, form) };
        self.extractor.doubtful_parts(self.lexicon, &text)
    }

    fn build_statement(
        &self,
        model: &ReadingModel,
        reading: &LineReading,
        decoded: &DecodedStatement,
        sentence: &StatementText,
        doubtful_parts: &[DoubtfulPart],
        entities: &mut LineEntities<'_, 'a>,
    ) -> Option<ModelStatement> {
        let (line, words) = (&self.source[reading.line], &self.words[reading.line]);
        let span = Span { start: words[decoded.words.start].start, end: words[decoded.words.end - 1].end };
        let features = StatementFeatures::from_statement(reading, decoded, sentence);
        let note_factor = match line.topic {
            None => 1.0,
            Some(_) if sentence.names_party || sentence.factuality == Factuality::Planned => NOTE_PLAN_FACTOR,
            Some(_) => NOTE_FACTOR,
        };
        let confidence = model.calibration.probability(line.role == LineRole::Written, &features.0) * note_factor;
        let subject = entities.mention(sentence.subject, span);
        let stated_by = match decoded.stated_by.referent {
            Referent::Named(entity)
                if decoded.stated_by.probability > 0.5 && self.may_be_source(reading.line, &decoded.words, entity) =>
            {
                Some(entities.mention(entity, span))
            }
            _ => None,
        };
        let mut fact = ExtractedFact {
            subject,
            predicate: Predicate::new(attribute::LORE).ok()?,
            object: FactObject::Value(sentence.text.clone()),
            relation: None,
            statement: sentence.text.clone(),
            span,
            quote: line.text[span.start..span.end].to_owned(),
            confidence: Confidence::new(confidence).ok()?,
            stated_by,
            told_to: Vec::new(),
            denied: false,
            ended: false,
            factuality: sentence.factuality,
            participants: self.participants(sentence),
            cues: Vec::new(),
            stage: ExtractionStage::Statements,
        };
        doubtful_parts.iter().for_each(|part| part.limit(&mut fact));
        if sentence.factuality == Factuality::Hedged && !fact.is_doubtful() {
            let cue = Cue { kind: CueKind::Wording, words: String::new() };
            fact.limit_confidence(MAX_DOUBTFUL_CONFIDENCE, [&cue]);
        }
        let has_typed_facts =
            sentence.factuality == Factuality::Asserted && self.extractor.runs(ExtractionStage::StatementPatterns);
        let typed_facts = if has_typed_facts { self.typed_facts(&fact, sentence) } else { Vec::new() };
        if typed_facts.is_empty() && self.say_one_word(reading.line, decoded) {
            return None;
        }
        let resolved = sentence
            .resolved
            .iter()
            .map(|(at, name)| (Span { start: words[at.start].start, end: words[at.end - 1].end }, name.clone()));
        Some(ModelStatement {
            resolved_references: resolved.collect(),
            added_subject: sentence.added_subject.clone(),
            factuality: sentence.factuality,
            fact,
            features,
            typed_facts,
        })
    }

    /// Returns whether an entity can be the source of a statement. The speaker of a line can have a statement from another
    /// entity only if the line refers to that entity outside the words of the statement. The speaker does not have it
    /// from an entity whom the speaker addresses.
    fn may_be_source(&self, line: usize, statement: &Range<usize>, entity: EntityRef) -> bool {
        let line = &self.lines[line];
        let is_outside = |word: usize| !statement.contains(&word);
        let is_named = || line.names.iter().any(|(words, named)| *named == entity && is_outside(words.start));
        let is_referred_to = || line.pronouns.iter().any(|(word, _)| is_outside(*word)) || is_named();
        let has_speaker = line.speaker.is_some_and(|speaker| speaker != entity);
        !line.addressed.contains(&entity) && (!has_speaker || is_referred_to())
    }

    /// Returns whether a statement takes the people of an NPC for the party. An NPC who says "we" and "us" means its own
    /// people, who have no name.
    fn takes_people_for_party(&self, line: usize, decoded: &DecodedStatement) -> bool {
        let speaker = self.source[line].speaker.and_then(|id| self.lexicon.index(id));
        let is_npc = speaker.is_some_and(|speaker| self.lexicon.entities[speaker as usize].is_npc);
        let line = &self.lines[line];
        let is_party = |likely: &LikelyReferent| likely.referent == Referent::Party;
        // In "We hide the brandy and sell it", the subject of "sell it" is the last "we" or "you".
        let last = |words: &[usize]| words.iter().copied().filter(|word| *word < decoded.words.start).max();
        let omits_group = last(&line.group_references) > last(&line.hearer_references);
        let replaces_group = decoded.references.iter().any(|reference| {
            is_party(&reference.likely_referent) && line.group_references.contains(&reference.words.start)
        });
        is_npc && (is_party(&decoded.subject) && omits_group || replaces_group)
    }

    /// Returns the typed facts that the patterns find in the sentence of a statement. The typed facts are as doubtful
    /// as the statement.
    fn typed_facts(&self, statement: &ExtractedFact, sentence: &StatementText) -> Vec<ExtractedFact> {
        let extraction = self.extractor.extract(self.lexicon, &Text::new(&sentence.text, TextType::Lore));
        // The index of a new name refers to the names of the sentence, not to those of the line.
        let is_known = |mention: &Mention| matches!(mention, Mention::Known(_));
        let is_known_fact = |fact: &ExtractedFact| {
            is_known(&fact.subject) && !matches!(&fact.object, FactObject::Entity(mention) if !is_known(mention))
        };
        let facts = extraction
            .facts
            .into_iter()
            .filter(|fact| is_known_fact(fact) && fact.confidence.get() >= MIN_TYPED_CONFIDENCE);
        let facts = facts.filter_map(|mut fact| {
            fact.confidence = Confidence::new(fact.confidence.get() * statement.confidence.get()).ok()?;
            (fact.span, fact.quote) = (statement.span, statement.quote.clone());
            fact.stated_by = fact.stated_by.filter(is_known).or_else(|| statement.stated_by.clone());
            fact.told_to.retain(is_known);
            fact.stage = ExtractionStage::StatementPatterns;
            fact.inherit_doubt(statement);
            Some(fact)
        });
        facts.collect()
    }

    /// Returns the known entities that a sentence names besides its subject. Sorted and unique.
    fn participants(&self, sentence: &StatementText) -> Vec<EntityId> {
        let known = sentence.participants.iter().filter_map(|entity| match entity {
            EntityRef::Known(entity) => Some(self.lexicon.entities[*entity as usize].id.clone()),
            EntityRef::New(_) => None,
        });
        let mut participants: Vec<EntityId> = known.collect();
        participants.sort();
        participants.dedup();
        participants
    }

    fn entity_gender(&self, entity: EntityRef) -> Gender {
        match entity {
            EntityRef::Known(entity) => self.lexicon.entities[entity as usize].gender(self.extractor.grammar()),
            EntityRef::New(index) => self.new_names.genders.get(index).copied().unwrap_or_default(),
        }
    }

    fn entity_name(&self, entity: EntityRef) -> &str {
        match entity {
            EntityRef::Known(entity) => &self.lexicon.entities[entity as usize].name,
            EntityRef::New(index) => self.new_names.entities.get(index).map_or("", |entity| &entity.name),
        }
    }
}

/// Returns the entities that a spoken line names only to address them, as in "I promise you, Odo, I will pay." The
/// speaker does not call such a person "he" or "she", and such a person is not the source of the speaker's statements.
fn addressed_entities(words: &[Word<'_>], names: &[(Range<usize>, EntityRef)], grammar: &Grammar) -> Vec<EntityRef> {
    let has_class = |word: &Word<'_>, class| grammar.word_class(&word.text.to_lowercase()).has(class);
    let is_mark =
        |word: &Word<'_>| !word.text.contains(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}'));
    let ends_sentence = |word: &Word<'_>| matches!(word.text, "." | "!" | "?");
    let is_address = |range: &Range<usize>| {
        let title_count =
            words[..range.start].iter().rev().take_while(|word| has_class(word, WordClass::TITLE)).count();
        let (previous, next) = (words[..range.start - title_count].last(), words.get(range.end));
        let is_first = previous.is_none_or(ends_sentence);
        // "Odo, Pell, and Ann …" and "Odo, the miller, …" address nobody.
        let follows_name = |class| words.get(range.end + 1).is_some_and(|word| has_class(word, class));
        let continues = next.is_some_and(|next| next.text == ",")
            && (names.iter().any(|(other, _)| other.start == range.end + 1)
                || follows_name(WordClass::CONJUNCTION)
                || is_first && follows_name(WordClass::DETERMINER.or(WordClass::RELATIVE)));
        // "Odo." answers a question.
        let is_answer = is_first && next.is_none_or(|next| next.text == ".");
        previous.is_none_or(is_mark) && next.is_none_or(is_mark) && !continues && !is_answer
    };
    let is_only_addressed =
        |entity: &EntityRef| names.iter().filter(|(_, named)| named == entity).all(|(range, _)| is_address(range));
    let mut addressed: Vec<EntityRef> = names.iter().map(|(_, entity)| *entity).filter(is_only_addressed).collect();
    addressed.sort_unstable();
    addressed.dedup();
    addressed
}

/// Returns the singular pronouns for persons among `words`, each with its index and gender.
fn gendered_pronouns(words: &[Word<'_>]) -> Vec<(usize, Gender)> {
    let gender = |word: &Word<'_>| match word.text.to_lowercase().as_str() {
        word if lists().pronouns.male.contains(word) => Some(Gender::He),
        word if lists().pronouns.female.contains(word) => Some(Gender::She),
        _ => None,
    };
    words.iter().enumerate().filter_map(|(at, word)| Some((at, gender(word)?))).collect()
}

/// Returns whether the pronoun that begins a line, "he" or "she", fits an NPC.
fn begins_with_npc(entity: &LexiconEntity, words: &[Word<'_>], grammar: &Grammar) -> bool {
    let gender = match words.first().map(|word| word.text.to_lowercase()).as_deref() {
        Some("he") => Gender::He,
        Some("she") => Gender::She,
        _ => return false,
    };
    entity.is_npc && entity.gender(grammar) == gender
}

/// Returns whether a name only repeats the subject after its sentence: the second name in "Odo took it, that Odo."
fn is_dislocated(words: &[Word<'_>], name: &Range<usize>) -> bool {
    let is_after = |marks: &[&str], at: Option<usize>| {
        at.and_then(|at| words.get(at)).is_some_and(|word| marks.contains(&word.text.to_lowercase().as_str()))
    };
    let is_final = words.get(name.end).is_none_or(|next| matches!(next.text, "." | "!" | "?"));
    is_after(&["that"], name.start.checked_sub(1)) && is_after(&[","], name.start.checked_sub(2)) && is_final
}

/// Returns the indices of the words for which `is_target` returns `true`. It receives the words in lowercase.
fn word_positions(words: &[Word<'_>], is_target: impl Fn(&str) -> bool) -> Vec<usize> {
    (0..words.len()).filter(|at| is_target(&words[*at].text.to_lowercase())).collect()
}

/// New names in the facts of a line. `document_indices` contains the index of each name in the document.
struct LineEntities<'d, 'a> {
    document: &'d PreparedDocument<'a>,
    entities: Vec<crate::NewEntity>,
    document_indices: Vec<usize>,
}

impl LineEntities<'_, '_> {
    /// Returns the mention of an entity. A new name gets `span`, the byte range of the statement, as its evidence.
    fn mention(&mut self, entity: EntityRef, span: Span) -> Mention {
        let index = match entity {
            EntityRef::Known(entity) => {
                return Mention::Known(self.document.lexicon.entities[entity as usize].id.clone());
            }
            EntityRef::New(index) => index,
        };
        let at = self.document_indices.iter().position(|known| *known == index).unwrap_or_else(|| {
            let mut entity = self.document.new_names.entities[index].clone();
            entity.span = span;
            self.entities.push(entity);
            self.document_indices.push(index);
            self.document_indices.len() - 1
        });
        Mention::New(at)
    }
}
