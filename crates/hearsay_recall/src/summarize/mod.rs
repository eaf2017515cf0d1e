//! Summaries of logs and long texts. A summary for a prompt contains the parts that are relevant to a question or
//! contain the most information, within a token budget. A recap is a summary for people.
//!
//! Summaries use only the hearers' knowledge: their views, and the names in these views.

mod importance;
mod pieces;
mod recap;
mod summary;

#[cfg(test)]
mod tests;

pub use pieces::{Hearer, SummarySubject};
pub use recap::{Recap, RecapLine, RecapRequest, recap};
pub use summary::{Part, Summary, SummaryRequest, summarize, truncate};
