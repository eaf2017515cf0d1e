//! Merging entities that are the same, and splitting merged entities again.

mod plan;
mod rename;
mod split;
#[cfg(test)]
mod tests;

pub use plan::{MergePlan, merge, not_the_same, was_merged_and_split};
pub use split::split;
