//! Fact matching: recognition of recorded facts in the words of a character, and of secrets in narration.
//!
//! If a character says the line, only facts that this character knows can match. In narration, only secrets can match.

mod agreement;
mod score;

use std::collections::BTreeSet;

use hearsay_belief::Known;
use hearsay_extract::{ExtractedFact, FactObject, Mention, SpokenSentence, Text, TextType};
use hearsay_model::{
    Author, Credence, EntityId, Evidence, Fact, FactId, GameTime, Knower, Object, Passage, PassageId, State, Validity,
};
use hearsay_query::{
    dates::parse_date,
    duplicates::{Claim, is_equivalent},
    facts::is_secret,
    ids::require_entities,
    views::{CachedView, ViewCache},
};
use hearsay_recall::{Index, LinkedEntity, Query, Ranking, Weights};
use serde::Serialize;

use crate::{
    CommandError,
    policy::Policy,
    reading::{Draft, ReadingTools},
};
use agreement::{Agreement, EntityAgreement};
use score::MatchScore;

/// Maximum number of facts that are compared with one sentence.
const MAX_CANDIDATES: usize = 12;

/// Maximum number of sentences of a line that are compared with facts. Further sentences are not compared.
const MAX_SENTENCES: usize = 8;

/// A line that a character says, or a line of narration.
#[derive(Debug, Clone, PartialEq)]
pub struct SpokenLine {
    /// Character that says the line; `None` for narration.
    pub speaker: Option<EntityId>,
    /// Words of the line.
    pub text: String,
    /// Whether the speaker lies. The words of a liar match only facts that the liar does not believe at all. Without this
    /// mark, the line can also match such facts: see [`FactMatch::lie`].
    pub lie: bool,
    /// Date of the line on the campaign's calendar. The line can match only facts that the speaker knows at this date.
    /// If `None`, the line can match all facts that the speaker has learned so far.
    pub time: Option<String>,
    /// The recorded line with these words; `None` if the line is not recorded yet. Facts that the extraction found in the
    /// recorded line alone do not match.
    pub recorded: Option<PassageId>,
}

/// A recorded fact that a sentence of a line certainly or possibly states.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FactMatch {
    /// Id of the fact.
    pub fact: FactId,
    /// Handle (short name) of the fact; `None` if it has no handle.
    pub handle: Option<String>,
    /// Sentence that states the fact.
    pub statement: String,
    /// Similarity between the sentence and the fact in meaning and words, 0.0–1.0.
    pub score: f32,
    /// Whether the speaker does not believe the fact at all, so that the line tells the fact as a lie.
    pub lie: bool,
}

impl FactMatch {
    /// Returns the shortest reference to the fact: its handle, or the start of its id.
    pub fn reference(&self) -> String {
        self.handle.clone().unwrap_or_else(|| self.fact.short())
    }
}

/// The recorded facts that a line certainly or possibly states. Each fact is listed once.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct FactMatches {
    /// Facts that the line states.
    pub states: Vec<FactMatch>,
    /// Facts that the line possibly states. The DM decides whether the line states these facts.
    pub may_state: Vec<FactMatch>,
}

impl FactMatches {
    /// Treats all facts as facts that the line only possibly states.
    pub fn doubt_all(&mut self) {
        self.may_state.splice(0..0, self.states.drain(..));
    }
}

/// A sentence of a line, with its vector.
#[derive(Debug, Clone)]
pub struct LineSentence {
    sentence: SpokenSentence,
    /// Vector of the sentence; `None` if there is no sentence encoder.
    vector: Option<Vec<f32>>,
    /// For narration: the facts that the extraction finds in the sentence.
    extracted: Vec<ExtractedFact>,
}

/// A fact that is compared with a sentence.
#[derive(Debug, Clone)]
struct Candidate {
    fact: FactMatch,
    score: MatchScore,
    agreement: Agreement,
    is_doubtful: bool,
    /// Whether the sentence contains a pronoun that can stand for an entity.
    has_pronoun: bool,
    /// Whether the extraction finds the fact in the sentence.
    is_extracted: bool,
    /// Whether the sentence is narration about the subject of the fact that possibly states the fact in its own words.
    is_narrated: bool,
    /// Vector of the sentence if the fact has no vector yet; `None` otherwise.
    missing_vector: Option<Vec<f32>>,
}

