//! Foundry VTT: exported documents, worlds, `packs/_source` folders and NeDB files, including the flags of campaign
//! modules.
//!
//! All documents are read before any note is created, because documents refer to folders, to users, and by `@UUID` to
//! documents of other modules. The `ownership` of a document determines its knowers:
//!
//! - 2 and 3: players see the document. The audience rules of the campaign decide which characters know it.
//! - 1: players see that the document exists, and they see its public text. All other content is secret.
//! - 0: the document is secret. The characters of users with level 2 or more know it.
//! - −1: this page has the ownership of its journal.
//! - No ownership, as in a single exported document: the audience rules of the campaign decide which characters know
//!   it. If an actor has texts that are not public, only the actor itself knows these texts.

mod actor;
mod campaign_builder;
mod campaign_codex;
mod document;
mod journal;
mod journal_role;
mod library;
mod links;
mod load;
mod modules;
mod reader;
mod target;
#[cfg(test)]
mod tests;
mod text;
mod words;

pub(crate) use reader::Foundry;
