//! The names of the entities.

use std::collections::{BTreeSet, HashMap};

use hearsay_model::{EntityId, Kind, text};

use crate::error::Place;

/// The entities of the files. They are collected before any reference to an entity is read.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) by_id: HashMap<EntityId, Named>,
    pub(super) by_name: HashMap<String, BTreeSet<EntityId>>,
    /// The maximum number of words in a name that is not secret.
    pub(super) longest: usize,
    /// The entities whose name is not secret, by the words of this name. Each entity has the original spelling of the
    /// name.
    pub(super) open: HashMap<String, Vec<(EntityId, String)>>,
}

#[derive(Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) at: Place,
}

impl Index {
    pub(super) fn name<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.by_id.get(id).map_or(id.as_str(), |named| &named.name)
    }

    pub(super) fn kind(&self, id: &EntityId) -> Option<&Kind> {
        self.by_id.get(id).map(|named| &named.kind)
    }

    /// Returns whether `written` is a secret name of the entity, and not its id.
    pub(super) fn is_secret_name(&self, id: &EntityId, written: &str) -> bool {
        let key = text::words(written).join(" ");
        let is = |ids: &BTreeSet<EntityId>| ids.contains(id);
        let open = self.open.get(&key).is_some_and(|named| named.iter().any(|(bearer, _)| bearer == id));
        written != id.as_str() && !open && self.by_name.get(&key).is_some_and(is)
    }

    pub(super) fn call(&mut self, id: &EntityId, name: &str, open: bool) {
        let words = text::words(name);
        let key = words.join(" ");
        if key.is_empty() {
            return;
        }
        self.by_name.entry(key.clone()).or_default().insert(id.clone());
        if open {
            self.longest = self.longest.max(words.len().min(8));
            let named = self.open.entry(key).or_default();
            named.push((id.clone(), name.to_owned()));
            named.dedup();
        }
    }

    /// Returns the entities whose open names occur in a text as whole words. A name that several entities share matches
    /// no entity. A name of one word must also match in case, so that the word `will` does not match the name Will.
    pub(super) fn found_in(&self, passage: &str) -> Vec<EntityId> {
        let words = text::words(passage);
        let mut found = BTreeSet::new();
        for length in 1..=self.longest {
            for window in words.windows(length) {
                let Some(named) = self.open.get(&window.join(" ")) else { continue };
                let (id, name) = &named[0];
                let alone = named.iter().all(|(other, _)| other == id);
                if alone && (length > 1 || passage.contains(name.as_str())) {
                    found.insert(id.clone());
                }
            }
        }
        found.into_iter().collect()
    }
}
