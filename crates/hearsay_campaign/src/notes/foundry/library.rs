//! Lookup of documents by link, and their visibility.

use std::collections::HashMap;

use super::{
    journal,
    load::{Doc, Docs, What, ownership},
};
use crate::notes::{Target, Visibility, lexicon, secret, tree::Tree};

/// The documents, by all names that links use.
pub(super) struct Library {
    pub(super) docs: Docs,
    by_uuid: HashMap<String, Vec<usize>>,
    by_id: HashMap<String, Vec<usize>>,
}

/// The target of a link.
pub(super) enum Meant {
    /// A note: its key, its name, and whether it is hidden from players.
    Note { key: String, name: String, hidden: bool },
    /// A document that is not part of the world: rules, scenes, tables.
    Nothing,
    /// No document.
    Unknown,
}

/// The visibility of a document.
#[derive(Debug, Clone)]
pub(super) struct Access {
    /// The visibility of its existence.
    pub(super) seen: Visibility,
    /// The visibility of its content.
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
        // A copy replaces a missing original.
        for (number, doc) in library.docs.docs.iter().enumerate() {
            let sources = [doc.tree.path("_stats.compendiumSource"), doc.tree.path("flags.core.sourceId")];
            for source in sources.into_iter().filter_map(Tree::word) {
                library.by_uuid.entry(source).or_insert_with(|| vec![number]);
            }
        }
        library
    }

    fn doc(&self, number: usize) -> Option<&Doc> {
        self.docs.docs.get(number)
    }

    /// Returns the document with this UUID or id, relative to another document.
    fn find(&self, uuid: &str, from: &Doc) -> Option<usize> {
        if let Some([one]) = self.by_uuid.get(uuid).map(Vec::as_slice) {
            return Some(*one);
        }
        let parts: Vec<&str> = uuid.split('.').collect();
        // Ids are practically unique. Among copies, the one in the same package is preferred.
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

    /// Returns the target of a UUID or id in a document.
    pub(super) fn meant(&self, uuid: &str, from: &Doc) -> Meant {
        let uuid = uuid.split(['#', ' ']).next().unwrap_or_default().trim();
        // `.JournalEntryPage.x` is a page of the same journal, `.x` a sibling.
        let whole = match uuid.strip_prefix('.') {
            Some(rest) if rest.contains('.') || from.what != What::Journal => format!("{}.{rest}", from.key),
            Some(rest) => format!("{}.JournalEntryPage.{rest}", from.key),
            None => uuid.to_owned(),
        };
        let (base, page) = match whole.split_once(".JournalEntryPage.") {
            Some((base, page)) => (base, Some(page.split('.').next().unwrap_or_default())),
            None => (whole.as_str(), None),
        };
        // An embedded document belongs to its actor.
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
            What::Item if super::actor::is_thing(doc) => Meant::Note { key: doc.key.clone(), name, hidden },
            What::Item => Meant::Nothing,
            What::Journal => {
                let pages = doc.tree.get("pages").items();
                let found =
                    page.and_then(|id| pages.into_iter().find(|page| page.get("_id").word().as_deref() == Some(id)));
                match found {
                    Some(page) if journal::stands_alone(self, doc, page) => {
                        let id = page.get("_id").word().unwrap_or_default();
                        let hidden = hidden || self.page_access(doc, page).seen.is_secret();
                        let key = format!("{}.JournalEntryPage.{id}", doc.key);
                        Meant::Note { key, name: page.get("name").word().unwrap_or(name), hidden }
                    }
                    _ => match journal::only_page(self, doc) {
                        Some(key) => Meant::Note { key, name, hidden },
                        None => Meant::Note { key: doc.key.clone(), name, hidden },
                    },
                }
            }
        }
    }

    /// Returns the target of a link to a UUID, if it may be part of the world.
    pub(super) fn target(&self, uuid: &str, from: &Doc) -> Option<Target> {
        match self.meant(uuid, from) {
            Meant::Note { key, .. } => Some(Target::Key(key)),
            Meant::Unknown => Some(Target::Key(uuid.trim().to_owned())),
            Meant::Nothing => None,
        }
    }

    /// Returns the visibility of a document.
    pub(super) fn access(&self, doc: &Doc) -> Access {
        // The name of a folder or journal can mark a secret, in the same way as a permission.
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
        if doc.what == What::Actor && super::actor::is_player(&doc.tree) && played {
            holders.push(Target::Key(doc.key.clone()));
        }
        level(own.get("default").integer().unwrap_or(0), holders)
    }

    /// Returns the visibility of a page, which is never wider than that of its journal.
    pub(super) fn page_access(&self, doc: &Doc, page: &Tree) -> Access {
        let outer = self.access(doc);
        let own = ownership(page);
        let default = own.get("default").integer();
        if own.is_null() || own.entries().is_empty() && matches!(own.data, crate::notes::tree::Data::Map(_)) {
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

    /// Returns the kind that the folders of a document imply, innermost first, with the folder's name.
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
