//! Ranking of the facts and passages in a view by words, meaning and graph.

mod activation;
mod entities;
mod meaning;
mod query;
mod ranking;
mod result;
mod scores;

pub use query::{Query, Weights};
pub use ranking::{EXPLAINED, Ranking, Rankings, Relevant, rank};
pub use result::{Channels, Explanation, Ranked};
