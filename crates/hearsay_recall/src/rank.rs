//! Ranking of the asker's knowledge by words, meaning and graph.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, BinaryHeap},
};

use hearsay_belief::{Known, View};
use hearsay_model::{PassageId, text};
use serde::Serialize;

use crate::{
    DocId, Index, LinkedEntity, Scope,
    candidates::Candidates,
    lexical::{Worded, Words, words},
    links::Links,
    pagerank::{Activated, ActivationStep, Start, walk},
    vectors::Probe,
    words::stems,
};

/// A ranking query.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// Text of the question.
    pub text: &'a str,
    /// Vector of the question, of length 1, if there is one.
    pub vector: Option<&'a [f32]>,
    /// Entities that the question names, each once.
    pub named: Vec<LinkedEntity>,
    /// Whether the graph channel is used.
    pub graph: bool,
    /// Limit on the results; `None` searches the whole view.
    pub scope: Option<Scope>,
    /// Weights of the channels.
    pub weights: Weights,
}

impl Explanation {
    /// Describes how the graph led to the result, as sentences and titles from a view. The list holds the title or
    /// first words of the passage that names the result, then the statements of the facts on the path.
    pub fn way(&self, view: &View) -> Vec<String> {
        let facts = self.path.iter().filter_map(|step| view.fact(step.fact)).map(|known| known.statement().to_owned());
        let from = self.linked.and_then(|id| view.passage(id)).map(|heard| &heard.passage);
        let begins = |text: &str| {
            let end = text.char_indices().nth(60).map_or(text.len(), |(end, _)| end);
            if end < text.len() { format!("{}\u{2026}", &text[..end]) } else { text.to_owned() }
        };
        let named = from.map(|passage| passage.title.clone().unwrap_or_else(|| begins(&passage.text)));
        named.map(|named| format!("named in \u{201C}{named}\u{201D}")).into_iter().chain(facts).collect()
    }
}

impl Query<'_> {
    /// Returns the question, followed by the correct spelling of each name that it misspells.
    fn spelt(&self) -> Cow<'_, str> {
        let names = self.named.iter().filter_map(|named| named.nearly.as_deref());
        names.fold(self.text.into(), |text: Cow<str>, name| format!("{text}\n{name}").into())
    }
}

/// Weight of each channel, relative to its default weight. The default is 1 each; 0 turns a channel off.
///
/// By default, words count 1. Meaning counts more the further its best cosine lies above the rest of the view. On short
/// lines of talk, meaning counts about as much as words. On whole sentences and paragraphs, it counts two or three
/// times as much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Stemmed BM25, as a share of the maximum score for the question.
    pub words: f32,
    /// Cosine.
    pub meaning: f32,
    /// Closeness to the entities that the question names, and spreading activation from these entities and from the
    /// best facts.
    pub graph: f32,
}

impl Weights {
    /// Words alone.
    pub const WORDS: Self = Self { words: 1.0, meaning: 0.0, graph: 0.0 };
    /// Meaning alone.
    pub const MEANING: Self = Self { words: 0.0, meaning: 1.0, graph: 0.0 };
}

impl Default for Weights {
    fn default() -> Self {
        Self { words: 1.0, meaning: 1.0, graph: 1.0 }
    }
}

/// Score of a result in each channel, 0.0–1.0 each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Channels {
    /// Word score.
    pub words: f32,
    /// Meaning score; `None` if the question or the text has no vector.
    pub meaning: Option<f32>,
    /// Graph score.
    pub graph: f32,
}

/// Explanation of a result's score.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Explanation {
    /// Word scores, level by level.
    pub words: Words,
    /// Cosine of question and text; `None` if either has no vector. For a line of talk, the part that is due to a
    /// participant's name is subtracted.
    pub cosine: Option<f32>,
    /// Cosine smoothed over the lines before and after a passage, which count half each.
    pub meaning: Option<f32>,
    /// Share of the entities named in the question that the result is about.
    pub named: f32,
    /// Score from spreading activation, 0.0–1.0, on the scale of how well a text fits the question by itself.
    pub walked: f32,
    /// A well-fitting passage that names this passage's title.
    pub linked: Option<PassageId>,
    /// Path along which activation spread to the result, for the first [`EXPLAINED`] results.
    pub path: Vec<ActivationStep>,
    /// Weight of the result independent of the question, 0.0–1.0.
    pub prior: f32,
}

