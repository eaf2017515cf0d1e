//! Links from passages to the passages whose titles they contain. A passage that matches a question often contains the
//! title of another passage. The other passage then often contains the answer.

use hearsay_belief::View;
use hearsay_model::PassageId;
use rustc_hash::FxHashMap;

use crate::{DocId, Index, candidates::Candidates};

/// Maximum number of passages from which links start (`MAX_SEEDS`), and the minimum fit of such a passage as a share of
/// the best fit (`SEED_SHARE`).
const MAX_SEEDS: usize = 4;
const SEED_SHARE: f32 = 0.6;

/// Score of a linked passage relative to the passage that contains its title: a fixed share (`FIXED_SHARE`), and a
/// share in proportion to the linked passage's own fit (`OWN_FIT_SHARE`).
const FIXED_SHARE: f32 = 0.5;
const OWN_FIT_SHARE: f32 = 0.3;

/// Scores that passages receive from the passages that contain their titles.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// For each linked passage, its score and the passage that contains its title. The key is the candidate number
    /// minus the number of facts.
    by_passage: FxHashMap<usize, (f32, PassageId)>,
}

impl Links {
    /// Creates the links from the passages that fit the question best. `fits` gives the fit of each passage.
    pub(crate) fn new(view: &View, index: &Index, candidates: &Candidates, fits: &[f32]) -> Self {
        let mut links = Self::default();
        let best = fits.iter().copied().fold(0.0, f32::max);
        if best == 0.0 || index.titles().is_empty() {
            return links;
        }
        let mut seeds: Vec<usize> = (0..fits.len()).filter(|at| fits[*at] >= best * SEED_SHARE).collect();
        seeds.sort_unstable_by(|a, b| fits[*b].total_cmp(&fits[*a]).then(a.cmp(b)));
        seeds.truncate(MAX_SEEDS);
        for seed in seeds {
            let DocId::Passage(id) = candidates.id(candidates.facts + seed) else { continue };
            let Some(passage) = view.passage(id).map(|heard| &heard.passage) else { continue };
            for text_number in index.titles().contained_in(&passage.text) {
                let linked =
                    candidates.at(text_number).map(|at| at - candidates.facts).filter(|linked| *linked != seed);
                let Some(linked) = linked.filter(|linked| {
                    let title = match candidates.id(candidates.facts + linked) {
                        DocId::Passage(id) => view.passage(id).and_then(|heard| heard.passage.title.as_ref()),
                        DocId::Fact(_) => None,
                    };
                    title != passage.title.as_ref()
                }) else {
                    continue;
                };
                let score = fits[seed] * (FIXED_SHARE + OWN_FIT_SHARE * fits[linked] / best);
                let link = links.by_passage.entry(linked).or_insert((score, id));
                if link.0 < score {
                    *link = (score, id);
                }
            }
        }
        links
    }

    /// Returns the score that a passage receives through a link, and the passage that contains its title. Returns
    /// `None` if no link leads to the passage.
    pub(crate) fn to(&self, passage: usize) -> Option<(f32, PassageId)> {
        self.by_passage.get(&passage).copied()
    }
}