/// The facts to compare with each sentence of a line.
#[derive(Debug, Clone, Default)]
pub struct MatchCandidates {
    sentences: Vec<Vec<Candidate>>,
}

impl SpokenLine {
    /// Creates a line that is said now, by a sincere speaker.
    pub fn new(speaker: EntityId, text: impl Into<String>) -> Self {
        Self { speaker: Some(speaker), ..Self::narration(text) }
    }

    /// Creates a line of narration at the current game time.
    pub fn narration(text: impl Into<String>) -> Self {
        Self { speaker: None, text: text.into(), lie: false, time: None, recorded: None }
    }

    /// Creates a line from a recorded line.
    pub fn from_passage(passage: &Passage) -> Self {
        let (speaker, recorded) = (passage.speaker.clone(), Some(passage.id()));
        Self { speaker, lie: passage.lie, recorded, ..Self::narration(passage.text.as_str()) }
    }

    /// Checks that the speaker exists, and returns the game time of the line.
    ///
    /// # Errors
    /// Returns an error if the speaker does not exist, or if the date is invalid.
    pub fn check(&self, state: &State) -> Result<Option<GameTime>, CommandError> {
        require_entities(state, &self.speaker)?;
        Ok(self.time.as_deref().map(|raw| parse_date(state, raw)).transpose()?.and_then(|date| date.time))
    }

    /// Returns the sentences of the line in which the speaker asserts something, with their vectors. For narration,
    /// also extracts the facts of each sentence.
    pub fn sentences(&self, tools: &ReadingTools<'_>) -> Vec<LineSentence> {
        let form = if self.speaker.is_some() { TextType::Talk } else { TextType::Narration };
        let text = Text { speaker: self.speaker.as_ref(), ..Text::new(&self.text, form) };
        let mut sentences = tools.extractor.spoken_sentences(tools.lexicon, &text);
        sentences.retain(|sentence| sentence.is_asserted);
        sentences.truncate(MAX_SENTENCES);
        let texts: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
        let vectors = tools.encoder.filter(|_| !texts.is_empty()).and_then(|encoder| encoder.vectors(&texts));
        let mut vectors = vectors.into_iter().flatten();
        let extracted = match self.speaker {
            Some(_) => Vec::new(),
            None => {
                let draft = Draft { text: self.text.clone(), form, ..Draft::default() };
                draft.extract(&Policy::default(), tools).extraction.facts
            }
        };
        let line_sentence = |sentence: SpokenSentence| {
            let is_inside =
                |fact: &&ExtractedFact| fact.span.start < sentence.span.end && sentence.span.start < fact.span.end;
            let extracted = extracted.iter().filter(is_inside).cloned().collect();
            LineSentence { sentence, vector: vectors.next(), extracted }
        };
        sentences.into_iter().map(line_sentence).collect()
    }

    /// Returns whether the line can state a fact. A liar does not believe its own invention, even if others believe it.
    fn can_state(&self, state: &State, known: &Known) -> bool {
        let fact = state.fact(known.id());
        let is_possible = match self.speaker {
            Some(_) => !self.lie || known.credence() == Credence::NONE,
            None => fact.is_some_and(|fact| is_secret(state, fact)),
        };
        is_possible && !fact.is_some_and(|fact| self.is_source_of(fact))
    }

    /// Returns whether the extraction found a fact in this recorded line alone.
    fn is_source_of(&self, fact: &Fact) -> bool {
        let provenance = fact.provenance();
        let texts: BTreeSet<PassageId> = provenance.evidence.iter().filter_map(Evidence::passage).collect();
        provenance.author == Author::Extractor && self.recorded.is_some_and(|line| texts == BTreeSet::from([line]))
    }

