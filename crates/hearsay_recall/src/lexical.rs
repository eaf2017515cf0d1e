//! Lexical search: stemmed BM25 over the documents in the view.
//!
//! A fact is one text. A passage is scored on three levels: by itself, with the lines right before and after it, and as
//! part of its session or document. Three levels are needed because one line of talk rarely contains all words of a
//! question. Word frequencies and text lengths are computed for each level over the view.

use serde::Serialize;

use crate::{Index, candidates::Candidates, words::stems};

/// BM25 parameters: `K1` controls the saturation of repeated words, `B` the effect of a text's length.
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// BM25 score of a text, as a share of the score of a text that contains every word of the question. Repeated words can
/// raise the share slightly above 1.
///
/// Dividing by the best score instead would give the full score to any text that shares one incidental word with the
/// question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Words {
    /// Score of the text itself.
    pub own: f32,
    /// Score of a passage with the lines before and after it; equals `own` for a fact.
    pub window: f32,
    /// Score of the session or document that contains the passage; equals `own` for a fact.
    pub whole: f32,
}

impl Words {
    /// Returns the mean of the three levels.
    pub fn mean(&self) -> f32 {
        (self.own + self.window + self.whole) / 3.0
    }
}

/// Texts of one level, with their lengths and scores.
#[derive(Debug)]
struct Level {
    lengths: Vec<f32>,
    mean: f32,
    scores: Vec<f32>,
    /// Score of a text that contains every word of the question.
    all: f32,
}

impl Level {
    fn of(lengths: Vec<u32>) -> Self {
        let sum: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        let mean = (sum as f64 / lengths.len().max(1) as f64).max(1.0) as f32;
        let lengths: Vec<f32> = lengths.into_iter().map(|length| length as f32).collect();
        Self { scores: vec![0.0; lengths.len()], lengths, mean, all: 0.0 }
    }

    /// Adds the scores for one word of the question. `counts` lists the texts that contain the word, each with the
    /// number of occurrences.
    fn add(&mut self, counts: &[(usize, u32)]) {
        let (texts, frequency) = (self.lengths.len() as f32, counts.len() as f32);
        let rarity = (1.0 + (texts - frequency + 0.5) / (frequency + 0.5)).ln();
        self.all += rarity;
        for &(text, count) in counts {
            let norm = K1 * (1.0 - B + B * self.lengths[text] / self.mean);
            self.scores[text] += rarity * count as f32 * (K1 + 1.0) / (count as f32 + norm);
        }
    }

    fn share(&self, text: usize) -> f32 {
        if self.all > 0.0 { self.scores[text] / self.all } else { 0.0 }
    }
}

/// Lexical scores of all candidates.
#[derive(Debug)]
pub(crate) struct LexicalScores {
    facts: Level,
    /// Scores of the passages, in the order of the candidates.
    passages: Vec<Words>,
}

impl LexicalScores {
    /// Returns the lexical scores of a candidate.
    pub(crate) fn of(&self, candidate: usize) -> Words {
        match candidate.checked_sub(self.facts.scores.len()) {
            None => {
                let own = self.facts.share(candidate);
                Words { own, window: own, whole: own }
            }
            Some(passage) => self.passages[passage],
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
    let runs = talk.last().map_or(0, |said| said.run + 1);
    let mut whole_lengths = vec![0; runs];
    talk.iter().for_each(|said| whole_lengths[said.run] += length(said.candidate));
    let around = |place: usize| candidates.neighbours(place).map(|beside| length(talk[beside].candidate)).sum::<u32>();
    let mut facts = Level::of((0..candidates.facts).map(length).collect());
    let mut own = Level::of(talk.iter().map(|said| length(said.candidate)).collect());
    let mut window = Level::of((0..talk.len()).map(|at| length(talk[at].candidate) + around(at)).collect());
    let mut whole = Level::of(whole_lengths);
    // For each passage, its position in `talk`.
    let mut places = vec![0; candidates.len() - candidates.facts];
    talk.iter().enumerate().for_each(|(place, said)| places[said.candidate - candidates.facts] = place);
    let (mut near, mut sums) = (vec![0; talk.len()], vec![0; runs]);
    for stem in &stems {
        let postings = index.term(stem).map_or(&[][..], |term| index.postings(term));
        let (mut in_facts, mut in_talk) = (Vec::new(), Vec::new());
        for &(place, count) in postings {
            match candidates.at(place) {
                Some(fact) if fact < candidates.facts => in_facts.push((fact, count)),
                Some(passage) => in_talk.push((places[passage - candidates.facts], count)),
                None => {}
            }
        }
        for &(place, count) in &in_talk {
            sums[talk[place].run] += count;
            near[place] += count;
            candidates.neighbours(place).for_each(|beside| near[beside] += count);
        }
        facts.add(&in_facts);
        own.add(&in_talk);
        window.add(&taken(&mut near));
        whole.add(&taken(&mut sums));
    }
    let of = |&place: &usize| Words {
        own: own.share(place),
        window: window.share(place),
        whole: whole.share(talk[place].run),
    };
    LexicalScores { passages: places.iter().map(of).collect(), facts }
}

/// Returns the counts that are not 0 and resets them to 0.
fn taken(counts: &mut [u32]) -> Vec<(usize, u32)> {
    let found = counts.iter_mut().enumerate().filter(|(_, count)| **count > 0);
    found.map(|(at, count)| (at, std::mem::take(count))).collect()
}
