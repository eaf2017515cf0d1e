//! What entities are called, for completion and for buttons that name them.

use std::collections::HashMap;

use hearsay_model::{EntityId, Kind, State, text};
use serde::{Deserialize, Serialize};

/// An entity as a panel names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Named {
    /// Its id.
    pub id: EntityId,
    /// What it is called first of all; its id, where it has no name.
    pub name: String,
    /// What it is.
    pub kind: Option<Kind>,
}

impl Named {
    /// An entity of a state.
    pub fn of(state: &State, id: &EntityId) -> Self {
        Self { id: id.clone(), name: state.name_or_id(id).to_owned(), kind: state.kind(id) }
    }
}

/// All names of a campaign.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    all: Vec<Named>,
    by_id: HashMap<EntityId, usize>,
    /// Names and aliases in normal form, with the entity that each is of. Sorted.
    spelled: Vec<(String, usize)>,
}

impl Names {
    /// The names of a state, the DM's: read aside, it looks at every entity.
    pub fn of(state: &State) -> Self {
        let mut all: Vec<Named> = state.entities().map(|entity| Named::of(state, &entity.id)).collect();
        all.sort();
        let mut spelled = Vec::with_capacity(all.len() * 2);
        for (number, named) in all.iter().enumerate() {
            for name in state.names(&named.id) {
                let normal = text::normal(name);
                // A name is found by the beginning of any of its words.
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

    /// How many entities there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// All of them, by id.
    pub fn all(&self) -> &[Named] {
        &self.all
    }

    /// An entity.
    pub fn get(&self, id: &EntityId) -> Option<&Named> {
        self.by_id.get(id).map(|number| &self.all[*number])
    }

    /// What an entity is called; its id, where that is not known.
    pub fn name<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.get(id).map_or(id.as_str(), |named| &named.name)
    }

    /// The entity that has exactly this name, alias or id; nothing, where several have.
    pub fn exact(&self, name: &str) -> Option<&Named> {
        let name = text::normal(name);
        let from = self.spelled.partition_point(|(spelled, _)| *spelled < name);
        let same = self.spelled[from..].iter().take_while(|(spelled, _)| *spelled == name);
        let numbers: Vec<usize> = same.map(|(_, number)| *number).take(64).collect();
        // The ends of longer names are spelled too: what is called so as a whole comes first.
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

    /// The entity that a text names first: by a whole name, or by a word of one that only one has.
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

    /// The only entity one of whose names begins with this word: `Grimjaw`.
    fn first_name(&self, word: &str) -> Option<&Named> {
        if word.contains(' ') {
            return None;
        }
        let word = text::normal(word);
        let is_word = |named: &&Named| text::normal(&named.name).split(' ').any(|part| part == word);
        let mut found = self.completions(&word, |_| true, 8).into_iter().filter(is_word);
        found.next().filter(|_| found.next().is_none())
    }

    /// The entities whose name has a word that begins so, those that begin so first; at most so many.
    pub fn completions(&self, typed: &str, wanted: impl Fn(&Named) -> bool, limit: usize) -> Vec<&Named> {
        let typed = text::normal(typed);
        if typed.is_empty() {
            return Vec::new();
        }
        let from = self.spelled.partition_point(|(name, _)| *name < typed);
        let matching = self.spelled[from..].iter().take_while(|(name, _)| name.starts_with(&typed));
        let mut found: Vec<(bool, &Named)> = Vec::new();
        // Of very short beginnings there may be thousands; the first are as good as any.
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
