//! Statements: atomic sentences in which pronouns are resolved and entities are linked.
//!
//! [`Extractor::statements`] reads consecutive lines with the [reading model](crate::model). For each statement that
//! the model finds, it writes a sentence that can be understood alone, and computes the probability that the sentence
//! is right. The sentence becomes a fact about its subject. The patterns of the extractor then read the sentence and
//! find typed facts in it.

mod calibration;
mod sentence;
#[cfg(test)]
mod tests;
mod words;

use hearsay_embed::EmbedError;
use hearsay_model::{Confidence, Predicate, Span, attribute, text};

pub(crate) use calibration::Calibration;
pub use calibration::{FEATURES, Features};

use crate::{
    Extractor, ReadingModel,
    document::{DocumentLine, LineRole},
    facts::{ExtractedFact, Extraction, Form, Mention, Stated, Text},
    lexicon::{Gender, Lexicon},
    mentions::{Finder, NewNames, Scene, Who},
    model::{Found, LineReading, Referent, Status, window},
    token,
};
use sentence::Sentence;
use words::{Word, words};

/// Probability of each kind of talk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Talk {
    /// Probability that the line tells what happens or is true in the story.
    pub narration: f32,
    /// Probability that a character speaks.
    pub in_character: f32,
    /// Probability that the line is about rules, dice, jokes, the players' plans or the real world.
    pub out_of_character: f32,
}

/// A statement that the model found in a line.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The statement as a fact about its subject.
    pub fact: ExtractedFact,
    /// Features from which the confidence of the fact was computed.
    pub features: Features,
    /// Typed facts that the patterns find in the statement's sentence.
    pub typed: Vec<ExtractedFact>,
    /// Name that is added before the words of the text because they have no subject; `None` if they have one.
    pub lead: Option<String>,
    /// Pronouns and descriptions in the text, with the names that replace them.
    pub resolved: Vec<(Span, String)>,
    status: Status,
}

impl Statement {
    /// Returns the assertion status of the statement: `asserted`, `negated`, `planned`, `hedged` or `ended`.
    pub fn status(&self) -> &'static str {
        match self.status {
            Status::Asserted => "asserted",
            Status::Negated => "negated",
            Status::Planned => "planned",
            Status::Hedged => "hedged",
            Status::Ended => "ended",
        }
    }
}

/// Results of the reading model for one line of a document.
#[derive(Debug)]
pub struct LineStatements {
    /// Probability of each kind of talk.
    pub talk: Talk,
    /// Statements in the order of the text.
    pub statements: Vec<Statement>,
    /// New names in the line. [`Mention::New`] in the facts is an index into this list.
    pub entities: Vec<crate::NewEntity>,
}

impl Extraction {
    /// Adds the statements that the reading model found in a line to the facts that the patterns found in it. If the
    /// line is out of character, the facts of the patterns are removed first. A statement is not added if a fact
    /// already says almost the same.
    ///
    /// The patterns misread most sentences of real talk. In a transcript, a fact of the patterns is therefore kept only
    /// if it overlaps a statement, and its confidence is at most that of the statement.
    pub fn add_statements(&mut self, line: LineStatements, is_transcript: bool) {
        if line.talk.out_of_character > 0.5 {
            self.facts.clear();
        }
        if is_transcript {
            self.facts.retain_mut(|fact| {
                let around =
                    line.statements.iter().map(|statement| &statement.fact).find(|around| overlap(around, fact));
                fact.confidence = around.map_or(fact.confidence, |around| fact.confidence.min(around.confidence));
                around.is_some()
            });
        }
        let shift = self.entities.len();
        self.entities.extend(line.entities);
        let shifted = |mention: Mention| match mention {
            Mention::New(index) => Mention::New(index + shift),
            known => known,
        };
        for statement in line.statements {
            let Statement { mut fact, typed, .. } = statement;
            fact.subject = shifted(fact.subject);
            fact.stated_by = fact.stated_by.map(shifted);
            for mut typed in typed {
                typed.stated_by = typed.stated_by.map(shifted);
                let same = |other: &&mut ExtractedFact| {
                    (&other.subject, &other.predicate, &other.object)
                        == (&typed.subject, &typed.predicate, &typed.object)
                };
                match self.facts.iter_mut().find(same) {
                    Some(other) => other.confidence = other.confidence.max(typed.confidence),
                    None => self.facts.push(typed),
                }
            }
            if !self.facts.iter().any(|other| says_as_much(other, &fact)) {
                self.facts.push(fact);
            }
        }
    }
}

