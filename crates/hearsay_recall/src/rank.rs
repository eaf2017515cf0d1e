//! One ranking of what the asker knows, by words, meaning and graph.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{BTreeMap, BinaryHeap},
};

use hearsay_belief::{Known, View};
use hearsay_model::{PassageId, text};
use serde::Serialize;

use crate::{
    DocId, Index, Named, Scope,
    candidates::Candidates,
    lexical::{Worded, Words, words},
    links::Links,
    vectors::Probe,
    walk::{Start, WalkStep, Walked, walk},
    words::stems,
};

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
    /// What it is limited to; everything, when nothing is said.
    pub scope: Option<Scope>,
    /// How the channels are weighed.
    pub weights: Weights,
}

impl Explanation {
    /// How the graph led there, in sentences and headings of a view: the facts of the walk, or the passage that names it.
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
    /// The question, with the names that it has not quite right as they are spelt.
    fn spelt(&self) -> Cow<'_, str> {
        let names = self.named.iter().filter_map(|named| named.nearly.as_deref());
        names.fold(self.text.into(), |text: Cow<str>, name| format!("{text}\n{name}").into())
    }
}

/// How much each channel counts, against what it counts by itself: 1 each, unless somebody wants a channel more, less or
/// not at all.
///
/// By themselves words count 1, and meaning counts the more, the clearer its best stands out from the rest of the view:
/// on short lines of talk about as much as words, on whole sentences and paragraphs two or three times as much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Stemmed BM25, as a share of all that the question asks for.
    pub words: f32,
    /// Cosine.
    pub meaning: f32,
    /// What is about those whom the question names, and what a walk from them and from the best facts reaches.
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

/// Why a result is where it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Explanation {
    /// Words, level by level.
    pub words: Words,
    /// The cosine of question and text, without what it owes to the name of one who takes part in a talk; nothing where
    /// one has no vector.
    pub cosine: Option<f32>,
    /// The same with the lines before and after a passage, which count half each.
    pub meaning: Option<f32>,
    /// The share of those whom the question names that the result is about.
    pub named: f32,
    /// What the walk over the graph gives it: as much as a text has by itself that fits so well, 0.0–1.0.
    pub walked: f32,
    /// The passage that names what this one is headed with, where that one fits well.
    pub linked: Option<PassageId>,
    /// How the walk came there, for the first [`EXPLAINED`] results.
    pub path: Vec<WalkStep>,
    /// How much it counts before the question is heard, 0.0–1.0.
    pub prior: f32,
}

/// A result.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// What was found.
    pub doc: DocId,
    /// Its place on the one scale, 0.0–1.0.
    pub score: f32,
    /// What each channel said.
    pub channels: Channels,
    /// The same in full.
    pub explanation: Explanation,
}

/// How many results have the path of the walk with them.
pub const EXPLAINED: usize = 32;

/// How much meaning counts for each point by which the best cosine is above the mean of the view.
const CLARITY: f32 = 3.0;

/// As many texts of cosine 0 are thought beside the view's, so that the mean of a few says little.
const UNRELATED: f32 = 20.0;

/// How much more meaning counts with facts than with passages: a statement is one sentence and says one thing.
const FACT_CLARITY: f32 = 2.0;

/// The cosine of a text that holds what is asked in other words.
const SAYS_IT: f32 = 0.6;

/// Of a text with more words than so many, stop words not counted, the encoder has read a part at most: the more there are,
/// the less its vector tells of the text.
const READ: f32 = 160.0;

/// How much a neighbouring line's cosine counts against the line's own.
const NEIGHBOUR: f32 = 0.5;

/// How much it counts that a fact, or a passage, is about those whom the question names, against words and meaning.
const NAMED_FACT: f32 = 0.3;
const NAMED_PASSAGE: f32 = 0.04;

/// What a fact one hop away from a named entity counts, against one of the entity itself.
const ONE_HOP: f32 = 0.2;

/// The walk begins from at most so many facts, each at least so good as the best, and the more the better it is.
const SEEDS: usize = 10;
const SEED_SHARE: f32 = 0.85;

/// How much of the walk begins at passages.
const FROM_PASSAGES: f64 = 0.3;

