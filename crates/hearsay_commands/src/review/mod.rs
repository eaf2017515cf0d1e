//! The DM's decisions on facts that wait for review.

mod correction;
mod decision;
mod decisions;
mod knowers;

pub use correction::unrecorded_name;
pub use decision::{Decision, later_place};
pub use decisions::{Decisions, Keep};
pub use knowers::with_knowers;

#[cfg(test)]
mod tests;
