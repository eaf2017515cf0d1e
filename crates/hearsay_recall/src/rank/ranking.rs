//! The ranking: combines the channels into one score and returns the best results.

use std::{cmp::Ordering, collections::BinaryHeap, sync::Arc};

use hearsay_belief::{Known, View};
use hearsay_model::{GameTime, PassageId};

use super::{
    activation::spread_activation,
    entities::{EntityMatches, EntityShares},
    meaning::MeaningScores,
    query::Query,
    result::{Channels, Explanation, Ranked},
    scores::{ChannelScores, smooth_max},
};
use crate::{
    DocId, Index,
    candidates::Candidates,
    lexical::lexical_scores,
    links::Links,
    pagerank::{Activation, ActivationStep},
};

/// Number of results whose explanation contains the activation path. These are the best results.
pub const EXPLAINED: usize = 32;

/// Ranks the facts and passages of a view for a query, best first. Results with equal scores are sorted by id.
/// Candidates with a score of 0 in every channel are omitted.
pub fn rank(view: &View, index: &Index, query: &Query) -> Vec<Ranked> {
    Ranking::new(view, index, query).all()
}

/// A ranking of the facts and passages of a view for a query. The methods compute only the results that the caller
/// requests. The results equal the results of [`rank`], but need less time.
#[derive(Debug)]
pub struct Ranking<'a> {
    scores: ChannelScores<'a>,
    activation: Activation,
    links: Links,
    /// Passages with a score above 0, sorted by id.
    passages: Vec<Scored>,
}

/// Rankings of one view for several queries at the same game time. They share the data that does not depend on the query,
/// so they need less time than separate rankings.
#[derive(Debug)]
pub struct Rankings<'a> {
    view: &'a View,
    index: &'a Index,
    candidates: Arc<Candidates<'a>>,
}

impl<'a> Rankings<'a> {
    /// Prepares rankings of the facts and passages of a view. `now` is the game time of the queries, as in
    /// [`Query::now`].
    pub fn new(view: &'a View, index: &'a Index, now: Option<GameTime>) -> Self {
        Self { view, index, candidates: Arc::new(Candidates::from_view(view, index, now)) }
    }

    /// Ranks the facts and passages for a query. The field [`now`](Query::now) of the query has no effect.
    pub fn ranking<'q>(&self, query: &Query<'q>) -> Ranking<'q>
    where
        'a: 'q,
    {
        Ranking::from_candidates(self.view, self.index, Arc::clone(&self.candidates), query)
    }
}

/// Results whose score is at least a given minimum.
#[derive(Debug, Clone, Default)]
pub struct Relevant {
    /// Highest-scoring results, best first.
    pub best: Vec<Ranked>,
    /// Ids of the remaining results, in no particular order.
    pub others: Vec<DocId>,
}

/// A candidate with its score.
#[derive(Debug, Clone, Copy)]
struct Scored {
    score: f32,
    activation_score: f32,
    at: usize,
}

impl Scored {
    /// Orders by score, highest first. Ties are broken by candidate number.
    fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.at.cmp(&other.at))
    }
}

/// A candidate in the priority queue, packed into one number. The queue returns the greatest number first. Candidates
/// are ordered by exact score or by an upper bound of the score. An upper bound comes before an equal exact score,
/// because the candidate with the upper bound may have the same exact score and a smaller id. In all other ties, the
/// smaller id comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueueEntry(u64);

impl QueueEntry {
    /// Creates an entry. `is_upper_bound` means that `score` is an upper bound. Returns `None` if the score is 0.
    fn new(score: f32, is_upper_bound: bool, at: usize) -> Option<Self> {
        // The bit patterns of floats from 0 to 1 sort like the floats, and their two highest bits are 0.
        let packed = u64::from(score.to_bits()) << 33 | u64::from(is_upper_bound) << 32 | u64::from(!(at as u32));
        (score > 0.0).then_some(Self(packed))
    }

