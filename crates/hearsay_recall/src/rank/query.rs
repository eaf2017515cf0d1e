//! The ranking query and the weights of the channels.

use std::borrow::Cow;

use hearsay_model::GameTime;

use crate::{LinkedEntity, Scope};

/// A ranking query: the question, the entities that it names, and the channels to use.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// Text of the question.
    pub text: &'a str,
    /// Vector of the question, normalized to length 1. `None` turns off the meaning channel.
    pub vector: Option<&'a [f32]>,
    /// Entities that the question names, each once.
    pub named: Vec<LinkedEntity>,
    /// Whether the graph channel is used.
    pub graph: bool,
    /// Scope of the search; `None` searches the whole view.
    pub scope: Option<Scope>,
    /// Weights of the channels.
    pub weights: Weights,
    /// Game time of the question. Facts that the knower remembers badly at this time get a lower rank. `None` means
    /// that the ranking ignores forgetting.
    pub now: Option<GameTime>,
}

impl Query<'_> {
    /// Returns the question. If the question misspells names, the correct spellings of these names follow.
    pub(super) fn spelt(&self) -> Cow<'_, str> {
        let names = self.named.iter().filter_map(|named| named.corrected_name.as_deref());
        names.fold(self.text.into(), |text: Cow<str>, name| format!("{text}\n{name}").into())
    }
}

/// Factors for the weights of the channels (words, meaning and graph). Each factor is 1 by default. The value 0 turns a
/// channel off.
///
/// The weight of meaning also depends on the view. For short lines of talk, this weight is similar to the weight of
/// words. For whole sentences and paragraphs, it is two or three times the weight of words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Factor for the weight of the word score. The word score is the stemmed BM25 score, as a share of the maximum for
    /// the question.
    pub words: f32,
    /// Factor for the weight of the meaning score. The meaning score is the cosine of question and text.
    pub meaning: f32,
    /// Factor for the weight of the graph score. The graph score combines the distance to the entities in the question
    /// with spreading activation from the best facts and passages.
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