/// A ranked result.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Fact or passage that was found.
    pub doc: DocId,
    /// Score on the common scale, 0.0–1.0.
    pub score: f32,
    /// Score of each channel.
    pub channels: Channels,
    /// Detailed explanation of the score.
    pub explanation: Explanation,
}

/// Number of results that include the activation path.
pub const EXPLAINED: usize = 32;

/// Weight of meaning for each point by which the best cosine exceeds the mean of the view.
const CLARITY: f32 = 3.0;

/// Number of imaginary texts of cosine 0 that are added to the view's mean. They reduce the effect of a mean over few
/// texts.
const UNRELATED: f32 = 20.0;

/// Factor on the weight of meaning for facts, relative to passages. A statement is one sentence with one meaning.
const FACT_CLARITY: f32 = 2.0;

/// Typical cosine of a text that answers the question in other words.
const SAYS_IT: f32 = 0.6;

/// Length in words, without stop words, up to which the encoder reads a text whole. The longer a text, the less its
/// vector says about it.
const READ: f32 = 160.0;

/// Weight of a neighbouring line's cosine, relative to the line's own.
const NEIGHBOUR: f32 = 0.5;

/// Weight of a fact, or a passage, being about the entities named in the question, relative to words and meaning.
const NAMED_FACT: f32 = 0.3;
const NAMED_PASSAGE: f32 = 0.04;

/// Weight of a fact one hop away from a named entity, relative to a fact about the entity itself.
const ONE_HOP: f32 = 0.2;

/// Maximum number of facts from which activation spreads, and their minimum score as a share of the best. A better fact
/// contributes more.
const SEEDS: usize = 10;
const SEED_SHARE: f32 = 0.85;

/// Share of the activation mass that starts at passages.
const FROM_PASSAGES: f64 = 0.3;

/// Exponent that separates the best score from good scores. A score half as high as the best receives a thousandth of
/// the mass. The same exponent makes the fusion of two scores nearly equal to the greater one.
const SHARP: i32 = 10;

/// Bonus for facts that the asker saw, read or was told, relative to the knowledge of its place or of everybody.
const OWN: f32 = 0.5;

/// Bonus for secrets, because people ask about them.
const SECRET: f32 = 0.75;

/// Penalty for facts that only state names or order.
const THIN: f32 = 0.4;

/// Penalty for passages relative to facts, because a passage contains other information too.
const PASSAGE: f32 = 0.3;

/// Maximum prior of a result.
const MOST_PRIOR: f32 = 1.0 + OWN + SECRET;

/// Ranks the facts and passages of a view against a query. The best comes first; ties are broken by id. Candidates that
/// no channel supports are left out.
pub fn rank(view: &View, index: &Index, query: &Query) -> Vec<Ranked> {
    Ranking::of(view, index, query).all()
}

/// Ranking of a view against a query, computed on demand. It computes full cosines only for facts that may be among the
/// requested results. The results equal those of [`rank`], but take less time.
#[derive(Debug)]
pub struct Ranking<'a> {
    weighed: Weighed<'a>,
    walked: Activated,
    links: Links,
    /// Passages, by id.
    passages: Vec<Scored>,
}

/// Results whose scores reach a threshold.
#[derive(Debug, Clone, Default)]
pub struct Relevant {
    /// Highest-scoring results, best first.
    pub best: Vec<Ranked>,
    /// Remaining results, in no particular order.
    pub others: Vec<DocId>,
}

/// A candidate with its score.
#[derive(Debug, Clone, Copy)]
struct Scored {
    score: f32,
    by_walk: f32,
    at: usize,
}

impl Scored {
    /// Orders the best score first; ties are broken by position.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.at.cmp(&other.at))
    }
}

/// A fact in the priority queue, packed into one number. The greatest number comes next. The order is by score or upper
/// bound of the score. Among equals, an upper bound comes before an exact score, because its exact score may be equal
/// and its id smaller. Then the smaller id comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Next(u64);

impl Next {
    /// Returns `None` if no channel supports the fact.
    fn new(score: f32, at_most: bool, at: usize) -> Option<Self> {
        // The bit patterns of floats from 0 to 1 sort like the floats, and the two highest bits are free.
        let next = u64::from(score.to_bits()) << 33 | u64::from(at_most) << 32 | u64::from(!(at as u32));
        (score > 0.0).then_some(Self(next))
    }

    fn at_most(self) -> bool {
        self.0 >> 32 & 1 == 1
    }

    fn score(self) -> f32 {
        f32::from_bits((self.0 >> 33) as u32)
    }

