//! Summaries of logs and long texts. A summary is for a prompt with a token budget. It contains the parts that are
//! relevant to a question, or the parts with the most information. A recap is for people.
//!
//! Summaries use only the views of the hearers.

mod importance;
mod pieces;
mod recap;
mod summary;

#[cfg(test)]
mod tests;

pub use pieces::{Hearer, SummarySubject, describe_stranger};
pub use recap::{Recap, RecapLine, RecapRequest, recap};
pub use summary::{Part, Summary, SummaryRequest, summarize, truncate};
