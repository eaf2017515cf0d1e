//! Names of entities in texts.

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use hearsay_model::{EntityId, text};

use crate::import::{Notes, Visibility};

/// Maximum number of words in a name.
const LONGEST: usize = 8;

/// The open names of the entities. A name that several entities share matches no entity.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// The entities by name. The key contains the words of the name, separated by spaces.
    named: HashMap<String, Named>,
    /// For each first word of a name, a bit set: bit `n` is set if a name of `n` words begins with that word.
    lengths: HashMap<String, u16>,
}

#[derive(Debug)]
struct Named {
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
        let words = text::words(name);
        let Some(first) = words.first().filter(|_| words.len() <= LONGEST) else { return };
        *self.lengths.entry(first.clone()).or_default() |= 1 << words.len();
        match self.named.entry(words.join(" ")) {
            Entry::Occupied(mut held) if held.get().id.as_ref() != Some(id) => held.get_mut().id = None,
            Entry::Occupied(_) => {}
            Entry::Vacant(entry) => {
                entry.insert(Named { written: name.trim().to_owned(), id: Some(id.clone()) });
            }
        }
    }

    /// Returns the entities whose names occur in a text as whole words. A name of one word must also match in case, so
    /// that the word `will` does not match the name Will.
    pub(super) fn found_in(&self, passage: &str) -> Vec<EntityId> {
        let words = text::words(passage);
        let mut found = Vec::new();
        // For each one-word name, whether the text contains it in the same case.
        let mut written: HashMap<&str, bool> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            let Some(lengths) = self.lengths.get(word) else { continue };
            for length in (1..=LONGEST).filter(|length| lengths & (1 << length) != 0) {
                let Some(window) = words.get(at..at + length) else { break };
                let named = match window {
                    [one] => self
                        .named
                        .get(one)
                        .filter(|named| *written.entry(one).or_insert_with(|| passage.contains(&named.written))),
                    several => self.named.get(&several.join(" ")),
                };
                found.extend(named.and_then(|named| named.id.clone()));
            }
        }
        sorted(found)
    }
}

/// Returns the entities without duplicates, in the order of their ids.
pub(super) fn sorted(ids: impl IntoIterator<Item = EntityId>) -> Vec<EntityId> {
    ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}
