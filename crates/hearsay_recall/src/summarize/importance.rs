//! Importance of the pieces of a log or text. The importance does not depend on a question.

use std::collections::BTreeMap;

use hearsay_model::EntityId;
use rustc_hash::FxHashMap;

use super::pieces::{Piece, StatedFact, unknown_names};
use crate::DocId;

/// Weights of the components of importance. Apart from the DM's own summary, names count most, because small talk
/// rarely contains any.
const NAMES_WEIGHT: f32 = 1.0;
const SPEAKER_WEIGHT: f32 = 0.5;
const CONTENT_WEIGHT: f32 = 0.8;
const STATED_FACT_WEIGHT: f32 = 0.5;
const NOTABLE_FACT_WEIGHT: f32 = 0.4;
const DECISIVE_FACT_WEIGHT: f32 = 2.5;
const NEW_NAME_WEIGHT: f32 = 0.4;
const NUMBER_WEIGHT: f32 = 0.25;
const NARRATION_WEIGHT: f32 = 0.2;
const SUMMARY_WEIGHT: f32 = 2.0;
const CONFIDENTIAL_WEIGHT: f32 = 2.0;
const REPLY_WEIGHT: f32 = 1.0;

/// Factor for questions, which carry less information than their answers.
const QUESTION_FACTOR: f32 = 0.6;

/// Sum of word rarities at which the content component (`CONTENT_WEIGHT`) reaches its maximum.
const FULL_CONTENT: f32 = 9.0;

/// Importance of a piece, and the names of the components that contribute most.
#[derive(Debug, Clone, Default)]
pub(super) struct Importance {
    pub(super) score: f32,
    pub(super) reasons: Vec<&'static str>,
}

/// Computes the importance of each piece, compared with the other pieces. `is_new` returns whether the hearers had not
/// met an entity before.
pub(super) fn compute_importances(pieces: &[Piece], is_new: impl Fn(&EntityId) -> bool) -> Vec<Importance> {
    let (mut mention_counts, mut speaker_counts) =
        (BTreeMap::<&EntityId, f32>::new(), BTreeMap::<&EntityId, f32>::new());
    let mut stem_counts: FxHashMap<&str, f32> = FxHashMap::default();
    for piece in pieces {
        piece.entities.iter().for_each(|id| *mention_counts.entry(id).or_default() += 1.0);
        piece.speaker.iter().for_each(|id| *speaker_counts.entry(id).or_default() += 1.0);
        piece.stems.iter().for_each(|stem| *stem_counts.entry(stem).or_default() += 1.0);
    }
    let piece_count = pieces.len().max(1) as f32;
    // 1 for a single occurrence, nearly 0 for an occurrence in every piece.
    let rarity = |count: f32| 1.0 - count.ln() / (piece_count.ln() + 1.0);
    let mut first_occurrence: BTreeMap<&EntityId, usize> = BTreeMap::new();
    for (at, piece) in pieces.iter().enumerate() {
        for id in piece.entities.iter().chain(&piece.speaker) {
            first_occurrence.entry(id).or_insert(at);
        }
    }
    let importance = |(at, piece): (usize, &Piece)| {
        let mut parts: Vec<(f32, &'static str)> = Vec::new();
        let unnamed = piece.entities.iter().map(|id| 1.0 - 0.6 * rarity(mention_counts[id])).product::<f32>();
        parts.push((NAMES_WEIGHT * (1.0 - unnamed), "names"));
        let speaker = piece.speaker.as_ref().map_or(0.0, |id| rarity(speaker_counts[id]));
        parts.push((SPEAKER_WEIGHT * speaker, "the speaker speaks rarely"));
        let content: f32 = piece.stems.iter().map(|stem| rarity(stem_counts[stem.as_str()])).sum();
        parts.push((CONTENT_WEIGHT * (content / FULL_CONTENT).min(1.0), "much content"));
        if piece.summary {
            parts.push((SUMMARY_WEIGHT, "the DM's own summary"));
        }
        if piece.confidential {
            parts.push((CONFIDENTIAL_WEIGHT, "said in confidence"));
        }
        let before = pieces[..at].iter().rev().find(|before| matches!(before.doc, DocId::Passage(_)));
        if before.is_some_and(|before| piece.is_reply_to(before)) {
            parts.push((REPLY_WEIGHT, "a reply"));
        }
        if piece.stated != StatedFact::NoFact {
            parts.push((STATED_FACT_WEIGHT, "states a fact"));
        }
        if piece.stated >= StatedFact::Notable {
            parts.push((NOTABLE_FACT_WEIGHT, "an obligation or an important change"));
        }
        if piece.stated == StatedFact::Decisive {
            parts.push((DECISIVE_FACT_WEIGHT, "a death, a fight, a promise or a secret"));
        }
        let has_new_entity =
            piece.entities.iter().chain(&piece.speaker).any(|id| first_occurrence[id] == at && is_new(id));
        let new_names = unknown_names(&piece.text);
        if has_new_entity || new_names > 0 {
            parts.push((NEW_NAME_WEIGHT, "a new name"));
        }
        if piece.text.contains(|c: char| c.is_ascii_digit()) {
            parts.push((NUMBER_WEIGHT, "a number"));
        }
        if piece.speaker.is_none() && !piece.entities.is_empty() {
            parts.push((NARRATION_WEIGHT, "told by the DM"));
        }
        let question_factor = if piece.text.trim_end().ends_with('?') { QUESTION_FACTOR } else { 1.0 };
        let score = question_factor * parts.iter().map(|(part, _)| part).sum::<f32>();
        parts.retain(|(part, _)| *part >= 0.2);
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        Importance { score, reasons: parts.into_iter().take(3).map(|(_, reasons)| reasons).collect() }
    };
    pieces.iter().enumerate().map(importance).collect()
}

/// Returns whether two pieces say nearly the same: the longer piece contains at least three quarters of the words of
/// the shorter.
pub(super) fn is_near(a: &Piece, b: &Piece) -> bool {
    let shorter = a.stems.len().min(b.stems.len());
    let is_same_length = a.stems.len() == b.stems.len();
    shorter > 0 && shared_stems(a, b) * 4 >= shorter * 3 && (shorter >= 3 || is_same_length)
}

/// Returns the number of stems that two pieces share.
fn shared_stems(a: &Piece, b: &Piece) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.stems.len() && j < b.stems.len() {
        match a.stems[i].cmp(&b.stems[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, shared) = (i + 1, j + 1, shared + 1),
        }
    }
    shared
}