    fn at(self) -> usize {
        !(self.0 as u32) as usize
    }
}

impl<'a> Ranking<'a> {
    /// Creates a ranking of a view against a query.
    pub fn of(view: &'a View, index: &'a Index, query: &Query<'a>) -> Self {
        let candidates = Candidates::of(view, index);
        let words = words(&candidates, index, &query.spelt());
        let about: Vec<About> = query.named.iter().map(|named| About::of(view, index, &candidates, named)).collect();
        let meaning = Meaning::of(&candidates, index, query.vector, &about);
        let graph = query.graph && query.weights.graph > 0.0;
        let named = if graph { Mentioned::of(index, &candidates, &query.named, &about) } else { Mentioned::default() };
        let scope = query.scope.as_ref().map(|scope| scope.marks(view, index, &candidates));
        let mut weighed = Weighed { candidates, words, meaning, named, scope, weights: query.weights };
        let mut fits: Vec<f32> = weighed.passages().map(|at| weighed.passage_fits(at)).collect();
        let links = if graph { Links::of(view, index, &weighed.candidates, &fits) } else { Links::default() };
        for (at, fits) in fits.iter_mut().enumerate() {
            *fits = links.to(at).map_or(*fits, |(linked, _)| either(*fits, query.weights.graph * linked));
        }
        let (walked, scale) = if graph { walked(&mut weighed, index, &fits) } else { Default::default() };
        let passages: Vec<Scored> = weighed
            .passages()
            .zip(fits)
            .map(|(at, fits)| {
                let by_walk = query.weights.graph * scale.score(walked.mass(at));
                Scored { score: weighed.passage_score(at, fits, by_walk), by_walk, at }
            })
            .filter(|scored| scored.score > 0.0)
            .collect();
        Self { weighed, walked, links, passages }
    }

    /// Returns all results, best first.
    pub fn all(self) -> Vec<Ranked> {
        self.relevant(f32::MIN_POSITIVE, usize::MAX, |_| true).best
    }

    /// Returns the `wanted` results with a score of at least `least`. The best `most` of them are complete; the others
    /// are returned by id only.
    pub fn relevant(mut self, least: f32, most: usize, wanted: impl Fn(DocId) -> bool) -> Relevant {
        let mut found = Vec::new();
        for at in 0..self.weighed.candidates.facts {
            if self.weighed.fact_at_most(at).0 >= least {
                let score = self.weighed.fact_score(at);
                found.extend((score >= least).then_some(Scored { score, by_walk: 0.0, at }));
            }
        }
        found.extend(self.passages.iter().filter(|passage| passage.score >= least));
        let id = |scored: &Scored| self.weighed.candidates.id(scored.at);
        found.retain(|scored| wanted(id(scored)));
        if found.len() > most {
            found.select_nth_unstable_by(most, Scored::order);
        }
        let others = found.drain(found.len().min(most)..).map(|scored| id(&scored)).collect();
        found.sort_unstable_by(Scored::order);
        let best = found.into_iter().enumerate().map(|(place, scored)| self.ranked(scored, place)).collect();
        Relevant { best, others }
    }

    /// Returns the best `wanted` facts, at most `limit`.
    pub fn facts(&mut self, limit: usize, mut wanted: impl FnMut(&Known) -> bool) -> Vec<Ranked> {
        let weighed = &mut self.weighed;
        let next = |at: usize| {
            let (score, at_most) = weighed.fact_at_most(at);
            Next::new(score, at_most, at)
        };
        let mut next = BinaryHeap::from((0..weighed.candidates.facts).filter_map(next).collect::<Vec<_>>());
        let mut found = Vec::new();
        while found.len() < limit
            && let Some(best) = next.pop()
        {
            let at = best.at();
            if !weighed.candidates.known(at).is_some_and(&mut wanted) {
                continue;
            }
            if best.at_most() {
                next.extend(Next::new(weighed.fact_score(at), false, at));
            } else {
                found.push(Scored { score: best.score(), by_walk: 0.0, at });
            }
        }
        found.into_iter().enumerate().map(|(place, scored)| self.ranked(scored, place)).collect()
    }

