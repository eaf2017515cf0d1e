//! Displays a fact with its knowers and sources. The entity page and the scene use this module.

mod load;
mod model;
#[cfg(test)]
mod tests;
mod ui;

pub(crate) use load::{date, party_knowledge};
pub use model::{FactModel, KnowerLine, MAX_KNOWERS, PartyKnowledge, SourceLine};
pub use ui::{FactEdit, FactsView, fact_ui};
pub(crate) use ui::{compact_fact_ui, entity_name_ui, knower_ui, named_text_field};
