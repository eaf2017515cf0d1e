//! Names of entities. The panels use these names to complete typed text and to make links.

use std::collections::HashMap;

use hearsay_model::{EntityId, Kind, Resolution, State, text};
use hearsay_query::{QueryError, name_table::NameTable};
use serde::{Deserialize, Serialize};

/// An entity with the name under which the panels display it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NamedEntity {
    /// Id of the entity.
    pub id: EntityId,
    /// Main name of the entity, or its id if the entity has no name.
    pub name: String,
    /// Kind of the entity; `None` if the kind is not recorded.
    pub kind: Option<Kind>,
}

impl NamedEntity {
    /// Reads the name and kind of an entity from a state.
    pub fn new(state: &State, id: &EntityId) -> Self {
        Self { id: id.clone(), name: state.name_or_id(id).to_owned(), kind: state.kind(id) }
    }
}

/// Index of all names of a campaign.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NameIndex {
    /// Table that resolves the names that the user types.
    table: NameTable,
    all: Vec<NamedEntity>,
    by_id: HashMap<EntityId, usize>,
    /// Sorted list of normalized names, aliases and ids. A name of several words is also listed without its first
    /// words. For example, `old salt quay` is also listed as `salt quay` and `quay`. The number is the index of the
    /// entity in `all`.
    spellings: Vec<(String, usize)>,
}

impl NameIndex {
    /// Reads all names of a state, including secret names. Call this function on a background thread, because it visits
    /// every entity.
    pub fn from_state(state: &State) -> Self {
        let mut all: Vec<NamedEntity> = state.entities().map(|entity| NamedEntity::new(state, &entity.id)).collect();
        all.sort();
        let mut spellings = Vec::with_capacity(all.len() * 2);
        for (index, entity) in all.iter().enumerate() {
            for name in state.names(&entity.id) {
                let normal = text::normalize(name);
                // A search finds a name by the beginning of any of its words.
                let suffix_starts =
                    normal.char_indices().filter(|(at, _)| *at == 0 || normal[..*at].ends_with([' ', '-']));
                let suffixes: Vec<String> = suffix_starts.map(|(at, _)| normal[at..].to_owned()).collect();
                spellings.extend(suffixes.into_iter().map(|suffix| (suffix, index)));
            }
            spellings.push((entity.id.to_string(), index));
        }
        spellings.sort();
        spellings.dedup();
        let by_id = all.iter().enumerate().map(|(index, entity)| (entity.id.clone(), index)).collect();
        Self { table: NameTable::from_state(state), all, by_id, spellings }
    }

    /// Returns the number of entities.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no entities.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns all entities, sorted by id.
    pub fn all(&self) -> &[NamedEntity] {
        &self.all
    }

    /// Returns an entity with its name; `None` if the entity does not exist.
    pub fn get(&self, id: &EntityId) -> Option<&NamedEntity> {
        self.by_id.get(id).map(|index| &self.all[*index])
    }

    /// Returns the name of an entity, or its id if the name is unknown.
    pub fn name<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.get(id).map_or(id.as_str(), |entity| &entity.name)
    }

    /// Returns the id of the entity that `name` identifies. `name` can be an id, a name, or an unambiguous part of a
    /// name, as [`hearsay_query::resolve`] describes.
    ///
    /// # Errors
    /// Returns an error if no entity has this name, or if several entities have this name.
    pub fn resolve(&self, name: &str) -> Result<EntityId, QueryError> {
        self.table.resolve(name)
    }

    /// Returns the entity that [`resolve`](Self::resolve) finds; `None` if [`resolve`](Self::resolve) returns an error.
    pub fn find(&self, name: &str) -> Option<&NamedEntity> {
        self.get(&self.table.find(name)?)
    }

    /// Returns whether an entity has exactly this id, name or alias.
    pub fn is_taken(&self, name: &str) -> bool {
        self.table.find_exact(name) != Resolution::None
    }

    /// Returns the first entity that a text mentions. A mention is a name, or an unambiguous part of a name, that
    /// begins with a capital letter. Returns `None` if the text mentions no entity.
    pub fn find_mention(&self, words: &str) -> Option<&NamedEntity> {
        let starts = words.char_indices().filter(|(at, _)| *at == 0 || !words[..*at].ends_with(char::is_alphanumeric));
        starts.map(|(at, _)| &words[at..]).find_map(|rest| {
            let ends = rest.char_indices().filter(|(_, c)| !c.is_alphanumeric() && *c != '-').map(|(at, _)| at);
            let mut ends: Vec<usize> = ends.chain([rest.len()]).filter(|end| (2..=80).contains(end)).collect();
            ends.truncate(6);
            let is_capitalized = rest.chars().next().is_some_and(char::is_uppercase);
            ends.into_iter().rev().filter(|_| is_capitalized).find_map(|end| self.find(&rest[..end]))
        })
    }

    /// Returns at most `limit` entities for which `is_offered` returns `true`. Each of these entities has a name with a
    /// word that begins with `typed`. Entities whose main name begins with `typed` come first.
    pub fn completions(
        &self,
        typed: &str,
        is_offered: impl Fn(&NamedEntity) -> bool,
        limit: usize,
    ) -> Vec<&NamedEntity> {
        let typed = text::normalize(typed);
        if typed.is_empty() {
            return Vec::new();
        }
        let start = self.spellings.partition_point(|(name, _)| *name < typed);
        let matching = self.spellings[start..].iter().take_while(|(name, _)| name.starts_with(&typed));
        let mut candidates: Vec<(bool, &NamedEntity)> = Vec::new();
        // A very short text can match thousands of names. Looking at the first matches is enough, because all matches
        // are equally good.
        for (name, index) in matching.take(4096) {
            let entity = &self.all[*index];
            let matches_main_name = text::normalize(&entity.name).starts_with(name.as_str());
            match candidates.iter_mut().find(|(_, other)| other.id == entity.id) {
                Some((is_first, _)) => *is_first |= matches_main_name,
                None if is_offered(entity) => candidates.push((matches_main_name, entity)),
                None => {}
            }
            if candidates.len() >= limit.saturating_mul(8).max(64) {
                break;
            }
        }
        candidates.sort_by(|(a_first, a), (b_first, b)| b_first.cmp(a_first).then_with(|| a.name.cmp(&b.name)));
        candidates.into_iter().map(|(_, entity)| entity).take(limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gullhaven_state;

    #[test]
    fn names_complete_by_any_of_their_words() {
        let names = NameIndex::from_state(&gullhaven_state());
        let found = |typed: &str| -> Vec<&str> {
            names.completions(typed, |_| true, 5).into_iter().map(|named| named.name.as_str()).collect()
        };
        assert!(found("mire").contains(&"Mirela Voss"), "{:?}", found("mire"));
        assert!(found("voss").contains(&"Mirela Voss"), "{:?}", found("voss"));
        assert!(found("").is_empty());
        assert!(found("zzz").is_empty());
        let people = names.completions("m", |named| named.kind == Some(Kind::Npc), 50);
        assert!(people.iter().all(|named| named.kind == Some(Kind::Npc)) && !people.is_empty());
    }
}
