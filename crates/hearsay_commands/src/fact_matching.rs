//! Fact matching: recognition of recorded facts in the words of a character, and of secrets in narration.
//!
//! If a character says the line, the facts that this character knows can match. For the DM, recorded secrets, lies and
//! rumours that the character does not know can match too, but the line only possibly states them. In narration, only
//! secrets can match.

mod agreement;
mod hidden_thing;
mod matcher;
mod other_words;
mod score;

use std::{collections::BTreeSet, ops::Range};

use hearsay_belief::Known;
use hearsay_extract::{ExtractedFact, SpokenSentence, Text, TextType};
use hearsay_model::{
    Author, Credence, EntityId, Evidence, Fact, FactId, GameTime, Knower, Passage, PassageId, Span, State,
};
use hearsay_query::{dates::parse_date, facts::is_secret, ids::require_entities, views::ViewCache};
use hearsay_recall::Index;
use serde::Serialize;

use crate::{
    CommandError,
    policy::Policy,
    reading::{Draft, ReadingTools},
    statement_vectors::{StatementVectors, cosine, distinct},
};
use agreement::Agreement;
use matcher::{SentenceMatcher, has_same_content};
use score::MatchScore;

/// Maximum number of sentences of a line that are compared with facts. Further sentences are not compared.
const MAX_SENTENCES: usize = 8;

/// Maximum number of neighbouring sentences of a spoken line that are compared together with facts.
const MAX_RUN: usize = 3;

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
    /// Place where the line is said; `None` for the place of the session being played. A speaker need not name this place.
    pub place: Option<EntityId>,
    /// Date of the line on the campaign's calendar. The line can match only facts that the speaker knows at this date.
    /// If `None`, the line can match all facts that the speaker has learned so far.
    pub time: Option<String>,
    /// The recorded line with these words; `None` if the line is not recorded yet. Facts that the extraction found in the
    /// recorded line alone do not match.
    pub recorded: Option<PassageId>,
    /// Whether the line can also match secrets, lies and rumours that the speaker does not know. Only the DM may see such
    /// a match.
    pub for_dm: bool,
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
    /// Whether the speaker does not know the fact yet. `true` only for [`SpokenLine::for_dm`].
    pub unknown_to_speaker: bool,
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
    /// Returns whether the line neither states nor possibly states a recorded fact.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.may_state.is_empty()
    }

    /// Treats all facts as facts that the line only possibly states.
    pub fn doubt_all(&mut self) {
        self.may_state.splice(0..0, self.states.drain(..));
    }
}

/// A sentence of a line, or a run of neighbouring sentences, with its vector.
#[derive(Debug, Clone)]
pub struct LineSentence {
    sentence: SpokenSentence,
    /// Indices of the sentences in the run; one index for a sentence.
    range: Range<usize>,
    /// Vector of the sentence; `None` if there is no sentence encoder.
    vector: Option<Vec<f32>>,
    /// Facts that the extraction finds in the sentence.
    extracted: Vec<ExtractedFact>,
    /// Whether this is the [content](SpokenSentence::content) or one of the [clauses](SpokenSentence::clauses) of the
    /// sentence before it.
    is_part: bool,
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
    /// Whether the sentence possibly states the fact in its own words, because it is narration about the subject of the
    /// fact or about a hidden thing and its place, because the speaker tells an own secret with synonyms or after words
    /// such as "it was me", or because it states the same relation.
    is_reworded: bool,
    /// Whether the fact is a secret that the speaker knows.
    is_own_secret: bool,
    /// Whether the fact is a secret, a lie or a rumour that the speaker knows, and the line refers to all its entities and
    /// has enough words of it.
    is_retold: bool,
    /// Highest cosine of the sentence and an open fact of the campaign, if the sentence has enough words of a secret to hint
    /// at it; `None` otherwise.
    open_cosine: Option<f32>,
    /// Vector of the sentence if the fact has no vector yet; `None` otherwise.
    missing_vector: Option<Vec<f32>>,
}

