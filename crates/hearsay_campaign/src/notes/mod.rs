//! Campaigns in the formats of other tools.
//!
//! The way in has three steps, each with one job:
//!
//! 1. A [`Reader`] turns the files of one format into [`Notes`]: what is written, where, and by which signs it is secret.
//!    It decides nothing about the world.
//! 2. [`Index`] finds the note that a link means: by key, id, title, file name, path, heading or alias.
//! 3. [`assemble`] makes a [`Campaign`](crate::Campaign) of the notes: entities with stable ids, facts, texts, sessions, who
//!    knows what. The same [`plan`](crate::plan) then compares it with a state.
//!
//! # What is understood of Markdown
//!
//! - **What a note is**: `tags`, `type` or `layout` in front matter, tags in the text, the folder that it lies in, the heading
//!   above it, its first sentence; in this order. Who has a `player` is a player character.
//! - **Names**: `title` or `name`, the first heading, the file's name; `aliases`, nicknames in quotes, names in parentheses.
//! - **Relations**: links in front matter, in inline fields (`key:: value`), in labelled lines (`**Allies:** …`), in boxes of
//!   facts and in lists under headings (`Members`, `NPCs` of a place, `Relationships` with `[[Bob]] — brother`) are canon, and so
//!   are names that are all of a field; names in prose are proposed. A link in a paragraph is a mention. [`lexicon`] has the names
//!   of fields. What holds both ways is one fact, with each place that says it as evidence.
//! - **Doubt**: what is `rumoured`, `presumed` or ends with a question mark is claimed and half believed; what is `untrue` is
//!   false. [`truth`] has the words.
//! - **Secrets**: `%%…%%`, `||…||`, `[secret]…[/secret]`, `:::gm`, HTML comments, callouts, blocks of plug-ins, elements, headings, folders, files, tags, labels and keys that
//!   [`secret::is_secret`] knows; `secret: true`, `visibility: gm`, `publish: false` and the like for a whole note; sentences that say of
//!   themselves that few know them.
//! - **Several entities per file**: headings of one level with signs of being somebody below them; see the module.
//! - **Sessions**: by type, tag, number or folder. Their lines are heard by those who are `present`.
//! - **States**: `status`, `condition`, a skull in a name, `died`, the tag `dead`.
//! - **Dates**: Calendarium's keys and marks, on the vault's own calendar or else the campaign's; what is written is kept beside them.
//!
//! # Writing a reader
//!
//! A reader is a unit struct in a module of its own below `notes/`, named in [`READERS`] and in [`Format`]:
//!
//! ```ignore
//! pub(crate) struct Kanka;
//!
//! impl Reader for Kanka {
//!     fn format(&self) -> Format { Format::Kanka }
//!
//!     fn detect(&self, folder: &Folder) -> Option<Score> {
//!         folder.has("campaign.json").then_some(Score::SURE)          // by looking at the files
//!     }
//!
//!     fn read(&self, folder: &Folder, options: &Options, notes: &mut Notes) {
//!         for entry in folder.files().filter(|entry| entry.has_extension(&["json"])) {
//!             let Some(text) = folder.text(entry, notes) else { continue };   // what cannot be read is noted as skipped
//!             let file = notes.file(&entry.path, &text.bytes());
//!             // … push a `Note` for each entity
//!         }
//!     }
//! }
//! ```
//!
//! - **Keys.** [`Note::key`] is what the tool itself takes for identity; [`Target::Key`] finds it and nothing else does. Two
//!   notes of one name are two entities. Other ids by which links may name the note go into [`Note::ids`].
//! - **Fields** keep the name that the file has (`currentLocation`), and one [`Piece`] per value, with the links in it. What
//!   they mean, [`lexicon`] says for all readers: do not translate names in a reader; add a row to its table. A relation
//!   that the format has a place for is a [`Link`] with [`Relation::typed`] instead.
//! - **Texts** come as source with markup: [`crate::text::markdown`] or [`crate::text::html`] make [`Block`]s of it, each
//!   with its headings, the links in it and its place in the file.
//! - **JSON, YAML, CSV.** `tree::load` parses the files into trees in which every value knows its place, and a `tree::Pen`
//!   writes fields, links and texts of them. A value of a wrong type is nothing; a mark of secrecy of a wrong type counts.
//! - **Secrets.** Whatever the tool hides gets [`Visibility::SECRET`]: on the whole note, a field, a link, a block, an alias,
//!   a date or a state. What is in doubt is secret. [`secret::is_secret`] knows the words that people use for it.
//! - **Places.** Every part has an [`Origin`], with the bytes of the file and their text: it becomes the evidence of its
//!   facts.
//! - **Faults.** A file that cannot be read is [`skipped`](Notes::skip) with a reason, and the rest goes on. A reader never
//!   panics, opens no file but through [`Folder`], and bounds what it builds by what it has read.

mod assemble;
mod calendar;
mod decode;
mod earlier;
mod folder;
mod foundry;
mod glyphoxa;
mod kanka;
pub mod lexicon;
mod mapping;
mod markdown;
mod note;
mod open;
mod reader;
pub mod resolve;
mod roll20;
pub mod secret;
#[cfg(test)]
mod testing;
mod tree;
pub mod truth;
mod words;
mod world_anvil;

pub use assemble::assemble;
pub use decode::Text;
pub use earlier::Earlier;
pub use folder::{Entry, Folder};
pub use note::*;
pub use open::{read_any, read_notes};
pub use reader::{AliasOrder, Format, Options, READERS, Reader, Score};
pub use resolve::{Found, Index};
