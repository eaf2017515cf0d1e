//! Resolution of references: an id, or a name or alias in any spelling.

use std::collections::{BTreeSet, HashMap};

use hearsay_model::{EntityId, Kind, text};

use super::{NoteReader, fields::nth};
use crate::{
    error::Place,
    keys,
    yaml::{Node, Yaml},
};

/// The entities of the files, collected before any reference is read.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_id: HashMap<EntityId, Named>,
    by_name: HashMap<String, BTreeSet<EntityId>>,
    /// The maximum number of words in an open name.
    longest: usize,
    /// Open names by their words, with their original spelling.
    open: HashMap<String, Vec<(EntityId, String)>>,
}

#[derive(Debug)]
struct Named {
    name: String,
    kind: Kind,
    at: Place,
}

impl Index {
    pub(super) fn name<'a>(&'a self, id: &'a EntityId) -> &'a str {
        self.by_id.get(id).map_or(id.as_str(), |named| &named.name)
    }

    pub(super) fn kind(&self, id: &EntityId) -> Option<&Kind> {
        self.by_id.get(id).map(|named| &named.kind)
    }

    /// Whether the written name is a secret name of the entity, and not its id.
    pub(super) fn is_secret_name(&self, id: &EntityId, written: &str) -> bool {
        let key = text::words(written).join(" ");
        let is = |ids: &BTreeSet<EntityId>| ids.contains(id);
        let open = self.open.get(&key).is_some_and(|named| named.iter().any(|(bearer, _)| bearer == id));
        written != id.as_str() && !open && self.by_name.get(&key).is_some_and(is)
    }

    fn call(&mut self, id: &EntityId, name: &str, open: bool) {
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

    /// Returns the entities whose open names occur in a text as words. A name that several entities share matches none.
    /// A name of one word must match in case too, so that `will` is not Will.
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

/// Maps the kinds of other tools.
pub(super) fn kind_of(word: &str) -> Kind {
    match Kind::from(word) {
        Kind::Custom(word) => match word.as_str() {
            "pc" | "character" | "player-character" => Kind::Player,
            "place" => Kind::Location,
            "organization" | "organisation" | "group" => Kind::Faction,
            "lore" => Kind::Concept,
            _ => Kind::Custom(word),
        },
        kind => kind,
    }
}

/// Whether the text says that there is no entity: `none`, `N/A`, `None; works independently.`
pub(super) fn is_nobody(written: &str) -> bool {
    let written = text::normal(written);
    let first = written.split([';', ',', '.', ':', '(']).next().unwrap_or_default().trim();
    ["none", "nobody", "nothing", "n/a", "unknown", "-", ""].contains(&first)
}

impl NoteReader {
    /// Collects an entity without reporting errors, which are reported when the entity is read. Returns its id, or
    /// `None` if the entity is unreadable or its id is in use.
    pub(super) fn note(&mut self, node: &Node, path: &str) -> Option<EntityId> {
        let name = node.get("name").and_then(Node::text).unwrap_or_default().trim();
        let given = node.get("id");
        let id = match given {
            Some(given) => EntityId::new(self.text_of(given, &format!("{path}/id"))?),
            None if name.is_empty() => {
                if let Yaml::Map(_) = node.value {
                    let hint = "add `name: …`";
                    self.faults.add(node.at, path, "an entity needs a name", hint);
                } else {
                    self.wrong(node, path, "a mapping, `name: …`, for an entity");
                }
                return None;
            }
            None => EntityId::from_name(name),
        };
        let id = match id {
            Ok(id) => id,
            Err(error) => {
                let at = given.map_or(node.at, |given| given.at);
                self.faults.add(at, &format!("{path}/id"), error.to_string(), "");
                return None;
            }
        };
        if let Some(first) = self.index.by_id.get(&id) {
            let message = format!("the id `{id}` is taken: the first stands at {}", self.faults.spot(first.at));
            let hint = "give one of them another `id`; two that share a name need two ids";
            self.faults.add(node.at, path, message, hint);
            return None;
        }
        let kind = node.get("kind").or_else(|| node.get("type")).and_then(Node::text).unwrap_or("concept");
        let name = if name.is_empty() { id.as_str().to_owned() } else { name.to_owned() };
        self.index.call(&id, &name, true);
        for alias in node.get("aliases").map_or(&[][..], Node::items) {
            let secret = alias.get("secret").is_some_and(|secret| secret.value == Yaml::Flag(true));
            let name = alias.text().or_else(|| alias.get("name").and_then(Node::text));
            self.index.call(&id, name.unwrap_or_default(), !secret);
        }
        let named = Named { name, kind: kind_of(kind), at: node.at };
        self.index.by_id.insert(id.clone(), named);
        Some(id)
    }

    /// Returns the entity for an id, a name or an alias.
    pub(super) fn reference(&mut self, node: &Node, path: &str) -> Option<EntityId> {
        let written = match &node.value {
            Yaml::Number(_, raw) => raw,
            _ => self.text_of(node, path)?.trim(),
        };
        match self.lookup(written) {
            Lookup::One(id) => return Some(id),
            Lookup::None if self.faults.is_full() => self.faults.add(node.at, path, "", ""),
            Lookup::None => {
                let ids = self.index.by_id.keys().map(EntityId::as_str);
                let names = ids.chain(self.index.by_name.keys().map(String::as_str));
                let hint = match keys::nearest(written, names) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "write an id, a name or an alias of an entity, or add the entity".to_owned(),
                };
                self.faults.add(node.at, path, format!("there is no entity `{written}`"), hint);
            }
            Lookup::Several(ids) => {
                let ids: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
                let hint = format!("write the id: {}", ids.join(" or "));
                self.faults.add(node.at, path, format!("`{written}` may mean several entities"), hint);
            }
        }
        None
    }

    pub(super) fn is_known(&self, written: &str) -> bool {
        !matches!(self.lookup(written), Lookup::None)
    }

    fn lookup(&self, written: &str) -> Lookup {
        if let Ok(id) = EntityId::new(written)
            && self.index.by_id.contains_key(&id)
        {
            return Lookup::One(id);
        }
        let found = self.index.by_name.get(&text::words(written).join(" "));
        match found.map(|ids| ids.iter().collect::<Vec<_>>()).as_deref() {
            None | Some([]) => Lookup::None,
            Some([id]) => Lookup::One((*id).clone()),
            Some(ids) => Lookup::Several(ids.iter().map(|id| (*id).clone()).collect()),
        }
    }

    /// Collects all entities of a list. Returns the readable ones, each with its id and node.
    pub(super) fn note_all<'a>(&mut self, list: &'a Node, path: &str) -> Vec<(EntityId, &'a Node)> {
        let items = list.items().iter().enumerate();
        items.filter_map(|(n, node)| Some((self.note(node, &nth(path, n))?, node))).collect()
    }
}

enum Lookup {
    One(EntityId),
    Several(Vec<EntityId>),
    None,
}

#[cfg(test)]
mod tests {
    use super::is_nobody;

    #[test]
    fn nobody_is_told_from_somebody() {
        for nobody in ["None; works independently.", "none", "N/A", "Unknown"] {
            assert!(is_nobody(nobody), "{nobody}");
        }
        for somebody in ["Nothing Hill", "Unknown Isle", "Nonesuch", "Local Militia"] {
            assert!(!is_nobody(somebody), "{somebody}");
        }
    }
}