    /// Returns the best `wanted` passages, at most `limit`.
    pub fn passages(&self, limit: usize, mut wanted: impl FnMut(PassageId) -> bool) -> Vec<Ranked> {
        let mut wanted = |at: usize| match self.weighed.candidates.id(at) {
            DocId::Passage(id) => wanted(id),
            DocId::Fact(_) => false,
        };
        let next = self.passages.iter().filter_map(|scored| Next::new(scored.score, false, scored.at));
        let mut next = BinaryHeap::from(next.collect::<Vec<_>>());
        let mut found = Vec::new();
        while found.len() < limit
            && let Some(best) = next.pop()
        {
            let held = self.passages.binary_search_by_key(&best.at(), |scored| scored.at);
            found.extend(held.ok().filter(|_| wanted(best.at())).map(|held| self.passages[held]));
        }
        found.into_iter().enumerate().map(|(place, scored)| self.ranked(scored, place)).collect()
    }

    /// Builds the complete result of a scored candidate. `place` is its position among the results.
    fn ranked(&self, Scored { score, by_walk, at }: Scored, place: usize) -> Ranked {
        let Weighed { candidates, words, meaning, named, .. } = &self.weighed;
        let path = if place < EXPLAINED && by_walk > 0.0 { self.walked.path(at, candidates) } else { Vec::new() };
        let step = |(fact, end): (usize, usize)| {
            let known = candidates.known(fact)?;
            let entity = if end == 0 { Some(known.subject()) } else { known.object().entity() };
            Some(ActivationStep { entity: entity?.clone(), fact: known.id() })
        };
        let linked = at.checked_sub(candidates.facts).and_then(|passage| self.links.to(passage));
        let (words, (cosine, smooth)) = (words.of(at), meaning.of_candidate(at));
        let explanation = Explanation {
            words,
            cosine,
            meaning: smooth,
            named: named.share(at),
            walked: by_walk,
            linked: linked.map(|(_, from)| from),
            path: path.into_iter().filter_map(step).collect(),
            prior: self.weighed.prior(at),
        };
        let channels = Channels {
            words: words.mean().min(1.0),
            meaning: smooth.map(|cosine| cosine.max(0.0)),
            graph: named.share(at).max(by_walk).max(linked.map_or(0.0, |(linked, _)| linked)).min(1.0),
        };
        Ranked { doc: candidates.id(at), score, channels, explanation }
    }
}

/// Channel scores of the candidates, before and after spreading activation.
#[derive(Debug)]
struct Weighed<'a> {
    candidates: Candidates<'a>,
    words: Worded,
    meaning: Meaning<'a>,
    named: Mentioned,
    /// For each candidate, whether it is in the query's scope.
    scope: Option<Vec<bool>>,
    weights: Weights,
}