    /// Finds the facts that each sentence possibly states. Compares only facts that the speaker knows at `moment`. For
    /// narration, compares all secrets.
    pub fn candidates(
        &self,
        state: &State,
        index: &Index,
        view_cache: &mut ViewCache,
        moment: Option<GameTime>,
        tools: &ReadingTools<'_>,
        sentences: &[LineSentence],
    ) -> MatchCandidates {
        let speaker = self.speaker.clone().map(Knower::Entity);
        let cached_view = view_cache.get_or_compute(state, speaker.as_ref(), moment);
        let named_in_line =
            cached_view.names.mentioned_entities(&self.text).into_iter().map(|named| named.id).collect();
        let matcher = SentenceMatcher { line: self, state, index, cached_view: &cached_view, tools, named_in_line };
        MatchCandidates { sentences: sentences.iter().map(|sentence| matcher.candidates(sentence)).collect() }
    }
}

/// Compares the sentences of a line with the facts that the line can state.
struct SentenceMatcher<'a> {
    line: &'a SpokenLine,
    state: &'a State,
    index: &'a Index,
    cached_view: &'a CachedView,
    tools: &'a ReadingTools<'a>,
    /// Entities that any sentence of the line names.
    named_in_line: BTreeSet<EntityId>,
}

impl SentenceMatcher<'_> {
    fn candidates(&self, LineSentence { sentence, vector, extracted }: &LineSentence) -> Vec<Candidate> {
        let CachedView { view, names, .. } = self.cached_view;
        let named: Vec<LinkedEntity> = names.mentioned_entities(&sentence.text);
        let query = Query {
            text: &sentence.text,
            vector: vector.as_deref(),
            named: named.clone(),
            graph: false,
            scope: None,
            weights: Weights::default(),
            now: None,
        };
        let mut ranking = Ranking::new(view, self.index, &query);
        let ranked = ranking.facts(MAX_CANDIDATES, |known| {
            let is_minor = view.vocabulary().behavior(known.predicate()).minor;
            let can_be_stated = !is_minor && !known.is_name() && !view.is_superseded(known.id());
            can_be_stated && self.line.can_state(self.state, known)
        });
        let candidates = ranked.into_iter().filter_map(|ranked| {
            let hearsay_recall::DocId::Fact(id) = ranked.doc else { return None };
            let known = view.fact(id)?;
            let entities = EntityAgreement {
                state: self.state,
                cached_view: self.cached_view,
                speaker: self.line.speaker.as_ref(),
                sentence,
                named: &named,
                named_in_line: &self.named_in_line,
                place: self.state.active_session().and_then(|playing| playing.place.as_ref()),
            };
            let mut agreement = entities.with_fact(known)?;
            let score = MatchScore::new(&sentence.text, known.statement(), &entities.name_stems(known));
            let cosine = ranked.explanation.cosine;
            let score = MatchScore { cosine, ..score };
            let is_narrated = score.may_be_narrated() && entities.narrates(known);
            // Reading the statement takes longer than the other comparisons, so it comes last.
            let is_similar = is_narrated || score.may_be_possible();
            if !is_similar || !self.has_same_polarity(sentence, known.statement()) {
                return None;
            }
            if agreement == Agreement::Full && score.is_complete() && !entities.has_same_roles(known) {
                agreement = Agreement::Partial;
            }
            Some(Candidate {
                fact: self.fact_match(known),
                score,
                agreement,
                is_doubtful: sentence.is_doubtful,
                has_pronoun: sentence.pronoun_count > 0,
                is_extracted: false,
                is_narrated,
                missing_vector: vector.clone().filter(|_| cosine.is_none()),
            })
        });
        extracted.iter().flat_map(|fact| self.extracted_candidates(sentence, fact)).chain(candidates).collect()
    }

    /// Returns the recorded facts with the same content as an extracted fact.
    fn extracted_candidates(&self, sentence: &SpokenSentence, extracted: &ExtractedFact) -> Vec<Candidate> {
        let object = match &extracted.object {
            FactObject::Value(value) => Object::Value(value.as_str().into()),
            FactObject::Entity(Mention::Known(id)) => Object::Entity(id.clone()),
            FactObject::Entity(Mention::New(_)) => return Vec::new(),
        };
        let Mention::Known(subject) = &extracted.subject else { return Vec::new() };
        if extracted.denied || extracted.ended {
            return Vec::new();
        }
        let vocabulary = self.state.vocabulary();
        let parts = (subject, &extracted.predicate, &object);
        let claim = Claim::new(vocabulary, parts, &extracted.statement, &Validity::default());
        let is_same = |known: &&Known| {
            let recorded = self.state.fact(known.id());
            recorded.is_some_and(|fact| is_equivalent(vocabulary, (&claim, &extracted.statement), fact))
        };
        let known = self.cached_view.view.facts_about(claim.subject());
        let same = known.filter(|known| self.line.can_state(self.state, known)).filter(is_same);
        let candidate = |known: &Known| Candidate {
            fact: self.fact_match(known),
            score: MatchScore::new(&sentence.text, known.statement(), &BTreeSet::new()),
            agreement: Agreement::Full,
            is_doubtful: sentence.is_doubtful,
            has_pronoun: sentence.pronoun_count > 0,
            is_extracted: true,
            is_narrated: false,
            missing_vector: None,
        };
        same.map(candidate).collect()
    }

    fn fact_match(&self, known: &Known) -> FactMatch {
        FactMatch {
            fact: known.id(),
            handle: self.state.fact(known.id()).and_then(|fact| fact.handle().map(str::to_owned)),
            statement: known.statement().to_owned(),
            score: 0.0,
            lie: self.line.speaker.is_some() && known.is_disbelieved(),
        }
    }

    /// Returns whether a sentence and a fact agree in negation, and agree in whether they state that something has
    /// ended.
    fn has_same_polarity(&self, sentence: &SpokenSentence, statement: &str) -> bool {
        let text = Text::new(statement, TextType::Lore);
        let stated = self.tools.extractor.spoken_sentences(self.tools.lexicon, &text);
        let is_negated = stated.iter().any(|stated| stated.is_negated);
        let is_ended = stated.iter().any(|stated| stated.is_ended);
        (is_negated, is_ended) == (sentence.is_negated, sentence.is_ended)
    }
}

