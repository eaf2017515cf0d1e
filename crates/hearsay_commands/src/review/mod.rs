//! The DM's decisions on facts that wait for review.

mod correction;
mod decision;
mod decisions;

pub use decision::Decision;
pub use decisions::{Decisions, Keep};

#[cfg(test)]
mod tests;
