//! Table with the names of all entities. A program can use the table to find the entity of a name without the state.

use std::collections::{BTreeMap, BTreeSet};

use hearsay_model::{EntityId, FactStatus, Kind, Resolution, State, attribute, text};

use crate::{
    QueryError,
    resolve::{NameSource, Wanted, candidates_with_words, resolve_in},
};

/// Table with the names of all entities at one position of the journal. A program that must not wait for the state,
/// such as a user interface, can find the entity of a name in this table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameTable {
    entities: BTreeMap<EntityId, EntityEntry>,
    /// Entities by each of their names, in [normal form](text::normalize).
    by_name: BTreeMap<String, BTreeSet<EntityId>>,
}

/// The names of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
struct EntityEntry {
    names: Vec<String>,
    open_names: Vec<String>,
    noun_phrases: Vec<Vec<String>>,
    kind: Option<Kind>,
    player: Option<String>,
}

impl NameTable {
    /// Reads all names of a state, including secret names. The function visits every entity, so call it on a background
    /// thread if the campaign is large.
    pub fn from_state(state: &State) -> Self {
        let to_owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        let mut table = Self::default();
        for id in state.entity_ids() {
            for name in [attribute::NAME, attribute::ALIAS] {
                let facts = state.facts_with_subject(id, name).all();
                let live = facts.filter(|fact| matches!(fact.status(), FactStatus::Canon | FactStatus::Claimed));
                for name in live.filter_map(|fact| fact.object().text()) {
                    table.by_name.entry(text::normalize(name)).or_default().insert(id.clone());
                }
            }
            let entry = EntityEntry {
                names: to_owned(state.names(id)),
                open_names: to_owned(state.open_names(id)),
                noun_phrases: state.noun_phrases_of(id),
                kind: state.kind(id),
                player: state.player_of(id).map(str::to_owned),
            };
            table.entities.insert(id.clone(), entry);
        }
        table
    }

    /// Finds an entity like [`resolve`](crate::resolve::resolve()).
    ///
    /// # Errors
    /// Returns the same errors as [`resolve`](crate::resolve::resolve()).
    pub fn resolve(&self, name: &str) -> Result<EntityId, QueryError> {
        resolve_in(self, name, Wanted::Any)
    }

    /// Finds an entity like [`resolve`](Self::resolve), but all words of the name must be complete. Returns `None` if
    /// no entity or more than one entity has this name. This function is faster than [`resolve`](Self::resolve),
    /// because it does not search for similar names.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        let mut candidates = candidates_with_words(self, name);
        if candidates.len() == 1 { candidates.pop() } else { None }
    }

    /// Finds an entity by its id or by a complete name or alias, like [`State::resolve`].
    pub fn find_exact(&self, name: &str) -> Resolution {
        if let Ok(id) = EntityId::new(name.trim())
            && self.entities.contains_key(&id)
        {
            return Resolution::One(id);
        }
        let found: Vec<&EntityId> = self.by_name.get(&text::normalize(name)).into_iter().flatten().collect();
        match &found[..] {
            [] => Resolution::None,
            [only] => Resolution::One((*only).clone()),
            several => Resolution::Ambiguous(several.iter().map(|id| (*id).clone()).collect()),
        }
    }
}

impl NameSource for NameTable {
    fn find_exact(&self, name: &str) -> Resolution {
        Self::find_exact(self, name)
    }

    fn entity_ids(&self) -> impl Iterator<Item = &EntityId> {
        self.entities.keys()
    }

    fn names_of(&self, id: &EntityId) -> Vec<&str> {
        self.entities.get(id).into_iter().flat_map(|entry| &entry.names).map(String::as_str).collect()
    }

    fn open_names_of(&self, id: &EntityId) -> Vec<&str> {
        self.entities.get(id).into_iter().flat_map(|entry| &entry.open_names).map(String::as_str).collect()
    }

