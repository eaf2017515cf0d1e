//! Review: the items that wait for the DM's decision, and the importance of each decision.

mod count;
mod decided;
mod items;
mod rows;
mod settled;
mod stake;
#[cfg(test)]
mod tests;
mod triage;

pub use count::{ReviewCount, ReviewCounter};
pub use decided::{DecidedFact, decided_facts};
pub use items::{
    ReviewItem, ReviewSource, extracted_names, facts_decided_together, is_extracted_name_or_kind,
    is_unconfirmed_entity, pending_facts_about, review_items,
};
pub use rows::{ReviewRow, review, review_rows};
pub use settled::{SettledFact, SettledReason, find_removed};
pub use stake::{consequence, stake};
pub use triage::{ReviewQueue, ReviewSettings, review_queue};
