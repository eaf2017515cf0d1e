//! One ranking of what the asker knows, by words, meaning and graph.

use std::collections::BTreeMap;

use hearsay_belief::{Heard, Known, View};
use hearsay_model::EntityId;
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::{DocId, Index, index::Doc, words::stems};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// The words of the question.
    pub text: &'a str,
    /// Its vector, of length 1, where there is one.
    pub vector: Option<&'a [f32]>,
    /// The entities that it names.
    pub named: Vec<EntityId>,
    /// Whether the graph is walked.
    pub graph: bool,
    /// How the channels are weighed.
    pub weights: Weights,
}

/// How much each channel counts. Only their ratio matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Stemmed BM25, against the best in the view.
    pub words: f32,
    /// Cosine, above what unrelated sentences have.
    pub meaning: f32,
    /// Facts of the entities that the question names, and one hop on.
    pub graph: f32,
}

impl Default for Weights {
    /// Words lead: with this encoder they find more than meaning does on questions about named things.
    fn default() -> Self {
        Self { words: 0.45, meaning: 0.35, graph: 0.20 }
    }
}

/// What each channel says of a result, 0.0–1.0 each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Channels {
    /// Words.
    pub words: f32,
    /// Meaning; nothing where question or text has no vector.
    pub meaning: Option<f32>,
    /// Graph.
    pub graph: f32,
}

/// A result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// What was found.
    pub doc: DocId,
    /// Its place on the one scale, 0.0–1.0.
    pub score: f32,
    /// What each channel said.
    pub channels: Channels,
}

/// Cosines of this encoder's vectors: below the first, sentences have nothing to do with each other; at the second they
/// say the same.
const COSINE_FLOOR: f32 = 0.15;
const COSINE_CEILING: f32 = 0.75;

/// BM25's saturation of repeated words, and its weight of a text's length.
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// What a fact one hop away from a named entity counts, against one of the entity itself.
const ONE_HOP: f32 = 0.2;

/// Ranks what a view holds against a query: the best first, ties by id. What no channel speaks for is left out.
pub fn rank(view: &View, index: &Index, query: &Query) -> Vec<Ranked> {
    let docs = candidates(view, index);
    let words = words_channel(&docs, index, query.text);
    let graph = if query.graph { graph_channel(view, &query.named) } else { FxHashMap::default() };
    let mut ranked: Vec<Ranked> = Vec::new();
    for (position, (id, doc)) in docs.iter().enumerate() {
        let cosine = query.vector.and_then(|vector| index.similarity(doc, vector));
        let calibrated = |cosine: f32| ((cosine - COSINE_FLOOR) / (COSINE_CEILING - COSINE_FLOOR)).clamp(0.0, 1.0);
        let channels = Channels {
            words: words[position],
            meaning: cosine.map(calibrated),
            graph: graph.get(id).copied().unwrap_or_default(),
        };
        let score = fuse(&channels, &query.weights);
        if score > 0.0 {
            ranked.push(Ranked { doc: *id, score, channels });
        }
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.doc.cmp(&b.doc)));
    ranked
}

fn fuse(channels: &Channels, weights: &Weights) -> f32 {
    let total = weights.words + weights.meaning + weights.graph;
    let meaning = channels.meaning.unwrap_or_default();
    (weights.words * channels.words + weights.meaning * meaning + weights.graph * channels.graph) / total
}

/// All that the view holds and the index knows, by id.
fn candidates<'a>(view: &View, index: &'a Index) -> Vec<(DocId, &'a Doc)> {
    let facts = view.facts().map(|known| DocId::Fact(known.id()));
    let passages = view.passages().map(|(id, _): (_, &Heard)| DocId::Passage(id));
    facts.chain(passages).filter_map(|id| Some((id, index.doc(id)?))).collect()
}

/// BM25 of every document, divided by the best. Document frequencies and lengths are those of the view.
fn words_channel(docs: &[(DocId, &Doc)], index: &Index, question: &str) -> Vec<f32> {
    let mut scores = vec![0.0_f32; docs.len()];
    let mut stems = stems(question);
    stems.sort_unstable();
    stems.dedup();
    let length_sum: f64 = docs.iter().map(|(_, doc)| f64::from(doc.length)).sum();
    let mean = (length_sum / docs.len().max(1) as f64).max(1.0) as f32;
    for term in stems.iter().filter_map(|stem| index.term(stem)) {
        let count =
            |doc: &Doc| doc.terms.binary_search_by_key(&term, |(of, _)| *of).ok().map(|at| doc.terms[at].1 as f32);
        let counts: Vec<_> = docs.iter().map(|(_, doc)| count(doc)).collect();
        let frequency = counts.iter().flatten().count() as f32;
        let rarity = (1.0 + (docs.len() as f32 - frequency + 0.5) / (frequency + 0.5)).ln();
        for ((score, count), (_, doc)) in scores.iter_mut().zip(counts).zip(docs) {
            if let Some(count) = count {
                let norm = K1 * (1.0 - B + B * doc.length as f32 / mean);
                *score += rarity * count * (K1 + 1.0) / (count + norm);
            }
        }
    }
    let best = scores.iter().copied().fold(0.0, f32::max);
    if best > 0.0 {
        for score in &mut scores {
            *score /= best;
        }
    }
    scores
}

/// Facts and passages of the named entities, each entity by its rarity in the view; and those one hop on.
fn graph_channel(view: &View, named: &[EntityId]) -> FxHashMap<DocId, f32> {
    let mut scores = FxHashMap::default();
    if named.is_empty() {
        return scores;
    }
    let mut degree: BTreeMap<&EntityId, f32> = BTreeMap::new();
    for known in view.facts() {
        for id in known.entities() {
            *degree.entry(id).or_default() += 1.0;
        }
    }
    let rarity = |id: &EntityId| 1.0 / (1.0 + degree.get(id).copied().unwrap_or_default()).ln().max(1.0);
    let total: f32 = named.iter().map(rarity).sum();
    let mut neighbours: BTreeMap<&EntityId, f32> = BTreeMap::new();
    for known in view.facts() {
        let share: f32 = named.iter().filter(|id| has(known, id)).map(rarity).sum::<f32>() / total;
        if share > 0.0 {
            scores.insert(DocId::Fact(known.id()), share);
            for other in known.entities().filter(|other| !named.contains(other)) {
                let near = neighbours.entry(other).or_default();
                *near = near.max(share);
            }
        }
    }
    for known in view.facts() {
        let near = known.entities().filter_map(|id| Some(neighbours.get(id)? * rarity(id))).fold(0.0, f32::max);
        if near > 0.0 {
            scores.entry(DocId::Fact(known.id())).or_insert(near * ONE_HOP);
        }
    }
    for (id, heard) in view.passages() {
        let share = named.iter().filter(|id| heard.passage.mentions.contains(id)).map(rarity).sum::<f32>() / total;
        if share > 0.0 {
            scores.insert(DocId::Passage(id), share);
        }
    }
    scores
}

fn has(known: &Known, id: &EntityId) -> bool {
    known.entities().any(|entity| entity == id)
}
