//! Comparison of the campaign files with the records of the state that came from these files.

mod changes;
mod planner;
mod three_way;

pub use changes::{ImportPlan, plan};
pub use three_way::{LeftOut, MISSING_RECORD};