/// The facts to compare with each sentence of a line.
#[derive(Debug, Clone, Default)]
pub struct MatchCandidates {
    sentences: Vec<Vec<Candidate>>,
    /// Runs of neighbouring sentences, with the indices of their sentences and with secrets, lies and rumours.
    runs: Vec<(Range<usize>, Vec<Candidate>)>,
    /// Pairs of facts with the same content, in both orders.
    same: BTreeSet<(FactId, FactId)>,
    /// Lies of the speaker that the line possibly tells if it is marked as a lie and states no other fact.
    likely_lies: Vec<FactMatch>,
}

impl SpokenLine {
    /// Creates a line that is said now, by a sincere speaker.
    pub fn new(speaker: EntityId, text: impl Into<String>) -> Self {
        Self { speaker: Some(speaker), ..Self::narration(text) }
    }

    /// Creates a line of narration at the current game time.
    pub fn narration(text: impl Into<String>) -> Self {
        let (text, lie, for_dm) = (text.into(), false, false);
        Self { speaker: None, text, lie, place: None, time: None, recorded: None, for_dm }
    }

    /// Creates a line from a recorded line. The result of the comparison is for the DM.
    pub fn from_passage(passage: &Passage) -> Self {
        let (speaker, recorded) = (passage.speaker.clone(), Some(passage.id()));
        let (lie, place) = (passage.lie, passage.place.clone());
        Self { speaker, lie, place, recorded, for_dm: true, ..Self::narration(passage.text.as_str()) }
    }

    /// Checks that the speaker exists, and returns the game time of the line.
    ///
    /// # Errors
    /// Returns an error if the speaker does not exist, or if the date is invalid.
    pub fn check(&self, state: &State) -> Result<Option<GameTime>, CommandError> {
        require_entities(state, &self.speaker)?;
        Ok(self.time.as_deref().map(|raw| parse_date(state, raw)).transpose()?.and_then(|date| date.time))
    }

