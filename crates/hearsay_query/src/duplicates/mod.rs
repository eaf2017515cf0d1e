//! Duplicates: equivalent facts, and entities that may be the same.

mod claim;
mod find;

pub use claim::{Claim, canonical, says_no_more, says_the_same};
pub use find::{
    Band, Duplicate, FactDuplicate, NEAR_CERTAIN_NAME, NEAR_CERTAIN_WHOLE, POSSIBLE_NAME, duplicates, fact_duplicates,
    sort,
};
