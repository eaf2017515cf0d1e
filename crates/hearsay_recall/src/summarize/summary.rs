//! Summaries for a prompt: the parts that are relevant to a question or carry the most information.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{
    pieces::{Hearer, Matter, Piece, pieces},
    weigh::{Weight, choose, weigh},
};
use crate::{DocId, Index, Markup, Page, Query, Source, TokenCounter, Weights, rank, words::stems};

/// Weight of a piece's importance, relative to its fit to the question. Used only if there is a question.
const IMPORTANCE: f32 = 0.12;

/// Maximum share of the budget for relations, in percent. The lines use the rest.
const RELATIONS: usize = 35;

/// Inputs of a summary for one hearer.
pub struct SummaryRequest<'a> {
    /// Hearer of the summary.
    pub hearer: Hearer<'a>,
    /// Index of words and vectors.
    pub index: &'a Index,
    /// Session or document to summarize.
    pub matter: &'a Matter,
    /// Question that the summary should help answer; empty for a general summary.
    pub question: &'a str,
    /// Vector of the question; `None` turns off ranking by meaning.
    pub vector: Option<&'a [f32]>,
    /// Maximum number of tokens.
    pub budget: usize,
    /// Token counter.
    pub counter: &'a dyn TokenCounter,
}

/// A summary of a log or a long text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Question that the summary should help answer.
    pub question: String,
    /// Relations that were learned from the original, each a line with subject, predicate and object.
    pub relations: Vec<Part>,
    /// Parts that are relevant to the question or carry the most information, in their original order.
    pub parts: Vec<Part>,
    /// Number of tokens of [`text`](Self::text); never more than `budget`.
    pub tokens: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// Number of tokens of the whole original, without relations.
    pub whole: usize,
    /// Number of relations and parts that were left out.
    pub omitted: usize,
    /// Whether the summary is only the beginning of the original, because the index does not contain the original.
    pub preview: bool,
    /// Whether the ranking used vectors.
    pub meaning: bool,
}

/// A part of a summarized text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Text of the part, with its speaker.
    pub text: String,
    /// Passage or fact that contains the part.
    pub source: Source,
    /// Line number of the part, if it has one.
    pub line: Option<u32>,
    /// Score of the part: its fit to the question, combined with its importance. Without a question, the importance
    /// alone.
    pub score: f32,
}

impl Summary {
    /// Returns the text for a prompt: relations first, then the parts, one per line.
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

/// Summarizes a log or a long text for one hearer. Equal views, questions and vectors give byte-identical results.
pub fn summarize(request: &SummaryRequest) -> Summary {
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
        let score = |(piece, weight): (&Piece, &Weight)| {
            let carries = weight.score / most;
            fits.as_ref().map_or(carries, |fits| fits.of(piece) + IMPORTANCE * carries)
        };
        pieces.iter().zip(&weights).map(score).collect()
    };
    let (fact_scores, line_scores) = match preview {
        // In a preview, earlier lines rank higher.
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
    // A preview is contiguous: it ends at the first line that does not fit.
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
    let mut summary = Summary {
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
    // If even the best part is too long, include its beginning.
    if summary.parts.is_empty()
        && let Some(best) = (0..lines.len()).max_by(|a, b| line_scores[*a].total_cmp(&line_scores[*b]).then(b.cmp(a)))
    {
        let left = request.budget.saturating_sub(count(&above, &[])).saturating_sub(1);
        let text = beginning(&texts[best], left, request.counter);
        if !text.is_empty() && count(&above, &[&text]) <= request.budget {
            summary.parts.push(part(&lines[best], text, line_scores[best]));
        }
    }
    summary.tokens = request.counter.count(&summary.text());
    summary
}

/// Returns the longest beginning of a text that fits a token budget, cut at a word boundary.
pub fn beginning(text: &str, budget: usize, counter: &dyn TokenCounter) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let cut = |count: usize| match count {
        0 => String::new(),
        count if count < words.len() => format!("{}\u{2026}", words[..count].join(" ")),
        _ => words.join(" "),
    };
    // Binary search is valid because a text never has fewer tokens than a part of it.
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
    /// Number of parts of each passage.
    parts: FxHashMap<DocId, usize>,
    question: Vec<String>,
}

impl Fits {
    /// Returns the fit of a piece. The parts of one passage share its fit; a part counts more if it contains more words
    /// of the question.
    fn of(&self, piece: &Piece) -> f32 {
        let fits = self.docs.get(&piece.doc).copied().unwrap_or(0.0);
        if self.parts.get(&piece.doc).is_none_or(|parts| *parts < 2) || self.question.is_empty() {
            return fits;
        }
        let shared = self.question.iter().filter(|stem| piece.stems.binary_search(stem).is_ok()).count();
        fits * (0.3 + 0.7 * shared as f32 / self.question.len() as f32)
    }
}

/// Ranks the pieces against the question and returns their fits. The best piece has a fit of 1. Returns `None` if there
/// is no question.
fn fitting(request: &SummaryRequest, facts: &[Piece], lines: &[Piece]) -> Option<Fits> {
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