impl Weighed<'_> {
    /// Returns the candidates that are passages.
    fn passages(&self) -> std::ops::Range<usize> {
        self.candidates.facts..self.candidates.len()
    }

    /// Returns how well a text fits by words and meaning. The result increases with the cosine.
    fn fits(&self, at: usize, cosine: Option<f32>, clarity: f32) -> f32 {
        let (by_words, by_meaning) = (self.weights.words, self.weights.meaning * clarity);
        let words = self.words.of(at).mean();
        // Where a text has no vector, its words stand in for its meaning. The same applies to the part of a long text
        // that its vector does not cover.
        let by_words_alone = words * SAYS_IT;
        let means = cosine.map_or(by_words_alone, |cosine| {
            let read = (READ / self.candidates.head(at).length.max(1) as f32).min(1.0);
            cosine.max(0.0) * read + by_words_alone * (1.0 - read)
        });
        (by_words * words + by_meaning * means) / (by_words + by_meaning).max(f32::MIN_POSITIVE)
    }

    fn passage_fits(&self, at: usize) -> f32 {
        self.fits(at, self.meaning.of_candidate(at).1, self.meaning.clarity.passages)
    }

    fn passage_score(&self, at: usize, fits: f32, by_walk: f32) -> f32 {
        let fused = either(fits, by_walk);
        self.score(at, fused, NAMED_PASSAGE)
    }

    /// Computes the score of a fact from its full cosine.
    fn fact_score(&mut self, at: usize) -> f32 {
        let cosine = self.meaning.full(&self.candidates, at);
        self.fact_score_by(at, cosine)
    }

    /// Returns an upper bound of a fact's score, and whether the exact score may be lower.
    fn fact_at_most(&self, at: usize) -> (f32, bool) {
        let look = self.meaning.looks[at];
        (self.fact_score_by(at, look.at_most()), look.is_rough())
    }

    // The facts around a fact say little about the fact itself, so spreading activation does not count.
    fn fact_score_by(&self, at: usize, cosine: Option<f32>) -> f32 {
        self.score(at, self.fits(at, cosine, FACT_CLARITY * self.meaning.clarity.facts), NAMED_FACT)
    }

    fn score(&self, at: usize, fits: f32, about: f32) -> f32 {
        if self.scope.as_ref().is_some_and(|marks| !marks[at]) {
            return 0.0;
        }
        let graph = self.weights.graph;
        let fused = (fits + graph * about * self.named.share(at)) / (1.0 + graph * NAMED_FACT);
        if fused > 0.0 { (fused * self.prior(at)).min(1.0) } else { 0.0 }
    }

    /// Returns a candidate's weight independent of the question, as a share of the maximum.
    fn prior(&self, at: usize) -> f32 {
        let prior = if at < self.candidates.facts {
            let (brief, thin) = (self.candidates.brief(at), self.candidates.head(at).thin);
            let weigh = |is: bool, weight: f32| if is { weight } else { 0.0 };
            1.0 + weigh(brief.own, OWN) + weigh(brief.secret, SECRET) - weigh(thin, THIN)
        } else {
            1.0 + OWN - PASSAGE
        };
        prior / MOST_PRIOR
    }

    /// Returns the facts from which activation spreads, best first, each with its fit, and the fit of the best fact.
    fn seeds(&mut self) -> (Vec<(usize, f32)>, f32) {
        // Words count more for the starting facts, because facts that are only similar in meaning lead to unrelated
        // entities.
        let clarity = self.meaning.clarity.facts;
        let looks = || self.meaning.looks.iter().enumerate();
        let surely = looks().map(|(at, look)| self.fits(at, look.at_least(), clarity)).fold(0.0, f32::max);
        let near = (surely * SEED_SHARE).max(f32::MIN_POSITIVE);
        let near: Vec<usize> =
            looks().filter(|(at, look)| self.fits(*at, look.at_most(), clarity) >= near).map(|(at, _)| at).collect();
        let mut seeds = Vec::with_capacity(near.len());
        for at in near {
            let cosine = self.meaning.full(&self.candidates, at);
            seeds.push((at, self.fits(at, cosine, clarity)));
        }
        seeds.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let best = seeds.first().map_or(0.0, |(_, fits)| *fits);
        let least = (best * SEED_SHARE).max(f32::MIN_POSITIVE);
        seeds.retain(|(_, fits)| *fits >= least);
        seeds.truncate(SEEDS);
        (seeds, best)
    }
}

/// Maximum number of facts for which all cosines are computed in full at once. A query about one character nearly
/// always has fewer.
const FEW: usize = if cfg!(test) { 6 } else { 4_096 };

/// Estimate of a cosine from a vector's byte form.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// Cosine; NaN if there is no vector.
    cosine: f32,
    /// Maximum difference from the full cosine; 0 if this is the full cosine.
    error: f32,
}

impl Look {
    const NONE: Self = Self { cosine: f32::NAN, error: 0.0 };

    fn full(cosine: f32) -> Self {
        Self { cosine, error: 0.0 }
    }

    fn is_rough(self) -> bool {
        self.error > 0.0
    }

    fn cosine(self) -> Option<f32> {
        Some(self.cosine).filter(|cosine| !cosine.is_nan())
    }

    fn at_most(self) -> Option<f32> {
        self.cosine().map(|cosine| cosine + self.error)
    }

    fn at_least(self) -> Option<f32> {
        self.cosine().map(|cosine| cosine - self.error)
    }
}

/// Weight of meaning relative to words, for facts and for passages.
#[derive(Debug, Clone, Copy)]
struct Clarity {
    facts: f32,
    passages: f32,
}

/// Combines two scores; the result is close to the greater one.
fn either(a: f32, b: f32) -> f32 {
    if b > 0.0 { (a.powi(SHARP) + b.powi(SHARP)).powf(1.0 / SHARP as f32) } else { a }
}

/// Scores of the meaning channel.
#[derive(Debug)]
struct Meaning<'a> {
    probe: Option<Probe<'a>>,
    /// Cosine of each fact.
    looks: Vec<Look>,
    /// Cosine of each passage, alone and smoothed over the neighbouring lines.
    lines: Vec<(Option<f32>, Option<f32>)>,
    clarity: Clarity,
}

