//! Recognition of entities by name, and of the entities to which pronouns refer.

pub(crate) mod coreference;
pub(crate) mod lexicon;
pub(crate) mod mentions;
pub(crate) mod nicknames;
