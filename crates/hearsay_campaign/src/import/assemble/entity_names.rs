//! Finds names of entities in texts.

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use hearsay_model::{EntityId, text};

use crate::import::{Notes, Visibility};

/// Maximum number of words in a name.
const MAX_NAME_WORDS: usize = 8;

/// The open names of the entities. A name that several entities share matches no entity.
#[derive(Debug, Default)]
pub(super) struct EntityNames {
    /// The entities by name. The key contains the words of the name, separated by spaces.
    entities: HashMap<String, NamedEntity>,
    /// For each first word of a name, a bit set: bit `n` is set if a name of `n` words begins with that word.
    name_lengths: HashMap<String, u16>,
}

#[derive(Debug)]
struct NamedEntity {
    spelling: String,
    id: Option<EntityId>,
}

impl EntityNames {
    pub(super) fn new(notes: &Notes, ids: &[Option<EntityId>]) -> Self {
        let mut mentions = Self::default();
        for (note, id) in notes.notes.iter().zip(ids) {
            let Some(id) = id.as_ref().filter(|_| !note.visibility.is_secret()) else { continue };
            mentions.add_name(&note.name, id);
            let is_open = |visibility: &Visibility| !visibility.is_secret();
            for alias in note.aliases.iter().filter(|alias| is_open(&alias.visibility)) {
                mentions.add_name(&alias.name, id);
            }
        }
        mentions
    }

    fn add_name(&mut self, name: &str, id: &EntityId) {
        let words = text::words(name);
        let Some(first) = words.first().filter(|_| words.len() <= MAX_NAME_WORDS) else { return };
        *self.name_lengths.entry(first.clone()).or_default() |= 1 << words.len();
        match self.entities.entry(words.join(" ")) {
            Entry::Occupied(mut existing) if existing.get().id.as_ref() != Some(id) => existing.get_mut().id = None,
            Entry::Occupied(_) => {}
            Entry::Vacant(entry) => {
                entry.insert(NamedEntity { spelling: name.trim().to_owned(), id: Some(id.clone()) });
            }
        }
    }

    /// Returns the entities whose names occur in a text as whole words. A name of one word must also match in case, so
    /// that the word `will` does not match the name Will.
    pub(super) fn find_in_text(&self, passage: &str) -> Vec<EntityId> {
        let words = text::words(passage);
        let mut found = Vec::new();
        // For each one-word name, whether the text contains it in the same case.
        let mut has_same_case: HashMap<&str, bool> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            let Some(lengths) = self.name_lengths.get(word) else { continue };
            for length in (1..=MAX_NAME_WORDS).filter(|length| lengths & (1 << length) != 0) {
                let Some(window) = words.get(at..at + length) else { break };
                let named_entity = match window {
                    [single_word] => self.entities.get(single_word).filter(|named_entity| {
                        *has_same_case.entry(single_word).or_insert_with(|| passage.contains(&named_entity.spelling))
                    }),
                    window_words => self.entities.get(&window_words.join(" ")),
                };
                found.extend(named_entity.and_then(|named_entity| named_entity.id.clone()));
            }
        }
        sort_and_dedup(found)
    }
}

/// Returns the entities without duplicates, in the order of their ids.
pub(super) fn sort_and_dedup(ids: impl IntoIterator<Item = EntityId>) -> Vec<EntityId> {
    ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}