    fn noun_phrases_of(&self, id: &EntityId) -> Vec<Vec<String>> {
        self.entities.get(id).map(|entry| entry.noun_phrases.clone()).unwrap_or_default()
    }

    fn kind_of(&self, id: &EntityId) -> Option<Kind> {
        self.entities.get(id)?.kind.clone()
    }

    fn player_of(&self, id: &EntityId) -> Option<&str> {
        self.entities.get(id)?.player.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hearsay_model::{Author, Change, Entity, Fact, Method, Operation, Provenance, Secrecy};

    use super::*;
    use crate::resolve::{resolve, resolve_complete_words};

    /// Returns a state with Sam Hill, Sam Reed and Mirela Voss. Laura Meier plays Sam Reed. The secret name of Mirela is
    /// The Grey Lady.
    fn town() -> State {
        let names = [
            ("sam-hill", attribute::NAME, "Sam Hill", Secrecy::Open),
            ("sam-reed", attribute::NAME, "Sam Reed", Secrecy::Open),
            ("sam-reed", attribute::ALIAS, "The Miller", Secrecy::Open),
            ("sam-reed", attribute::PLAYER, "Laura Meier", Secrecy::Open),
            ("mirela-voss", attribute::NAME, "Mirela Voss", Secrecy::Open),
            ("mirela-voss", attribute::ALIAS, "The Grey Lady", Secrecy::Secret),
        ];
        let id = |id: &str| EntityId::new(id).unwrap();
        let entities = ["sam-hill", "sam-reed", "mirela-voss"].map(|name| Change::AddEntity(Entity::new(id(name))));
        let facts = names.map(|(entity, attribute, name, secrecy)| {
            let fact = Fact::attribute(&id(entity), attribute, name, Provenance::new(Method::Authored, Author::Dm));
            Change::AssertFact(Arc::new(fact.unwrap().secrecy(secrecy).build().unwrap()))
        });
        let changes = entities.into_iter().chain(facts).collect();
        State::fold([Operation::new(Author::Dm, "town", changes)]).unwrap()
    }

    #[test]
    fn a_table_resolves_names_like_its_state() {
        let state = town();
        let table = NameTable::from_state(&state);
        let names = [
            "Sam Hill",
            "sam reed",
            "sam-reed",
            "Sam",
            "Reed",
            "Voss",
            "the grey lady",
            "Grey Lady",
            "miller",
            "the",
            "Mirella",
            "nobody",
            "",
        ];
        for name in names {
            let text = |result: Result<EntityId, QueryError>| result.map_err(|error| error.to_string());
            let expected = text(resolve(&state, name));
            assert_eq!(table.find(name), expected.clone().ok(), "{name}");
            assert_eq!(text(table.resolve(name)), expected, "{name}");
            assert_eq!(table.find_exact(name), state.resolve(name), "{name}");
        }
        assert_eq!(table.find("Reed").unwrap().as_str(), "sam-reed");
        assert_eq!(table.find("Grey Lady"), None, "a part of a secret name finds nobody");
        for (start, expected) in [("mir", "mirela-voss"), ("sam hi", "sam-hill"), ("mill", "sam-reed")] {
            assert_eq!(resolve(&state, start).unwrap().as_str(), expected);
            assert_eq!(table.resolve(start).unwrap().as_str(), expected);
            assert_eq!(table.find(start), None, "an incomplete word in a sentence is no name: {start}");
            assert!(resolve_complete_words(&state, start).is_err(), "{start}");
        }
        assert!(resolve(&state, "m").is_err() && resolve(&state, "sa").is_err() && resolve(&state, "gre").is_err());
        for player in ["Laura", "laura meier"] {
            assert_eq!(resolve(&state, player).unwrap().as_str(), "sam-reed");
            assert_eq!(table.resolve(player).unwrap().as_str(), "sam-reed");
            assert_eq!(table.find(player), None, "{player} is no name in the world of the campaign");
        }
        assert!(resolve(&state, "Meier").is_err());
    }
}
