//! Finds documents by link, and determines who may see a document.

use std::collections::HashMap;

use hearsay_model::lists::push_new;

use super::document::{Doc, DocumentType, LoadedDocuments, TOOL, is_player, ownership};
use crate::import::{
    LinkTarget, Note, Visibility, lexicon, secret,
    tree::{Tree, TreeConverter},
};

/// All documents, with an index of the names that links use.
pub(super) struct Library {
    pub(super) loaded: LoadedDocuments,
    by_uuid: HashMap<String, Vec<usize>>,
    by_id: HashMap<String, Vec<usize>>,
}

/// The characters that are allowed to know a document.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The characters that are allowed to know that the document exists.
    pub(super) existence: Visibility,
    /// The characters that are allowed to know the content of the document.
    pub(super) content: Visibility,
    /// Whether the document sets its own permissions.
    pub(super) has_own_permissions: bool,
}

impl Library {
    pub(super) fn new(loaded: LoadedDocuments) -> Self {
        let mut library = Self { loaded, by_uuid: HashMap::new(), by_id: HashMap::new() };
        for (index, doc) in library.loaded.documents.iter().enumerate() {
            let mut names = vec![doc.key.clone()];
            if let Some(pack) = &doc.pack {
                names.push(format!("Compendium.{}.{pack}.{}", doc.package, doc.id));
                names.push(format!("{}.{pack}.{}", doc.package, doc.id));
            }
            for name in names {
                push_new(library.by_uuid.entry(name).or_default(), index);
            }
            library.by_id.entry(doc.id.clone()).or_default().push(index);
        }
        // If the original of a copied document is missing, links to the original lead to the copy.
        for (index, doc) in library.loaded.documents.iter().enumerate() {
            let sources = [doc.tree.path("_stats.compendiumSource"), doc.tree.path("flags.core.sourceId")];
            for source in sources.into_iter().filter_map(Tree::to_text) {
                library.by_uuid.entry(source).or_insert_with(|| vec![index]);
            }
        }
        library
    }

    pub(super) fn doc(&self, index: usize) -> Option<&Doc> {
        self.loaded.documents.get(index)
    }

    /// Returns the document with this UUID or id, for a link in the document `source_doc`.
    pub(super) fn find(&self, uuid: &str, source_doc: &Doc) -> Option<usize> {
        if let Some([index]) = self.by_uuid.get(uuid).map(Vec::as_slice) {
            return Some(*index);
        }
        let parts: Vec<&str> = uuid.split('.').collect();
        // Ids are unique, except that copies of a document may have the same id. In this case, the copy in the same
        // package and compendium as `source_doc` is preferred.
        let end = parts.iter().position(|part| *part == "JournalEntryPage").unwrap_or(parts.len());
        let id = parts.get(..end)?.last()?;
        let kind = parts.get(..end)?.iter().rev().nth(1).copied().unwrap_or_default();
        let has_kind = |index: &&usize| {
            let document_type = self.doc(**index).map_or("", |doc| doc.document_type.as_str());
            !["Actor", "Item", "JournalEntry"].contains(&kind) || document_type == kind
        };
        let found: Vec<usize> = self.by_id.get(*id)?.iter().filter(has_kind).copied().collect();
        if let [index] = found[..] {
            return Some(index);
        }
        let same_package: Vec<usize> = found
            .into_iter()
            .filter(|index| {
                self.doc(*index).is_some_and(|doc| doc.package == source_doc.package && doc.pack == source_doc.pack)
            })
            .collect();
        match same_package[..] {
            [index] => Some(index),
            _ => None,
        }
    }

