//! One ranking of what the asker knows, by words, meaning and graph.

use std::collections::BTreeMap;

use hearsay_belief::{Heard, Known, Via, View};
use hearsay_model::{EntityId, attribute, text};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::{DocId, Index, Named, index::Doc, words::stems};

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// The words of the question.
    pub text: &'a str,
    /// Its vector, of length 1, where there is one.
    pub vector: Option<&'a [f32]>,
    /// The entities that it names, each once.
    pub named: Vec<Named>,
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

impl Weights {
    /// Words alone.
    pub const WORDS: Self = Self { words: 1.0, meaning: 0.0, graph: 0.0 };
    /// Meaning alone.
    pub const MEANING: Self = Self { words: 0.0, meaning: 1.0, graph: 0.0 };
    /// The graph alone.
    pub const GRAPH: Self = Self { words: 0.0, meaning: 0.0, graph: 1.0 };
}

impl Default for Weights {
    /// Meaning leads and words follow, because each is calibrated: a share of all that the question asks for. Fitted on
    /// the questions over the example campaign (`tests/questions`), together with the priors.
    fn default() -> Self {
        Self { words: 0.35, meaning: 1.0, graph: 0.4 }
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

/// The cosine at which two sentences say the same, with this encoder. Unrelated ones have about none.
const COSINE_CEILING: f32 = 0.75;

/// BM25's saturation of repeated words, and its weight of a text's length.
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// What a fact one hop away from a named entity counts, against one of the entity itself.
const ONE_HOP: f32 = 0.2;

/// What the asker saw, read or was told itself counts so much more than what its place or everybody knows.
const OWN: f32 = 0.5;

/// A secret counts so much more: it is what people ask about.
const SECRET: f32 = 0.75;

/// What only says how things are called or ordered counts so much less.
const THIN: f32 = 0.4;
const THIN_PREDICATES: [&str; 8] = ["alias", "age", "gender", "motto", "pronouns", "symbol", "PART_OF", "RESIDENT_OF"];

/// A passage counts so much less than a fact: it says more besides.
const PASSAGE: f32 = 0.3;

/// How far the priors lift a result at most.
const MOST_PRIOR: f32 = 1.0 + OWN + SECRET;

/// Ranks what a view holds against a query: the best first, ties by id. What no channel speaks for is left out.
pub fn rank(view: &View, index: &Index, query: &Query) -> Vec<Ranked> {
    let docs = candidates(view, index);
    let words = words_channel(&docs, index, query.text);
    let graph = if query.graph { graph_channel(view, index, &query.named) } else { FxHashMap::default() };
    let mut ranked: Vec<Ranked> = Vec::new();
    for ((id, doc), words) in docs.iter().zip(words) {
        let cosine = query.vector.and_then(|vector| index.similarity(doc, vector));
        let meaning = cosine.map(|cosine| (cosine / COSINE_CEILING).clamp(0.0, 1.0));
        let channels = Channels { words, meaning, graph: graph.get(id).copied().unwrap_or_default() };
        let score = fuse(&channels, query.vector.is_some(), &query.weights) * prior(view, *id) / MOST_PRIOR;
        if score > 0.0 {
            ranked.push(Ranked { doc: *id, score, channels });
        }
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.doc.cmp(&b.doc)));
    ranked
}

/// The weighted mean of the channels. Where a text has no vector, its words speak for its meaning too; where the question
/// has none, the other channels speak alone.
fn fuse(channels: &Channels, has_vector: bool, weights: &Weights) -> f32 {
    let meaning = if has_vector { weights.meaning } else { 0.0 };
    let total = weights.words + meaning + weights.graph;
    let means = channels.meaning.unwrap_or(channels.words);
    (weights.words * channels.words + meaning * means + weights.graph * channels.graph) / total
}

/// How much a result counts before the question is heard.
fn prior(view: &View, doc: DocId) -> f32 {
    let DocId::Fact(id) = doc else { return 1.0 + OWN - PASSAGE };
    let Some(known) = view.fact(id) else { return 1.0 };
    let own = known.ways().first().is_some_and(|way| way.via == Via::Own);
    let thin = THIN_PREDICATES.contains(&known.predicate().as_str());
    let weigh = |is: bool, weight: f32| if is { weight } else { 0.0 };
    1.0 + weigh(own, OWN) + weigh(known.is_secret(), SECRET) - weigh(thin, THIN)
}

/// All that the view holds and the index knows, by id.
fn candidates<'a>(view: &View, index: &'a Index) -> Vec<(DocId, &'a Doc)> {
    let facts = view.facts().map(|known| DocId::Fact(known.id()));
    let passages = view.passages().map(|(id, _): (_, &Heard)| DocId::Passage(id));
    facts.chain(passages).filter_map(|id| Some((id, index.doc(id)?))).collect()
}

