//! Texts that name each other: a text that fits often names what the answer is headed with.

use hearsay_belief::View;
use hearsay_model::{PassageId, spelling::is_common, text};
use rustc_hash::FxHashMap;

use crate::{DocId, Index, candidates::Candidates};

/// Links begin at most at so many texts, each at least so good as the best.
const SEEDS: usize = 4;
const SEED_SHARE: f32 = 0.6;

/// What a text counts that is named in another, against that one: by that alone, and by how well it fits itself.
const NAMED: f32 = 0.5;
const ITSELF: f32 = 0.3;

/// What passages are headed with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Titles {
    /// The places of the passages under a title.
    under: FxHashMap<Vec<String>, Vec<u32>>,
    /// How many words the longest title has.
    longest: usize,
}

impl Titles {
    /// Takes up a passage. A title that is an everyday word, or next to nothing, leads nowhere.
    pub(crate) fn add(&mut self, place: u32, title: &str) {
        // "Arthur (legend)" is spoken of as Arthur.
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

    /// Renumbers the places, or removes them.
    pub(crate) fn remap(&mut self, remap: impl FnMut(&mut Vec<u32>)) {
        self.under.values_mut().for_each(remap);
        self.under.retain(|_, places| !places.is_empty());
    }

    /// The places of the passages whose titles a text names. Sorted, each once.
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

/// What passages get from those that name them, and which that are.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// By passage, counted from the first.
    from: FxHashMap<usize, (f32, PassageId)>,
}

impl Links {
    /// From the passages that fit best.
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

    /// What a passage gets, and from which.
    pub(crate) fn to(&self, passage: usize) -> Option<(f32, PassageId)> {
        self.from.get(&passage).copied()
    }
}
