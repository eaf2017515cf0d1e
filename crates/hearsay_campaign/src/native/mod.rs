//! Reads campaign files in Hearsay's own format: converts YAML trees to facts, knowledge edges, passages and sessions.
//!
//! Settings are read first, because dates need the calendar and sentences need the vocabulary. Then all entities are
//! collected, because a reference may come before its entity. Then all entries are read in the order of the files.
//! Finally, references to facts by handle are resolved.

mod behavior;
mod checks;
mod detect;
mod drafts;
mod entities;
mod entity_index;
mod fact_relations;
mod facts;
mod fields;
mod hidden_places;
mod knowers;
mod passages;
mod read;
mod reader;
mod references;
mod relation_words;
mod reveals;
mod sessions;
mod settings;

pub(crate) use detect::{is_native, may_be_native};
pub use read::read;
pub(crate) use read::read_files;
pub use references::parse_kind;