/// BM25 of every document, as a share of what a document would have that holds every word of the question. Document
/// frequencies and lengths are those of the view.
///
/// Dividing by the best document instead would give full marks to whatever shares one stray word with the question.
fn words_channel(docs: &[(DocId, &Doc)], index: &Index, question: &str) -> Vec<f32> {
    let mut scores = vec![0.0_f32; docs.len()];
    let mut stems = stems(question);
    stems.sort_unstable();
    stems.dedup();
    let length_sum: f64 = docs.iter().map(|(_, doc)| f64::from(doc.length)).sum();
    let mean = (length_sum / docs.len().max(1) as f64).max(1.0) as f32;
    let mut all = 0.0;
    for stem in &stems {
        let counts: Vec<Option<f32>> = match index.term(stem) {
            Some(term) => docs.iter().map(|(_, doc)| doc.count(term)).collect(),
            None => Vec::new(),
        };
        let frequency = counts.iter().flatten().count() as f32;
        let rarity = (1.0 + (docs.len() as f32 - frequency + 0.5) / (frequency + 0.5)).ln();
        all += rarity;
        for ((score, count), (_, doc)) in scores.iter_mut().zip(counts).zip(docs) {
            if let Some(count) = count {
                let norm = K1 * (1.0 - B + B * doc.length as f32 / mean);
                *score += rarity * count * (K1 + 1.0) / (count + norm);
            }
        }
    }
    if all > 0.0 {
        for score in &mut scores {
            *score = (*score / all).min(1.0);
        }
    }
    scores
}

/// Facts and passages of the named entities, each entity by its rarity in the view; and those one hop on.
fn graph_channel(view: &View, index: &Index, named: &[Named]) -> FxHashMap<DocId, f32> {
    let mut scores = FxHashMap::default();
    if named.is_empty() {
        return scores;
    }
    let sought: Vec<Sought> = named.iter().map(|named| Sought::of(named, index)).collect();
    let mut degree: BTreeMap<&EntityId, f32> = BTreeMap::new();
    for known in view.facts() {
        for id in ends(known) {
            *degree.entry(id).or_default() += 1.0;
        }
    }
    let rarity = |id: &EntityId| 1.0 / (1.0 + degree.get(id).copied().unwrap_or_default()).ln().max(1.0);
    let total: f32 = named.iter().map(|named| rarity(&named.id)).sum();
    let share = |is: &dyn Fn(&Sought) -> bool| -> f32 {
        sought.iter().filter(|sought| is(sought)).map(|sought| rarity(&sought.named.id)).sum::<f32>() / total
    };
    let mut neighbours: BTreeMap<&EntityId, f32> = BTreeMap::new();
    for known in view.facts() {
        let share = share(&|sought| is_about(known, sought, index));
        if share > 0.0 {
            scores.insert(DocId::Fact(known.id()), share);
            for other in ends(known).filter(|other| named.iter().all(|named| named.id != **other)) {
                let near = neighbours.entry(other).or_default();
                *near = near.max(share);
            }
        }
    }
    for known in view.facts() {
        let near = ends(known).filter_map(|id| Some(neighbours.get(id)? * rarity(id))).fold(0.0, f32::max);
        if near > 0.0 {
            scores.entry(DocId::Fact(known.id())).or_insert(near * ONE_HOP);
        }
    }
    for (id, heard) in view.passages() {
        let share = share(&|sought| sought.stands_in(DocId::Passage(id), &heard.passage.text, index));
        if share > 0.0 {
            scores.insert(DocId::Passage(id), share);
        }
    }
    scores
}

/// Subject and object, unless the fact is a free sentence: whom that is about, only its words tell.
fn ends(known: &Known) -> impl Iterator<Item = &EntityId> {
    let free = *known.predicate() == *attribute::LORE;
    std::iter::once(known.subject()).chain(known.object().entity()).filter(move |_| !free)
}

/// Whether a fact is about a named entity as far as the knower can tell: an end of it, or named in the sentence by a name
/// that the knower has. Somebody who heard of "the Grey Lady" does not know whom the author meant.
fn is_about(known: &Known, sought: &Sought, index: &Index) -> bool {
    ends(known).any(|id| *id == sought.named.id) || sought.stands_in(DocId::Fact(known.id()), known.statement(), index)
}

/// A named entity, with what the index tells of its names at once.
struct Sought<'a> {
    named: &'a Named,
    /// For each name that can stand in a text at all, the terms of its words.
    terms: Vec<Vec<u32>>,
}

impl<'a> Sought<'a> {
    fn of(named: &'a Named, index: &Index) -> Self {
        let terms = |name: &Vec<String>| stems(&name.join(" ")).iter().map(|stem| index.term(stem)).collect();
        Self { named, terms: named.names.iter().filter_map(terms).collect() }
    }

    /// Whether one of the names stands in a text. Its words are only looked at where its terms allow it.
    fn stands_in(&self, id: DocId, text: &str, index: &Index) -> bool {
        let Some(doc) = index.doc(id) else { return false };
        let may = self.terms.iter().any(|terms| terms.iter().all(|term| doc.count(*term).is_some()));
        may && self.named.stands_in(&text::words(text))
    }
}
