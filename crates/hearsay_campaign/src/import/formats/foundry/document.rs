//! Foundry documents, such as actors and journals.

use std::collections::HashMap;

use hearsay_model::Calendar;

use super::words::FOUNDRY_WORDS;
use crate::import::{FileId, Note, tree::Tree};

/// The name of the tool in external ids.
pub(super) const TOOL: &str = "foundry";

/// A note, and the key of the actor that represents the same person, if there is one.
pub(super) type ConvertedNote = (Note, Option<String>);

/// The type of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DocumentType {
    Actor,
    Item,
    Journal,
}

impl DocumentType {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Actor => "Actor",
            Self::Item => "Item",
            Self::Journal => "JournalEntry",
        }
    }
}

/// A document of Foundry, such as an actor or a journal.
#[derive(Debug)]
pub(super) struct Doc {
    pub(super) file: FileId,
    pub(super) document_type: DocumentType,
    pub(super) id: String,
    /// The UUID, which is also the key of the note.
    pub(super) key: String,
    /// The id of the package that contains the document.
    pub(super) package: String,
    /// The compendium that contains the document; `None` in a world.
    pub(super) pack: Option<String>,
    /// The folders on disk that contain the document, below the folder of the compendium.
    pub(super) folders: Vec<String>,
    /// Whether the compendium is closed to players.
    pub(super) locked: bool,
    pub(super) tree: Tree,
}

impl Doc {
    pub(super) fn is_in_pack(&self) -> bool {
        self.pack.is_some()
    }

    /// Returns whether the default permission hides the document from players.
    pub(super) fn is_closed(&self) -> bool {
        ownership(&self.tree).get("default").integer() == Some(0)
    }
}

/// Returns the permissions of a document. Foundry before version 10 used the key `permission`.
pub(super) fn ownership(tree: &Tree) -> &Tree {
    let current = tree.get("ownership");
    if current.is_null() { tree.get("permission") } else { current }
}

/// Returns the data of the game system. Foundry before version 10 used the key `data`.
pub(super) fn system(tree: &Tree) -> &Tree {
    let current = tree.get("system");
    if current.is_null() { tree.get("data") } else { current }
}

/// All documents.
#[derive(Debug, Default)]
pub(super) struct LoadedDocuments {
    pub(super) documents: Vec<Doc>,
    /// Folders by id: their name and their parent folder.
    pub(super) folders: HashMap<String, (String, Option<String>)>,
    /// The id of each user's character, by user id.
    pub(super) users: HashMap<String, Option<String>>,
    /// Pages that are stored apart from their journals: the id of the journal, the file, and the page.
    pub(super) pages: Vec<(String, FileId, Tree)>,
    /// The name of the world.
    pub(super) world: Option<String>,
    /// Whether players may read all compendiums. If `true`, a document in a compendium is not secret, even if the
    /// default permission of the document hides it.
    pub(super) open_packs: bool,
    /// The calendar of the module Simple Calendar.
    pub(super) calendar: Option<Calendar>,
}

/// Returns whether an actor has a type for player characters.
pub(super) fn is_player(tree: &Tree) -> bool {
    let kind = tree.get("type").text().unwrap_or_default().to_lowercase();
    FOUNDRY_WORDS.players.contains(&kind)
}

/// Returns whether an item is an object in the game world, and not a rule such as a spell.
pub(super) fn is_physical_item(doc: &Doc) -> bool {
    let kind = doc.tree.get("type").text().unwrap_or_default().to_lowercase();
    FOUNDRY_WORDS.things.contains(&kind)
}