/// Returns whether two facts were found in overlapping words.
fn overlap(one: &ExtractedFact, other: &ExtractedFact) -> bool {
    one.span.start < other.span.end && other.span.start < one.span.end
}

/// Returns whether a typed fact says almost everything that an overlapping statement says.
fn says_as_much(typed: &ExtractedFact, statement: &ExtractedFact) -> bool {
    let said = text::words(&typed.statement);
    let left =
        text::words(&statement.statement).into_iter().filter(|word| word.len() > 3 && !said.contains(word)).count();
    overlap(typed, statement) && typed.predicate != statement.predicate && left < 2
}

/// Minimum confidence of a fact that the patterns find in the sentence of a statement.
const TYPED: f64 = 0.7;

impl Extractor {
    /// Finds the statements in the lines of a document from line `first` on. The earlier lines are only context.
    ///
    /// # Errors
    /// Returns an error if the model's files are inconsistent in a way that loading did not detect.
    pub fn statements(
        &self,
        lexicon: &Lexicon,
        model: &ReadingModel,
        lines: &[DocumentLine<'_>],
        first: usize,
    ) -> Result<Vec<LineStatements>, EmbedError> {
        let document = Document::of(self, lexicon, model, lines);
        let readings = model.read(&window::windows(&document.lines, first, &|who| document.gender(who)))?;
        Ok(readings.iter().map(|reading| document.line(model, reading)).collect())
    }
}

/// A document with its words and names.
struct Document<'a> {
    extractor: &'a Extractor,
    lexicon: &'a Lexicon,
    source: &'a [DocumentLine<'a>],
    words: Vec<Vec<Word<'a>>>,
    lines: Vec<window::ModelLine>,
    new: NewNames,
}

impl<'a> Document<'a> {
    fn of(
        extractor: &'a Extractor,
        lexicon: &'a Lexicon,
        model: &ReadingModel,
        source: &'a [DocumentLine<'a>],
    ) -> Self {
        let mut new = NewNames::default();
        let scene = Scene::default();
        let grammar = extractor.grammar();
        let mut pieces = rustc_hash::FxHashMap::default();
        let (mut all_words, mut lines) = (Vec::new(), Vec::new());
        for line in source {
            let words = words(line.text);
            let finder = Finder { lexicon, grammar, scene: &scene, text: line.text };
            let tokens = token::tokens(line.text, 0);
            let mut names = Vec::new();
            let found = finder.names(&tokens, &mut new);
            for name in found {
                let (start, end) = (tokens[name.start].start, tokens[name.end - 1].end);
                let at = words.partition_point(|word| word.end <= start);
                let behind = words.partition_point(|word| word.start < end);
                // A capital letter at the beginning of a sentence is not enough to make a word a name.
                let is_doubtful = |index: usize| !new.sure.get(index).copied().unwrap_or(false);
                let is_guess = matches!(name.who, Who::New(index) if is_doubtful(index));
                if at < behind && !is_guess {
                    names.push((at..behind, name.who));
                }
            }
            let ids = |word: &Word<'_>| -> Vec<u32> {
                pieces.entry(word.text.to_owned()).or_insert_with(|| model.pieces(word.text)).clone()
            };
            lines.push(window::ModelLine {
                role: line.role,
                speaker: line.speaker.and_then(|id| lexicon.index(id)).map(Who::Known),
                words: words.iter().map(ids).collect(),
                pronouns: pronouns(&words),
                own: places(&words, &["i", "me", "my", "mine", "myself"]),
                joining: places(&words, &[",", ";", ":", "-", "\u{2014}", "and", "or", "but", "that", "then", "so"]),
                names,
            });
            all_words.push(words);
        }
        Self { extractor, lexicon, source, words: all_words, lines, new }
    }

    fn line(&self, model: &ReadingModel, reading: &LineReading) -> LineStatements {
        let [narration, in_character, out_of_character] = reading.talk;
        let mut entities = Entities { document: self, entities: Vec::new(), of: Vec::new() };
        let statements = reading.statements.iter().filter_map(|found| {
            let sentence = Sentence::of(self, reading.line, found)?;
            self.statement(model, reading, found, &sentence, &mut entities)
        });
        let statements = statements.collect();
        let talk = Talk { narration, in_character, out_of_character };
        LineStatements { talk, statements, entities: entities.entities }
    }

    fn statement(
        &self,
        model: &ReadingModel,
        reading: &LineReading,
        found: &Found,
        sentence: &Sentence,
        entities: &mut Entities<'_, 'a>,
    ) -> Option<Statement> {
        let (line, words) = (&self.source[reading.line], &self.words[reading.line]);
        let span = Span { start: words[found.words.start].start, end: words[found.words.end - 1].end };
        let features = Features::of(reading, found, sentence);
        let confidence = model.calibration.probability(line.role == LineRole::Written, &features);
        let subject = entities.mention(sentence.subject, span);
        let by = match found.by.referent {
            Referent::Named(who) if found.by.probability > 0.5 => Some(entities.mention(who, span)),
            _ => None,
        };
        let fact = ExtractedFact {
            subject,
            predicate: Predicate::new(attribute::LORE).ok()?,
            object: Stated::Value(sentence.text.clone()),
            relation: None,
            statement: sentence.text.clone(),
            span,
            quote: line.text[span.start..span.end].to_owned(),
            confidence: Confidence::new(confidence).ok()?,
            stated_by: by,
            told_to: Vec::new(),
            denied: false,
            over: false,
            cues: Vec::new(),
        };
        let typed = if sentence.status == Status::Asserted { self.typed(&fact, sentence) } else { Vec::new() };
        let resolved = sentence
            .resolved
            .iter()
            .map(|(at, name)| (Span { start: words[at.start].start, end: words[at.end - 1].end }, name.clone()));
        Some(Statement {
            resolved: resolved.collect(),
            lead: sentence.lead.clone(),
            status: sentence.status,
            fact,
            features,
            typed,
        })
    }

    /// Returns the typed facts that the patterns find in the sentence of a statement.
    fn typed(&self, statement: &ExtractedFact, sentence: &Sentence) -> Vec<ExtractedFact> {
        let read = self.extractor.extract(self.lexicon, &Text::new(&sentence.text, Form::Lore));
        let known = |fact: &ExtractedFact| {
            let is_known = |mention: &Mention| matches!(mention, Mention::Known(_));
            is_known(&fact.subject) && !matches!(&fact.object, Stated::Entity(mention) if !is_known(mention))
        };
        let facts = read.facts.into_iter().filter(|fact| known(fact) && fact.confidence.get() >= TYPED);
        let facts = facts.filter_map(|fact| {
            let confidence = Confidence::new(fact.confidence.get() * statement.confidence.get()).ok()?;
            Some(ExtractedFact {
                span: statement.span,
                quote: statement.quote.clone(),
                stated_by: fact
                    .stated_by
                    .clone()
                    .filter(|by| matches!(by, Mention::Known(_)))
                    .or(statement.stated_by.clone()),
                confidence,
                ..fact
            })
        });
        facts.collect()
    }

    fn gender(&self, who: Who) -> Gender {
        match who {
            Who::Known(entity) => self.lexicon.entities[entity as usize].gender,
            Who::New(_) => Gender::Unknown,
        }
    }

    fn name(&self, who: Who) -> &str {
        match who {
            Who::Known(entity) => &self.lexicon.entities[entity as usize].name,
            Who::New(index) => self.new.found.get(index).map_or("", |entity| &entity.name),
        }
    }
}

