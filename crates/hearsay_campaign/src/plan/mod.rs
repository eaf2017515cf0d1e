//! Compares campaign files with the state, and plans the changes that an import makes.

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
