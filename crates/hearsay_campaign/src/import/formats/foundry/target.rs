//! Targets of links between Foundry documents.

use super::{
    document::{Doc, What, is_thing},
    form::{only_page, stands_alone},
    library::Library,
};
use crate::import::Target;

/// The destination of a link.
pub(super) enum Meant {
    /// The link points to a note. The fields are its key, its name, and whether it is hidden from players.
    Note { key: String, name: String, hidden: bool },
    /// The link points to a document that describes no entity of the game world, such as rules, a scene or a table.
    Nothing,
    /// The link points to a document that is not in the files.
    Unknown,
}

impl Library {
    /// Returns the destination of a link that contains this UUID or id, in the document `from`.
    pub(super) fn meant(&self, uuid: &str, from: &Doc) -> Meant {
        let uuid = uuid.split(['#', ' ']).next().unwrap_or_default().trim();
        // `.JournalEntryPage.x` is a page of the same journal, and `.x` is a sibling page.
        let whole = match uuid.strip_prefix('.') {
            Some(rest) if rest.contains('.') || from.what != What::Journal => format!("{}.{rest}", from.key),
            Some(rest) => format!("{}.JournalEntryPage.{rest}", from.key),
            None => uuid.to_owned(),
        };
        let (base, page) = match whole.split_once(".JournalEntryPage.") {
            Some((base, page)) => (base, Some(page.split('.').next().unwrap_or_default())),
            None => (whole.as_str(), None),
        };
        // A link to an embedded document leads to the actor that contains it.
        let base = match base.split_once("Actor.") {
            Some((before, rest)) => format!("{before}Actor.{}", rest.split('.').next().unwrap_or_default()),
            None => base.to_owned(),
        };
        if let Some(doc) = self.find(&base, from).and_then(|number| self.doc(number)) {
            return self.note(doc, page);
        }
        let kind = base.split('.').rev().nth(1).unwrap_or_default();
        let compendium = base.starts_with("Compendium.");
        match kind {
            "Actor" | "JournalEntry" if !compendium => Meant::Unknown,
            "Actor" => Meant::Unknown,
            // Compendiums of other packages mostly contain rules.
            _ => Meant::Nothing,
        }
    }

    fn note(&self, doc: &Doc, page: Option<&str>) -> Meant {
        let name = doc.tree.get("name").word().unwrap_or_default();
        let hidden = self.access(doc).seen.is_secret();
        match doc.what {
            What::Actor => Meant::Note { key: doc.key.clone(), name, hidden },
            What::Item if is_thing(doc) => Meant::Note { key: doc.key.clone(), name, hidden },
            What::Item => Meant::Nothing,
            What::Journal => {
                let pages = doc.tree.get("pages").items();
                let found =
                    page.and_then(|id| pages.into_iter().find(|page| page.get("_id").word().as_deref() == Some(id)));
                match found {
                    Some(page) if stands_alone(self, doc, page) => {
                        let id = page.get("_id").word().unwrap_or_default();
                        let hidden = hidden || self.page_access(doc, page).seen.is_secret();
                        let key = format!("{}.JournalEntryPage.{id}", doc.key);
                        Meant::Note { key, name: page.get("name").word().unwrap_or(name), hidden }
                    }
                    _ => match only_page(self, doc) {
                        Some(key) => Meant::Note { key, name, hidden },
                        None => Meant::Note { key: doc.key.clone(), name, hidden },
                    },
                }
            }
        }
    }

    /// Returns the target of a link to a UUID. Returns `None` for a document that describes no entity of the game
    /// world.
    pub(super) fn target(&self, uuid: &str, from: &Doc) -> Option<Target> {
        match self.meant(uuid, from) {
            Meant::Note { key, .. } => Some(Target::Key(key)),
            Meant::Unknown => Some(Target::Key(uuid.trim().to_owned())),
            Meant::Nothing => None,
        }
    }
}
