//! Duplicates: equivalent facts, and entities that may be the same.

mod claim;
mod find;
mod recorded_secret;

pub use claim::{
    Claim, canonical_relation, is_equivalent, is_implied_by, is_other_occurrence, is_part_of, known_equivalent,
};
pub use find::{
    Duplicate, DuplicateCertainty, FactDuplicate, NEAR_CERTAIN_NAME_SIMILARITY, NEAR_CERTAIN_SIMILARITY,
    POSSIBLE_NAME_SIMILARITY, duplicates, fact_duplicates, sort_duplicates,
};
pub use recorded_secret::{adds_nothing_to, is_reworded, recorded_secret, states_same};
