//! Kanka export: a file for each entity, in a folder or a zip archive.
//!
//! An entity has two ids. Mentions and relations use its entity id. Fields in other files use its id within a module,
//! such as the id of a character or of an organisation. Private entities, attributes, traits, members, posts and
//! relations are secret. Content that only administrators or its author can see is secret too.

mod export;
mod note;
mod reader;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use reader::Kanka;
