//! Merging entities that are the same, and splitting merged entities again.

mod merged;
mod rename;
mod split;
#[cfg(test)]
mod tests;

pub use merged::{MergePlan, merge, not_the_same, was_taken_back};
pub use split::split;
