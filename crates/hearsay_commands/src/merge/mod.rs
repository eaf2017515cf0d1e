//! Merge of two entities that are the same, and split of merged entities.

mod plan;
mod rename;
mod split;
#[cfg(test)]
mod tests;

pub use plan::{MergePlan, mark_distinct, merge, was_merged_and_split};
pub use split::split;