/// Returns the singular pronouns for persons among `words`, each with its index and gender.
fn pronouns(words: &[Word<'_>]) -> Vec<(usize, Gender)> {
    let gender = |word: &Word<'_>| match word.text.to_lowercase().as_str() {
        "he" | "him" | "his" | "himself" => Some(Gender::He),
        "she" | "her" | "hers" | "herself" => Some(Gender::She),
        _ => None,
    };
    words.iter().enumerate().filter_map(|(at, word)| Some((at, gender(word)?))).collect()
}

/// Returns the indices of the words that are in `wanted`, ignoring case.
fn places(words: &[Word<'_>], wanted: &[&str]) -> Vec<usize> {
    let is_wanted = |word: &Word<'_>| wanted.contains(&word.text.to_lowercase().as_str());
    (0..words.len()).filter(|at| is_wanted(&words[*at])).collect()
}

/// New names in the facts of a line. `of` contains the index of each name in the document.
struct Entities<'d, 'a> {
    document: &'d Document<'a>,
    entities: Vec<crate::NewEntity>,
    of: Vec<usize>,
}

impl Entities<'_, '_> {
    /// Returns the mention of an entity. A new name gets `span`, the byte range of the statement, as its evidence.
    fn mention(&mut self, who: Who, span: Span) -> Mention {
        let index = match who {
            Who::Known(entity) => return Mention::Known(self.document.lexicon.entities[entity as usize].id.clone()),
            Who::New(index) => index,
        };
        let at = self.of.iter().position(|known| *known == index).unwrap_or_else(|| {
            let mut entity = self.document.new.found[index].clone();
            entity.span = span;
            self.entities.push(entity);
            self.of.push(index);
            self.of.len() - 1
        });
        Mention::New(at)
    }
}
