//! Facts: statements about an entity, with their provenance.

mod error;
mod factuality;
mod record;
mod relation;
mod status;
mod value;

#[cfg(test)]
mod tests;

pub use error::FactError;
pub use factuality::Factuality;
pub use record::{Fact, FactBuilder};
pub use relation::FactRelation;
pub use status::{FactStatus, Secrecy};
pub use value::{Number, Object, Value};
