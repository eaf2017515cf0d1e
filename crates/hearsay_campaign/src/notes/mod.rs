//! Campaigns in the formats of other tools.
//!
//! An import has three steps:
//!
//! 1. A [`NoteReader`] converts the files of one format to [`Notes`]: text, positions and marks of secrecy. It makes no
//!    decisions about the world.
//! 2. [`Index`] finds the note for a link: by key, id, title, file name, path, heading or alias.
//! 3. [`assemble`] builds a [`Campaign`](crate::Campaign) from the notes: entities with stable ids, facts, passages,
//!    sessions and knowers. The same [`plan`](crate::plan) then compares it with a state.
//!
//! # Support for Markdown
//!
//! - **Kind of a note**: `tags`, `type` or `layout` in front matter, tags in the text, the folder, the heading above,
//!   the first sentence; in this order. A note with a `player` is a player character.
//! - **Names**: `title` or `name`, the first heading, the file's name; `aliases`, nicknames in quotes, names in
//!   parentheses.
//! - **Relations**: these links are canon: links in front matter, in inline fields (`key:: value`), in labelled lines
//!   (`**Allies:** …`), in infoboxes and in lists under headings (`Members`, `NPCs` of a place, `Relationships` with
//!   `[[Bob]] — brother`). Names that fill a whole field are canon too. Names in prose are proposed. A link in a
//!   paragraph is a mention. [`lexicon`] has the names of fields. A symmetric relation is one fact, with each position
//!   that states it as evidence.
//! - **Doubt**: facts that are `rumoured`, `presumed` or end with a question mark are claimed with half credence.
//!   `untrue` facts are false. [`truth`] has the words.
//! - **Secrets**: `%%…%%`, `||…||`, `[secret]…[/secret]`, `:::gm` and HTML comments; callouts, blocks of plug-ins,
//!   elements, headings, folders, files, tags, labels and keys that [`secret::is_secret`] recognizes; `secret: true`,
//!   `visibility: gm`, `publish: false` and similar marks for a whole note; sentences that say that few know them.
//! - **Several entities per file**: headings of one level, if text below them looks like the description of an entity;
//!   see the module.
//! - **Sessions**: by type, tag, number or folder. Characters in `present` hear their lines.
//! - **States**: `status`, `condition`, a skull in a name, `died`, the tag `dead`.
//! - **Dates**: Calendarium's keys and marks, on the vault's own calendar or else the campaign's. The original text is
//!   kept.
//!
//! # Adding a reader
//!
//! A reader is a unit struct in its own module below `notes/`, listed in [`READERS`] and in [`Format`]:
//!
//! ```ignore
//! pub(crate) struct Kanka;
//!
//! impl NoteReader for Kanka {
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
//! - **Keys.** [`Note::key`] is the identity that the tool uses; only [`Target::Key`] finds it. Two notes with the same
//!   name are two entities. Other ids by which links may name the note go into [`Note::ids`].
//! - **Fields** keep the name in the file (`currentLocation`), and one [`Piece`] per value, with its links. [`lexicon`]
//!   defines their meaning for all readers: do not translate names in a reader; add a row to its table. A relation with
//!   a field of its own in the format is a [`Link`] with [`Relation::typed`] instead.
//! - **Texts** come as source with markup: [`crate::text::markdown`] or [`crate::text::html`] convert it to [`Block`]s,
//!   each with its headings, links and position in the file.
//! - **JSON, YAML, CSV.** `tree::load` parses the files into trees in which every value knows its position. A
//!   `tree::Pen` converts them to fields, links and texts. A value of a wrong type counts as missing, but a mark of
//!   secrecy of a wrong type counts as set.
//! - **Secrets.** Everything that the tool hides gets [`Visibility::SECRET`]: a whole note, a field, a link, a block,
//!   an alias, a date or a state. In doubt, it is secret. [`secret::is_secret`] knows the words that authors use for
//!   it.
//! - **Positions.** Every part has an [`Origin`], with the bytes of the file and their text. It becomes the evidence of
//!   its facts.
//! - **Errors.** An unreadable file is [`skipped`](Notes::skip) with a reason, and reading continues. A reader never
//!   panics, opens files only through [`Folder`], and bounds its output by its input.

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
pub use reader::{AliasOrder, Format, NoteReader, Options, READERS, Score};
pub use resolve::{Found, Index};
