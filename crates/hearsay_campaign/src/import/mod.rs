//! Campaigns in the formats of other tools.
//!
//! An import has three steps:
//!
//! 1. A [`NoteReader`] converts the files of one format to [`Notes`]: texts, positions and marks of secrecy. A reader
//!    makes no decisions about the game world.
//! 2. [`NoteIndex`] finds the note for a link: by key, id, title, file name, path, heading or alias.
//! 3. [`assemble`] builds a [`Campaign`](crate::Campaign) from the notes: entities with stable ids, facts, passages,
//!    sessions and knowers. Then [`plan`](crate::plan) compares the campaign with a state, as for Hearsay's own format.
//!
//! # Support for Markdown
//!
//! - **Kind of a note**: the reader searches several places for a kind, and uses the first kind that it finds. The
//!   order is: `tags`, `type` or `layout` in the front matter; tags in the text; the folder; the heading above; the
//!   first sentence. A note with a `player` is a player character.
//! - **Names**: the name is `title` or `name` in the front matter, the first heading, or the name of the file. Aliases
//!   are `aliases`, nicknames in quotes, and names in parentheses.
//! - **Relations**: links state canon relations in these places: front matter, inline fields (`key:: value`), lines
//!   with a label (`**Allies:** …`), infoboxes, and lists under headings such as `Members` or `Relationships`. A name
//!   without a link also gives a canon relation if it fills the whole field and names an entity of the notes or of the
//!   campaign. A name within other text only gives a
//!   proposal. A link in a paragraph is only a mention. The vocabulary defines the names of relation fields. The module
//!   [`lexicon`] defines the names of all other fields. If the campaign itself defines a relation, the fields of this
//!   relation are recognized in front matter and in inline fields. A symmetric relation is recorded as one fact. Each
//!   position that states the relation is evidence for the fact.
//! - **Doubt**: a fact that is `rumoured` or `presumed`, or that ends with a question mark, gets the status claimed.
//!   The knowers of this fact get the credence 0.5. An `untrue` fact gets the status false. The module [`truth`]
//!   recognizes these words.
//! - **Secrets**: the marks `%%…%%`, `||…||`, `[secret]…[/secret]`, `:::gm` and HTML comments make their content
//!   secret. A callout, block of a plug-in, element, heading, folder, file, tag, label or key is also such a mark if
//!   [`secret::is_secret`] recognizes its name. Sentences with words such as "nobody knows" are secret too. Marks such
//!   as `secret: true`, `visibility: gm` and `publish: false` make a whole note secret.
//! - **Several entities per file**: headings of one level name entities if the text below them looks like the
//!   description of an entity.
//! - **Sessions**: the type, tag, number or folder of a note shows that the note is a session log. The characters in
//!   `present` hear the lines of the session.
//! - **States**: the state of an entity comes from `status` or `condition`, a skull in a name, `died`, or the tag
//!   `dead`.
//! - **Dates**: dates come from the fields and tags of the plug-in Calendarium. Dates use the vault's own calendar, or
//!   else the campaign's calendar. The original text is kept.
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
//!         folder.contains("campaign.json").then_some(Score::CERTAIN)   // by looking at the files
//!     }
//!
//!     fn read(&self, folder: &Folder, options: &ReadOptions, notes: &mut Notes) {
//!         for entry in folder.files().filter(|entry| entry.has_extension(&["json"])) {
//!             let Some(text) = folder.text(entry, notes) else { continue };   // an unreadable file is skipped
//!             let file = notes.add_file(&entry.path, &text.bytes());
//!             // … push a `Note` for each entity
//!         }
//!     }
//! }
//! ```
//!
//! - **Keys.** [`Note::key`] is the identity that the tool uses. Only a link with [`LinkTarget::Key`] finds a note by
//!   its key. Two notes with the same name are two entities. If links may also use other ids for the note, put these
//!   ids into [`Note::ids`].
//! - **Fields** keep their name in the file (`currentLocation`). They have one [`FieldValue`] per value, with the links
//!   in this value. The module [`lexicon`] defines the meaning of field names for all readers, so do not translate
//!   names in a reader. Instead, add the names of relations to the vocabulary, and all other names to the word lists.
//!   If a field of the format can state only one relation, create a [`NoteLink`] with [`LinkRelation::explicit`]
//!   instead.
//! - **Texts** keep the markup that they have in the file. [`markup::markdown`] or [`markup::html`] converts a text to
//!   [`Block`]s. Each block has its headings, its links and its position in the file.
//! - **JSON, YAML, CSV.** `tree::load` parses the files into trees in which every value has its position. A
//!   `tree::TreeConverter` converts these trees to fields, links and texts. If a value has the wrong type, it counts as
//!   missing. If a mark of secrecy has the wrong type, it counts as set.
//! - **Secrets.** Give [`Visibility::SECRET`] to each part that the tool hides from players. A part can be a whole
//!   note, a field, a link, a block, an alias, a date or a state. If you are not sure, make the part secret.
//!   [`secret::is_secret`] recognizes the words with which authors mark secrets.
//! - **Positions.** Every part of a note has an [`Origin`]: the range of bytes in the file, and their text. The origin
//!   becomes the evidence of the facts.
//! - **Errors.** An unreadable file is recorded as skipped with [`Notes::skip`] and a reason, and reading continues. A
//!   reader never panics. A reader opens files only through [`Folder`](crate::Folder). The size of a reader's output is
//!   limited by the size of its input.

mod assemble;
pub mod author_note;
mod calendar;
mod english;
mod formats;
mod input;
pub mod knowers;
pub mod lexicon;
pub mod markup;
pub mod nickname;
mod note;
pub mod party;
mod plain_text;
mod prose_list;
mod read;
mod reader;
pub mod resolve;
pub mod secret;
mod source_text;
mod tree;
pub mod truth;
mod word_lists;

pub use assemble::assemble;
pub(crate) use assemble::assemble_cancellable;
pub use formats::READERS;
pub use note::{
    Alias, Block, Certainty, DateRole, EntityState, Field, FieldValue, File, FileId, KindGuess, LinkRelation,
    LinkTarget, Note, NoteDate, NoteLink, Notes, Origin, Role, SessionInfo, Visibility, quote,
};
pub use plain_text::PlainText;
pub use read::read_notes;
pub use reader::{NoteReader, Score};
pub use resolve::{LinkResolution, NoteIndex};
pub use source_text::SourceText;
