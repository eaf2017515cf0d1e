//! Duplicates: equivalent facts, duplicate entities, and the merging and splitting of entities.

mod claim;
mod find;
mod merge;
mod rename;
mod split;

pub use claim::Claim;
pub(crate) use claim::{canonical, says_no_more, says_the_same};
pub(crate) use find::sort;
pub use find::{
    Band, Duplicate, FactDuplicate, NEAR_CERTAIN_NAME, NEAR_CERTAIN_WHOLE, POSSIBLE_NAME, duplicates, fact_duplicates,
};
pub(crate) use merge::was_taken_back;
pub use merge::{MergePlan, merge, not_the_same};
pub use split::split;

#[cfg(test)]
mod tests;
