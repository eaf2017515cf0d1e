//! Names of entities in texts.

use std::collections::{HashMap, hash_map::Entry};

use hearsay_model::{EntityId, text};

use crate::notes::{Notes, Visibility};

/// Words of a name that count at most.
const LONGEST: usize = 8;

/// The open names of the entities. A name that several share means none of them.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    /// By the words of the name with spaces between them.
    named: HashMap<String, Named>,
    /// By the first word, how many words the names have that begin with it: a bit for each number.
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

    /// The entities whose names stand in a text as words; a name of one word as it is written, so that `will` is not Will.
    pub(super) fn found_in(&self, passage: &str) -> Vec<EntityId> {
        let words = text::words(passage);
        let mut found = Vec::new();
        // Whether names of one word stand in the text as they are written.
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
        super::sorted(found)
    }
}