    /// Returns the visibility of a document.
    pub(super) fn access(&self, doc: &Doc) -> Access {
        // The name of a folder or journal can make a document secret, like a permission.
        let has_secret_name =
            || doc.document_type == DocumentType::Journal && doc.tree.get("name").text().is_some_and(secret::is_secret);
        if doc.locked || has_secret_name() || self.folder_names(doc).iter().any(|name| secret::is_secret(name)) {
            return Access { existence: Visibility::SECRET, content: Visibility::SECRET, has_own_permissions: true };
        }
        let permissions = ownership(&doc.tree);
        if permissions.is_null() || doc.is_in_pack() && self.loaded.open_packs && doc.is_closed() {
            return Access {
                existence: Visibility::Unmarked,
                content: Visibility::Unmarked,
                has_own_permissions: false,
            };
        }
        let mut holders = self.holders(permissions);
        let is_played = !holders.is_empty() || permissions.entries().iter().any(|(user, level)| can_read(user, level));
        if doc.document_type == DocumentType::Actor && is_player(&doc.tree) && is_played {
            holders.push(LinkTarget::Key(doc.key.clone()));
        }
        access_for_level(permissions.get("default").integer().unwrap_or(0), holders)
    }

    /// Returns the visibility of a page. A page is never more visible than its journal.
    pub(super) fn page_access(&self, doc: &Doc, page: &Tree) -> Access {
        let journal_access = self.access(doc);
        let permissions = ownership(page);
        let default = permissions.get("default").integer();
        if permissions.is_null()
            || permissions.entries().is_empty() && matches!(permissions.data, crate::import::tree::Data::Map(_))
        {
            return journal_access;
        }
        if default == Some(-1) {
            return journal_access;
        }
        let access = access_for_level(default.unwrap_or(0), self.holders(permissions));
        Access {
            existence: access.existence.within(&journal_access.existence),
            content: access.content.within(&journal_access.content),
            has_own_permissions: true,
        }
    }

    /// Returns the characters of the users with read permission.
    fn holders(&self, ownership: &Tree) -> Vec<LinkTarget> {
        let readers = ownership.entries().iter().filter(|(user, level)| can_read(user, level));
        let characters = readers.filter_map(|(user, _)| self.loaded.users.get(&**user).cloned().flatten());
        characters.map(|id| LinkTarget::Key(format!("Actor.{}", id.rsplit('.').next().unwrap_or_default()))).collect()
    }

    /// Returns the kind that a folder of the document implies, and the name of that folder. The innermost folder wins.
    pub(super) fn folder_kind(&self, doc: &Doc) -> Option<(hearsay_model::Kind, String)> {
        self.folder_names(doc).into_iter().find_map(|name| Some((lexicon::kind(&name)?, name)))
    }

    /// Returns the names of a document's folders, innermost first.
    pub(super) fn folder_names(&self, doc: &Doc) -> Vec<String> {
        let mut names = Vec::new();
        let mut next = doc.tree.get("folder").to_text();
        while let Some((name, parent)) = next.take().and_then(|id| self.loaded.folders.get(&id)) {
            names.push(name.clone());
            next.clone_from(parent);
            if names.len() > 16 {
                break;
            }
        }
        names.extend(doc.folders.iter().rev().cloned());
        names
    }
}

fn can_read(user: &str, level: &Tree) -> bool {
    user != "default" && level.integer().is_some_and(|level| level >= 2)
}

fn access_for_level(default: i64, holders: Vec<LinkTarget>) -> Access {
    let hidden = Visibility::Secret(holders);
    let (existence, content) = match default {
        2.. => (Visibility::Unmarked, Visibility::Unmarked),
        1 => (Visibility::Unmarked, hidden),
        _ => (hidden.clone(), hidden),
    };
    Access { existence, content, has_own_permissions: true }
}

/// Begins the note of a document, with its name, origin and visibility. Returns `None` if the document has no name.
pub(super) fn start_note(doc: &Doc, access: &Access, converter: TreeConverter) -> Option<Note> {
    let name = doc.tree.get("name").text()?.trim().to_owned();
    Some(Note {
        key: doc.key.clone(),
        tool: TOOL,
        name,
        origin: converter.origin(doc.tree.get("name"), "name"),
        visibility: access.existence.clone(),
        ..Note::default()
    })
}