/// Returns the index of the line, or part of a long line, that states a fact. If several lines or parts state the fact,
/// returns the one that shares the most words with the fact.
fn quote_of(fact: &Piece, pieces: &[Piece]) -> Option<usize> {
    if fact.evidence.is_empty() {
        return None;
    }
    let quotes = (0..pieces.len()).filter(|at| pieces[*at].is_quote_of(fact));
    quotes.max_by_key(|at| (shared_stems(&pieces[*at], fact), std::cmp::Reverse(*at)))
}

/// Number of consecutive pieces that do not fit, after which [`choose`] stops. By then, little of the budget is left.
const MAX_CONSECUTIVE_MISSES: usize = 64;

/// Chooses pieces in the order of their scores, as many as fit the limit. Skips near duplicates. Chooses the line that
/// states a fact instead of the fact. Returns the indices of the chosen pieces in their original order.
pub(super) fn choose(pieces: &[Piece], scores: &[f32], mut fits: impl FnMut(&[usize]) -> bool) -> Vec<usize> {
    let mut by_score: Vec<usize> = (0..pieces.len()).filter(|at| scores[*at] > 0.0).collect();
    by_score.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let (mut chosen, mut misses) = (Vec::<usize>::new(), 0);
    for at in by_score {
        if misses == MAX_CONSECUTIVE_MISSES {
            break;
        }
        // A line says a fact in the words of the table, so it takes the place of the fact.
        let at = quote_of(&pieces[at], pieces).unwrap_or(at);
        if chosen.iter().any(|other| *other == at || is_near(&pieces[*other], &pieces[at])) {
            continue;
        }
        let position = chosen.partition_point(|other| *other < at);
        chosen.insert(position, at);
        misses = if fits(&chosen) { 0 } else { misses + 1 };
        if misses > 0 {
            chosen.remove(position);
        }
    }
    chosen
}
