//! A shallow grammar: noun groups, verb groups and clauses.

pub(crate) mod chunker;
pub(crate) mod clauses;
pub(crate) mod disfluency;
pub(crate) mod verb_groups;
