//! Ranking of the facts and passages that a character knows, and scene contexts with citations.
//!
//! Every ranking and every context reads a [`View`](hearsay_belief::View): the facts and passages that one character
//! knows. No code in this crate reads the state. The index gets the texts through a [`Corpus`](hearsay_model::Corpus).
//! A ranking reads only the index entries that are in the view. Word statistics, the graph and the recognised names are
//! computed from the view alone. Therefore, a fact that the character does not know cannot affect the results or their
//! scores. There is one exception: the condition of a reveal can depend on any fact of the campaign. The condition
//! decides to which listeners the character may tell a secret ([`ContextRequest::revealable`]).
//!
//! - [`Index`]: words and vectors of all facts and passages. The caller updates the index after each operation.
//! - [`rank`]: ranks facts and passages by words (stemmed BM25), meaning (exact cosine) and graph (personalised
//!   PageRank). Facts and passages share one ranking. Each result explains its score.
//! - [`SceneContext`]: the speaker, its relations, the scene, recent talk, and the knowledge that is relevant to a
//!   question. The context stays within a token budget, contains no repetitions and has citations for each line. The
//!   context is structured data. Each line contains its fact, the speaker's credence in the fact, and the way in which
//!   the speaker learned it. Each line also states the listeners to whom the speaker may tell the fact. You can render
//!   the context as text, Markdown, JSON or a compact prompt.
//! - [`EntityLinker`]: finds the entities that a question names. The linker tolerates small misspellings.
//! - [`Scope`]: the entities to which a search is limited.
//! - [`summarize`]: summarizes a session log or a long text within a token budget. The summary contains the parts that
//!   are relevant to a question, and the parts with the most information.
//! - [`recap`]: summarizes the main events of a session for one or more hearers.
//!
//! All functions are pure and deterministic: equal views, questions and vectors give byte-identical results.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod candidates;
mod citation;
mod context;
mod dedup;
mod document;
mod entity_linker;
mod index;
mod lexical;
mod links;
mod mentions;
#[cfg(test)]
mod naive;
mod page;
mod pagerank;
mod passage_order;
mod rank;
mod scope;
mod summarize;
mod term_cache;
#[cfg(test)]
mod tests;
mod text_entry;
mod titles;
mod tokens;
mod vector_set;
mod vectors;
mod words;

pub use citation::{Citation, Citations, CitedAccessPath, CitedAcquisition, CitedEntity, Source, score_explanation};
pub use context::{
    AskedRelation, ChatParts, ContextRequest, Detail, Form, Line, LineClaim, LineFeelings, LineSecrecy, Remark, Scene,
    SceneContext, Section, SectionKind,
};
pub use document::{DocId, document_text};
pub use entity_linker::{EntityLinker, LinkedEntity};
pub use index::{CachedTexts, Index};
pub use lexical::WordScores;
pub use page::{Markup, Page, quoted};
pub use pagerank::ActivationStep;
pub use rank::{Channels, EXPLAINED, Explanation, Query, Ranked, Ranking, Rankings, Relevant, Weights, rank};
pub use scope::Scope;
pub use summarize::{
    Hearer, Part, Recap, RecapLine, RecapRequest, Summary, SummaryRequest, SummarySubject, describe_stranger, recap,
    summarize, truncate,
};
pub use term_cache::TermCache;
pub use tokens::{ApproximateTokens, TokenCounter};
pub use vector_set::{VectorKey, VectorSet};
pub use words::stems;