/// How sharply the best is told from the good: what is half as good gets a thousandth of the mass, and of two scores the
/// greater nearly is their fusion.
const SHARP: i32 = 10;

/// What the asker saw, read or was told itself counts so much more than what its place or everybody knows.
const OWN: f32 = 0.5;

/// A secret counts so much more: it is what people ask about.
const SECRET: f32 = 0.75;

/// What only says how things are called or ordered counts so much less.
const THIN: f32 = 0.4;

/// A passage counts so much less than a fact: it says more besides.
const PASSAGE: f32 = 0.3;

/// How far the priors lift a result at most.
const MOST_PRIOR: f32 = 1.0 + OWN + SECRET;

/// Ranks what a view holds against a query: the best first, ties by id. What no channel speaks for is left out.
pub fn rank(view: &View, index: &Index, query: &Query) -> Vec<Ranked> {
    Ranking::of(view, index, query).all()
}

/// What a view holds, weighed against a query. Of many facts, only those are looked at closely that may be among the best
/// that are wanted: what comes out is what [`rank`] would give, and sooner.
#[derive(Debug)]
pub struct Ranking<'a> {
    weighed: Weighed<'a>,
    walked: Walked,
    links: Links,
    /// Passages, by id.
    passages: Vec<Scored>,
}

/// Results whose scores are high enough.
#[derive(Debug, Clone, Default)]
pub struct Relevant {
    /// The best of them, the best first.
    pub best: Vec<Ranked>,
    /// The others, in no order.
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
    /// The best first, ties by id.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.at.cmp(&other.at))
    }
}

/// A fact that may come next, in one number. The greatest does: by score, or one that it does not exceed; of equals, one
/// that may have less, because its full score may be equal and its id smaller; then the smaller id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Next(u64);

