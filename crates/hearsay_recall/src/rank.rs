//! One ranking of what the asker knows, by words, meaning and graph.

use std::{borrow::Cow, collections::BTreeMap};

use hearsay_belief::{Known, Via, View};
use hearsay_model::{EntityId, PassageId, text};
use serde::Serialize;

use crate::{
    DocId, Index, Named, Scope,
    candidates::Candidates,
    lexical::{Words, words},
    links::Links,
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
const THIN_PREDICATES: [&str; 8] = ["alias", "age", "gender", "motto", "pronouns", "symbol", "PART_OF", "RESIDENT_OF"];

/// A passage counts so much less than a fact: it says more besides.
const PASSAGE: f32 = 0.3;

/// How far the priors lift a result at most.
const MOST_PRIOR: f32 = 1.0 + OWN + SECRET;

/// Ranks what a view holds against a query: the best first, ties by id. What no channel speaks for is left out.
pub fn rank(view: &View, index: &Index, query: &Query) -> Vec<Ranked> {
    let Query { weights, .. } = query;
    let candidates = Candidates::of(view, index);
    let words = words(&candidates, index, &query.spelt());
    let about: Vec<About> = query.named.iter().map(|named| About::of(view, index, &candidates, named)).collect();
    let meaning = Meaning::of(&candidates, index, query.vector, &about);
    let graph = query.graph && weights.graph > 0.0;
    let named = if graph { Mentioned::of(index, &candidates, &query.named, &about) } else { Mentioned::default() };
    let fits = |at: usize, clarity: f32| {
        let (by_words, by_meaning) = (weights.words, weights.meaning * clarity);
        let words = words[at].mean();
        // Where a text has no vector, its words speak for its meaning too; and where it goes on beyond what that tells.
        let by_words_alone = words * SAYS_IT;
        let means = meaning.smooth[at].map_or(by_words_alone, |cosine| {
            let read = (READ / candidates.all[at].doc.length.max(1) as f32).min(1.0);
            cosine.max(0.0) * read + by_words_alone * (1.0 - read)
        });
        (by_words * words + by_meaning * means) / (by_words + by_meaning).max(f32::MIN_POSITIVE)
    };
    let facts: Vec<f32> = (0..candidates.facts).map(|at| fits(at, FACT_CLARITY * meaning.facts)).collect();
    let mut passages: Vec<f32> =
        (candidates.facts..candidates.all.len()).map(|at| fits(at, meaning.passages)).collect();
    let links = if graph { Links::of(view, index, &candidates, &passages) } else { Links::default() };
    for (at, fits) in passages.iter_mut().enumerate() {
        *fits = links.to(at).map_or(*fits, |(linked, _)| either(*fits, weights.graph * linked));
    }
    // Where the walk begins, words count more: facts that only sound alike lead anywhere.
    let seeds: Vec<f32> = (0..candidates.facts).map(|at| fits(at, meaning.facts)).collect();
    let (walked, scale) = if graph { walked(&candidates, index, &seeds, &passages) } else { Default::default() };
    let scope = query.scope.as_ref().map(|scope| scope.marks(view, index, &candidates));
    let mut found: Vec<(f32, f32, f32, usize)> = Vec::with_capacity(candidates.all.len());
    for (at, candidate) in candidates.all.iter().enumerate() {
        let passage = at.checked_sub(candidates.facts);
        // What facts hang together with says little of themselves.
        let by_walk = passage.map_or(0.0, |_| weights.graph * scale.score(walked.mass(at)));
        let (fits, about) = passage.map_or_else(|| (facts[at], NAMED_FACT), |at| (passages[at], NAMED_PASSAGE));
        let fused = either(fits, by_walk);
        let fused = (fused + weights.graph * about * named.share(at)) / (1.0 + weights.graph * NAMED_FACT);
        if fused > 0.0 && scope.as_ref().is_none_or(|marks| marks[at]) {
            let prior = prior(candidate.known) / MOST_PRIOR;
            found.push(((fused * prior).min(1.0), by_walk, prior, at));
        }
    }
    found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.3.cmp(&b.3)));
    let step = |(fact, end): (usize, usize)| {
        let known = candidates.all[fact].known?;
        let entity = if end == 0 { Some(known.subject()) } else { known.object().entity() };
        Some(WalkStep { entity: entity?.clone(), fact: known.id() })
    };
    let result = |(place, (score, by_walk, prior, at)): (usize, (f32, f32, f32, usize))| {
        let linked = at.checked_sub(candidates.facts).and_then(|passage| links.to(passage));
        let path = if place < EXPLAINED && by_walk > 0.0 { walked.path(at, &candidates) } else { Vec::new() };
        let candidate = &candidates.all[at];
        let explanation = Explanation {
            words: words[at],
            cosine: meaning.cosine[at],
            meaning: meaning.smooth[at],
            named: named.share(at),
            walked: by_walk,
            linked: linked.map(|(_, from)| from),
            path: path.into_iter().filter_map(step).collect(),
            prior,
        };
        let channels = Channels {
            words: words[at].mean().min(1.0),
            meaning: meaning.smooth[at].map(|cosine| cosine.max(0.0)),
            graph: named.share(at).max(by_walk).max(linked.map_or(0.0, |(linked, _)| linked)).min(1.0),
        };
        Ranked { doc: candidate.id, score, channels, explanation }
    };
    found.into_iter().enumerate().map(result).collect()
}

/// Two scores as one: nearly the greater.
fn either(a: f32, b: f32) -> f32 {
    if b > 0.0 { (a.powi(SHARP) + b.powi(SHARP)).powf(1.0 / SHARP as f32) } else { a }
}

