//! Resolution of references. A reference is an id, or a name or alias in any spelling.

use hearsay_model::{EntityId, Kind, text};

use super::{fields::nth, index::Named, reader::CampaignReader};
use crate::{
    keys,
    yaml::{Node, Yaml},
};

/// Returns the kind that a word means. Also accepts words that other tools use.
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

/// Returns whether a text says that there is no entity, such as `none`, `N/A` or `None; works independently.`
pub(super) fn is_nobody(written: &str) -> bool {
    let written = text::normalize(written);
    let first = written.split([';', ',', '.', ':', '(']).next().unwrap_or_default().trim();
    ["none", "nobody", "nothing", "n/a", "unknown", "-", ""].contains(&first)
}

impl CampaignReader {
    /// Collects the id and the names of an entity before its fields are read. Returns the id. Returns `None` if the
    /// entity cannot be read, or if another entity has the same id.
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
            let message = format!("duplicate id `{id}`: it is already used at {}", self.faults.spot(first.at));
            let hint = "give one of them another `id`; entities with the same name need different ids";
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
                self.faults.add(node.at, path, format!("no entity has the name or id `{written}`"), hint);
            }
            Lookup::Several(ids) => {
                let ids: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
                let hint = format!("write the id: {}", ids.join(" or "));
                self.faults.add(
                    node.at,
                    path,
                    format!("`{written}` is ambiguous: several entities have this name"),
                    hint,
                );
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

    /// Collects all entities of a list. Returns the id and the node of each readable entity.
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