impl<'a> Meaning<'a> {
    fn of(candidates: &Candidates, index: &'a Index, vector: Option<&'a [f32]>, about: &[About]) -> Self {
        let probe = vector.and_then(|vector| index.vectors().probe(vector));
        let mut looks = vec![Look::NONE; candidates.facts];
        let mut lines: Vec<Option<f32>> = vec![None; candidates.len() - candidates.facts];
        if let Some(probe) = &probe {
            // In index order, because the vectors are stored side by side in that order.
            for (place, at) in candidates.in_place().filter(|(_, at)| *at >= candidates.facts) {
                lines[at - candidates.facts] = index.head_at(place).vector.map(|vector| probe.full(vector));
            }
            if candidates.facts <= FEW {
                for (at, look) in looks.iter_mut().enumerate() {
                    *look = candidates.head(at).vector.map_or(Look::NONE, |vector| Look::full(probe.full(vector)));
                }
            } else {
                for (place, at) in candidates.in_place().filter(|(_, at)| *at < candidates.facts) {
                    let Some(vector) = index.head_at(place).vector else { continue };
                    let (cosine, error) = probe.look(vector);
                    looks[at] = Look { cosine, error };
                }
            }
        }
        for about in about.iter().filter(|_| probe.is_some()) {
            about.disregard_address(candidates, &mut lines);
        }
        let mut smooth = lines.clone();
        let of = |place: usize| candidates.talk[place].candidate - candidates.facts;
        for place in 0..candidates.talk.len() {
            let Some(own) = lines[of(place)] else { continue };
            let (mut sum, mut weight) = (own, 1.0);
            for beside in candidates.neighbours(place).filter_map(|beside| lines[of(beside)]) {
                sum += NEIGHBOUR * beside;
                weight += NEIGHBOUR;
            }
            smooth[of(place)] = Some(sum / weight);
        }
        let best = smooth.iter().flatten().copied().fold(0.0, f32::max);
        let passages = clarity(best, mean(smooth.iter().flatten().copied()));
        let lines = lines.into_iter().zip(smooth).collect();
        let mut meaning = Self { probe, looks, lines, clarity: Clarity { facts: 0.0, passages } };
        // The mean over many facts depends little on any single one, so estimates are sufficient. The best cosine is
        // computed in full.
        let mean = mean(meaning.looks.iter().filter_map(|look| look.cosine()));
        meaning.clarity.facts = clarity(meaning.best(candidates), mean);
        meaning
    }

    /// Returns the best full cosine of the facts.
    fn best(&mut self, candidates: &Candidates) -> f32 {
        let surely = self.looks.iter().filter_map(|look| look.at_least()).fold(0.0, f32::max);
        let near = |at: &usize| self.looks[*at].at_most().is_some_and(|most| most >= surely);
        let near: Vec<usize> = (0..self.looks.len()).filter(near).collect();
        near.into_iter().filter_map(|at| self.full(candidates, at)).fold(0.0, f32::max)
    }

    /// Returns the full cosine of a fact.
    fn full(&mut self, candidates: &Candidates, at: usize) -> Option<f32> {
        let look = &mut self.looks[at];
        if look.is_rough()
            && let (Some(probe), Some(vector)) = (&self.probe, candidates.head(at).vector)
        {
            *look = Look::full(probe.full(vector));
        }
        look.cosine()
    }

    /// Returns the cosine of a candidate, alone and smoothed over the neighbouring lines. For a fact, both values may
    /// be estimates.
    fn of_candidate(&self, at: usize) -> (Option<f32>, Option<f32>) {
        match at.checked_sub(self.looks.len()) {
            None => (self.looks[at].cosine(), self.looks[at].cosine()),
            Some(line) => self.lines[line],
        }
    }
}

/// Returns the weight of meaning for the distance of the best cosine from the mean.
fn clarity(best: f32, mean: f32) -> f32 {
    CLARITY * (best - mean).max(0.0)
}

/// Returns the mean of cosines together with the imaginary unrelated texts ([`UNRELATED`]).
fn mean(cosines: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = cosines.fold((0.0, 0.0), |(sum, count), cosine| (sum + cosine, count + 1.0));
    sum / (count + UNRELATED)
}

/// Candidates that name an entity from the question, and passages that it speaks.
struct About {
    /// For each candidate, whether it contains a name that the knower has for the entity.
    names: Vec<bool>,
    /// For each candidate, whether the entity said it.
    said: Vec<bool>,
}

