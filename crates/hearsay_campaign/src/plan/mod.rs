//! The difference between the campaign files and the records of the state that came from them.

mod changes;
mod planner;
mod three_way;

pub use changes::{ImportPlan, plan};
pub use three_way::{LEFT_OUT, LeftOut};
