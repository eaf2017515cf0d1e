//! The names of the entities.

use std::collections::{BTreeSet, HashMap};

use hearsay_model::{EntityId, Kind, text};

use crate::error::SourcePosition;

/// The entities of the files. The entities are collected before any reference to an entity is read.
#[derive(Debug, Default)]
pub(super) struct EntityIndex {
    pub(super) by_id: HashMap<EntityId, NamedEntity>,
    pub(super) by_name: HashMap<String, BTreeSet<EntityId>>,
    /// The maximum number of words in a name that is not secret.
    pub(super) max_words: usize,
    /// The entities whose name is not secret, by the words of this name. Each entity has the original spelling of the
    /// name.
    pub(super) public_names: HashMap<String, Vec<(EntityId, String)>>,
}

#[derive(Debug)]
pub(super) struct NamedEntity {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) at: SourcePosition,
}

impl EntityIndex {
    pub(super) fn name<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.by_id.get(id).map_or(id.as_str(), |named_entity| &named_entity.name)
    }

    pub(super) fn kind(&self, id: &EntityId) -> Option<&Kind> {
        self.by_id.get(id).map(|named_entity| &named_entity.kind)
    }

    /// Returns whether `name` is a secret name of the entity, and not its id.
    pub(super) fn is_secret_name(&self, id: &EntityId, name: &str) -> bool {
        let key = text::words(name).join(" ");
        let contains_entity = |ids: &BTreeSet<EntityId>| ids.contains(id);
        let is_public =
            self.public_names.get(&key).is_some_and(|named_entity| named_entity.iter().any(|(owner, _)| owner == id));
        name != id.as_str() && !is_public && self.by_name.get(&key).is_some_and(contains_entity)
    }

    pub(super) fn add_name(&mut self, id: &EntityId, name: &str, is_public: bool) {
        let words = text::words(name);
        let key = words.join(" ");
        if key.is_empty() {
            return;
        }
        self.by_name.entry(key.clone()).or_default().insert(id.clone());
        if is_public {
            self.max_words = self.max_words.max(words.len().min(8));
            let named_entity = self.public_names.entry(key).or_default();
            named_entity.push((id.clone(), name.to_owned()));
            named_entity.dedup();
        }
    }

    /// Returns the entities whose open names occur in a text as whole words. A name that several entities share matches
    /// no entity. A name of one word must also match in case, so that the word `will` does not match the name Will.
    pub(super) fn find_in_text(&self, passage: &str) -> Vec<EntityId> {
        let words = text::words(passage);
        let mut found = BTreeSet::new();
        for length in 1..=self.max_words {
            for window in words.windows(length) {
                let Some(named_entity) = self.public_names.get(&window.join(" ")) else { continue };
                let (id, name) = &named_entity[0];
                let is_unique = named_entity.iter().all(|(other, _)| other == id);
                if is_unique && (length > 1 || passage.contains(name.as_str())) {
                    found.insert(id.clone());
                }
            }
        }
        found.into_iter().collect()
    }
}
