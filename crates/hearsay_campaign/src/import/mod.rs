//! Campaigns in the formats of other tools.
//!
//! An import has three steps:
//!
//! 1. A [`NoteReader`] converts the files of one format to [`Notes`]: text, positions and marks of secrecy. A reader
//!    decides nothing about the game world.
//! 2. [`Index`] finds the note for a link: by key, id, title, file name, path, heading or alias.
//! 3. [`assemble`] builds a [`Campaign`](crate::Campaign) from the notes: entities with stable ids, facts, passages,
//!    sessions and knowers. As for Hearsay's own format, [`plan`](crate::plan) then compares the campaign with a state.
//!
//! # Support for Markdown
//!
//! - **Kind of a note**: the first of these that states a kind: `tags`, `type` or `layout` in front matter, tags in the
//!   text, the folder, the heading above, the first sentence. A note with a `player` is a player character.
//! - **Names**: `title` or `name`, the first heading, the file's name; `aliases`, nicknames in quotes, names in
//!   parentheses.
//! - **Relations**: links are canon in front matter, in inline fields (`key:: value`), in labelled lines (`**Allies:**
//!   …`), in infoboxes, and in lists under headings (`Members`, `NPCs` of a place, `Relationships` with `[[Bob]] —
//!   brother`). Names that fill a whole field are canon too. Names in prose are proposals. A link in a paragraph is
//!   only a mention. [`lexicon`] has the names of fields. A symmetric relation is one fact; each position that states
//!   the relation is evidence.
//! - **Doubt**: a fact that is `rumoured` or `presumed`, or ends with a question mark, is claimed and gets half
//!   credence. An `untrue` fact is false. [`truth`] has the words.
//! - **Secrets**: `%%…%%`, `||…||`, `[secret]…[/secret]`, `:::gm` and HTML comments; callouts, blocks of plug-ins,
//!   elements, headings, folders, files, tags, labels and keys that [`secret::is_secret`] recognizes; `secret: true`,
//!   `visibility: gm`, `publish: false` and similar marks for a whole note; sentences that say that few people know a
//!   fact.
//! - **Several entities per file**: headings of one level are entities if the text below them looks like the
//!   description of an entity.
//! - **Sessions**: recognized by type, tag, number or folder. The characters in `present` hear the lines of the
//!   session.
//! - **States**: `status`, `condition`, a skull in a name, `died`, the tag `dead`.
//! - **Dates**: fields and tags of the plug-in Calendarium. The vault's own calendar counts, or else the campaign's.
//!   The original text is kept.
//!
//! # Adding a reader
//!
//! A reader is a unit struct in its own module below `formats/`. It is listed in [`READERS`] and in
//! [`Format`](crate::Format):
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
//!     fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes) {
//!         for entry in folder.files().filter(|entry| entry.has_extension(&["json"])) {
//!             let Some(text) = folder.text(entry, notes) else { continue };   // an unreadable file is skipped
//!             let file = notes.file(&entry.path, &text.bytes());
//!             // … push a `Note` for each entity
//!         }
//!     }
//! }
//! ```
//!
//! - **Keys.** [`Note::key`] is the identity that the tool uses. Only a link with [`Target::Key`] finds a note by its
//!   key. Two notes with the same name are two entities. Other ids that links may use for the note go into
//!   [`Note::ids`].
//! - **Fields** keep the name in the file (`currentLocation`). They have one [`Piece`] per value, with its links.
//!   [`lexicon`] defines the meaning of names for all readers: do not translate names in a reader, but add them to the
//!   word lists. If the format has a field for one relation only, create a [`Link`] with [`Relation::typed`] instead.
//! - **Texts** keep their markup in the file. [`markup::markdown`] or [`markup::html`] converts a text to [`Block`]s,
//!   each with its headings, links and position in the file.
//! - **JSON, YAML, CSV.** `tree::load` parses the files into trees in which every value has its position. A `tree::Pen`
//!   converts them to fields, links and texts. A value of a wrong type counts as missing, but a mark of secrecy of a
//!   wrong type counts as set.
//! - **Secrets.** Everything that the tool hides gets [`Visibility::SECRET`]: a whole note, a field, a link, a block,
//!   an alias, a date or a state. If in doubt, make a part secret. [`secret::is_secret`] recognizes the words that
//!   authors use to mark secrets.
//! - **Positions.** Every part has an [`Origin`], with the bytes of the file and their text. The origin becomes the
//!   evidence of the facts.
//! - **Errors.** An unreadable file is [`skipped`](Notes::skip) with a reason, and reading continues. A reader never
//!   panics. It opens files only through [`Folder`](crate::Folder). The size of its output is limited by the size of
//!   its input.

mod assemble;
mod calendar;
mod clean;
mod decode;
mod english;
mod formats;
mod input;
pub mod lexicon;
pub mod markup;
mod note;
mod prose;
mod read;
mod reader;
pub mod resolve;
pub mod secret;
mod tables;
mod tree;
pub mod truth;

pub use assemble::assemble;
pub(crate) use assemble::assemble_until;
pub use clean::Clean;
pub use decode::Text;
pub use formats::READERS;
pub use note::{
    Alias, Block, DateOf, Dated, Field, File, FileId, Guess, Link, Note, Notes, Origin, Piece, Relation, Role,
    SessionHead, State, Sure, Target, Visibility, quote,
};
pub use read::read_notes;
pub use reader::{NoteReader, Score};
pub use resolve::{Found, Index};
