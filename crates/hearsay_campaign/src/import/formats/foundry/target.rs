//! Finds the targets of links between Foundry documents.

use super::{
    document::{Doc, DocumentType, is_physical_item},
    journal_role::{is_separate_note, single_page_key},
    library::Library,
};
use crate::import::LinkTarget;

/// The destination of a link.
pub(super) enum LinkDestination {
    /// The link points to a note. The fields are the key of the note, the name of the note, and whether the note is
    /// hidden from players.
    Note { key: String, name: String, hidden: bool },
    /// The link points to a document that describes no entity of the game world, such as rules, a scene or a table.
    NoEntity,
    /// The link points to a document that is not in the files.
    Missing,
}

impl Library {
    /// Returns the destination of a link that contains this UUID or id, in the document `source_doc`.
    pub(super) fn resolve(&self, uuid: &str, source_doc: &Doc) -> LinkDestination {
        let uuid = uuid.split(['#', ' ']).next().unwrap_or_default().trim();
        // `.JournalEntryPage.x` is a page of the same journal, and `.x` is a sibling page.
        let full_uuid = match uuid.strip_prefix('.') {
            Some(rest) if rest.contains('.') || source_doc.document_type != DocumentType::Journal => {
                format!("{}.{rest}", source_doc.key)
            }
            Some(rest) => format!("{}.JournalEntryPage.{rest}", source_doc.key),
            None => uuid.to_owned(),
        };
        let (base, page) = match full_uuid.split_once(".JournalEntryPage.") {
            Some((base, page)) => (base, Some(page.split('.').next().unwrap_or_default())),
            None => (full_uuid.as_str(), None),
        };
        // A link to an embedded document leads to the actor that contains it.
        let base = match base.split_once("Actor.") {
            Some((before, rest)) => format!("{before}Actor.{}", rest.split('.').next().unwrap_or_default()),
            None => base.to_owned(),
        };
        if let Some(doc) = self.find(&base, source_doc).and_then(|index| self.doc(index)) {
            return self.note_destination(doc, page);
        }
        let kind = base.split('.').rev().nth(1).unwrap_or_default();
        let is_in_compendium = base.starts_with("Compendium.");
        match kind {
            "Actor" | "JournalEntry" if !is_in_compendium => LinkDestination::Missing,
            "Actor" => LinkDestination::Missing,
            // Compendiums of other packages mostly contain rules.
            _ => LinkDestination::NoEntity,
        }
    }

    fn note_destination(&self, doc: &Doc, page: Option<&str>) -> LinkDestination {
        let name = doc.tree.get("name").to_text().unwrap_or_default();
        let hidden = self.access(doc).existence.is_secret();
        match doc.document_type {
            DocumentType::Actor => LinkDestination::Note { key: doc.key.clone(), name, hidden },
            DocumentType::Item if is_physical_item(doc) => LinkDestination::Note { key: doc.key.clone(), name, hidden },
            DocumentType::Item => LinkDestination::NoEntity,
            DocumentType::Journal => {
                let pages = doc.tree.get("pages").items();
                let found =
                    page.and_then(|id| pages.into_iter().find(|page| page.get("_id").to_text().as_deref() == Some(id)));
                match found {
                    Some(page) if is_separate_note(self, doc, page) => {
                        let id = page.get("_id").to_text().unwrap_or_default();
                        let hidden = hidden || self.page_access(doc, page).existence.is_secret();
                        let key = format!("{}.JournalEntryPage.{id}", doc.key);
                        LinkDestination::Note { key, name: page.get("name").to_text().unwrap_or(name), hidden }
                    }
                    _ => match single_page_key(self, doc) {
                        Some(key) => LinkDestination::Note { key, name, hidden },
                        None => LinkDestination::Note { key: doc.key.clone(), name, hidden },
                    },
                }
            }
        }
    }

    /// Returns the target of a link to a UUID. Returns `None` for a document that describes no entity of the game
    /// world.
    pub(super) fn link_target(&self, uuid: &str, source_doc: &Doc) -> Option<LinkTarget> {
        match self.resolve(uuid, source_doc) {
            LinkDestination::Note { key, .. } => Some(LinkTarget::Key(key)),
            LinkDestination::Missing => Some(LinkTarget::Key(uuid.trim().to_owned())),
            LinkDestination::NoEntity => None,
        }
    }
}
