//! Names of entities, for completion and for links.

use std::collections::HashMap;

use hearsay_model::{EntityId, Kind, State, text};
use serde::{Deserialize, Serialize};

/// An entity with its display name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Named {
    /// Id of the entity.
    pub id: EntityId,
    /// Main name of the entity; its id if it has no name.
    pub name: String,
    /// Kind of the entity.
    pub kind: Option<Kind>,
}

impl Named {
    /// Reads the name and kind of an entity from a state.
    pub fn of(state: &State, id: &EntityId) -> Self {
        Self { id: id.clone(), name: state.name_or_id(id).to_owned(), kind: state.kind(id) }
    }
}

/// All names of a campaign, for completion and links.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    all: Vec<Named>,
    by_id: HashMap<EntityId, usize>,
    /// Sorted list of normalized names, aliases and ids. A name of several words is also listed from its second word
    /// on, from its third word on, and so on. The number is the index of the entity.
    spelled: Vec<(String, usize)>,
}

impl Names {
    /// Reads all names of a state, including secret names. Call this function on a background thread, because it visits
    /// every entity.
    pub fn of(state: &State) -> Self {
        let mut all: Vec<Named> = state.entities().map(|entity| Named::of(state, &entity.id)).collect();
        all.sort();
        let mut spelled = Vec::with_capacity(all.len() * 2);
        for (number, named) in all.iter().enumerate() {
            for name in state.names(&named.id) {
                let normal = text::normal(name);
                // A search finds a name by the beginning of any of its words.
                let starts = normal.char_indices().filter(|(at, _)| *at == 0 || normal[..*at].ends_with([' ', '-']));
                let parts: Vec<String> = starts.map(|(at, _)| normal[at..].to_owned()).collect();
                spelled.extend(parts.into_iter().map(|part| (part, number)));
            }
            spelled.push((named.id.to_string(), number));
        }
        spelled.sort();
        spelled.dedup();
        let by_id = all.iter().enumerate().map(|(number, named)| (named.id.clone(), number)).collect();
        Self { all, by_id, spelled }
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
    pub fn all(&self) -> &[Named] {
        &self.all
    }

    /// Returns an entity with its name; `None` if the entity does not exist.
    pub fn get(&self, id: &EntityId) -> Option<&Named> {
        self.by_id.get(id).map(|number| &self.all[*number])
    }

    /// Returns the name of an entity, or its id if the name is unknown.
    pub fn name<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.get(id).map_or(id.as_str(), |named| &named.name)
    }

    /// Returns the entity with exactly this name, alias or id. Returns `None` if no entity or more than one entity has
    /// it.
    pub fn exact(&self, name: &str) -> Option<&Named> {
        let name = text::normal(name);
        let from = self.spelled.partition_point(|(spelled, _)| *spelled < name);
        let same = self.spelled[from..].iter().take_while(|(spelled, _)| *spelled == name);
        let numbers: Vec<usize> = same.map(|(_, number)| *number).take(64).collect();
        // The list also contains the ends of longer names. An entity whose complete name matches takes precedence.
        let is_whole = |number: &usize| {
            let named = &self.all[*number];
            text::normal(&named.name) == name || named.id.as_str() == name
        };
        let whole: Vec<usize> = numbers.iter().copied().filter(is_whole).collect();
        match (&whole[..], &numbers[..]) {
            ([only], _) | ([], [only]) => self.all.get(*only),
            _ => None,
        }
    }

    /// Returns the first entity that a text mentions. A mention is a complete name, or a word that occurs in the name
    /// of only one entity.
    pub fn mentioned(&self, words: &str) -> Option<&Named> {
        let starts = words.char_indices().filter(|(at, _)| *at == 0 || !words[..*at].ends_with(char::is_alphanumeric));
        starts.map(|(at, _)| &words[at..]).find_map(|rest| {
            let ends = rest.char_indices().filter(|(_, c)| !c.is_alphanumeric() && *c != '-').map(|(at, _)| at);
            let mut ends: Vec<usize> = ends.chain([rest.len()]).filter(|end| (2..=80).contains(end)).collect();
            ends.truncate(6);
            let capital = rest.chars().next().is_some_and(char::is_uppercase);
            ends.into_iter().rev().filter(|_| capital).find_map(|end| {
                let name = &rest[..end];
                self.exact(name).or_else(|| self.first_name(name))
            })
        })
    }

    /// Returns the entity whose name contains this word, such as `Grimjaw`. Returns `None` if no entity or more than
    /// one entity matches.
    fn first_name(&self, word: &str) -> Option<&Named> {
        if word.contains(' ') {
            return None;
        }
        let word = text::normal(word);
        let is_word = |named: &&Named| text::normal(&named.name).split(' ').any(|part| part == word);
        let mut found = self.completions(&word, |_| true, 8).into_iter().filter(is_word);
        found.next().filter(|_| found.next().is_none())
    }

    /// Returns at most `limit` entities for which `wanted` is true and a word of a name begins with `typed`. Entities
    /// whose main name begins with `typed` come first.
    pub fn completions(&self, typed: &str, wanted: impl Fn(&Named) -> bool, limit: usize) -> Vec<&Named> {
        let typed = text::normal(typed);
        if typed.is_empty() {
            return Vec::new();
        }
        let from = self.spelled.partition_point(|(name, _)| *name < typed);
        let matching = self.spelled[from..].iter().take_while(|(name, _)| name.starts_with(&typed));
        let mut found: Vec<(bool, &Named)> = Vec::new();
        // A very short text can match thousands of names. Looking at the first matches is enough, because all matches
        // are equally good.
        for (name, number) in matching.take(4096) {
            let named = &self.all[*number];
            let first = text::normal(&named.name).starts_with(name.as_str());
            match found.iter_mut().find(|(_, other)| other.id == named.id) {
                Some((is_first, _)) => *is_first |= first,
                None if wanted(named) => found.push((first, named)),
                None => {}
            }
            if found.len() >= limit.saturating_mul(8).max(64) {
                break;
            }
        }
        found.sort_by(|(a_first, a), (b_first, b)| b_first.cmp(a_first).then_with(|| a.name.cmp(&b.name)));
        found.into_iter().map(|(_, named)| named).take(limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gullhaven_state;

    #[test]
    fn names_complete_by_any_of_their_words() {
        let names = Names::of(&gullhaven_state());
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
