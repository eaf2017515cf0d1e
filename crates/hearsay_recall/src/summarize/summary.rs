//! Summaries for a prompt: the parts that are relevant to a question or contain the most information.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{
    importance::{Importance, choose, compute_importances},
    pieces::{Hearer, Piece, SummarySubject, pieces},
};
use crate::{DocId, Index, Markup, Page, Query, Source, TokenCounter, Weights, rank, words::stems};

/// Weight of a piece's importance, relative to its fit to the question. Used only if there is a question.
const IMPORTANCE_WEIGHT: f32 = 0.12;

/// Maximum share of the budget for relations, in percent. The lines use the rest.
const RELATION_PERCENT: usize = 35;

/// Inputs of a summary for one hearer.
pub struct SummaryRequest<'a> {
    /// Hearer of the summary.
    pub hearer: Hearer<'a>,
    /// Index of words and vectors.
    pub index: &'a Index,
    /// Session or document to summarize.
    pub subject: &'a SummarySubject,
    /// Question that the summary should help to answer; empty for a general summary.
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
    /// Question that the summary should help to answer; empty for a general summary.
    pub question: String,
    /// Relations that the hearer learned from the log or text. Each of these parts is a line with a subject, a
    /// predicate and an object.
    pub relations: Vec<Part>,
    /// Parts that are relevant to the question or contain the most information, in their original order.
    pub parts: Vec<Part>,
    /// Number of tokens of [`text`](Self::text); never more than `budget`.
    pub tokens: usize,
    /// Maximum number of tokens.
    pub budget: usize,
    /// Number of tokens of the whole log or text, without relations.
    pub original_tokens: usize,
    /// Number of relations and parts that the summary omits.
    pub omitted: usize,
    /// Whether the summary is only the beginning of the log or text. This is the case if the index does not contain the
    /// log or text yet.
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
    /// Line number of the part; `None` if the part has no line number.
    pub line: Option<u32>,
    /// Score of the part: its relevance to the question, combined with its importance. Without a question, the score is
    /// the importance alone.
    pub score: f32,
}

impl Summary {
    /// Returns the text for a prompt, one item per line. The relations come first, and the parts follow.
    pub fn text(&self) -> String {
        render_parts(
            self.relations.iter().map(|part| part.text.as_str()),
            self.parts.iter().map(|part| part.text.as_str()),
        )
    }
}

fn render_parts<'a>(relations: impl Iterator<Item = &'a str>, parts: impl Iterator<Item = &'a str>) -> String {
    let mut page = Page::new(Markup::Plain);
    for relation in relations {
        page.literal("- ").data(relation).literal("\n");
    }
    for part in parts {
        page.data(part).literal("\n");
    }
    page.into_text()
}