    /// Returns the sentences of the line in which the speaker asserts something, and the content of each sentence, with
    /// their vectors. For a spoken line, also returns the runs of two or three neighbouring sentences: "It was Odo. He took
    /// the ledger." For narration, also returns each clause of a sentence, because the rest of the sentence can be about
    /// something else.
    pub fn sentences(&self, tools: &ReadingTools<'_>) -> Vec<LineSentence> {
        let form = if self.speaker.is_some() { TextType::Talk } else { TextType::Narration };
        let text = Text { speaker: self.speaker.as_ref(), ..Text::new(&self.text, form) };
        let mut sentences = tools.extractor.spoken_sentences(tools.lexicon, &text);
        sentences.retain(|sentence| sentence.is_asserted);
        sentences.truncate(MAX_SENTENCES);
        let mut ranges: Vec<Range<usize>> = (0..sentences.len()).map(|at| at..at + 1).collect();
        if self.speaker.is_some() {
            let runs = (2..=MAX_RUN).flat_map(|length| (length..=sentences.len()).map(move |end| end - length..end));
            ranges.extend(runs);
        }
        let mut parts: Vec<(SpokenSentence, Range<usize>, bool)> = Vec::new();
        for range in ranges {
            let mut sentence = joined(&sentences[range.clone()]);
            let (content, clauses) = (sentence.content.take(), std::mem::take(&mut sentence.clauses));
            parts.push((sentence, range.clone(), false));
            let content = content.into_iter().map(|content| *content);
            let of_sentence: Vec<SpokenSentence> = match self.speaker {
                Some(_) => content.collect(),
                None => content.chain(clauses).filter(|part| part.is_asserted).collect(),
            };
            parts.extend(of_sentence.into_iter().map(|part| (part, range.clone(), true)));
        }
        let texts: Vec<&str> = parts.iter().map(|(sentence, ..)| sentence.text.as_str()).collect();
        let vectors = tools.encoder.filter(|_| !texts.is_empty()).and_then(|encoder| encoder.vectors(&texts));
        let mut vectors = vectors.into_iter().flatten();
        let extracted = match self.speaker {
            Some(_) => tools.extractor.extract(tools.lexicon, &text).facts,
            None => {
                let draft = Draft { text: self.text.clone(), form, ..Draft::default() };
                draft.extract(&Policy::default(), tools).extraction.facts
            }
        };
        let line_sentence = |(sentence, range, is_part): (SpokenSentence, Range<usize>, bool)| {
            let is_inside =
                |fact: &&ExtractedFact| fact.span.start < sentence.span.end && sentence.span.start < fact.span.end;
            let extracted = extracted.iter().filter(is_inside).cloned().collect();
            LineSentence { sentence, range, vector: vectors.next(), extracted, is_part }
        };
        parts.into_iter().map(line_sentence).collect()
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

    /// Finds the facts that each sentence possibly states. Compares the facts that the speaker knows at `moment`. For the
    /// DM, also compares the secrets, lies and rumours that a sincere speaker does not know. For narration, compares all
    /// secrets.
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
        let is_for_dm = self.for_dm && speaker.is_some() && !self.lie;
        let dm_view = is_for_dm.then(|| view_cache.get_or_compute(state, None, None));
        // Only the DM may see results that depend on all open facts of the campaign.
        let open_view = match self.speaker {
            Some(_) => dm_view.as_deref(),
            None => Some(cached_view.as_ref()),
        };
        let matcher = SentenceMatcher::new(self, state, index, &cached_view, tools).with_open_facts_of(open_view);
        let unknown = dm_view.as_ref().map(|dm_view| {
            SentenceMatcher::new(self, state, index, dm_view, tools).without_facts_of(&cached_view.view)
        });
        let mut found = MatchCandidates::default();
        for sentence in sentences {
            let mut candidates = matcher.candidates(sentence);
            candidates.extend(unknown.iter().flat_map(|unknown| unknown.candidates(sentence)));
            match found.sentences.last_mut().filter(|_| sentence.is_part) {
                Some(of_sentence) => of_sentence.extend(candidates),
                None if sentence.is_run() => found.runs.push((sentence.range.clone(), candidates)),
                None => found.sentences.push(candidates),
            }
        }
        found.likely_lies = if self.lie { matcher.likely_lies() } else { Vec::new() };
        found.find_same(state);
        found
    }
}

impl LineSentence {
    /// Returns whether this is a run of several sentences.
    fn is_run(&self) -> bool {
        self.range.len() > 1
    }

    /// Returns whether only facts that matter if they are told are compared with the words: the words are a run, or a part
    /// of a sentence.
    fn states_only_what_matters(&self) -> bool {
        self.is_run() || self.is_part
    }
}

/// Returns neighbouring sentences as one sentence. A run of several sentences is doubtful, because only the DM can decide
/// what the sentences say together.
fn joined(sentences: &[SpokenSentence]) -> SpokenSentence {
    let texts: Vec<&str> = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    SpokenSentence {
        text: texts.join(" "),
        span: Span {
            start: sentences.first().map_or(0, |first| first.span.start),
            end: sentences.last().map_or(0, |last| last.span.end),
        },
        is_asserted: sentences.iter().any(|sentence| sentence.is_asserted),
        is_doubtful: sentences.len() > 1 || sentences.iter().any(|sentence| sentence.is_doubtful),
        is_negated: sentences.iter().any(|sentence| sentence.is_negated),
        is_ended: sentences.iter().any(|sentence| sentence.is_ended),
        has_first_person: sentences.iter().any(|sentence| sentence.has_first_person),
        pronoun_count: sentences.iter().map(|sentence| sentence.pronoun_count).sum(),
        content: match sentences {
            [sentence] => sentence.content.clone(),
            _ => None,
        },
        clauses: match sentences {
            [sentence] => sentence.clauses.clone(),
            _ => Vec::new(),
        },
    }
}

impl MatchCandidates {
    /// Returns the statements of the candidates that have no vector yet. Returns each statement once.
    pub fn statements_without_vector(&self) -> Vec<&str> {
        let candidates = self.candidates().filter(|candidate| candidate.missing_vector.is_some());
        distinct(candidates.map(|candidate| candidate.fact.statement.as_str()))
    }

