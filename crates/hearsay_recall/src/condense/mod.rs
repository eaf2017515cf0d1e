//! Logs and long texts in few words: for a prompt, what bears on a question and what carries most, within a token budget
//! that is kept exactly; for people, a recap.
//!
//! Everything is made from what the hearers know: their views, and the names in them.

mod pieces;
mod recap;
mod weigh;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;
use serde::Serialize;

pub use pieces::{Hearer, Matter};
use pieces::{Piece, pieces};
pub use recap::{Recap, RecapLine, RecapRequest, recap};
use weigh::{choose, weigh};

use crate::{DocId, Index, Markup, Page, Query, Source, TokenCounter, Weights, rank, words::stems};

/// How much importance counts against how well a piece fits the question, where there is one.
const IMPORTANCE: f32 = 0.12;

/// The share of the budget that relations may take, in percent. What they do not need is there for the lines.
const RELATIONS: usize = 35;

/// What is to be condensed, for one hearer.
pub struct Condense<'a> {
    /// Who hears it.
    pub hearer: Hearer<'a>,
    /// Words and vectors.
    pub index: &'a Index,
    /// What is condensed.
    pub matter: &'a Matter,
    /// What it is wanted for; nothing in particular, when it is empty.
    pub question: &'a str,
    /// The question's vector.
    pub vector: Option<&'a [f32]>,
    /// At most so many tokens.
    pub budget: usize,
    /// How tokens are counted.
    pub counter: &'a dyn TokenCounter,
}

/// A log or a long text in few words.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Condensed {
    /// What it was wanted for.
    pub question: String,
    /// The relations that were learned there, each in three words.
    pub relations: Vec<Part>,
    /// The parts that bear on the question or carry most, in their own order.
    pub parts: Vec<Part>,
    /// Tokens of [`text`](Self::text). Never more than the budget.
    pub tokens: usize,
    /// Tokens that it may have.
    pub budget: usize,
    /// Tokens of all of it.
    pub whole: usize,
    /// How many parts found no room.
    pub omitted: usize,
    /// Whether it is no more than the beginning, because none of it is indexed.
    pub preview: bool,
    /// Whether meaning took part.
    pub meaning: bool,
}

/// A part of what was condensed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// What it says, and who says it.
    pub text: String,
    /// The passage or fact it is from.
    pub source: Source,
    /// The line it stands on, where it has one.
    pub line: Option<u32>,
    /// How well it fits the question, and how much it carries.
    pub score: f32,
}

impl Condensed {
    /// What a prompt is given: relations first, then the parts, a line each.
    pub fn text(&self) -> String {
        written(self.relations.iter().map(|part| part.text.as_str()), self.parts.iter().map(|part| part.text.as_str()))
    }
}

fn written<'a>(relations: impl Iterator<Item = &'a str>, parts: impl Iterator<Item = &'a str>) -> String {
    let mut page = Page::new(Markup::Plain);
    for relation in relations {
        page.own("- ").data(relation).own("\n");
    }
    for part in parts {
        page.data(part).own("\n");
    }
    page.into_text()
}

