//! Words: stemmed BM25 over what the view holds.
//!
//! A fact is one text. A passage is searched on three levels: by itself, with the lines right before and after it, and as
//! a part of its whole session or document: a question's words rarely stand all in one line of a talk. Frequencies and
//! lengths are those of each level in the view.

use serde::Serialize;

use crate::{Index, candidates::Candidates, words::stems};

/// BM25's saturation of repeated words, and its weight of a text's length.
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// BM25 of a text as a share of what one would have that holds every word of the question; a little above 1 at most, where
/// words repeat.
///
/// Dividing by the best text instead would give full marks to whatever shares one stray word with the question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Words {
    /// Of the text itself.
    pub own: f32,
    /// Of a passage with the lines before and after it; of a fact, as `own`.
    pub window: f32,
    /// Of the whole session or document that a passage is from; of anything else, as `own`.
    pub whole: f32,
}

impl Words {
    /// All levels as one.
    pub fn mean(&self) -> f32 {
        (self.own + self.window + self.whole) / 3.0
    }
}

/// Texts of one kind, with their lengths.
#[derive(Debug)]
struct Level {
    lengths: Vec<f32>,
    mean: f32,
    scores: Vec<f32>,
    /// What a text would have that holds every word.
    all: f32,
}

impl Level {
    fn of(lengths: Vec<u32>) -> Self {
        let sum: u64 = lengths.iter().map(|length| u64::from(*length)).sum();
        let mean = (sum as f64 / lengths.len().max(1) as f64).max(1.0) as f32;
        let lengths: Vec<f32> = lengths.into_iter().map(|length| length as f32).collect();
        Self { scores: vec![0.0; lengths.len()], lengths, mean, all: 0.0 }
    }

    /// Counts a word of the question in, that stands so often in each of these texts.
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

/// What words say of each candidate.
#[derive(Debug)]
pub(crate) struct Worded {
    facts: Level,
    /// In the order of the candidates, without the facts.
    passages: Vec<Words>,
}

impl Worded {
    /// The words of a candidate.
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

/// The words of each candidate.
pub(crate) fn words(candidates: &Candidates, index: &Index, question: &str) -> Worded {
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
    // Where each passage stands in the talk.
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
    Worded { passages: places.iter().map(of).collect(), facts }
}

/// The counts that are not 0, which are 0 again behind it.
fn taken(counts: &mut [u32]) -> Vec<(usize, u32)> {
    let found = counts.iter_mut().enumerate().filter(|(_, count)| **count > 0);
    found.map(|(at, count)| (at, std::mem::take(count))).collect()
}
