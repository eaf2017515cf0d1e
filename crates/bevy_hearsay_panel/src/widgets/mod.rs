//! Widgets of the panels. Each widget is a function. Each clickable widget has a name for screen readers and tests.

mod basic;
mod list;
mod name;
mod sentence;

pub use basic::*;
pub(crate) use basic::{clamp_span, set_text_field_name};
pub use list::{RowHeights, list};
pub use name::{Completion, NameField, completion_list_ui, handle_completion_keys, name_field};
pub use sentence::{quote, sentence};