impl MatchCandidates {
    /// Returns the statements of the candidates that have no vector yet. Returns each statement once.
    pub fn statements_without_vector(&self) -> Vec<&str> {
        let candidates = self.sentences.iter().flatten().filter(|candidate| candidate.missing_vector.is_some());
        let mut statements: Vec<&str> = candidates.map(|candidate| candidate.fact.statement.as_str()).collect();
        statements.sort_unstable();
        statements.dedup();
        statements
    }

    /// Adds vectors for the statements from [`statements_without_vector`](Self::statements_without_vector), in the same
    /// order.
    pub fn add_vectors(&mut self, vectors: &[Vec<f32>]) {
        let statements: Vec<String> = self.statements_without_vector().into_iter().map(str::to_owned).collect();
        for candidate in self.sentences.iter_mut().flatten() {
            let Some(vector) = candidate.missing_vector.take() else { continue };
            let at = statements.binary_search(&candidate.fact.statement);
            let of_fact = at.ok().and_then(|at| vectors.get(at));
            candidate.score.cosine = of_fact.map(|of_fact| vector.iter().zip(of_fact).map(|(a, b)| a * b).sum());
        }
    }

    /// Decides which facts the line certainly states, and which facts it possibly states. Each sentence states at most
    /// one fact.
    pub fn decide(self) -> FactMatches {
        let mut matches = FactMatches::default();
        for candidates in self.sentences {
            let scored = candidates.into_iter().map(|candidate| {
                let score = candidate.score.value();
                (candidate.decision(score), FactMatch { score, ..candidate.fact })
            });
            let best =
                scored.filter(|(decision, _)| *decision != score::Decision::Other).max_by(|(a, one), (b, other)| {
                    a.cmp(b).then(one.score.total_cmp(&other.score)).then(other.fact.cmp(&one.fact))
                });
            match best {
                Some((score::Decision::States, fact)) => matches.states.push(fact),
                Some((_, fact)) => matches.may_state.push(fact),
                None => {}
            }
        }
        keep_first(&mut matches.states, &[]);
        keep_first(&mut matches.may_state, &matches.states);
        matches
    }
}

/// Removes the facts that occur earlier in the list or in `others`.
fn keep_first(facts: &mut Vec<FactMatch>, others: &[FactMatch]) {
    let mut seen: Vec<FactId> = others.iter().map(|other| other.fact).collect();
    facts.retain(|fact| {
        let is_new = !seen.contains(&fact.fact);
        seen.push(fact.fact);
        is_new
    });
}

#[cfg(test)]
mod tests;