impl About {
    fn of(view: &View, index: &Index, candidates: &Candidates, named: &LinkedEntity) -> Self {
        let none = || vec![false; candidates.len()];
        let mut about = Self { names: none(), said: none() };
        named_in(view, index, candidates, named, &mut about.names);
        said_by(view, index, candidates, named, &mut about.said);
        about
    }

    /// Subtracts the part of the cosines that is due to the name alone. Speakers address a participant of a talk by
    /// name, which says little about the topic. Otherwise a question that names a person would match every "Good
    /// morning" to that person.
    fn disregard_address(&self, candidates: &Candidates, lines: &mut [Option<f32>]) {
        if !self.said.contains(&true) {
            return;
        }
        // In id order, because a float sum depends on its order and the order of the talk depends on the index.
        let talk = || candidates.facts..candidates.len();
        let mean = |names_it: bool| {
            let cosines =
                talk().filter(|said| self.names[*said] == names_it).filter_map(|said| lines[said - candidates.facts]);
            let (sum, count) = cosines.fold((0.0, 0), |(sum, count), of| (sum + of, count + 1));
            (count > 0).then(|| sum / count as f32)
        };
        let (Some(with), Some(without)) = (mean(true), mean(false)) else { return };
        let owed = (with - without).max(0.0);
        for said in talk().filter(|said| self.names[*said]) {
            let line = &mut lines[said - candidates.facts];
            *line = line.map(|cosine| cosine - owed);
        }
    }
}

/// Converts activation mass to a score: the score of a text that would start with the same mass.
#[derive(Debug, Clone, Copy, Default)]
struct Scale {
    /// Best passage score before spreading activation.
    best: f32,
    /// Sum of all sharpened passage scores, relative to the best.
    sum: f64,
    /// Best score of passages and facts.
    most: f32,
}

impl Scale {
    fn of(passages: &[f32], facts: f32) -> Self {
        let best = passages.iter().copied().fold(0.0, f32::max);
        let sum = passages.iter().map(|score| sharp(*score, best)).sum::<f64>().max(1.0);
        Self { best, sum, most: best.max(facts) }
    }

    fn score(&self, mass: f64) -> f32 {
        if mass == 0.0 {
            return 0.0;
        }
        let by_itself = mass * self.sum / FROM_PASSAGES;
        self.most * (by_itself.powf(1.0 / f64::from(SHARP)) as f32).min(1.0)
    }
}

/// Returns a score relative to the best, sharpened.
fn sharp(score: f32, best: f32) -> f64 {
    if best > 0.0 { f64::from(score / best).powi(SHARP) } else { 0.0 }
}

/// Spreads activation from the ends of the best facts, and from the best passages.
fn walked(weighed: &mut Weighed, index: &Index, passages: &[f32]) -> (Activated, Scale) {
    let (seeds, best) = weighed.seeds();
    let candidates = &weighed.candidates;
    let scale = Scale::of(passages, best);
    // Sum and number of fact scores per entity. The list is short and keeps the order of the facts.
    let mut worth: Vec<(u32, f64, f64)> = Vec::new();
    for (fact, fits) in seeds {
        let score = f64::from(fits / best).powi(3);
        for end in candidates.doc(fact).ends.into_iter().flatten() {
            match worth.iter_mut().find(|(entity, ..)| *entity == end) {
                Some((_, sum, count)) => (*sum, *count) = (*sum + score, *count + 1.0),
                None => worth.push((end, score, 1.0)),
            }
        }
    }
    let mut entities: Vec<(u32, f64)> = worth.into_iter().map(|(entity, sum, count)| (entity, sum / count)).collect();
    for (entity, worth) in &mut entities {
        *worth /= degree(candidates, index, *entity).max(1) as f64;
    }
    let total: f64 = entities.iter().map(|(_, worth)| worth).sum();
    entities.iter_mut().for_each(|(_, worth)| *worth *= (1.0 - FROM_PASSAGES) / total);
    let by_itself = |(at, score): (usize, &f32)| {
        let share = FROM_PASSAGES * sharp(*score, scale.best) / scale.sum;
        (share > 1e-5).then_some((candidates.facts + at, share))
    };
    let passages = passages.iter().enumerate().filter_map(by_itself).collect();
    (walk(candidates, index, &Start { entities, passages }), scale)
}

/// Returns the number of an entity's facts that the asker knows.
fn degree(candidates: &Candidates, index: &Index, entity: u32) -> usize {
    index.facts_of(entity).iter().filter(|fact| candidates.at(**fact).is_some()).count()
}