    /// Adds vectors for the statements from [`statements_without_vector`](Self::statements_without_vector), in the same
    /// order.
    pub fn add_vectors(&mut self, vectors: &[Vec<f32>]) {
        let added = StatementVectors::new(&self.statements_without_vector(), vectors);
        let of_runs = self.runs.iter_mut().flat_map(|(_, candidates)| candidates);
        for candidate in self.sentences.iter_mut().flatten().chain(of_runs) {
            let Some(vector) = candidate.missing_vector.take() else { continue };
            candidate.score.cosine = added.get(&candidate.fact.statement).map(|of_fact| cosine(&vector, of_fact));
        }
    }

    fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.sentences.iter().flatten().chain(self.runs.iter().flat_map(|(_, candidates)| candidates))
    }

    /// Records which of the candidates have the same content.
    fn find_same(&mut self, state: &State) {
        let ids: BTreeSet<FactId> = self.candidates().map(|candidate| candidate.fact.fact).collect();
        let facts: Vec<&Fact> = ids.iter().filter_map(|id| state.fact(*id)).map(AsRef::as_ref).collect();
        for (at, fact) in facts.iter().enumerate() {
            for other in facts[at + 1..].iter().filter(|other| has_same_content(state, fact, other)) {
                self.same.extend([(fact.id(), other.id()), (other.id(), fact.id())]);
            }
        }
    }

    /// Decides which facts the line certainly states, and which facts it possibly states. Each sentence states at most
    /// one fact. Several sentences together possibly state a fact if none of them states a fact alone.
    pub fn decide(self) -> FactMatches {
        let mut matches = FactMatches::default();
        let mut is_matched = Vec::new();
        for candidates in self.sentences {
            let best = best_match(candidates);
            is_matched.push(best.is_some());
            match best {
                Some((score::Decision::States, fact)) => matches.states.push(fact),
                Some((_, fact)) => matches.may_state.push(fact),
                None => {}
            }
        }
        let of_run = |(range, candidates)| Some((range, best_match(candidates)?.1));
        let mut runs: Vec<(Range<usize>, FactMatch)> = self.runs.into_iter().filter_map(of_run).collect();
        runs.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score).then(one.fact.cmp(&other.fact)));
        for (range, fact) in runs {
            let Some(sentences) = is_matched.get_mut(range) else { continue };
            if !sentences.contains(&true) {
                sentences.fill(true);
                matches.may_state.push(fact);
            }
        }
        keep_first(&mut matches.states, &[], &self.same);
        keep_first(&mut matches.may_state, &matches.states, &self.same);
        if matches.is_empty() {
            matches.may_state = self.likely_lies;
        }
        matches
    }
}

/// Returns the fact that a sentence states most certainly; `None` if it states no fact.
fn best_match(candidates: Vec<Candidate>) -> Option<(score::Decision, FactMatch)> {
    let scored = candidates.into_iter().map(|candidate| {
        let score = candidate.score.value();
        (candidate.decision(score), FactMatch { score, ..candidate.fact })
    });
    scored
        .filter(|(decision, _)| *decision != score::Decision::Other)
        .max_by(|(a, one), (b, other)| a.cmp(b).then(one.score.total_cmp(&other.score)).then(other.fact.cmp(&one.fact)))
}

/// Removes the facts that occur earlier in the list or in `others`, and the facts with the same content as an earlier
/// fact. `same` contains the pairs of facts with the same content.
fn keep_first(facts: &mut Vec<FactMatch>, others: &[FactMatch], same: &BTreeSet<(FactId, FactId)>) {
    let mut seen: Vec<FactId> = others.iter().map(|other| other.fact).collect();
    facts.retain(|fact| {
        let is_new = !seen.iter().any(|other| *other == fact.fact || same.contains(&(*other, fact.fact)));
        seen.push(fact.fact);
        is_new
    });
}

#[cfg(test)]
mod tests;
