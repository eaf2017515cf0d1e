//! Finds the entity that a reference names. A reference is an id, a name or an alias.

use hearsay_model::{EntityId, Kind, text};

use super::{entity_index::NamedEntity, fields::item_path, reader::CampaignReader};
use crate::{
    keys,
    yaml::{Node, Yaml},
};

/// Returns the kind that a word means. Also accepts words that other tools use.
pub fn parse_kind(word: &str) -> Kind {
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

/// Returns whether a text means that there is no entity, such as `none`, `N/A` or `None; works independently.`
pub(super) fn is_no_entity(name_text: &str) -> bool {
    let name_text = text::normalize(name_text);
    let first = name_text.split([';', ',', '.', ':', '(']).next().unwrap_or_default().trim();
    ["none", "nobody", "nothing", "n/a", "unknown", "-", ""].contains(&first)
}

impl CampaignReader {
    /// Collects the id and the names of an entity before its fields are read. Returns the id. Returns `None` if the
    /// entity cannot be read, or if another entity has the same id.
    pub(super) fn register_entity(&mut self, node: &Node, path: &str) -> Option<EntityId> {
        let name = node.get("name").and_then(Node::text).unwrap_or_default().trim();
        let id_node = node.get("id");
        let id = match id_node {
            Some(id_node) => EntityId::new(self.read_text_node(id_node, &format!("{path}/id"))?),
            None if name.is_empty() => {
                if let Yaml::Map(_) = node.value {
                    let hint = "add `name: …`";
                    self.diagnostics.add(node.at, path, "an entity needs a name", hint);
                } else {
                    self.add_type_error(node, path, "a mapping, `name: …`, for an entity");
                }
                return None;
            }
            None => EntityId::from_name(name),
        };
        let id = match id {
            Ok(id) => id,
            Err(error) => {
                let at = id_node.map_or(node.at, |id_node| id_node.at);
                self.diagnostics.add(at, &format!("{path}/id"), error.to_string(), "");
                return None;
            }
        };
        if let Some(existing) = self.index.by_id.get(&id) {
            let message =
                format!("duplicate id `{id}`: it is already used at {}", self.diagnostics.format_position(existing.at));
            let hint = "give one of the two entities another `id`; entities with the same name need different ids";
            self.diagnostics.add(node.at, path, message, hint);
            return None;
        }
        let kind = node.get("kind").or_else(|| node.get("type")).and_then(Node::text).unwrap_or("concept");
        let name = if name.is_empty() { id.as_str().to_owned() } else { name.to_owned() };
        self.index.add_name(&id, &name, true);
        for alias in node.get("aliases").map_or(&[][..], Node::items) {
            let is_secret = alias.get("secret").is_some_and(|secret| secret.value == Yaml::Flag(true));
            let name = alias.text().or_else(|| alias.get("name").and_then(Node::text));
            self.index.add_name(&id, name.unwrap_or_default(), !is_secret);
        }
        let named_entity = NamedEntity { name, kind: parse_kind(kind), at: node.at };
        self.index.by_id.insert(id.clone(), named_entity);
        Some(id)
    }

    /// Returns the entity for an id, a name or an alias.
    pub(super) fn resolve_reference(&mut self, node: &Node, path: &str) -> Option<EntityId> {
        let name = match &node.value {
            Yaml::Number(_, raw) => raw,
            _ => self.read_text_node(node, path)?.trim(),
        };
        match self.match_name(name) {
            NameMatch::One(id) => return Some(id),
            NameMatch::None if self.diagnostics.is_full() => self.diagnostics.add(node.at, path, "", ""),
            NameMatch::None => {
                let ids = self.index.by_id.keys().map(EntityId::as_str);
                let names = ids.chain(self.index.by_name.keys().map(String::as_str));
                let hint = match keys::nearest(name, names) {
                    Some(nearest_name) => format!("did you mean `{nearest_name}`?"),
                    None => "write an id, a name or an alias of an entity, or add the entity".to_owned(),
                };
                self.diagnostics.add(node.at, path, format!("no entity has the name or id `{name}`"), hint);
            }
            NameMatch::Several(ids) => {
                let ids: Vec<_> = ids.iter().map(|id| format!("`{id}`")).collect();
                let hint = format!("write the id: {}", ids.join(" or "));
                self.diagnostics.add(
                    node.at,
                    path,
                    format!("`{name}` is ambiguous: several entities have this name"),
                    hint,
                );
            }
        }
        None
    }

    pub(super) fn is_known(&self, written: &str) -> bool {
        !matches!(self.match_name(written), NameMatch::None)
    }

    fn match_name(&self, name: &str) -> NameMatch {
        if let Ok(id) = EntityId::new(name)
            && self.index.by_id.contains_key(&id)
        {
            return NameMatch::One(id);
        }
        let found = self.index.by_name.get(&text::words(name).join(" "));
        match found.map(|ids| ids.iter().collect::<Vec<_>>()).as_deref() {
            None | Some([]) => NameMatch::None,
            Some([id]) => NameMatch::One((*id).clone()),
            Some(ids) => NameMatch::Several(ids.iter().map(|id| (*id).clone()).collect()),
        }
    }

    /// Collects all entities of a list. Returns the id and the node of each readable entity.
    pub(super) fn register_entities<'a>(&mut self, list: &'a Node, path: &str) -> Vec<(EntityId, &'a Node)> {
        let items = list.items().iter().enumerate();
        items.filter_map(|(n, node)| Some((self.register_entity(node, &item_path(path, n))?, node))).collect()
    }
}

enum NameMatch {
    One(EntityId),
    Several(Vec<EntityId>),
    None,
}

#[cfg(test)]
mod tests {
    use super::is_no_entity;

    #[test]
    fn nobody_is_told_from_somebody() {
        for nobody in ["None; works independently.", "none", "N/A", "Unknown"] {
            assert!(is_no_entity(nobody), "{nobody}");
        }
        for somebody in ["Nothing Hill", "Unknown Isle", "Nonesuch", "Local Militia"] {
            assert!(!is_no_entity(somebody), "{somebody}");
        }
    }
}
