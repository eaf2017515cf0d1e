//! Ranked results and the explanation of their scores.

use hearsay_belief::View;
use hearsay_model::{PassageId, text::shorten};
use serde::Serialize;

use crate::{DocId, lexical::WordScores, pagerank::ActivationStep};

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
    /// Word scores on three levels: of the text alone, of the text with its neighbouring lines, and of its session or
    /// document.
    pub words: WordScores,
    /// Cosine of question and text; `None` if the question or the text has no vector. For a line of talk, the value
    /// does not include the effect of the participants' names.
    pub cosine: Option<f32>,
    /// Weighted mean of `cosine` and the cosines of the lines right before and after a passage. Each of these two lines
    /// has half the weight of the passage. Equals `cosine` for a fact. `None` if `cosine` is `None`.
    pub meaning: Option<f32>,
    /// Share of the entities in the question that the result concerns, 0.0–1.0.
    pub named: f32,
    /// Score from spreading activation, 0.0–1.0.
    pub activation: f32,
    /// Another passage that matches the question and contains the title of this result; `None` if there is no such
    /// passage.
    pub linked: Option<PassageId>,
    /// Path along which activation spread to the result. Empty after the first [`EXPLAINED`](crate::EXPLAINED) results.
    pub path: Vec<ActivationStep>,
    /// Factor of the score, 0.0–1.0, that does not depend on the question. The factor is higher for secrets, and for
    /// facts that the knower saw, heard or read.
    pub prior: f32,
}

impl Explanation {
    /// Returns a description of the path through the graph to the result, with sentences and titles from a view. If
    /// another passage contains the title of the result, the list begins with the title or the first words of this
    /// other passage. Then the list contains the statements of the facts on the path.
    pub fn graph_path(&self, view: &View) -> Vec<String> {
        let facts = self.path.iter().filter_map(|step| view.fact(step.fact)).map(|known| known.statement().to_owned());
        let from = self.linked.and_then(|id| view.passage(id)).map(|heard| &heard.passage);
        let named =
            from.map(|passage| passage.title.clone().unwrap_or_else(|| shorten(&passage.text, 60).into_owned()));
        named.map(|named| format!("named in \u{201C}{named}\u{201D}")).into_iter().chain(facts).collect()
    }
}

/// A ranked result.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The fact or passage.
    pub doc: DocId,
    /// Combined score, 0.0–1.0. Facts and passages use the same scale.
    pub score: f32,
    /// Score of each channel.
    pub channels: Channels,
    /// Detailed explanation of the score.
    pub explanation: Explanation,
}
