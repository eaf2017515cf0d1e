//! Lexical search: stemmed BM25 over the documents in the view.
//!
//! A passage is scored on three levels: the passage alone, the passage with the lines right before and after it, and
//! its whole session or document. Three levels are needed because one line of talk rarely contains all words of a
//! question. A fact is scored alone. Word frequencies and text lengths are computed for each level over the view.

use serde::Serialize;

use crate::{Index, candidates::Candidates, words::stems};

/// BM25 parameters: `K1` controls the saturation of repeated words, `B` the effect of a text's length.
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// BM25 scores of a text on three levels. Each score is a fraction of the score of a text that contains every word of
/// the question once. If the text repeats words, the fraction can be slightly above 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct WordScores {
    /// Score of the text itself.
    pub own: f32,
    /// Score of a passage with the lines before and after it; equals `own` for a fact.
    pub window: f32,
    /// Score of the whole session or document that contains the passage; equals `own` for a fact.
    pub container: f32,
}

impl WordScores {
    /// Returns the mean of the three scores.
    pub fn mean(&self) -> f32 {
        (self.own + self.window + self.container) / 3.0
    }
}

/// Texts of one level, with their lengths and scores.
#[derive(Debug)]
struct Level {
    lengths: Vec<f32>,
    mean_length: f32,
    scores: Vec<f32>,
    /// Score of a text that contains every word of the question.
    max_score: f32,
}

impl Level {
    fn new(lengths: Vec<u32>) -> Self {
        let sum: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        let mean_length = (sum as f64 / lengths.len().max(1) as f64).max(1.0) as f32;
        let lengths: Vec<f32> = lengths.into_iter().map(|length| length as f32).collect();
        Self { scores: vec![0.0; lengths.len()], lengths, mean_length, max_score: 0.0 }
    }

    /// Adds the scores for one word of the question. `counts` lists the texts that contain the word, each with the
    /// number of occurrences.
    fn add(&mut self, counts: &[(usize, u32)]) {
        let (texts, frequency) = (self.lengths.len() as f32, counts.len() as f32);
        let rarity = (1.0 + (texts - frequency + 0.5) / (frequency + 0.5)).ln();
        self.max_score += rarity;
        for &(text, count) in counts {
            let norm = K1 * (1.0 - B + B * self.lengths[text] / self.mean_length);
            self.scores[text] += rarity * count as f32 * (K1 + 1.0) / (count as f32 + norm);
        }
    }

    fn relative_score(&self, text: usize) -> f32 {
        if self.max_score > 0.0 { self.scores[text] / self.max_score } else { 0.0 }
    }
}

/// Lexical scores of all candidates.
#[derive(Debug)]
pub(crate) struct LexicalScores {
    facts: Level,
    /// Scores of the passages, in the order of the candidates.
    passages: Vec<WordScores>,
}

impl LexicalScores {
    /// Returns the lexical scores of a candidate.
    pub(crate) fn scores_of(&self, candidate: usize) -> WordScores {
        match candidate.checked_sub(self.facts.scores.len()) {
            None => {
                let own = self.facts.relative_score(candidate);
                WordScores { own, window: own, container: own }
            }
            Some(passage) => self.passages[passage],
        }
    }

    /// Returns the mean of the lexical scores of a candidate. Most facts contain no word of the question, so this
    /// function skips the divisions for these facts.
    #[inline]
    pub(crate) fn mean_of(&self, candidate: usize) -> f32 {
        match self.facts.scores.get(candidate) {
            Some(0.0) => 0.0,
            _ => self.scores_of(candidate).mean(),
        }
    }
}

/// Computes the lexical scores of all candidates.
pub(crate) fn lexical_scores(candidates: &Candidates, index: &Index, question: &str) -> LexicalScores {
    let mut stems = stems(question);
    stems.sort_unstable();
    stems.dedup();
    let talk = &candidates.talk;
    let length = |candidate: usize| candidates.head(candidate).length;
    let run_count = talk.last().map_or(0, |passage| passage.run + 1);
    let mut container_lengths = vec![0; run_count];
    talk.iter().for_each(|passage| container_lengths[passage.run] += length(passage.candidate));
    let neighbour_length = |position: usize| {
        candidates.neighbours(position).map(|neighbour| length(talk[neighbour].candidate)).sum::<u32>()
    };
    let mut facts = Level::new((0..candidates.facts).map(length).collect());
    let mut own = Level::new(talk.iter().map(|passage| length(passage.candidate)).collect());
    let mut window = Level::new((0..talk.len()).map(|at| length(talk[at].candidate) + neighbour_length(at)).collect());
    let mut container = Level::new(container_lengths);
    // For each passage, its position in `talk`.
    let mut positions = vec![0; candidates.len() - candidates.facts];
    talk.iter().enumerate().for_each(|(position, passage)| positions[passage.candidate - candidates.facts] = position);
    let (mut window_counts, mut container_counts) = (vec![0; talk.len()], vec![0; run_count]);
    for stem in &stems {
        let postings = index.term(stem).map_or(&[][..], |term| index.postings(term));
        let (mut fact_counts, mut passage_counts) = (Vec::new(), Vec::new());
        for &(text_number, count) in postings {
            match candidates.at(text_number) {
                Some(fact) if fact < candidates.facts => fact_counts.push((fact, count)),
                Some(passage) => passage_counts.push((positions[passage - candidates.facts], count)),
                None => {}
            }
        }
        for &(position, count) in &passage_counts {
            container_counts[talk[position].run] += count;
            window_counts[position] += count;
            candidates.neighbours(position).for_each(|neighbour| window_counts[neighbour] += count);
        }
        facts.add(&fact_counts);
        own.add(&passage_counts);
        window.add(&take_nonzero(&mut window_counts));
        container.add(&take_nonzero(&mut container_counts));
    }
    let words_of = |&position: &usize| WordScores {
        own: own.relative_score(position),
        window: window.relative_score(position),
        container: container.relative_score(talk[position].run),
    };
    LexicalScores { passages: positions.iter().map(words_of).collect(), facts }
}

/// Returns the counts that are not 0 and resets them to 0.
fn take_nonzero(counts: &mut [u32]) -> Vec<(usize, u32)> {
    let nonzero = counts.iter_mut().enumerate().filter(|(_, count)| **count > 0);
    nonzero.map(|(at, count)| (at, std::mem::take(count))).collect()
}