impl Next {
    /// Nothing, where no channel speaks for the fact.
    fn new(score: f32, at_most: bool, at: usize) -> Option<Self> {
        // The bits of numbers from 0 to 1 are in the order of the numbers, and leave the first two free.
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
    /// Weighs what a view holds against a query.
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

    /// All results, the best first.
    pub fn all(self) -> Vec<Ranked> {
        self.relevant(f32::MIN_POSITIVE, usize::MAX, |_| true).best
    }

    /// The wanted results with at least a score: the best `most` of them in full, and which the others are.
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

    /// The best of the facts that are wanted, at most so many.
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

    /// The best of the passages that are wanted, at most so many.
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

    /// A result as it is told.
    fn ranked(&self, Scored { score, by_walk, at }: Scored, place: usize) -> Ranked {
        let Weighed { candidates, words, meaning, named, .. } = &self.weighed;
        let path = if place < EXPLAINED && by_walk > 0.0 { self.walked.path(at, candidates) } else { Vec::new() };
        let step = |(fact, end): (usize, usize)| {
            let known = candidates.known(fact)?;
            let entity = if end == 0 { Some(known.subject()) } else { known.object().entity() };
            Some(WalkStep { entity: entity?.clone(), fact: known.id() })
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

/// What the channels say of the candidates, before and after the walk.
#[derive(Debug)]
struct Weighed<'a> {
    candidates: Candidates<'a>,
    words: Worded,
    meaning: Meaning<'a>,
    named: Mentioned,
    /// What the question is limited to.
    scope: Option<Vec<bool>>,
    weights: Weights,
}

impl Weighed<'_> {
    /// The candidates that are passages.
    fn passages(&self) -> std::ops::Range<usize> {
        self.candidates.facts..self.candidates.len()
    }

    /// How well a text fits by words and meaning. The more, the greater the cosine.
    fn fits(&self, at: usize, cosine: Option<f32>, clarity: f32) -> f32 {
        let (by_words, by_meaning) = (self.weights.words, self.weights.meaning * clarity);
        let words = self.words.of(at).mean();
        // Where a text has no vector, its words speak for its meaning too; and where it goes on beyond what that tells.
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

    /// The score of a fact, by its full cosine.
    fn fact_score(&mut self, at: usize) -> f32 {
        let cosine = self.meaning.full(&self.candidates, at);
        self.fact_score_by(at, cosine)
    }

    /// A score that the fact's does not exceed, and whether it may be less.
    fn fact_at_most(&self, at: usize) -> (f32, bool) {
        let look = self.meaning.looks[at];
        (self.fact_score_by(at, look.at_most()), look.is_rough())
    }

    // What facts hang together with says little of themselves: the walk does not count.
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

    /// How much a candidate counts before the question is heard, against the most.
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

    /// The facts from which the walk begins, the best first, each with how well it fits; and how well the best of all fits.
    fn seeds(&mut self) -> (Vec<(usize, f32)>, f32) {
        // Where the walk begins, words count more: facts that only sound alike lead anywhere.
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

/// Of up to so many facts, all cosines are computed in full at once; what is asked of one character nearly always is of fewer.
const FEW: usize = if cfg!(test) { 6 } else { 4_096 };

/// What a look at a vector's byte form gave.
#[derive(Debug, Clone, Copy)]
struct Look {
    /// The cosine; not a number, where there is no vector.
    cosine: f32,
    /// How far the full one may be from it; 0, when it is that.
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

/// How much meaning counts against words, with facts and with passages.
#[derive(Debug, Clone, Copy)]
struct Clarity {
    facts: f32,
    passages: f32,
}

/// Two scores as one: nearly the greater.
fn either(a: f32, b: f32) -> f32 {
    if b > 0.0 { (a.powi(SHARP) + b.powi(SHARP)).powf(1.0 / SHARP as f32) } else { a }
}

/// What the vectors say.
#[derive(Debug)]
struct Meaning<'a> {
    probe: Option<Probe<'a>>,
    /// Of each fact.
    looks: Vec<Look>,
    /// Of each passage, alone and with the lines around it.
    lines: Vec<(Option<f32>, Option<f32>)>,
    clarity: Clarity,
}

impl<'a> Meaning<'a> {
    fn of(candidates: &Candidates, index: &'a Index, vector: Option<&'a [f32]>, about: &[About]) -> Self {
        let probe = vector.and_then(|vector| index.vectors().probe(vector));
        let mut looks = vec![Look::NONE; candidates.facts];
        let mut lines: Vec<Option<f32>> = vec![None; candidates.len() - candidates.facts];
        if let Some(probe) = &probe {
            // In the order of the index, in which the vectors lie side by side.
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
        // What so many have in the mean hangs on no one of them: the looks will do. The best is looked for in full.
        let mean = mean(meaning.looks.iter().filter_map(|look| look.cosine()));
        meaning.clarity.facts = clarity(meaning.best(candidates), mean);
        meaning
    }

    /// The best full cosine of the facts.
    fn best(&mut self, candidates: &Candidates) -> f32 {
        let surely = self.looks.iter().filter_map(|look| look.at_least()).fold(0.0, f32::max);
        let near = |at: &usize| self.looks[*at].at_most().is_some_and(|most| most >= surely);
        let near: Vec<usize> = (0..self.looks.len()).filter(near).collect();
        near.into_iter().filter_map(|at| self.full(candidates, at)).fold(0.0, f32::max)
    }

    /// The full cosine of a fact.
    fn full(&mut self, candidates: &Candidates, at: usize) -> Option<f32> {
        let look = &mut self.looks[at];
        if look.is_rough()
            && let (Some(probe), Some(vector)) = (&self.probe, candidates.head(at).vector)
        {
            *look = Look::full(probe.full(vector));
        }
        look.cosine()
    }

    /// The cosine of a candidate, alone and with the lines around it. Of a fact, as far as it was looked at.
    fn of_candidate(&self, at: usize) -> (Option<f32>, Option<f32>) {
        match at.checked_sub(self.looks.len()) {
            None => (self.looks[at].cosine(), self.looks[at].cosine()),
            Some(line) => self.lines[line],
        }
    }
}

/// How much meaning counts, where the best stands out so from the mean.
fn clarity(best: f32, mean: f32) -> f32 {
    CLARITY * (best - mean).max(0.0)
}

/// The mean of some cosines and of the unrelated that are thought beside them.
fn mean(cosines: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = cosines.fold((0.0, 0.0), |(sum, count), cosine| (sum + cosine, count + 1.0));
    sum / (count + UNRELATED)
}

/// Where one whom the question names is spoken of, and where it speaks.
struct About {
    /// The candidates that name it by a name that the knower has.
    names: Vec<bool>,
    /// The candidates that it said.
    said: Vec<bool>,
}

impl About {
    fn of(view: &View, index: &Index, candidates: &Candidates, named: &Named) -> Self {
        let none = || vec![false; candidates.len()];
        let mut about = Self { names: none(), said: none() };
        named_in(view, index, candidates, named, &mut about.names);
        said_by(view, index, candidates, named, &mut about.said);
        about
    }

    /// Takes off what cosines owe to the name alone. Who takes part in a talk is named in it by those who speak to it, which
    /// says little of what it is about: a question that names somebody is like every "Good morning" to that person.
    fn disregard_address(&self, candidates: &Candidates, lines: &mut [Option<f32>]) {
        if !self.said.contains(&true) {
            return;
        }
        // In the order of ids, and not of the talk, whose runs lie as the index has them: a sum hangs on its order.
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

/// How mass that a walk left becomes a score: that of a text which would have got as much by itself.
#[derive(Debug, Clone, Copy, Default)]
struct Scale {
    /// The best of the passages by itself.
    best: f32,
    /// What all of them have, sharpened, against the best.
    sum: f64,
    /// The best of passages and facts.
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

/// A score against the best, sharpened.
fn sharp(score: f32, best: f32) -> f64 {
    if best > 0.0 { f64::from(score / best).powi(SHARP) } else { 0.0 }
}

/// Walks from the ends of the facts that fit best, and from the passages that fit best.
fn walked(weighed: &mut Weighed, index: &Index, passages: &[f32]) -> (Walked, Scale) {
    let (seeds, best) = weighed.seeds();
    let candidates = &weighed.candidates;
    let scale = Scale::of(passages, best);
    // Per entity the sum and number of its facts' worth. Few, in the order of the facts.
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

/// How many facts of an entity the asker knows.
fn degree(candidates: &Candidates, index: &Index, entity: u32) -> usize {
    index.facts_of(entity).iter().filter(|fact| candidates.at(**fact).is_some()).count()
}

/// The weight of an entity with so many facts.
fn rarity_of(degree: usize) -> f32 {
    1.0 / (1.0 + degree as f32).ln().max(1.0)
}

/// What is about those whom the question names, each by its rarity in the view.
#[derive(Debug, Default)]
struct Mentioned {
    shares: Vec<f32>,
}

impl Mentioned {
    fn of(index: &Index, candidates: &Candidates, named: &[Named], spoken: &[About]) -> Self {
        if named.is_empty() {
            return Self::default();
        }
        let entity = |named: &Named| index.entity(&named.id);
        let rarity = |named: &Named| rarity_of(entity(named).map_or(0, |entity| degree(candidates, index, entity)));
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

/// Marks what names an entity by a name that the knower has. Somebody who heard of "the Grey Lady" does
/// not know whom the author meant. Words are only looked at where the terms of the name allow it.
pub(crate) fn named_in(view: &View, index: &Index, candidates: &Candidates, named: &Named, about: &mut [bool]) {
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

/// Marks what was said by an entity, as far as the asker knows whose voice it was.
pub(crate) fn said_by(view: &View, index: &Index, candidates: &Candidates, named: &Named, about: &mut [bool]) {
    let Some(speaker) = index.entity(&named.id) else { return };
    for (at, about) in about.iter_mut().enumerate().take(candidates.len()).skip(candidates.facts) {
        if candidates.head(at).speaker == Some(speaker)
            && let DocId::Passage(id) = candidates.id(at)
        {
            *about |= view.passage(id).is_some_and(|heard| heard.passage.speaker.as_ref() == Some(&named.id));
        }
    }
}

/// The words of a fact or passage.
fn said<'v>(view: &'v View, candidates: &Candidates<'v>, at: usize) -> Option<&'v str> {
    match candidates.id(at) {
        DocId::Fact(_) => candidates.known(at).map(Known::statement),
        DocId::Passage(id) => view.passage(id).map(|heard| heard.passage.text.as_str()),
    }
}
