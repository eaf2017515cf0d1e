//! Duplicates: facts that say the same, entities that are the same, and what makes two into one and one into two.

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
