//! Names of entities in texts.

use std::collections::HashMap;

use hearsay_model::{EntityId, text};

use crate::notes::{Notes, Visibility};

/// The open names of the entities, by their first words. A name that several share means none of them.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    by_first: HashMap<String, Vec<Named>>,
}

#[derive(Debug)]
struct Named {
    /// The words after the first.
    rest: Vec<String>,
    written: String,
    id: Option<EntityId>,
}

impl Mentions {
    pub(super) fn new(notes: &Notes, ids: &[Option<EntityId>]) -> Self {
        let mut mentions = Self::default();
        for (note, id) in notes.notes.iter().zip(ids) {
            let Some(id) = id.as_ref().filter(|_| !note.visibility.is_secret()) else { continue };
            mentions.call(&note.name, id);
            let open = |visibility: &Visibility| !visibility.is_secret();
            for alias in note.aliases.iter().filter(|alias| open(&alias.visibility)) {
                mentions.call(&alias.name, id);
            }
        }
        mentions
    }

    fn call(&mut self, name: &str, id: &EntityId) {
        let mut words = text::words(name).into_iter();
        let Some(first) = words.next() else { return };
        let rest: Vec<String> = words.collect();
        let named = self.by_first.entry(first).or_default();
        match named.iter_mut().find(|named| named.rest == rest) {
            Some(held) if held.id.as_ref() != Some(id) => held.id = None,
            Some(_) => {}
            None => named.push(Named { rest, written: name.trim().to_owned(), id: Some(id.clone()) }),
        }
    }

    /// The entities whose names stand in a text as words; a name of one word as it is written, so that `will` is not Will.
    pub(super) fn found_in(&self, passage: &str) -> Vec<EntityId> {
        let words = text::words(passage);
        let mut found = Vec::new();
        for (at, word) in words.iter().enumerate() {
            for named in self.by_first.get(word).into_iter().flatten() {
                let Some(id) = &named.id else { continue };
                let stands = match named.rest.is_empty() {
                    true => passage.contains(&named.written),
                    false => words[at + 1..].starts_with(&named.rest),
                };
                if stands {
                    found.push(id.clone());
                }
            }
        }
        super::sorted(found)
    }
}