/// Returns the weight of an entity with `degree` facts.
fn rarity_of(degree: usize) -> f32 {
    1.0 / (1.0 + degree as f32).ln().max(1.0)
}

/// For each candidate, the share of the named entities that it is about. Each entity is weighted by its rarity in the
/// view.
#[derive(Debug, Default)]
struct Mentioned {
    shares: Vec<f32>,
}

impl Mentioned {
    fn of(index: &Index, candidates: &Candidates, named: &[LinkedEntity], spoken: &[About]) -> Self {
        if named.is_empty() {
            return Self::default();
        }
        let entity = |named: &LinkedEntity| index.entity(&named.id);
        let rarity =
            |named: &LinkedEntity| rarity_of(entity(named).map_or(0, |entity| degree(candidates, index, entity)));
        let total: f32 = named.iter().map(rarity).sum();
        let mut shares = vec![0.0; candidates.len()];
        for (named, spoken) in named.iter().zip(spoken) {
            let mut about: Vec<bool> =
                spoken.names.iter().zip(&spoken.said).map(|(names, said)| *names || *said).collect();
            for &fact in entity(named).map_or(&[][..], |entity| index.facts_of(entity)) {
                candidates.at(fact).into_iter().for_each(|fact| about[fact] = true);
            }
            let share = rarity(named) / total;
            shares.iter_mut().zip(about).filter(|(_, about)| *about).for_each(|(sum, _)| *sum += share);
        }
        let named: Vec<Option<u32>> = named.iter().map(entity).collect();
        let mut near: BTreeMap<u32, f32> = BTreeMap::new();
        let about = |fact: &usize| shares[*fact] > 0.0;
        for fact in (0..candidates.facts).filter(about) {
            let share = shares[fact];
            for end in candidates.doc(fact).ends.into_iter().flatten().filter(|end| !named.contains(&Some(*end))) {
                let near = near.entry(end).or_default();
                *near = near.max(share);
            }
        }
        let mut hop = vec![0.0_f32; candidates.facts];
        for (entity, share) in near {
            let share = ONE_HOP * share * rarity_of(degree(candidates, index, entity));
            for fact in index.facts_of(entity).iter().filter_map(|fact| candidates.at(*fact)) {
                hop[fact] = hop[fact].max(share);
            }
        }
        for (share, hop) in shares.iter_mut().zip(hop).filter(|(share, _)| **share == 0.0) {
            *share = hop;
        }
        Self { shares }
    }

    fn share(&self, candidate: usize) -> f32 {
        self.shares.get(candidate).copied().unwrap_or_default()
    }
}

/// Marks the candidates that contain a name which the knower has for an entity. A knower who heard of "the Grey Lady"
/// does not know which entity the author meant. The text is compared only if it contains the terms of the name.
pub(crate) fn named_in(view: &View, index: &Index, candidates: &Candidates, named: &LinkedEntity, about: &mut [bool]) {
    for name in &named.names {
        let terms = stems(&name.join(" ")).iter().map(|stem| index.term(stem)).collect::<Option<Vec<u32>>>();
        let Some(terms) = terms else { continue };
        let Some(rarest) = terms.iter().min_by_key(|term| index.postings(**term).len()) else { continue };
        for at in index.postings(*rarest).iter().filter_map(|(place, _)| candidates.at(*place)) {
            let may = !about[at] && terms.iter().all(|term| candidates.has(at, *term));
            about[at] |= may && said(view, candidates, at).is_some_and(|text| text::names(&text::words(text), name));
        }
    }
}

/// Marks the passages that an entity said, if the asker knows who spoke.
pub(crate) fn said_by(view: &View, index: &Index, candidates: &Candidates, named: &LinkedEntity, about: &mut [bool]) {
    let Some(speaker) = index.entity(&named.id) else { return };
    for (at, about) in about.iter_mut().enumerate().take(candidates.len()).skip(candidates.facts) {
        if candidates.head(at).speaker == Some(speaker)
            && let DocId::Passage(id) = candidates.id(at)
        {
            *about |= view.passage(id).is_some_and(|heard| heard.passage.speaker.as_ref() == Some(&named.id));
        }
    }
}

/// Returns the text of a fact or passage.
fn said<'v>(view: &'v View, candidates: &Candidates<'v>, at: usize) -> Option<&'v str> {
    match candidates.id(at) {
        DocId::Fact(_) => candidates.known(at).map(Known::statement),
        DocId::Passage(id) => view.passage(id).map(|heard| heard.passage.text.as_str()),
    }
}