/// Condenses a log or a long text for one hearer. The same view, question and vectors give the same bytes.
pub fn condense(request: &Condense) -> Condensed {
    let all = pieces(&[request.hearer], request.matter, false);
    let (facts, lines): (Vec<Piece>, Vec<Piece>) = all.into_iter().partition(|piece| piece.relation.is_some());
    let preview = !facts.iter().chain(&lines).any(|piece| request.index.holds_doc(piece.doc));
    let relation = |piece: &Piece| piece.relation.clone().unwrap_or_default();
    let (relations, texts): (Vec<String>, Vec<String>) =
        (facts.iter().map(relation).collect(), lines.iter().map(Piece::line).collect());
    let count = |relations: &[&str], parts: &[&str]| {
        request.counter.count(&written(relations.iter().copied(), parts.iter().copied()))
    };
    let whole = count(&[], &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let fits = fitting(request, &facts, &lines);
    let scores_of = |pieces: &[Piece]| -> Vec<f32> {
        let weights = weigh(pieces, |_| false);
        let most = weights.iter().map(|weight| weight.score).fold(f32::MIN_POSITIVE, f32::max);
        let score = |(piece, weight): (&Piece, &weigh::Weight)| {
            let carries = weight.score / most;
            fits.as_ref().map_or(carries, |fits| fits.of(piece) + IMPORTANCE * carries)
        };
        pieces.iter().zip(&weights).map(score).collect()
    };
    let (fact_scores, line_scores) = match preview {
        // What stands first comes first.
        true => (vec![0.0; facts.len()], (0..lines.len()).map(|at| 1.0 / (1.0 + at as f32)).collect()),
        false => (scores_of(&facts), scores_of(&lines)),
    };
    let pick =
        |texts: &'_ [String], chosen: &[usize]| -> Vec<String> { chosen.iter().map(|at| texts[*at].clone()).collect() };
    let share = request.budget.saturating_mul(RELATIONS) / 100;
    let related = choose(&facts, &fact_scores, |chosen| {
        let chosen = pick(&relations, chosen);
        count(&chosen.iter().map(String::as_str).collect::<Vec<_>>(), &[]) <= share
    });
    let related_texts = pick(&relations, &related);
    let above: Vec<&str> = related_texts.iter().map(String::as_str).collect();
    // Of a beginning, nothing follows what has no room.
    let mut ended = false;
    let chosen = choose(&lines, &line_scores, |chosen| {
        if ended {
            return false;
        }
        let parts: Vec<&str> = chosen.iter().map(|at| texts[*at].as_str()).collect();
        let fits = count(&above, &parts) <= request.budget;
        ended = preview && !fits;
        fits
    });
    let part = |piece: &Piece, text: String, score: f32| Part {
        text,
        source: source(piece.doc),
        line: (piece.order.0 < u32::MAX).then_some(piece.order.0),
        score,
    };
    let mut condensed = Condensed {
        question: request.question.to_owned(),
        relations: related.iter().map(|at| part(&facts[*at], relations[*at].clone(), fact_scores[*at])).collect(),
        parts: chosen.iter().map(|at| part(&lines[*at], texts[*at].clone(), line_scores[*at])).collect(),
        tokens: 0,
        budget: request.budget,
        whole,
        omitted: facts.len() + lines.len() - related.len() - chosen.len(),
        preview,
        meaning: request.vector.is_some() && !preview,
    };
    // Of a first part that is too long, its beginning is better than nothing.
    if condensed.parts.is_empty()
        && let Some(best) = (0..lines.len()).max_by(|a, b| line_scores[*a].total_cmp(&line_scores[*b]).then(b.cmp(a)))
    {
        let left = request.budget.saturating_sub(count(&above, &[])).saturating_sub(1);
        let text = beginning(&texts[best], left, request.counter);
        if !text.is_empty() && count(&above, &[&text]) <= request.budget {
            condensed.parts.push(part(&lines[best], text, line_scores[best]));
        }
    }
    condensed.tokens = request.counter.count(&condensed.text());
    condensed
}

/// As much of the beginning of a text as a budget has room for, ended at a word.
pub fn beginning(text: &str, budget: usize, counter: &dyn TokenCounter) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let cut = |count: usize| match count {
        0 => String::new(),
        count if count < words.len() => format!("{}\u{2026}", words[..count].join(" ")),
        _ => words.join(" "),
    };
    // A text never has fewer tokens than a part of it.
    let (mut least, mut most) = (0, words.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if counter.count(&cut(middle)) <= budget { least = middle } else { most = middle - 1 }
    }
    cut(least)
}

fn source(doc: DocId) -> Source {
    match doc {
        DocId::Fact(id) => Source::Fact(id),
        DocId::Passage(id) => Source::Passage(id),
    }
}

/// How well pieces fit a question.
struct Fits {
    docs: FxHashMap<DocId, f32>,
    /// How many parts each passage has.
    parts: FxHashMap<DocId, usize>,
    question: Vec<String>,
}

impl Fits {
    /// Of the parts of one passage, that fits best which has most of the words.
    fn of(&self, piece: &Piece) -> f32 {
        let fits = self.docs.get(&piece.doc).copied().unwrap_or(0.0);
        if self.parts.get(&piece.doc).is_none_or(|parts| *parts < 2) || self.question.is_empty() {
            return fits;
        }
        let shared = self.question.iter().filter(|stem| piece.stems.binary_search(stem).is_ok()).count();
        fits * (0.3 + 0.7 * shared as f32 / self.question.len() as f32)
    }
}

/// How well what is condensed fits the question, against the best of it, by the ranking; nothing, where nothing is asked.
fn fitting(request: &Condense, facts: &[Piece], lines: &[Piece]) -> Option<Fits> {
    if request.question.trim().is_empty() {
        return None;
    }
    let Hearer { view, names } = request.hearer;
    let (text, vector, named) = (request.question, request.vector, names.mentioned(request.question));
    let query = Query { text, vector, named, graph: true, scope: None, weights: Weights::default() };
    let mut docs: FxHashMap<DocId, f32> = FxHashMap::default();
    let mut parts: FxHashMap<DocId, usize> = FxHashMap::default();
    for piece in facts.iter().chain(lines) {
        docs.insert(piece.doc, 0.0);
        *parts.entry(piece.doc).or_default() += 1;
    }
    let mut most = f32::MIN_POSITIVE;
    for ranked in rank(view, request.index, &query) {
        if let Some(fits) = docs.get_mut(&ranked.doc) {
            *fits = ranked.score;
            most = most.max(ranked.score);
        }
    }
    docs.values_mut().for_each(|fits| *fits /= most);
    let mut question = stems(request.question);
    question.sort_unstable();
    question.dedup();
    Some(Fits { docs, parts, question })
}
