//! Computes the importance of a piece, which does not depend on a question.

use std::collections::BTreeMap;

use hearsay_model::EntityId;
use rustc_hash::FxHashMap;

use super::pieces::{Piece, Stated, unknown_names};

/// Weights of the components of importance. Apart from the DM's own summary, names count most, because small talk
/// rarely contains any.
const NAMED: f32 = 1.0;
const SPEAKER: f32 = 0.5;
const CONTENT: f32 = 0.8;
const BEARS: f32 = 0.5;
const WEIGHTY: f32 = 0.4;
const NEW: f32 = 0.4;
const NUMBERS: f32 = 0.25;
const NARRATED: f32 = 0.2;
const SUMMARY: f32 = 2.0;

/// Factor for questions, which carry less information than their answers.
const QUESTION: f32 = 0.6;

/// Sum of word rarities at which the content component (`CONTENT`) reaches its maximum.
const FULL: f32 = 9.0;

/// Importance of a piece, and the names of the components that contribute most.
#[derive(Debug, Clone, Default)]
pub(super) struct Weight {
    pub(super) score: f32,
    pub(super) why: Vec<&'static str>,
}

/// Computes the importance of each piece, compared with the other pieces. `is_new` returns whether the hearers had not
/// met an entity before.
pub(super) fn weigh(pieces: &[Piece], is_new: impl Fn(&EntityId) -> bool) -> Vec<Weight> {
    let (mut naming, mut speaking) = (BTreeMap::<&EntityId, f32>::new(), BTreeMap::<&EntityId, f32>::new());
    let mut having: FxHashMap<&str, f32> = FxHashMap::default();
    for piece in pieces {
        piece.entities.iter().for_each(|id| *naming.entry(id).or_default() += 1.0);
        piece.speaker.iter().for_each(|id| *speaking.entry(id).or_default() += 1.0);
        piece.stems.iter().for_each(|stem| *having.entry(stem).or_default() += 1.0);
    }
    let all = pieces.len().max(1) as f32;
    // 1 for a single occurrence, nearly 0 for an occurrence in every piece.
    let rarity = |count: f32| 1.0 - count.ln() / (all.ln() + 1.0);
    let mut first: BTreeMap<&EntityId, usize> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        for id in piece.entities.iter().chain(&piece.speaker) {
            first.entry(id).or_insert(at);
        }
    }
    let weight = |(at, piece): (usize, &Piece)| {
        let mut parts: Vec<(f32, &'static str)> = Vec::new();
        let missed = piece.entities.iter().map(|id| 1.0 - 0.6 * rarity(naming[id])).product::<f32>();
        parts.push((NAMED * (1.0 - missed), "names"));
        let speaker = piece.speaker.as_ref().map_or(0.0, |id| rarity(speaking[id]));
        parts.push((SPEAKER * speaker, "the speaker speaks rarely"));
        let content: f32 = piece.stems.iter().map(|stem| rarity(having[stem.as_str()])).sum();
        parts.push((CONTENT * (content / FULL).min(1.0), "much content"));
        if piece.summary {
            parts.push((SUMMARY, "the DM's own summary"));
        }
        if piece.stated != Stated::Nothing {
            parts.push((BEARS, "states a fact"));
        }
        if piece.stated == Stated::Notable {
            parts.push((WEIGHTY, "an obligation or an important change"));
        }
        let new = piece.entities.iter().chain(&piece.speaker).any(|id| first[id] == at && is_new(id));
        let names = unknown_names(&piece.said);
        if new || names > 0 {
            parts.push((NEW, "a new name"));
        }
        if piece.said.contains(|c: char| c.is_ascii_digit()) {
            parts.push((NUMBERS, "a number"));
        }
        if piece.speaker.is_none() && !piece.entities.is_empty() {
            parts.push((NARRATED, "told by the DM"));
        }
        let asks = if piece.said.trim_end().ends_with('?') { QUESTION } else { 1.0 };
        let score = asks * parts.iter().map(|(part, _)| part).sum::<f32>();
        parts.retain(|(part, _)| *part >= 0.2);
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        Weight { score, why: parts.into_iter().take(3).map(|(_, why)| why).collect() }
    };
    pieces.iter().enumerate().map(weight).collect()
}

/// Returns whether two pieces say nearly the same: the longer piece contains at least three quarters of the words of
/// the shorter.
pub(super) fn is_near(a: &Piece, b: &Piece) -> bool {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.stems.len() && j < b.stems.len() {
        match a.stems[i].cmp(&b.stems[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, shared) = (i + 1, j + 1, shared + 1),
        }
    }
    let shorter = a.stems.len().min(b.stems.len());
    shorter > 0 && shared * 4 >= shorter * 3 && (shorter >= 3 || a.stems.len() == b.stems.len())
}

/// Number of consecutive pieces that do not fit, after which [`choose`] stops. By then, little of the budget is left.
const FULL_UP: usize = 64;

/// Chooses pieces in the order of their scores, as many as fit. Skips near duplicates. Returns the indices of the
/// chosen pieces in their original order.
pub(super) fn choose(pieces: &[Piece], scores: &[f32], mut fits: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..pieces.len()).filter(|at| scores[*at] > 0.0).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let (mut chosen, mut refused) = (Vec::<usize>::new(), 0);
    for at in order {
        if refused == FULL_UP {
            break;
        }
        if chosen.iter().any(|other| is_near(&pieces[*other], &pieces[at])) {
            continue;
        }
        let place = chosen.partition_point(|other| *other < at);
        chosen.insert(place, at);
        refused = if fits(&chosen) { 0 } else { refused + 1 };
        if refused > 0 {
            chosen.remove(place);
        }
    }
    chosen
}
