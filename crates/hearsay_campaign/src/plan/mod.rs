//! Comparison of the campaign files with the records of the state that came from these files.

mod changes;
mod edited_facts;
mod entities;
mod facts;
mod knowledge;
mod passages;
mod planner;
mod sessions;
mod settings;
mod three_way;

pub use changes::{ImportPlan, plan};
pub use three_way::{MISSING_RECORD, MissingRecord};