/// What the vectors say.
struct Meaning {
    cosine: Vec<Option<f32>>,
    /// With the neighbours of a line.
    smooth: Vec<Option<f32>>,
    /// How much meaning counts against words, with facts and with passages.
    facts: f32,
    passages: f32,
}

impl Meaning {
    fn of(candidates: &Candidates, index: &Index, vector: Option<&[f32]>, about: &[About]) -> Self {
        let cosine = |at: usize| index.similarity(candidates.all[at].doc, vector?);
        let mut cosine: Vec<Option<f32>> = (0..candidates.all.len()).map(cosine).collect();
        for about in about.iter().filter(|_| vector.is_some()) {
            about.disregard_address(candidates, &mut cosine);
        }
        let mut smooth = cosine.clone();
        for (place, said) in candidates.talk.iter().enumerate() {
            let Some(own) = cosine[said.candidate] else { continue };
            let beside = |place: usize| cosine[candidates.talk[place].candidate];
            let (mut sum, mut weight) = (own, 1.0);
            for beside in candidates.neighbours(place).filter_map(beside) {
                sum += NEIGHBOUR * beside;
                weight += NEIGHBOUR;
            }
            smooth[said.candidate] = Some(sum / weight);
        }
        let clarity = |cosines: &[Option<f32>]| {
            let known = || cosines.iter().flatten();
            let mean = known().sum::<f32>() / (known().count() as f32 + UNRELATED);
            CLARITY * (known().copied().fold(0.0, f32::max) - mean).max(0.0)
        };
        let (facts, passages) = smooth.split_at(candidates.facts);
        Self { facts: clarity(facts), passages: clarity(passages), cosine, smooth }
    }
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
        let none = || vec![false; candidates.all.len()];
        let mut about = Self { names: none(), said: none() };
        named_in(view, index, candidates, named, &mut about.names);
        said_by(view, candidates, named, &mut about.said);
        about
    }

    /// Takes off what cosines owe to the name alone. Who takes part in a talk is named in it by those who speak to it, which
    /// says little of what it is about: a question that names somebody is like every "Good morning" to that person.
    fn disregard_address(&self, candidates: &Candidates, cosine: &mut [Option<f32>]) {
        if !self.said.contains(&true) {
            return;
        }
        let talk = || candidates.talk.iter().map(|said| said.candidate);
        let mean = |names_it: bool| {
            let cosines = talk().filter(|said| self.names[*said] == names_it).filter_map(|said| cosine[said]);
            let (sum, count) = cosines.fold((0.0, 0), |(sum, count), of| (sum + of, count + 1));
            (count > 0).then(|| sum / count as f32)
        };
        let (Some(with), Some(without)) = (mean(true), mean(false)) else { return };
        let owed = (with - without).max(0.0);
        for said in talk().filter(|said| self.names[*said]) {
            cosine[said] = cosine[said].map(|cosine| cosine - owed);
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
fn walked(candidates: &Candidates, index: &Index, facts: &[f32], passages: &[f32]) -> (Walked, Scale) {
    let best = facts.iter().copied().fold(0.0, f32::max);
    let scale = Scale::of(passages, best);
    let least = (best * SEED_SHARE).max(f32::MIN_POSITIVE);
    let mut seeds: Vec<usize> = (0..facts.len()).filter(|fact| facts[*fact] >= least).collect();
    seeds.sort_by(|a, b| facts[*b].total_cmp(&facts[*a]).then(a.cmp(b)));
    seeds.truncate(SEEDS);
    // Per entity the sum and number of its facts' worth. Few, in the order of the facts.
    let mut worth: Vec<(u32, f64, f64)> = Vec::new();
    for fact in seeds {
        let score = f64::from(facts[fact] / best).powi(3);
        for end in candidates.all[fact].doc.ends.into_iter().flatten() {
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
        let mut shares = vec![0.0; candidates.all.len()];
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
        for (candidate, share) in
            candidates.all[..candidates.facts].iter().zip(&shares).filter(|(_, share)| **share > 0.0)
        {
            for end in candidate.doc.ends.into_iter().flatten().filter(|end| !named.contains(&Some(*end))) {
                let near = near.entry(end).or_default();
                *near = near.max(*share);
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
            let may = !about[at] && terms.iter().all(|term| candidates.all[at].doc.has(*term));
            about[at] |=
                may && said(view, candidates.all[at].id).is_some_and(|text| text::names(&text::words(text), name));
        }
    }
}

/// Marks what was said by an entity.
pub(crate) fn said_by(view: &View, candidates: &Candidates, named: &Named, about: &mut [bool]) {
    let speaks = |id: DocId, who: &EntityId| match id {
        DocId::Passage(id) => view.passage(id).is_some_and(|heard| heard.passage.speaker.as_ref() == Some(who)),
        DocId::Fact(_) => false,
    };
    for said in &candidates.talk {
        about[said.candidate] |= speaks(candidates.all[said.candidate].id, &named.id);
    }
}

/// The words of a fact or passage.
fn said(view: &View, id: DocId) -> Option<&str> {
    match id {
        DocId::Fact(id) => view.fact(id).map(Known::statement),
        DocId::Passage(id) => view.passage(id).map(|heard| heard.passage.text.as_str()),
    }
}

/// How much a fact, or else a passage, counts before the question is heard.
fn prior(fact: Option<&Known>) -> f32 {
    let Some(known) = fact else { return 1.0 + OWN - PASSAGE };
    let own = known.ways().first().is_some_and(|way| way.via == Via::Own);
    let thin = THIN_PREDICATES.contains(&known.predicate().as_str());
    let weigh = |is: bool, weight: f32| if is { weight } else { 0.0 };
    1.0 + weigh(own, OWN) + weigh(known.is_secret(), SECRET) - weigh(thin, THIN)
}
