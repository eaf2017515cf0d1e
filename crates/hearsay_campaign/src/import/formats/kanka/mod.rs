//! Kanka export: a file for each entity, zipped or not.
//!
//! An entity has two ids. Mentions and relations use the entity id. Fields of other files use the id within its module
//! (a character, an organisation). Private entities, attributes, traits, members, posts and relations are secret.
//! Everything that only administrators or its author can see is secret too.

mod export;
mod note;
mod reader;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use reader::Kanka;
