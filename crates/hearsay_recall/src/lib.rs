//! Ranking over a character's view, and the scene context with receipts.
//!
//! Everything here reads a [`View`](hearsay_belief::View): what one character knows. Statistics of words, the graph
//! that is walked, the names that are recognised, all of it is counted over the view alone, so what a character cannot
//! know cannot influence what it is told, not even by its weight.
//!
//! - [`Index`]: words and vectors of all facts and passages, fed by what each operation touched.
//! - [`rank`]: candidates by words (stemmed BM25), meaning (exact cosine) and graph (a walk), in one ranking in which every
//!   result explains itself.
//! - [`SceneContext`]: who the speaker is, whom it knows, the scene, what was said lately, what it knows that bears on a
//!   question; within a token budget, each thing once, each line with its receipts; as text, Markdown, JSON or a compact
//!   prompt.
//! - [`Names`]: whom a question names, also where that is spelt nearly right; [`Scope`]: what a question is limited to.
//! - [`condense`]: a session's log or a long text within a token budget: what bears on a question, and what carries most;
//!   [`recap`]: what carried a session, for one hearer or several.
//! - [`graph`]: neighbours, shortest path, identity, visible subgraph.
//!
//! Pure and deterministic: the same view, question and vectors give the same bytes. Ties break on ids.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod candidates;
mod condense;
mod context;
pub mod graph;
mod index;
mod lexical;
mod links;
mod mentions;
#[cfg(test)]
mod naive;
mod once;
mod page;
mod passage_order;
mod rank;
mod receipt;
mod render;
mod scope;
mod term_cache;
#[cfg(test)]
mod tests;
mod tokens;
mod vector_set;
mod vectors;
mod walk;
mod words;

pub use condense::{
    Condense, Condensed, Hearer, Matter, Part, Recap, RecapLine, RecapRequest, beginning, condense, recap,
};
pub use context::{Line, Request, Scene, SceneContext, Section};
pub use index::{DocId, Index, text_of};
pub use lexical::Words;
pub use mentions::{Named, Names};
pub use page::{Markup, Page, quoted};
pub use rank::{Channels, EXPLAINED, Explanation, Query, Ranked, Ranking, Relevant, Weights, rank};
pub use receipt::{Receipt, Receipts, Source, why};
pub use render::{Detail, Form};
pub use scope::Scope;
pub use term_cache::TermCache;
pub use tokens::{ApproximateTokens, TokenCounter};
pub use vector_set::{VectorKey, VectorSet};
pub use walk::WalkStep;
pub use words::stems;
