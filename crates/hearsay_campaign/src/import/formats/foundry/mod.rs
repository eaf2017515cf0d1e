//! Foundry VTT: exported documents, worlds, `packs/_source`, NeDB; with the flags of campaign modules.
//!
//! All documents are read before notes are created, because documents refer to folders, to users, and with `@UUID` to
//! documents of other modules. The `ownership` of a document determines its visibility:
//!
//! - 2 and 3: players see the document. The audience rules of the campaign decide who knows it.
//! - 1: players see its existence and its public text. All other content is secret.
//! - 0: the document is secret. Characters of users with level 2 or more know it.
//! - −1: a page has the ownership of its journal.
//! - No ownership, as in a single exported document: the audience rules decide. Only the actor itself knows those of
//!   its texts that are not public.

mod actor;
mod builder;
mod codex;
mod document;
mod form;
mod journal;
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