/// Summarizes a log or a long text for one hearer. Equal views, questions and vectors give byte-identical results.
pub fn summarize(request: &SummaryRequest) -> Summary {
    let all = pieces(&[request.hearer], request.subject, false);
    let (facts, lines): (Vec<Piece>, Vec<Piece>) = all.into_iter().partition(|piece| piece.relation.is_some());
    let preview = !facts.iter().chain(&lines).any(|piece| request.index.contains(piece.doc));
    let relation = |piece: &Piece| piece.relation.clone().unwrap_or_default();
    let (relations, texts): (Vec<String>, Vec<String>) =
        (facts.iter().map(relation).collect(), lines.iter().map(Piece::line).collect());
    let count = |relations: &[&str], parts: &[&str]| {
        request.counter.count(&render_parts(relations.iter().copied(), parts.iter().copied()))
    };
    let original_tokens = count(&[], &texts.iter().map(String::as_str).collect::<Vec<_>>());
    let question_fit = question_fit(request, &facts, &lines);
    let scores_of = |pieces: &[Piece]| -> Vec<f32> {
        let importances = compute_importances(pieces, |_| false);
        let max_score = importances.iter().map(|importance| importance.score).fold(f32::MIN_POSITIVE, f32::max);
        let score = |(piece, importance): (&Piece, &Importance)| {
            let importance = importance.score / max_score;
            question_fit.as_ref().map_or(importance, |fit| fit.of_piece(piece) + IMPORTANCE_WEIGHT * importance)
        };
        pieces.iter().zip(&importances).map(score).collect()
    };
    let (fact_scores, line_scores) = if preview {
        // In a preview, earlier lines rank higher.
        (vec![0.0; facts.len()], (0..lines.len()).map(|at| 1.0 / (1.0 + at as f32)).collect())
    } else {
        (scores_of(&facts), scores_of(&lines))
    };
    let texts_at =
        |texts: &'_ [String], chosen: &[usize]| -> Vec<String> { chosen.iter().map(|at| texts[*at].clone()).collect() };
    let relation_budget = request.budget.saturating_mul(RELATION_PERCENT) / 100;
    let chosen_relations = choose(&facts, &fact_scores, |chosen| {
        let chosen = texts_at(&relations, chosen);
        count(&chosen.iter().map(String::as_str).collect::<Vec<_>>(), &[]) <= relation_budget
    });
    let chosen_relation_texts = texts_at(&relations, &chosen_relations);
    let relation_texts: Vec<&str> = chosen_relation_texts.iter().map(String::as_str).collect();
    // A preview is contiguous: it ends at the first line that does not fit.
    let mut is_full = false;
    let chosen = choose(&lines, &line_scores, |chosen| {
        if is_full {
            return false;
        }
        let parts: Vec<&str> = chosen.iter().map(|at| texts[*at].as_str()).collect();
        let fits = count(&relation_texts, &parts) <= request.budget;
        is_full = preview && !fits;
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
        relations: chosen_relations
            .iter()
            .map(|at| part(&facts[*at], relations[*at].clone(), fact_scores[*at]))
            .collect(),
        parts: chosen.iter().map(|at| part(&lines[*at], texts[*at].clone(), line_scores[*at])).collect(),
        tokens: 0,
        budget: request.budget,
        original_tokens,
        omitted: facts.len() + lines.len() - chosen_relations.len() - chosen.len(),
        preview,
        meaning: request.vector.is_some() && !preview,
    };
    // If even the best part is too long, include its beginning.
    if summary.parts.is_empty()
        && let Some(best) = (0..lines.len()).max_by(|a, b| line_scores[*a].total_cmp(&line_scores[*b]).then(b.cmp(a)))
    {
        let remaining = request.budget.saturating_sub(count(&relation_texts, &[])).saturating_sub(1);
        let text = truncate(&texts[best], remaining, request.counter);
        if !text.is_empty() && count(&relation_texts, &[&text]) <= request.budget {
            summary.parts.push(part(&lines[best], text, line_scores[best]));
        }
    }
    summary.tokens = request.counter.count(&summary.text());
    summary
}

/// Shortens a text to a token budget: returns the longest beginning of the text that fits the budget and ends at a word
/// boundary.
pub fn truncate(text: &str, budget: usize, counter: &dyn TokenCounter) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let cut = |count: usize| match count {
        0 => String::new(),
        count if count < words.len() => format!("{}\u{2026}", words[..count].join(" ")),
        _ => words.join(" "),
    };
    // Binary search is valid because a text never has fewer tokens than a part of it.
    let (mut low, mut high) = (0, words.len());
    while low < high {
        let middle = (low + high).div_ceil(2);
        if counter.count(&cut(middle)) <= budget { low = middle } else { high = middle - 1 }
    }
    cut(low)
}

fn source(doc: DocId) -> Source {
    match doc {
        DocId::Fact(id) => Source::Fact(id),
        DocId::Passage(id) => Source::Passage(id),
    }
}

/// How well pieces fit a question.
struct QuestionFit {
    score_by_doc: FxHashMap<DocId, f32>,
    /// Number of parts of each passage.
    part_counts: FxHashMap<DocId, usize>,
    question_stems: Vec<String>,
}

impl QuestionFit {
    /// Returns the fit of a piece. The parts of one passage share its fit; a part counts more if it contains more words
    /// of the question.
    fn of_piece(&self, piece: &Piece) -> f32 {
        let score = self.score_by_doc.get(&piece.doc).copied().unwrap_or(0.0);
        if self.part_counts.get(&piece.doc).is_none_or(|count| *count < 2) || self.question_stems.is_empty() {
            return score;
        }
        let shared = self.question_stems.iter().filter(|stem| piece.stems.binary_search(stem).is_ok()).count();
        score * (0.3 + 0.7 * shared as f32 / self.question_stems.len() as f32)
    }
}

/// Ranks the pieces against the question and returns their fits. The best piece has a fit of 1. Returns `None` if there
/// is no question.
fn question_fit(request: &SummaryRequest, facts: &[Piece], lines: &[Piece]) -> Option<QuestionFit> {
    if request.question.trim().is_empty() {
        return None;
    }
    let Hearer { view, names } = request.hearer;
    let (text, vector, named) = (request.question, request.vector, names.mentioned_entities(request.question));
    let query = Query { text, vector, named, graph: true, scope: None, weights: Weights::default(), now: None };
    let mut score_by_doc: FxHashMap<DocId, f32> = FxHashMap::default();
    let mut part_counts: FxHashMap<DocId, usize> = FxHashMap::default();
    for piece in facts.iter().chain(lines) {
        score_by_doc.insert(piece.doc, 0.0);
        *part_counts.entry(piece.doc).or_default() += 1;
    }
    let mut max_score = f32::MIN_POSITIVE;
    for ranked in rank(view, request.index, &query) {
        if let Some(score) = score_by_doc.get_mut(&ranked.doc) {
            *score = ranked.score;
            max_score = max_score.max(ranked.score);
        }
    }
    score_by_doc.values_mut().for_each(|score| *score /= max_score);
    let mut question_stems = stems(request.question);
    question_stems.sort_unstable();
    question_stems.dedup();
    Some(QuestionFit { score_by_doc, part_counts, question_stems })
}
