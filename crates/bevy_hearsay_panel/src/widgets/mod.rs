//! Widgets of the panels. Each widget is a function. Each clickable widget has a name for screen readers and tests.

mod basic;
mod list;
mod name;
mod sentence;

pub use basic::*;
pub(crate) use basic::{field_name, within};
pub use list::{Heights, list};
pub use name::{Completion, NameField, complete, complete_ui, name_field};
pub use sentence::{quote, sentence};
