//! Displays a fact with its knowers and sources. The entity page and the scene use this module.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

pub(crate) use load::{date, table_line};
pub use model::{FactModel, HolderLine, MOST_HOLDERS, SourceLine, TableLine};
pub use ui::{FactEdit, FactsView, fact_ui};
pub(crate) use ui::{hidden_count, holder_ui, labelled, name_ui};