    fn is_upper_bound(self) -> bool {
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
    /// Creates a ranking of the facts and passages of a view for a query.
    pub fn new(view: &'a View, index: &'a Index, query: &Query<'a>) -> Self {
        Rankings::new(view, index, query.now).ranking(query)
    }

    fn from_candidates(view: &'a View, index: &'a Index, candidates: Arc<Candidates<'a>>, query: &Query<'a>) -> Self {
        let words = lexical_scores(&candidates, index, &query.spelt());
        let about: Vec<EntityMatches> =
            query.named.iter().map(|named| EntityMatches::new(view, index, &candidates, named)).collect();
        let meaning = MeaningScores::new(&candidates, index, query.vector, &about);
        let graph = query.graph && query.weights.graph > 0.0;
        let named =
            if graph { EntityShares::new(index, &candidates, &query.named, &about) } else { EntityShares::default() };
        let scope = query.scope.as_ref().map(|scope| scope.marks(view, index, &candidates));
        let mut scores = ChannelScores { candidates, words, meaning, named, scope, weights: query.weights };
        let mut fits: Vec<f32> = scores.passages().map(|at| scores.passage_fit(at)).collect();
        let links = if graph { Links::new(view, index, &scores.candidates, &fits) } else { Links::default() };
        for (at, fit) in fits.iter_mut().enumerate() {
            *fit = links.to(at).map_or(*fit, |(linked, _)| smooth_max(*fit, query.weights.graph * linked));
        }
        let (activation, scale) = if graph { spread_activation(&mut scores, index, &fits) } else { Default::default() };
        let passages: Vec<Scored> = scores
            .passages()
            .zip(fits)
            .map(|(at, fit)| {
                let activation_score = query.weights.graph * scale.score(activation.mass(at));
                Scored { score: scores.passage_score(at, fit, activation_score), activation_score, at }
            })
            .filter(|scored| scored.score > 0.0)
            .collect();
        Self { scores, activation, links, passages }
    }

    /// Returns all results, best first.
    pub fn all(self) -> Vec<Ranked> {
        self.relevant(f32::MIN_POSITIVE, usize::MAX, |_| true).best
    }

    /// Returns the results that `wanted` accepts and that have a score of at least `min_score`. The best `max_best`
    /// results contain all data. For the other results, the method returns only the ids.
    pub fn relevant(mut self, min_score: f32, max_best: usize, wanted: impl Fn(DocId) -> bool) -> Relevant {
        let mut found = Vec::new();
        for at in 0..self.scores.candidates.facts {
            if self.scores.fact_upper_bound(at).0 >= min_score {
                let score = self.scores.fact_score(at);
                found.extend((score >= min_score).then_some(Scored { score, activation_score: 0.0, at }));
            }
        }
        found.extend(self.passages.iter().filter(|passage| passage.score >= min_score));
        let id = |scored: &Scored| self.scores.candidates.id(scored.at);
        found.retain(|scored| wanted(id(scored)));
        if found.len() > max_best {
            found.select_nth_unstable_by(max_best, Scored::order);
        }
        let others = found.drain(found.len().min(max_best)..).map(|scored| id(&scored)).collect();
        found.sort_unstable_by(Scored::order);
        let best = found.into_iter().enumerate().map(|(place, scored)| self.ranked(scored, place)).collect();
        Relevant { best, others }
    }

    /// Returns the best facts that `wanted` accepts, at most `limit`.
    pub fn facts(&mut self, limit: usize, mut wanted: impl FnMut(&Known) -> bool) -> Vec<Ranked> {
        let scores = &mut self.scores;
        let entry = |at: usize| {
            let (score, is_upper_bound) = scores.fact_upper_bound(at);
            QueueEntry::new(score, is_upper_bound, at)
        };
        let mut queue = BinaryHeap::from((0..scores.candidates.facts).filter_map(entry).collect::<Vec<_>>());
        let mut found = Vec::new();
        while found.len() < limit
            && let Some(best) = queue.pop()
        {
            let at = best.at();
            if !scores.candidates.known(at).is_some_and(&mut wanted) {
                continue;
            }
            if best.is_upper_bound() {
                queue.extend(QueueEntry::new(scores.fact_score(at), false, at));
            } else {
                found.push(Scored { score: best.score(), activation_score: 0.0, at });
            }
        }
        found.into_iter().enumerate().map(|(place, scored)| self.ranked(scored, place)).collect()
    }

    /// Returns the best passages that `wanted` accepts, at most `limit`.
    pub fn passages(&self, limit: usize, mut wanted: impl FnMut(PassageId) -> bool) -> Vec<Ranked> {
        let mut wanted = |at: usize| match self.scores.candidates.id(at) {
            DocId::Passage(id) => wanted(id),
            DocId::Fact(_) => false,
        };
        let entries = self.passages.iter().filter_map(|scored| QueueEntry::new(scored.score, false, scored.at));
        let mut queue = BinaryHeap::from(entries.collect::<Vec<_>>());
        let mut found = Vec::new();
        while found.len() < limit
            && let Some(best) = queue.pop()
        {
            let index = self.passages.binary_search_by_key(&best.at(), |scored| scored.at);
            found.extend(index.ok().filter(|_| wanted(best.at())).map(|index| self.passages[index]));
        }
        found.into_iter().enumerate().map(|(place, scored)| self.ranked(scored, place)).collect()
    }

    /// Builds the complete result of a scored candidate. `place` is the position of the result among all results.
    fn ranked(&self, Scored { score, activation_score, at }: Scored, place: usize) -> Ranked {
        let ChannelScores { candidates, words, meaning, named, .. } = &self.scores;
        let path =
            if place < EXPLAINED && activation_score > 0.0 { self.activation.path(at, candidates) } else { Vec::new() };
        let step = |(fact, end): (usize, usize)| {
            let known = candidates.known(fact)?;
            let entity = if end == 0 { Some(known.subject()) } else { known.object().entity() };
            Some(ActivationStep { entity: entity?.clone(), fact: known.id() })
        };
        let linked = at.checked_sub(candidates.facts).and_then(|passage| self.links.to(passage));
        let (words, (cosine, smooth)) = (words.scores_of(at), meaning.of_candidate(at));
        let explanation = Explanation {
            words,
            cosine,
            meaning: smooth,
            named: named.share(at),
            activation: activation_score,
            linked: linked.map(|(_, from)| from),
            path: path.into_iter().filter_map(step).collect(),
            prior: self.scores.prior(at),
        };
        let channels = Channels {
            words: words.mean().min(1.0),
            meaning: smooth.map(|cosine| cosine.max(0.0)),
            graph: named.share(at).max(activation_score).max(linked.map_or(0.0, |(linked, _)| linked)).min(1.0),
        };
        Ranked { doc: candidates.id(at), score, channels, explanation }
    }
}
