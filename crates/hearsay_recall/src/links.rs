//! Links between texts that name each other. A text that fits a question often names the title of the text with the
//! answer.

use hearsay_belief::View;
use hearsay_model::{PassageId, spelling::is_common, text};
use rustc_hash::FxHashMap;

use crate::{DocId, Index, candidates::Candidates};

/// Maximum number of texts from which links start, and their minimum fit as a share of the best.
const SEEDS: usize = 4;
const SEED_SHARE: f32 = 0.6;

/// Score of a linked text relative to the text that names it: a fixed share, and a share that depends on the linked
/// text's own fit.
const NAMED: f32 = 0.5;
const ITSELF: f32 = 0.3;

/// Titles of the passages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Titles {
    /// Places of the passages, by the words of their title.
    under: FxHashMap<Vec<String>, Vec<u32>>,
    /// Number of words in the longest title.
    longest: usize,
}

impl Titles {
    /// Adds a passage. Ignores titles of at most three letters and single everyday words.
    pub(crate) fn add(&mut self, place: u32, title: &str) {
        // People refer to "Arthur (legend)" as Arthur.
        let mut words = text::words(title.split(" (").next().unwrap_or(title));
        if words.len() > 1 && words[0] == "the" {
            words.remove(0);
        }
        let letters: usize = words.iter().map(|word| word.chars().count()).sum();
        if letters > 3 && (words.len() > 1 || !is_common(&words[0])) {
            self.longest = self.longest.max(words.len());
            self.under.entry(words).or_default().push(place);
        }
    }

    /// Applies `remap` to the lists of places, and removes titles without a place.
    pub(crate) fn remap(&mut self, remap: impl FnMut(&mut Vec<u32>)) {
        self.under.values_mut().for_each(remap);
        self.under.retain(|_, places| !places.is_empty());
    }

    /// Returns the places of the passages whose titles a text contains. Sorted, each once.
    fn named_in(&self, said: &str) -> Vec<u32> {
        let words = text::words(said);
        let mut places = Vec::new();
        for start in 0..words.len() {
            for end in start + 1..=words.len().min(start + self.longest) {
                places.extend(self.under.get(&words[start..end]).into_iter().flatten());
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Scores that passages receive from the passages that name them.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Score and naming passage, by passage number counted from the first passage.
    from: FxHashMap<usize, (f32, PassageId)>,
}

impl Links {
    /// Creates the links from the passages that fit best.
    pub(crate) fn of(view: &View, index: &Index, candidates: &Candidates, fits: &[f32]) -> Self {
        let mut links = Self::default();
        let best = fits.iter().copied().fold(0.0, f32::max);
        if best == 0.0 || index.titles().under.is_empty() {
            return links;
        }
        let mut seeds: Vec<usize> = (0..fits.len()).filter(|at| fits[*at] >= best * SEED_SHARE).collect();
        seeds.sort_unstable_by(|a, b| fits[*b].total_cmp(&fits[*a]).then(a.cmp(b)));
        seeds.truncate(SEEDS);
        for seed in seeds {
            let DocId::Passage(id) = candidates.id(candidates.facts + seed) else { continue };
            let Some(passage) = view.passage(id).map(|heard| &heard.passage) else { continue };
            for place in index.titles().named_in(&passage.text) {
                let named = candidates.at(place).map(|at| at - candidates.facts).filter(|named| *named != seed);
                let Some(named) = named.filter(|named| {
                    let title = match candidates.id(candidates.facts + named) {
                        DocId::Passage(id) => view.passage(id).and_then(|heard| heard.passage.title.as_ref()),
                        DocId::Fact(_) => None,
                    };
                    title != passage.title.as_ref()
                }) else {
                    continue;
                };
                let score = fits[seed] * (NAMED + ITSELF * fits[named] / best);
                let link = links.from.entry(named).or_insert((score, id));
                if link.0 < score {
                    *link = (score, id);
                }
            }
        }
        links
    }

    /// Returns the score that a passage receives, and the passage that names it.
    pub(crate) fn to(&self, passage: usize) -> Option<(f32, PassageId)> {
        self.from.get(&passage).copied()
    }
}
