//! The ranking query and the weights of the channels.

use std::borrow::Cow;

use hearsay_model::GameTime;

use crate::{LinkedEntity, Scope};

/// A ranking query: the question, the entities that it names, and the channels to use.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// Text of the question.
    pub text: &'a str,
    /// Embedding of the question, normalized to length 1. `None` turns off the meaning channel.
    pub vector: Option<&'a [f32]>,
    /// Entities that the question names, each once.
    pub named: Vec<LinkedEntity>,
    /// Whether the graph channel is used.
    pub graph: bool,
    /// Scope of the search; `None` searches the whole view.
    pub scope: Option<Scope>,
    /// Weights of the channels.
    pub weights: Weights,
    /// Game time of the question. Facts that the asker remembers less well at this time are ranked lower. `None` ranks
    /// all facts as if the asker forgot nothing.
    pub now: Option<GameTime>,
}

impl Query<'_> {
    /// Returns the question. If the question misspells names, the correct spellings of these names follow.
    pub(super) fn spelt(&self) -> Cow<'_, str> {
        let names = self.named.iter().filter_map(|named| named.corrected_name.as_deref());
        names.fold(self.text.into(), |text: Cow<str>, name| format!("{text}\n{name}").into())
    }
}

/// Weight of each channel (words, meaning and graph), relative to its default weight. The weight of each channel is 1
/// by default. The value 0 turns a channel off.
///
/// The default weight of meaning depends on the view: it increases with the difference between the best cosine and the
/// mean cosine. For short lines of talk, the weight of meaning is similar to the weight of words. For whole sentences
/// and paragraphs, the weight of meaning is two or three times the weight of words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Weight of the word score: stemmed BM25, as a share of the maximum for the question.
    pub words: f32,
    /// Weight of the meaning score: the cosine of question and text.
    pub meaning: f32,
    /// Weight of the graph score: closeness to the entities that the question names, and spreading activation from the
    /// best facts and passages.
    pub graph: f32,
}

impl Weights {
    /// Weights that use only the word score.
    pub const WORDS: Self = Self { words: 1.0, meaning: 0.0, graph: 0.0 };
    /// Weights that use only the meaning score.
    pub const MEANING: Self = Self { words: 0.0, meaning: 1.0, graph: 0.0 };
}

impl Default for Weights {
    fn default() -> Self {
        Self { words: 1.0, meaning: 1.0, graph: 1.0 }
    }
}
