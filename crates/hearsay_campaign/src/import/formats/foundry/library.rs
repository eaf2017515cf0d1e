//! All documents: lookup by link, and visibility.

use std::collections::HashMap;

use super::document::{Doc, Docs, TOOL, What, is_player, ownership};
use crate::import::{
    Note, Target, Visibility, lexicon, secret,
    tree::{Pen, Tree},
};

/// All documents, with an index of the names that links use.
pub(super) struct Library {
    pub(super) docs: Docs,
    by_uuid: HashMap<String, Vec<usize>>,
    by_id: HashMap<String, Vec<usize>>,
}

/// Who may know a document.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// Who may know that the document exists.
    pub(super) seen: Visibility,
    /// Who may know the content of the document.
    pub(super) inner: Visibility,
    /// Whether the document sets its own permissions.
    pub(super) said: bool,
}

impl Library {
    pub(super) fn new(docs: Docs) -> Self {
        let mut library = Self { docs, by_uuid: HashMap::new(), by_id: HashMap::new() };
        for (number, doc) in library.docs.docs.iter().enumerate() {
            let mut names = vec![doc.key.clone()];
            if let Some(pack) = &doc.pack {
                names.push(format!("Compendium.{}.{pack}.{}", doc.package, doc.id));
                names.push(format!("{}.{pack}.{}", doc.package, doc.id));
            }
            for name in names {
                let held = library.by_uuid.entry(name).or_default();
                if !held.contains(&number) {
                    held.push(number);
                }
            }
            library.by_id.entry(doc.id.clone()).or_default().push(number);
        }
        // If the original of a copied document is missing, links to the original lead to the copy.
        for (number, doc) in library.docs.docs.iter().enumerate() {
            let sources = [doc.tree.path("_stats.compendiumSource"), doc.tree.path("flags.core.sourceId")];
            for source in sources.into_iter().filter_map(Tree::word) {
                library.by_uuid.entry(source).or_insert_with(|| vec![number]);
            }
        }
        library
    }

    pub(super) fn doc(&self, number: usize) -> Option<&Doc> {
        self.docs.docs.get(number)
    }

    /// Returns the document with this UUID or id, for a link in the document `from`.
    pub(super) fn find(&self, uuid: &str, from: &Doc) -> Option<usize> {
        if let Some([one]) = self.by_uuid.get(uuid).map(Vec::as_slice) {
            return Some(*one);
        }
        let parts: Vec<&str> = uuid.split('.').collect();
        // Ids are practically unique. If copies of a document have the same id, the copy in the package of `from` is
        // preferred.
        let end = parts.iter().position(|part| *part == "JournalEntryPage").unwrap_or(parts.len());
        let id = parts.get(..end)?.last()?;
        let kind = parts.get(..end)?.iter().rev().nth(1).copied().unwrap_or_default();
        let fits = |number: &&usize| {
            let what = self.doc(**number).map_or("", |doc| doc.what.as_str());
            !["Actor", "Item", "JournalEntry"].contains(&kind) || what == kind
        };
        let found: Vec<usize> = self.by_id.get(*id)?.iter().filter(fits).copied().collect();
        if let [one] = found[..] {
            return Some(one);
        }
        let near: Vec<usize> = found
            .into_iter()
            .filter(|number| self.doc(*number).is_some_and(|doc| doc.package == from.package && doc.pack == from.pack))
            .collect();
        match near[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Returns the visibility of a document.
    pub(super) fn access(&self, doc: &Doc) -> Access {
        // The name of a folder or journal can make a document secret, like a permission.
        let named = || doc.what == What::Journal && doc.tree.get("name").text().is_some_and(secret::is_secret);
        if doc.locked || named() || self.folder_names(doc).iter().any(|name| secret::is_secret(name)) {
            return Access { seen: Visibility::SECRET, inner: Visibility::SECRET, said: true };
        }
        let own = ownership(&doc.tree);
        if own.is_null() || doc.is_in_pack() && self.docs.open_packs && doc.is_closed() {
            return Access { seen: Visibility::Unmarked, inner: Visibility::Unmarked, said: false };
        }
        let mut holders = self.holders(own);
        let played = !holders.is_empty() || own.entries().iter().any(|(user, level)| is_holder(user, level));
        if doc.what == What::Actor && is_player(&doc.tree) && played {
            holders.push(Target::Key(doc.key.clone()));
        }
        level(own.get("default").integer().unwrap_or(0), holders)
    }

    /// Returns the visibility of a page. A page is never more visible than its journal.
    pub(super) fn page_access(&self, doc: &Doc, page: &Tree) -> Access {
        let outer = self.access(doc);
        let own = ownership(page);
        let default = own.get("default").integer();
        if own.is_null() || own.entries().is_empty() && matches!(own.data, crate::import::tree::Data::Map(_)) {
            return outer;
        }
        if default == Some(-1) {
            return outer;
        }
        let inner = level(default.unwrap_or(0), self.holders(own));
        Access { seen: inner.seen.within(&outer.seen), inner: inner.inner.within(&outer.inner), said: true }
    }

    /// Returns the characters of the users with read permission.
    fn holders(&self, ownership: &Tree) -> Vec<Target> {
        let named = ownership.entries().iter().filter(|(user, level)| is_holder(user, level));
        let characters = named.filter_map(|(user, _)| self.docs.users.get(&**user).cloned().flatten());
        characters.map(|id| Target::Key(format!("Actor.{}", id.rsplit('.').next().unwrap_or_default()))).collect()
    }

    /// Returns the kind that a folder of the document implies, and the name of that folder. The innermost folder wins.
    pub(super) fn folder_kind(&self, doc: &Doc) -> Option<(hearsay_model::Kind, String)> {
        self.folder_names(doc).into_iter().find_map(|name| Some((lexicon::kind(&name)?, name)))
    }

    /// Returns the names of a document's folders, innermost first.
    pub(super) fn folder_names(&self, doc: &Doc) -> Vec<String> {
        let mut names = Vec::new();
        let mut next = doc.tree.get("folder").word();
        while let Some((name, parent)) = next.take().and_then(|id| self.docs.folders.get(&id)) {
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

fn is_holder(user: &str, level: &Tree) -> bool {
    user != "default" && level.integer().is_some_and(|level| level >= 2)
}

fn level(default: i64, holders: Vec<Target>) -> Access {
    let hidden = Visibility::Secret(holders);
    let (seen, inner) = match default {
        2.. => (Visibility::Unmarked, Visibility::Unmarked),
        1 => (Visibility::Unmarked, hidden),
        _ => (hidden.clone(), hidden),
    };
    Access { seen, inner, said: true }
}

/// Begins the note of a document, with its name, origin and visibility. Returns `None` if the document has no name.
pub(super) fn begin(doc: &Doc, access: &Access, pen: Pen) -> Option<Note> {
    let name = doc.tree.get("name").text()?.trim().to_owned();
    Some(Note {
        key: doc.key.clone(),
        tool: TOOL,
        name,
        origin: pen.origin(doc.tree.get("name"), "name"),
        visibility: access.seen.clone(),
        ..Note::default()
    })
}
