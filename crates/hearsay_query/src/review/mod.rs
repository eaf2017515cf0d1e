//! Review: the items that wait for the DM's decision, and the importance of each decision.

mod count;
mod items;
mod rows;
mod stake;
#[cfg(test)]
mod tests;

pub use count::Reviews;
pub use items::{ReviewItem, is_naming, is_newcomer, proposed_names, review_items, waiting_about, waiting_with};
pub use rows::{ReviewRow, review, review_with};
pub use stake::{consequence, stake};
