//! Ranking over a character's view, and the scene context with citations.
//!
//! Every function in this crate reads a [`View`](hearsay_belief::View): the facts and passages that one character
//! knows. Word statistics, the graph and the recognised names are computed over that view alone. A fact that the
//! character cannot know therefore cannot affect a result, not even through its weight.
//!
//! - [`Index`]: words and vectors of all facts and passages. Each operation updates it with the keys that it touched.
//! - [`rank`]: candidates by words (stemmed BM25), meaning (exact cosine) and graph (personalised PageRank). All
//!   candidates share one ranking, and each result explains its score.
//! - [`SceneContext`]: the speaker, its relations, the scene, recent talk, and the knowledge that is relevant to a
//!   question. It keeps to a token budget, states each thing once and gives citations for each line. It renders as
//!   text, Markdown, JSON or a compact prompt.
//! - [`EntityLinker`]: entity linking for questions; it tolerates small misspellings. [`Scope`]: the entities that
//!   limit a question.
//! - [`summarize`]: a session log or long text within a token budget. It keeps the parts that fit a question and the
//!   parts that carry the most information. [`recap`]: the main events of a session, for one or more hearers.
//! - [`graph`]: neighbours, shortest path, identity, visible subgraph.
//!
//! All functions are pure and deterministic: the same view, question and vectors give the same bytes. Ties are broken
//! by id.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod candidates;
mod citation;
mod context;
mod dedup;
mod entity_linker;
pub mod graph;
mod index;
mod lexical;
mod links;
#[cfg(test)]
mod naive;
mod page;
mod pagerank;
mod passage_order;
mod rank;
mod render;
mod scope;
mod summarize;
mod term_cache;
#[cfg(test)]
mod tests;
mod tokens;
mod vector_set;
mod vectors;
mod words;

pub use citation::{Citation, Citations, Source, why};
pub use context::{Line, Request, Scene, SceneContext, Section};
pub use entity_linker::{EntityLinker, LinkedEntity};
pub use index::{DocId, Index, text_of};
pub use lexical::Words;
pub use page::{Markup, Page, quoted};
pub use pagerank::ActivationStep;
pub use rank::{Channels, EXPLAINED, Explanation, Query, Ranked, Ranking, Relevant, Weights, rank};
pub use render::{Detail, Form};
pub use scope::Scope;
pub use summarize::{
    Hearer, Matter, Part, Recap, RecapLine, RecapRequest, Summary, SummaryRequest, beginning, recap, summarize,
};
pub use term_cache::TermCache;
pub use tokens::{ApproximateTokens, TokenCounter};
pub use vector_set::{VectorKey, VectorSet};
pub use words::stems;
